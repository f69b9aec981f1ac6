"""The report's sentences and data."""

import json
from math import nan
from pathlib import Path

import numpy as np
import pytest

import tercet
from tercet import examples
from tercet.comparing import compare_scores
from tercet.comparison_report import verdict
from tercet.comparison_report.payload import usual_slices
from tercet.comparison_report.verdicts import listed, shown_p
from tercet.data.scores import Scores
from tercet.errors import DataError
from tercet.metrics._external import external_record, external_scores
from tercet.rendering.tables import to_json


def scores(means: dict[str, float], n: int = 60, *, lower: bool = False, noise: float = 1.0) -> Scores:
    rng = np.random.default_rng(0)
    segment = {name: mean + noise * rng.normal(size=n) for name, mean in means.items()}
    return external_scores(external_record("TER" if lower else "M", lower_is_better=lower), segment, {})


def said(item: Scores, **options: object) -> str:
    compared = compare_scores([item], tests=["randomisation"], resamples=2000, top=0, **options)
    return verdict(compared, compared.metrics[0])


def test_of_two_systems_the_verdict_names_the_better_with_size_interval_and_p() -> None:
    assert said(scores({"a": 0, "b": 5})).startswith("b is better than a by 5.0")
    assert said(scores({"a": 0, "b": 5})).endswith(", p < .001).")
    assert said(scores({"a": 0, "b": 5}, lower=True)).startswith("a is better than b by 5.0")
    alike = said(scores({"a": 0, "b": 0.01}))
    assert alike.startswith("a and b cannot be told apart: a - b is ") and "p = ." in alike


def test_of_many_systems_it_names_the_best_and_those_that_may_be_as_good() -> None:
    alone = said(scores({"a": 0, "b": 9, "c": 3}))
    assert alone.startswith("b is better than both others. The closest is c, by 6.")
    level = said(scores({"a": 5, "b": 5.01, "c": 3, "d": 0}))
    assert level.startswith("b has the best M, but a cannot be told apart from it. It is better than the other 2, the")
    assert "closest of them c, by " in level or "closest of them c, by" in level
    assert said(scores({"a": 1, "b": 1.01, "c": 1.02})).endswith("but none of the others can be told apart from it.")


def test_against_a_baseline_it_groups_the_systems() -> None:
    text = said(scores({"base": 3, "up": 9, "down": 0, "same": 3.01}), baseline="base")
    assert text == "By M, up is better than base; down is worse than base; same is not distinguishable from base."
    assert said(scores({"base": 3, "up": 9}), baseline="base").startswith("up is better than base by 6.0")


@pytest.mark.parametrize(
    ("p", "text"), [(0.0003, "p < .001"), (0.0312, "p = .031"), (1.0, "p = 1"), (nan, "p undefined")]
)
def test_p_values_are_written_as_in_papers(p: float, text: str) -> None:
    assert shown_p(p) == text


def test_names_are_listed_and_many_are_counted() -> None:
    assert [listed(list("abcdef"[:n])) for n in (1, 2, 3, 4, 6)] == [
        "a",
        "a and b",
        "a, b and c",
        "a, b, c and d",
        "a, b, c and 3 more",
    ]


def test_the_data_have_all_numbers_and_undefined_ones_are_null() -> None:
    found = tercet.report(tercet.demo("en-de"), ["chrf", "chrf:word_order=2"], resamples=50)
    data = json.loads(to_json(found.to_dict()))
    assert [metric["name"] for metric in data["metrics"]] == ["chrF2", "chrF2++"]
    assert data["systems"] == ["Alder", "Birch", "Cedar"]
    assert [each["by"] for each in data["slices"]] == ["length", "document", "domain"]
    metric = data["metrics"][0]
    assert np.allclose(metric["segment"], [found.scores[0].segment[name] for name in data["systems"]], atol=1e-3)
    for place, system in enumerate(data["systems"]):
        assert metric["systems"][place][0] == found.scores[0].system[system]
    pair = found.comparison.metrics[0].pair("Alder", "Cedar")
    assert [0, 2, pair.difference] in [each[:3] for each in metric["pairs"]]
    assert {each["severity"] for each in data["findings"]} <= {"error", "warning", "note"} and data["findings"]
    assert any("SHA-256" in name for name, _ in data["facts"])


def test_the_methods_name_exact_tests_and_all_their_exchanges() -> None:
    few, many = (
        dict(tercet.report(tercet.demo("en-de").take(range(n)), "chrf", tests=["randomisation"]).to_dict()["facts"])
        for n in (10, 20)
    )
    assert few["Tests"] == "two-sided; exact randomisation, all 512 exchanges; seed 12345"
    assert many["Tests"] == "two-sided; approximate randomisation, 10,000 resamples; seed 12345"
    assert few["Verdicts"].startswith("exact randomisation, corrected")


def test_two_metrics_with_one_label_go_by_what_was_asked_for() -> None:
    found = tercet.report(tercet.demo("en-de"), ["bleu", "bleu:tokenize=char"], resamples=20)
    assert [metric["name"] for metric in found.to_dict()["metrics"]] == ["bleu", "bleu:tokenize=char"]


def test_judgements_are_shown_as_means_of_segments(tmp_path: Path) -> None:
    files = examples.write("en-de", tmp_path)
    ratings = tmp_path / files["judgements"][0]
    found = tercet.report(tercet.demo("en-de"), "chrf", judgements=[ratings], resamples=50)
    people = found.scores[1]
    rows = [json.loads(line) for line in ratings.read_text("utf-8").splitlines()]
    values = [row["value"] for row in rows if row["segment"] == "1" and row["system"] == "Alder"]
    assert people.segment["Alder"][0] == pytest.approx(np.mean(values))
    assert [metric["external"] for metric in found.to_dict()["metrics"]] == [False, True]
    with pytest.raises(DataError, match="There are no judgements .* of Other"):
        texts = tercet.demo("en-de")
        more = tercet.TestSet({**texts.outputs, "Other": texts.outputs["Alder"]}, texts.references, pair="en-de")
        tercet.report(more, "chrf", judgements=[ratings])


def test_the_title_is_the_name_of_the_test_set_or_those_of_the_systems() -> None:
    outputs, references = {"a": ["x y", "z"], "b": ["x", "z"]}, {"ref": ["x y", "z"]}
    assert tercet.report(tercet.TestSet(outputs, references), "chrf", resamples=20).title == "a and b"
    assert tercet.report(tercet.TestSet(outputs, references, name="news"), "chrf", resamples=20).title == "news"
    assert repr(tercet.report(tercet.TestSet(outputs, references), "chrf", resamples=20)).startswith(
        "ComparisonReport('a"
    )


def test_slices_are_those_that_group_segments() -> None:
    texts = tercet.TestSet(
        {"a": list("xyz")}, {"r": list("xyz")}, labels={"id": list("123"), "one": list("aaa"), "two": list("aab")}
    )
    assert usual_slices(texts) == ["length", "two"]


def test_one_system_has_scores_with_intervals() -> None:
    found = tercet.report(tercet.TestSet({"a": ["x y", "z"]}, {"r": ["x y", "u"]}), "chrf")
    assert found.verdict == "a has 66.67 chrF2 (0.00 to 100.00)." or found.verdict.startswith("a has ")
    assert found.to_dict()["metrics"][0]["pairs"] == []
