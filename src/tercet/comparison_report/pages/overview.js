// The first screen: verdict, metrics, ranking with intervals and clusters, matrix of differences.
const NUMBERED = 9; // with more systems the matrix has no space for numbers

function buildOverview() {
  const tabs = el("div", {role: "tablist", "aria-label": "Metrics", class: "no-print"});
  const power = el("p", {id: "power"});
  const ranking = el("section", {class: "panel", "aria-label": "Ranking"}), matrix = el("section", {class: "panel", "aria-label": "Differences"});
  const named = D.metrics.some((metric) => metric.external);
  renderWhen(() => [state.m, state.a, state.b], () => {
    const metric = D.metrics[state.m];
    byId("verdict").textContent = metric.verdict;
    power.textContent = metric.power;
    tabs.replaceChildren(...D.metrics.map((each, m) => el("button", {
      type: "button", role: "tab", "aria-selected": String(m === state.m), tabindex: m === state.m ? 0 : -1, "data-key": `metric ${m}`,
      title: each.signature, onclick: () => change({m}),
    }, each.name + (each.external ? "*" : ""))),
    ...(named ? [el("span", {class: "small soft", style: {"margin-left": "auto", "align-self": "center"}}, "* computed elsewhere")] : []));
    ranking.replaceChildren(...rankingParts());
    matrix.replaceChildren(...matrixParts());
    matrix.hidden = D.systems.length < 3;
  });
  tabs.addEventListener("keydown", (event) => {
    const step = {ArrowRight: 1, ArrowLeft: -1}[event.key];
    if (!step) return;
    change({m: (state.m + step + D.metrics.length) % D.metrics.length});
    tabs.querySelector("[aria-selected=true]").focus();
  });
  byId("verdict").after(power);
  return [tabs, el("h2", {class: "unseen"}, "Systems"), buildTable(), el("div", {class: "columns"}, ranking, matrix)];
}

const totalOf = (m, s) => D.metrics[m].systems[s][0];

// All systems and metrics; equal scores share a rank. A rank that differs from that of the chosen metric is marked by where the system would be.
function buildTable() {
  if (D.metrics.length < 2) return "";
  const body = el("tbody"), head = el("tr");
  renderWhen(() => [state.m, state.a, state.b], () => {
    const ranks = D.metrics.map((_, m) => { const places = []; ranked(m).forEach((s, at, all) => { places[s] = at && totalOf(m, s) === totalOf(m, all[at - 1]) ? places[all[at - 1]] : at + 1; }); return places; });
    head.replaceChildren(el("th", {scope: "col"}, "System"), ...D.metrics.map((metric, m) => el("th", {scope: "col", class: "number", "aria-sort": m === state.m ? (metric.sign < 0 ? "ascending" : "descending") : null},
      el("button", {type: "button", "data-key": `column ${m}`, title: `Order by ${metric.name}`, onclick: () => change({m})}, metric.name))));
    body.replaceChildren(...ranked(state.m).map((s) => el("tr", {}, el("th", {scope: "row"}, badge(s), badge(s) ? " " : "", D.systems[s]), D.metrics.map((metric, m) => {
      const [score, low, high] = metric.systems[s], moved = ranks[state.m][s] - ranks[m][s];
      const says = moved && metric.sign ? `rank ${ranks[m][s]} by ${metric.name}, ${ranks[state.m][s]} by ${D.metrics[state.m].name}` : `rank ${ranks[m][s]}`;
      return el("td", {class: `number${moved && metric.sign ? " moved" : ""}`, title: `${fixed(low, metric.decimals)} to ${fixed(high, metric.decimals)}; ${says}`},
        fixed(score, metric.decimals), " ", single() ? "" : el("span", {class: "rank", role: "img", "aria-label": says}, !metric.sign ? "" : moved > 0 ? `${ranks[m][s]}▲` : moved < 0 ? `${ranks[m][s]}▼` : ranks[m][s]));
    }))));
  });
  return el("section", {"aria-label": "All metrics"}, el("div", {class: "scroll systems", tabindex: 0, role: "group", "aria-label": "Systems and metrics"}, el("table", {}, el("thead", {}, head), body)),
    single() ? "" : el("p", {class: "small soft"}, "Small: the rank by each metric; ▲ ▼ and a line below where it is better or worse than by the chosen one. Click a metric to order by it."));
}

