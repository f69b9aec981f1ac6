"""Test small campaigns of every protocol in a real browser, with the keyboard only and a reload in the middle."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tercet.human.campaign import Item, Output

from .rating import inspect, make_campaign, serving

pytestmark = pytest.mark.xdist_group("rating browser")


def press(*keys: str) -> Callable[[Any, int], None]:
    """Press the same keys for every item."""

    def do(tab: Any, number: int) -> None:
        for key in keys:
            tab.keyboard.press(key)

    return do


def mark_errors(tab: Any, number: int) -> None:
    """Mark the first word as an error, then choose its category."""
    tab.keyboard.press("Control+Shift+ArrowRight")
    tab.keyboard.press("3")
    tab.keyboard.type("Mis")
    tab.keyboard.press("Enter")


def mark_and_score(tab: Any, number: int) -> None:
    tab.keyboard.press("Shift+End")
    tab.keyboard.press("2")
    tab.keyboard.press("s")
    tab.keyboard.type("42")


def mistranslation(end: int) -> dict[str, Any]:
    span = {"start": 0, "end": end, "severity": "Major", "category": "Accuracy/Mistranslation", "in_source": False}
    return {"spans": [[span]], "value": None}


def scored(end: int) -> dict[str, Any]:
    span = {"start": 0, "end": end, "severity": "Major", "category": "", "in_source": False}
    return {"spans": [[span]], "value": 42}


RANKS = {"ranks": {"system0": 2, "system1": 1, "system2": 2}}
WAYS: dict[str, tuple[Callable[[Any, int], None], list[Any]]] = {
    "adequacy": (press("4"), [{"value": 4}] * 3),
    "fluency": (press("1"), [{"value": 1}] * 3),
    "effort": (press("3"), [{"value": 3}] * 3),
    "da": (press("ArrowRight", "7", "5"), [{"value": 75}] * 3),
    "ranking": (press("2", "1", "2"), [RANKS] * 3),
    "pairwise": (press("3"), [{"ranks": {"system0": 2, "system1": 1}}] * 3),
    "mqm": (mark_errors, [mistranslation(3), mistranslation(2), mistranslation(3)]),
    "esa": (mark_and_score, [scored(28), scored(13), scored(14)]),
}


LACKING = {
    "da": "Set the score first.",
    "ranking": "Rank all translations first.",
    "pairwise": "Choose one first: 1, 2 or 3.",
    "esa": "Set the score first (S).",
    "mqm": "No error is marked. If there is none, save again.",
}


def check_all_looks(tab: Any) -> None:
    """Check a page in light and dark mode, and with the width of a phone."""
    for scheme in ("dark", "light"):
        tab.emulate_media(color_scheme=scheme)
        assert inspect(tab) == []
    before = tab.viewport_size
    tab.set_viewport_size({"width": 360, "height": 640})
    assert inspect(tab, phone=True) == []
    tab.set_viewport_size(before)


def visit(context: Any, link: str, trouble: list[str]) -> Any:
    tab = context.new_page()
    tab.on("pageerror", lambda error: trouble.append(str(error)))
    tab.on("console", lambda message: trouble.append(message.text))
    tab.on("request", lambda request: None if "//127.0.0.1:" in request.url else trouble.append(request.url))
    tab.goto(link)
    return tab


@pytest.mark.parametrize("protocol", WAYS)
def test_a_campaign_is_rated_by_keyboard_alone(context: Any, tmp_path: Path, protocol: str) -> None:
    way, expected = WAYS[protocol]
    trouble: list[str] = []
    campaign, tokens = make_campaign(protocol)
    with serving(campaign, tokens, tmp_path) as site:
        tab = visit(context, site.link(), trouble)
        assert tab.locator("#intro").is_visible() and "Read both texts." in tab.inner_text("#intro")
        assert inspect(tab) == []
        tab.keyboard.press("Enter")
        tab.keyboard.press("Enter")  # nothing is saved before a choice is made
        assert tab.inner_text("#problem") == LACKING.get(protocol, "Choose one first.")
        for number in range(3):
            assert tab.inner_text("#title") == f"Item {number + 1} of 3"
            way(tab, number)
            if number == 2:
                check_all_looks(tab)
            if number == 1:  # what was chosen but not saved is still there
                tab.reload()
                assert tab.inner_text("#title") == "Item 2 of 3"
            tab.keyboard.press("Enter")
        tab.wait_for_url("**/finish")
        assert "All your 3 judgements are saved" in tab.inner_text("main")
        assert list(site.answers().values()) == expected
        assert site.count() == 3
        assert all(0 < row.seconds < 60 for row in site.store.rows())
        tab.context.close()
    assert not trouble


def test_the_slider_must_be_set_even_to_the_middle(context: Any, tmp_path: Path) -> None:
    campaign, tokens = make_campaign("da")
    with serving(campaign, tokens, tmp_path) as site:
        tab = visit(context, site.link(), [])
        tab.keyboard.press("Enter")
        assert tab.get_attribute("#slider", "aria-valuetext") == "not set"
        tab.click("#slider")  # in its middle, its initial position
        assert tab.get_attribute("#slider", "aria-valuetext") == tab.input_value("#number") == "50"
        tab.click("#save")
        tab.keyboard.type("250")
        assert "from 0 to 100" in tab.inner_text("#problem")
        tab.keyboard.press("Enter")
        assert tab.inner_text("#problem") == "Set the score first."
        tab.fill("#number", "100")
        tab.keyboard.press("Enter")
        site.wait_for(2)
        assert site.answers() == {"i0": {"value": 50}, "i1": {"value": 100}}
        tab.context.close()


def test_going_back_and_changing_an_answer_keeps_both(context: Any, tmp_path: Path) -> None:
    campaign, tokens = make_campaign("adequacy")
    with serving(campaign, tokens, tmp_path) as site:
        tab = visit(context, site.link(), [])
        for key in ("Enter", "1", "Enter", "2", "Enter"):
            tab.keyboard.press(key)
        assert tab.inner_text("#title") == "Item 3 of 3"
        tab.keyboard.press("b")
        tab.keyboard.press("b")
        assert tab.is_checked("input[value='1']")
        tab.keyboard.press("5")
        tab.keyboard.press("Enter")
        assert tab.inner_text("#title") == "Item 3 of 3"
        site.wait_for(3)
        assert [row.answer["value"] for row in site.store.rows()] == [1, 2, 5]
        tab.keyboard.press("b")
        assert tab.is_checked("input[value='2']") and not tab.is_disabled("#next")
        tab.keyboard.press("n")
        tab.keyboard.press("3")
        tab.keyboard.press("Enter")
        tab.wait_for_url("**/finish")
        tab.click("text=Look through my answers")
        assert tab.inner_text("#title") == "Item 1 of 3" and tab.is_checked("input[value='5']")
        tab.keyboard.press("Enter")
        assert tab.inner_text("#title") == "Item 2 of 3"
        tab.context.close()


def test_a_pause_hides_the_item_and_stops_the_clock(context: Any, tmp_path: Path) -> None:
    campaign, tokens = make_campaign("adequacy")
    with serving(campaign, tokens, tmp_path) as site:
        tab = context.new_page()
        tab.clock.install()
        tab.goto(site.link())
        tab.keyboard.press("Enter")
        tab.clock.run_for(3_000)
        tab.keyboard.press("p")
        assert tab.is_visible("#paused") and not tab.is_visible("#rating")
        tab.keyboard.press("4")  # judges nothing
        tab.clock.run_for(600_000)
        tab.keyboard.press("Enter")
        assert tab.inner_text("#title") == "Item 1 of 3"
        tab.clock.run_for(2_000)
        for key in ("2", "Enter"):
            tab.keyboard.press(key)
        site.wait_for(1)
        row = next(site.store.rows())
        assert row.answer == {"value": 2} and 4.9 < row.seconds < 8
        context.close()


@pytest.mark.parametrize(("key", "good"), [("5", True), ("2", False)])
def test_the_tutorial_tells_what_was_expected(context: Any, tmp_path: Path, key: str, good: bool) -> None:
    easy = Item("t", "9", (Output("x", "Gut."),), source="Good.", check="tutorial", expected={"value": 5})
    campaign, tokens = make_campaign("adequacy", tutorial=easy)
    with serving(campaign, tokens, tmp_path) as site:
        tab = visit(context, site.link(), [])
        tab.keyboard.press("Enter")
        assert tab.inner_text("#title") == "Practice 1 of 1"
        tab.keyboard.press(key)
        tab.keyboard.press("Enter")
        feedback = tab.inner_text("#feedback")
        assert ("✓ As expected." in feedback) == good and "Expected: 5 All." in feedback
        assert re.search("0 of 3", tab.inner_text("#count"))
        tab.keyboard.press("Enter")
        assert tab.inner_text("#title") == "Item 1 of 3" and not tab.is_visible("#feedback")
        site.wait_for(1)
        tab.context.close()


def test_the_tutorial_of_rankings_and_of_marked_errors(new_context: Any, tmp_path: Path) -> None:
    span = {"start": 0, "end": 4, "severity": "Major"}
    for protocol, item, keys, text in [
        ("pairwise", Item("t", "9", (Output("x", "Gut."), Output("y", "Gute")), source="Good.", check="tutorial",
                          expected={"ranks": {"x": 1, "y": 2}}), "3", "Expected, best first: A, then B."),
        ("esa", Item("t", "9", (Output("x", "Böse."),), source="Good.", check="tutorial",
                     expected={"spans": [[span]], "value": 20}), "s90", "✗ “Böse”: Major"),
    ]:  # fmt: skip
        campaign, tokens = make_campaign(protocol, tutorial=item)
        with serving(campaign, tokens, tmp_path) as site:
            tab = visit(new_context(), site.link(), [])
            tab.keyboard.press("Enter")
            tab.keyboard.type(keys)
            tab.keyboard.press("Enter")
            if protocol == "esa":
                tab.keyboard.press("Enter")  # no error is marked: confirm
            assert "We expected another answer." in tab.inner_text("#feedback")
            assert text in tab.inner_text("#feedback")
            tab.context.close()


def test_saving_twice_confirms_that_there_is_no_error(context: Any, tmp_path: Path) -> None:
    campaign, tokens = make_campaign("mqm", segments=1)
    with serving(campaign, tokens, tmp_path) as site:
        tab = visit(context, site.link(), [])
        for key in ("Enter", "Enter", "Enter"):
            tab.keyboard.press(key)
        tab.wait_for_url("**/finish")
        assert site.answers() == {"i0": {"spans": [[]], "value": None}}
        tab.context.close()
