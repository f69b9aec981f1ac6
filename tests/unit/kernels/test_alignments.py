"""The alignments of RIBES and hLEPOR against the same on lists of words."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tercet.metrics.alignment import hlepor, ribes
from tercet.metrics.alignment.hlepor import HLEPOR
from tercet.metrics.alignment.ribes import RIBES

from .conftest import load_source

PLAIN = load_source("alignments")
shared_fixture = settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
words = st.lists(st.sampled_from("abcde"), max_size=12)
some_words = st.lists(st.sampled_from("abcde"), min_size=1, max_size=12)


@pytest.fixture(params=["installed", "plain"])
def form(request, monkeypatch):
    if request.param == "plain":
        monkeypatch.setattr(ribes, "alignments", PLAIN)
        monkeypatch.setattr(hlepor, "alignments", PLAIN)
    return request.param


def aligned(metric, output, reference):
    seen = metric.ready().explain(" ".join(output), [" ".join(reference)])
    positions = {link.output[0]: link.other[0] for link in seen.parts[0].links}
    return [positions.get(i) for i in range(len(output))]


def places(gram, text):
    return [k for k in range(len(text) - len(gram) + 1) if text[k : k + len(gram)] == gram]


def slow_contexts(output, reference):
    """RIBES: the shortest n-gram that ends or begins with the word and occurs once on both sides; ending first."""
    result = []
    for i in range(len(output)):
        found = None
        for width in range(max(len(output), 1)):
            for begin in (i - width, i):
                gram = output[begin : begin + width + 1] if begin >= 0 else []
                if len(gram) <= width or found is not None:
                    continue
                if len(places(gram, reference)) == 1 == len(places(gram, output)):
                    found = places(gram, reference)[0] + i - begin
        result.append(found)
    return result


@shared_fixture
@given(output=words, reference=some_words)
def test_ribes_aligns_by_the_shortest_context_that_is_unique(form, output, reference):
    assert aligned(RIBES(), output, reference) == slow_contexts(output, reference)


@shared_fixture
@given(output=some_words, reference=some_words)
def test_kendalls_tau_counts_pairs_in_order(form, output, reference):
    seen = RIBES().ready().explain(" ".join(output), [" ".join(reference)])
    at = [place for place in slow_contexts(output, reference) if place is not None]
    pairs = [(a, b) for i, a in enumerate(at) for b in at[i + 1 :]]
    expected = sum(a < b for a, b in pairs) / len(pairs) if pairs else float(len(at) == 1 == len(reference))
    assert seen.values["nkt"] == expected


def context(text, i, n):
    return text[max(i - n, 0) : i] + text[i + 1 : i + n + 1]


def ported_context(text, i, n):
    return text[i - n : i] + text[i + 1 : i + n + 1]


def slow_nearest(output, reference, n, *, port=False):
    """hLEPOR: a position that has the word, shares a word nearby if one does, and is near."""
    free, result = set(range(len(reference))), []
    around = ported_context if port else context
    for i, word in enumerate(output):
        matches = [j for j in sorted(free) if reference[j] == word]
        sharing = [j for j in matches if set(around(output, i, n)) & set(around(reference, j, n))]
        chosen = min(sharing or matches, key=lambda j: abs(i - j), default=None)
        if port and sharing:
            chosen = matches[sharing.index(chosen)]  # the mistake of the package
        free.discard(chosen)
        result.append(chosen)
    return result


@pytest.mark.parametrize("n", [1, 2, 5])
@shared_fixture
@given(output=words, reference=words)
def test_hlepor_aligns_with_the_nearest_word_in_context(form, n, output, reference):
    assert aligned(HLEPOR(n=n), output, reference) == slow_nearest(output, reference, n)


@pytest.mark.parametrize("n", [1, 2, 5])
@shared_fixture
@given(output=words, reference=words)
def test_hlepor_can_repeat_the_mistakes_of_the_package(form, n, output, reference):
    assert aligned(HLEPOR(n=n, variant="pypi"), output, reference) == slow_nearest(output, reference, n, port=True)


def perl(text, i):
    """An array element as Perl sees it; what does not exist equals an empty string."""
    return text[i] if -len(text) <= i < len(text) else ""


def slow_perl(output, reference):
    result, confirmed = [None] * len(output), [False] * len(reference)
    waiting = []
    for i, word in enumerate(output):
        for j, other in enumerate(reference):
            confirmed[j] = False
            if word != other:
                continue
            side = 1 if i == 0 else -1
            near = any(perl(output, i + side * a) == perl(reference, j + side * b) for a in (1, 2) for b in (1, 2))
            if near or 0 < i < len(output) - 2:
                confirmed[j], result[i] = True, j
                break
        if result[i] is None and word in reference:
            waiting.append(i)
    for i in waiting:
        free = [j for j, other in enumerate(reference) if other == output[i] and not confirmed[j]]
        result[i] = min(free, key=lambda j: abs(i - j), default=0)
    return result


def slow_common(output, reference):
    taken = []
    for word in output:
        for j, other in enumerate(reference):
            if word == other and not any(str(place).startswith(str(j)) for place in taken):
                taken.append(j)
                break
    return len(taken)


@shared_fixture
@given(output=words, reference=some_words)
def test_hlepor_of_wmt19_aligns_as_the_perl_program(form, output, reference):
    assert aligned(HLEPOR(variant="wmt19"), output, reference) == slow_perl(output, reference)


@shared_fixture
@given(
    output=st.lists(st.sampled_from("ab"), min_size=1, max_size=30),
    reference=st.lists(st.sampled_from("ab"), min_size=1, max_size=30),
)
def test_hlepor_of_wmt19_blocks_positions_that_begin_with_the_same_digits(form, output, reference):
    seen = HLEPOR(variant="wmt19").ready().explain(" ".join(output), [" ".join(reference)])
    assert seen.values["precision"] == slow_common(output, reference) / len(output)


def test_positions_are_blocked_by_their_first_digits(form):
    """Position 1 counts as used once position 10 is: of two equal words one is lost."""
    reference = ["x", "a", "b", "c", "d", "e", "f", "g", "h", "i", "x2"]
    output = ["x2", "a"]
    assert slow_common(output, reference) == 1
    text = " ".join(reference)
    assert HLEPOR(variant="wmt19").ready().explain("x2 a", [text]).values["precision"] == 0.5
    assert HLEPOR().ready().explain("x2 a", [text]).values["precision"] == 1.0
