"""Lexical tables: estimating, asking, writing and reading them."""

import gzip
import logging

import numpy as np
import pytest

from tercet.errors import DataError, UnknownName, UsageError
from tercet.language import lexical_tables
from tercet.language.lexical_tables import NULL, read_table, train_table, write_table

from .lookups import probabilities, translations

SOURCES = [text.split() for text in ("das haus", "das buch", "ein buch", "das haus ist klein")]
TARGETS = [text.split() for text in ("the house", "the book", "a book", "the house is small")]


@pytest.fixture(scope="module")
def table():
    return train_table(SOURCES, TARGETS, iterations=10)


def test_words_find_their_translations(table):
    best = {word: translations(table, word)[0][0] for word in ("das", "haus", "buch", "ein")}
    assert best == {"das": "the", "haus": "house", "buch": "book", "ein": "a"}


def test_translations_come_by_probability_and_above_a_limit(table):
    found = translations(table, "das")
    assert found == sorted(found, key=lambda item: -item[1])
    assert sum(probability for _, probability in found) == pytest.approx(1)
    assert translations(table, "das", above=0.5) == found[:1]
    assert translations(table, "unknown") == []
    assert {word for word, _ in translations(table, NULL)} == set(table.target_words)


def test_counts_of_translations_are_those_of_the_lists(table):
    for above in (0.0, 0.01, 0.2, 1.0):
        counts = table.translation_counts(above=above)
        assert counts == {word: len(translations(table, word, above=above)) for word in table.source_words[1:]}
    assert table.translation_counts(above=0.0)["das"] == 5


