"""The comparison report in a real browser, opened from disk."""

import csv
import io
import json
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tercet
from tercet.checking import CheckReport
from tercet.comparing import compare_scores
from tercet.comparison_report import ComparisonReport
from tercet.metrics._external import external_record, external_scores

from .test_pages_in_browser import HOSTILE, contrast

METRICS = ["chrf", "bleu", "ter"]
COLOURS = r"""element => {
  const style = getComputedStyle(element);
  let ground = element;
  const isClear = () => getComputedStyle(ground).backgroundColor === "rgba(0, 0, 0, 0)";
  while (ground !== document.body && isClear()) ground = ground.parentElement;
  return [element.closest("svg") ? style.fill : style.color, getComputedStyle(ground).backgroundColor];
}"""
INSERTED = """() => {
  const script = document.createElement("script");
  script.textContent = "window.evil = 1";
  const handlers = '<img src="x" onerror="window.evil = 1"><a id="link" onclick="window.evil = 1">x</a>';
  document.body.append(script);
  document.body.insertAdjacentHTML("beforeend", handlers);
  document.querySelector("#link").click();
}"""
NEAR = "() => [...document.querySelectorAll('.segment .head')].some(e => Math.abs(e.getBoundingClientRect().top) < 900)"
pytestmark = pytest.mark.xdist_group("report")


@pytest.fixture(scope="module")
def found() -> ComparisonReport:
    return tercet.report(tercet.demo("en-de"), METRICS)


