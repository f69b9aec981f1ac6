// The segments of the report: filters, and a card with source, references, outputs and scores.
// Whom a metric prefers in a segment: 1 for A, -1 for B, 0 for neither.
function signOf(m, i) {
  const metric = D.metrics[m], value = metric.sign ? advantageOf(m, state.a, state.b, i) : null;
  return value === null || Math.abs(value) <= tieLimit(metric) ? 0 : Math.sign(value);
}

function disagrees(i) {
  const signs = D.metrics.map((_, m) => signOf(m, i));
  return signs.includes(1) && signs.includes(-1);
}

function textsOf(i, systems) {
  return [D.source?.[i], ...Object.values(D.references).map((lines) => lines[i]), ...systems.map((s) => D.outputs[s][i])].filter((text) => text != null);
}
const reading = () => single() ? [0] : [state.a, state.b, ...state.more];
const readOf = (i) => Object.values(D.references).map((lines) => lines[i]).find((text) => text !== null) ?? D.source?.[i] ?? D.outputs[0][i];
const lengthOf = (i) => readOf(i).length;

// Words of a segment, of the reference or else the source; in scripts without spaces, characters.
const wordCounts = new Map();
function wordsOf(i) {
  if (!wordCounts.has(i)) wordCounts.set(i, tokens(readOf(i)).filter((token) => /[\p{L}\p{N}]/u.test(token)).length);
  return wordCounts.get(i);
}

function filtered() {
  const pattern = searchPattern(state.q), kind = state.slice && D.slices[state.slice[0]];
  const found = [], tiny = tieLimit(D.metrics[state.m]) / 10, members = state.set && membersOf(state.set);
  for (let i = 0; i < D.n; i++) {
    if (kind && kind.of[i] !== state.slice[1]) continue;
    if (members && !members.has(i)) continue;
    if (state.ticked && !ticked.has(i)) continue;
    if ((state.shortest !== null && wordsOf(i) < state.shortest) || (state.longest !== null && wordsOf(i) > state.longest)) continue;
    const difference = valueOf(state.m, i);
    if ((state.from !== null && !(difference >= state.from - tiny && difference !== null)) || (state.to !== null && !(difference <= state.to + tiny && difference !== null))) continue;
    if (state.min !== null && !(advantageOf(state.m, state.a, state.b, i) >= state.min - tiny && difference !== null)) continue;
    if (state.disagree && !disagrees(i)) continue;
    if (pattern instanceof RegExp && !textsOf(i, reading()).some((text) => { pattern.lastIndex = 0; return pattern.test(text); })) continue;
    found.push(i);
  }
  const advantage = (i) => advantageOf(state.m, state.a, state.b, i) ?? NaN, score = (i) => scoreOf(state.m, state.a, i) ?? NaN, way = single() ? D.metrics[state.m].sign || 1 : 1;
  const towards = single() ? 0 : Math.sign((pairOf(state.m, state.a, state.b)?.difference ?? 0) * (D.metrics[state.m].sign || 1));
  const pull = (i) => { const value = contributionOf(state.m, state.a, state.b, i); return value === null ? size(i) : towards ? -towards * value : -Math.abs(value); };
  const size = (i) => -Math.abs(advantage(i));
  const keys = {pull, size, a: (i) => -advantage(i), b: advantage, worst: (i) => way * score(i), best: (i) => -way * score(i),
                long: (i) => -lengthOf(i), short: lengthOf, order: (i) => i};
  const key = new Map(found.map((i) => [i, keys[state.sort](i)]));
  const last = (i) => Number.isNaN(key.get(i)) ? Infinity : key.get(i);
  return found.sort((x, y) => (last(x) === last(y) ? x - y : last(x) - last(y)));
}

