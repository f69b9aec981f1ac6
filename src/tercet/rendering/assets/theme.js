// The switch between light and dark, for every page; without a choice the page follows the system.
function switchTheme() {
  const root = document.documentElement, chosen = root.dataset.theme;
  const isDark = chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = isDark ? "light" : "dark";
}

function themeButton() {
  const button = document.createElement("button");
  Object.assign(button, {type: "button", className: "theme", title: "Light or dark", textContent: "\u25d0"});
  button.setAttribute("aria-label", "Light or dark");
  button.addEventListener("click", switchTheme);
  return button;
}
