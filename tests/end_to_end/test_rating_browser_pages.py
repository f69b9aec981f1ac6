"""Test the rating pages in a real browser: writing systems, phones, marking errors, accessibility."""

from pathlib import Path
from typing import Any

import pytest

from tercet.human.campaign import Item, Output

from .rating import TEXTS, Site, inspect, make_campaign, serving

pytestmark = pytest.mark.xdist_group("rating browser")

FAMILY, ACCENTED, FLAG = "👩‍👩‍👧", "e\u0301\u0323", "🇩🇪"
EMOJI = f"Ein {FAMILY} und {ACCENTED}s {FLAG} 𝒳."  # code points, UTF-16 units and what readers count all differ
LONG = " ".join(f"word{n}" for n in range(400)) + " " + "x" * 400


def start(context: Any, site: Site, rater: str = "anna") -> Any:
    tab = context.new_page()
    tab.goto(site.link(rater))
    tab.keyboard.press("Enter")
    return tab


def one_item(protocol: str, text: str, source: str = "source", **changes: Any) -> Any:
    item = Item("i0", "1", (Output("s", text),), source=source)
    return make_campaign(protocol, items=[item], raters=("anna",), segments=1, **changes)


def drag(tab: Any, selector: str, start: int, end: int) -> None:
    """Select a range of a text with the mouse; positions are in UTF-16 units."""
    places = tab.evaluate(
        """([selector, places]) => places.map(place => {
            const range = document.createRange(), node = document.querySelector(selector).firstChild;
            range.setStart(node, place); range.setEnd(node, place);
            const box = range.getBoundingClientRect();
            return [box.x, box.y + box.height / 2];
        })""",
        [selector, [start, end]],
    )
    tab.mouse.move(*places[0])
    tab.mouse.down()
    tab.mouse.move(*places[1], steps=3)
    tab.mouse.up()


def spans(site: Site) -> list[tuple[int, int, str, bool]]:
    found = site.answers()["i0"]["spans"][0]
    return [(span["start"], span["end"], span["severity"], span["in_source"]) for span in found]


@pytest.mark.parametrize("language", ["ar", "zh"])
def test_arabic_and_chinese_are_shown_in_their_direction_and_rated(context: Any, tmp_path: Path, language: str) -> None:
    with serving(*make_campaign("ranking", language=language), tmp_path) as site:
        tab = start(context, site)
        box = tab.locator("#output-1")
        assert box.inner_text() == TEXTS[language][0][1]
        assert box.get_attribute("lang") == language
        right = box.evaluate("element => getComputedStyle(element).direction")
        assert right == ("rtl" if language == "ar" else "ltr")
        assert tab.locator("#source").evaluate("element => getComputedStyle(element).direction") == "ltr"
        for key in ("1", "2", "3", "Enter"):
            tab.keyboard.press(key)
        site.wait_for(1)
        assert site.answers()["i0"] == {"ranks": {"system0": 1, "system1": 2, "system2": 3}}


@pytest.mark.parametrize(("language", "key", "end"), [("ar", "ArrowLeft", 4), ("zh", "ArrowRight", 1)])
def test_errors_are_marked_by_keyboard_in_arabic_and_chinese(
    context: Any, tmp_path: Path, language: str, key: str, end: int
) -> None:
    with serving(*make_campaign("esa", language=language), tmp_path) as site:
        tab = start(context, site)
        tab.keyboard.press(f"Control+Shift+{key}" if language == "ar" else f"Shift+{key}")
        tab.keyboard.press("2")
        assert tab.inner_text("#output-0 mark") == TEXTS[language][0][0][:end]
        for pressed in ("s", "5", "0", "Enter"):
            tab.keyboard.press(pressed)
        site.wait_for(1)
        assert spans(site) == [(0, end, "Major", False)]


def test_marks_are_in_code_points_and_divide_no_character(context: Any, tmp_path: Path) -> None:
    with serving(*one_item("esa", EMOJI), tmp_path) as site:
        tab = start(context, site)
        for _ in range(4):
            tab.keyboard.press("ArrowRight")
        tab.keyboard.press("Shift+ArrowRight")  # the family: five code points, eight units
        tab.keyboard.press("1")
        assert tab.inner_text("mark") == FAMILY
        # By script, into the middle of the accented letter and of the flag: both become whole.
        units = len(EMOJI[: EMOJI.index("e\u0301")].encode("utf-16-le")) // 2
        flag = len(EMOJI[: EMOJI.index(FLAG)].encode("utf-16-le")) // 2
        tab.evaluate(
            """([from, to]) => {
                const walker = document.createTreeWalker(document.getElementById("output-0"), NodeFilter.SHOW_TEXT);
                const spot = units => {
                    walker.currentNode = walker.root;
                    for (let node = walker.nextNode(); ; node = walker.nextNode()) {
                        if (units <= node.length) return [node, units];
                        units -= node.length;
                    }
                };
                getSelection().setBaseAndExtent(...spot(from), ...spot(to));
            }""",
            [units + 1, flag + 1],
        )
        tab.keyboard.press("2")
        marked = [EMOJI.index(FAMILY), EMOJI.index(ACCENTED)]
        for key in ("s", "9", "Enter"):
            tab.keyboard.press(key)
        site.wait_for(1)
        assert spans(site) == [
            (marked[0], marked[0] + len(FAMILY), "Minor", False),
            (marked[1], EMOJI.index(FLAG) + len(FLAG), "Major", False),
        ]