function buildSegments() {
  const bar = el("div", {id: "bar"}), status = el("span", {id: "status", role: "status"});
  const search = searchField();
  const sort = el("select", {"aria-label": "Sort by", onchange: () => change({sort: sort.value})}, Object.entries(single() ? SINGLE : SORTS).map(([key, text]) => el("option", {value: key}, text)));
  const slice = el("select", {"aria-label": "Slice", onchange: () => change({slice: slice.value ? slice.value.split(" ").map(Number) : null})},
    el("option", {value: ""}, "all slices"), D.slices.map((kind, k) => el("optgroup", {label: kind.by}, kind.names.map((name, g) => el("option", {value: `${k} ${g}`}, name)))));
  const least = el("input", {type: "number", step: "any", "aria-label": "A better than B by at least", oninput: debounced(() =>
    change({min: least.value === "" ? null : +least.value, from: null, to: null}))});
  const words = ["shortest", "longest"].map((key) => el("input", {type: "number", min: 0, step: 1, "aria-label": `Words, ${key === "shortest" ? "at least" : "at most"}`,
    oninput: debounced((event) => change({[key]: words[+(key === "longest")].value === "" ? null : +words[+(key === "longest")].value}))}));
  const disagree = el("input", {type: "checkbox", onchange: () => change({disagree: disagree.checked})});
  const only = el("input", {type: "checkbox", onchange: () => change({ticked: only.checked})});
  const marks = marksSelect(), legend = el("p", {class: "small soft legend no-print", style: {"max-width": "none"}});
  const chips = el("span", {class: "row"}), more = el("span", {class: "row small"});
  bar.append(folded("Filters", el("div", {class: "row small"},
    el("label", {}, "Sort", sort), D.slices.length ? el("label", {}, "Slice", slice) : "", search, single() ? "" : el("label", {}, "A better by at least", least),
    el("span", {class: "row", role: "group", "aria-label": "Words"}, "Words", words[0], "to", words[1]),
    !single() && D.metrics.filter((metric) => metric.sign).length > 1 ? el("label", {}, disagree, "only where metrics disagree") : "")),
  el("div", {class: "row small", style: {"margin-top": ".5rem"}}, status, chips, more, el("label", {}, "Marks", marks), el("label", {}, only, "only ticked"), exportButtons()));
  renderers.push(() => {
    if (document.activeElement !== least) least.value = state.min ?? "";
    ["shortest", "longest"].forEach((key, k) => { if (document.activeElement !== words[k]) words[k].value = state[key] ?? ""; });
    sort.value = state.sort;
    slice.value = state.slice ? state.slice.join(" ") : "";
    disagree.checked = state.disagree;
    only.checked = state.ticked;
    marks.value = state.marks;
    legend.replaceChildren(...(shownLayer() ? layerLegend(shownLayer()) : differenceLegend()).flat(Infinity));
    chips.replaceChildren(...chipParts());
    more.replaceChildren(...moreParts());
    showList(search, status);
  });
  return el("section", {id: "segments", "aria-labelledby": "browser"}, el("h2", {id: "browser"}, "Segments"), bar, legend, buildList({onpointerover: showPartners, onpointerout: showPartners}));
}

function chipParts() {
  const digits = D.metrics[state.m].decimals + 1, chips = [];
  const chip = (text, changes) => chips.push(el("button", {type: "button", class: "chip", title: "Remove this filter", onclick: () => change(changes)}, text));
  if (state.slice) chip(`${D.slices[state.slice[0]].by}: ${D.slices[state.slice[0]].names[state.slice[1]]}`, {slice: null});
  if (state.from !== null || state.to !== null)
    chip(`${single() ? D.metrics[state.m].name : "A − B"} ${state.from === null ? "" : `from ${fixed(state.from, digits)} `}${state.to === null ? "" : `to ${fixed(state.to, digits)}`}`, {from: null, to: null});
  if (state.set) chip(state.set.join(": "), {set: null});
  if (state.shortest !== null || state.longest !== null)
    chip(`${state.shortest ?? 0} to ${state.longest ?? "…"} words`, {shortest: null, longest: null});
  if (state.min !== null) chip(`A better by ${state.min}`, {min: null});
  if (state.q) chip(`“${state.q}”`, {q: ""});
  if (state.disagree) chip("metrics disagree", {disagree: false});
  if (state.ticked) chip("ticked", {ticked: false});
  return chips;
}

// More systems to read beside A and B.
function moreParts() {
  if (D.systems.length < 3) return [];
  const rest = ranked(state.m).filter((s) => !reading().includes(s));
  const add = el("select", {"aria-label": "Read another output too", "data-key": "add", onchange: () => add.value && change({more: [...state.more, +add.value]})},
    el("option", {value: ""}, "read one more…"), rest.map((s) => el("option", {value: s}, D.systems[s])));
  return [...state.more.map((s) => el("button", {type: "button", class: "chip", onclick: () => change({more: state.more.filter((other) => other !== s)})}, `${letterOf(s)} ${D.systems[s]}`)),
    reading().length < MOST_READ && rest.length ? add : ""];
}

