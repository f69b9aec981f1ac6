"""BEER against the program BEER 2.0 (stanojevic/beer b54e7ed) with its published weights."""

from tercet import metrics

from ..conftest import read_golden
from .golden import compare, golden_texts


def test_every_segment_and_mean_is_that_of_the_program(shared):
    metric = metrics.create(f"beer:model={shared / 'golden' / 'beer_model'}")
    compared = 0
    for record in read_golden(shared, "beer"):
        texts = golden_texts(shared, record["test_set"], record["references"])
        # The program divides the sum of segments by one too many; WMT19 published means.
        compared += compare(metric, texts, record, tolerance=1e-15, corpus="mean_of_segments")
    assert compared == 2_443
