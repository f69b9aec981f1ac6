"""CharacTER's loops against the same on lists of words, move by move."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tercet import TestSet
from tercet.metrics.edits import character as module
from tercet.metrics.edits.character import CharacTER

from .conftest import load_source

PLAIN = load_source("phrases")
shared_fixture = settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
words = st.lists(st.sampled_from(["a", "b", "cc", "d", "E", "é", "\U0001f600x"]), max_size=9)


@pytest.fixture(params=["installed", "plain"])
def form(request, monkeypatch):
    if request.param == "plain":
        monkeypatch.setattr(module, "phrases", PLAIN)
    return request.param


def distance(first, second):
    row = list(range(len(second) + 1))
    for i, unit in enumerate(first, 1):
        following = [i]
        for j, other in enumerate(second, 1):
            following.append(min(row[j] + 1, following[-1] + 1, row[j - 1] + (unit != other)))
        row = following
    return row[-1]


def slow_moves(output, reference):
    """All outputs on the way, from the given one to that which no move brings nearer to the reference."""
    way = [list(output)]
    while True:
        present, candidates = way[-1], []
        for i in range(len(present)):
            for j in range(len(reference)):
                size = 0
                while present[i : i + size + 1] == reference[j : j + size + 1] and max(i, j) + size < max(
                    len(present) if i >= j else 0, len(reference) if j >= i else 0
                ):
                    size += 1
                    if i + size >= len(present) or j + size >= len(reference):
                        break
                if size and i != j:
                    moved = present[:i] + present[i + size :]
                    moved[j:j] = present[i : i + size]
                    candidates.append((-distance(moved, reference), moved))
        best = max(candidates, default=(-distance(present, reference), present))
        if -best[0] >= distance(present, reference):
            return way
        way.append(best[1])


def slow_price(before, after):
    cost, i = 0.0, 0
    while i < len(before):
        size = 1
        if before[i] != after[i] and before[i] in after[i + 1 :]:
            k = after.index(before[i], i + 1)
            while i + size < len(before) and k + size < len(after) and before[i + size] == after[k + size]:
                size += 1
            cost += sum(map(len, before[i : i + size])) / size
        i += size
    return cost


def fast(pairs, metric=CharacTER()):  # noqa: B008 - a metric never changes
    outputs, references = zip(*pairs, strict=True)
    testset = TestSet({"x": [" ".join(line) for line in outputs]}, {"r": [" ".join(line) for line in references]})
    return metric.statistics(testset)["x"]


@shared_fixture
@given(pairs=st.lists(st.tuples(words, words), min_size=1, max_size=3))
def test_moves_prices_and_edits_equal_those_on_lists(form, pairs):
    for row, (output, reference) in zip(fast(pairs), pairs, strict=True):
        final = slow_moves(output, reference)[-1] if reference else output
        text = " ".join(final)
        assert row[2:].tolist() == [distance(text, " ".join(reference)), slow_price(output, final), len(text)]


@shared_fixture
@given(output=words, reference=words)
def test_each_move_is_the_one_that_lists_make(form, output, reference):
    seen = CharacTER().ready().explain(" ".join(output), [" ".join(reference)])
    way = slow_moves(output, reference) if reference else [output]
    present = list(output)
    assert len(seen.values["moves"]) == len(way) - 1
    for move, (_, following) in zip(seen.values["moves"], pairwise(way), strict=True):
        phrase = move["words"].split()
        rest = present[: move["from"]] + present[move["from"] + len(phrase) :]
        present = rest[: move["to"]] + phrase + rest[move["to"] :]
        assert present == following
    assert seen.values["moved"].split() == present


@pytest.mark.parametrize(("size", "other"), [(63, 64), (64, 64), (65, 65), (64, 130), (130, 20)])
def test_texts_longer_than_a_block_are_edited_as_short_ones(form, size, other):
    random = np.random.default_rng(size)
    vocabulary = [f"w{i}" for i in range(400)]  # hardly any word twice, so that moves are few and lists quick
    reference = list(random.permutation(vocabulary)[:other])
    output = list(random.permutation([*reference[: size // 2], *vocabulary[: size - size // 2]])[:size])
    output = output[:10] + sorted(output[10:])
    row = fast([(output, reference)])[0]
    moved = CharacTER().ready().explain(" ".join(output), [" ".join(reference)]).values["moved"]
    assert row[2] == distance(moved, " ".join(reference))
    assert sorted(moved.split()) == sorted(output)
    assert distance(moved.split(), reference) <= distance(output, reference)


@pytest.mark.parametrize("length", [1, 63, 64, 65, 129, 400])
def test_character_distances_of_long_texts_are_right(form, length):
    random = np.random.default_rng(length)
    one, other = ("".join(random.choice(list("abcdé"), length + extra)) for extra in (0, 7))
    row = fast([([one], [other])])[0]
    assert row[2] == distance(one, other)
