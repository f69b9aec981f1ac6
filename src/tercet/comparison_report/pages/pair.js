// A against B: the difference, wins and losses, histogram, slices, metric against metric.
const SLICES_SHOWN = 12, POINTS = 4000;
let allSlices = false;

function buildPair() {
  if (single()) return buildSingle();
  const options = (key) => range(D.systems.length).map((s) => el("option", {value: s}, D.systems[s]));
  const choose = (key, label) => el("label", {class: key === "a" ? "is-a" : "is-b"}, el("b", {}, label),
    el("select", {"data-key": `choose ${key}`, "aria-label": `System ${label}`, onchange: (event) => change({[key]: +event.target.value})}, options(key)));
  const first = choose("a", "A"), second = choose("b", "B");
  const head = el("div", {class: "row"}, first, el("span", {class: "soft"}, "against"), second,
    el("button", {type: "button", class: "small", "aria-label": "Swap A and B", title: "Swap A and B", onclick: () => change({a: state.b, b: state.a})}, "⇄"));
  const summary = el("p", {id: "pair"}), shares = el("div", {class: "shares", role: "group", "aria-label": "Segments by the better system"});
  const histogram = el("section", {class: "panel", "aria-label": "Histogram"}), slices = el("section", {class: "panel", "aria-label": "Slices"});
  const scatter = el("section", {class: "panel", "aria-label": "Metric against metric"});
  renderWhen(() => [state.m, state.a, state.b], () => {
    first.querySelector("select").value = state.a;
    second.querySelector("select").value = state.b;
    summary.replaceChildren(...summaryParts());
    shares.replaceChildren(...shareParts());
  });
  renderWhen(() => [state.m, state.a, state.b, state.from, state.to], () => { histogram.replaceChildren(...histogramParts()); });
  renderWhen(() => [state.m, state.a, state.b, state.by, state.slice, allSlices], () => {
    slices.replaceChildren(...sliceParts());
    slices.hidden = !D.slices.length;
  });
  renderWhen(() => [state.m, state.a, state.b, state.other, state.set], () => {
    scatter.replaceChildren(...scatterParts());
    scatter.hidden = D.metrics.length < 2;
  });
  return el("section", {"aria-labelledby": "against"}, el("h2", {id: "against"}, "A against B"), head, summary, shares,
    el("div", {class: "columns three"}, histogram, slices, scatter));
}

// One system: the scores of its segments, and its slices.
function buildSingle() {
  const histogram = el("section", {class: "panel", "aria-label": "Histogram"}), slices = el("section", {class: "panel", "aria-label": "Slices"});
  renderWhen(() => [state.m, state.from, state.to], () => { histogram.replaceChildren(...histogramParts()); });
  renderWhen(() => [state.m, state.by, state.slice, allSlices], () => {
    slices.replaceChildren(...sliceParts());
    slices.hidden = !D.slices.length;
  });
  return el("section", {"aria-labelledby": "against"}, el("h2", {id: "against"}, "Scores of segments"), el("div", {class: "columns"}, histogram, slices));
}

function summaryParts() {
  const metric = D.metrics[state.m], pair = pairOf(state.m, state.a, state.b), digits = Math.max(2, metric.decimals);
  const [a, b] = [D.systems[state.a], D.systems[state.b]];
  if (pair === null) return ["These two were not compared with each other; all systems were compared with the baseline."];
  const won = winner(state.m, pair);
  const says = won > 0 ? `${a} is better` : won < 0 ? `${b} is better` : isSignificant(pair) ? "they differ significantly" : "they cannot be told apart";
  return [el("b", {}, `A − B = ${signed(pair.difference, digits)} ${metric.name}`),
    ` (${signed(pair.low, digits)} to ${signed(pair.high, digits)}), ${shownP(pair.p)}: `, el("b", {}, says), "."];
}

