"""Counts of n-grams and their quartiles, from a corpus or a package."""

import sys
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercet.errors import DataError, MissingDependency, UnknownName, UsageError
from tercet.language.frequencies import (
    Frequencies,
    count_ngrams,
    word_frequencies,
)

from .lookups import quartile

texts = st.lists(st.lists(st.sampled_from("abc"), max_size=7), min_size=1, max_size=6)


def slow_counts(corpus, n):
    return Counter(tuple(text[i : i + n]) for text in corpus for i in range(len(text) - n + 1))


def slow_quartile(counts, ngram):
    """By hand: sorted counts, cut at the four places of QuEst's sorter."""
    if ngram not in counts:
        return 0
    rising = sorted(counts.values())
    cuts = [rising[q * (len(rising) - 1) // 4] for q in (1, 2, 3, 4)]
    return next(q for q, cut in enumerate(cuts, 1) if counts[ngram] <= cut)


@given(corpus=texts.filter(lambda corpus: any(len(text) > 2 for text in corpus)), others=texts)
def test_counts_and_quartiles_are_those_of_a_counter(corpus, others):
    found = count_ngrams(corpus)
    for n in (1, 2, 3):
        expected = slow_counts(corpus, n)
        shares = found.shares(others, order=n)
        for text, row in zip(others, shares, strict=True):
            grams = [tuple(text[i : i + n]) for i in range(len(text) - n + 1)]
            assert [found.count(gram) for gram in grams] == [expected[gram] for gram in grams]
            quartiles = [slow_quartile(expected, gram) for gram in grams]
            assert [quartile(found, gram) for gram in grams] == quartiles
            if grams:
                assert row.tolist() == [quartiles.count(q) / len(grams) for q in range(5)]
            else:
                assert np.isnan(row).all()


def test_eight_words_of_different_frequency_fill_the_quartiles():
    found = count_ngrams([list("a" + "b" * 2 + "c" * 3 + "d" * 4 + "e" * 5 + "f" * 6 + "g" * 7 + "h" * 8)], order=1)
    assert found.cutoffs.tolist() == [[2, 4, 6, 8]]  # of 8 counts those at 7/4, 7/2, 21/4 and 7, rounded down
    assert [quartile(found, [word]) for word in "abcdefghi"] == [1, 1, 2, 2, 3, 3, 4, 4, 0]
    assert found.shares([list("abxh")], order=1).tolist() == [[0.25, 0.5, 0.0, 0.0, 0.25]]


def test_texts_that_are_not_split_into_words_are_refused():
    with pytest.raises(UsageError, match="Text 1, 'the cat', is a string. Pass a list of its words"):
        count_ngrams(["the cat"])
    found = count_ngrams([["the", "cat", "sat"]])
    with pytest.raises(UsageError, match="is a string"):
        found.count("the")


def test_a_corpus_without_words_or_ngrams_is_refused():
    with pytest.raises(DataError, match="The corpus has no words"):
        count_ngrams([[]])
    with pytest.raises(DataError, match="of 1 words, has no n-grams of 2 words. Use a lower order"):
        count_ngrams([["the"]])


def test_what_cannot_be_asked_is_refused():
    found = count_ngrams([["a b", "c"]], order=2)
    with pytest.raises(UsageError, match="The table has n-grams of 1 to 2 words, not of 3"):
        found.shares([["a"]], order=3)
    with pytest.raises(UsageError, match="The table has n-grams of 1 to 2 words, not of 0"):
        found.count([])
    with pytest.raises(UsageError, match="The order of n-grams must be 1 to 5, not 6"):
        count_ngrams([["a"]], order=6)


def test_word_frequencies_come_from_a_package():
    pytest.importorskip("wordfreq")
    english = word_frequencies("en")
    assert isinstance(english, Frequencies)
    assert english.count(["The"]) == english.count(["the"]) > english.count(["translation"]) > 0
    assert quartile(english, ["the"]) == 4
    assert quartile(english, ["xqzzyqx"]) == 0
    with pytest.raises(UnknownName, match="no language with word frequencies called 'xx'"):
        word_frequencies("xx")


def test_without_the_package_the_pip_line_is_given(monkeypatch):
    monkeypatch.setitem(sys.modules, "wordfreq", None)
    with pytest.raises(MissingDependency, match=r"pip install 'tercet\[qe\]'"):
        word_frequencies("en")
