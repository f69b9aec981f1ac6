"""Invariants of WER, PER, CDER, TER and CER on random texts, and TER against sacreBLEU."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercet import TestSet, metrics

words = st.sampled_from(["a", "b", "c", "d", "The", "the", "it's", "x,", "3.5", "don't.", "ß", "中", "&amp;"])
lines = st.lists(words, max_size=9).map(" ".join)
references = st.lists(words, min_size=1, max_size=9).map(" ".join)  # errors against an empty one have no rate
rows = st.lists(st.tuples(lines, references, references), min_size=1, max_size=5)
SPECS = ["wer", "wer:rate=mer", "wer:rate=wil", "per", "cder", "cer", "ter", "ter:normalized=true"]


def counts_of(spec, output, references):
    metric = metrics.create(spec).resolved()
    named = {f"r{i}": texts for i, texts in enumerate(references)}
    return metric, metric.statistics(TestSet({"x": output}, named))["x"]


def segments(spec, output, *references):
    metric, counts = counts_of(spec, output, references)
    return metric.segment_scores(counts)


@pytest.mark.parametrize("spec", SPECS)
@given(rows=rows)
def test_a_text_has_no_distance_from_itself_and_never_a_negative_one(spec, rows):
    output, first, _ = map(list, zip(*rows, strict=True))
    assert (segments(spec, output, first) >= 0).all()
    assert (segments(spec, output, output) == 0).all()
    assert (segments(spec, output, first, output) == 0).all()


@pytest.mark.parametrize("spec", SPECS)
@given(rows=rows)
def test_the_order_of_references_does_not_matter_to_segments(spec, rows):
    output, first, second = map(list, zip(*rows, strict=True))
    assert segments(spec, output, first, second).tolist() == segments(spec, output, second, first).tolist()


@pytest.mark.parametrize("spec", ["wer", "per", "cder", "cer", "wer:rate=mer", "wer:rate=wil"])
@given(rows=rows)
def test_another_reference_never_makes_a_segment_worse(spec, rows):
    output, first, second = map(list, zip(*rows, strict=True))
    assert (segments(spec, output, first, second) <= segments(spec, output, first)).all()


@given(rows=rows)
def test_freer_metrics_find_fewer_errors(rows):
    """PER ignores order, and CDER and TER may move blocks: none needs more edits than WER."""
    output, first, _ = map(list, zip(*rows, strict=True))
    wer = segments("wer:tokenize=none", output, first)
    for spec in ("per:tokenize=none", "cder:tokenize=none"):
        assert (segments(spec, output, first) <= wer + 1e-12).all()
    ter, reference = counts_of("ter:case_sensitive=true", output, [first])[1].T[:2]
    edits = counts_of("wer:tokenize=none", output, [first])[1][:, :3].sum(1)
    assert (ter <= edits).all()
    assert reference.tolist() == [len(text.split()) for text in first]


@given(rows=rows)
def test_wer_counts_as_many_edits_in_either_direction(rows):
    output, first, _ = map(list, zip(*rows, strict=True))
    forth, back = (counts_of("wer:tokenize=none", *pair)[1][:, :3] for pair in ((output, [first]), (first, [output])))
    assert forth.sum(1).tolist() == back.sum(1).tolist()


@pytest.mark.parametrize("spec", ["wer:rate=mer", "wer:rate=wil"])
@given(rows=rows)
def test_mer_and_wil_stay_between_0_and_1(spec, rows):
    output, first, _ = map(list, zip(*rows, strict=True))
    scores = segments(spec, output, first)
    assert ((scores >= 0) & (scores <= 1)).all()


@pytest.mark.parametrize("spec", ["wer", "per", "cder", "cer", "ter"])
@given(rows=rows)
def test_what_is_explained_costs_what_is_scored(spec, rows):
    output, first, second = map(list, zip(*rows, strict=True))
    metric, counts = counts_of(spec, output, [first, second])
    for row, texts in zip(counts, rows, strict=True):
        (script,) = metric.ready().explain(texts[0], texts[1:]).parts
        edits = row[:3].sum() if spec == "wer" else row[3] if spec == "per" else row[0]
        assert script.cost == edits
        assert isinstance(script.lines(), list)


@pytest.mark.parametrize("parameters", [{}, {"normalized": True}, {"no_punct": True}, {"case_sensitive": True}])
@given(rows=st.lists(st.tuples(lines, lines, lines), min_size=1, max_size=5))
def test_ter_equals_sacrebleu(parameters, rows):
    sacrebleu = pytest.importorskip("sacrebleu.metrics")
    output, first, second = map(list, zip(*rows, strict=True))
    spec = ",".join(["ter:variant=sacrebleu", *(f"{key}={value}" for key, value in parameters.items())])
    metric, counts = counts_of(spec, output, [first, second])
    peer = sacrebleu.TER(**parameters)
    expected = [peer.sentence_score(o, list(r)).score for o, *r in rows]
    assert np.abs(metric.segment_scores(counts) - expected).max() < 1e-9
    assert float(metric.score(counts.sum(0))) == pytest.approx(
        peer.corpus_score(output, [first, second]).score, abs=1e-9
    )
    if not parameters.get("normalized"):
        assert np.array_equal(counts_of(spec.replace("sacrebleu", "standard"), output, [first, second])[1], counts)