function shareParts() {
  const metric = D.metrics[state.m], found = {a: 0, tie: 0, b: 0};
  for (let i = 0; i < D.n; i++) {
    const value = advantageOf(state.m, state.a, state.b, i);
    if (value !== null) found[isTie(value) ? "tie" : value > 0 ? "a" : "b"]++;
  }
  const all = found.a + found.tie + found.b || 1, tiny = tieLimit(metric);
  // Limits are on a - b, whose sign depends on the direction of the metric.
  const up = {from: tiny, to: null}, down = {from: null, to: -tiny}, ahead = (metric.sign || 1) > 0;
  const limits = {a: ahead ? up : down, b: ahead ? down : up, tie: {from: -tiny, to: tiny}};
  const names = {a: "A better", tie: "tie", b: "B better"};
  return Object.keys(names).filter((key) => found[key]).map((key) => el("button", {
    type: "button", class: key, style: {"flex-grow": String(found[key]), "flex-basis": "0"}, "data-key": `share ${key}`,
    title: `${names[key]} in ${count(found[key], "segment")}`, onclick: () => change({...limits[key], min: null}, {browse: true}),
  }, `${found[key] / all < .2 ? "" : names[key]} ${Math.round(100 * found[key] / all)} %`));
}
const tieLimit = (metric) => .5 * 10 ** -(metric.decimals + 2);
const isTie = (value) => Math.abs(value) <= tieLimit(D.metrics[state.m]);

function histogramParts() {
  const metric = D.metrics[state.m], values = known(range(D.n).map((i) => valueOf(state.m, i)));
  const title = el("h3", {}, single() ? metric.name : `Differences of segments, ${metric.name}`);
  if (!values.length) return [title, el("p", {}, "There are no segment scores.")];
  const low = values.reduce((x, y) => Math.min(x, y), 0), high = values.reduce((x, y) => Math.max(x, y), 0), tiny = tieLimit(metric);
  const {step} = ticks(low, high, 24), below = Math.ceil(-low / step - 1e-9), above = Math.ceil(high / step - 1e-9);
  // Bins below zero, one of exact ties, bins above zero.
  const counts = new Array(below + 1 + above).fill(0);
  const binOf = (value) => Math.abs(value) <= tiny ? below : value < 0 ? below + Math.floor(value / step) : below + Math.ceil(value / step);
  for (const value of values) counts[Math.min(Math.max(binOf(value), 0), counts.length - 1)]++;
  const from = (i) => i < below ? (i - below) * step : i === below ? -tiny : i === below + 1 ? tiny : (i - below - 1) * step;
  const to = (i) => i < below - 1 ? (i - below + 1) * step : i === below - 1 ? -tiny : i === below ? tiny : (i - below) * step;
  const [width, height, bottom] = [400, 170, 24], bar = width / counts.length, most = Math.max(...counts);
  const at = (value) => (below + .5 + value / step + Math.sign(value) * .5) * bar;
  const inside = (i) => (state.from === null || from(i) >= state.from - step / 1e6) && (state.to === null || to(i) <= state.to + step / 1e6);
  const digits = decimalsOf(step), filtered = state.from !== null || state.to !== null;
  const choose = (i, j) => change({from: from(Math.min(i, j)), to: to(Math.max(i, j)), min: null});
  const drawing = svg("svg", {class: "chart", viewBox: `0 0 ${width} ${height + bottom}`, role: "group",
                              "aria-label": `Histogram of ${values.length} ${single() ? "scores" : "differences"}. Drag to choose a range.`});
  counts.forEach((number, i) => {
    const side = i === below ? "tie" : (i > below) === ((metric.sign || 1) > 0) ? "a" : "b";
    const tall = number ? Math.max(2, (height - 14) * number / most) : 0;
    const label = `${count(number, "segment")}: ${i === below ? "ties" : `${fixed(from(i), digits)} to ${fixed(to(i), digits)}`}`;
    drawing.append(svg("g", {role: "button", tabindex: -1, "aria-label": label, "data-key": `bin ${i}`, "aria-pressed": String(filtered && inside(i)),
      onkeydown: (event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); choose(i, i); } }},
    svg("title", {}, label), svg("rect", {x: i * bar, y: 0, width: bar, height, fill: "transparent"}),
    svg("rect", {class: `${side}${filtered && !inside(i) ? " outside" : ""}`, x: i * bar + .5, y: height - tall, width: Math.max(bar - 1, .5), height: tall})));
  });
  const axis = ticks(low, high, 5);
  drawing.append(svg("line", {class: "line", x1: 0, x2: width, y1: height, y2: height}),
    ...axis.found.map((value) => svg("text", {x: at(value), y: height + 17, "text-anchor": "middle"}, fixed(value, decimalsOf(axis.step)))),
    svg("text", {x: 0, y: 11}, `${most}`));
  brush(drawing, width, height, (x, y) => choose(...[x, y].map((at) => Math.min(Math.max(Math.floor(at / bar), 0), counts.length - 1))));
  roam(drawing, "[role=button]");
  const [left, right] = (metric.sign || 1) > 0 ? ["B better", "A better"] : ["A better", "B better"];
  return [title, el("p", {class: "hint"}, `${single() ? "" : "A − B; grey: ties. "}Drag over bars to see their segments.`), drawing, single() ? "" :
    el("div", {class: "row small soft", style: {"justify-content": "space-between"}}, el("span", {}, `← ${left}`), el("span", {}, `${right} →`))];
}

