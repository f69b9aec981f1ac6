// Words and n-grams that systems get right, and segments by quality. Each leads to its segments by `state.set`.
const GROUPINGS = {frequency: "frequency", pos: "part of speech", label: "label"};

function readSet(text, found) {
  if (!text) return null;
  const [kind, ...rest] = text.split(":"), name = rest.join(":");
  const all = [
    ...D.metrics.flatMap((one) => D.metrics.map((two) => ["disagree", one.name, two.name])),
    ...D.words.flatMap((words) => words.groups.map((group) => ["words", words.by, group.name])),
    ...(pairNgrams(found)?.rows ?? []).map((row) => ["ngram", row[0]]),
    ...D.metrics[found.m].quality.flatMap((quality) => quality.groups.flatMap(([group]) => D.systems.map((system) => ["quality", group, system]))),
  ];
  return all.find((set) => set[0] === kind && set.slice(1).join(":") === name) ?? null;
}

// The segments of a set, as places in the data.
function membersOf([kind, name, more]) {
  if (kind === "words") return new Set(D.words.find((words) => words.by === name)?.groups.find((group) => group.name === more)?.segments ?? []);
  if (kind === "ngram") return new Set(pairNgrams(state)?.rows.find((row) => row[0] === name)?.[4] ?? []);
  if (kind === "disagree") {
    const [one, two] = [name, more].map((label) => D.metrics.findIndex((metric) => metric.name === label));
    return new Set(range(D.n).filter((i) => inConflict(one, two, i)));
  }
  const group = D.metrics[state.m].quality[0]?.groups.find((each) => each[0] === name);
  return new Set(group ? withQuality(group, D.systems.indexOf(more)) : []);
}

// Whether two metrics prefer different systems in a segment.
function inConflict(one, two, i) {
  const signs = [one, two].map((m) => signOf(m, i));
  return signs[0] * signs[1] < 0;
}

const withQuality = ([, low, high], s) => range(D.n).filter((i) => {
  const value = scoreOf(state.m, s, i);
  return value !== null && (low === null || value >= low) && (high === null || value < high);
});

// The n-grams of the pair, turned to A and B: those that A gets right more often, then those of B.
function pairNgrams({a, b}) {
  const found = D.ngrams.find((each) => (each.a === a && each.b === b) || (each.a === b && each.b === a));
  if (!found) return null;
  const same = found.a === a, turn = ([text, x, y, p, segments]) => same ? [text, x, y, p, segments] : [text, y, x, p, segments];
  const [first, second] = (same ? found.better : [...found.better].reverse()).map((rows) => rows.map(turn));
  return {first, second, rows: [...first, ...second], tested: found.tested, differing: found.differing};
}

const isChosen = (...set) => Boolean(state.set) && state.set.join(":") === set.join(":");
const toggle = (chosen, set) => change({set: chosen ? null : set}, {browse: !chosen});

function buildAnalyses() {
  const panels = el("div", {class: "columns three"});
  const section = el("section", {"aria-labelledby": "analyses"}, el("h2", {id: "analyses"},  single() ? "Good and poor segments" : "What they get right"), panels);
  renderWhen(() => [state.m, state.a, state.b, state.set], () => {
    const shown = [...D.words.map(wordPanel), ngramPanel(), qualityPanel()].filter(Boolean);
    panels.replaceChildren(...shown.map(([name, ...parts]) => el("section", {class: "panel", role: "region", "aria-label": name}, el("h3", {}, name), parts)));
    section.hidden = !shown.length;
  });
  return section;
}

function wordPanel(words) {
  const rows = words.groups.map((group, g) => {
    const set = ["words", words.by, group.name];
    return {...group, key: `words ${words.by} ${g}`, chosen: isChosen(...set), choose: (chosen) => toggle(chosen, set)};
  });
  if (!rows.length) return null;
  return [`Words by ${GROUPINGS[words.by]}`,
    el("p", {class: "hint"}, `${words.measure} of words${words.where ? `, by how often they occur in ${words.where}` : ""}; n: words of references.`),
    groupPlot(rows, 3)];
}

function ngramPanel() {
  const found = pairNgrams(state);
  if (!found) return null;
  const row = ([text, x, y, p], k) => {
    const chosen = isChosen("ngram", text), mark = p !== null && p < D.alpha;
    return el("button", {type: "button", "data-key": `ngram ${k}`, "aria-pressed": String(chosen), onclick: () => toggle(chosen, ["ngram", text]),
                         title: p === null ? "differs in too few segments to be tested" : shownP(p)},
      el("span", {class: "name", dir: "auto"}, mark ? el("b", {}, text) : text), el("span", {class: "value is-a"}, String(x)),
      el("span", {class: "value is-b"}, String(y)), el("span", {class: "value soft small"}, p === null ? "–" : mark ? `${shownP(p)} *` : shownP(p)));
  };
  const block = (name, rows, start) => rows.length ? [el("p", {class: "hint"}, `${name} is right more often:`), el("div", {class: "plot grams"}, rows.slice(0, 8).map((each, k) => row(each, start + k)))] : [];
  return ["Words and n-grams",
    el("p", {class: "hint"}, `How often A and B have them right. ${found.differing.toLocaleString("en")} differ, ${found.tested.toLocaleString("en")} could be tested; * significant.`),
    ...block("A", found.first, 0), ...block("B", found.second, 100)];
}

function qualityPanel() {
  const quality = D.metrics[state.m].quality[0];
  if (!quality) return null;
  const bars = ranked(state.m).map((s) => {
    const groups = quality.groups.map((group) => [group[0], withQuality(group, s).length]);
    const percent = (n) => Math.round(100 * n / D.n);
    return el("div", {class: "bar"}, el("span", {class: "name"}, badge(s), " ", D.systems[s]), el("div", {class: "shares"}, groups.filter(([, n]) => n).map(([name, n]) => {
      const chosen = isChosen("quality", name, D.systems[s]);
      return el("button", {type: "button", class: name, style: {"flex-grow": String(n), "flex-basis": "0"}, "aria-pressed": String(chosen), "data-key": `quality ${s} ${name}`,
                           title: `${D.systems[s]}: ${count(n, "segment")} ${name}`, "aria-label": `${D.systems[s]}: ${percent(n)} % ${name}, ${count(n, "segment")}`,
                           onclick: () => toggle(chosen, ["quality", name, D.systems[s]])}, `${percent(n)}`);
    })));
  });
  return ["Good, middling and poor segments", el("p", {class: "hint"}, `Percent. ${quality.note}`), el("div", {class: "bars"}, bars)];
}
