// The overview of `tercet review`: counts in colours, hours, predicted quality, files and reasons. All of them filter the segments.
const BIN = 5; // of 100
let perHour = null;

// Sums over the segments that are not done, by a key of each; and of those that are.
function summed(keyOf) {
  const found = new Map();
  D.segments.forEach((segment, i) => {
    for (const key of keyOf(segment, i)) {
      const row = found.get(key) ?? found.set(key, {n: 0, words: 0, colours: {}}).get(key), colour = isDone(i) ? "done" : segment.decision;
      row.n++;
      row.words += segment.words ?? 0;
      row.colours[colour] = (row.colours[colour] ?? 0) + 1;
    }
  });
  return found;
}

function showOverview() {
  const by = summed((segment, i) => [isDone(i) ? "done" : segment.decision]), nothing = {n: 0, words: 0};
  for (const tile of document.querySelectorAll(".tile")) {
    const {n, words} = by.get(tile.dataset.colour) ?? nothing;
    tile.hidden = tile.dataset.colour === "done" && !n;
    tile.querySelector("b").textContent = n.toLocaleString("en");
    tile.querySelector(".soft").textContent = `${fixed(100 * n / D.n, n && n < D.n / 100 ? 1 : 0)} %, ${count(words, "word")}`;
    tile.setAttribute("aria-pressed", String(state.colour === tile.dataset.colour));
  }
  const words = Object.keys(D.overview.colours).map((colour) => (by.get(colour) ?? nothing).words), all = words.reduce((x, y) => x + y, 0);
  byId("saved").textContent = perHour > 0 ? `All: ${fixed(all / perHour, 1)} h. Without the green ones: ${fixed((all - words.at(-1)) / perHour, 1)} h, ${fixed(words.at(-1) / perHour, 1)} h saved.` : "";
}

// A bar of the three colours, as wide as its share of the largest.
function colourBar(row, most) {
  const names = [...Object.keys(D.overview.colours), "done"].filter((colour) => row.colours[colour]);
  return el("span", {class: "colours", "aria-hidden": "true", style: {width: `${100 * row.n / most}%`}},
    names.map((colour) => el("span", {class: colour, style: {"flex-grow": String(row.colours[colour])}})));
}

function rows(title, key, found, named = (value) => value) {
  if (!found.size) return "";
  const sorted = [...found].sort((x, y) => y[1].n - x[1].n), most = sorted[0][1].n;
  const buttons = sorted.map(([value, row]) => {
    const button = el("button", {type: "button", class: "bar-row", "data-key": `${key} ${value}`, onclick: () => change({[key]: state[key] === value ? "" : value}, {browse: state[key] !== value})},
      el("span", {}, named(value)), el("span", {class: "track"}, colourBar(row, most)), el("span", {class: "number"}, row.n.toLocaleString("en")));
    renderers.push(() => button.setAttribute("aria-pressed", String(state[key] === value)));
    return button;
  });
  return el("section", {"aria-label": title}, el("h2", {}, title), el("div", {class: "bars"}, buttons));
}

function histogram() {
  if (!D.overview.limits) return "";
  const found = summed((segment) => segment.texts[1].text.trim() ? [Math.min(Math.floor(segment.value / BIN), 100 / BIN - 1)] : []);
  const most = Math.max(...[...found.values()].map((row) => row.n));
  const bins = range(100 / BIN).map((bin) => {
    const row = found.get(bin) ?? {n: 0, colours: {}}, from = bin * BIN, to = bin === 100 / BIN - 1 ? 101 : from + BIN;
    const button = el("button", {type: "button", class: "bin", disabled: !row.n, title: `${from} to ${from + BIN}: ${count(row.n, "segment")}`, "aria-label": `Quality ${from} to ${from + BIN}: ${count(row.n, "segment")}`,
      onclick: () => change(state.from === from ? {from: null, to: null} : {from, to}, {browse: state.from !== from})},
    el("span", {class: "stack", style: {height: `${100 * row.n / most}%`}}, [...Object.keys(D.overview.colours)].reverse().concat("done").filter((colour) => row.colours[colour])
      .map((colour) => el("span", {class: colour, style: {"flex-grow": String(row.colours[colour])}}))));
    renderers.push(() => button.setAttribute("aria-pressed", String(state.from === from)));
    return button;
  });
  const [red, amber] = D.overview.limits;
  return el("section", {"aria-label": "Predicted quality"}, el("h2", {}, "Predicted quality"),
    el("div", {class: "histogram"}, bins, [[red, "red"], [amber, "amber"]].map(([limit, name]) => el("span", {class: "limit", style: {left: `${limit}%`}, title: `${name} below ${limit}`}))),
    el("div", {class: "axis soft small", "aria-hidden": "true"}, [0, 20, 40, 60, 80, 100].map((at) => el("span", {style: {left: `${at}%`}}, at))),
    el("p", {class: "small soft"}, `Of 100. Lines: red below ${red}, amber below ${amber}. A bar shows its segments.`));
}

function buildOverview() {
  const {colours, kinds, words_per_hour: rate} = D.overview, signs = {red: "✕", amber: "◐", green: "✓", done: "●"};
  perHour = rate;
  const tiles = Object.entries({...colours, done: "done"}).map(([colour, says]) => el("button", {type: "button", class: `tile ${colour}`, "data-colour": colour, "data-key": `colour ${colour}`,
    onclick: () => change({colour: state.colour === colour ? "" : colour}, {browse: state.colour !== colour})},
  el("span", {}, `${signs[colour]} ${colour === says ? says : `${colour}: ${says}`}`), el("b", {}), el("span", {class: "soft small"})));
  const input = el("input", {type: "number", min: 1, step: 50, value: rate, "aria-label": "Words that a person reads in an hour", oninput: () => { perHour = +input.value; showOverview(); }});
  renderers.push(showOverview);
  const files = summed((segment) => [segment.file]);
  return el("div", {id: "overview"}, el("div", {class: "tiles"}, tiles),
    el("p", {class: "small row"}, el("label", {}, "Words an hour", input), el("span", {id: "saved", role: "status"})),
    el("div", {class: "panels"}, histogram(), rows("By reason", "kind", summed((segment, i) => isDone(i) ? [] : new Set(segment.why.map((why) => why.kind))), (kind) => kinds[kind] ?? kind),
      files.size > 1 ? rows("By file", "file", files, (file) => file || "–") : ""));
}
