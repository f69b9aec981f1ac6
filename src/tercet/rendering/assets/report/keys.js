// The keyboard, help, and the switch between light and dark.
const KEYS = [
  ["j k", "next, previous segment"], ["n p", "next, previous by the largest difference"], ["/", "search"],
  ["[ ]", "previous, next system as B"], ["m", "next metric"], ["s", "swap A and B"], ["x", "tick the segment"], ["t", "light or dark"],
  ["?", "this help"], ["Esc", "close, or leave the search"],
];

function buildTools() {
  const help = el("dialog", {"aria-labelledby": "help-title"}, el("h2", {id: "help-title", style: {margin: "0 0 .5rem"}}, "Keyboard"),
    el("table", {}, el("tbody", {}, KEYS.map(([keys, what]) => el("tr", {}, el("td", {}, keys.split(" ").flatMap((key) => [el("kbd", {}, key), " "])), el("td", {}, what))))),
    el("p", {class: "small soft"}, "Every number leads to segments: click a system, a cell, a bar, a slice or a point. The address records what you see."),
    el("form", {method: "dialog"}, el("button", {}, "Close")));
  document.body.append(help, el("div", {id: "notice", role: "status"}));
  byId("tools").append(
    themeButton(),
    el("button", {type: "button", "aria-label": "Help", title: "Help (?)", onclick: () => help.showModal()}, "?"));
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || help.open) return;
    if (event.target.matches("input:not([type=checkbox]), textarea, select")) {
      if (event.key === "Escape") event.target.blur();
      return;
    }
    const action = {
      j: () => step(1), k: () => step(-1), n: () => bySize(1), p: () => bySize(-1), "/": () => byId("search").focus(), "[": () => turn(-1), "]": () => turn(1),
      m: () => stay({m: (state.m + 1) % D.metrics.length}), s: () => stay({a: state.b, b: state.a}), t: switchTheme, "?": () => help.showModal(),
      x: () => { if (state.seg !== null) { setTick(state.seg, !ticked.has(state.seg)); refill(placeOf(state.seg)); } },
    }[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  });
}

function step(by) {
  if (!listed.length) return;
  const at = state.seg === null ? (by > 0 ? -1 : 0) : listed.indexOf(state.seg);
  openSegment(listed[Math.min(Math.max(at + by, 0), listed.length - 1)]);
}

function bySize(by) {
  if (state.sort !== "size") { change({sort: "size", seg: by > 0 ? null : state.seg}); }
  step(by);
}

function turn(by) {
  const order = ranked(state.m).filter((s) => s !== state.a);
  stay({b: order[(order.indexOf(state.b) + by + order.length) % order.length]});
}

// Change what is shown and stay at the segment.
function stay(changes) {
  change({...changes, seg: state.seg});
  if (state.seg !== null) goTo(state.seg);
}
