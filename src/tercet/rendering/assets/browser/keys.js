// The keyboard, help, and the switch between light and dark. A page has keys and actions of its own.
const SHARED_KEYS = [["j k", "next, previous segment"], ["/", "search"]];
const LAST_KEYS = [["t", "light or dark"], ["?", "this help"], ["Esc", "close, or leave the search"]];

function buildTools(keys, actions, hint) {
  const rows = [...SHARED_KEYS, ...keys, ...LAST_KEYS];
  const help = el("dialog", {"aria-labelledby": "help-title"}, el("h2", {id: "help-title", style: {margin: "0 0 .5rem"}}, "Keyboard"),
    el("table", {}, el("tbody", {}, rows.map(([keys, what]) => el("tr", {}, el("td", {}, keys.split(" ").flatMap((key) => [el("kbd", {}, key), " "])), el("td", {}, what))))),
    el("p", {class: "small soft"}, hint),
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
    const action = {j: () => step(1), k: () => step(-1), "/": () => byId("search").focus(), t: switchTheme, "?": () => help.showModal(), ...actions}[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  });
}
