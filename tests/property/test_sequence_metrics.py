"""Invariants of CharacTER, EED, hLEPOR, RIBES and YiSi-0 on random texts."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercet import TestSet, metrics

WORDS = ["the", "The", "cat", "sat", "on", "mat", ".", "3.5", "Mr.", "it's", "été", "中文", "\U0001f600", "a\u00a0b"]
lines = st.one_of(
    st.lists(st.sampled_from(WORDS), max_size=9).map(" ".join),
    st.text(st.characters(codec="utf-8", exclude_characters="\0\n\r", exclude_categories=["Cn", "Cs"]), max_size=12),
)
different = st.lists(st.sampled_from([f"w{i}" for i in range(30)]), min_size=1, max_size=12, unique=True)
pairs = st.lists(st.tuples(lines, lines), min_size=1, max_size=5)
SPECS = [
    "character",
    "character:variant=original",
    "eed",
    "eed:variant=wmt19",
    "eed:variant=current",
    "eed:variant=python",
    "eed:variant=python-wmt19",
    "hlepor",
    "hlepor:variant=wmt19",
    "hlepor:variant=pypi",
    "ribes",
    "yisi0",
    "yisi0:variant=original",
]
ERRORS = {"character", "eed"}  # 0 is best


def segments(spec, outputs, *references):
    metric = metrics.create(spec).resolved()
    named = {f"r{i}": list(texts) for i, texts in enumerate(references)}
    return metric.segment_scores(metric.statistics(TestSet({"x": list(outputs)}, named))["x"])


@pytest.mark.parametrize("spec", SPECS)
@given(rows=pairs)
def test_scores_lie_between_0_and_1(spec, rows):
    scores = segments(spec, *zip(*rows, strict=True))
    assert all(math.isnan(score) or 0 <= score <= 1 + 1e-12 for score in scores)
    for score, (_, reference) in zip(scores, rows, strict=True):
        assert math.isnan(score) == (spec == "ribes" and not reference.split())


@pytest.mark.parametrize("spec", SPECS)
@given(words=different)
def test_a_text_equals_itself(spec, words):
    """RIBES has no order of one word, and pairs of words that repeat may stay unaligned; so all are different here."""
    text = " ".join(words)
    best = 0.0 if spec.partition(":")[0] in ERRORS else 1.0
    if spec.startswith("eed:variant=python"):
        assert segments(spec, [text], [text])[0] < 0.2
    else:
        assert segments(spec, [text], [text])[0] == pytest.approx(best, abs=1e-12)


@pytest.mark.parametrize("spec", ["character", "eed", "hlepor"])
@given(text=lines)
def test_any_text_equals_itself(spec, text):
    best = 0.0 if spec in ERRORS else 1.0
    assert segments(spec, [text], [text])[0] == pytest.approx(best, abs=1e-12)


@pytest.mark.parametrize("spec", SPECS)
@given(rows=pairs, seed=st.integers(0, 10))
def test_the_order_of_segments_does_not_matter(spec, rows, seed):
    order = np.random.default_rng(seed).permutation(len(rows))
    scores = segments(spec, *zip(*rows, strict=True))
    mixed = segments(spec, *zip(*[rows[i] for i in order], strict=True))
    assert np.array_equal(mixed, scores[order], equal_nan=True)


@pytest.mark.parametrize("spec", [spec for spec in SPECS if not spec.startswith("yisi0")])
@given(rows=st.lists(st.tuples(lines, lines, lines), min_size=1, max_size=4))
def test_the_best_reference_counts_whatever_their_order(spec, rows):
    outputs, first, second = zip(*rows, strict=True)
    one, other = segments(spec, outputs, first), segments(spec, outputs, second)
    both = np.fmin(one, other) if spec.partition(":")[0] in ERRORS else np.fmax(one, other)
    assert np.array_equal(segments(spec, outputs, first, second), both, equal_nan=True)
    assert np.array_equal(segments(spec, outputs, second, first), both, equal_nan=True)


@given(rows=pairs)
def test_yisi0_without_a_preference_is_symmetric_but_for_the_weights(rows):
    """With one text on each side and alpha one half, only the weights tell the sides apart."""
    outputs, references = zip(*rows, strict=True)
    ready = metrics.create("yisi0:alpha=0.5").ready(TestSet({"x": outputs}, {"r": references}))

    def count(one, other):
        return ready.count(metrics.Shard(TestSet({"x": one}, {"r": other})))["x"]

    assert count(outputs, references)[:, 0] == pytest.approx(count(references, outputs)[:, 0], abs=1e-12)


@given(rows=pairs)
def test_hlepors_length_penalty_is_symmetric(rows):
    outputs, references = zip(*rows, strict=True)
    metric = metrics.create("hlepor")
    one = metric.statistics(TestSet({"x": outputs}, {"r": references}))["x"]
    other = metric.statistics(TestSet({"x": references}, {"r": outputs}))["x"]
    assert one[:, 2].tolist() == other[:, 2].tolist()
    assert one[:, 5].tolist() == pytest.approx(other[:, 6].tolist())  # precision is the other's recall


@pytest.mark.parametrize(
    ("spec", "same", "other"),
    [
        ("character", 0.0, 1.0),
        ("hlepor", 1.0, 0.0),
        ("ribes", 1.0, 0.0),
        ("yisi0", 1.0, 0.0),
    ],
)
def test_one_word(spec, same, other):
    assert segments(spec, ["cat"], ["cat"])[0] == same
    assert segments(spec, ["cat"], ["xyz"])[0] == other


@given(words=different, data=st.data())
def test_character_pays_for_moves_but_not_for_edits_where_only_the_order_differs(words, data):
    """With different words of one length, moves alone bring each permutation home, and cost less than edits."""
    mixed = data.draw(st.permutations(words))
    seen = metrics.create("character").ready().explain(" ".join(mixed), [" ".join(words)])
    assert sorted(seen.values["moved"].split()) == sorted(words)
    assert bool(seen.values["moves"]) <= (mixed != words)
    if len(words) == 2 and mixed != words:
        assert seen.values["distance"] == 0
