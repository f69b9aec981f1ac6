// The page of `tercet track page`: a chart per metric, a line per system. Many charts are drawn when they come into view.
const WIDTH = 900, HEIGHT = 230, LEFT = 52, RIGHT = 12, TOP = 10, BOTTOM = 26, LATEST = 50, SIGNIFICANT = .05, AT_ONCE = 20000;
const S = {set: 0, byTime: true, tag: "", hidden: new Set(), picked: []};
const day = (minutes) => new Date(minutes * 60000).toISOString().slice(0, 10);
const digitsOf = (value) => Math.abs(value) < 2 ? 4 : 2;
const titleOf = (i) => `run ${D.runs.n[i]}, ${D.systems[D.runs.system[i]]}, ${day(D.runs.t[i])}`;
const colour = (system) => `s${system % 6}`;

// Places of the runs that are shown, in order of time.
function shown() {
  const {set, system, tags} = D.runs, wanted = S.tag.toLowerCase();
  const fits = D.tags.map((tag) => !wanted || tag.toLowerCase().includes(wanted));
  return range(set.length).filter((i) => set[i] === S.set && !S.hidden.has(system[i]) && fits[tags[i]]);
}

function chart(metric, rows) {
  const {v, e, p} = metric, with_ = rows.filter((i) => v[i] !== null);
  if (!with_.length) return null;
  const at = new Map(with_.map((i, place) => [i, S.byTime ? D.runs.t[i] : place]));
  let low = Infinity, high = -Infinity;
  for (const i of with_) { low = Math.min(low, v[i] - 1.96 * (e[i] ?? 0)); high = Math.max(high, v[i] + 1.96 * (e[i] ?? 0)); }
  if (low === high) { low -= 1; high += 1; }
  const first = at.get(with_[0]), last = at.get(with_[with_.length - 1]);
  const x = (i) => LEFT + (WIDTH - LEFT - RIGHT) * (last > first ? (at.get(i) - first) / (last - first) : .5);
  const y = (value) => TOP + (HEIGHT - TOP - BOTTOM) * (high - value) / (high - low);
  const root = svg("svg", {viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": `${metric.name} over time; the table below has the latest runs`});
  const {step, found} = ticks(low, high, 5);
  for (const value of found) root.append(
    svg("line", {class: "grid", x1: LEFT, x2: WIDTH - RIGHT, y1: y(value), y2: y(value)}),
    svg("text", {x: LEFT - 6, y: y(value) + 4, "text-anchor": "end"}, fixed(value, decimalsOf(step))));
  for (const [place, anchor] of [[0, "start"], [Math.floor(with_.length / 2), "middle"], [with_.length - 1, "end"]])
    if (place === 0 || with_.length > 2 * (place < with_.length - 1)) root.append(svg("text", {
      x: x(with_[place]), y: HEIGHT - 6, "text-anchor": anchor}, S.byTime ? day(D.runs.t[with_[place]]) : `run ${D.runs.n[with_[place]]}`));
  const bySystem = new Map();
  for (const i of with_) { const s = D.runs.system[i]; if (!bySystem.has(s)) bySystem.set(s, []); bySystem.get(s).push(i); }
  for (const [system, own] of bySystem) {
    const place = (i, value) => `${x(i).toFixed(1)} ${y(value).toFixed(1)}`;
    const group = svg("g", {class: colour(system)});
    const banded = own.filter((i) => e[i] !== null);
    if (banded.length > 1) group.append(svg("path", {class: "band", d: "M" + [
      ...banded.map((i) => place(i, v[i] + 1.96 * e[i])), ...banded.reverse().map((i) => place(i, v[i] - 1.96 * e[i]))].join("L") + "Z"}));
    group.append(svg("path", {class: "line", d: "M" + own.map((i) => place(i, v[i])).join("L")}));
    if (own.length < 60) for (const i of own) group.append(svg("circle", {class: "dot", cx: x(i), cy: y(v[i]), r: 2.5}));
    const marks = own.filter((i) => p[i] !== null && p[i] < SIGNIFICANT);
    const before = new Map(own.map((i) => [D.runs.n[i], i]));
    let d = "";
    for (const i of marks) {
      const old = before.get(metric.b[i]), up = old === undefined || v[i] >= v[old] ? -1 : 1;
      d += `M${x(i).toFixed(1)} ${(y(v[i]) + 17 * up).toFixed(1)}l-6 ${-10 * up}h12z`;
    }
    if (d) group.append(svg("path", {class: "mark", d}));
    root.append(group);
  }
  for (const i of S.picked) if (at.has(i)) root.append(svg("circle", {class: "picked", cx: x(i), cy: y(v[i]), r: 6}));
  const nearest = (event) => {
    const box = root.getBoundingClientRect();
    const mx = (event.clientX - box.left) * WIDTH / box.width, my = (event.clientY - box.top) * HEIGHT / box.height;
    let best = with_[0], least = Infinity;
    for (const i of with_) {
      const far = (x(i) - mx) ** 2 + .2 * (y(v[i]) - my) ** 2;
      if (far < least) { least = far; best = i; }
    }
    return best;
  };
  root.addEventListener("pointermove", (event) => say(nearest(event), metric));
  root.addEventListener("click", (event) => pick(nearest(event)));
  return root;
}

function say(i, metric) {
  const {v, e, p, b} = metric, tag = D.tags[D.runs.tags[i]];
  const interval = e[i] === null ? "" : ` ± ${fixed(1.96 * e[i], digitsOf(v[i]))}`;
  const change = p[i] === null ? "" : `, against run ${b[i]}: ${shownP(p[i])}`;
  byId("said").textContent = `${titleOf(i)}: ${metric.name} ${fixed(v[i], digitsOf(v[i]))}${interval}${change}${tag ? ` · ${tag}` : ""}`;
}

function pick(i) {
  S.picked = S.picked.includes(i) ? S.picked.filter((each) => each !== i) : [...S.picked.slice(-1), i];
  draw();
}

function pair() {
  if (S.picked.length < 2) return el("p", {}, S.picked.length
    ? `${titleOf(S.picked[0])} is chosen. Choose another to compare it with.`
    : "Choose two runs, in a chart or in the table, to compare them.");
  const [a, b] = [...S.picked].sort((x, y) => x - y), names = [D.runs.n[a], D.runs.n[b]];
  const rows = D.metrics.filter(({v}) => v[a] !== null && v[b] !== null).map(({name, v, p, b: before}) => {
    const digits = digitsOf(v[a]), tested = before[b] === names[0] && p[b] !== null ? shownP(p[b]) : "–";
    return el("tr", {}, el("th", {scope: "row"}, name), ...[fixed(v[a], digits), fixed(v[b], digits), signed(v[b] - v[a], digits), tested]
      .map((text) => el("td", {class: "number"}, text)));
  });
  const text = `tercet track compare ${D.database} ${names.join(" ")} -f html -o report.html`;
  const report = D.reports.includes(names.join("-"));
  return el("section", {class: "pair", "aria-label": "Two runs"},
    el("h2", {}, `${titleOf(a)} and ${titleOf(b)}`),
    el("div", {class: "scroll", tabindex: 0, role: "group", "aria-label": "Scores of both"}, el("table", {}, el("thead", {}, el("tr", {}, ["Metric", `Run ${names[0]}`, `Run ${names[1]}`, "Change", "p"].map((cell, i) => el("th", {scope: "col", class: i ? "number" : ""}, cell)))),
      el("tbody", {}, rows))),
    report ? el("p", {}, el("a", {href: `${D.folder}/${names.join("-")}.html`}, "The report of these two runs, with all segments")) : null,
    el("p", {}, report ? "Or test them again:" : "Tests of these two runs, and all segments if their texts were kept:"),
    el("pre", {tabindex: "0"}, text), el("button", {class: "copy", type: "button", onclick: () => navigator.clipboard?.writeText(text)}, "Copy"));
}

function table(rows) {
  const metrics = D.metrics.filter(({v}) => rows.some((i) => v[i] !== null));
  const cells = (i) => metrics.map(({v, p}) => el("td", {class: "number"}, v[i] === null ? "–"
    : fixed(v[i], digitsOf(v[i])) + (p[i] !== null && p[i] < SIGNIFICANT ? "*" : "")));
  return el("div", {class: "scroll", tabindex: 0, role: "group", "aria-label": "The latest runs"}, el("table", {},
    el("caption", {}, `The latest ${count(rows.length, "run")}; *: differs from the run before (5 %)`),
    el("thead", {}, el("tr", {}, ["", "Run", "Day", "System", ...metrics.map(({name}) => name), "Tags"].map((cell) => el("th", {scope: "col"}, cell)))),
    el("tbody", {}, rows.map((i) => el("tr", {},
      el("td", {}, el("button", {type: "button", "aria-pressed": String(S.picked.includes(i)), "aria-label": `Choose run ${D.runs.n[i]}`, onclick: () => pick(i)}, S.picked.includes(i) ? "✓" : "+")),
      el("td", {class: "number"}, String(D.runs.n[i])), el("td", {}, day(D.runs.t[i])), el("td", {}, D.systems[D.runs.system[i]]), ...cells(i), el("td", {}, D.tags[D.runs.tags[i]]))))));
}

function fill(section, rows) {
  if (section.dataset.drawn) return;
  section.dataset.drawn = "yes";
  section.append(chart(D.metrics[Number(section.dataset.metric)], rows));
}

let watching = null;
function draw() {
  const rows = shown();
  watching?.disconnect();
  watching = new IntersectionObserver((entries) => {
    for (const {target, isIntersecting} of entries) if (isIntersecting) fill(target, rows);
  }, {rootMargin: "300px"});
  const charts = D.metrics.map((metric, m) => {
    if (!rows.some((i) => metric.v[i] !== null)) return null;
    const better = {true: "higher is better", false: "lower is better"}[metric.higher] ?? "neither direction is better";
    return el("section", {class: "chart", tabindex: "0", "aria-label": metric.name, "data-metric": m}, el("h3", {}, metric.name, " ", el("span", {class: "soft"}, better)));
  }).filter(Boolean);
  byId("charts").replaceChildren(...(charts.length ? charts : [el("p", {}, "No run is shown.")]));
  if (rows.length * D.metrics.length < AT_ONCE) for (const each of charts) fill(each, rows);
  else for (const each of charts) watching.observe(each);
  byId("two").replaceChildren(pair());
  byId("latest").replaceChildren(table(rows.slice(-LATEST).reverse()));
}

function controls() {
  const sets = el("select", {id: "set", onchange: (event) => { S.set = Number(event.target.value); S.picked = []; draw(); }},
    D.sets.map((name, i) => el("option", {value: i, selected: i === S.set}, name)));
  const byTime = el("button", {type: "button", "aria-pressed": "true", onclick: () => {
    S.byTime = !S.byTime; byTime.setAttribute("aria-pressed", String(S.byTime)); draw(); }}, "To scale of time");
  const tag = el("input", {type: "search", placeholder: "Tags with …", "aria-label": "Only runs whose tags have", oninput: (event) => { S.tag = event.target.value; draw(); }});
  const systems = D.systems.map((name, s) => el("label", {class: `legend ${colour(s)}`},
    el("input", {type: "checkbox", checked: true, onchange: (event) => { S.hidden[event.target.checked ? "delete" : "add"](s); draw(); }}),
    svg("svg", {viewBox: "0 0 28 12", "aria-hidden": "true"}, svg("path", {class: "line", d: "M0 6H28"})), name));
  return [el("div", {class: "controls"}, D.sets.length > 1 ? el("label", {}, "Test set ", sets) : D.sets[0], byTime, tag),
    el("div", {class: "controls"}, systems)];
}

unpack().then((data) => {
  D = data;
  S.set = D.runs.set[D.runs.set.length - 1];
  byId("tools").append(themeButton());
  byId("app").replaceChildren(...controls(),
    el("p", {}, "Bands are 95 % intervals. Triangles mark runs that differ from the run before of their system at 5 %, each test by itself: among a hundred harmless changes there are five. 'tercet track gate' bounds false alarms."),
    el("p", {id: "said", "aria-live": "off"}), el("div", {id: "charts"}), el("div", {id: "two", "aria-live": "polite"}), el("div", {id: "latest"}));
  draw();
  byId("app").setAttribute("aria-busy", "false");
});
