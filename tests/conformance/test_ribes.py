"""RIBES against RIBES.py 1.03.1, run with -z on Moses' tokens; it prints six digits."""

import numpy as np
import pytest

from tercet import metrics

from ..conftest import read_golden
from .golden import golden_texts


def test_every_segment_and_corpus_is_that_of_the_program(shared):
    compared = 0
    for record in read_golden(shared, "ribes"):
        lowercase = "-c" not in record["parameters"]["options"]
        metric = metrics.create(f"ribes:variant=original,lowercase={lowercase}").resolved()
        texts = golden_texts(shared, record["test_set"], record["references"])
        for system, counts in metric.statistics(texts).items():
            ours = [*metric.segment_scores(counts), float(metric.score(counts.sum(0)))]
            theirs = [*record["segment_scores"][system], record["corpus_score"][system]]
            for i, (our, their) in enumerate(zip(ours, map(float, theirs), strict=True)):
                assert our == their or abs(our - their) < 5.1e-7, (record["test_set"], system, i)
                compared += 1
    assert compared == 3_952


def test_by_default_a_segment_without_words_in_its_references_has_no_score(shared):
    texts = golden_texts(shared, "tok_moses/adv", 1)
    empty = [not (text or "").split() for text in texts.references["ref0"]]
    assert any(empty)
    metric, original = (metrics.create(spec).resolved() for spec in ("ribes", "ribes:variant=original"))
    for counts in metric.statistics(texts).values():
        ours, theirs = metric.segment_scores(counts), original.segment_scores(counts)
        assert np.isnan(ours).tolist() == np.isneginf(theirs).tolist() == empty
        assert metric.score(counts.sum(0)) == original.score(counts.sum(0))
        assert float(metric.score(counts.sum(0))) == pytest.approx(np.nanmean(ours), abs=1e-15)