def test_errors_are_marked_by_mouse_in_output_and_source_and_removed(context: Any, tmp_path: Path) -> None:
    with serving(*one_item("mqm", "Das ist falsch hier.", "This is 😀 wrong here."), tmp_path) as site:
        tab = start(context, site)
        drag(tab, "#output-0", 8, 15)  # with the blank after the word, which is left out
        tab.click("button:has-text('Major')")
        assert tab.inner_text("#output-0 mark") == "falsch"
        tab.select_option("#errors .category", "Fluency/Grammar")
        drag(tab, "#source", 8, 16)
        tab.keyboard.press("0")  # is missing in the translation
        assert tab.inner_text("#source mark") == "😀 wrong"
        drag(tab, "#output-0", 0, 3)
        tab.click("button:has-text('Minor')")
        tab.keyboard.press("Escape")
        assert tab.locator("#errors li").count() == 3
        tab.keyboard.press("Delete")
        assert tab.locator("#errors li").count() == 2
        tab.keyboard.press("Enter")
        site.wait_for(1)
        assert spans(site) == [(8, 14, "Major", False), (8, 15, "Major", True)]
        categories = [span["category"] for span in site.answers()["i0"]["spans"][0]]
        assert categories == ["Fluency/Grammar", "Accuracy/Omission"]


def test_an_error_needs_a_category_and_a_selection(context: Any, tmp_path: Path) -> None:
    with serving(*one_item("mqm", "Das ist falsch."), tmp_path) as site:
        tab = start(context, site)
        tab.keyboard.press("1")
        assert tab.inner_text("#problem") == "Select the wrong words first."
        tab.keyboard.press("Shift+ArrowRight")
        tab.keyboard.press("1")
        tab.keyboard.press("Escape")
        tab.keyboard.press("Enter")
        assert tab.inner_text("#problem") == "Choose a category for every error." and site.count() == 0


def test_texts_cannot_be_changed_and_an_input_method_saves_nothing(context: Any, tmp_path: Path) -> None:
    with serving(*one_item("esa", "abc def"), tmp_path) as site:
        tab = start(context, site)
        tab.keyboard.type("xyz")
        tab.keyboard.press("Control+V")
        tab.keyboard.press("Control+A")
        tab.keyboard.press("Control+X")
        assert tab.inner_text("#output-0") == "abc def"
        wire = context.new_cdp_session(tab)
        wire.send("Input.imeSetComposition", {"text": "か", "selectionStart": 1, "selectionEnd": 1})
        wire.send("Input.insertText", {"text": "か"})
        assert tab.inner_text("#output-0") == "abc def"
        tab.keyboard.press("s")
        tab.keyboard.type("50")
        for event in ("isComposing: true", "keyCode: 229"):
            tab.evaluate(
                "document.activeElement.dispatchEvent(new KeyboardEvent('keydown', "
                "{key: 'Enter', bubbles: true, cancelable: true, " + event + "}))"
            )
        assert tab.inner_text("#problem") == "" and site.count() == 0


def test_digits_of_an_input_method_are_digits(context: Any, tmp_path: Path) -> None:
    with serving(*make_campaign("adequacy", language="zh"), tmp_path) as site:
        tab = start(context, site)
        tab.evaluate("document.body.dispatchEvent(new KeyboardEvent('keydown', {key: '\\uff13', bubbles: true}))")
        assert tab.is_checked("input[value='3']")


def test_the_pages_work_on_a_phone(new_context: Any, tmp_path: Path) -> None:
    context = new_context(viewport={"width": 360, "height": 640}, has_touch=True, is_mobile=True)
    with serving(*make_campaign("effort", language="ar", segments=1), tmp_path) as site:
        tab = context.new_page()
        tab.goto(site.link())
        tab.tap("#start")
        assert inspect(tab, phone=True) == []
        tab.tap("label:has(input[value='2'])")
        tab.tap("#save")
        tab.wait_for_url("**/finish")
        assert site.answers()["i0"] == {"value": 2}


