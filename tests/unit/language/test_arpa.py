"""Reading and writing ARPA files."""

import gzip

import pytest

from tercet.errors import DataError, UsageError
from tercet.language.arpa import read_arpa, write_arpa
from tercet.language.kneser_ney import estimate

SMALL = """\\data\\
ngram 1=5
ngram 2=3
ngram 3=1

\\1-grams:
-1.5\t<unk>
-99\t<s>\t-0.25
-0.5\t</s>
-0.75\ta\t-0.125
-1\tb\t0.5

\\2-grams:
-0.375\t<s> a\t-2
-0.5\ta b
-0.25\tb </s>\t0

\\3-grams:
-0.0625\t<s> a b

\\end\\
"""


def read(tmp_path, text):
    path = tmp_path / "m.arpa"
    path.write_bytes(text.encode())
    return read_arpa(path)


def test_a_file_is_read_and_scores_as_it_says(tmp_path):
    model = read(tmp_path, SMALL)
    assert (model.order, model.counts) == (3, [5, 3, 1])
    assert model.words == ("<unk>", "<s>", "</s>", "a", "b")
    # <s> a b; b </s>, where "a b" has no weight; </s> after b a is backed off to from b and a
    assert model.score(["a b"]).log10.tolist() == [-0.375, -0.0625, -0.25]
    assert model.score(["b a"]).log10.tolist() == [-0.25 - 1, 0.5 - 0.75, -0.125 - 0.5]
    assert model.score(["x"]).log10.tolist() == [-0.25 - 1.5, -0.5]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("\t", " "),
        ("\t", "  "),
        ("\n", " \r\n"),
        ("\\data\\", "\n\n\\data\\"),
        ("ngram 1=5", "ngram  1 = 5"),
        ("<unk>", "<UNK>"),
        ("ngram 1=5", "ngram 1=005"),
        ("-1.5\t<unk>\n-99\t<s>\t-0.25\n", "-99\t<s>\t-0.25\n-1.5\t<unk>\n"),
        ("-0.375\t<s> a\t-2\n-0.5\ta b\n-0.25\tb </s>\t0\n", "-0.25\tb </s>\n-0.5\ta b\n-0.375\t<s> a\t-2.0e0\n"),
        ("\\end\\\n", "\\end\\"),
        ("\\end\\\n", "\\end\\\n\n \n"),
    ],
)
def test_other_ways_to_write_the_same(tmp_path, old, new):
    changed = SMALL.replace(old, new)
    assert changed != SMALL
    assert read(tmp_path, changed).checksum == read(tmp_path, SMALL).checksum


def test_a_file_without_unk_gives_unknown_words_what_kenlm_gives(tmp_path):
    model = read(tmp_path, SMALL.replace("-1.5\t<unk>\n", "").replace("ngram 1=5", "ngram 1=4"))
    assert model.score(["x"]).log10[0] == -100.25


def test_unk_in_capitals_is_the_unknown_word_in_ngrams_too(tmp_path):
    with_pair = SMALL.replace("ngram 2=3", "ngram 2=4").replace("-0.5\ta b\n", "-0.5\ta b\n-0.3\ta <unk>\t-0.1\n")
    model = read(tmp_path, with_pair.replace("<unk>", "<UNK>"))
    assert model.checksum == read(tmp_path, with_pair).checksum
    assert model.score(["a x"]).log10.tolist() == [-0.375, -2 - 0.3, -0.1 - 0.5]
    assert model.score(["<UNK>"]).unknown.tolist() == [True, False]
    both = SMALL.replace("ngram 1=5", "ngram 1=6").replace("-1.5\t<unk>\n", "-1.5\t<unk>\n-1.5\t<UNK>\n")
    with pytest.raises(DataError, match="line 8: the word '<unk>' is repeated"):
        read(tmp_path, both)


def test_ngrams_whose_ends_were_pruned_are_found(tmp_path):
    model = read(tmp_path, SMALL.replace("-0.5\ta b\n", "").replace("ngram 2=3", "ngram 2=2"))
    found = model.score(["a b"])
    assert found.log10.tolist() == [-0.375, -0.0625, -0.25]
    assert found.matched.tolist() == [2, 3, 2]