const badge = (s) => single() ? "" : s === state.a ? el("span", {class: "badge is-a", title: "A"}, "A")
  : s === state.b ? el("span", {class: "badge is-b", title: "B"}, "B") : "";

// A function from values to positions in percent, with a margin, and the numbers of an axis.
function scaleOf(values, most = 4) {
  let low = Math.min(...values), high = Math.max(...values);
  const margin = .04 * (high - low) || 1;
  low -= margin;
  high += margin;
  const {step, found} = ticks(low, high, most);
  return {at: (value) => `${100 * (value - low) / (high - low)}%`, part: (a, b) => `${100 * Math.abs(b - a) / (high - low)}%`,
          ticks: found, digits: decimalsOf(step)};
}
const axisTicks = (scale) => scale.ticks.map((value) => el("span", {class: "tick", style: {left: scale.at(value)}}, fixed(value, scale.digits)));

function rankingParts() {
  const {systems, decimals, sign} = D.metrics[state.m], order = ranked(state.m);
  const scale = scaleOf(known(systems.flatMap((each) => each.slice(0, 3))));
  const rows = [];
  let cluster = systems[order[0]][3];
  for (const s of order) {
    const [score, low, high, own, first, last] = systems[s];
    if (own !== cluster) rows.push(el("div", {class: "cut"}));
    cluster = own;
    const place = first === null || single() ? "" : first === last ? String(first) : `${first}–${last}`;
    const colour = s === state.a ? "is-a" : s === state.b ? "is-b" : "neither";
    rows.push(el("button", {
      type: "button", "data-key": `rank ${s}`, title: `${D.systems[s]}: ${fixed(score, decimals)} (${fixed(low, decimals)} to ${fixed(high, decimals)})`,
      onclick: () => change({a: s, b: s === state.b ? state.a : s === state.a ? state.b : opponent(s)}),
    },
    el("span", {class: "value soft small"}, place),
    el("span", {class: "name"}, badge(s), " ", D.systems[s]),
    el("span", {class: `track ${colour}`},
      low === null ? "" : el("span", {class: "interval", style: {left: scale.at(low), width: scale.part(low, high)}}),
      score === null ? "" : el("span", {class: `dot${s === state.b ? " b" : ""}`, style: {left: scale.at(score)}})),
    el("span", {class: "value"}, fixed(score, decimals))));
  }
  rows.push(el("div", {class: "axis", "aria-hidden": "true"}, el("span"), el("span"), el("span", {class: "track"}, axisTicks(scale)), el("span")));
  const better = sign > 0 ? "higher is better" : sign < 0 ? "lower is better" : "neither direction is better";
  const clusters = systems.some((each) => each[3] !== null && each[3] > 1);
  return [
    el("h3", {}, `${D.metrics[state.m].name}, ${better}`),
    el("p", {class: "hint"}, `Score with ${100 * D.confidence} % interval, n = ${D.n.toLocaleString("en")}.`
      + (systems[0][4] !== null && !single() ? " Left: the ranks a system may have." : "")
      + (clusters ? " All systems above a dashed line are significantly better than all below." : "")),
    el("div", {class: "plot"}, rows),
  ];
}

// Whom a chosen system is compared with: the baseline, or else the best of the others.
function opponent(s) {
  const baseline = D.systems.indexOf(D.baseline), pair = D.before?.find((both) => both.includes(s));
  if (pair) return pair.find((other) => other !== s);
  return baseline >= 0 && baseline !== s ? baseline : ranked(state.m).find((other) => other !== s);
}