function cardParts(i) {
  const pattern = searchPattern(state.q), found = pattern instanceof RegExp ? pattern : null;
  const plain = (text) => found ? highlighted(text, found) : [text];
  const [source, target] = D.languages;
  const layer = shownLayer();
  const block = (name, text, language, nodes = null, below = "", key = "") => el("div", {"data-text": key}, el("h3", {}, name),
    text === "" ? el("p", {class: "reading empty"}, "(empty)") : el("p", {class: "reading", dir: "auto", lang: language || null}, nodes ?? plain(text)), below);
  const references = Object.entries(D.references).filter(([, lines]) => lines[i] !== null), several = references.length > 1;
  const gold = references.map(([, lines]) => lines[i]);
  const textOf = (key) => key === "source" ? D.source?.[i] ?? "" : key.startsWith("output") ? D.outputs[+key.slice(7)][i] : gold[+key.slice(10)];
  const shared = (key, name, text, language) => block(name, text, language, layer ? painted(text, sharedMarks(layer, i, key), textOf, found) : null, "", key);
  const output = (s, place) => {
    const text = D.outputs[s][i], against = D.outputs[place === 0 ? state.b : state.a][i];
    const {words, kinds} = layer || state.marks === "none" ? {words: [text], kinds: [""]} : classes(text, state.marks === "both" ? against : null, gold);
    const nodes = layer ? painted(text, marksOf(layer, i, s)?.output ?? [], textOf, found) : marked(text, kinds, words, found);
    const scores = D.metrics.map((metric, m) => [m ? " · " : "", el(m === state.m ? "b" : "span", {title: extrasOf(metric, s, i)}, `${metric.name} ${fixed(scoreOf(m, s, i), metric.decimals)}`)]);
    return block([readBadge(s), D.systems[s]], text, target, nodes, el("p", {class: "scores"}, scores), `output ${s}`);
  };
  return [
    headOf(i),
    el("div", {class: "texts"}, D.source ? shared("source", "Source", D.source[i], source) : "",
      references.map(([name, lines], k) => shared(`reference ${k}`, several ? `Reference ${name}` : "Reference", lines[i], target))),
    el("div", {class: "texts"}, reading().map(output)),
    layer && !reading().some((s) => marksOf(layer, i, s)) ? el("p", {class: "small soft"}, `Not marked: ${whyUnmarked(layer, i)}.`) : "",
  ];
}

// What else a metric says of a segment, such as precision and recall.
const extrasOf = (metric, s, i) => Object.entries(metric.extras).map(([name, columns]) => `${name} ${fixed(columns[s][i], 3)}`).join(", ") || null;

function headOf(i) {
  const deltas = single() ? [] : D.metrics.map((metric, m) => {
    const difference = differenceOf(m, state.a, state.b, i), side = (difference ?? 0) * metric.sign;
    return el("span", {class: `delta ${side > 0 ? "is-a" : side < 0 ? "is-b" : "soft"}${m === state.m ? " main" : ""}`,
                       title: side > 0 ? "A is better" : side < 0 ? "B is better" : ""}, `Δ ${metric.name} ${signed(difference, metric.decimals)}`);
  });
  const tick = el("input", {type: "checkbox", checked: ticked.has(i), onchange: () => setTick(i, tick.checked)});
  const link = address({...state, seg: i});
  return el("div", {class: "head"}, el("a", {href: link, class: "number", title: "Link to this segment", onclick: (event) => { event.preventDefault(); openSegment(i, false); }}, `#${numberOf(i)}`),
    D.documents ? el("span", {class: "soft"}, D.documents[i]) : "", deltas,
    el("span", {class: "end"}, el("button", {type: "button", class: "small", onclick: () => copy(location.href.replace(/#.*|$/s, "") + link, "Link copied")}, "Copy link"),
      el("label", {}, tick, "tick")));
}

function setTick(i, on) {
  on ? ticked.add(i) : ticked.delete(i);
  showTicked();
}

function record(i) {
  const systems = reading();
  return {
    segment: numberOf(i), ...(D.documents ? {document: D.documents[i]} : {}), ...(D.source ? {source: D.source[i]} : {}),
    references: Object.fromEntries(Object.entries(D.references).map(([name, lines]) => [name, lines[i]])),
    outputs: Object.fromEntries(systems.map((s) => [D.systems[s], D.outputs[s][i]])),
    scores: Object.fromEntries(D.metrics.map((metric, m) => [metric.name, Object.fromEntries(systems.map((s) => [D.systems[s], scoreOf(m, s, i)]))])),
  };
}

// A record as a row of a table.
function flatRecord(i) {
  const {references, outputs, scores, ...row} = record(i);
  for (const [name, text] of Object.entries(references)) row[`reference ${name}`] = text;
  for (const [name, text] of Object.entries(outputs)) row[name] = text;
  for (const [metric, values] of Object.entries(scores)) for (const [name, value] of Object.entries(values)) row[`${metric} ${name}`] = value;
  return row;
}

function toMarkdown(i) {
  const {source, references, outputs, scores} = record(i), lines = [`**Segment ${numberOf(i)}**`];
  if (source !== undefined) lines.push(`- source: ${markdown(source)}`);
  for (const [name, text] of Object.entries(references)) lines.push(`- reference ${markdown(name)}: ${markdown(text)}`);
  for (const [name, text] of Object.entries(outputs)) {
    const values = D.metrics.map((metric) => `${metric.name} ${fixed(scores[metric.name][name], metric.decimals)}`).join(", ");
    lines.push(`- ${markdown(name)} (${values}): ${markdown(text)}`);
  }
  return lines.join("\n");
}
