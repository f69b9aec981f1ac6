// The button of a header sorts up, then down, then restores the original order, which may be that of a paper. Numbers
// are compared as numbers; other cells (a dash) are always last.
for (const table of document.querySelectorAll("table")) {
  const body = table.tBodies[0], original = [...body.rows], heads = [...table.tHead.rows[0].cells];
  const text = (row, at) => (row.cells[at].querySelector(".value") ?? row.cells[at]).textContent.trim();
  const value = (row, at) => parseFloat(
    text(row, at).replace(/\u2212/g, "-").replace(/(\d),(?=\d{3})/g, "$1").replace(/^[<>\u2264\u2265+ ]+/, ""));
  const compare = (a, b, at, sign) => {
    if (!heads[at].classList.contains("number"))
      return sign * text(a, at).localeCompare(text(b, at), undefined, {numeric: true});
    const x = value(a, at), y = value(b, at);
    return isNaN(x) || isNaN(y) ? isNaN(x) - isNaN(y) : sign * (x - y);
  };
  heads.forEach((head, at) => {
    if (!head.textContent.trim()) return;
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    head.setAttribute("aria-sort", "none");
    button.addEventListener("click", () => {
      const next = {none: "ascending", ascending: "descending", descending: "none"}[head.getAttribute("aria-sort")];
      for (const other of heads) other.setAttribute("aria-sort", "none");
      head.setAttribute("aria-sort", next);
      const sign = next === "descending" ? -1 : 1;
      body.append(...(next === "none" ? original : [...original].sort((a, b) => compare(a, b, at, sign))));
    });
  });
}
for (const code of document.querySelectorAll("section > p > code:only-child")) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy";
  button.textContent = "Copy";
  button.setAttribute("aria-live", "polite");
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(code.textContent);
      button.textContent = "Copied";
    } catch { // without permission: select it, to be copied by hand
      getSelection().selectAllChildren(code);
    }
    setTimeout(() => { button.textContent = "Copy"; }, 2000);
  });
  code.after(" ", button);
}
// Large drawings are packed, and drawn when they come near the window, or before the page is printed.
async function draw(place) {
  const packed = Uint8Array.from(atob(place.dataset.drawing), (c) => c.charCodeAt(0));
  place.removeAttribute("data-drawing");
  const text = await new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
  place.append(document.adoptNode(new DOMParser().parseFromString(text, "image/svg+xml").documentElement));
  place.removeAttribute("style");
}
const drawings = [...document.querySelectorAll("[data-drawing]")];
const near = new IntersectionObserver((entries) => {
  for (const {isIntersecting, target} of entries) if (isIntersecting) { near.unobserve(target); draw(target); }
}, {rootMargin: "800px 0px"});
for (const place of drawings) near.observe(place);
addEventListener("beforeprint", () => { for (const place of drawings) if (place.dataset.drawing) draw(place); });
document.querySelector("header").append(themeButton());
