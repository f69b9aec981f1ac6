"""Reading tables of paraphrases, and finding pairs in them."""

import gzip

import pytest

from tercet.errors import DataError, UsageError
from tercet.language.paraphrases import Paraphrases, paraphrases


def table(tmp_path, text, name="table"):
    path = tmp_path / name
    path.write_bytes(text.encode())
    return Paraphrases(path)


PHRASES = ["a dog", "the cat", "one", "two", "protect … from", "protect … against"]


def test_meteors_format_has_three_lines_an_entry(tmp_path):
    read = table(tmp_path, "0.5\na dog\nthe cat\n0.1\none\ntwo\n0.1\none\n...\n")
    assert read.plain.between(PHRASES) == {"a dog": ["the cat"], "one": ["two"]}
    assert (len(read.plain), len(read.gapped), read.longest) == (3, 0, 2)


def test_pairs_are_divided_by_a_tab(tmp_path):
    read = table(tmp_path, "a dog\tthe cat\t0.3\none\ttwo\n\n")
    assert read.plain.between(PHRASES) == {"a dog": ["the cat"], "one": ["two"]}


def test_ppdb_has_phrases_in_its_second_and_third_field(tmp_path):
    read = table(
        tmp_path,
        "[NP] ||| a dog ||| the cat ||| p=0.1 ||| 0-0\n"
        "[VP] ||| protect [NP,1] from ||| protect [NP,1] against ||| p=1 ||| 0-0\n"
        "[VP] ||| [NP,1] one ||| [NP,1] two ||| p=1 ||| 0-0\n"
        "[VP] ||| one [NP,1] two [NP,2] one ||| one [NP,2] two [NP,1] one ||| p=1 ||| 0-0\n",
    )
    assert read.plain.between(PHRASES) == {"a dog": ["the cat"]}
    assert read.gapped.between(PHRASES) == {"protect … from": ["protect … against"]}
    assert len(read.gapped) == 1  # gaps at an end, and more than one, are left out


@pytest.mark.parametrize("gap", ["...", "…"])
def test_a_gap_in_pairs_is_three_dots(tmp_path, gap):
    read = table(tmp_path, f"protect {gap} from\tprotect {gap} against\none\ttwo\n")
    assert read.gapped.between(PHRASES) == {"protect … from": ["protect … against"]}
    assert len(read.plain) == 1
    assert read.longest_part == 1


def test_entries_keep_the_order_of_the_table_and_repetitions(tmp_path):
    read = table(tmp_path, "x\tb\nx\ta\ny\ta\nx\tb\n")
    assert read.plain.between(["a", "b", "x", "y"]) == {"x": ["b", "a", "b"], "y": ["a"]}


def test_gzipped_tables_are_read_and_changed_files_read_again(tmp_path):
    path = tmp_path / "table.gz"
    path.write_bytes(gzip.compress(b"one\ttwo\n"))
    first = paraphrases(str(path))
    assert paraphrases(str(path)) is first
    path.write_bytes(gzip.compress(b"one\ttwo\na dog\tthe cat\n"))
    assert len(paraphrases(str(path)).plain) == 2


def test_the_ppdb_words_of_the_thesis_are_read(shared):
    read = paraphrases(str(shared / "data" / "lexical" / "ppdb-1.0-xxxl-lexical.pairs.gz"))
    assert len(read.plain) > 210_000
    assert read.plain.between(["return", "returnee"]) == {"return": ["returnee"]}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1: '' begins no table"),
        ("just words\n", "line 1: 'just words' begins no table"),
        ("one\ttwo\nthree\n", "line 2: 'three' has no paraphrase; a tab divides"),
        ("[X] ||| one ||| two\n[X] ||| one\n", r"line 2: '\[X\] \|\|\| one' has no paraphrase"),
        ("0.5\none\ntwo\nx\none\ntwo\n", "line 4: 'x' should be a probability"),
        ("0.5\none\ntwo\n0.5\none\n", "ends in the middle of an entry: 2 of 3 lines after line 3"),
        ("... one\t... two\n", "holds no paraphrases"),
    ],
)
def test_what_is_no_table_is_refused_with_its_line(tmp_path, text, message):
    with pytest.raises(DataError, match=message):
        table(tmp_path, text)


def test_a_missing_file_is_named():
    with pytest.raises(UsageError, match="There is no file nowhere.gz to read paraphrases from"):
        paraphrases("nowhere.gz")
