"""Reading tables of paraphrases, and finding pairs in them."""

import gzip

import pytest

from tercet.data.catalogue import add
from tercet.errors import DataError, UnknownName, UsageError
from tercet.language.paraphrases import Paraphrases, find_table, paraphrases


def table(tmp_path, text, name="table"):
    path = tmp_path / name
    path.write_bytes(text.encode())
    return Paraphrases.read(path)


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
        ("", "line 1: '' is not the start of a paraphrase table"),
        ("just words\n", "line 1: 'just words' is not the start of a paraphrase table"),
        ("one\ttwo\nthree\n", "line 2: 'three' has no paraphrase. Separate fields by a tab"),
        ("[X] ||| one ||| two\n[X] ||| one\n", r"line 2: '\[X\] \|\|\| one' has no paraphrase"),
        ("0.5\none\ntwo\nx\none\ntwo\n", "line 4: 'x' is not a probability"),
        ("0.5\none\ntwo\n0.5\none\n", "ends in the middle of an entry: 2 of 3 lines after line 3"),
        ("... one\t... two\n", "contains no paraphrases"),
    ],
)
def test_what_is_no_table_is_refused_with_its_line(tmp_path, text, message):
    with pytest.raises(DataError, match=message):
        table(tmp_path, text)


def test_a_table_is_a_file_or_else_a_data_set_of_that_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "here.tsv").write_text("one\ttwo\n")
    copy = add("here.tsv", "mine", "cache").path / "here.tsv"
    assert find_table("mine", "cache") == copy
    (tmp_path / "mine").write_text("a dog\tthe cat\n")
    assert str(find_table("mine", "cache")) == "mine"  # what lies here goes first


def test_of_a_data_set_with_several_files_one_must_be_named(tmp_path):
    (tmp_path / "two" / "inner").mkdir(parents=True)
    (tmp_path / "two" / "a.tsv").write_text("one\ttwo\n")
    (tmp_path / "two" / "inner" / "b.tsv").write_text("two\tone\n")
    root = add(tmp_path / "two", "both", tmp_path / "cache").path
    assert find_table("both/inner/b.tsv", tmp_path / "cache") == root / "inner" / "b.tsv"
    with pytest.raises(UsageError, match=r"'both' has 2 files\. Name the one .*: both/a\.tsv, both/inner/b\.tsv\.$"):
        find_table("both", tmp_path / "cache")
    for inside in ("c.tsv", "../record.json", "inner"):
        with pytest.raises(UnknownName, match="no file in data set 'both' called"):
            find_table(f"both/{inside}", tmp_path / "cache")


def test_what_is_neither_file_nor_data_set_is_named_with_how_to_add_it(tmp_path, monkeypatch):
    monkeypatch.setenv("TERCET_DATA", str(tmp_path))
    message = r"no paraphrase table nowhere\.gz, neither a file nor a data set.*tercet data add FILE nowhere\.gz\.$"
    with pytest.raises(UsageError, match=message):
        paraphrases("nowhere.gz")
    with pytest.raises(
        UsageError,
        match=r"no paraphrase table d/nowhere\.gz, neither a file nor a data set.*tercet data add FILE nowhere\.gz\.$",
    ):
        find_table("d/nowhere.gz", tmp_path)
    with pytest.raises(UsageError, match=r"Data set 'wmt23' is not in .*tercet data add FOLDER wmt23"):
        find_table("wmt23", tmp_path)
    with pytest.raises(UsageError, match="is not a valid path of a paraphrase table"):
        find_table("x" * 5000, tmp_path)
