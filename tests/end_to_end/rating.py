"""Helpers of the browser tests of the rating server: small campaigns of every protocol, a server, checks of pages."""

import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from tercet.human.campaign import Campaign, Item, Output, Rater, Tokens
from tercet.human.protocols import PROTOCOLS

SOURCES = ("The cat sat on the mat.", "It rains.", "She left early.")
TEXTS = {  # by target language: outputs of three systems for three segments
    "de": (
        ("Die Katze saß auf der Matte.", "Die Katze sitzt auf Matte.", "Der Hund saß auf der Matte."),
        ("Es regnet.", "Es ist Regen.", "Regen macht."),
        ("Sie ging früh.", "Sie hat früh gegangen.", "Sie ließ früh."),
    ),
    "ar": (
        ("جلست القطة على السجادة.", "القطة جلس على سجادة.", "جلس الكلب على السجادة."),
        ("إنها تمطر.", "هو مطر.", "المطر يعمل."),
        ("غادرت مبكرا.", "هي تركت مبكر.", "تركت في وقت مبكر."),
    ),
    "zh": (
        ("猫坐在垫子上。", "猫坐垫子。", "狗坐在垫子上。"),
        ("下雨了。", "它下雨。", "雨做。"),
        ("她很早就离开了。", "她离开早。", "她左早。"),
    ),
}


def make_campaign(
    protocol: str,
    *,
    language: str = "de",
    raters: Sequence[str] = ("anna", "ben"),
    segments: int = 3,
    tutorial: Item | None = None,
    **changes: Any,
) -> tuple[Campaign, Tokens]:
    """Make a campaign in which all raters judge all items: one per segment, with the systems in turn, or all ranked."""
    how = PROTOCOLS[protocol]
    items = []
    for row in range(segments):
        outputs = [Output(f"system{n}", text) for n, text in enumerate(TEXTS[language][row % 3])]
        chosen = outputs[: how.most] if how.ranks else [outputs[row % 3]]
        items.append(Item(f"i{row}", str(row + 1), tuple(chosen), source=SOURCES[row % 3]))
    campaign = Campaign(
        f"Test of {protocol}",
        protocol,
        [*items, *([tutorial] if tutorial else [])],
        [Rater(name, tuple(item.id for item in items)) for name in raters],
        pair=f"en-{language}",
        tutorial=[tutorial.id] if tutorial else [],
        severities=how.severities,
        categories=how.categories,
        instructions="Read both texts.\nThen judge.",
        id=f"test-{protocol}",
    )
    return replace(campaign, **changes).with_tokens()


@dataclass
class Site:
    """A running server, its campaign and its database."""

    url: str
    campaign: Campaign
    tokens: Tokens
    store: Any

    def link(self, rater: str = "anna") -> str:
        return f"{self.url}/r/{self.tokens.raters[rater]}"

    def answer_all(self, value: int = 50) -> None:
        """Store an answer of every rater to every item: scores near `value`, no errors, all ranks equal."""
        for place, rater in enumerate(self.campaign.raters):
            for number, item in enumerate(rater.items):
                answer: dict[str, Any] = {"value": min(value + 10 * place + number, self.campaign.how.high)}
                if self.campaign.how.spans:
                    answer = {"spans": [[]], "value": None if not self.campaign.how.has_value else value}
                elif self.campaign.how.ranks:
                    answer = {"ranks": dict.fromkeys(self.campaign.item(item).systems, 1)}
                name = f"{rater.name}-{item}"
                self.store.append(request=name, rater=rater.name, item=item, answer=answer, seconds=3.0)

    def answers(self, rater: str = "anna") -> dict[str, Any]:
        return dict(self.store.latest(rater))

    def count(self) -> int:
        return sum(1 for _ in self.store.rows())

    def wait_for(self, rows: int, seconds: float = 8.0) -> None:
        """Wait until this number of rows is stored; more rows are an error."""
        end = time.monotonic() + seconds
        while self.count() < rows and time.monotonic() < end:
            time.sleep(0.02)
        assert self.count() == rows


