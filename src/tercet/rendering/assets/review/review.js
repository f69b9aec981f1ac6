// Pages of segments to look at: those of `review`, `qe rank`, and those with names that were lost or invented (`entities`).
// The list, the search, the export and the keys are those of the report.
const ORDERS = {first: "", order: "order of the texts", long: "longest", short: "shortest"};
const CLEAR = {q: "", kind: "", system: "", name: "", colour: "", file: "", from: null, to: null, open: false};
const WORDS = ["q", "kind", "system", "name", "colour", "file"]; // of the state, in the address
const KEPT = () => `tercet-review:${D.key}`; // where the browser keeps what is done
let marks = {}; // what a person marked: a digest of id and texts -> whether it is done. A text that changed is open again.

const digests = new Map();
function digestOf(i) {
  if (!digests.has(i)) {
    let hash = 0x811c9dc5;
    const {id, file, texts} = D.segments[i];
    for (const text of [id, file, ...texts.map((text) => text.text)])
      for (let at = 0; at <= text.length; at++) hash = Math.imul(hash ^ (at < text.length ? text.charCodeAt(at) : 0xffff), 0x01000193);
    digests.set(i, (hash >>> 0).toString(36));
  }
  return digests.get(i);
}
const isDone = (i) => (Object.keys(marks).length ? marks[digestOf(i)] : undefined) ?? D.segments[i].state === "done";
const keepDone = () => { try { localStorage.setItem(KEPT(), JSON.stringify(marks)); } catch { /* not allowed here */ } };
function readDone() {
  try { return JSON.parse(localStorage.getItem(KEPT()) ?? "{}"); } catch { return {}; }
}

// The reasons of a segment that fit the choice of kind, system and name.
const reasonsOf = (segment) => segment.why.filter((why) => (!state.kind || why.kind === state.kind || segment.decision === state.kind)
  && (!state.system || why.system === state.system) && (!state.name || why.name === state.name));
const shownTexts = (segment) => segment.texts.filter((text) => !state.system || !text.system || text.system === state.system);

function filtered() {
  const pattern = searchPattern(state.q), found = [];
  const hits = (text) => { pattern.lastIndex = 0; return pattern.test(text); };
  D.segments.forEach((segment, i) => {
    if (state.open && isDone(i)) return;
    if (state.colour && (state.colour === "done") !== isDone(i)) return;
    if (state.colour && state.colour !== "done" && segment.decision !== state.colour) return;
    if (state.file && segment.file !== state.file) return;
    if (state.from !== null && !(segment.value >= state.from && segment.value < state.to)) return;
    if ((state.kind || state.system || state.name) && segment.decision !== state.kind && !reasonsOf(segment).length) return;
    if (pattern instanceof RegExp && ![segment.id, segment.file, ...segment.texts.map((text) => text.text), ...segment.why.map((why) => why.text)].some(hits)) return;
    found.push(i);
  });
  const length = (i) => D.segments[i].texts[0].text.length;
  const rank = D.overview ? Object.keys(D.overview.colours) : null;
  const worst = (i) => rank ? rank.indexOf(D.segments[i].decision) * 1000 + (D.overview.limits ? D.segments[i].value : 0) : i;
  const keys = {first: worst, order: (i) => numberOf(i), long: (i) => -length(i), short: length};
  return found.sort((x, y) => keys[state.sort](x) - keys[state.sort](y) || x - y);
}

function bar({value, low, high}) {
  const [start, end] = D.scale, at = (x) => 120 * (Math.min(Math.max(x, start), end) - start) / (end - start);
  return svg("svg", {class: "scale", width: 120, height: 14, role: "img",
    "aria-label": `${fixed(value, 1)}, interval ${fixed(low, 1)} to ${fixed(high, 1)}`},
  svg("rect", {class: "all", x: .5, y: 3.5, width: 119, height: 7, rx: 3}),
  svg("rect", {class: "interval", x: at(low), y: 4, width: Math.max(at(high) - at(low), 1), height: 6}),
  svg("rect", {class: "value", x: Math.min(Math.max(at(value) - 1.5, 0), 117), y: 1, width: 3, height: 12}));
}

// A text with its marks, which do not overlap, and with what the search finds.
function withMarks(text, marks, pattern) {
  const plain = (piece) => pattern ? highlighted(piece, pattern) : [piece], nodes = [];
  let last = 0;
  for (const [begin, end, kind, title] of marks) {
    nodes.push(...plain(text.slice(last, begin)), el("mark", {class: kind, title}, plain(text.slice(begin, end))));
    last = end;
  }
  return [...nodes, ...plain(text.slice(last))];
}