@pytest.fixture(scope="module")
def file(found: ComparisonReport, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "report.html"
    found.write(path)
    return path


@pytest.fixture
def open_report(visit: Any, file: Path) -> Any:
    def opened(address: str = "", path: Path = file) -> Any:
        tab = visit(path, address)
        tab.locator("#app[aria-busy=false]").wait_for()
        return tab

    return opened


def advantage(found: ComparisonReport, metric: int, a: str = "Alder", b: str = "Birch") -> Any:
    scores = found.scores[metric]
    sign = 1 if scores.higher_is_better else -1
    return sign * (np.round(scores.segment[a], 6) - np.round(scores.segment[b], 6))


def listed(tab: Any) -> list[int]:
    return [
        int(name.removeprefix("segment-"))
        for name in tab.evaluate("[...document.querySelectorAll('#list article')].map(e => e.id)")
    ]


def status(tab: Any) -> str:
    return str(tab.locator("#status").text_content())


def address(tab: Any) -> str:
    return str(tab.evaluate("decodeURIComponent(location.hash)"))


def test_the_verdict_stands_first_also_without_scripts(new_context: Any, found: ComparisonReport, file: Path) -> None:
    tab = new_context(java_script_enabled=False).new_page()
    tab.goto(file.as_uri())
    assert tab.locator("#verdict").text_content() == found.verdict
    assert found.verdict.startswith("Alder has the best chrF2, but Birch cannot be told apart from it.")
    assert "needs JavaScript" in tab.locator("noscript").text_content()


def test_a_tab_shows_another_metric(open_report: Any) -> None:
    tab = open_report()
    tab.get_by_role("tab", name="TER").click()
    assert "lower is better" in tab.locator("section[aria-label=Ranking] h3").text_content()
    assert tab.get_by_role("tab", name="TER").get_attribute("aria-selected") == "true"
    assert "m=TER" in address(tab)
    assert tab.locator("section[aria-label=Ranking] .plot > button .name").first.text_content().strip() == "A Alder"


def test_segments_sort_by_difference_score_length_and_order(open_report: Any, found: ComparisonReport) -> None:
    tab = open_report()
    value = advantage(found, 0)
    score = found.scores[0].segment["Alder"]
    length = np.array([len(text or "") for text in found.testset.references["refA"]])
    keys = {
        "size": -abs(value),
        "a": -value,
        "b": value,
        "worst": score,
        "best": -score,
        "long": -length,
        "short": length,
    }
    # First those that `compare` names as deciding, for corpus scores like BLEU, too.
    for metric in ("chrF2", "BLEU"):
        pair = tercet.compare(tercet.demo("en-de"), METRICS, top=8).metric(metric).pair("Alder", "Birch")
        tab.get_by_role("tab", name=metric).click()
        shown = listed(tab)[:8]
        assert {each.segment for each in pair.segments[:5]} <= set(shown)
        tab.get_by_label("Sort by").select_option("pull")
    tab.get_by_role("tab", name="chrF2").click()
    for name, key in keys.items():
        tab.get_by_label("Sort by").select_option(name)
        shown = listed(tab)
        assert sorted(shown) == list(range(1, 33))
        assert np.allclose(key[np.array(shown) - 1], np.sort(key)), name
    tab.get_by_label("Sort by").select_option("order")
    assert listed(tab) == list(range(1, 33))
    assert "sort=order" in address(tab)


def test_filters_leave_exactly_the_segments_that_they_name(open_report: Any, found: ComparisonReport) -> None:
    tab = open_report()
    least = tab.get_by_label("A better than B by at least")
    least.fill("20")
    tab.locator(".chip", has_text="A better by 20").wait_for()
    expected = set((np.flatnonzero(advantage(found, 0) >= 20) + 1).tolist())
    assert set(listed(tab)) == expected and 0 < len(expected) < 32
    assert status(tab) == f"{len(expected)} of 32 segments"
    tab.locator(".chip").click()
    assert len(listed(tab)) == 32
    signs = [np.sign(np.where(abs(advantage(found, m)) < 1e-4, 0, advantage(found, m))) for m in range(3)]
    disagree = {i + 1 for i in range(32) if len({sign[i] for sign in signs} - {0}) > 1}
    tab.get_by_label("only where metrics disagree").check()
    assert set(listed(tab)) == disagree and disagree
    tab.reload()
    tab.locator("#app[aria-busy=false]").wait_for()
    assert set(listed(tab)) == disagree


def test_search_takes_text_and_regular_expressions(open_report: Any, found: ComparisonReport) -> None:
    tab = open_report()
    texts = found.testset
    search = tab.get_by_label("Search in texts")
    search.fill("harbour")
    tab.locator(".chip", has_text="harbour").wait_for()
    expected = [i for i, text in enumerate(texts.source or (), 1) if "harbour" in text.lower()]
    assert sorted(listed(tab)) == expected and expected
    assert "harbour" in tab.locator("mark.found").first.text_content().lower()
    search.fill(r"/^Die\b/")
    tab.locator(".chip", has_text="Die").wait_for()
    columns = [texts.references["refA"], texts.references["refB"], texts.outputs["Alder"], texts.outputs["Birch"]]
    expected = [
        i for i, row in enumerate(zip(*columns, strict=True), 1) if any((t or "").startswith("Die ") for t in row)
    ]
    assert sorted(listed(tab)) == expected and expected
    search.fill("/(/")
    tab.get_by_text("this is no regular expression").wait_for()
    assert len(listed(tab)) == 32


def test_every_number_leads_to_its_segments(open_report: Any, found: ComparisonReport) -> None:
    tab = open_report()
    tab.locator(".shares .b").click()
    assert set(listed(tab)) == set((np.flatnonzero(advantage(found, 0) < -1e-6) + 1).tolist())
    tab.locator("#bar .chip").click()
    bar = tab.locator("section[aria-label=Histogram] [role=button]").last
    label = bar.get_attribute("aria-label")
    bar.click()
    assert status(tab).split()[0] == label.split()[0]
    assert "from=" in address(tab) and "to=" in address(tab)
    tab.locator("#bar .chip").click()
    tab.locator("section[aria-label=Slices] .switch button", has_text="domain").click()
    tab.locator("section[aria-label=Slices] .plot > button", has_text="news").click()
    labels = found.testset.labels["domain"]
    assert set(listed(tab)) == {i for i, label in enumerate(labels, 1) if label == "news"}
    assert "slice=domain:news" in address(tab)
    tab.locator("#bar .chip").click()
    button = tab.get_by_role("button", name="They disagree on")
    number = button.text_content().split()[3]
    button.click()
    assert status(tab) == f"{number} of 32 segments"
    assert "set=disagree:chrF2:BLEU" in address(tab)


def test_words_ngrams_and_qualities_lead_to_their_segments(open_report: Any, found: ComparisonReport) -> None:
    tab = open_report()
    group = found.words[0].groups[0]
    tab.get_by_role("region", name="Words by frequency").locator(".plot > button").first.click()
    assert sorted(listed(tab)) == list(group.segments)
    assert f"set=words:frequency:{group.group}" in address(tab)
    tab.reload()
    tab.locator("#app[aria-busy=false]").wait_for()
    assert sorted(listed(tab)) == list(group.segments)
    pair = next(each for each in found.ngrams if {each.a, each.b} == {"Alder", "Birch"})
    ngram = (pair.a_better if pair.a == "Alder" else pair.b_better)[0]
    tab.get_by_role("region", name="Words and n-grams").locator(".plot > button").first.click()
    assert sorted(listed(tab)) == sorted(ngram.a_segments if pair.a == "Alder" else ngram.b_segments)
    quality = next(each for each in found.comparison.metrics[0].buckets if each.by == "quality")
    poor = next(each for each in quality.buckets if each.bucket == "poor")
    tab.get_by_title(f"Cedar: {poor.n_segments['Cedar']} segments poor").click()
    assert sorted(listed(tab)) == sorted(poor.segments["Cedar"])


def test_a_part_of_the_segments_keeps_its_numbers(open_report: Any, tmp_path: Path) -> None:
    path = tmp_path / "part.html"
    tercet.report(tercet.demo("en-de"), "chrf", segments=[3, 5, 8, 13], resamples=20).write(path)
    tab = open_report("#seg=8", path)
    assert sorted(listed(tab)) == [3, 5, 8, 13]
    assert "current" in tab.locator("#segment-8").get_attribute("class")
    assert address(tab) == "#seg=8"


def test_dragging_over_the_histogram_chooses_a_range(open_report: Any, found: ComparisonReport) -> None:
    tab = open_report()
    drawing = tab.locator("section[aria-label=Histogram] svg")
    drawing.scroll_into_view_if_needed()
    box = drawing.bounding_box()
    tab.mouse.move(box["x"] + box["width"] * 0.75, box["y"] + 20)
    tab.mouse.down()
    tab.mouse.move(box["x"] + box["width"] * 0.9, box["y"] + 30, steps=3)
    tab.mouse.move(box["x"] + box["width"] - 1, box["y"] + 30)
    tab.mouse.up()
    tab.locator("#bar .chip").wait_for()
    shown = advantage(found, 0)[np.array(listed(tab)) - 1]
    assert len(shown) and (shown > 0).all()
    assert (advantage(found, 0) >= shown.min()).sum() == len(shown)


def test_a_cell_of_the_matrix_and_the_selects_choose_the_pair(open_report: Any, found: ComparisonReport) -> None:
    tab = open_report()
    tab.get_by_role("button", name="Cedar − Birch").click()
    pair = found.comparison.metric("chrf").pair("Birch", "Cedar")
    assert f"A − B = −{pair.difference:.2f} chrF2" in tab.locator("#pair").text_content()
    assert "Birch is better" in tab.locator("#pair").text_content()
    assert "a=Cedar&b=Birch" in address(tab)
    tab.get_by_label("Swap A and B").click()
    assert "a=Birch&b=Cedar" in address(tab)
    tab.get_by_label("System A").select_option(label="Cedar")
    assert "a=Cedar&b=Birch" in address(tab)  # the same system twice changes places


def test_keys_walk_through_segments_metrics_and_systems(open_report: Any) -> None:
    tab = open_report()
    order = listed(tab)
    for key, place in [("j", 0), ("j", 1), ("j", 2), ("k", 1), ("n", 2), ("p", 1)]:
        tab.keyboard.press(key)
        assert address(tab).endswith(f"seg={order[place]}"), key
        assert tab.evaluate("document.activeElement.id") == f"segment-{order[place]}"
    tab.keyboard.press("x")
    assert tab.locator("#ticked").text_content().startswith("1 ticked")
    tab.keyboard.press("]")
    assert "b=Cedar" in address(tab) and address(tab).endswith(f"seg={order[1]}")
    tab.keyboard.press("m")
    assert "m=BLEU" in address(tab) and address(tab).endswith(f"seg={order[1]}")
    tab.keyboard.press("/")
    assert tab.evaluate("document.activeElement.id") == "search"
    tab.keyboard.type("jj")
    assert tab.get_by_label("Search in texts").input_value() == "jj"
    tab.keyboard.press("Escape")
    tab.keyboard.press("?")
    assert tab.get_by_role("dialog").is_visible()
    tab.keyboard.press("Escape")
    assert not tab.get_by_role("dialog").is_visible()


def test_a_link_leads_to_its_segment_and_nonsense_in_it_is_ignored(open_report: Any) -> None:
    tab = open_report("#sort=order&seg=30")
    card = tab.locator("#segment-30")
    card.locator(".head").wait_for()
    tab.wait_for_function("() => document.querySelector('#segment-30').getBoundingClientRect().top < innerHeight / 2")
    assert "current" in card.get_attribute("class")
    href = card.locator("a.number").get_attribute("href")
    assert href == "#sort=order&seg=30"
    tab = open_report("#m=none&a=none&b=Cedar&seg=99&slice=x:y&from=abc&sort=up&more=none&q=%2F(%2F")
    assert len(listed(tab)) == 32
    assert tab.get_by_label("System B").evaluate("e => e.selectedOptions[0].textContent") == "Cedar"


def test_ticked_segments_are_exported(new_context: Any, found: ComparisonReport, file: Path) -> None:
    context = new_context(accept_downloads=True, permissions=["clipboard-read", "clipboard-write"])
    tab = context.new_page()
    tab.goto(f"{file.as_uri()}#sort=order")
    for number in (1, 3):
        tab.locator(f"#segment-{number}").get_by_label("tick").check()
    with tab.expect_download() as waiting:
        tab.get_by_role("button", name="TSV").click()
    rows = list(csv.DictReader(io.StringIO(Path(waiting.value.path()).read_text("utf-8")), delimiter="\t"))
    assert [row["segment"] for row in rows] == ["1", "3"]
    assert rows[1]["Alder"] == found.testset.outputs["Alder"][2]
    assert float(rows[1]["chrF2 Birch"]) == pytest.approx(found.scores[0].segment["Birch"][2], abs=1e-3)
    with tab.expect_download() as waiting:
        tab.get_by_role("button", name="JSON").click()
    data = json.loads(Path(waiting.value.path()).read_text("utf-8"))
    assert data[0]["references"] == {name: lines[0] for name, lines in found.testset.references.items()}
    tab.get_by_role("button", name="Copy as Markdown").click()
    tab.get_by_text("2 segments copied").wait_for()
    text = tab.evaluate("navigator.clipboard.readText()")
    assert text.startswith("**Segment 1**\n- source: ") and "**Segment 3**" in text


def test_four_outputs_are_read_side_by_side_with_their_differences_marked(open_report: Any, tmp_path: Path) -> None:
    outputs = {"a": ["the black cat sat"], "b": ["the dark cat sits"], "c": ["a black cat"], "d": ["the cat sat down"]}
    path = tmp_path / "four.html"
    tercet.report(tercet.TestSet(outputs, {"ref": ["the black cat sat"]}), "chrf", resamples=20).write(path)
    tab = open_report("#a=a&b=b&more=c&more=d", path)
    tab.locator(".segment .head").wait_for()
    marks = {
        name: [(mark.get_attribute("class"), mark.text_content()) for mark in block.locator("mark").all()]
        for name, block in zip("abcd", tab.locator(".texts").last.locator("> div").all(), strict=True)
    }
    assert marks["a"] == [("right", "black"), ("right", "sat")]
    assert marks["b"] == [("wrong", "dark"), ("wrong", "sits")]
    assert marks["c"] == [("wrong", "a")]
    assert marks["d"] == [("wrong", "down")]
    tab.get_by_label("Marks").select_option("none")
    assert tab.locator("#list mark").count() == 0


def test_scripts_without_spaces_are_compared_by_characters_and_arabic_runs_from_right_to_left(
    open_report: Any, tmp_path: Path
) -> None:
    outputs = {"a": ["我喜欢猫", "قطة سوداء"], "b": ["我喜欢狗", "كلب أسود"]}
    path = tmp_path / "scripts.html"
    tercet.report(tercet.TestSet(outputs, {"r": ["我喜欢猫", "قطة سوداء"]}, pair="en-zh"), "chrf", resamples=20).write(
        path
    )
    tab = open_report("#a=a&b=b&sort=order", path)
    tab.locator("#segment-2 .head").wait_for()
    chinese, arabic = tab.locator("#segment-1 .texts").last, tab.locator("#segment-2 .texts").last
    assert [mark.text_content() for mark in chinese.locator("mark").all()] == ["猫", "狗"]
    assert arabic.locator(".reading").first.evaluate("e => getComputedStyle(e).direction") == "rtl"
    assert chinese.locator(".reading").first.evaluate("e => getComputedStyle(e).direction") == "ltr"
    assert chinese.locator(".reading").first.get_attribute("lang") == "zh"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_in_both_schemes_and_the_switch_changes_them(open_report: Any, scheme: str) -> None:
    tab = open_report()
    tab.emulate_media(color_scheme=scheme)
    page = "getComputedStyle(document.body).backgroundColor"
    before = tab.evaluate(page)
    selectors = ("#verdict", "#power", ".hint", "label.is-a", "label.is-b", ".shares .a", ".shares .b", ".chart text",
                 "mark.right", "mark.wrong", ".scores", ".badge.is-a", ".badge.is-b", "[role=tab]")  # fmt: skip
    for selector in selectors:
        colour, ground = tab.locator(selector).first.evaluate(COLOURS)
        assert contrast(colour, ground) >= 4.5, selector
    tab.get_by_label("Light or dark").click()
    assert tab.evaluate(page) != before
    tab.keyboard.press("t")
    assert tab.evaluate(page) == before


def hostile_testset() -> tercet.TestSet:
    lines = [HOSTILE, f"{HOSTILE} x", "javascript:alert(1)"]
    names = [HOSTILE, "__proto__", "constructor"]
    return tercet.TestSet(
        {name: [f"{line} {name}" for line in lines] for name in names}, {HOSTILE: lines}, lines,
        documents=[HOSTILE, "a", "a"], labels={HOSTILE: ["x", HOSTILE, "x"], "__proto__": ["y", "y", "z"]},
        pair="en-de", name=f"{HOSTILE}!",
    )  # fmt: skip


def test_hostile_names_and_segments_run_no_script(open_report: Any, tmp_path: Path) -> None:
    path = tmp_path / "hostile.html"
    found = tercet.report(hostile_testset(), ["chrf", "bleu"], resamples=20)
    renamed = [item.relabelled(f"{HOSTILE}{place}") for place, item in enumerate(found.scores)]
    metrics = [replace(result, name=item.label) for result, item in zip(found.comparison.metrics, renamed, strict=True)]
    found = replace(found, scores=renamed, comparison=replace(found.comparison, metrics=tuple(metrics)))
    found.write(path)
    text = path.read_text("utf-8")
    assert text.count("<script") == 2  # the data and ours
    tab = open_report("#q=%3Cscript%3Ewindow.evil%3D1%3C%2Fscript%3E&more=__proto__", path)
    tab.locator("#search").fill("<b")
    tab.locator("#status", has_text="2 of 3").wait_for()
    tab.keyboard.press("Escape")
    for key in ("m", "s", "]", "j", "n", "x", "?"):
        tab.keyboard.press(key)
    assert tab.evaluate("window.evil") is None
    assert tab.locator("#evil, main img").count() == 0
    assert tab.locator(".segment .reading", has_text=HOSTILE).count() >= 2
    assert tab.title() == f"{HOSTILE}!"


def test_the_policy_of_the_page_stops_scripts_that_are_inserted(new_context: Any, file: Path) -> None:
    tab = new_context().new_page()
    blocked: list[str] = []
    tab.on("console", lambda message: blocked.append(message.text))
    tab.goto(file.as_uri())
    tab.locator("#app[aria-busy=false]").wait_for()
    tab.evaluate(INSERTED)
    tab.wait_for_timeout(200)
    assert tab.evaluate("window.evil") is None
    assert sum("Content Security Policy" in text for text in blocked) >= 3


def test_a_narrow_screen_and_paper_have_everything_in_their_width(open_report: Any) -> None:
    tab = open_report()
    tab.set_viewport_size({"width": 390, "height": 800})
    assert tab.evaluate("document.documentElement.scrollWidth") <= 390
    tab.emulate_media(media="print")
    assert not tab.locator("#bar").is_visible()
    assert tab.locator("#verdict").is_visible()
    tab.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert tab.locator(".segment").filter(visible=True).count() == 20
    assert tab.locator(".segment .head").filter(visible=True).count() == 20


def test_2000_segments_of_20_systems_open_soon_and_scroll(open_report: Any, tmp_path: Path) -> None:
    words = [f"w{i:x}" for i in range(5000)]
    rng = np.random.default_rng(1)

    def text() -> list[str]:
        return [" ".join(words[int(w)] for w in rng.zipf(1.3, size) % 5000) for size in rng.integers(5, 40, 2000)]

    systems = {f"system-{i}": text() for i in range(20)}
    testset = tercet.TestSet(systems, {"ref": text()}, text(), documents=[str(i // 20) for i in range(2000)])
    path = tmp_path / "big.html"
    scores = external_scores(external_record("COMET"), {name: rng.normal(size=2000) for name in systems}, {})
    compared = compare_scores([scores], testset=testset, tests=["bootstrap"], resamples=5, slices=["length"], top=0)
    ComparisonReport(compared, testset, [scores], CheckReport((), 2000, ()), ["length"], "big", range(1, 2001)).write(
        path
    )
    lines = [*testset.outputs.values(), *testset.references.values(), testset.source or ()]
    size = sum(len((line or "").encode()) + 1 for column in lines for line in column)
    assert path.stat().st_size < 3 * size
    start = time.perf_counter()
    tab = open_report("", path)
    tab.locator(".segment .head").first.wait_for()
    assert time.perf_counter() - start < 10  # measured: 1.1 s on two cores
    assert tab.locator(".segment .head").count() < 60  # only those near the window are there
    for _ in range(20):
        tab.mouse.wheel(0, 20_000)
        tab.wait_for_timeout(20)
    assert tab.evaluate("scrollY") > 100_000
    tab.wait_for_function(NEAR)
    assert tab.locator(".segment .head").count() < 60
    tab.keyboard.press("j")
    tab.keyboard.press("j")
    assert tab.evaluate("document.querySelectorAll('.segment.current').length") == 1


def test_a_table_of_all_metrics_marks_ranks_that_differ(visit: Any, tmp_path: Path) -> None:
    texts = tercet.TestSet(
        {"A": ["the cat sat on the mat", "a dog"], "B": ["the cat sat", "a dog barks"], "b": ["x y z", "q"]},
        {"r": ["the cat sat on a mat", "a dog barks"]},
    )
    values = {"A": np.array([1.0, 2.0]), "B": np.array([3.0, 4.0]), "b": np.array([5.0, 6.0])}
    scores = [external_scores(external_record("M", lower_is_better=False), values, {})]
    found = tercet.report(texts, ["chrf"], scores=scores)
    found.write(tmp_path / "report.html")
    tab = visit(tmp_path / "report.html", "#marks=reference&more=b")
    tab.locator("#app[aria-busy=false]").wait_for()
    cells = tab.locator(".systems tbody tr").all_inner_texts()
    assert len(cells) == 3
    assert tab.locator(".systems td.moved").count() == 3  # b is the best, and was the last
    tab.locator(".systems th button", has_text="M").click()
    assert tab.get_by_role("tab", selected=True).inner_text().startswith("M")
    # Letters, with the names in the legend: a system that is called A does not collide.
    legend = tab.locator(".legend").inner_text()
    assert "A A" in legend or "A B" in legend
    assert "C b" in legend
    assert "object" not in legend


def test_words_limit_the_segments(open_report: Any, found: ComparisonReport) -> None:
    tab = open_report()
    tab.get_by_label("Words, at least").fill("12")
    tab.locator(".chip", has_text="12 to").wait_for()
    kept = listed(tab)
    assert 0 < len(kept) < 32
    assert "shortest=12" in address(tab)
    lengths = [len((text or "").split()) for text in found.testset.references["refA"]]
    assert min(lengths[number - 1] for number in kept) >= 11


def test_findings_link_to_segments(open_report: Any) -> None:
    tab = open_report()
    if not tab.locator("#findings[open]").count():
        tab.locator("#findings summary").click()
    assert "[object" not in tab.locator("#findings").inner_text()
    link = tab.locator("#findings a").first
    number = int(link.inner_text())
    link.click()
    tab.locator(f"#segment-{number}.current").wait_for()


def test_filters_are_folded_on_phones(open_report: Any) -> None:
    tab = open_report()
    assert tab.get_by_label("Sort by").is_visible()
    tab.set_viewport_size({"width": 390, "height": 800})
    tab.reload()
    tab.locator("#app[aria-busy=false]").wait_for()
    assert not tab.get_by_label("Sort by").is_visible()
    tab.locator(".folded summary").click()
    assert tab.get_by_label("Sort by").is_visible()


def test_a_report_on_one_system(visit: Any, tmp_path: Path) -> None:
    texts = tercet.demo("en-de")
    one = replace(texts, outputs={"Cedar": texts.outputs["Cedar"]})
    found = tercet.report(one, ["chrf", "meteor"], resamples=100)
    assert found.verdict.startswith("Cedar has 40.76 chrF2 (")
    found.write(tmp_path / "report.html")
    tab = visit(tmp_path / "report.html")
    tab.locator("#app[aria-busy=false]").wait_for()
    scores = found.scores[0].segment["Cedar"]
    assert listed(tab) == (np.argsort(scores, kind="stable") + 1).tolist()  # the worst first
    tab.get_by_label("Slice", exact=True).select_option(label="copied")
    assert listed(tab) == [15]
    assert not tab.get_by_text("A against B").count()
    assert not tab.get_by_text("undefined").count()


def test_an_earlier_report_shows_what_changed(visit: Any, tmp_path: Path) -> None:
    texts = tercet.demo("en-de")
    old = replace(texts, outputs={"Cedar": texts.outputs["Cedar"], "Alder": texts.outputs["Alder"]})
    tercet.report(old, "chrf", marks=0).write(tmp_path / "old.html")
    new = replace(texts, outputs={"Cedar": texts.outputs["Birch"], "Alder": texts.outputs["Alder"]})
    found = tercet.report(new, "chrf", marks=0, baseline=str(tmp_path / "old.html"))
    assert found.verdict.startswith("Cedar is better than before by 33.")
    assert found.verdict.endswith("Alder has not changed.")
    found.write(tmp_path / "new.html")
    tab = visit(tmp_path / "new.html")
    tab.locator("#app[aria-busy=false]").wait_for()
    assert "Cedar before" in tab.locator("#pair").inner_text() or tab.get_by_label("System B").input_value() == "2"
    other = replace(texts, references={"refA": tuple(reversed(texts.references["refA"]))})
    with pytest.raises(tercet.TercetError, match="is about other texts: its reference refA is not that of today"):
        tercet.report(other, "chrf", baseline=str(tmp_path / "old.html"))
    (tmp_path / "none.html").write_text("<p>none</p>", "utf-8")
    with pytest.raises(tercet.TercetError, match=r"none\.html is not a page of tercet report"):
        tercet.report(new, "chrf", baseline=str(tmp_path / "none.html"))