@contextmanager
def serving(campaign: Campaign, tokens: Tokens, folder: Path) -> Iterator[Site]:
    """Serve the campaign on a free port of this machine, in a thread."""
    pytest.importorskip("uvicorn", reason="the extra tercet[web] is not installed")
    from tercet.human.server import create_app
    from tercet.human.storage import Store
    from tercet.rating_report import report_page

    with (
        closing(Store.open(folder / f"{campaign.id}.db", campaign)) as store,
        running(lambda address: create_app(campaign, store, address=address, report=report_page)) as url,
    ):
        yield Site(url, campaign, tokens, store)


@contextmanager
def serving_several(made: Mapping[str, tuple[Campaign, Tokens]], folder: Path) -> Iterator[dict[str, Site]]:
    """Serve several campaigns, by the names of their pages. The sites have the same address."""
    pytest.importorskip("uvicorn", reason="the extra tercet[web] is not installed")
    from tercet.human.server import create_site
    from tercet.human.storage import Store
    from tercet.rating_report import report_page

    campaigns = [campaign for campaign, _ in made.values()]
    with ExitStack() as opened:
        stores = [opened.enter_context(closing(Store.open(folder / f"{each.id}.db", each))) for each in campaigns]
        with running(
            lambda address: create_site(list(made), campaigns, stores, address=address, report=report_page)
        ) as url:
            yield {
                name: Site(url, campaign, tokens, store)
                for (name, (campaign, tokens)), store in zip(made.items(), stores, strict=True)
            }


@contextmanager
def running(make_app: Callable[[str], Any]) -> Iterator[str]:
    """Run an application on a free port, in a thread, and yield its address."""
    import uvicorn

    listening = socket.create_server(("127.0.0.1", 0))
    address = f"http://127.0.0.1:{listening.getsockname()[1]}"
    config = uvicorn.Config(make_app(address), access_log=False, log_config=None, lifespan="off")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    try:
        while not server.started:
            time.sleep(0.01)
        yield address
    finally:
        server.should_exit = True
        thread.join(10)
        listening.close()


CONTRASTS = """() => {
  const channel = value => (value /= 255) <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  const luminance = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
  const colour = text => text.match(/[\\d.]+/g).map(Number);
  const ground = element => {
    for (let node = element; node; node = node.parentElement) {
      const found = colour(getComputedStyle(node).backgroundColor);
      if (found.length < 4 || found[3] > 0) return found;
    }
    return [255, 255, 255];
  };
  return [...document.querySelectorAll("body *")].filter(element => element.checkVisibility()
      && [...element.childNodes].some(node => node.nodeType === 3 && node.data.trim()) && !element.closest(":disabled"))
    .map(element => {
      const [a, b] = [luminance(colour(getComputedStyle(element).color)), luminance(ground(element))];
      return [element.textContent.trim().slice(0, 30), (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)];
    }).filter(([, contrast]) => contrast < 4.5);
}"""
UNNAMED = """() => [...document.querySelectorAll("input, select, button, progress, [role=textbox]")]
  .filter(element => element.type !== "hidden" && !(element.labels?.length || element.ariaLabel
    || document.getElementById(element.getAttribute("aria-labelledby"))
    || (element.localName === "button" && element.textContent.trim())))
  .map(element => element.outerHTML)"""
SMALL = """() => [...document.querySelectorAll("button, .choice, select, input[type=range]")]
  .filter(part => part.checkVisibility()).map(part => [part.textContent, part.getBoundingClientRect()])
  .filter(([, box]) => box.height < 32 || box.width < 32).map(([text]) => text)"""


def inspect(tab: Any, *, phone: bool = False) -> list[Any]:
    """Return the faults of a page: too little contrast (WCAG AA), controls without names, cut off, or too small."""
    found = [*tab.evaluate(CONTRASTS), *tab.evaluate(UNNAMED)]
    if phone:
        found += tab.evaluate(SMALL)
    if tab.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth"):
        found.append("the page is wider than the screen")
    return found