function matrixParts() {
  const metric = D.metrics[state.m], order = ranked(state.m), many = order.length > NUMBERED;
  const largest = Math.max(...metric.pairs.map((pair) => Math.abs(pair[2] ?? 0))) || 1;
  const cell = (row, column) => {
    if (row === column) return el("td");
    const pair = pairOf(state.m, row, column);
    if (pair === null) return el("td");
    const won = winner(state.m, pair), digits = metric.decimals;
    const says = won > 0 ? `${D.systems[row]} is better` : won < 0 ? `${D.systems[column]} is better`
      : isSignificant(pair) ? "significantly different" : "not significantly different";
    const strength = 12 + 38 * Math.abs(pair.difference) / largest; // pale enough for the colour of text
    const label = `${D.systems[row]} − ${D.systems[column]}: ${signed(pair.difference, digits)} (${signed(pair.low, digits)} to `
      + `${signed(pair.high, digits)}), ${shownP(pair.p)}: ${says}`;
    return el("td", {}, el("button", {
      type: "button", class: won ? "sure" : "unsure", "aria-label": label, title: label, "data-key": `cell ${row} ${column}`, tabindex: -1,
      "aria-pressed": String(row === state.a && column === state.b),
      style: won ? {background: `color-mix(in oklab, var(--${won > 0 ? "blue" : "orange"}) ${strength}%, var(--page))`} : {},
      onclick: () => change({a: row, b: column, from: null, to: null}),
    }, many ? (won > 0 ? "+" : won < 0 ? "−" : "") : signed(pair.difference, digits)));
  };
  const head = order.map((s, i) => el("th", {scope: "col", title: D.systems[s]}, many ? String(i + 1) : D.systems[s]));
  const table = el("table", {class: `matrix${many ? " many" : ""}`, style: {"--n": String(order.length)}},
    el("thead", {}, el("tr", {}, el("td"), head)),
    el("tbody", {}, order.map((s, i) => el("tr", {},
      el("th", {scope: "row", title: D.systems[s]}, many ? el("span", {}, String(i + 1)) : "", D.systems[s]), order.map((other) => cell(s, other))))));
  roam(table, "button");
  return [
    el("h3", {}, "Row minus column"),
    el("p", {class: "hint"}, swatch("blue"), " + the row is better  ", swatch("orange"), " − the column is better  ",
      swatch(null), " not significant. Click a cell to compare the two."),
    el("div", {class: "scroll"}, table),
  ];
}

const swatch = (colour) => el("span", colour ? {class: "swatch", style: {background: `var(--${colour})`}} : {class: "swatch unsure"});

// One of many buttons is reached by Tab; arrow keys go to the next ones by their positions on the screen.
function roam(container, selector) {
  const all = () => [...container.querySelectorAll(selector)];
  (all().find((each) => each.getAttribute("aria-pressed") === "true") ?? all()[0])?.setAttribute("tabindex", "0");
  container.addEventListener("keydown", (event) => {
    const direction = {ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1]}[event.key];
    if (!direction || !event.target.matches(selector)) return;
    const middle = (each) => { const box = each.getBoundingClientRect(); return [box.x + box.width / 2, box.y + box.height / 2]; };
    const [x, y] = middle(event.target);
    let best = null, nearest = Infinity;
    for (const each of all()) {
      const [u, v] = middle(each), along = direction[0] * (u - x) + direction[1] * (v - y);
      const across = Math.abs(direction[0] * (v - y) + direction[1] * (u - x));
      if (along > 1 && along + 5 * across < nearest) [best, nearest] = [each, along + 5 * across];
    }
    if (!best) return;
    event.preventDefault();
    event.target.setAttribute("tabindex", "-1");
    best.setAttribute("tabindex", "0");
    best.focus();
  });
}