// Report the ends of a range that is dragged over a drawing, in its coordinates.
function brush(drawing, width, height, report) {
  const place = (event) => { const box = drawing.getBoundingClientRect(); return (event.clientX - box.left) / box.width * width; };
  drawing.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    const start = place(event), shade = svg("rect", {class: "brush", x: start, y: 0, width: 0, height});
    drawing.append(shade);
    drawing.setPointerCapture(event.pointerId);
    const move = (moved) => {
      shade.setAttribute("x", Math.min(start, place(moved)));
      shade.setAttribute("width", Math.abs(place(moved) - start));
    };
    drawing.addEventListener("pointermove", move);
    drawing.addEventListener("pointerup", (ended) => { drawing.removeEventListener("pointermove", move); report(start, place(ended)); }, {once: true});
    drawing.addEventListener("pointercancel", () => { drawing.removeEventListener("pointermove", move); shade.remove(); }, {once: true});
  });
}

function sliceParts() {
  if (!D.slices.length) return [];
  const metric = D.metrics[state.m], kind = D.slices[state.by], scores = metric.slices[kind.by];
  const sizes = new Array(kind.names.length).fill(0);
  for (const group of kind.of) sizes[group]++;
  const rows = kind.names.map((name, g) => ({
    name, n: sizes[g], scores: scores[g], key: `slice ${g}`, chosen: Boolean(state.slice) && state.slice[0] === state.by && state.slice[1] === g,
    choose: (chosen) => change({slice: chosen ? null : [state.by, g]}, {browse: !chosen}),
  }));
  const cut = rows.length > SLICES_SHOWN;
  if (cut) rows.sort((x, y) => Math.abs(differenceIn(y) ?? 0) - Math.abs(differenceIn(x) ?? 0));
  return [
    el("h3", {}, "Scores by slice"),
    el("div", {class: "row"}, D.slices.length < 2 ? "" : el("div", {class: "switch", role: "group", "aria-label": "Slices by"}, D.slices.map((slice, by) =>
      el("button", {type: "button", "aria-pressed": String(by === state.by), "data-key": `by ${by}`, onclick: () => { allSlices = false; change({by}); }}, slice.by)))),
    el("p", {class: "hint"}, `${metric.name} ${single() ? "" : "of A (●) and B (◆) "}with ${100 * D.confidence} % intervals${single() ? "." : "; right: A − B."}${cut ? " Largest differences first." : ""}`),
    groupPlot(cut && !allSlices ? rows.slice(0, SLICES_SHOWN) : rows, metric.decimals),
    cut ? el("button", {type: "button", class: "small", onclick: () => { allSlices = !allSlices; show(); }},
      allSlices ? "Show fewer" : `Show all ${rows.length}`) : "",
  ];
}

// Groups with a score and an interval for A and B each; a click on a group shows its segments.
function differenceIn(group) {
  const [x, y] = [group.scores[state.a][0], group.scores[state.b][0]];
  return x === null || y === null ? null : single() ? x - D.metrics[state.m].systems[0][0] : x - y;
}
function groupPlot(groups, digits) {
  const values = known(groups.flatMap((group) => [...group.scores[state.a], ...group.scores[state.b]]));
  if (!values.length) return el("p", {}, "There are no scores.");
  const scale = scaleOf(values, 5);
  const system = ([value, low, high], kind) => value === null ? "" : [
    low === null ? "" : el("span", {class: `interval is-${kind}`, style: {left: scale.at(low), width: scale.part(low, high), "margin-top": kind === "a" ? "-3px" : "3px"}}),
    el("span", {class: `dot ${kind} is-${kind}`, style: {left: scale.at(value), "margin-top": kind === "a" ? "-3px" : "3px"}})];
  const rows = groups.map((group) => el("button", {
    type: "button", "data-key": group.key, "aria-pressed": String(group.chosen), onclick: () => group.choose(group.chosen),
    title: single() ? null : `A ${fixed(group.scores[state.a][0], digits)}, B ${fixed(group.scores[state.b][0], digits)}`,
  }, el("span", {class: "name", title: group.name}, group.name), el("span", {class: "value soft small"}, `n = ${group.n.toLocaleString("en")}`),
  el("span", {class: "track"}, single() ? "" : system(group.scores[state.b], "b"), system(group.scores[state.a], "a")),
  el("span", {class: "value"}, single() ? fixed(group.scores[0][0], digits) : signed(differenceIn(group), digits))));
  return el("div", {class: "plot slices"}, rows,
    el("div", {class: "axis", "aria-hidden": "true"}, el("span"), el("span"), el("span", {class: "track"}, axisTicks(scale)), el("span")));
}

