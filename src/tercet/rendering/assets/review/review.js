// The list of segments to review: filters, marks of what is done (kept in the browser), export. `data.js` has helpers.
const PIECE = 100; // segments shown at once
const chosen = {text: "", kind: "", open: false, most: PIECE};
let done = new Set();

function keepDone() {
  try { localStorage.setItem(`tercet-review:${D.key}`, JSON.stringify([...done])); } catch { /* not allowed here */ }
}

function readDone() {
  try { return new Set(JSON.parse(localStorage.getItem(`tercet-review:${D.key}`) ?? "[]")); } catch { return new Set(); }
}

function fits(segment) {
  const text = chosen.text.toLowerCase();
  return (!chosen.open || !done.has(segment.n))
    && (!chosen.kind || segment.decision === chosen.kind || segment.why.some((why) => why.kind === chosen.kind))
    && (!text || [segment.id, segment.file, segment.source, segment.output, ...segment.why.map((why) => why.text)]
      .some((part) => part.toLowerCase().includes(text)));
}

function bar({value, low, high}) {
  const [start, end] = D.scale, at = (x) => 120 * (Math.min(Math.max(x, start), end) - start) / (end - start);
  return svg("svg", {class: "bar", width: 120, height: 14, role: "img",
    "aria-label": `${fixed(value, 1)}, interval ${fixed(low, 1)} to ${fixed(high, 1)}`},
  svg("rect", {class: "all", x: .5, y: 3.5, width: 119, height: 7, rx: 3}),
  svg("rect", {class: "interval", x: at(low), y: 4, width: Math.max(at(high) - at(low), 1), height: 6}),
  svg("rect", {class: "value", x: Math.min(Math.max(at(value) - 1.5, 0), 117), y: 1, width: 3, height: 12}));
}

function text(name, content, language) {
  return el("div", {}, el("h3", {}, name), el("p", {dir: "auto", lang: language || null}, content || "(empty)"));
}

function card(segment) {
  const box = el("input", {type: "checkbox"});
  box.checked = done.has(segment.n);
  const found = el("article", {class: `card${box.checked ? " done" : ""}`, "aria-label": `Segment ${segment.id}`},
    el("div", {class: "head"}, el("h2", {}, segment.id), segment.file ? el("span", {}, segment.file) : null,
      D.scale ? [bar(segment), el("span", {}, `${fixed(segment.value, 1)} (${fixed(segment.low, 1)} to ${fixed(segment.high, 1)})`)]
        : el("span", {}, count(segment.value, "point")),
      segment.decision ? el("span", {class: `tag ${segment.decision}`}, segment.decision) : null,
      el("label", {}, box, " done")),
    el("div", {class: "texts"}, text("Source", segment.source, D.languages[0]), text("Output", segment.output, D.languages[1])),
    segment.why.length ? el("ul", {class: "why"}, segment.why.map((why) => el("li", {}, why.text))) : null);
  box.addEventListener("change", () => {
    if (box.checked) done.add(segment.n);
    else done.delete(segment.n);
    keepDone();
    found.classList.toggle("done", box.checked);
    showCount();
  });
  return found;
}

function showCount() {
  const fitting = D.segments.filter(fits).length;
  byId("shown").textContent = `${fitting.toLocaleString("en")} of ${count(D.segments.length, "segment")} · ${done.size} done`;
}

function showList() {
  const fitting = D.segments.filter(fits);
  byId("list").replaceChildren(...fitting.slice(0, chosen.most).map(card));
  if (!fitting.length) byId("list").append(el("p", {}, "No segment fits."));
  if (fitting.length > chosen.most) {
    byId("list").append(el("button", {type: "button", class: "more",
      onclick: () => { chosen.most += PIECE; showList(); }}, `Show ${PIECE} more`));
  }
  showCount();
}

function exportTable() {
  const cell = (value) => /["\t\n\r]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
  const rows = D.segments.filter(fits).map((s) => [s.id, s.file, String(s.value), s.decision, done.has(s.n) ? "done" : "",
    s.why.map((why) => why.text).join(" | "), s.source, s.output]);
  const lines = [["segment", "file", D.scale ? "quality" : "points", "decision", "done", "reasons", "source", "output"], ...rows];
  const link = el("a", {download: "review.tsv",
    href: URL.createObjectURL(new Blob([lines.map((row) => row.map(cell).join("\t") + "\n").join("")], {type: "text/tab-separated-values"}))});
  link.click();
  URL.revokeObjectURL(link.href);
}

function filters() {
  const again = () => { chosen.most = PIECE; showList(); };
  const kinds = new Map();
  for (const s of D.segments) {
    for (const kind of new Set([s.decision, ...s.why.map((why) => why.kind)])) if (kind) kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  }
  const listed = [...kinds].sort((a, b) => b[1] - a[1]).map(([kind, n]) => el("option", {value: kind}, `${kind} (${n})`));
  return el("div", {class: "controls", role: "search"},
    el("input", {type: "search", placeholder: "Search", "aria-label": "Search",
      oninput: (event) => { chosen.text = event.target.value; again(); }}),
    listed.length ? el("select", {"aria-label": "Reason", onchange: (event) => { chosen.kind = event.target.value; again(); }},
      el("option", {value: ""}, "All reasons"), listed) : null,
    el("label", {}, el("input", {type: "checkbox", onchange: (event) => { chosen.open = event.target.checked; again(); }}), " only open"),
    el("button", {type: "button", onclick: exportTable}, "Export"), el("span", {id: "shown", class: "shown", role: "status"}));
}

document.querySelector("header").append(themeButton());
unpack().then((data) => {
  D = data;
  done = readDone();
  byId("app").replaceChildren(filters(), el("div", {id: "list"}));
  byId("app").removeAttribute("aria-busy");
  showList();
});
