"""BLEU and NIST against mteval-v13a.pl (Moses 34452895), run on SGM files with & < > escaped.

It divides by zero at an empty reference, so the set with empty lines has no record.
"""

import pytest

from tercet import metrics

from ..conftest import read_golden
from .golden import compare, golden_texts


def options(record) -> str:
    given = record["parameters"]["options"]
    tokenize = "intl" if "--international-tokenization" in given else "13a"
    return f"tokenize={tokenize},lowercase={'-c' not in given}"


def test_bleu_equals_mteval(shared):
    compared = 0
    for record in read_golden(shared, "mteval_bleu"):
        smoothing = "none" if "--no-smoothing" in record["parameters"]["options"] else "exp"
        metric = metrics.create(f"bleu:variant=mteval,{options(record)},smooth_method={smoothing}")
        texts = golden_texts(shared, record["test_set"], record["references"])
        compared += compare(metric, texts, record, tolerance=1e-9)
    assert compared == 11_135


def test_nist_equals_mteval(shared):
    compared = 0
    for record in read_golden(shared, "mteval_nist"):
        metric = metrics.create(f"nist:{options(record)}")
        texts = golden_texts(shared, record["test_set"], record["references"])
        compared += compare(metric, texts, record, tolerance=1e-9)
    assert compared == 11_135


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_nist_of_shards_equals_nist_of_the_whole(shared, size):
    texts = golden_texts(shared, "ende21", 2)
    ready = metrics.create("nist").ready(texts)
    (record,) = [
        record
        for record in read_golden(shared, "mteval_nist")
        if (record["test_set"], record["references"], record["parameters"]["options"]) == ("ende21", 2, [])
    ]
    for system in texts.systems:
        total = sum(ready.count(metrics.Shard(shard))[system].sum(0) for shard in texts.shards(size))
        assert float(ready.score(total)) == pytest.approx(record["corpus_score"][system], abs=1e-9)