def test_a_pruned_table_keeps_the_probabilities_of_what_is_left(table):
    below = float(np.sort(table.probabilities)[len(table) // 2])
    pruned = table.pruned(below=below)
    assert len(pruned) == (table.probabilities >= below).sum() < len(table)
    for word in table.source_words:
        kept = [item for item in translations(table, word) if item[1] >= below]
        assert translations(pruned, word) == kept
    assert "the" not in probabilities(pruned, "ein")


def test_perplexity_is_known_before_and_after_each_iteration(table):
    assert len(table.perplexities) == 11
    assert table.perplexities[0] == pytest.approx(6)  # six target words, all equally probable
    assert all(after <= before for before, after in zip(table.perplexities, table.perplexities[1:], strict=False))
    words = sum(len(text) for text in TARGETS)
    assert np.exp(-table.log_probabilities(SOURCES, TARGETS).sum() / words) == pytest.approx(table.perplexities[-1])


def test_the_other_direction_exchanges_the_texts():
    table = train_table(TARGETS, SOURCES, iterations=10)
    assert translations(table, "house")[0][0] == "haus"


def test_pairs_that_are_empty_or_too_long_are_left_out(caplog):
    with caplog.at_level(logging.INFO):
        table = train_table([*SOURCES, [], ["x"] * 9], [*TARGETS, ["y"], ["z"]], longest=8, iterations=10)
    assert "2 sentence pairs with no or over 8 words are skipped." in caplog.text
    expected = train_table(SOURCES, TARGETS, iterations=10)
    assert table.probabilities.tolist() == expected.probabilities.tolist()


@pytest.mark.parametrize(
    ("sources", "targets", "options", "kind", "message"),
    [
        ([["a"]], [], {}, DataError, "not parallel: 1 source sentences, 0 target sentences"),
        ([[]], [["a"]], {}, DataError, "no sentence pair has 1 to 100 words on both sides"),
        ([["a"], ["b", ""]], [["x"], ["y"]], {}, DataError, "Sentence 2 contains an empty word"),
        (["das haus"], [["x"]], {}, UsageError, "Text 1, 'das haus', is a string. Pass a list of its words"),
        ([["a"]], [["x"]], {"iterations": 0}, UsageError, "must be at least 1, not 0"),
    ],
)
def test_what_cannot_be_estimated_is_refused(sources, targets, options, kind, message):
    with pytest.raises(kind, match=message):
        train_table(sources, targets, **options)


def test_a_table_that_would_be_too_large_is_refused(monkeypatch):
    monkeypatch.setattr(lexical_tables, "MOST_PAIRS", 20)
    with pytest.raises(DataError, match=r"\d+ pairs of words occur together; the maximum is 20"):
        train_table(SOURCES, TARGETS)


@pytest.mark.parametrize("name", ["table.tsv", "table.tsv.gz"])
def test_a_table_comes_back_as_it_was_written(table, tmp_path, name):
    path = tmp_path / name
    write_table(table, path)
    read = read_table(path)
    assert len(read) == len(table)
    for word in table.source_words:
        assert sorted(translations(read, word)) == sorted(translations(table, word))
    assert (read.log_probabilities(SOURCES, TARGETS) == table.log_probabilities(SOURCES, TARGETS)).all()
    text = gzip.decompress(path.read_bytes()) if name.endswith("gz") else path.read_bytes()
    assert text.startswith(b"source\ttarget\tprobability\n\tthe\t0.")
    assert [item.name for item in tmp_path.iterdir()] == [name]


def test_a_word_that_the_file_cannot_hold_is_refused_and_nothing_is_written(tmp_path):
    odd = train_table([["a\tb"]], [["x"]])
    with pytest.raises(DataError, match="holds a tab"):
        write_table(odd, tmp_path / "table")
    assert not list(tmp_path.iterdir())


def test_tables_of_giza_have_the_source_first(tmp_path):
    path = tmp_path / "giza"
    path.write_text("haus house 0.75\nhaus home 0.25\nNULL the 1\nder the 1e-07\n")
    table = read_table(path, format="giza")
    assert translations(table, "haus") == [("house", 0.75), ("home", 0.25)]
    assert translations(table, NULL) == [("the", 1.0)]
    assert probabilities(table, "der")["the"] == 1e-07


def test_tables_of_moses_have_the_target_first(tmp_path):
    path = tmp_path / "lex.e2f"
    path.write_text("house haus 0.7500000\nhome haus 0.2000000\nNULL haus 0.0500000\nthe NULL 1.0000000\n")
    table = read_table(path, format="moses")
    assert translations(table, "haus") == [("house", 0.75), ("home", 0.2)]  # NULL is no translation
    assert translations(table, NULL) == [("the", 1.0)]


def test_a_table_read_the_wrong_way_round_is_refused(tmp_path):
    path = tmp_path / "lex"
    path.write_text("haus house 0.9\nhaus home 0.1\ngebäude house 0.6\ngebäude building 0.4\n")
    message = r"translations of 'house' sum to 1.500, more than 1. Try another format: tsv, giza."
    with pytest.raises(DataError, match=message):
        read_table(path, format="moses")


def test_probabilities_rounded_to_seven_decimals_may_sum_to_more_than_1(tmp_path):
    path = tmp_path / "lex"
    # 1 of 6 million for each of 60,000 words: .00000017, written as .0000002; and 5,940,000 times the same one
    path.write_text("".join(f"w{i} NULL 0.0000002\n" for i in range(60_000)) + "the NULL 0.9900000\n")
    table = read_table(path, format="moses")
    assert 1.0011 < table.probabilities.sum() < 1.0021


HEAD = "source\ttarget\tprobability\n"


@pytest.mark.parametrize(
    ("format", "text", "message"),
    [
        ("tsv", "", "contains no pairs of words"),
        ("tsv", "a\tb\t0.5\n", "line 1: 'a\\\\tb\\\\t0.5' is not the header of a lexical table"),
        ("tsv", HEAD, "contains no pairs of words"),
        ("tsv", HEAD + "a\tb\n", "line 2: 2 fields separated by tabs; expected two words and a probability"),
        ("tsv", HEAD + "a\tb\t1.5\n", "line 2: '1.5' is not a probability"),
        ("tsv", HEAD + "a\tb\tnan\n", "line 2: 'nan' is not a probability"),
        ("tsv", HEAD + "a\tb\t0_1\n", "line 2: '0_1' is not a probability"),
        ("tsv", HEAD + "a\t\t1\n", "line 2: a word is empty"),
        ("tsv", HEAD + "a\tb\t.5\na\tc\t.5\na\tb\t.1\n", "line 4: the pair of words of line 2 is repeated"),
        ("giza", "a b .5\na  .5\n", "line 2: a word is empty"),
        ("giza", "a b .5\n b .5\n", "line 2: a word is empty"),
        ("giza", "a b c .5\n", "line 1: 4 fields separated by blanks"),
        ("moses", "a b x\n", "line 1: 'x' is not a probability"),
    ],
)
def test_errors_name_file_and_line(tmp_path, format, text, message):
    path = tmp_path / "table"
    path.write_text(text)
    with pytest.raises(DataError, match=message) as error:
        read_table(path, format=format)
    assert str(path) in str(error.value)


def test_unknown_formats_and_missing_files_are_refused(tmp_path):
    with pytest.raises(UnknownName, match="no lexical table format called 'gizza'. Did you mean giza"):
        read_table(tmp_path / "none", format="gizza")
    with pytest.raises(UsageError, match="There is no file"):
        read_table(tmp_path / "none")


def test_real_texts_give_known_translations(shared):
    path = shared / "data" / "multiref" / "ntrex_newstest2019_21langs.tsv.gz"
    header, *rows = [line.split("\t") for line in gzip.decompress(path.read_bytes()).decode().split("\n") if line]
    english, spanish = ([row[header.index(name)].lower().split() for row in rows] for name in ("eng", "spa"))
    table = train_table(english, spanish, iterations=10)
    best = {word: translations(table, word)[0][0] for word in ("and", "but", "police", "president", "years", "two")}
    assert best == {"and": "y", "but": "pero", "police": "policía", "president": "presidente", "years": "años",
                    "two": "dos"}  # fmt: skip


def test_a_text_fits_its_own_source_better_than_its_neighbours(shared):
    path = shared / "data" / "wmt19" / "de-en.segments.tsv.gz"
    header, *rows = [line.split("\t") for line in gzip.decompress(path.read_bytes()).decode().split("\n") if line]
    german, english = ([row[header.index(name)].lower().split() for row in rows] for name in ("source", "reference"))
    half = len(rows) // 2
    table = train_table(german[:half], english[:half])
    own = table.log_probabilities(german[half:], english[half:])
    other = table.log_probabilities([*german[half + 1 :], german[half]], english[half:])
    assert (own > other).mean() > 0.9
