"""Pictures of the rating server's pages, for `make_pictures.py`."""

from __future__ import annotations

import contextlib
import hashlib
import json
import random
import socket
import sys
import threading
import time
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import tercet
from tercet.human.designs import design

RATING = ("rating-adequacy", "rating-mqm", "rating-phone-arabic", "rating-organiser")
ARABIC = tercet.TestSet({"a": ["جلست القطة على السجادة."]}, {}, source=["The cat sat on the mat."], pair="en-ar")


def rating_fingerprint() -> str:
    """Return a digest of the templates, styles and scripts of the pages."""
    parts = sorted(files("tercet.human").joinpath("pages").iterdir(), key=lambda part: part.name)
    return hashlib.sha256(b"".join(part.read_bytes() for part in parts)).hexdigest()[:16]


def take_rating_pictures(browser: Any, folder: Path, images: Path) -> None:
    """Write the pictures."""
    demo = tercet.demo("en-de")

    def shoot(name: str, tab: Any, *, whole: bool = False) -> None:
        tab.wait_for_timeout(300)
        tab.screenshot(path=images / f"{name}.png", full_page=whole)
        print(f"Wrote {images / name}.png", file=sys.stderr)
        tab.context.close()

    with _serving(demo, "adequacy", folder, segments=3) as (address, tokens, _):
        shoot("rating-adequacy", _rater(browser, address, tokens, 900, 640))
    with _serving(demo.only(["Cedar"]), "mqm", folder, segments=3) as (address, tokens, _):
        tab = _rater(browser, address, tokens, 900, 720)
        for words, severity, category in ((5, "2", "Grammar"), (7, "3", "Mistranslation")):
            for keys in ["Control+ArrowRight"] * words + ["Control+Shift+ArrowRight", severity]:
                tab.keyboard.press(keys)
            tab.locator("select").last.select_option(label=category)
            tab.locator("#output-0").focus()
        shoot("rating-mqm", tab)
    with _serving(ARABIC, "esa", folder) as (address, tokens, _):
        tab = _rater(browser, address, tokens, 390, 844)
        tab.keyboard.press("Control+Shift+ArrowLeft")
        tab.keyboard.press("1")
        shoot("rating-phone-arabic", tab)
    with _serving(demo, "da", folder, bad=0.1) as (address, tokens, answer):
        answer()
        tab = browser.new_context(viewport={"width": 1150, "height": 900}).new_page()
        tab.goto(f"{address}/o/{tokens.organiser}")
        shoot("rating-organiser", tab, whole=True)


def _rater(browser: Any, address: str, tokens: Any, width: int, height: int) -> Any:
    """Open the first item of a rater."""
    tab = browser.new_context(viewport={"width": width, "height": height}).new_page()
    tab.goto(f"{address}/r/{next(iter(tokens.raters.values()))}")
    tab.keyboard.press("Enter")
    tab.locator("#output-0").wait_for()
    return tab


@contextlib.contextmanager
def _serving(testset: tercet.TestSet, protocol: str, folder: Path, **how: Any) -> Iterator[tuple[str, Any, Any]]:
    """Serve a campaign in a thread. The last value stores invented answers of all raters."""
    import uvicorn

    from tercet.human.server import create_app
    from tercet.human.storage import Store

    people = ["anna", "ben", "carla", "dilek", "emre"]
    campaign, tokens = design(testset, protocol=protocol, raters=people, name="News", **how).with_tokens()
    store = Store.open(folder / f"{protocol}.db", campaign)
    listening = socket.create_server(("127.0.0.1", 0))
    address = f"http://127.0.0.1:{listening.getsockname()[1]}"
    server = uvicorn.Server(uvicorn.Config(create_app(campaign, store, address=address), log_level="error"))
    threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True).start()
    while not server.started:
        time.sleep(0.05)
    try:
        yield address, tokens, lambda: _answer(campaign, store, folder)
    finally:
        server.should_exit = True
        store.close()


def _answer(campaign: Any, store: Any, folder: Path) -> None:
    """Store answers near the ratings of the demo; one rater gives any score, and fails the checks."""
    means: dict[tuple[str, str], float] = {}
    for line in (folder / "judgements.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        means[row["segment"], row["system"]] = row["value"]
    draws = random.Random(1)
    items = {item.id: item for item in campaign.items}
    for number, rater in enumerate(campaign.raters):
        for place, name in enumerate(rater.items[: 106 - 7 * number]):
            item = items[name]
            [output] = item.outputs
            near = means.get((item.segment, output.system), 30.0) - (40 if item.check == "bad" else 0)
            value = draws.uniform(0, 100) if rater.name == "dilek" else near + draws.gauss(0, 12)
            answer = {"value": round(min(max(value, 0), 100))}
            request, seconds = f"{rater.name}{place}", draws.uniform(8, 20)
            store.append(request=request, rater=rater.name, item=name, answer=answer, seconds=seconds)
