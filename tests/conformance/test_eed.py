"""EED against the programs of rwth-i6/ExtendedEditDistance, torchmetrics, and what the WMT19 metrics task published."""

import pytest

from tercet import metrics

from ..conftest import read_golden
from .golden import compare, golden_texts
from .test_wmt19_texts import PAIRS, read_columns, read_texts


@pytest.mark.parametrize(
    ("name", "language", "variant"),
    [
        ("eed_wmt19", "C++", "wmt19"),
        ("eed_wmt19", "Python", "python-wmt19"),
        ("eed", "C++", "current"),
        ("eed", "Python", "python"),
    ],
)
def test_every_segment_and_corpus_is_that_of_the_program(shared, name, language, variant):
    compared = 0
    for record in read_golden(shared, name):
        if language in record["parameters"]["implementation"]:
            texts = golden_texts(shared, record["test_set"], record["references"])
            compared += compare(metrics.create(f"eed:variant={variant}"), texts, record, tolerance=1e-15)
    assert compared == 1_509


def test_torchmetrics_is_the_python_variant(shared):
    """Except that it spells "i . e ." right; it prints single precision."""
    compared = 0
    for record in read_golden(shared, "torchmetrics"):
        if record["parameters"]["metric"] != "eed en":
            continue
        texts = golden_texts(shared, record["test_set"], record["references"])
        metric = metrics.create("eed:variant=python").resolved()
        for system, table in metric.statistics(texts).items():
            for i, their in enumerate(record["segment_scores"][system]):
                if "i . e ." not in texts.outputs[system][i]:
                    assert metric.segment_scores(table)[i] == pytest.approx(their, abs=1e-7), (system, i)
                    compared += 1
    assert compared == 907


@pytest.mark.parametrize("pair", PAIRS)
def test_system_scores_are_the_published_ones(shared, pair):
    """Published with twelve digits and the sign turned."""
    table = read_columns(shared / "data" / "wmt19_sys" / "wmt19_sys_scores.tsv")
    rows = zip(table["lp"], table["system"], table["EED"], strict=True)
    expected = {system: -float(score) for where, system, score in rows if where == pair}
    metric = metrics.create("eed:variant=wmt19").resolved()
    for system, counts in metric.statistics(read_texts(shared, pair).only(list(expected))).items():
        assert float(metric.score(counts.sum(0))) == pytest.approx(expected[system], abs=6e-13), system
