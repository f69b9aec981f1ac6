// What is shown, recorded in the address (#…) by names, so that a link leads to the same view.
const SORTS = {
  pull: "what makes the difference", size: "largest difference of scores", a: "A better first", b: "B better first", worst: "lowest score of A", best: "highest score of A",
  long: "longest", short: "shortest", order: "order of the test set",
};
const SINGLE = {worst: "worst score", best: "best score", long: "longest", short: "shortest", order: "order of the test set"};
const MOST_READ = 6; // outputs beside each other
const CLEAR = {slice: null, q: "", min: null, from: null, to: null, disagree: false, ticked: false, set: null, shortest: null, longest: null};

function usual() {
  const order = ranked(0), baseline = D.systems.indexOf(D.baseline), differ = ([a, b]) => D.outputs[a].some((text, i) => text !== D.outputs[b][i]), changed = D.before?.find(differ) ?? D.before?.[0];
  const b = baseline >= 0 ? baseline : order[1];
  return {...CLEAR, m: 0, a: changed?.[0] ?? order.find((s) => s !== b) ?? 0, b: changed?.[1] ?? b ?? 0, more: [], sort: single() ? "worst" : D.metrics[0].influence ? "pull" : "size",
          marks: single() ? "reference" : "both", other: D.metrics.length > 1 ? 1 : 0, by: 0, seg: null};
}

function readAddress() {
  const given = new URLSearchParams(location.hash.slice(1)), found = usual();
  const place = (name, names) => names.indexOf(given.get(name));
  const number = (name) => given.has(name) && !isNaN(parseFloat(given.get(name))) ? parseFloat(given.get(name)) : null;
  const metrics = D.metrics.map((metric) => metric.name);
  if (place("m", metrics) >= 0) found.m = place("m", metrics);
  if (place("other", metrics) >= 0) found.other = place("other", metrics);
  else if (found.other === found.m) found.other = found.m ? 0 : Math.min(1, metrics.length - 1);
  const order = ranked(found.m);
  if (place("a", D.systems) >= 0) found.a = place("a", D.systems);
  if (place("b", D.systems) >= 0) found.b = place("b", D.systems);
  if (found.a === found.b) found.b = order.find((s) => s !== found.a) ?? 0;
  found.more = given.getAll("more").map((name) => D.systems.indexOf(name))
    .filter((s, i, all) => s >= 0 && s !== found.a && s !== found.b && all.indexOf(s) === i).slice(0, MOST_READ - 2);
  if (given.get("sort") in (single() ? SINGLE : SORTS)) found.sort = given.get("sort");
  const marks = given.get("marks");
  if (marks in DIFFERENCES || D.layers.some((layer) => layer.name === marks)) found.marks = marks;
  const [by, ...name] = (given.get("slice") ?? "").split(":");
  const kind = D.slices.findIndex((slice) => slice.by === by);
  const group = kind < 0 ? -1 : D.slices[kind].names.indexOf(name.join(":"));
  if (group >= 0) Object.assign(found, {by: kind, slice: [kind, group]});
  found.q = given.get("q") ?? "";
  Object.assign(found, {min: number("min"), from: number("from"), to: number("to"), shortest: number("shortest"), longest: number("longest"), disagree: given.has("disagree"),
                        ticked: given.has("ticked")});
  if (placeOfNumber(number("seg")) >= 0) found.seg = placeOfNumber(number("seg"));
  found.set = readSet(given.get("set"), found);
  return found;
}

function address(of = state) {
  const plain = usual(), words = new URLSearchParams();
  if (of.m !== plain.m) words.set("m", D.metrics[of.m].name);
  if (of.a !== plain.a || of.b !== plain.b || of.m !== plain.m) {
    words.set("a", D.systems[of.a]);
    words.set("b", D.systems[of.b]);
  }
  for (const s of of.more) words.append("more", D.systems[s]);
  for (const name of ["sort", "marks"]) if (of[name] !== plain[name]) words.set(name, of[name]);
  if (of.slice) words.set("slice", `${D.slices[of.slice[0]].by}:${D.slices[of.slice[0]].names[of.slice[1]]}`);
  if (of.set) words.set("set", of.set.join(":"));
  if (of.q) words.set("q", of.q);
  for (const name of ["min", "from", "to", "shortest", "longest"]) if (of[name] !== null) words.set(name, String(+of[name].toFixed(6)));
  for (const name of ["disagree", "ticked"]) if (of[name]) words.set(name, "1");
  if (of.seg !== null) words.set("seg", String(numberOf(of.seg)));
  return `#${words}`;
}

// Change the state, record it in the address and show it. `browse`: scroll to the segments, which the change filters.
function change(changes, {browse = false} = {}) {
  const next = {...state, ...changes};
  if (next.a === next.b && !single()) next.b = "a" in changes ? (state.a === next.a ? ranked(next.m).find((s) => s !== next.a) : state.a) : next.b;
  if (next.a === next.b && !single()) next.a = state.b === next.b ? ranked(next.m).find((s) => s !== next.b) : state.b;
  next.more = next.more.filter((s) => s !== next.a && s !== next.b);
  if (next.m === next.other && D.metrics.length > 1) next.other = next.m ? 0 : 1;
  const before = state;
  state = next;
  // Limits of a difference mean nothing for other systems or another metric.
  if (before.m !== next.m || before.a !== next.a || before.b !== next.b)
    for (const name of ["from", "to", "min", "set"]) if (!(name in changes)) state[name] = null;
  if (!("seg" in changes)) state.seg = null;
  history.replaceState(null, "", address());
  show();
  if (browse) byId("segments").scrollIntoView({block: "start"});
}
