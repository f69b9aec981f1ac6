"""Makes the pictures of pages and figures in docs/images from the demo texts, with the system's chromium.

python scripts/make_pictures.py [NAME ...]

`pictures.json` beside them keeps a fingerprint of what each picture shows; a test compares it with what the commands
write today. The fingerprint is of words, numbers, styles and scripts, not of pixels, which depend on fonts.
"""

from __future__ import annotations

import base64
import contextlib
import gzip
import hashlib
import json
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from rating_pictures import RATING, rating_fingerprint, results_page, take_rating_pictures

import tercet
from tercet import examples
from tercet.cli import group

IMAGES = Path(__file__).resolve().parents[1] / "docs" / "images"
KEPT = IMAGES / "pictures.json"
FIGURES = "--figure-format svg -q"
COMMANDS = [  # in a folder with the texts of `tercet demo --write`
    "report -t en-de.jsonl -m chrf bleu ter meteor --judgements judgements.jsonl --title Demo -o report.html",
    "entities -s names/src.txt -i names/Birch.txt names/Cedar.txt -l en-de --html entities.html",
    "reproduce thesis --table 4.9 --html reproduce.html -q",
    f"meta en-de.jsonl --judgements judgements.jsonl -m bleu chrf ter --level seg --stat pearson --figures . {FIGURES}",
    f"agree judgements.jsonl --figures . {FIGURES}",
    "review de-en/src.txt de-en/Birch.txt -l de-en --words-per-hour 1000 -q -o reviewed.html",
    "qe rank default de-en/src.txt de-en/Cedar.txt -l de-en --top 12 -f html -o review.html -q",
    "track page runs.db -o history.html",
]


NAMES = {  # the demo's outputs keep all names, so these have some that are lost and invented
    "src": (
        "The concert in Vienna was moved to Saturday.\nTrains from Hamburg to Copenhagen stop in Lübeck.\n"
        "The Polish minister visited Ottawa in March.\nOur office in Lisbon opens on Monday.\n"
        "Storks fly from Poland to Egypt.\nGoogle opened a laboratory in Zurich.\n"
    ),
    "Birch": (
        "Das Konzert in Wien wurde auf Sonntag verschoben.\nZüge von Hamburg nach Kopenhagen halten in Lübeck.\n"
        "Der polnische Minister besuchte im März Ottawa.\nUnser Büro in Lissabon öffnet am Montag.\n"
        "Störche fliegen von Polen nach Ägypten.\nGoogle hat ein Labor in Zürich eröffnet.\n"
    ),
    "Cedar": (
        "Das Konzert in Venedig war verschoben auf Samstag.\nZüge von Hamburg zu Oslo halten in Lübeck.\n"
        "Der polnische Minister besuchte im März.\nUnser Büro in Lissabon öffnet an Montag.\n"
        "Störche fliegen von Polen zu Ägypten.\nMicrosoft geöffnet ein Labor in Zürich.\n"
    ),
}


class Picture(NamedTuple):
    """A part of a page in a window of this size."""

    file: str
    width: int = 1280
    height: int = 900
    scheme: str = "light"
    address: str = ""
    scroll: str = ""


PAGES = {
    "report-overview": Picture("report.html", height=1010),
    "report-segments": Picture("report.html", 1280, 900, "dark", "#q=/Bäcker|Hafen|Ersatz/&more=Cedar", "#segments"),
    "report-layers": Picture("report.html", height=720, address="#marks=METEOR", scroll="#segments"),
    "report-phone": Picture("report.html", 390, 1100),
    "entities-page": Picture("entities.html", height=1000),
    "reproduce-page": Picture("reproduce.html", height=800),
    "review-page": Picture("reviewed.html", height=1100),
    "qe-review": Picture("review.html", height=900),
    "track-page": Picture("history.html", height=900),
    "rating-results": Picture("results.html", height=1000),
}
DRAWINGS = {  # figures are copied as they are
    "meta-intervals": "en-de.intervals.svg",
    "meta-scatter": "en-de.scatter.chrF2.svg",
    "agree-agreement": "ratings.en-de.da.agreement.svg",
    "agree-stages": "ratings.en-de.da.stages.svg",
    "agree-raters": "ratings.en-de.da.raters.svg",
    "agree-spread": "ratings.en-de.da.spread.svg",
}


