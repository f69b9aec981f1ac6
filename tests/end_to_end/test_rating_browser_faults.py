"""Test faults in a real browser: a lost connection, reloads, two tabs, a killed server."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from .rating import Site, make_campaign, serving

pytestmark = pytest.mark.xdist_group("rating browser")


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    with serving(*make_campaign("adequacy", segments=4), tmp_path) as running:
        yield running


def judge(tab: Any, *values: str) -> None:
    for value in values:
        tab.keyboard.press(value)
        tab.keyboard.press("Enter")


def start(context: Any, site: Site) -> Any:
    tab = context.new_page()
    tab.goto(site.link())
    if tab.is_visible("#intro"):
        tab.keyboard.press("Enter")
    return tab


def values(site: Site) -> list[int]:
    return [row.answer["value"] for row in site.store.rows()]


def test_without_a_connection_answers_are_sent_later(context: Any, site: Site) -> None:
    tab = start(context, site)
    judge(tab, "1")
    site.wait_for(1)
    context.set_offline(True)
    judge(tab, "2", "3")
    assert tab.inner_text("#title") == "Item 4 of 4" and tab.inner_text("#count") == "3 of 4"
    tab.wait_for_selector("text=No connection: 2 answers are kept here and will be sent.")
    assert values(site) == [1]
    context.set_offline(False)
    site.wait_for(3)
    tab.wait_for_selector("#status:text-is('Saved')")
    assert values(site) == [1, 2, 3]


def test_the_last_answers_are_sent_before_the_finish_page(context: Any, site: Site) -> None:
    tab = start(context, site)
    context.set_offline(True)
    judge(tab, "1", "2", "3", "4")
    tab.wait_for_selector("text=Keep this page open until everything is sent.")
    context.set_offline(False)
    tab.wait_for_url("**/finish")
    assert values(site) == [1, 2, 3, 4]


def test_unsent_answers_survive_a_reload_and_a_closed_tab(context: Any, site: Site) -> None:
    tab = start(context, site)
    context.route("**/api/answer", lambda route: route.abort())  # pages load, but nothing can be saved
    judge(tab, "5", "4")
    tab.reload()
    assert tab.inner_text("#title") == "Item 3 of 4" and tab.inner_text("#count") == "2 of 4"
    tab.close()
    assert site.count() == 0
    context.unroute("**/api/answer")
    start(context, site)
    site.wait_for(2)
    assert values(site) == [5, 4]


def test_an_answer_whose_reply_was_lost_is_sent_again_and_not_doubled(context: Any, site: Site) -> None:
    lost = []

    def lose(route: Any) -> None:
        if not lost:
            lost.append(route.fetch().status)  # the server stores it, but the reply is lost
            route.abort()
        else:
            route.continue_()

    context.route("**/api/answer", lose)
    tab = start(context, site)
    judge(tab, "2")
    tab.wait_for_selector("#status:text-is('Saved')")
    assert lost == [200] and values(site) == [2]


def test_two_tabs_see_each_others_answers_and_lose_none(context: Any, site: Site) -> None:
    first, second = start(context, site), start(context, site)
    first.keyboard.press("1")
    first.keyboard.press("Enter")
    site.wait_for(1)  # localStorage is synchronised between tabs with a delay
    second.wait_for_selector("#count:text-is('1 of 4')")
    assert second.is_checked("input[value='1']")  # it still shows item 1, with the answer of the other tab
    judge(second, "3")  # changes it
    site.wait_for(2)
    judge(second, "4")
    judge(first, "5", "2")  # item 2 again, from the tab that showed it meanwhile, and item 3
    site.wait_for(5)
    by_item = [(row.item, row.answer["value"]) for row in site.store.rows()]
    assert by_item == [("i0", 1), ("i0", 3), ("i1", 4), ("i1", 5), ("i2", 2)]
    second.reload()
    assert second.inner_text("#title") == "Item 4 of 4"


def test_two_raters_in_one_browser_are_not_mixed_up(context: Any, site: Site) -> None:
    anna = start(context, site)
    ben = context.new_page()
    ben.goto(site.link("ben"))
    judge(anna, "1")
    anna.wait_for_selector("text=This page belongs to another link.")
    ben.keyboard.press("Enter")
    judge(ben, "2")
    site.wait_for(1)
    assert site.answers("ben") == {"i0": {"value": 2}} and site.answers("anna") == {}
    start(context, site)  # with her own link again, what was kept is sent
    site.wait_for(2)
    assert site.answers("anna") == {"i0": {"value": 1}}


def test_a_revoked_link_keeps_the_work_in_the_browser_and_says_so(context: Any, site: Site) -> None:
    tab = start(context, site)
    site.store.revoke("anna", [site.campaign.rater("anna").token_hash])
    judge(tab, "1")
    tab.wait_for_selector("text=This link is not valid.")
    assert "1 answer is kept in this browser." in tab.inner_text("#status")
    assert site.count() == 0


def test_an_answer_that_the_server_rejects_must_be_given_again(context: Any, site: Site) -> None:
    tab = start(context, site)
    tab.evaluate("document.querySelector('[name=value][value=\"3\"]').value = '9'")
    tab.evaluate("document.querySelector('[name=value][value=\"9\"]').checked = true")
    tab.keyboard.press("Enter")
    tab.wait_for_selector("text=Item 1 could not be saved")
    assert tab.inner_text("#count") == "0 of 4" and site.count() == 0


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


def test_a_server_killed_in_the_middle_and_started_again_has_everything(context: Any, tmp_path: Path) -> None:
    campaign, tokens = make_campaign("adequacy", segments=4)
    campaign.write(tmp_path / "campaign.json")
    port = free_port()
    code = "import sys; from tercet.rate import serve; serve(sys.argv[1], port=int(sys.argv[2]))"

    def run() -> subprocess.Popen[bytes]:
        words = [sys.executable, "-c", code, str(tmp_path / "campaign.json"), str(port)]
        process = subprocess.Popen(words, stderr=subprocess.DEVNULL)
        for _ in range(500):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    return process
            time.sleep(0.02)
        raise AssertionError("the server did not start")

    process = run()
    try:
        tab = context.new_page()
        tab.goto(f"http://127.0.0.1:{port}/r/{tokens.raters['anna']}")
        tab.keyboard.press("Enter")
        judge(tab, "1")
        tab.wait_for_selector("#status:text-is('Saved')")
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        judge(tab, "2", "3")
        tab.wait_for_selector("text=No connection: 2 answers are kept here")
        process = run()
        tab.wait_for_selector("#status:text-is('Saved')")
        judge(tab, "4")
        tab.wait_for_url("**/finish")
        assert "All your 4 judgements are saved" in tab.inner_text("main")
    finally:
        process.kill()
        process.wait()
    from tercet.human.storage import Store, default_database

    store = Store.open(default_database(tmp_path / "campaign.json"), campaign)
    assert [row.answer["value"] for row in store.rows()] == [1, 2, 3, 4]
    store.close()


def test_a_reply_of_another_server_keeps_the_answer(context: Any, site: Site) -> None:
    tab = start(context, site)
    pages = iter([(200, "<p>Please log in</p>"), (404, "no"), (403, "{}")])  # as from a proxy or a network's login page

    def portal(route: Any) -> None:
        status, body = next(pages, (0, ""))
        if status:
            route.fulfill(status=status, body=body, content_type="text/html")
        else:
            route.continue_()

    context.route("**/api/answer", portal)
    judge(tab, "5", "4")
    tab.wait_for_selector("text=No connection")
    assert values(site) == []
    tab.wait_for_selector("#status:text-is('Saved')", timeout=15000)
    assert values(site) == [5, 4]


def test_a_clock_set_back_does_not_change_the_order_of_answers(context: Any, site: Site) -> None:
    tab = start(context, site)
    context.set_offline(True)
    judge(tab, "5")
    tab.evaluate("() => { const now = Date.now; Date.now = () => now() - 3600000; }")
    tab.keyboard.press("b")
    judge(tab, "2")
    context.set_offline(False)
    site.wait_for(2)
    assert values(site) == [5, 2]
