"""Test a server with several campaigns in a real browser: raters of two campaigns, the overview, the report."""

from pathlib import Path
from typing import Any

import pytest

from .rating import inspect, make_campaign, serving_several

pytestmark = pytest.mark.xdist_group("rating browser")

MADE = {"news": "adequacy", "manual": "pairwise"}


def campaigns(**changes: Any) -> dict[str, Any]:
    """Make two campaigns with the same raters and the same ids of items."""
    return {name: make_campaign(protocol, id=name, name=name.title(), **changes) for name, protocol in MADE.items()}


def test_one_browser_rates_two_campaigns_at_once(context: Any, tmp_path: Path) -> None:
    with serving_several(campaigns(segments=2), tmp_path) as sites:
        tabs = {}
        for name, site in sites.items():
            tabs[name] = context.new_page()
            tabs[name].goto(site.link())
            assert tabs[name].url == f"{site.url}/c/{name}/rate"
            tabs[name].keyboard.press("Enter")
        for number in (1, 2):  # in turn, so that one would disturb the other
            for name, tab in tabs.items():
                tab.get_by_text(f"{number} of 2", exact=False).first.wait_for()
                tab.keyboard.press("3" if name == "news" else "1")
                tab.keyboard.press("Enter")
                sites[name].wait_for(number)
        for name, tab in tabs.items():
            tab.wait_for_url(f"{sites[name].url}/c/{name}/finish")
            assert "All your 2 judgements are saved" in tab.inner_text("main")
            tab.get_by_role("link", name="Look through my answers").click()
            assert tab.url.endswith(f"/c/{name}/rate?look")
        assert sites["news"].answers() == {"i0": {"value": 3}, "i1": {"value": 3}}
        ranks = {"ranks": {"system0": 1, "system1": 2}}
        assert sites["manual"].answers() == {"i0": ranks, "i1": ranks}


@pytest.mark.parametrize("phone", [False, True])
def test_the_overview_leads_to_each_campaign_and_back(new_context: Any, tmp_path: Path, phone: bool) -> None:
    size = {"width": 390, "height": 800} if phone else {"width": 1200, "height": 800}
    with serving_several(campaigns(), tmp_path) as sites:
        sites["manual"].answer_all()
        url, tab = sites["news"].url, new_context(viewport=size).new_page()
        tab.goto(f"{url}/organiser")
        tab.get_by_label("The organiser's secret").fill(sites["news"].tokens.organiser)
        tab.keyboard.press("Enter")
        tab.wait_for_url(f"{url}/c/news/organiser")
        tab.get_by_role("link", name="All campaigns").click()
        tab.wait_for_load_state()
        assert "This server has 1 more." in tab.inner_text("main")
        assert inspect(tab, phone=phone) == []
        tab.get_by_label("The organiser's secret").fill(sites["manual"].tokens.organiser)
        tab.keyboard.press("Enter")
        tab.wait_for_url(f"{url}/c/manual/organiser")
        tab.get_by_role("link", name="All campaigns").click()
        tab.wait_for_load_state()
        cells = [row.inner_text().split("\t") for row in tab.locator("tbody tr").all()]
        assert [(row[0], row[1].strip(), row[2]) for row in cells] == [
            ("News", "0 %", "0 of 6"),
            ("Manual", "done", "6 of 6"),
        ]
        assert inspect(tab, phone=phone) == []
        tab.get_by_role("link", name="Manual").click()
        assert tab.url == f"{url}/c/manual/organiser" and "The campaign is complete." in tab.inner_text("main")
        tab.get_by_role("button", name="New link to the results").click()
        link = tab.locator("code").inner_text()
        reader = new_context().new_page()
        reader.goto(link)
        assert reader.url == f"{url}/c/manual/results" and "The campaign is complete." in reader.inner_text("main")


def test_the_report_is_one_file_that_needs_nothing_else(context: Any, visit: Any, tmp_path: Path) -> None:
    with serving_several(campaigns(segments=9), tmp_path) as sites:
        news = sites["news"]
        for place, rater in enumerate(news.campaign.raters):
            for number, item in enumerate(rater.items):
                answer = {"value": 1 + (number + place) % 5}
                news.store.append(
                    request=f"{rater.name}-{item}", rater=rater.name, item=item, answer=answer, seconds=3.0
                )
        tab = context.new_page()
        tab.goto(f"{news.url}/o/{news.tokens.organiser}")
        with tab.expect_download() as download:
            tab.get_by_role("link", name="report").click()
        assert download.value.suggested_filename == "report.html"
        download.value.save_as(tmp_path / "report.html")
        tab.close()
    page = visit(tmp_path / "report.html")  # the server is gone
    assert page.get_by_role("heading", level=1).inner_text() == "Rating results: News, en-de, adequacy"
    assert "The campaign is complete. All 18 planned judgements are in, by 2 raters." in page.inner_text("main")
    assert page.locator("figure svg").count() == 1 and "anna" not in page.inner_text("body")
    assert page.get_by_role("heading", name="Worst outputs").is_visible()
    assert inspect(page) == []