function scatterParts() {
  if (D.metrics.length < 2) return [];
  const [one, two] = [state.m, state.other];
  const points = range(D.n).map((i) => [i, advantageOf(one, state.a, state.b, i), advantageOf(two, state.a, state.b, i)])
    .filter(([, x, y]) => x !== null && y !== null);
  const [width, height, left] = [400, 230, 0], side = (at) => points.reduce((most, point) => Math.max(most, Math.abs(point[at])), 0) || 1;
  const [wide, tall] = [side(1), side(2)], X = (x) => left + (width - left) * (x / wide + 1) / 2, Y = (y) => height * (1 - y / tall) / 2;
  const conflicts = points.filter(([i]) => inConflict(one, two, i)).length;
  const step = Math.ceil(points.length / POINTS);
  const drawing = svg("svg", {class: "chart", viewBox: `-2 -2 ${width + 4} ${height + 20}`, role: "img",
                              "aria-label": `${D.metrics[one].name} against ${D.metrics[two].name}: ${points.length} segments`},
  svg("rect", {class: "conflict", x: left, y: 0, width: (width - left) / 2, height: height / 2}),
  svg("rect", {class: "conflict", x: X(0), y: height / 2, width: (width - left) / 2, height: height / 2}),
  svg("line", {class: "zero", x1: X(0), x2: X(0), y1: 0, y2: height}), svg("line", {class: "zero", x1: left, x2: width, y1: Y(0), y2: Y(0)}),
  points.filter((_, k) => k % step === 0).map(([i, x, y]) => svg("circle", {
    cx: X(x), cy: Y(y), r: D.n > 500 ? 2 : 4, class: x * y < 0 ? "tie" : x + y > 0 ? "a" : "b", onclick: () => openSegment(i),
  }, svg("title", {}, `segment ${numberOf(i)}`))),
  svg("text", {x: width, y: height + 15, "text-anchor": "end"}, `A better by ${D.metrics[one].name} →`),
  svg("text", {x: left + 4, y: 13}, `↑ A better by ${D.metrics[two].name}`));
  const r = correlation(points);
  return [
    el("h3", {}, "Metric against metric"),
    el("div", {class: "row small"}, el("label", {}, "with", el("select", {"data-key": "other", onchange: (event) => change({other: +event.target.value})},
      D.metrics.map((metric, m) => m === one ? "" : el("option", {value: m, selected: m === two}, metric.name)))),
    el("span", {}, `r = ${fixed(r, 2)}, n = ${points.length.toLocaleString("en")}`),
    !conflicts ? "They never disagree."
      : el("button", {type: "button", class: "small", onclick: () => change({set: ["disagree", D.metrics[one].name, D.metrics[two].name]}, {browse: true})}, `They disagree on ${count(conflicts, "segment")}`)),
    el("p", {class: "hint"}, "A point is a segment; on grey ground the two metrics prefer different systems. Click a point to read it."),
    drawing,
  ];
}

function correlation(points) {
  const n = points.length, mean = (at) => points.reduce((sum, point) => sum + point[at], 0) / n;
  const [mx, my] = [mean(1), mean(2)];
  let xy = 0, xx = 0, yy = 0;
  for (const [, x, y] of points) { xy += (x - mx) * (y - my); xx += (x - mx) ** 2; yy += (y - my) ** 2; }
  return xx * yy > 0 ? xy / Math.sqrt(xx * yy) : NaN;
}
