// The list of segments, which all pages with segments share. It has an empty place for every segment; those near the
// window are filled, others emptied. A page has `cardParts`, `filtered`, `address`, `change` and CLEAR, the state without filters.
const PIECE = 1500; // places that are added at once
const places = new Map(); // segment -> its element
const ticked = new Set();
let state = {}, listed = [], list, watcher, ending;
const renderers = []; // functions that show the state, in order

// Render again only if what a part depends on has changed: most filters change the list alone.
function renderWhen(depends, render) {
  let last;
  renderers.push(() => {
    const now = JSON.stringify(depends());
    if (now !== last) render();
    last = now;
  });
}

function show() {
  const focused = document.activeElement?.dataset?.key;
  for (const render of renderers) render();
  if (focused && document.activeElement === document.body) document.querySelector(`[data-key="${CSS.escape(focused)}"]`)?.focus();
}

function buildList(attributes = {}) {
  list = el("div", {id: "list", ...attributes});
  ending = el("div", {"aria-hidden": "true", style: {height: "1px"}});
  watcher = new IntersectionObserver((entries) => {
    for (const entry of entries) entry.isIntersecting ? fill(entry.target) : empty(entry.target);
  }, {rootMargin: "1200px 0px"});
  new IntersectionObserver((entries) => { if (entries.some((entry) => entry.isIntersecting)) extend(list.children.length + PIECE); }, {rootMargin: "2000px 0px"}).observe(ending);
  return [list, ending];
}

function searchField() {
  const search = el("input", {type: "search", placeholder: "Search, or /regex/", "aria-label": "Search in texts", id: "search", value: state.q,
                              oninput: debounced(() => change({q: search.value}))});
  return search;
}

// Show the segments that fit the state, and how many they are.
function showList(search, status) {
  if (document.activeElement !== search) search.value = state.q;
  const wrong = searchPattern(state.q);
  search.setAttribute("aria-invalid", String(wrong instanceof Error));
  listed = filtered();
  if (state.seg !== null && !listed.includes(state.seg)) listed.unshift(state.seg);
  status.replaceChildren(el("b", {}, listed.length === D.n ? count(D.n, "segment") : `${listed.length.toLocaleString("en")} of ${count(D.n, "segment")}`),
    wrong instanceof Error ? " (this is no regular expression)" : "");
  list.replaceChildren();
  extend(PIECE);
  if (state.seg !== null) places.get(state.seg)?.classList.add("current");
}

function placeOf(i) {
  if (!places.has(i)) places.set(i, el("article", {class: "segment", id: `segment-${numberOf(i)}`, "data-i": i, tabindex: -1, "aria-label": `Segment ${numberOf(i)}`}));
  return places.get(i);
}

function extend(size) {
  const from = list.children.length, added = listed.slice(from, size).map(placeOf);
  for (const place of added) { place.classList.remove("current"); watcher.unobserve(place); }
  list.append(...added);
  for (const place of added) {
    if (place.dataset.filled) refill(place); // it may show other systems
    watcher.observe(place);
  }
}

function empty(place) {
  if (!place.dataset.filled || place.contains(document.activeElement)) return;
  if (place.isConnected) place.style.setProperty("min-height", `${place.offsetHeight}px`);
  place.replaceChildren();
  delete place.dataset.filled;
}

function fill(place) {
  if (place.dataset.filled) return;
  place.dataset.filled = "1";
  place.style.removeProperty("min-height");
  place.replaceChildren(...cardParts(+place.dataset.i));
}

function refill(place) {
  delete place.dataset.filled;
  fill(place);
}

// Go to a segment and record it in the address.
function openSegment(i, scroll = true) {
  state.seg = i;
  if (!listed.includes(i)) return change({...CLEAR, seg: i}), goTo(i);
  history.replaceState(null, "", address());
  document.querySelector(".segment.current")?.classList.remove("current");
  if (scroll) goTo(i);
  else placeOf(i).classList.add("current");
}

function goTo(i) {
  extend(listed.indexOf(i) + PIECE / 10);
  const place = placeOf(i);
  fill(place);
  place.classList.add("current");
  place.focus({preventScroll: true});
  // Neighbours that are filled on the way move it, so go there until it stays.
  const settle = (left, before) => {
    place.scrollIntoView({block: "start"});
    const top = place.getBoundingClientRect().top;
    if (left && state.seg === i) requestAnimationFrame(() => settle(top === before ? left - 1 : 4, top));
  };
  settle(4, null);
}

// Controls that are folded on small screens.
function folded(title, ...parts) {
  return el("details", {class: "folded", open: matchMedia("(min-width: 40.01rem)").matches}, el("summary", {class: "small"}, title), parts);
}

function debounced(action, wait = 150) {
  let timer;
  return () => { clearTimeout(timer); timer = setTimeout(action, wait); };
}

function step(by) {
  if (!listed.length) return;
  const at = state.seg === null ? (by > 0 ? -1 : 0) : listed.indexOf(state.seg);
  openSegment(listed[Math.min(Math.max(at + by, 0), listed.length - 1)]);
}

// Print the segments that are ticked, or the first that are listed.
function printChosen() {
  addEventListener("beforeprint", () => {
    const printed = new Set(ticked.size ? ticked : listed.slice(0, 20));
    for (const [i, place] of places) place.toggleAttribute("data-print", printed.has(i));
    for (const i of printed) fill(placeOf(i));
  });
}

// Unpack the data, build the page, show what the address asks for, and follow its changes. build: returns the parts.
async function startPage(build) {
  D = await unpack();
  state = readAddress();
  byId("app").append(...build());
  show();
  showTicked();
  byId("app").setAttribute("aria-busy", "false");
  if (state.seg !== null) goTo(state.seg);
  printChosen();
  addEventListener("hashchange", () => { state = readAddress(); show(); if (state.seg !== null) goTo(state.seg); });
}

function start(build) {
  startPage(build).catch((error) => {
    byId("app").append(el("p", {}, `The page cannot be shown: ${error.message}`));
    throw error;
  });
}
