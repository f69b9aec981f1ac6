"""sentBLEU against sentence-bleu of Moses (34452895), on text that is tokenised already."""

from tercet import metrics

from ..conftest import read_golden
from .golden import compare, golden_texts


def test_sentbleu_equals_moses(shared):
    """The program computes in float32, whose relative error is 6e-8 an operation, and prints nine digits."""
    metric = metrics.create("sentbleu:tokenize=none")
    compared = 0
    for record in read_golden(shared, "moses_sentbleu"):
        texts = golden_texts(shared, record["test_set"], record["references"])
        compared += compare(metric, texts, record, tolerance=1e-6)
    assert compared == 2_443
