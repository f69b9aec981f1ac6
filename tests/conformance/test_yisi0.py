"""YiSi-0 against the program yisi (fd07bfc) with lexsim-type=lcs, and near what the WMT19 metrics task published."""

import pytest

from tercet import metrics

from ..conftest import read_golden
from .golden import compare, golden_texts
from .test_wmt19_texts import read_columns, read_texts


def test_every_segment_and_corpus_is_that_of_the_program(shared):
    compared = 0
    for record in read_golden(shared, "yisi0"):
        given = record["parameters"]
        if given.get("lexsim") != "lcs":
            continue  # YiSi-1 and YiSi-2 on the program's own examples
        metric = metrics.create(f"yisi0:variant=original,n={given['ngram_size']},alpha={given['alpha']}").resolved()
        texts = golden_texts(shared, record["test_set"], record["references"])
        compared += compare(metric, texts, record, tolerance=5.1e-7)  # six digits are printed
    assert compared == 5_230


@pytest.mark.parametrize("pair", ["lt-en", "ru-en"])
def test_system_scores_are_near_the_published_ones(shared, pair):
    """Which tokeniser the task ran is not known; with Moses', in lower case, no system is off by more than .01."""
    table = read_columns(shared / "data" / "wmt19_sys" / "wmt19_sys_scores.tsv")
    rows = zip(table["lp"], table["system"], table["YiSi-0"], strict=True)
    expected = {system: float(score) for where, system, score in rows if where == pair}
    metric = metrics.create("yisi0:tokenize=moses-en,lowercase=true").resolved()
    for system, counts in metric.statistics(read_texts(shared, pair).only(list(expected))).items():
        assert float(metric.score(counts.sum(0))) == pytest.approx(expected[system], abs=0.01), system


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_shards_score_as_the_whole(shared, size):
    texts = golden_texts(shared, "ende21", 2)
    ready = metrics.create("yisi0").ready(texts)
    whole = ready.count(metrics.Shard(texts))
    for system in texts.systems:
        total = sum(ready.count(metrics.Shard(shard))[system].sum(0) for shard in texts.shards(size))
        assert float(ready.score(total)) == pytest.approx(float(ready.score(whole[system].sum(0))), abs=1e-12)