@pytest.mark.parametrize("name", ["model.arpa", "model.arpa.gz"])
@pytest.mark.parametrize("order", [1, 2, 6])
def test_what_is_written_is_read_as_the_same_model(tmp_path, name, order):
    model = estimate(["le chat é日本 a\u00a0b", "le chien \\end\\ ngram", "\\data\\ le chat"], order=order)
    write_arpa(model, tmp_path / name)
    again = read_arpa(tmp_path / name)
    assert again.checksum == model.checksum
    assert again.words == model.words
    assert ((tmp_path / name).read_bytes()[:2] == b"\x1f\x8b") == name.endswith(".gz")
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_the_form_of_the_file(tmp_path):
    write_arpa(estimate(["a"], order=2), tmp_path / "m.arpa")
    assert (tmp_path / "m.arpa").read_text() == (
        "\\data\\\nngram 1=4\nngram 2=2\n\n\\1-grams:\n"
        "-0.7781512503836436\t<unk>\t0.0\n-99.0\t<s>\t-0.3010299956639812\n"
        "-0.3802112417116061\t</s>\t0.0\n-0.3802112417116061\ta\t-0.3010299956639812\n\n\\2-grams:\n"
        "-0.14976232033333214\t<s> a\n-0.14976232033333214\ta </s>\n\n\\end\\\n"
    )


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("\\data\\", "hello", "line 1: expected .*data.*, which starts an ARPA file; found 'hello'"),
        ("ngram 1=5\n", "", "line 2: expected the number of 1-grams, found 'ngram 2=3'"),
        ("ngram 1=5\nngram 2=3\nngram 3=1\n", "", r"line 3: expected 'ngram 1=' and a number, found '.*1-grams:'"),
        ("ngram 2=3", "ngram 2=x", r"line 3: expected .*1-grams:, found 'ngram 2=x'"),
        ("\\2-grams:", "\\4-grams:", r"line 13: expected .*2-grams:, found '.*4-grams:'"),
        ("ngram 2=3", "ngram 2=4", "line 17: the file has 3 2-grams, but its header declares 4"),
        ("ngram 2=3", f"ngram 2={10**14}", "line 17: the file has 3 2-grams, but its header declares 10000"),
        ("ngram 2=3", f"ngram 2={'9' * 5000}", r"line 3: expected .*1-grams:, found 'ngram 2=9+'"),
        ("ngram 2=3", "ngram 2=٣", r"line 3: expected .*1-grams:, found 'ngram 2=٣'"),
        ("ngram 2=3", "ngram 2=2", r"line 16: expected .*3-grams:, found '-0.25\\tb </s>\\t0'"),
        ("-0.5\ta b\n", "-0.5\ta b c d\n", r"line 15: '-0.5\\ta b c d' is not a log10 probability, 2 words"),
        ("-0.5\ta b\n", "-0.5\ta\n", r"line 15: '-0.5\\ta' is not a log10 probability, 2 words"),
        ("-0.5\ta b\n", "-O.5\ta b\n", "line 15: expected a log10 probability .at most 0., found '-O.5'"),
        ("-0.5\ta b\n", "0.5\ta b\n", "line 15: expected a log10 probability .at most 0., found '0.5'"),
        ("-0.5\ta b\n", "1e-99\ta b\n", "line 15: expected a log10 probability .at most 0., found '1e-99'"),
        ("-0.5\ta b\n", "-0_5\ta b\n", "line 15: expected a log10 probability .at most 0., found '-0_5'"),
        ("-0.5\ta b\n", "-٣\ta b\n", "line 15: expected a log10 probability .at most 0., found '-٣'"),
        ("-0.5\ta b\n", "nan\ta b\n", "line 15: expected a log10 probability .at most 0., found 'nan'"),
        ("-0.5\ta b\n", "-inf\ta b\n", "line 15: expected a log10 probability .at most 0., found '-inf'"),
        ("<s> a\t-2", "<s> a\tinf", "line 14: expected a back-off weight .a finite number., found 'inf'"),
        ("-1\tb\t0.5", "-1\tb\tc", "line 11: expected a back-off weight .a finite number., found 'c'"),
        ("-0.5\ta b\n", "-0.5\ta c\n", "line 15: the word 'c' is not among the 1-grams"),
        ("-0.5\ta b\n", "-0.5\t<s> a\n", "line 15: this 2-gram is repeated"),
        ("\tb\t0.5", "\ta\t0.5", "line 11: the word 'a' is repeated"),
        ("\t<s> a b", "\tb a b", "line 19: the first 2 words of this 3-gram are not among the 2-grams"),
        ("<s> a b", "<s> a b\t-1", r"line 19: .* is not a log10 probability, 3 words"),
        ("\t</s>\n", "\tc\n", "line 11: the word </s> is missing"),
        ("\\end\\\n", "", "line 20: expected .*end.*, found the end of the file"),
        ("\\end\\\n", "\\4-grams:\n", r"line 21: expected .*end.*, found '.*4-grams:'"),
        ("\\end\\\n", "\\end\\\nmore\n", r"line 22: 'more' follows .*end"),
    ],
)
def test_wrong_files_are_refused_with_their_line(tmp_path, old, new, message):
    changed = SMALL.replace(old, new)
    assert changed != SMALL
    with pytest.raises(DataError, match=f"m.arpa, {message}"):
        read(tmp_path, changed)


@pytest.mark.parametrize("lines", range(1, SMALL.count("\n")))
def test_a_file_that_is_cut_off_anywhere_is_refused(tmp_path, lines):
    with pytest.raises(DataError, match=r"m\.arpa, line \d+: "):
        read(tmp_path, "\n".join(SMALL.split("\n")[:lines]))


def test_a_file_that_ends_among_its_ngrams_was_cut_off(tmp_path):
    with pytest.raises(DataError, match="line 14: the file ends after 1 of 3 2-grams. It is truncated."):
        read(tmp_path, SMALL[: SMALL.index("-0.5\ta b")])


def test_files_that_are_empty_damaged_or_not_there(tmp_path):
    with pytest.raises(DataError, match="m.arpa is empty"):
        read(tmp_path, "\n")
    with pytest.raises(UsageError, match="There is no file"):
        read_arpa(tmp_path / "none")
    (tmp_path / "cut.gz").write_bytes(gzip.compress(SMALL.encode())[:-9])
    with pytest.raises(DataError, match="damaged gzip"):
        read_arpa(tmp_path / "cut.gz")
    with pytest.raises(DataError, match="holds a NUL"):
        write_arpa(estimate(["a\0b"]), tmp_path / "nul")
    assert not (tmp_path / "nul").exists()
    with pytest.raises(UsageError, match="cannot be written"):
        write_arpa(estimate(["a"]), tmp_path / "no" / "folder")