@contextlib.contextmanager
def written() -> Iterator[Path]:
    """Run the commands in a temporary folder with the demo texts."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        examples.write("en-de", ".")
        examples.write("de-en", "de-en")
        Path("names").mkdir()
        for name, text in NAMES.items():
            Path("names", f"{name}.txt").write_text(text, "utf-8")
        _track("runs.db")
        Path("rated").mkdir()
        Path("results.html").write_bytes(results_page(Path("rated"), Path(folder)))
        for command in COMMANDS:
            with contextlib.redirect_stdout(sys.stderr):
                group.main(args=command.split(), prog_name="tercet", standalone_mode=False)
        yield Path(folder)


def _track(path: str) -> None:
    """Keep twelve nights of a system that gets better, and once worse: it takes over lines of better outputs."""
    demo, history = tercet.demo("en-de"), tercet.track(path)
    for night, (worse, better, lines) in enumerate(
        [("Cedar", "Birch", 4 * n) for n in range(8)]
        + [("Cedar", "Birch", 12)]
        + [("Birch", "Alder", 8 * n) for n in range(3)]
    ):
        outputs = (*demo.outputs[better][:lines], *demo.outputs[worse][lines:])
        texts = tercet.TestSet({"nmt": outputs}, demo.references, demo.source, pair="en-de", name="news")
        tags = {"commit": f"{0x1A2B3C + night:x}"}
        history.add(
            tercet.score(texts, ["chrf", "bleu"]), texts, time=f"2026-03-{night + 1:02}T03:00:00+00:00", tags=tags
        )


def fingerprint(path: Path) -> str:
    """Return a digest of what a page or drawing shows; versions of programs are left out."""
    text = path.read_text("utf-8")
    if path.suffix == ".svg":
        return _digest("\n".join(re.findall(r"<text[^>]*>([^<]*)</text>", text)))
    packed = re.search(r'<script type="application/gzip" id="data">([^<]*)</script>', text)
    if packed is not None:
        data = json.loads(gzip.decompress(base64.b64decode(packed[1])))
        text = text.replace(packed[1], json.dumps(_shown(data), sort_keys=True))
    text = re.sub(r"<svg.*?</svg>|Content-Security-Policy[^>]*|tercet[0-9.]+|[0-9a-f]{16,}", "", text, flags=re.DOTALL)
    return _digest(text)


def _shown(data: Any) -> Any:
    """Return data without versions and signatures; numbers of one decimal are the same on all processors."""
    if isinstance(data, dict):
        return {name: _shown(value) for name, value in data.items() if name not in ("facts", "signature")}
    if isinstance(data, list):
        return [_shown(value) for value in data]
    return round(data, 1) if isinstance(data, float) else data


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8")).hexdigest()[:16]


def fingerprints(folder: Path) -> dict[str, str]:
    """Return the fingerprints of all pictures, from the files that the commands wrote."""
    files = {name: picture.file for name, picture in PAGES.items()} | DRAWINGS
    found = {name: fingerprint(folder / file) for name, file in files.items()}
    return found | dict.fromkeys(RATING, rating_fingerprint())


def main(names: list[str]) -> None:
    """Make the pictures with these names, or all."""
    from playwright.sync_api import sync_playwright

    with written() as folder, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=shutil.which("chromium") or shutil.which("chromium-browser"))
        for name, picture in PAGES.items():
            if not names or name in names:
                _take(browser, folder, name, picture)
        for name, file in DRAWINGS.items():
            shutil.copy(folder / file, IMAGES / f"{name}.svg")
        if not names or set(names) & set(RATING):
            take_rating_pictures(browser, folder, IMAGES)
        browser.close()
        KEPT.write_text(json.dumps(fingerprints(folder), indent=1) + "\n", "utf-8")


def _take(browser: Any, folder: Path, name: str, picture: Picture) -> None:
    size = {"width": picture.width, "height": picture.height}
    context = browser.new_context(viewport=size, color_scheme=picture.scheme)
    tab = context.new_page()
    tab.goto(f"{(folder / picture.file).as_uri()}{picture.address}")
    if picture.file == "report.html":
        tab.locator("#app[aria-busy=false]").wait_for()
    if picture.scroll:
        tab.locator(picture.scroll).evaluate("element => element.scrollIntoView()")
    tab.wait_for_timeout(500)
    tab.screenshot(path=IMAGES / f"{name}.png")
    print(f"Wrote {IMAGES / name}.png", file=sys.stderr)
    context.close()


if __name__ == "__main__":
    main(sys.argv[1:])
