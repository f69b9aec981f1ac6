"""hLEPOR against the Perl program of WMT19, the package hLepor 0.0.4, and what the WMT19 metrics task published."""

import numpy as np
import pytest

from tercet import metrics

from ..conftest import read_golden
from .golden import compare, golden_texts
from .test_wmt19_texts import read_columns, read_texts

FACTORS = slice(2, 7)  # of the counts: LP, NPosPenal, HPR, P, R


@pytest.mark.parametrize(("average", "corpus"), [("segment", "corpus_score"), ("factors", "corpus_score_hLEPORb")])
def test_every_segment_and_corpus_is_that_of_the_perl_program(shared, average, corpus):
    compared = 0
    for record in read_golden(shared, "hlepor_wmt19"):
        texts = golden_texts(shared, record["test_set"], record["references"])
        metric = metrics.create(f"hlepor:variant=wmt19,average={average}").resolved()
        compared += compare(metric, texts, record, tolerance=2e-15, corpus=corpus)  # fifteen digits are printed
    assert compared == 3_018


def test_every_factor_is_that_of_the_perl_program(shared):
    for record in read_golden(shared, "hlepor_wmt19"):
        texts = golden_texts(shared, record["test_set"], record["references"])
        for system, counts in metrics.create("hlepor:variant=wmt19").statistics(texts).items():
            expected = record["segment_factors"]["values"][system]
            # Perl leaves factors of empty texts undefined, which add up as 0.
            theirs = np.array([[value or 0.0 for value in row] for row in expected])
            assert np.abs(counts[:, FACTORS] - theirs).max() < 2e-15


def test_every_segment_and_corpus_is_that_of_the_package(shared):
    compared = 0
    for record in read_golden(shared, "hlepor_pypi"):
        texts = golden_texts(shared, record["test_set"], record["references"])
        compared += compare(metrics.create("hlepor:variant=pypi"), texts, record, tolerance=2e-15)
    assert compared == 1_502


# In the other pairs with a column hLEPORb (de-cs, en-lt, lt-en) it is neither of the two means on these texts.
@pytest.mark.parametrize("pair", ["de-cs", "de-fr", "en-gu", "en-kk", "kk-en", "zh-en"])
def test_system_scores_are_the_published_ones(shared, pair):
    table = read_columns(shared / "data" / "wmt19_sys" / "wmt19_sys_scores.tsv")
    rows = zip(table["lp"], table["system"], table["hLEPORa_baseline"], table["hLEPORb_baseline"], strict=True)
    expected = {system: (float(a), float(b)) for where, system, a, b in rows if where == pair}
    metric = metrics.create("hlepor:variant=wmt19").resolved()
    for system, counts in metric.statistics(read_texts(shared, pair).only(list(expected))).items():
        score = float(metric.score(counts.sum(0)))
        assert score == pytest.approx(expected[system][0], abs=6e-13), system
        if pair != "de-cs":  # what was published as the mean of factors is the mean of segments
            assert score == pytest.approx(expected[system][1], abs=2e-15), system
