// Layers of marks on words: what a metric saw, or errors that people marked. One layer is shown at a time.
const DIFFERENCES = {both: "differences, between outputs too", reference: "differences from references", none: "none"};
const layerName = (layer) => layer.name === "errors" ? "errors marked by people" : `what ${layer.name} saw`;
const shownLayer = () => D.layers.find((layer) => layer.name === state.marks) ?? null;
const levelOf = (weight) => weight >= 85 ? "high" : weight >= 40 ? "middle" : "low";
const MEANING = ["high", "middle", "low"];

// The marks of a layer on one output and on the text it was compared with; null where the layer has none.
function marksOf(layer, i, s) {
  layer.places ??= new Map(layer.rows.map((row, at) => [row, at]));
  const seen = layer.places.has(i) ? layer.seen[layer.places.get(i)][s] : null;
  if (!seen) return null;
  if (seen.marks) return seen.marks;
  const place = seen.against ?? "source", against = place === "source" ? place : `reference ${place}`;
  const gold = Object.values(D.references).map((lines) => lines[i]).filter((text) => text !== null);
  const texts = [[D.outputs[s][i], `output ${s}`], [place === "source" ? D.source?.[i] ?? "" : gold[place], against]];
  const [output, other] = seenMarks(seen, texts[0][0], texts[1][0]).map((marks, side) =>
    marks.map((mark) => ({...mark, s, partner: mark.partner && {...mark.partner, text: texts[1 - side][1]}})));
  return seen.marks = {against, output, other};
}

// The marks on a text that outputs share, the source or a reference: those of all outputs that are read.
function sharedMarks(layer, i, name) {
  return reading().map((s) => marksOf(layer, i, s)).filter((marks) => marks?.against === name).flatMap((marks) => marks.other);
}

const letterOf = (s) => s === state.a ? "A" : s === state.b ? "B" : D.systems[s];

// A text in pieces, each with the class of the worst mark that covers it, and what all of them say as a title.
function painted(text, marks, textOf, pattern) {
  const cuts = [...new Set([0, text.length, ...marks.flatMap((mark) => [mark.begin, mark.end])])].sort((x, y) => x - y);
  const plain = (piece) => pattern ? highlighted(piece, pattern) : [piece], owners = new Set(marks.map((mark) => mark.s)).size;
  return cuts.slice(1).flatMap((end, k) => {
    const begin = cuts[k], piece = text.slice(begin, end), covering = marks.filter((mark) => mark.begin <= begin && mark.end >= end);
    if (!covering.length) return plain(piece);
    const worst = Math.min(...covering.map((mark) => mark.weight)), level = levelOf(worst);
    const low = [...new Set(covering.filter((mark) => levelOf(mark.weight) === "low").map((mark) => letterOf(mark.s)))];
    const element = el("mark", {class: level, title: covering.map((mark) => saidOf(mark, textOf, owners > 1)).join("\n"),
                                "data-who": low.length && low.length < owners ? low.join(",") : null}, plain(piece));
    element.partners = covering.map((mark) => mark.partner).filter((partner) => partner);
    Object.assign(element, {begin, end});
    return [element];
  });
}

function saidOf(mark, textOf, named) {
  const other = mark.partner ? textOf(mark.partner.text).slice(mark.partner.begin, mark.partner.end) : "";
  const parts = [named ? `${letterOf(mark.s)}:` : "", mark.label, other ? `“${other}”` : "", mark.partner && mark.weight % 100 ? (mark.weight / 100).toFixed(2) : ""];
  return parts.filter((part) => part).join(" ") || (mark.weight ? "matched" : "not matched");
}

// While the pointer is on a word, its partners in the other text are outlined.
function showPartners(event) {
  const card = event.target.closest?.(".segment");
  if (!card) return;
  for (const element of card.querySelectorAll("mark.partner")) element.classList.remove("partner");
  const mark = event.type === "pointerover" ? event.target.closest("mark") : null;
  for (const {text, begin, end} of mark?.partners ?? [])
    for (const element of card.querySelectorAll(`[data-text="${text}"] mark`))
      if (element.begin < end && element.end > begin) element.classList.add("partner");
}

function layerLegend(layer) {
  const marked = layer.rows.length, all = marked === D.n ? "" : ` Marked: ${marked.toLocaleString("en")} of ${count(D.n, "segment")}, those that differ most.`;
  return [layer.name === "errors" ? "Errors: " : `${layer.name}: `,
    layer.meaning.flatMap((text, k) => text ? [el("mark", {class: MEANING[k]}, text), "  "] : []), `Point at a word to see more.${all}`];
}

function differenceLegend() {
  return state.marks === "none" ? [] : ["In outputs: ", state.marks === "both" ? [el("mark", {class: "right"}, "only here, and in a reference"), "  ",
    el("mark", {class: "wrong"}, "only here, in no reference"), "  "] : "", el("mark", {class: "foreign"}, "in no reference"),
    state.marks === "both" ? ". A is compared with B; other outputs with A." : "."];
}

function marksSelect() {
  const select = el("select", {"aria-label": "Marks", onchange: () => change({marks: select.value, seg: state.seg})},
    Object.entries(DIFFERENCES).map(([value, text]) => el("option", {value}, text)),
    D.layers.map((layer) => el("option", {value: layer.name}, layerName(layer))));
  return select;
}
