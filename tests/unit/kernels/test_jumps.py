"""The grid of the extended edit distance against the recurrence on lists, in both precisions."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tercet import TestSet
from tercet.metrics.edits import eed as module
from tercet.metrics.edits.eed import EED

from .conftest import load_source

PLAIN = load_source("jumps")
shared_fixture = settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
texts = st.text(alphabet="abc A\u00e9\U0001f600", max_size=14)
COSTS = [(0.2, 1.0, 1.0, 2.0), (0.3, 0.7, 1.1, 0.4), (1.0, 1.0, 1.0, 0.0)]


@pytest.fixture(params=["installed", "plain"])
def form(request, monkeypatch):
    if request.param == "plain":
        monkeypatch.setattr(module, "jumps", PLAIN)
    return request.param


def slow_grid(output, reference, costs, single):
    """Errors and visits of each column; rounded after each step where `single` asks for it."""
    kind = np.float32 if single else np.float64
    deletion, insertion, substitution, jump = map(kind, costs)
    row = [kind(0)] + [kind(1)] * len(output)
    visits = [0] * len(row)
    for wanted in reference:
        following = [row[0] + kind(1)]
        for i, char in enumerate(output, 1):
            diagonal = row[i - 1] + (kind(0) if char == wanted else substitution)
            following.append(min(following[-1] + deletion, diagonal, row[i] + insertion))
        cheapest, least = 0, int(following[0]) if single else following[0]
        for i, value in enumerate(following):
            if value < least:
                cheapest, least = i, int(value) if single else value
        visits[cheapest] += 1
        if wanted == " ":
            following = [min(value, following[cheapest] + jump) for value in following]
        row = following
    return float(row[-1]), visits


@pytest.mark.parametrize("costs", COSTS)
@pytest.mark.parametrize("single", [False, True])
@shared_fixture
@given(pairs=st.lists(st.tuples(texts, texts), min_size=1, max_size=4))
def test_errors_and_visits_equal_those_of_the_recurrence_to_the_last_bit(form, costs, single, pairs):
    deletion, insertion, substitution, jump = costs
    variant = "current" if single else "corrected"
    metric = EED(deletion, insertion, substitution, jump, variant=variant).resolved()
    outputs, references = zip(*pairs, strict=True)
    points, offsets = module.code_points(outputs)
    wanted, wanted_offsets = module.code_points(references)
    errors, sums = metric._grid(points, offsets, wanted, wanted_offsets, np.arange(len(pairs)))
    for error, (never, again, total, first), (output, reference) in zip(errors, sums.tolist(), pairs, strict=True):
        expected, visits = slow_grid(output, reference, costs, single)
        assert error == expected
        many = [count for count in visits[1:] if count > 1]
        assert (never, again, total, first) == (visits[1:].count(0), len(many), sum(many), visits[0])


def test_texts_of_a_batch_do_not_disturb_each_other(form):
    random = np.random.default_rng(3)
    lines = ["".join(random.choice(list("ab c"), random.integers(0, 30))) for _ in range(40)]
    metric = EED(variant="wmt19").resolved()
    testset = TestSet({"x": lines[:20]}, {"r": lines[20:]})
    whole = metric.statistics(testset)["x"]
    for i in range(20):
        one = testset[i : i + 1]
        alone = metric.statistics(one)["x"]
        assert alone.tolist() == whole[i : i + 1].tolist()
