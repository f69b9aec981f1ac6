"""Makes the pictures of the report in docs/images from the demo texts, with the system's chromium.

python scripts/make_pictures.py
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

import tercet
from tercet import examples

IMAGES = Path(__file__).resolve().parents[1] / "docs" / "images"
PICTURES = {  # name -> width, height, colour scheme, part of the address
    "report-overview": (1280, 1010, "light", ""),
    "report-segments": (1280, 900, "dark", "#q=/Bäcker|Hafen|Ersatz/&more=Cedar"),
}


def main() -> None:
    """Write one PNG file per picture."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        page = Path(folder, "report.html")
        texts = examples.write("en-de", folder)
        ratings = [Path(folder, name) for name in texts["judgements"]]
        tercet.report(tercet.demo("en-de"), ["chrf", "bleu", "ter"], judgements=ratings, title="Demo").write(page)
        browser = driver.chromium.launch(executable_path=shutil.which("chromium") or shutil.which("chromium-browser"))
        for name, (width, height, scheme, address) in PICTURES.items():
            context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
            tab = context.new_page()
            tab.goto(f"{page.as_uri()}{address}")
            tab.locator("#app[aria-busy=false]").wait_for()
            if address:
                tab.evaluate("document.querySelector('#segments').scrollIntoView()")
            tab.wait_for_timeout(500)
            tab.screenshot(path=IMAGES / f"{name}.png")
            print(f"Wrote {IMAGES / f'{name}.png'}", file=sys.stderr)
            context.close()
        browser.close()


if __name__ == "__main__":
    main()
