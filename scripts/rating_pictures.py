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

RATING = ("rating-start", "rating-adequacy", "rating-mqm", "rating-phone-arabic", "rating-organiser", "rating-overview")
ARABIC = tercet.TestSet({"a": ["جلست القطة على السجادة."]}, {}, source=["The cat sat on the mat."], pair="en-ar")


def rating_fingerprint() -> str:
    """Return a digest of the templates, styles, scripts and guidelines of the pages."""
    folders = [files("tercet.human").joinpath(name) for name in ("pages", "guidelines")]
    parts = [part for folder in folders for part in sorted(folder.iterdir(), key=lambda part: part.name)]
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
        tab = browser.new_context(viewport={"width": 900, "height": 900}).new_page()
        tab.goto(f"{address}/r/{next(iter(tokens.raters.values()))}")
        shoot("rating-start", tab)
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
    tab = browser.new_context(viewport={"width": 1100, "height": 340}).new_page()
    with _serving_several(demo, folder) as links:
        for link in links:
            tab.goto(link)
        tab.get_by_role("link", name="All campaigns").click()
        shoot("rating-overview", tab)


def results_page(work: Path, demo: Path) -> bytes:
    """Return the page with the results of a finished campaign; `demo` has the ratings of the demo."""
    from tercet.human.storage import Store
    from tercet.rating_report import report_page

    people = ["anna", "ben", "carla", "dilek", "emre"]
    made = design(tercet.demo("en-de"), protocol="da", raters=people, name="News", bad=0.1)
    campaign, _ = made.with_tokens()
    with contextlib.closing(Store.open(work / "da.db", campaign)) as store:
        _answer(campaign, store, demo)
        return report_page(campaign, list(store.records())).encode("utf-8")


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
    from tercet.human.server import create_app
    from tercet.human.storage import Store
    from tercet.rating_report import report_page

    people = ["anna", "ben", "carla", "dilek", "emre"]
    campaign, tokens = design(testset, protocol=protocol, raters=people, name="News", **how).with_tokens()
    store = Store.open(folder / f"{protocol}.db", campaign)
    with contextlib.closing(store), _running(create_app(campaign, store, report=report_page)) as address:
        yield address, tokens, lambda: _answer(campaign, store, folder)


@contextlib.contextmanager
def _serving_several(testset: tercet.TestSet, folder: Path) -> Iterator[list[str]]:
    """Serve three campaigns, one of them finished and one not begun, and yield the organiser's links."""
    from tercet.human.server import create_site
    from tercet.human.storage import Store

    campaigns, stores, secrets = [], [], []
    for name, segments, share in (("News", 32, 0.6), ("Product pages", 12, 1.0), ("Manual", 20, 0.0)):
        made = design(testset, protocol="da", raters=["anna", "ben", "carla"], name=name, segments=segments)
        campaign, tokens = made.with_tokens()
        stores.append(Store.open(folder / f"{name}.db", campaign))
        for rater in campaign.raters:
            for place, item in enumerate(rater.items[: round(share * len(rater.items))]):
                request, answer = f"{rater.name}{place}", {"value": 50}
                stores[-1].append(request=request, rater=rater.name, item=item, answer=answer, seconds=9.0)
        campaigns.append(campaign)
        secrets.append(tokens.organiser)
    with _running(create_site(["news", "product", "manual"], campaigns, stores)) as address:
        yield [f"{address}/o/{secret}" for secret in secrets]
    for store in stores:
        store.close()


@contextlib.contextmanager
def _running(app: Any) -> Iterator[str]:
    """Run an application in a thread, on a free port, and yield its address."""
    import uvicorn

    listening = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(app, log_level="error"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.05)
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(10)
        listening.close()


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
