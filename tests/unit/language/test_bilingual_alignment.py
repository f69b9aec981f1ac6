"""Alignments of two languages: both directions, symmetrised, and their files."""

import gzip

import numpy as np
import pytest

from tercet.errors import DataError, UnknownName, UsageError
from tercet.language import bilingual_alignment as word_alignment
from tercet.language.bilingual_alignment import HMM, symmetrise, train_aligner, train_hmm
from tercet.language.lexical_tables import train_table

SOURCES = [text.split() for text in ("das haus", "das buch", "ein buch", "das haus ist klein", "klein ist das buch")]
TARGETS = [text.split() for text in ("the house", "the book", "a book", "the house is small", "the book is small")]


@pytest.fixture(scope="module")
def aligner():
    return train_aligner(SOURCES, TARGETS)


def test_words_are_aligned_with_their_translations(aligner):
    found = aligner.align(SOURCES, TARGETS)
    assert found[0] == [(0, 0), (1, 1)]
    assert found[3] == [(0, 0), (1, 1), (2, 2), (3, 3)]
    assert (2, 0) in found[4] and (3, 1) in found[4]  # the other order


def test_each_direction_gives_a_position_or_nothing(aligner):
    for positions, source, target in zip(aligner.forward.align(SOURCES, TARGETS), SOURCES, TARGETS, strict=True):
        assert len(positions) == len(target)
        assert all(-1 <= place < len(source) for place in positions)
    assert aligner.forward.align([], []) == []
    assert aligner.align([], []) == []


def test_unknown_words_are_aligned_by_their_place(aligner):
    known = aligner.align([["das", "haus", "ist", "klein"]], [["the", "house", "is", "small"]])
    assert aligner.align([["das", "xxx", "ist", "klein"]], [["the", "yyy", "is", "small"]]) == known


def test_training_lowers_the_perplexity(aligner):
    for model in (aligner.forward, aligner.backward):
        assert len(model.perplexities) == 6
        assert model.perplexities[-1] < model.perplexities[0]
        words = TARGETS if model is aligner.forward else SOURCES
        sources = SOURCES if model is aligner.forward else TARGETS
        total = model.log_probabilities(sources, words).sum()
        assert np.exp(-total / sum(map(len, words))) == pytest.approx(model.perplexities[-1])
        assert model.jumps.sum() == pytest.approx(1)


def test_training_leaves_the_first_table_as_it_was():
    table = train_table(SOURCES, TARGETS)
    before = table.probabilities.copy()
    assert (train_hmm(table, SOURCES, TARGETS).table.probabilities != before).any()
    assert (table.probabilities == before).all()


def test_monotone_texts_jump_by_one(aligner):
    middle = len(aligner.forward.jumps) // 2
    assert aligner.forward.jumps.argmax() == middle + 1


def test_symmetrising_by_each_method():
    forward, backward = [[0, 1, 1, -1]], [[0, 1, 3]]
    assert symmetrise(forward, backward, method="intersection") == [[(0, 0), (1, 1)]]
    assert symmetrise(forward, backward, method="union") == [[(0, 0), (1, 1), (1, 2), (2, 3)]]
    assert symmetrise(forward, backward, method="grow-diag") == [[(0, 0), (1, 1), (1, 2), (2, 3)]]


def test_links_of_one_word_are_added_at_the_end_only_without_and():
    forward, backward = [[0, -1, 0]], [[0, -1, 1]]
    assert symmetrise(forward, backward, method="grow-diag-final") == [[(0, 0), (0, 2), (2, 1)]]
    assert symmetrise(forward, backward) == [[(0, 0), (2, 1)]]


@pytest.mark.parametrize(
    ("forward", "backward", "method", "kind", "message"),
    [
        ([[0]], [], "union", DataError, "1 alignments in one direction but 0 in the other"),
        ([[0], [2]], [[0], [-1, -1]], "union", DataError, "Pair 2: position 2 is outside the other text of 2 words"),
        ([[0]], [[0]], "grow", UnknownName, "no symmetrisation method called 'grow'. Did you mean grow-diag"),
    ],
)
def test_what_cannot_be_symmetrised_is_refused(forward, backward, method, kind, message):
    with pytest.raises(kind, match=message):
        symmetrise(forward, backward, method=method)


def test_texts_that_cannot_be_aligned_are_refused(aligner, monkeypatch):
    with pytest.raises(DataError, match="not parallel: 1 source sentences, 2 target"):
        aligner.align([["das"]], [["the"], ["a"]])
    monkeypatch.setattr(word_alignment, "MOST_CELLS", 10)
    with pytest.raises(DataError, match="Sentence pair 2 is too long to be aligned: 4 source words and 1 target words"):
        aligner.align([["das"], ["das"] * 4], [["the"], ["the"]])


def test_parameters_out_of_range_are_refused(aligner):
    with pytest.raises(UsageError, match="null must be at least 0 and below 1"):
        HMM(aligner.forward.table, aligner.forward.jumps, null=1.0)
    with pytest.raises(UsageError, match="smoothing above 0"):
        HMM(aligner.forward.table, aligner.forward.jumps, smoothing=0.0)
    with pytest.raises(UsageError, match="must be at least 1, not 0"):
        aligner.forward.trained(SOURCES, TARGETS, iterations=0)


def test_room_is_made_for_the_largest_pair_not_for_the_longest_texts_of_different_pairs(aligner):
    sources, targets = [["das"], ["das"] * 2000], [["the"] * 10**6, ["the"]]  # 2001 * 10^6 are many gigabytes
    assert aligner.forward.align(sources, targets) == [[0] * 10**6, [0]]
    assert len(aligner.forward.log_probabilities(sources, targets)) == 2
    both = symmetrise([[0] * 10**6, [0]], [[0], [0] * 10**6])
    assert [len(links) for links in both] == [10**6, 10**6]


def test_real_texts_find_the_words_that_both_have(shared):
    """Names and numbers that both texts have once stand for each other: links that need no annotator."""
    path = shared / "data" / "multiref" / "ntrex_newstest2019_21langs.tsv.gz"
    header, *rows = [line.split("\t") for line in gzip.decompress(path.read_bytes()).decode().split("\n") if line]
    english, german = ([row[header.index(name)].lower().split() for row in rows] for name in ("eng", "deu"))
    aligner = train_aligner(english, german, table_iterations=5, iterations=3)
    expected = found = 0
    for source, target, links in zip(english, german, aligner.align(english, german), strict=True):
        same = {word for word in {*source} & {*target} if source.count(word) == 1 == target.count(word)}
        wanted = {(source.index(word), target.index(word)) for word in same if len(word) > 3}
        expected += len(wanted)
        found += len(wanted.intersection(links))
    assert expected > 2700
    assert found / expected > 0.9
