"""The kernel of language models against dictionaries of tuples."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tercet.language import ngram_models
from tercet.language.ngram_models import BEGIN, END, MARKS, UNKNOWN, Grams, NgramModel

from .conftest import load_source

PLAIN = load_source("ngram_lm")
shared_fixture = settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
WORDS = (*MARKS, *"abc")
numbers = st.integers(0, len(WORDS) - 1)
longer = st.lists(st.lists(numbers, min_size=2, max_size=4).map(tuple), max_size=25)
sentences = st.lists(st.lists(st.sampled_from("abcx"), max_size=8), max_size=4)


@pytest.fixture(params=["installed", "plain"])
def form(request, monkeypatch):
    if request.param == "plain":
        monkeypatch.setattr(ngram_models, "ngram_lm", PLAIN)
    return request.param


def closed(grams):
    """With the beginnings of all n-grams, which a model must have; their ends may be missing, as after pruning."""
    return sorted({gram[:n] for gram in grams for n in range(1, len(gram) + 1)} | {(w,) for w in range(len(WORDS))})


def model_of(grams, seed):
    """A model with these n-grams and random numbers, and the same as a dictionary."""
    random = np.random.default_rng(seed)
    table = {gram: (-random.random(), random.normal()) for gram in closed(grams)}
    levels, shorter = [], [()]
    for n in range(1, max(map(len, table)) + 1):
        here = sorted(gram for gram in table if len(gram) == n)
        parents = np.array([shorter.index(gram[:-1]) for gram in here], dtype=np.int64)
        logs, backoffs = np.array([table[gram] for gram in here]).T.copy()
        levels.append(Grams(parents, np.array([gram[-1] for gram in here]), logs, backoffs))
        shorter = here
    return NgramModel(WORDS, levels), table


def slow_score(table, history, word):
    """The definition of a back-off model: log-probability, and the length of the n-gram found."""
    if (*history, word) in table:
        return table[(*history, word)][0], len(history) + 1
    log, length = slow_score(table, history[1:], word)
    return log + (table[history][1] if history in table else 0), length


@shared_fixture
@given(grams=longer, texts=sentences, seed=st.integers(0, 99))
def test_scores_equal_those_of_the_definition(form, grams, texts, seed):
    model, table = model_of(grams, seed)
    scored = model.score([" ".join(text) for text in texts])
    expected = []
    for text in texts:
        ids = [BEGIN, *(WORDS.index(word) if word in WORDS else UNKNOWN for word in text), END]
        for i in range(1, len(ids)):
            expected.append(slow_score(table, tuple(ids[max(0, i - model.order + 1) : i]), ids[i]))
    assert scored.log10 == pytest.approx([log for log, _ in expected], abs=1e-12)
    assert scored.matched.tolist() == [length for _, length in expected]


def test_a_model_of_single_words_has_no_context(form):
    model, table = model_of([], 1)
    assert model.score(["a b"]).log10.tolist() == [table[(3,)][0], table[(4,)][0], table[(END,)][0]]
