"""`tercet compare` beyond metrics: words, n-grams, buckets, chosen segments; in text, JSON and TSV."""

import csv
import io
import json

import pytest

import tercet
from tercet import examples
from tercet.comparing import compare_ngrams, compare_words

from .command import tercet as run

COMPARE = ("compare", "refA.txt", "-i", "Alder.txt", "Cedar.txt", "-s", "src.txt", "-m", "chrf", "--top", "0")

WORDS = """\
Words by frequency in the references: F of systems

Frequency  Words  Alder  Alder interval   Cedar  Cedar interval
─────────  ─────  ─────  ──────────────  ──────  ──────────────
        1    194  0.876  0.821 to 0.924  0.564*  0.489 to 0.632
   2 to 4     90  0.852  0.785 to 0.919  0.524*  0.444 to 0.610
   5 to 9     24  0.733  0.571 to 0.882  0.409*  0.213 to 0.612
 10 to 99     41  0.976  0.943 to 1.000  0.872*  0.805 to 0.932

F: 0 to 1, of words that the reference has too, with 95 % bootstrap intervals. Words: in the references that Alder is compared with.
Marked: significantly different from Alder (approximate randomisation, 1000 resamples, seed 12345; Holm over groups and systems) at 0.05.

Words and n-grams that Alder or Cedar gets right more often

More often right  N-gram    Alder right  Cedar right  In references  Ratio   p Holm                     Segments
────────────────  ────────  ───────────  ───────────  ─────────────  ─────  ───────  ───────────────────────────
Alder             ,                  13            7             13   1.75  0.0312*  7, 8, 11, 17, 20 and 1 more
Alder             den                 6            0              6   7.00       –               1, 3, 8, 18, 19
Alder             Sie                 5            0              5   6.00       –                21, 27, 28, 30
Alder             , dass              3            0              3   4.00       –                     7, 20, 26
Alder             bis                 3            0              3   4.00       –                     2, 11, 31
Alder             dem                 3            0              4   4.00       –                     8, 17, 24
Alder             ? “                 2            0              2   3.00       –                        17, 21
Alder             in der              2            0              2   3.00       –                        27, 31
Alder             Schüssel            2            0              2   3.00       –                         9, 12
Alder             gespielt            2            0              2   3.00       –                        20, 21

601 n-grams differ; 1 in enough segments to be tested (sign test, Holm; significant ones at 0.05 are marked). A dash: not tested.
Ratio: (Alder right + 1) / (Cedar right + 1). Segments: where it is right more often."""  # noqa: E501


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("findings")
    examples.write("en-de", path)
    return path


@pytest.fixture(scope="module")
def testset():
    demo = tercet.demo("en-de")
    outputs = {name: demo.outputs[name] for name in ("Alder", "Cedar")}
    return tercet.TestSet(outputs, {"refA": demo.references["refA"]}, demo.source)


def test_json_has_what_the_library_returns(folder, testset):
    done = run(*COMPARE, "--words", "frequency", "--ngrams", "--buckets", "quality", "--only", "no-numbers",
               "-n", "100", "-f", "json", "--full", cwd=folder)  # fmt: skip
    assert (done.code, done.err) == (0, "")
    numbers = [i for i, text in enumerate(testset.source, 1) if not any(map(str.isdigit, text))]
    assert 0 < len(numbers) < len(testset)
    words = compare_words(testset, segments=numbers)
    assert done.json["words"] == json.loads(json.dumps([words.to_dict()]))
    ngrams = compare_ngrams(testset, segments=numbers)
    assert done.json["ngrams"] == json.loads(json.dumps([pair.to_dict() for pair in ngrams]).replace("NaN", "null"))
    [metric] = done.json["metrics"]
    assert metric["n_segments"] == len(numbers)
    shown = [bucket["segments"]["Alder"] for bucket in metric["buckets"][0]["buckets"]]
    assert sorted(number for each in shown for number in each) == numbers


