"""The page of the report counts what BLEU and chrF saw itself, and finds what the metrics find."""

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

import tercet
from tercet.metrics import create

pytestmark = pytest.mark.xdist_group("report")
HARD = [
    ('He said: "It\'s 3.5 km, e.g. 1,000-2,000 m." (OK?)', "He said it is 3.5 km, i.e. 1,000 m."),
    ("&quot;A&amp;B&quot; &lt;b&gt; a-b 5-6 -7", '"A&B" <b> a - b 5-6-7'),
    ("naïve Straße 😀😀 ok 😀", "naive Strasse 😀 ok 😀😀"),
    ("我们去看大海。你好", "我们去看海。"),
    ("مرحبا بالعالم، يا عالم", "مرحبا يا عالم"),
    ("a a a a b b", "b b a a a"),
    ("", "something"),
    ("x", "x y"),
    ("tab\tand\u00a0blank\u3000wide\u2028line", "tab and blank wide line"),
    ("ΟΔΟΣ Σ σς", "οδος ς σ"),
]
COUNTED = (files("tercet") / "comparison_report" / "pages" / "counted.js").read_text("utf-8")
EVERY = f"D => {{ {COUNTED}; return D.outputs.map((all, s) => all.map((_, i) => countedSeen(D.counted, i, s))) }}"


@pytest.mark.parametrize("references", [1, 2])
@pytest.mark.parametrize("metric", ["bleu", "chrf", "chrf:beta=1,char_order=3"])
def test_the_page_counts_what_the_metric_saw(context: Any, metric: str, references: int) -> None:
    demo = tercet.demo("en-de")
    first, second = zip(*HARD, strict=True)
    golds = {"refA": second, "refB": (*second[1:], second[0])}
    texts = tercet.TestSet(
        {name: (*lines, *first) for name, lines in demo.outputs.items()},
        {name: (*demo.references[name], *golds[name]) for name in list(golds)[:references]},
    )
    ready = create(metric).ready(texts)
    (layer,) = tercet.report(texts, [metric], resamples=20).layers
    data = {"outputs": list(texts.outputs.values()), "references": dict(texts.references), "counted": layer.counted}
    found = context.new_page().evaluate(EVERY, data)
    for output, counted in zip(texts.outputs.values(), found, strict=True):
        for text, *gold, made in zip(output, *texts.references.values(), counted, strict=True):
            expected = json.loads(json.dumps(ready.explain(text, gold, None).to_dict(text, gold, None, brief=True)))
            assert made == {key: expected[key] for key in made}, text


def test_all_segments_of_a_large_report_are_marked_and_others_say_why_not(visit: Any, tmp_path: Path) -> None:
    demo = tercet.demo("en-de")
    texts = tercet.TestSet(
        {f"{name}{k}": lines * 10 for name, lines in demo.outputs.items() for k in range(2)},
        {"ref": demo.references["refA"] * 10},
    )
    tercet.report(texts, ["chrf", "ter"], resamples=20, marks=2).write(tmp_path / "report.html")
    tab = visit(tmp_path / "report.html", "#sort=order&marks=chrF2")
    tab.locator("#app[aria-busy=false]").wait_for()
    tab.locator("#segment-1").scroll_into_view_if_needed()
    tab.locator("#segment-1 mark.high").first.wait_for()
    assert "Marked:" not in tab.locator(".legend").inner_text()
    tab.get_by_label("Marks").select_option("TER")
    tab.get_by_text("with --marks 320 it has all").first.wait_for()


@pytest.mark.parametrize(
    "metric", ["bleu:tokenize=intl", "bleu:lowercase=true", "chrf:whitespace=true", "chrf:word_order=2"]
)
def test_what_the_page_cannot_count_comes_with_it(metric: str) -> None:
    (layer,) = tercet.report(tercet.demo("en-de"), [metric], resamples=20).layers
    assert layer.counted is None and len(layer.rows) == 32
