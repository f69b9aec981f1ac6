// Ticked segments, or all that are listed if none is ticked, as TSV, JSON or Markdown.
const chosen = () => ticked.size ? [...ticked].sort((x, y) => x - y) : listed;

function exportButtons() {
  const button = (text, action) => el("button", {type: "button", class: "small", onclick: action}, text);
  return el("span", {class: "row", style: {"margin-left": "auto"}}, el("span", {id: "ticked"}),
    button("TSV", () => download("segments.tsv", "text/tab-separated-values", toTsv(chosen()))),
    button("JSON", () => download("segments.json", "application/json", JSON.stringify(chosen().map(record), null, 1))),
    button("Copy as Markdown", () => copy(chosen().slice(0, 200).map(toMarkdown).join("\n\n"), `${count(Math.min(chosen().length, 200), "segment")} copied`)));
}

function showTicked() {
  byId("ticked").replaceChildren(...(ticked.size ? [`${ticked.size} ticked `, el("button", {type: "button", class: "small", onclick: () => { ticked.clear(); show(); showTicked(); }}, "untick")] : ["Export:"]));
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

function toTsv(segments) {
  const flat = segments.map((i) => {
    const {references, outputs, scores, ...rest} = record(i);
    const row = {...rest};
    for (const [name, text] of Object.entries(references)) row[`reference ${name}`] = text;
    for (const [name, text] of Object.entries(outputs)) row[name] = text;
    for (const [metric, values] of Object.entries(scores)) for (const [name, value] of Object.entries(values)) row[`${metric} ${name}`] = value;
    return row;
  });
  const cell = (value) => { const text = String(value ?? ""); return /[\t\n\r"]/.test(text) ? `"${text.replaceAll("\"", "\"\"")}"` : text; };
  const header = Object.keys(flat[0] ?? {});
  return [header, ...flat.map((row) => header.map((name) => row[name]))].map((row) => row.map(cell).join("\t")).join("\n") + "\n";
}

function toMarkdown(i) {
  const plain = (text) => String(text ?? "").replace(/[\\`*_[\]<>|#&]/g, "\\$&").replace(/\s*\n\s*/g, " ");
  const {source, references, outputs, scores} = record(i), lines = [`**Segment ${numberOf(i)}**`];
  if (source !== undefined) lines.push(`- source: ${plain(source)}`);
  for (const [name, text] of Object.entries(references)) lines.push(`- reference ${plain(name)}: ${plain(text)}`);
  for (const [name, text] of Object.entries(outputs)) {
    const values = D.metrics.map((metric) => `${metric.name} ${fixed(scores[metric.name][name], metric.decimals)}`).join(", ");
    lines.push(`- ${plain(name)} (${values}): ${plain(text)}`);
  }
  return lines.join("\n");
}

function download(name, type, text) {
  const link = el("a", {href: URL.createObjectURL(new Blob([text], {type})), download: name});
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

async function copy(text, done) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = el("textarea", {"aria-hidden": "true"});
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
  notice(done);
}

function notice(text) {
  byId("notice").textContent = text;
  setTimeout(() => { byId("notice").textContent = ""; }, 2500);
}
