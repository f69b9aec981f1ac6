// The data of the page, and small helpers. All text goes into the page by textContent or append, never as HTML.
const byId = (id) => document.getElementById(id);
let D; // the data, once unpacked

async function unpack() {
  const packed = Uint8Array.from(atob(byId("data").textContent), (c) => c.charCodeAt(0));
  byId("data").remove();
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

function make(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "style") for (const [key, text] of Object.entries(value)) element.style.setProperty(key, text);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}
const el = (tag, attributes = {}, ...children) => make(document.createElement(tag), attributes, children);
const svg = (tag, attributes = {}, ...children) =>
  make(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);

const fixed = (value, digits) => value === null || value === undefined || Number.isNaN(value) ? "–"
  : value.toFixed(digits).replace(/^-(?=[0.]*$)/, "").replace("-", "−"); // no "−0.0"
const signed = (value, digits) => (value > 0 && /[1-9]/.test(fixed(value, digits)) ? "+" : "") + fixed(value, digits);
const count = (number, what) => `${number.toLocaleString("en")} ${what}${number === 1 ? "" : "s"}`;
const shownP = (p) => p === null ? "p undefined" : p < .001 ? "p < .001" : p > .9995 ? "p = 1" : `p = ${p.toFixed(3).replace(/^0/, "")}`;
const range = (n) => Array.from({length: n}, (_, i) => i);
const known = (values) => values.filter((value) => value !== null);

// Positions of round numbers in a range, at most about `most` of them.
function ticks(low, high, most) {
  const rough = (high - low) / most || 1, power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((x) => x * power).find((x) => x >= rough * .999);
  const found = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; i++) found.push(i * step);
  return {step, found};
}
const decimalsOf = (step) => Math.max(0, Math.ceil(-Math.log10(step) - 1e-9) + (/25/.test(step.toPrecision(2)) ? 1 : 0));

// Segments have the numbers of the whole test set, of which the page may show a part.
const numberOf = (i) => D.numbers[i];
const placeOfNumber = (number) => D.numbers.indexOf(number);

// Segment scores. The advantage of a over b is positive where a is better, whatever the direction of the metric.
const scoreOf = (m, system, i) => D.metrics[m].segment[system][i];
function differenceOf(m, a, b, i) {
  const x = scoreOf(m, a, i), y = scoreOf(m, b, i);
  return x === null || y === null ? null : x - y;
}
function advantageOf(m, a, b, i) {
  const difference = differenceOf(m, a, b, i);
  return difference === null ? null : difference * (D.metrics[m].sign || 1);
}
// What a segment adds to the difference of the scores of a and b, times the number of segments; null if it is not known.
function contributionOf(m, a, b, i) {
  const {influence, sign} = D.metrics[m];
  return influence ? (influence[a][i] - influence[b][i]) * (sign || 1) : null;
}
// A report on one system has no differences: its segments are told apart by their scores.
const single = () => D.systems.length === 1;
const valueOf = (m, i) => single() ? scoreOf(m, 0, i) : differenceOf(m, state.a, state.b, i);
// The result of a test between two systems, turned so that it is a - b; null if they were not compared.
const minus = (value) => value === null ? null : -value;
function pairOf(m, a, b) {
  const metric = D.metrics[m];
  if (!metric.results) {
    metric.results = new Map();
    for (const [x, y, difference, low, high, p] of metric.pairs) {
      metric.results.set(`${x} ${y}`, {difference, low, high, p});
      metric.results.set(`${y} ${x}`, {difference: minus(difference), low: minus(high), high: minus(low), p});
    }
  }
  return metric.results.get(`${a} ${b}`) ?? null;
}
const isSignificant = (pair) => pair !== null && pair.p !== null && pair.p < D.alpha && pair.difference !== 0;
// Who is better: 1 for the first, -1 for the second, 0 if the difference is not significant or has no direction.
const winner = (m, pair) => isSignificant(pair) ? Math.sign(pair.difference) * D.metrics[m].sign : 0;

// Systems, the best first; those without a score last.
function ranked(m) {
  const {systems, sign} = D.metrics[m];
  const worth = (s) => systems[s][0] === null ? -Infinity : systems[s][0] * (sign || 1);
  return range(D.systems.length).sort((x, y) => worth(y) - worth(x) || x - y);
}
