"""Model 1, the hidden Markov model and symmetrisation against the same on dictionaries and lists, slowly."""

import math
from collections import defaultdict
from itertools import product

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tercet.language import bilingual_alignment as word_alignment
from tercet.language import lexical_tables
from tercet.language.bilingual_alignment import HMM, METHODS, symmetrise, train_hmm
from tercet.language.lexical_tables import FLOOR, NULL, train_table

from ..language.lookups import probabilities
from .conftest import load_source

PLAIN, PLAIN_SYMMETRY = load_source("lexical"), load_source("symmetry")
shared_fixture = settings(
    max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
sentences = st.lists(st.sampled_from("abcd"), min_size=1, max_size=4)
translations = st.lists(st.sampled_from("wxyz"), min_size=1, max_size=4)
corpora = st.lists(st.tuples(sentences, translations), min_size=1, max_size=5)


@pytest.fixture(params=["installed", "plain"])
def form(request, monkeypatch):
    if request.param == "plain":
        monkeypatch.setattr(lexical_tables, "kernel", PLAIN)
        monkeypatch.setattr(word_alignment, "kernel", PLAIN)
        monkeypatch.setattr(word_alignment, "symmetry", PLAIN_SYMMETRY)
    return request.param


def sides(corpus):
    return [source for source, _ in corpus], [target for _, target in corpus]


def slow_model1(corpus, iterations):
    """Brown et al.'s equations as they stand: expected counts, normalised for each source word."""
    vocabulary = {word for _, target in corpus for word in target}
    t = defaultdict(lambda: 1 / len(vocabulary))
    for _ in range(iterations):
        counts, totals = defaultdict(float), defaultdict(float)
        for source, target in corpus:
            for e in target:
                norm = sum(t[f, e] for f in (NULL, *source))
                for f in (NULL, *source):
                    counts[f, e] += t[f, e] / norm
                    totals[f] += t[f, e] / norm
        t = {(f, e): count / totals[f] for (f, e), count in counts.items()}
    return t


@shared_fixture
@given(corpus=corpora, iterations=st.integers(1, 4))
def test_model_1_is_that_of_the_equations(form, corpus, iterations):
    table = train_table(*sides(corpus), iterations=iterations)
    expected = slow_model1(corpus, iterations)
    assert len(table) == len(expected)
    for (f, e), probability in expected.items():
        assert probabilities(table, f).get(e, 0) == pytest.approx(probability, rel=1e-12)


@shared_fixture
@given(corpus=corpora, others=corpora)
def test_sentence_probabilities_are_those_of_all_alignments(form, corpus, others):
    table = train_table(*sides(corpus), iterations=2)
    found = table.log_probabilities(*sides(others))
    for (source, target), value in zip(others, found, strict=True):
        expected = 0.0
        for e in target:
            total = sum(probabilities(table, f).get(e, 0) for f in (NULL, *source))
            expected += math.log(max(total, FLOOR) / (len(source) + 1))
        assert value == pytest.approx(expected, rel=1e-12)


def slow_moves(length, model):
    """Probabilities of going from position p (-1: the beginning) to i, the empty word aside."""
    middle = len(model.jumps) // 2
    weights = {width - middle: value for width, value in enumerate(model.jumps.tolist())}
    moves = {}
    for p in range(-1, length):
        total = sum(weights.get(i - p, 0) for i in range(length))
        for i in range(length):
            share = weights.get(i - p, 0) / total if total else 1 / length
            moves[p, i] = (1 - model.smoothing) * share + model.smoothing / length if total else share
    return moves


def slow_paths(model, source, target):
    """Every alignment of a pair with its probability; None is the empty word."""
    moves, paths = slow_moves(len(source), model), {}
    for path in product([*range(len(source)), None], repeat=len(target)):
        probability, last = 1.0, -1
        for e, i in zip(target, path, strict=True):
            if i is None:
                probability *= model.null * max(probabilities(model.table, NULL).get(e, 0), FLOOR)
            else:
                probability *= (
                    (1 - model.null) * moves[last, i] * max(probabilities(model.table, source[i]).get(e, 0), FLOOR)
                )
                last = i
        paths[path] = probability
    return paths


JUMPS = np.array([0.05, 0.1, 0.15, 0.5, 0.2])  # from -2 to 2: wider ones weigh nothing
STAYING = np.array([1.0])  # no jump leaves the beginning, so all that do are equally probable


@pytest.mark.parametrize("jumps", [JUMPS, STAYING], ids=["jumping", "staying"])
@shared_fixture
@given(corpus=corpora)
def test_the_best_path_is_the_best_of_all(form, jumps, corpus):
    model = HMM(train_table(*sides(corpus), iterations=2), jumps)
    for (source, target), found in zip(corpus, model.align(*sides(corpus)), strict=True):
        paths = slow_paths(model, source, target)
        path = tuple(None if i < 0 else i for i in found)
        assert paths[path] == pytest.approx(max(paths.values()), rel=1e-12)


@pytest.mark.parametrize("jumps", [JUMPS, STAYING], ids=["jumping", "staying"])
@shared_fixture
@given(corpus=corpora, others=corpora)
def test_the_forward_sum_is_that_over_all_paths(form, jumps, corpus, others):
    model = HMM(train_table(*sides(corpus), iterations=2), jumps)
    for (source, target), found in zip(others, model.log_probabilities(*sides(others)), strict=True):
        assert found == pytest.approx(math.log(sum(slow_paths(model, source, target).values())), rel=1e-10)


@shared_fixture
@given(corpus=corpora)
def test_one_iteration_takes_the_posteriors_of_all_paths(form, corpus):
    model = HMM(train_table(*sides(corpus), iterations=2), JUMPS)
    counts, totals, jumps = defaultdict(float), defaultdict(float), defaultdict(float)
    for source, target in corpus:
        paths = slow_paths(model, source, target)
        for path, probability in paths.items():
            share, last = probability / sum(paths.values()), -1
            for e, i in zip(target, path, strict=True):
                f = NULL if i is None else source[i]
                counts[f, e] += share
                totals[f] += share
                if i is not None:
                    jumps[i - last] += share
                    last = i
    after = model.trained(*sides(corpus), iterations=1)
    for (f, e), count in counts.items():
        assert probabilities(after.table, f).get(e, 0) == pytest.approx(count / totals[f], rel=1e-9)
    middle = len(JUMPS) // 2
    known = {width: jumps[width] for width in range(-middle, middle + 1)}
    for width, count in known.items():
        assert after.jumps[width + middle] == pytest.approx(count / sum(known.values()), rel=1e-9)


def test_a_source_without_words_aligns_with_nothing(form):
    model = train_hmm(train_table([["a"]], [["x", "y"]]), [["a"]], [["x", "y"]], iterations=1)
    assert model.align([[], ["a"]], [["x", "y"], []]) == [[-1, -1], []]
    expected = 2 * math.log(0.5)  # NULL gives both words an equal half
    assert model.log_probabilities([[], ["a"]], [["x", "y"], []]).tolist() == [pytest.approx(expected), 0.0]


NEIGHBOURS = ((-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1))


def slow_symmetrise(forward, backward, method):
    """Koehn's algorithm with sets; e is the target position, f the source position."""
    e2f = {(e, f) for e, f in enumerate(forward) if f >= 0}
    f2e = {(e, f) for f, e in enumerate(backward) if e >= 0}
    if method == "union":
        return sorted((f, e) for e, f in e2f | f2e)
    points = e2f & f2e

    def aligned(e=None, f=None):
        return any(e in (None, a) and f in (None, b) for a, b in points)

    grown = method.startswith("grow")
    while grown:
        grown = False
        for e, f in product(range(len(forward)), range(len(backward))):
            if (e, f) not in points:
                continue
            for a, b in NEIGHBOURS:
                new = (e + a, f + b)
                if new in points or new not in e2f | f2e:
                    continue
                if not aligned(e=new[0]) or not aligned(f=new[1]):
                    points.add(new)
                    grown = True
    if "final" in method:
        for direction in (e2f, f2e):
            for e, f in sorted(direction):
                free = [not aligned(e=e), not aligned(f=f)]
                if all(free) or (any(free) and method == "grow-diag-final"):
                    points.add((e, f))
    return sorted((f, e) for e, f in points)


@st.composite
def two_directions(draw):
    n, m = draw(st.integers(0, 6)), draw(st.integers(0, 6))
    forward = draw(st.lists(st.integers(-1, n - 1), min_size=m, max_size=m))
    return forward, draw(st.lists(st.integers(-1, m - 1), min_size=n, max_size=n))


@pytest.mark.parametrize("method", METHODS)
@shared_fixture
@given(pairs=st.lists(two_directions(), min_size=1, max_size=4))
def test_symmetrising_is_the_published_algorithm(form, method, pairs):
    found = symmetrise([forward for forward, _ in pairs], [backward for _, backward in pairs], method=method)
    assert found == [slow_symmetrise(*pair, method) for pair in pairs]
