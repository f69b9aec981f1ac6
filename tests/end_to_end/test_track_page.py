"""The page of `tercet track page` in a real browser, with few runs and with very many."""

import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tercet.tasks.track.page import page_of
from tercet.tasks.track.runs import Run, RunScore

from .test_accessibility import check_views

pytestmark = pytest.mark.xdist_group("report")


def nights(number: int, metrics: int, systems: int) -> list[Run]:
    rng, made = np.random.default_rng(1), []
    for i in range(number):
        before = i + 1 - systems if i >= systems else None
        rows = [
            RunScore(
                f"m{k}", "", k % 5 != 4, float(30 + rng.normal()), 0.4, before, float(rng.random()) if before else None
            )
            for k in range(metrics)
        ]
        when = datetime(2025, 1, 1, tzinfo=UTC) + timedelta(hours=8 * i)
        tags = {"commit": f"{rng.integers(1 << 28):07x}"}
        made.append(Run(f"<i>{i % systems}", tuple(rows), when.isoformat(), "news", "en-de", 2000, tags, {}, "", i + 1))
    return made


def test_two_runs_are_chosen_and_compared(visit: Any, tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text(page_of(nights(60, 3, 2), "runs.db", ["58-60"], "reports"), "utf-8")
    tab = visit(tmp_path / "page.html")
    tab.locator("#app[aria-busy=false]").wait_for()
    assert tab.locator(".chart svg").count() == 3 and tab.locator(".chart .line").count() == 6
    tab.get_by_role("button", name="Choose run 60").click()
    tab.get_by_role("button", name="Choose run 58").click()
    assert tab.locator(".pair tbody tr").count() == 3
    assert tab.locator(".pair pre").inner_text() == "tercet track compare runs.db 58 60 -f html -o report.html"
    assert tab.get_by_role("link", name="The report of these two runs").get_attribute("href") == "reports/58-60.html"
    assert tab.locator(".picked").count() == 6
    tab.locator(".chart svg").first.click(position={"x": 80, "y": 60})
    assert "run 60" in tab.locator(".pair h2").inner_text() or "run 58" in tab.locator(".pair h2").inner_text()
    tab.locator(".chart svg").first.hover(position={"x": 300, "y": 60})
    assert "m0" in tab.locator("#said").inner_text() and "commit=" in tab.locator("#said").inner_text()
    tab.get_by_role("checkbox").first.uncheck()
    assert tab.locator(".chart .line").count() == 3
    tab.get_by_role("searchbox").fill("commit=nothing")
    assert tab.locator("#charts").inner_text() == "No run is shown."
    tab.get_by_role("searchbox").fill("")
    tab.get_by_role("button", name="To scale of time").click()
    assert "run 2" in tab.locator(".chart text").all_text_contents()
    check_views(tab)


def test_10000_runs_with_20_metrics_open_in_two_seconds(visit: Any, tmp_path: Path) -> None:
    page = page_of(nights(10_000, 20, 4), "runs.db")
    assert len(page.encode()) < 5e6
    (tmp_path / "page.html").write_text(page, "utf-8")
    seconds = []
    for _ in range(3):  # the machine may be busy
        began = time.monotonic()
        visit(tmp_path / "page.html").locator(".chart svg").first.wait_for()
        seconds.append(time.monotonic() - began)
        if seconds[-1] < 2:
            break
    assert min(seconds) < 2
