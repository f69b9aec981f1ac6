// Everything in its place: findings and methods below the segments, then the first view and the keys.
const KEYS = [["n p", "next, previous by the largest difference"], ["[ ]", "previous, next system as B"], ["m", "next metric"], ["s", "swap A and B"],
  ["x", "tick the segment"]];
const ACTIONS = {
  n: () => bySize(1), p: () => bySize(-1), "[": () => turn(-1), "]": () => turn(1), m: () => stay({m: (state.m + 1) % D.metrics.length}),
  s: () => stay({a: state.b, b: state.a}), x: () => { if (state.seg !== null) { setTick(state.seg, !ticked.has(state.seg)); refill(placeOf(state.seg)); } },
};
const HINT = "Every number leads to segments: click a system, a cell, a bar, a slice or a point. The address records what you see.";

function bySize(by) {
  if (!["pull", "size"].includes(state.sort)) { change({sort: "size", seg: by > 0 ? null : state.seg}); }
  step(by);
}

function turn(by) {
  if (single()) return;
  const order = ranked(state.m).filter((s) => s !== state.a);
  stay({b: order[(order.indexOf(state.b) + by + order.length) % order.length]});
}

// Change what is shown and stay at the segment.
function stay(changes) {
  change({...changes, seg: state.seg});
  if (state.seg !== null) goTo(state.seg);
}

function buildFindings() {
  if (!D.findings.length) return "";
  const numbers = {error: 0, warning: 0, note: 0};
  for (const each of D.findings) numbers[each.severity]++;
  const shown = Object.entries(numbers).filter(([, number]) => number).map(([name, number]) => count(number, name)).join(", ");
  return el("details", {id: "findings", open: numbers.error > 0}, el("summary", {}, `Findings of check: ${shown}`), D.findings.map((each) =>
    el("p", {class: "finding"}, el("b", {}, each.severity), ` ${each.file}: ${each.message} ${each.advice}`,
      each.lines.length ? [" Segments: ", each.lines.map((line) => [segmentLink(line), " "]),
        each.count > each.lines.length ? `and ${each.count - each.lines.length} more` : ""] : "")));
}

function segmentLink(number) {
  const i = placeOfNumber(number);
  return i < 0 ? String(number) : el("a", {href: `#seg=${number}`, onclick: (event) => { event.preventDefault(); openSegment(i); }}, String(number));
}

function buildMethods() {
  const row = (name, value) => el("tr", {}, el("th", {scope: "row"}, name), el("td", {}, value));
  return el("details", {id: "methods"}, el("summary", {}, "Methods: metrics and signatures, tests, versions, checksums"),
    el("table", {}, el("tbody", {},
      D.metrics.map((metric) => row(metric.name, [el("code", {}, metric.signature), " ",
        el("button", {type: "button", class: "small", onclick: () => copy(metric.signature, "Signature copied")}, "Copy")])),
      D.facts.map(([name, value]) => row(name, value)))));
}

start(() => {
  buildTools(KEYS, ACTIONS, HINT);
  return [...buildOverview(), buildPair(), buildAnalyses(), buildSegments(), buildFindings(), buildMethods()];
});
