// Layers of marks on words: what a metric saw, or errors that people marked. One layer is shown at a time.
const DIFFERENCES = {both: "differences, between outputs too", reference: "differences from references", none: "none"};
const layerName = (layer) => layer.name === "errors" ? "errors marked by people" : layer.name === "names" ? "names lost and invented" : `what ${layer.name} saw`;
const shownLayer = () => D.layers.find((layer) => layer.name === state.marks) ?? null;
const levelOf = (weight) => weight >= 85 ? "high" : weight >= 40 ? "middle" : "low";
const MEANING = ["high", "middle", "low"];

// The marks of a layer on one output and on the text it was compared with; null where the layer has none.
function marksOf(layer, i, s) {
  layer.places ??= new Map(layer.rows.map((row, at) => [row, at]));
  const seen = layer.counted ? countedOnce(layer, i, s) : layer.places.has(i) ? layer.seen[layer.places.get(i)][s] : null;
  if (!seen) return null;
  if (seen.marks) return seen.marks;
  const place = seen.against ?? "source", against = place === "source" ? place : `reference ${place}`;
  const gold = Object.values(D.references).map((lines) => lines[i]).filter((text) => text !== null);
  const texts = [[D.outputs[s][i], `output ${s}`], [place === "source" ? D.source?.[i] ?? "" : gold[place], against]];
  const [output, other] = seenMarks(seen, texts[0][0], texts[1][0]).map((marks, side) =>
    marks.map((mark) => ({...mark, s, partner: mark.partner && {...mark.partner, text: texts[1 - side][1]}})));
  return seen.marks = {against, output, other};
}

const countedOnce = (layer, i, s) => (layer.kept ??= {})[`${i} ${s}`] ??= countedSeen(layer.counted, i, s);

// The marks on a text that outputs share, the source or a reference: those of all outputs that are read.
function sharedMarks(layer, i, name) {
  return reading().map((s) => marksOf(layer, i, s)).filter((marks) => marks?.against === name).flatMap((marks) => marks.other);
}

// Outputs that are read have letters, which marks and the legend use; names may be long, or letters themselves.
const letterOf = (s) => String.fromCharCode(65 + reading().indexOf(s));
const readBadge = (s) => single() ? "" : [badge(s) || el("span", {class: "badge"}, letterOf(s)), " "];
const lettersLegend = () => single() ? "" : [" ", reading().map((s) => [readBadge(s), D.systems[s], "  "])];
function whyUnmarked(layer, i) {
  if (layer.name === "errors") return "people marked no errors in these outputs";
  if (layer.name === "names") return "no name was lost or invented";
  if (layer.counted || layer.places.has(i)) return `${layer.name} has nothing to show for these outputs; they may be too long`;
  return `the page has marks for the ${layer.rows.length.toLocaleString("en")} segments that differ most; with --marks ${D.n} it has all`;
}

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
  const parts = [named ? `${D.systems[mark.s]}:` : "", mark.label, other ? `“${other}”` : "", mark.partner && mark.weight % 100 ? (mark.weight / 100).toFixed(2) : ""];
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
  const marked = layer.rows.length, all = layer.counted || marked === D.n || ["errors", "names"].includes(layer.name) ? "" : ` Marked: ${marked.toLocaleString("en")} of ${count(D.n, "segment")}, those that differ most.`;
  return [layer.name === "errors" ? "Errors: " : layer.name === "names" ? "Names: " : `${layer.name}: `,
    layer.meaning.flatMap((text, k) => text ? [el("mark", {class: MEANING[k]}, text), "  "] : []), `Point at a word to see more.${all}`, lettersLegend()];
}

function differenceLegend() {
  return state.marks === "none" ? [lettersLegend()] : ["In outputs: ", state.marks === "both" ? [el("mark", {class: "right"}, "only here, and in a reference"), "  ",
    el("mark", {class: "wrong"}, "only here, in no reference"), "  "] : "", el("mark", {class: "foreign"}, "in no reference"),
    state.marks === "both" ? ". A is compared with B; other outputs with A." : ".", lettersLegend()];
}

function marksSelect() {
  const select = el("select", {"aria-label": "Marks", onchange: () => change({marks: select.value, seg: state.seg})},
    Object.entries(DIFFERENCES).map(([value, text]) => el("option", {value}, text)),
    D.layers.map((layer) => el("option", {value: layer.name}, layerName(layer))));
  return select;
}