function cardParts(i) {
  const segment = D.segments[i], pattern = searchPattern(state.q), found = pattern instanceof RegExp ? pattern : null;
  const box = el("input", {type: "checkbox", checked: isDone(i), onchange: () => setDone(i, box.checked)});
  placeOf(i).classList.toggle("done", box.checked);
  const link = address({...state, seg: i});
  const scored = D.scale ? [bar(segment), el("span", {}, `${fixed(segment.value, 1)} (${fixed(segment.low, 1)} to ${fixed(segment.high, 1)})`)]
    : D.unit ? [el("span", {}, count(segment.value, D.unit))] : [];
  const details = [...(D.overview?.limits ? [`predicted quality ${fixed(segment.value, 0)} of 100`] : []), ...(segment.details ?? [])];
  return [
    el("div", {class: "head"}, el("a", {href: link, class: "number", title: "Link to this segment", onclick: (event) => { event.preventDefault(); openSegment(i, false); }}, `#${segment.id}`),
      segment.file ? el("span", {class: "soft"}, segment.file) : "", scored,
      segment.decision ? el("span", {class: `tag ${segment.decision}`}, D.overview ? `${segment.decision}: ${D.overview.colours[segment.decision]}` : segment.decision) : "",
      el("span", {class: "end"}, el("button", {type: "button", class: "small", onclick: () => copy(location.href.replace(/#.*|$/s, "") + link, "Link copied")}, "Copy link"),
        el("label", {}, box, "done"))),
    el("div", {class: "texts"}, shownTexts(segment).map(({name, text, language, marks}) => el("div", {}, el("h3", {}, name),
      text === "" ? el("p", {class: "reading empty"}, "(empty)") : el("p", {class: "reading", dir: "auto", lang: language || null}, withMarks(text, marks, found))))),
    segment.why.length ? el("ul", {class: "why"}, segment.why.map((why) => el("li", {class: !reasonsOf(segment).includes(why) ? "other" : why.name ? why.kind : null}, found ? highlighted(why.text, found) : why.text))) : "",
    D.overview && details.length ? el("details", {class: "small soft"}, el("summary", {}, "Details"), el("ul", {}, details.map((text) => el("li", {}, text)))) : "",
  ];
}

function setDone(i, on) {
  marks[digestOf(i)] = on;
  keepDone();
  refill(placeOf(i));
  showDone();
}
const doneNow = () => range(D.n).filter(isDone);
function showDone() {
  byId("done").textContent = `${doneNow().length.toLocaleString("en")} done`;
  if (D.overview) showOverview();
}

// What `tercet review --marks` reads: the segments that are done, by their texts.
function saveMarks() {
  const done = doneNow().map((i) => ({n: numberOf(i), id: D.segments[i].id, source: D.segments[i].texts[0].text, output: D.segments[i].texts[1].text}));
  download("review-marks.json", "application/json", JSON.stringify({files: D.key, done}, null, 1));
}

function record(i) {
  const {id, file, value, low, high, decision, why, texts} = D.segments[i];
  return {segment: id, file, ...(D.scale ? {quality: value, low, high} : D.unit ? {[`${D.unit}s`]: value} : {}), decision, done: isDone(i) ? "done" : "",
          [D.reasons]: why.map((each) => each.text), texts: Object.fromEntries(texts.map(({name, text}) => [name.toLowerCase(), text]))};
}

function flatRecord(i) {
  const {texts, [D.reasons]: reasons, ...row} = record(i);
  const named = D.systems.length ? Object.fromEntries(["source", ...D.systems.map((name) => name.toLowerCase())].map((name) => [name, texts[name] ?? ""])) : texts;
  return {...row, [D.reasons]: reasons.join(" | "), ...named};
}

function toMarkdown(i) {
  const {segment, [D.reasons]: reasons, texts} = record(i);
  return [`**Segment ${markdown(segment)}**`, ...Object.entries(texts).map(([name, text]) => `- ${markdown(name)}: ${markdown(text)}`), ...reasons.map((text) => `- ${markdown(text)}`)].join("\n");
}

function usual() {
  return {...CLEAR, sort: "first", seg: null};
}

function readAddress() {
  const given = new URLSearchParams(location.hash.slice(1)), found = usual();
  for (const name of WORDS) found[name] = given.get(name) ?? "";
  if (given.has("from")) Object.assign(found, {from: +given.get("from"), to: +given.get("to")});
  found.open = given.has("open");
  if (given.get("sort") in ORDERS) found.sort = given.get("sort");
  if (placeOfNumber(+given.get("seg")) >= 0) found.seg = placeOfNumber(+given.get("seg"));
  return found;
}

function address(of = state) {
  const words = new URLSearchParams();
  for (const name of WORDS) if (of[name]) words.set(name, of[name]);
  if (of.from !== null) { words.set("from", of.from); words.set("to", of.to); }
  if (of.open) words.set("open", "1");
  if (of.sort !== "first") words.set("sort", of.sort);
  if (of.seg !== null) words.set("seg", String(numberOf(of.seg)));
  return `#${words}`;
}

function change(changes, {browse = false} = {}) {
  state = {...state, seg: null, ...changes};
  history.replaceState(null, "", address());
  show();
  if (browse) byId("segments").scrollIntoView({block: "start"});
}

// How many segments have each kind of reason, or name.
function counted(key, fits = () => true) {
  const found = new Map();
  for (const segment of D.segments)
    for (const value of new Set([...(key === "kind" && !D.overview ? [segment.decision] : []), ...segment.why.filter(fits).map((why) => why[key])])) if (value) found.set(value, (found.get(value) ?? 0) + 1);
  return [...found].sort((x, y) => y[1] - x[1] || (x[0] < y[0] ? -1 : 1));
}

// The names that were lost and invented. Each leads to its segments.
function buildNames() {
  if (!counted("name").length) return "";
  const panels = el("div", {class: "names"});
  renderers.push(() => panels.replaceChildren(...["lost", "invented"].map((kind) => {
    const rows = counted("name", (why) => why.kind === kind && (!state.system || why.system === state.system));
    return el("section", {"aria-label": kind}, el("h3", {}, el("mark", {class: kind}, kind), ` ${count(rows.length, "name")}`), el("div", {class: "rows"}, rows.map(([name, n]) => {
      const isChosen = state.name === name && state.kind === kind;
      return el("button", {type: "button", "data-key": `${kind} ${name}`, "aria-pressed": String(isChosen), onclick: () => change(isChosen ? {name: "", kind: ""} : {name, kind}, {browse: !isChosen})},
        el("span", {dir: "auto"}, name), el("span", {class: "number soft"}, n));
    })));
  })));
  return panels;
}

function buildSegments() {
  const search = searchField(), status = el("span", {id: "status", role: "status"});
  const choice = (key, label, all, values) => {
    const select = el("select", {"aria-label": label, onchange: () => change({[key]: select.value, ...(key === "kind" ? {name: ""} : {})})}, el("option", {value: ""}, all),
      values.map(([value, n]) => el("option", {value}, n === null ? value : `${(key === "kind" && D.overview?.kinds[value]) || value} (${n.toLocaleString("en")})`)));
    renderers.push(() => { select.value = state[key]; });
    return values.length > 1 ? el("label", {}, label, select) : "";
  };
  const sort = el("select", {"aria-label": "Sort by", onchange: () => change({sort: sort.value})}, Object.entries(ORDERS).map(([key, text]) => el("option", {value: key}, text || D.first)));
  const open = el("input", {type: "checkbox", onchange: () => change({open: open.checked})});
  const chips = el("span", {class: "row"}), chip = (text, changes) => el("button", {type: "button", class: "chip", title: "Remove this filter", onclick: () => change(changes)}, text);
  const bar = el("div", {id: "bar"}, folded("Filters", el("div", {class: "row small"}, search, el("label", {}, "Sort", sort), choice("kind", "Reason", "all reasons", counted("kind")),
    choice("system", "System", "all systems", D.systems.map((name) => [name, null])), el("label", {}, open, "only open"))),
  el("div", {class: "row small", style: {"margin-top": ".5rem"}}, status, el("span", {id: "done", class: "soft"}), chips,
    D.overview ? el("button", {type: "button", class: "small", title: "For tercet review --marks", onclick: saveMarks}, "Save marks") : "", exportButtons()));
  renderers.push(() => {
    sort.value = state.sort;
    open.checked = state.open;
    chips.replaceChildren(...[["colour", state.colour], ["file", state.file], ["from", state.from !== null && `quality ${state.from} to ${state.to}`], ["name", state.name], ["kind", D.overview?.kinds[state.kind] ?? state.kind], ["system", state.system], ["q", state.q && `“${state.q}”`]].filter(([, text]) => text).map(([key, text]) => chip(text, {[key]: CLEAR[key]})));
    showList(search, status);
    if (!listed.length) list.append(el("p", {}, D.n ? "No segment fits." : D.none));
  });
  return el("section", {id: "segments", "aria-label": "Segments"}, bar, buildList());
}

start(() => {
  marks = readDone();
  const toggle = () => { if (state.seg !== null) setDone(state.seg, !isDone(state.seg)); };
  buildTools([["x", "mark the segment as done"]], {x: toggle}, "The address records what you see. What is done is kept in this browser.");
  renderers.push(showDone);
  return [D.overview ? buildOverview() : "", buildNames(), buildSegments()];
});
