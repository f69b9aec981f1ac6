"""Counts of n-grams and their quartiles, from a corpus, a table, or a package."""

import sys
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercet.errors import DataError, MissingDependency, UnknownName, UsageError
from tercet.language.frequencies import (
    Frequencies,
    count_corpus,
    count_ngrams,
    read_frequencies,
    word_frequencies,
    write_frequencies,
)

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
            assert [found.quartile(gram) for gram in grams] == quartiles
            if grams:
                assert row.tolist() == [quartiles.count(q) / len(grams) for q in range(5)]
            else:
                assert np.isnan(row).all()


@given(corpus=texts.filter(lambda corpus: any(len(text) > 2 for text in corpus)), gzipped=st.booleans())
def test_a_table_comes_back_as_it_was_written(tmp_path_factory, corpus, gzipped):
    path = tmp_path_factory.mktemp("table") / ("table.gz" if gzipped else "table")
    found = count_ngrams(corpus)
    write_frequencies(found, path)
    read = read_frequencies(path)
    assert read.order == 3
    assert (read.cutoffs == found.cutoffs).all()
    for n in (1, 2, 3):
        assert {gram: read.count(gram) for gram in slow_counts(corpus, n)} == slow_counts(corpus, n)


def test_eight_words_of_different_frequency_fill_the_quartiles():
    found = count_ngrams([list("a" + "b" * 2 + "c" * 3 + "d" * 4 + "e" * 5 + "f" * 6 + "g" * 7 + "h" * 8)], order=1)
    assert found.cutoffs.tolist() == [[2, 4, 6, 8]]  # of 8 counts those at 7/4, 7/2, 21/4 and 7, rounded down
    assert [found.quartile([word]) for word in "abcdefghi"] == [1, 1, 2, 2, 3, 3, 4, 4, 0]
    assert found.shares([list("abxh")], order=1).tolist() == [[0.25, 0.5, 0.0, 0.0, 0.25]]


def test_texts_that_are_not_split_into_words_are_refused():
    with pytest.raises(UsageError, match="Text 1, 'the cat', is a string. Pass a list of its words"):
        count_ngrams(["the cat"])
    found = count_ngrams([["the", "cat", "sat"]])
    for ask in (found.count, found.quartile):
        with pytest.raises(UsageError, match="is a string"):
            ask("the")


def test_rare_ngrams_can_count_as_unknown():
    corpus = [["a", "b", "a", "b", "a", "b", "c"]]
    found = count_ngrams(corpus, order=2, least=3)
    assert (found.count(["a"]), found.count(["c"]), found.count(["a", "b"]), found.count(["b", "a"])) == (3, 0, 3, 0)
    assert found.quartile(["c"]) == 0
    with pytest.raises(DataError, match="of 7 words, has no n-grams of 3 words that occur at least 3 times"):
        count_ngrams(corpus, order=3, least=3)


def test_a_corpus_file_is_counted_in_lower_case_if_asked(tmp_path):
    path = tmp_path / "corpus"
    path.write_text("The cat\n\nthe THE dog\n")
    assert count_corpus(path, order=1).count(["the"]) == 1
    lower = count_corpus(path, order=1, lowercase=True)
    assert (lower.count(["the"]), lower.count(["THE"])) == (3, 3)
    assert count_corpus(path, tokenise=list, order=1).count(["T"]) == 2
    path.write_text("\n")
    with pytest.raises(DataError, match="corpus: The corpus has no words"):
        count_corpus(path)


def test_a_table_of_words_from_elsewhere_is_read(tmp_path):
    path = tmp_path / "table"
    path.write_text("the\t1000\ncat\t2.5\nthe cat\t3\nsat by\t7\n")
    found = read_frequencies(path)
    assert (found.count(["the"]), found.count(["cat"]), found.count(["sat"])) == (1000, 2.5, 0)
    assert (found.count(["the", "cat"]), found.count(["sat", "by"]), found.count(["by", "the"])) == (3, 7, 0)
    assert found.cutoffs.tolist() == [[2.5, 2.5, 2.5, 1000], [3, 3, 3, 7]]
    assert [found.quartile([word]) for word in ("the", "cat", "sat")] == [4, 1, 0]
    assert read_frequencies(path, least=3).quartile(["cat"]) == 0


def test_a_table_without_ngrams_of_an_order_is_refused(tmp_path):
    path = tmp_path / "table"
    path.write_text("the\t1000\nthe cat sat\t2\n")
    with pytest.raises(DataError, match="table has no n-grams of 2 words. Use a lower order"):
        read_frequencies(path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty. Each line should have an n-gram, a tab and its count"),
        ("the 5\n", "line 1: 1 fields separated by tabs"),
        ("the\t5\ncat\tmany\n", "line 2: 'many' is not a count, a number above 0"),
        ("the\t5\ncat\t0\n", "line 2: '0' is not a count"),
        ("the\tinf\n", "line 1: 'inf' is not a count"),
        ("the\t1_000\n", "line 1: '1_000' is not a count"),
        ("the  cat\t5\n", "line 1: 'the  cat' is not an n-gram of 1 to 5 words separated by single blanks"),
        ("a b c d e f\t5\n", "line 1: 'a b c d e f' is not an n-gram"),
        ("the\t5\ncat\t5\nthe\t5\n", "line 3: the n-gram 'the' is repeated"),
    ],
)
def test_errors_name_file_and_line(tmp_path, text, message):
    path = tmp_path / "table"
    path.write_text(text)
    with pytest.raises(DataError, match=message) as error:
        read_frequencies(path)
    assert str(path) in str(error.value)


def test_what_cannot_be_asked_or_written_is_refused(tmp_path):
    found = count_ngrams([["a b", "c"]], order=2)
    with pytest.raises(UsageError, match="The table has n-grams of 1 to 2 words, not of 3"):
        found.shares([["a"]], order=3)
    with pytest.raises(UsageError, match="The table has n-grams of 1 to 2 words, not of 0"):
        found.count([])
    with pytest.raises(UsageError, match="The order of n-grams must be 1 to 5, not 6"):
        count_ngrams([["a"]], order=6)
    with pytest.raises(DataError, match="'a b' is empty or contains a blank"):
        write_frequencies(found, tmp_path / "table")
    assert not list(tmp_path.iterdir())


def test_word_frequencies_come_from_a_package():
    pytest.importorskip("wordfreq")
    english = word_frequencies("en")
    assert isinstance(english, Frequencies)
    assert english.count(["The"]) == english.count(["the"]) > english.count(["translation"]) > 0
    assert english.quartile(["the"]) == 4
    assert english.quartile(["xqzzyqx"]) == 0
    with pytest.raises(UnknownName, match="no language with word frequencies called 'xx'"):
        word_frequencies("xx")


def test_without_the_package_the_pip_line_is_given(monkeypatch):
    monkeypatch.setitem(sys.modules, "wordfreq", None)
    with pytest.raises(MissingDependency, match=r"pip install 'tercet\[qe\]'"):
        word_frequencies("en")
