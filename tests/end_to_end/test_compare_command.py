"""`tercet compare` as installed: what it prints, how it fails, and that it says what the library says."""

import csv
import fcntl
import io
import json
import os
import pty
import random
import re
import struct
import subprocess
import sys
import termios
from pathlib import Path
from xml.etree import ElementTree

import pytest

import tercet
from tercet.comparing import GateVerdict, junit_xml
from tercet.comparing.gates import read_gate
from tercet.data.testset import TestSet
from tercet.errors import UsageError
from tercet.explaining import compare_edits, explain
from tercet.rendering.document import clip

from ..docs import running

WORDS = [
    "the", "a", "cat", "dog", "house", "tree", "sees", "likes", "finds", "small",
    "large", "green", "old", "in", "under", "near", "and", "river", "bird", "sleeps",
]  # fmt: skip


def run(folder: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    ran = running.run(["compare", *arguments], folder=folder, environment=environment)
    return subprocess.CompletedProcess(arguments, ran.code, ran.out, ran.err)


def lines_of(share: float, seed: int) -> list[str]:
    """40 segments in which a share of the reference's words is replaced."""
    rng = random.Random(7)
    reference = [rng.choices(WORDS, k=rng.randint(4, 25)) for _ in range(40)]
    rng = random.Random(seed)
    return [" ".join(rng.choice(WORDS) if rng.random() < share else word for word in words) for words in reference]


TEXTS = {
    "ref.txt": lines_of(0.0, 0),
    "good.txt": lines_of(0.2, 1),
    "fair.txt": lines_of(0.25, 2),
    "bad.txt": lines_of(0.7, 3),
    "docs.txt": ["first"] * 15 + ["second"] * 25,
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("compare")
    for name, lines in TEXTS.items():
        (path / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def test_json_is_what_the_library_returns(folder):
    done = run(folder, "ref.txt", "-i", "good.txt", "fair.txt", "bad.txt", "-m", "bleu", "chrf", "-f", "json",
               "-n", "100", "--slice", "length", "--by", "document", "--docs", "docs.txt", "--top", "2")  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    names = ("good", "fair", "bad")
    testset = TestSet({n: TEXTS[f"{n}.txt"] for n in names}, {"ref": TEXTS["ref.txt"]}, documents=TEXTS["docs.txt"])
    result = tercet.compare(testset, ["bleu", "chrf"], resamples=100, slices=("length", "document"), top=2)
    written = json.loads(done.stdout)
    assert written.pop("options")["resamples"] == 100
    assert written == json.loads(json.dumps(result.to_dict())) | {"words": [], "ngrams": [], "gates": []}
    assert set(result.to_dict()) == {"metrics", "tests", "resamples", "seed", "alpha", "confidence", "baseline",
                                     "raised"}  # fmt: skip
    bleu = written["metrics"][0]
    assert {"metric", "name", "signature", "higher_is_better", "n_segments", "systems", "pairs", "clusters", "mde",
            "mde_sentence", "slices", "buckets"} == set(bleu)  # fmt: skip
    assert {"system", "score", "ci_low", "ci_high", "confidence", "cluster", "rank_low", "rank_high"} == set(
        bleu["systems"][0]
    )
    pair = bleu["pairs"][0]
    assert pair["p_value"]["randomisation"] == result.pvalue("bleu", "good.txt", "fair.txt", "randomisation")
    assert "segments" not in pair


def test_full_json_adds_lists_of_segments_and_nothing_else(folder):
    given = ("ref.txt", "-i", "good.txt", "bad.txt", "-m", "chrf", "-n", "50", "--top", "2", "--slice", "length",
             "--buckets", "quality", "-f", "json")  # fmt: skip
    short, full = (json.loads(run(folder, *given, *more).stdout) for more in ((), ("--full",)))
    [metric] = full["metrics"]
    (pair,) = metric["pairs"]
    assert {"segment", "contribution", "a_score", "b_score", "source", "references", "a_output", "b_output"} == set(
        pair["segments"][0]
    )
    parts = [pair, *metric["slices"], *metric["buckets"][0]["buckets"]]
    assert all(part.pop("segments") for part in parts)
    assert full.pop("options") == short.pop("options") | {"full": True}
    assert short == full
    refused = run(folder, *given[:-1], "text", "--full")
    assert (refused.returncode, refused.stderr) == (2, "Error: --full goes with -f json.\n")


def test_the_whole_text_for_two_systems_that_say_the_same(tmp_path):
    for name in ("ref", "one", "two"):
        (tmp_path / name).write_text("the cat sat on the mat\nit was warm there today\n", encoding="utf-8")
    done = run(tmp_path, "ref", "-i", "one", "two", "-m", "bleu", "-n", "50", "--details")
    assert done.stderr.splitlines() == [
        *(f"Warning: Output {name!r} is identical to reference 'ref'." for name in ("one", "two")),
        "Warning: randomisation: with 2 segments no p-value can fall below 0.05. At least 6 segments are needed.",
    ]
    signature = (
        f"BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|compat:sacrebleu2.6|version:1+tercet{tercet.__version__}"
    )
    assert (
        done.stdout
        == f"""\
BLEU: 2 systems, 2 segments, higher is better
{signature}

Rank  System    BLEU     ±     95 % interval
────  ──────  ──────  ────  ────────────────
 1–2  one     100.00  0.00  100.00 to 100.00
 1–2  two     100.00  0.00  100.00 to 100.00

One cluster: nowhere in this order are all above significantly better than all below.

A    B    A - B   95 % interval  p bootstrap  p randomisation  Segments A/tie/B  Verdict
───  ───  ─────  ──────────────  ───────────  ───────────────  ────────────────  ───────────────────────────
one  two  +0.00  +0.00 to +0.00   1.0000           1.0000             0/100/0 %  not significantly different

No difference can be significant: the smallest p-value that is possible is 0.5.

p: two-sided, paired bootstrap (50 resamples), exact randomisation (all 2 exchanges), seed 12345.
Segments: shares in which A is better, both tie, B is better.
The smallest p-value of 50 resamples is 0.02.
2 segments are too few for randomisation to be significant.
* below 0.05, ** below 0.01, *** below 0.001.
Verdicts and clusters go by exact randomisation at 0.05.
Below 50 segments the bootstrap finds differences too often and its intervals are too narrow.
"""
    )


def test_text_names_clusters_pairs_power_and_deciding_segments(folder):
    done = run(
        folder,
        "ref.txt",
        "-i",
        "bad.txt",
        "good.txt",
        "fair.txt",
        "-n",
        "200",
        "--slice",
        "length",
        "--top",
        "1",
        "--details",
    )
    assert done.returncode == 0
    lines = done.stdout.split("\n")
    ranked = [
        line.split()[1]
        for line in lines
        if line[:4].strip()[:1].isdigit() and line.split()[1] in ("good", "fair", "bad")
    ]
    assert ranked == ["good", "fair", "bad"]
    assert sum(line.startswith("╌") for line in lines) == 1
    [verdict] = [line for line in lines if line.startswith("bad   good")]
    assert verdict.endswith("B is better")
    assert "0.0149 *  " in verdict
    assert "not significantly different" in done.stdout
    assert "With n = 40 segments, a true difference of about" in done.stdout
    assert "What decides bad - good = -" in done.stdout
    assert "up to 10 words" in done.stdout
    assert "\033" not in done.stdout
    assert "equal" not in done.stdout


def test_text_begins_and_ends_with_the_answer(folder):
    lines = run(folder, "ref.txt", "-i", "bad.txt", "good.txt", "-m", "bleu", "chrf", "ter", "-n", "200").stdout.split(
        "\n"
    )
    assert lines[0] == lines[-2] == "good is better than bad by BLEU, chrF2 and TER."
    assert len(lines) <= 40
    [row] = [line.split() for line in lines if line.startswith("TER ")]
    assert row[-1] == "good" and row[3].startswith("+")
    assert "TER: lower is better." in lines
    assert sum("|nrefs:1|" in line for line in lines) == 3


def test_sixteen_systems_fit_on_a_screen(tmp_path):
    for number in range(17):
        text = "".join(f"{line}\n" for line in lines_of(0.05 * number, number))
        (tmp_path / f"s{number}").write_text(text, encoding="utf-8")
    names = [f"s{number}" for number in range(1, 17)]
    done = run(tmp_path, "s0", "-i", *names, "-m", "bleu", "chrf", "ter", "-n", "50", "-q")
    lines = done.stdout.rstrip().split("\n")
    assert len(lines) <= 50
    assert lines[0] == lines[-1]
    assert sum(line.startswith(tuple(f"{name} " for name in names)) for line in lines) == 16


@pytest.mark.parametrize(
    ("metrics", "answer"),
    [
        (
            ("bleu", "chrf"),
            "By BLEU: good is the best, but fair cannot be told apart from it; "
            "by chrF2: good is better than both others.",
        ),
        (("length",), "length says of no system that it is better than another."),
    ],
)
def test_the_answer_for_several_systems(folder, metrics, answer):
    done = run(folder, "ref.txt", "-i", "bad.txt", "good.txt", "fair.txt", "-n", "500", "-m", *metrics)
    assert done.stdout.split("\n")[0] == answer


def test_with_a_baseline_the_table_has_differences_from_it(folder):
    lines = run(folder, "ref.txt", "-i", "bad.txt", "good.txt", "fair.txt", "-n", "500", "--baseline", "bad.txt").stdout
    assert lines.startswith("By BLEU, good and fair are better than bad.\n")
    assert "- bad" in lines and "*: significantly different from the baseline." in lines


def test_long_texts_are_broken_at_the_margin_of_the_terminal(folder):
    done = run(folder, "ref.txt", "-i", "bad.txt", "good.txt", "-n", "20", "--top", "1", "--details", COLUMNS="60")
    texts = [line for line in done.stdout.split("\n") if line.startswith("    ")]
    assert 50 < max(map(len, texts)) <= 60
    number = int(re.search(r"segment (\d+):", done.stdout)[1])
    assert " ".join(line[10:] for line in texts[: len(texts) // 3]) == TEXTS["ref.txt"][number - 1]


def in_terminal(folder: Path, columns: int, *arguments: str) -> list[str]:
    """Run `tercet compare` in a terminal of this width; return the lines it shows."""
    child, terminal = pty.fork()
    if not child:
        os.chdir(folder)
        program = str(Path(sys.executable).parent / "tercet")
        kept = {key: value for key, value in os.environ.items() if key != "COLUMNS"}
        os.execve(program, [program, "compare", *arguments], kept)
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    shown = b""
    try:
        while piece := os.read(terminal, 1 << 16):
            shown += piece
    except OSError:  # the command has ended
        pass
    os.close(terminal)
    os.waitpid(child, 0)
    return re.sub(r"\x1b\[\d*[mK]", "", shown.decode().replace("\r", "")).split("\n")


def test_tables_are_cut_into_parts_that_fit_a_terminal(folder):
    arguments = ("ref.txt", "-i", "bad.txt", "good.txt", "-n", "20", "--top", "0", "-q", "--details")
    lines = in_terminal(folder, 70, *arguments)
    heads = [line.split() for line in lines if line.startswith("A  ")]
    assert [head[:2] for head in heads] == [["A", "B"], ["A", "B"]]
    assert heads[1][-1] == "Verdict"
    tables = [line for line in lines if line.startswith(("A  ", "bad", "─"))]
    assert max(map(len, tables)) <= 70
    [wide] = [line for line in run(folder, *arguments).stdout.split("\n") if line.startswith("A  ")]
    assert len(wide) > 70  # a file has the whole table
    assert sorted(set(" ".join(map(" ".join, heads)).split())) == sorted(set(wide.split()))


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    path = tmp_path_factory.mktemp("many")
    for number in range(8):
        lines = lines_of(0.1 * number, number)
        (path / f"s{number}").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


EIGHT = ("s0", "-i", *(f"s{number}" for number in range(1, 8)), "s0", "--top", "0", "-q", "--details")


def test_above_six_systems_there_is_a_matrix(many):
    done = run(many, *EIGHT)
    lines = done.stdout.split("\n")
    start = next(i for i, line in enumerate(lines) if "Row - column" in line)
    assert lines[start].split() == ["Row", "-", "column", *"12345678"]
    first = lines[start + 2].split()
    assert first[:2] == ["1", "s0"] and len(first) == 9
    assert first[-1].startswith("+") and first[-1].endswith("*")
    assert lines[start + 9].split() == ["8", "s7"]
    assert "Matrix: score of the row minus that of the column; marked: significant. --pairs lists pairs." in lines
    assert not any(line.startswith("A  ") for line in lines)
    result = tercet.compare(TestSet.read([many / f"s{i}" for i in (7, 0)], [many / "s0"]), resamples=20)
    assert first[-1] == f"{-result.metrics[0].pairs[0].difference:+.2f}*"


def test_pairs_are_listed_on_request_and_for_programs(many):
    listed = run(many, *EIGHT, "--pairs").stdout
    assert "Row - column" not in listed
    assert len(re.findall(r"^s\d  s\d  ", listed, re.MULTILINE)) == 28
    rows = list(csv.DictReader(io.StringIO(run(many, *EIGHT, "-f", "tsv").stdout.split("\n\n")[1]), delimiter="\t"))
    assert len(rows) == 28 and rows[0]["A"] == "s1"


def test_resamples_are_raised_for_many_comparisons_unless_given(many):
    raised = run(many, *EIGHT, "--alpha", "0.002")
    # 28 comparisons at .002 need 14000 resamples; the test that decides gets twice as many.
    assert "paired bootstrap (14000 resamples), approximate randomisation (28000 resamples)" in raised.stdout
    assert "14000 resamples instead of 1000: 28 comparisons need them." in raised.stdout
    assert raised.stdout.count("*") > 0
    given = run(many, *EIGHT, "-n", "200")
    assert "The smallest p-value of 200 resamples is 0.005, corrected for 28 comparisons 0.14." in given.stdout
    assert "200 resamples are too few for randomisation to be significant among 28 comparisons." in given.stdout
    assert "*" not in given.stdout


def test_many_pairs_show_segments_of_some_and_say_so(folder):
    done = run(
        folder, "ref.txt", "-i", "bad.txt", "good.txt", "fair.txt", "ref.txt", "docs.txt", "-n", "20", "--details"
    )
    assert done.stdout.count("What decides") == 6
    # Of ten pairs one has no such segments: leaving any out changes neither the perfect nor the hopeless system.
    assert "Deciding segments of 3 more pairs: use -f json --full, or choose a --baseline." in done.stdout


def test_tsv_has_tables_alone(folder):
    done = run(folder, "ref.txt", "-i", "bad.txt", "good.txt", "-m", "bleu", "chrf", "-n", "20", "-f", "tsv", "-w", "4")
    tables = [list(csv.DictReader(io.StringIO(part), delimiter="\t")) for part in done.stdout.split("\n\n")]
    assert [len(table) for table in tables] == [2, 1, 2, 1]
    [scores] = tercet.score(TestSet({"good": TEXTS["good.txt"]}, {"r": TEXTS["ref.txt"]}), ["chrf"])
    assert tables[2][0]["Metric"] == "chrf"
    assert tables[2][0]["chrF2"] == f"{scores.system['good']:.4f}"
    assert tables[3][0]["Verdict"] == "B is better"


@pytest.mark.parametrize(("form", "sign"), [("markdown", "| Rank | System |"), ("latex", r"\begin{tabular}")])
def test_other_forms(folder, form, sign):
    done = run(folder, "ref.txt", "-i", "bad.txt", "good.txt", "-n", "20", "-f", form)
    assert done.returncode == 0
    assert sign.replace("| Rank", "| Cluster | Rank") in done.stdout
    if form == "latex":
        assert all(line[:1] in ("%", "\\", "") or line.endswith("\\\\") for line in done.stdout.split("\n"))


def test_a_baseline_is_compared_with_all_others(folder):
    done = run(folder, "ref.txt", "-i", "bad.txt", "good.txt", "fair.txt", "--baseline", "fair.txt", "-n", "20",
               "-f", "json", "--test", "randomisation")  # fmt: skip
    written = json.loads(done.stdout)
    assert written["baseline"] == "fair"
    assert written["tests"] == ["randomisation"]
    [metric] = written["metrics"]
    assert [(pair["a"], pair["b"]) for pair in metric["pairs"]] == [("bad", "fair"), ("good", "fair")]
    assert metric["clusters"] == []


def test_the_seed_comes_from_the_option_then_from_the_environment(folder):
    def seed(*arguments: str, **environment: str) -> int:
        given = ("ref.txt", "-i", "bad.txt", "good.txt", "-n", "5", "-f", "json", *arguments)
        return json.loads(run(folder, *given, **environment).stdout)["seed"]

    assert seed() == 12345
    assert seed(SACREBLEU_SEED="7") == 7
    assert seed("--seed", "8", SACREBLEU_SEED="7") == 8


@pytest.mark.parametrize(
    ("systems", "sentences", "code"),
    [
        (("good.txt", "bad.txt"), ["bleu drops"], 3),
        (("good.txt", "bad.txt"), ["chrf drops significantly"], 3),
        (("good.txt", "bad.txt"), ["any drops"], 3),
        (("good.txt", "bad.txt"), ["bleu drops by 99", "CHRF worsens by 1"], 3),
        (("good.txt", "bad.txt"), ["bleu drops by 99"], 0),
        (("good.txt", "bad.txt"), ["bleu < 99"], 3),
        (("good.txt", "bad.txt"), ["bleu <1"], 0),
        (("bad.txt", "good.txt"), ["any worsens", "bleu drops by 0"], 0),
        (("bad.txt", "good.txt", "--baseline", "good.txt"), ["bleu drops"], 3),
        (("good.txt", "fair.txt"), ["bleu drops"], 0),
        (("good.txt", "fair.txt"), ["bleu drops at all"], 3),
        (("fair.txt", "good.txt"), ["any worsens at all"], 0),
        (("good.txt", "bad.txt"), ["bleu drops by 80 %"], 3),
        (("good.txt", "bad.txt"), ["bleu drops by 95%"], 0),
        (("good.txt", "bad.txt"), ["bleu drops significantly by 10 %"], 3),
        (("good.txt", "bad.txt"), ["bleu below 7"], 3),
        (("bad.txt", "good.txt"), ["bleu below 7"], 0),
    ],
)
def test_the_gate_fails_when_a_system_is_worse_than_the_baseline(folder, systems, sentences, code):
    gates = [word for sentence in sentences for word in ("--fail-if", sentence)]
    done = run(folder, "ref.txt", "-i", *systems, "-m", "bleu", "chrf", "-n", "100", *gates)
    assert done.returncode == code
    first, *_, last = done.stdout.rstrip().split("\n")
    assert first == last and "better than" in first
    failed = [line for line in done.stderr.splitlines() if line.startswith("Failed: ")]
    if code:
        system, against = (
            systems[len(systems) == 2].removesuffix(".txt"),
            " against good" * (not {"below", "<"} & set(sentences[-1].split())),
        )
        assert failed[-1].startswith(f"Failed: {sentences[-1]!r} holds for {system}{against}: ")
    else:
        assert not failed
    said = len(failed) + done.stderr.count("Passed: ")
    assert said == len(done.stderr.splitlines()) >= len(sentences)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("-i", "good.txt"), "has only one system, 'good'. Two or more are needed for a comparison."),
        (
            ("-i", "good.txt", "bad.txt", "--baseline", "god.txt"),
            "no system called 'god'. Did you mean good?",
        ),
        (("-i", "good.txt", "bad.txt", "-m", "blue"), "There is no metric called 'blue'. Did you mean bleu"),
        (("-i", "good.txt", "bad.txt", "--test", "t"), "There is no test called 't'. Known: bootstrap, randomisation."),
        (("-i", "good.txt", "bad.txt", "--slice", "domain"), "There is no slice called 'domain'. Known: duplicates, "),
        (
            ("-i", "good.txt", "bad.txt", "-n", "0"),
            "The number of resamples must be a whole number, at least 1, not 0.",
        ),
        (("-i", "good.txt", "bad.txt", "--alpha", "1.5"), "The significance level must lie between 0 and 1, not 1.5."),
        (("-i", "good.txt", "bad.txt", "--fail-if", "chrf drops"), "no metric in these results called 'chrf'."),
        (("-i", "good.txt", "bad.txt", "--fail-if", "bleu falls"), "The condition 'bleu falls' is not understood."),
        (("-i", "good.txt", "bad.txt", "--fail-if", "bleu rises"), "higher BLEU is better. Write 'bleu drops'"),
        (
            ("-i", "good.txt", "bad.txt", "-m", "length", "--fail-if", "length drops"),
            "no direction of length is better",
        ),
        (("-i", "good.txt", "bad.txt", "--fail-if", "any rises"), "write 'any worsens'"),
        (("-i", "good.txt", "bad.txt", "--fail-if", "any below 40"), "name a metric, as metrics differ in scale."),
        (("-i", "good.txt", "bad.txt", "--fail-if", "bleu above 40"), "higher BLEU is better. Write 'bleu below 40'."),
        (("-i", "good.txt", "bad.txt", "--fail-if", "bleu below x"), "a number is needed after 'below', not 'x'."),
        (("-i", "good.txt", "bad.txt", "--fail-if", "bleu drops at all by 1"), "is not understood."),
        (
            ("-i", "good.txt", "bad.txt", "--junit", "out.xml"),
            "--junit reports on conditions: give one with --fail-if.",
        ),
        (
            ("-i", "good.txt", "bad.txt", "--fail-if", "bleu drops", "--junit", "no/out.xml"),
            "--junit no/out.xml: there is no folder no.",
        ),
        (
            ("-i", "good.txt", "bad.txt", "--fail-if", "bleu drops by x"),
            "a number from 0 is needed after 'by', not 'x'.",
        ),
        (
            ("-i", "good.txt", "bad.txt", "-n", "9", "--fail-if", "bleu drops"),
            "could never hold. randomisation: with 9",
        ),
        (("-i", "good.txt", "bad.txt", "-n", "-1", "--fail-if", "bleu drops"), "at least 1, not -1."),
        (("-i", "good.txt", "bad.txt", "--alpha", "0", "--fail-if", "bleu drops"), "between 0 and 1, not 0.0."),
        (("-i", "good.txt", "missing.txt"), "missing.txt"),
    ],
)
def test_misuse_is_explained_in_one_line_with_code_2(folder, arguments, message):
    done = run(folder, "ref.txt", *arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("Error: ")
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


def test_files_of_different_lengths_are_a_data_error(folder, tmp_path):
    short = tmp_path / "short.txt"
    short.write_text("one line\n", encoding="utf-8")
    done = run(folder, "ref.txt", "-i", "good.txt", str(short))
    assert done.returncode == 1
    assert "is not parallel" in done.stderr


def test_sentences_of_a_gate_are_read():
    gate = read_gate(" ter Rises significantly by 0.5 ")
    assert (gate.metric, gate.verb, gate.significantly, gate.by) == ("ter", "rises", True, 0.5)
    assert read_gate("Any drops").metric == "any"
    assert read_gate("bleu drops").significantly and not read_gate("bleu drops by 1").significantly
    gate = read_gate("bleu  drops by 1.5%")
    assert (gate.by, gate.percent) == (1.5, True)
    assert not read_gate("bleu drops at  all").significantly
    gate = read_gate("ter above -3")
    assert (gate.verb, gate.by, gate.significantly) == ("above", -3, False)
    for text in (
        "",
        "bleu",
        "bleu drops 0.5",
        "bleu drops %",
        "bleu below",
        "bleu drops at",
        "bleu drops by 1 %%",
        "bleu drops by",
        "bleu drops by -1",
        "bleu drops by nan",
        "drops bleu",
    ):
        with pytest.raises(UsageError):
            read_gate(text)


def test_verdicts_are_in_json_in_junit_form_and_in_the_summary_of_github(folder, tmp_path):
    summary = tmp_path / "summary.md"
    summary.write_text("before\n", encoding="utf-8")
    gates = ("--fail-if", "bleu drops by 1 %", "--fail-if", "bleu below 1")
    done = run(folder, "ref.txt", "-i", "good.txt", "bad.txt", "-n", "100", *gates, "-f", "json", "--junit",
               str(tmp_path / "out.xml"), GITHUB_STEP_SUMMARY=str(summary))  # fmt: skip
    assert done.returncode == 3
    first, second = json.loads(done.stdout)["gates"]
    assert (first["failed"], first["condition"], first["system"], first["baseline"]) == (
        True, "bleu drops by 1 %", "bad", "good"
    )  # fmt: skip
    assert first["score"] < first["baseline_score"]
    assert second["failed"] is False
    suites = ElementTree.parse(tmp_path / "out.xml").getroot()
    assert (suites.tag, suites.attrib) == ("testsuites", {"tests": "2", "failures": "1", "errors": "0"})
    cases = suites.findall("testsuite/testcase")
    assert [case.attrib["name"] for case in cases] == [
        "bleu drops by 1 %: bad against good", "bleu below 1: bad against good"
    ]  # fmt: skip
    assert cases[0].find("failure").attrib["message"] == first["message"]
    assert cases[1].find("failure") is None
    text = summary.read_text("utf-8")
    assert text.startswith("before\n## Translation quality: 1 of 2 conditions failed\n")
    assert "| ❌ failed | bleu drops by 1 % | bad |" in text and "| ✅ passed | bleu below 1 |" in text


def test_names_cannot_break_the_junit_file():
    verdict = GateVerdict(True, 'a"<b>\x07&', "bleu", "it's <so>", "bleu drops", "b", 1.0, 2.0, 0.5)
    [case] = ElementTree.fromstring(junit_xml([verdict])).iter("testcase")
    assert case.attrib["name"] == 'bleu drops: a"<b>\ufffd& against b'


def test_a_summary_that_cannot_be_written_is_a_warning(folder, tmp_path):
    done = run(folder, "ref.txt", "-i", "bad.txt", "good.txt", "-n", "50", "--fail-if", "bleu drops",
               GITHUB_STEP_SUMMARY=str(tmp_path))  # fmt: skip
    assert done.returncode == 0
    assert f"Warning: {tmp_path} cannot be written" in done.stderr


def test_a_metric_without_a_better_direction_gives_no_verdict_on_who_is_better(folder, tmp_path):
    long = tmp_path / "long"
    long.write_text("".join(f"{line} {line}\n" for line in TEXTS["ref.txt"]), encoding="utf-8")
    shown = run(folder, "ref.txt", "-i", "good.txt", str(long), "-m", "length", "-n", "100", "--fail-if", "any worsens",
                "--details")  # fmt: skip
    assert (shown.returncode, shown.stderr) == (0, "")
    assert "neither direction is better" in shown.stdout
    assert "  significantly different" in shown.stdout
    assert "is better\n" not in shown.stdout.partition("\n")[2]


def test_shown_texts_cannot_disturb_the_terminal():
    assert clip("a\x1b[31mb\tc", 20) == "a\ufffd[31mb c"
    assert clip("x" * 50, 10) == "x" * 9 + "…"
    assert clip("漢字漢字漢字", 7) == "漢字漢…"


EDITED = ("ref.txt", "-i", "good.txt", "bad.txt", "-m", "ter", "wer", "-n", "50", "--top", "2", "--edits")


def test_edits_in_json_are_what_the_library_returns(folder):
    done = run(folder, *EDITED, "-f", "json", "--full")
    assert (done.returncode, done.stderr) == (0, "")
    testset = TestSet({n: TEXTS[f"{n}.txt"] for n in ("good", "bad")}, {"ref": TEXTS["ref.txt"]})
    result = tercet.compare(testset, ["ter", "wer"], resamples=50, top=2)
    written = json.loads(done.stdout)
    assert written.pop("options")["edits"]
    edited = json.loads(json.dumps(compare_edits(result, testset).to_dict(full=True)))
    assert written == edited | {"words": [], "ngrams": [], "gates": []}
    for metric in written["metrics"]:
        (pair,) = metric["pairs"]
        for system in ("good", "bad"):
            assert set(pair["edits"][system]) == {"insertions", "deletions", "substitutions", "shifts", "jumps"}
        for segment in pair["segments"]:
            (explained,) = explain(testset, [metric["metric"]], segment=segment["segment"], systems=["bad.txt"])
            assert segment["b_edits"] == json.loads(json.dumps(explained.to_dict()))
            assert segment["b_edits"]["score"] == segment["b_score"]


@pytest.fixture
def moved(tmp_path):
    texts = {"ref": "a b c d e\nx y z u v\n", "one": "d e a b c\nx y z u v\n", "two": "a f g d\nx y z u w v\n"}
    for name, lines in texts.items():
        (tmp_path / name).write_text(lines, encoding="utf-8")
    return tmp_path


def test_edits_in_text_are_those_of_explain_with_their_sums(moved):
    done = run(moved, "ref", "-i", "one", "two", "-m", "ter", "-n", "50", "--edits", "-q")
    assert (done.returncode, done.stderr) == (0, "")
    begin, end = done.stdout.index("TER edits"), done.stdout.index("\n\np: two-sided")
    assert (
        done.stdout[begin:end]
        == """\
TER edits  Insertions  Deletions  Substitutions  Shifts  All
─────────  ──────────  ─────────  ─────────────  ──────  ───
one                 0          0              0       1    1
two                 1          1              2       0    4
one - two          -1         -1             -2      +1   -3

What decides one - two = -30.00 TER
  segment 1: -10.0000 (one 20.00, two 60.00)
    ref  a b c d e
    one  d e a b c
    two  a f g d
    edits of one:
      shift 'd e' from 1 to 4
    edits of two:
      substitution 'f' for 'b'
      substitution 'g' for 'c'
      deletion 'e'"""
    )
    assert "Edits, over all segments: insertions are too much in the output" in done.stdout


def test_sums_of_edits_are_in_every_form_for_every_pair(moved):
    (moved / "same").write_text((moved / "one").read_text(), encoding="utf-8")
    options = ("ref", "-i", "one", "two", "same", "-m", "cder", "-n", "50", "--top", "0", "--edits", "-q")
    for form, rows in (
        ("text", ("one - same          +0         +0             +0", "two - same ")),
        ("markdown", ("| one - same | ", "| two - same | ")),
        ("latex", ("one - same & +0 & +0", "two - same & ")),
        ("tsv", ("cder\tone - same\t+0\t+0", "cder\ttwo - same\t")),
    ):
        shown = run(moved, *options, "-f", form).stdout
        for row in rows:
            assert row in shown, (form, shown)


def test_edits_of_a_metric_without_edit_scripts_are_refused_before_anything_is_counted(folder):
    done = run(folder, "ref.txt", "-i", "good.txt", "bad.txt", "-m", "ter", "chrf", "--edits")
    assert (done.returncode, done.stdout) == (2, "")
    known = "cder, cer, character, per, ter, wer"
    assert done.stderr == f"Error: chrf has no edit scripts. Metrics that have: {known}.\n"