def test_text_of_buckets_words_and_ngrams(folder):
    done = run(*COMPARE, "--words", "frequency", "--ngrams", "--buckets", "quality", "--thresholds", "chrf=40,60",
               "--only", "no-numbers", "-n", "100", cwd=folder, NO_COLOR="1")  # fmt: skip
    assert done.code == 0
    assert "\n\nOnly no-numbers: 28 of 32 segments.\n\n2 systems, 28 segments" in done.out
    begin = done.out.index("Segments of each system:")
    assert (
        done.out[begin:].split("\n\nWords")[0]
        == """\
Segments of each system:

Quality   Alder  Alder %  Cedar  Cedar %
────────  ─────  ───────  ─────  ───────
poor          0      0.0     15     53.6
middling      4     14.3     13     46.4
good         24     85.7      0      0.0

Thresholds as given: 40 and 60."""
    )
    words = done.out.index("Words by frequency")
    assert done.out[words:].split("\n\nFound with")[0].rstrip() == WORDS


def test_tsv_has_the_tables_with_a_column_that_tells_them_apart(folder):
    done = run(*COMPARE, "--words", "frequency", "--ngrams", "-n", "50", "-f", "tsv", cwd=folder)
    tables = [list(csv.DictReader(io.StringIO(part), delimiter="\t")) for part in done.out.split("\n\n")]
    assert tables[2][0]["Words by"] == "frequency"
    assert tables[3][0]["Pair"] == "Alder - Cedar"


def test_terms_and_training_text_come_from_files(folder):
    (folder / "terms.txt").write_text("paket\nSchüssel\n", encoding="utf-8")
    (folder / "train.txt").write_text("Der Zug und die Karte\n" * 3, encoding="utf-8")
    done = run(*COMPARE, "--slice", "terms:terms.txt", "--words", "frequency", "--training", "train.txt", "-n", "50",
               cwd=folder)  # fmt: skip
    assert done.code == 0
    assert "with terms" in done.out and "without terms" in done.out
    assert "Words by frequency in the training text" in done.out


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (("--words", "size"), 2, "There is no grouping of words called 'size'. Known: frequency, label, pos."),
        (("--words", "label"), 2, "Words by label need labels"),
        (("--training", "train.txt"), 2, "--training goes with --words frequency."),
        (("--word-labels", "x"), 2, "--word-labels goes with --words label."),
        (("--words", "label", "--word-labels", "docs.txt"), 2, "write NAME=FILE"),
        (("--words", "pos"), 2, "needs the language: set --language-pair, as en-de."),
        (("--buckets", "size"), 2, "There is no kind of buckets called 'size'."),
        (("--thresholds", "chrf"), 2, "--thresholds chrf: write METRIC=LOW,HIGH, as chrf=40,60."),
        (("--thresholds", "chrf=1,2,3"), 2, "write METRIC=LOW,HIGH"),
        (("--thresholds", "chrf=60,40"), 2, "two rising numbers"),
        (("--only", "domain"), 2, "'domain' names no segments."),
        (("--only", "terms:none.txt"), 2, "none.txt"),
        (("--only", "duplicates"), 1, "No segment of the test set is with duplicates."),
    ],
)
def test_misuse_is_explained(folder, options, code, message):
    done = run(*COMPARE, "-n", "20", *options, cwd=folder)
    assert (done.code, done.out) == (code, "")
    assert done.err.startswith("Error: ") and message in done.err


def test_edits_and_deciding_segments_are_those_of_the_chosen_segments(folder):
    done = run("compare", "refA.txt", "-i", "Alder.txt", "Cedar.txt", "-s", "src.txt", "-m", "ter", "-n", "50",
               "--edits", "--only", "numbers", "--top", "1", "-f", "json", "--full", "-q", cwd=folder)  # fmt: skip
    assert done.code == 0
    [pair] = done.json["metrics"][0]["pairs"]
    assert pair["segments"][0]["segment"] in (6, 10, 15, 32)
    every = run("compare", "refA.txt", "-i", "Alder.txt", "Cedar.txt", "-m", "ter", "-n", "50", "--edits", "-f", "json",
                cwd=folder).json  # fmt: skip
    total = every["metrics"][0]["pairs"][0]["edits"]["Cedar"]
    assert 0 < sum(pair["edits"]["Cedar"].values()) < sum(total.values())