@pytest.mark.parametrize("protocol", ["da", "esa"])
def test_long_segments_keep_the_controls_visible(context: Any, tmp_path: Path, protocol: str) -> None:
    with serving(*one_item(protocol, LONG, LONG), tmp_path) as site:
        tab = start(context, site)
        assert tab.evaluate("document.documentElement.scrollWidth") <= tab.viewport_size["width"]
        box = tab.locator("#save").bounding_box()
        assert box["y"] + box["height"] <= tab.viewport_size["height"]
        if protocol == "esa":  # what is marked is in sight, above the controls
            tab.keyboard.press("Control+Shift+ArrowRight")
            tab.keyboard.press("1")
            tab.wait_for_function(
                """() => {
                    const [mark, controls] = ["mark", ".controls"].map(
                        name => document.querySelector(name).getBoundingClientRect());
                    return mark.top >= 0 && mark.bottom <= controls.top;
                }"""
            )


def test_scripts_in_texts_do_nothing(context: Any, tmp_path: Path) -> None:
    evil = "</script><script>window.evil = 1</script><img src=x onerror='window.evil = 1'><b>bold</b>"
    with serving(*one_item("mqm", evil, evil, name="</title><script>window.evil = 1</script>"), tmp_path) as site:
        tab = start(context, site)
        assert tab.inner_text("#output-0") == evil
        tab.keyboard.press("Control+A")
        tab.keyboard.press("1")
        assert evil in tab.inner_text("#errors .quoted")
        tab.goto(f"{site.url}/o/{site.tokens.organiser}")
        assert tab.evaluate("window.evil") is None and tab.locator("img, b").count() == 0


def test_the_tab_key_reaches_every_control_and_shows_where_it_is(context: Any, tmp_path: Path) -> None:
    with serving(*make_campaign("esa"), tmp_path) as site:
        tab = start(context, site)
        reached = []
        for _ in range(8):
            tab.keyboard.press("Tab")
            reached.append(tab.evaluate("document.activeElement.id || document.activeElement.textContent.trim()"))
            assert tab.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid", reached
        meaning = "What the severities mean"
        assert reached == [meaning, "1 Minor", "2 Major", "missing", "slider", "number", "save", "All items"]


def test_the_scale_has_anchors_and_texts_can_stand_side_by_side(context: Any, tmp_path: Path) -> None:
    with serving(*make_campaign("esa"), tmp_path) as site:
        tab = start(context, site)
        labels = tab.locator("#anchors > span").all_inner_texts()
        assert [label.split()[0] for label in labels] == ["0", "33", "66", "100"]
        assert "lost “not”" in tab.inner_text(".definitions")
        source, output = tab.locator("#source-box"), tab.locator(".output")
        assert source.bounding_box()["y"] < output.bounding_box()["y"]
        tab.click("#beside")
        assert source.bounding_box()["y"] == output.bounding_box()["y"]
        assert inspect(tab) == []
        tab.reload()
        assert tab.get_attribute("#beside", "aria-pressed") == "true"


def test_the_page_for_readers_has_results_and_no_faults(context: Any, tmp_path: Path) -> None:
    from tercet.human.campaign import hashed
    from tercet.human.storage import VIEWER

    with serving(*make_campaign("adequacy"), tmp_path) as site:
        rater = start(context, site)
        for key in ("4", "Enter"):
            rater.keyboard.press(key)
        site.wait_for(1)
        site.store.issue(VIEWER, hashed("a-link-for-reading"))
        tab = context.new_page()
        tab.goto(f"{site.url}/v/a-link-for-reading")
        assert "4.00" in tab.inner_text("main")
        assert inspect(tab) == []
        tab.set_viewport_size({"width": 360, "height": 640})
        assert inspect(tab) == []


def test_the_organiser_sees_everything_and_renews_a_link(context: Any, tmp_path: Path) -> None:
    with serving(*make_campaign("adequacy"), tmp_path) as site:
        rater = start(context, site)
        for key in ("4", "Enter"):
            rater.keyboard.press(key)
        site.wait_for(1)
        tab = context.new_page()
        tab.goto(f"{site.url}/organiser")
        tab.wait_for_selector("input:focus")  # a busy machine takes its time
        tab.keyboard.type(site.tokens.organiser)
        tab.keyboard.press("Enter")
        tab.wait_for_selector("text=Too early to tell")
        for scheme in ("light", "dark"):
            tab.emulate_media(color_scheme=scheme)
            assert inspect(tab) == []
        tab.set_viewport_size({"width": 360, "height": 640})
        assert inspect(tab) == []
        tab.click("tr:has-text('anna') >> text=New link")
        link = tab.inner_text("code")
        assert link.startswith(f"{site.url}/r/") and link != site.link()
        rater.keyboard.press("3")
        rater.keyboard.press("Enter")
        rater.wait_for_selector("text=This link is not valid.")
        rater.goto(link)  # what the old link could not send goes with the new one
        site.wait_for(2)
        assert site.answers() == {"i0": {"value": 4}, "i1": {"value": 3}}
