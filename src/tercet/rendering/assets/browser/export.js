// Ticked segments, or all that are listed if none is ticked, as TSV, JSON or Markdown. A page has `record`, `flatRecord`, `toMarkdown`.
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

function toTsv(segments) {
  const flat = segments.map(flatRecord);
  const cell = (value) => { const text = String(value ?? ""); return /[\t\n\r"]/.test(text) ? `"${text.replaceAll("\"", "\"\"")}"` : text; };
  const header = Object.keys(flat[0] ?? {});
  return [header, ...flat.map((row) => header.map((name) => row[name]))].map((row) => row.map(cell).join("\t")).join("\n") + "\n";
}

const markdown = (text) => String(text ?? "").replace(/[\\`*_[\]<>|#&]/g, "\\$&").replace(/\s*\n\s*/g, " ");

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
