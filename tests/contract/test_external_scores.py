"""Scores of other programs beside our metrics: shown, tested, sliced and compared like any metric."""

import json
from pathlib import Path

import numpy as np
import pytest

from ..docs.running import Ran, run

SEGMENTS = 30
SCORES = Path(__file__).parents[1] / "data" / "scores-0.1.0.npz"


def comet(path: Path, segments: int = SEGMENTS, systems: tuple[str, ...] = ("a", "b")) -> Path:
    """Write scores as COMET's --to_json does: system a is better."""
    rng = np.random.default_rng(3)
    rows = {
        f"out/{system}.txt": [
            {"src": "s", "mt": "m", "ref": "r", "COMET": 0.8 - 0.1 * place + float(rng.normal(0, 0.02))}
            for _ in range(segments)
        ]
        for place, system in enumerate(systems)
    }
    path.write_text(json.dumps(rows))
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    words = "the cat dog sat ran on under a mat house".split()
    rng = np.random.default_rng(1)
    lines = [" ".join(rng.choice(words, 4 + 12 * (i % 2))) for i in range(SEGMENTS)]
    for name, change in (("ref", ""), ("a", " end"), ("b", " wrong words at the end")):
        (tmp_path / name).write_text("".join(f"{line}{change}\n" for line in lines))
    comet(tmp_path / "comet.json")
    return tmp_path


def ran(folder: Path, *words: str, code: int = 0) -> Ran:
    done = run(words, folder=folder)
    assert done.code == code, done.out + done.err
    return done


TEXTS = ("ref", "-i", "a", "b", "-m", "bleu")


def means(folder: Path) -> dict[str, float]:
    rows = json.loads((folder / "comet.json").read_text())
    return {Path(name).stem: float(np.mean([row["COMET"] for row in found])) for name, found in rows.items()}


def test_they_are_shown_beside_a_metric(folder: Path) -> None:
    found = json.loads(ran(folder, "score", *TEXTS, "--scores", "comet.json", "-f", "json").out)
    assert [(item["system"], item["name"]) for item in found] == [
        ("a", "BLEU"), ("a", "COMET"), ("b", "BLEU"), ("b", "COMET"),
    ]  # fmt: skip
    shown = {item["system"]: item["score"] for item in found if item["name"] == "COMET"}
    assert shown == pytest.approx(means(folder))
    assert all(item["higher_is_better"] for item in found)
    header, _, first = ran(folder, "score", *TEXTS, "--scores", "comet.json").out.split("\n")[:3]
    assert header.split() == ["System", "BLEU", "COMET"] and first.split()[2] == f"{means(folder)['a']:.3f}"


def test_without_metrics_they_are_shown_alone(folder: Path) -> None:
    found = json.loads(ran(folder, "score", "ref", "-i", "a", "b", "--scores", "comet.json", "-f", "json").out)
    assert {item["name"] for item in found} == {"COMET"}


def test_they_may_get_a_name_and_a_direction(folder: Path) -> None:
    words = ("score", *TEXTS, "--scores", "MyError=comet.json", "--lower-is-better", "MyError", "-f", "json")
    found = [item for item in json.loads(ran(folder, *words).out) if item["name"] != "BLEU"]
    assert {(item["name"], item["higher_is_better"]) for item in found} == {("MyError", False)}
    error = ran(folder, "score", *TEXTS, "--scores", "comet.json", "--lower-is-better", "X", code=2).err
    assert "--lower-is-better X: no file of --scores has it." in error


def test_intervals_tests_slices_and_segments(folder: Path) -> None:
    words = ("score", *TEXTS, "--scores", "comet.json")
    found = json.loads(ran(folder, *words, "-ci", "-cin", "100", "-f", "json").out)
    assert all(item["ci_low"] < item["score"] < item["ci_high"] for item in found if item["name"] == "COMET")
    tested = json.loads(ran(folder, *words, "--paired-bs", "-f", "json").out)
    (second,) = (item for item in tested if (item["name"], item["system"]) == ("COMET", "b"))
    assert second["p_value"] < 0.05 and second["baseline"] == "a"
    table = ran(folder, *words, "--by", "length").out
    assert "up to 10 words" in table and "a COMET" in table.partition("\n")[0]
    rows = ran(folder, *words, "-sl", "-f", "tsv").out.rstrip().split("\n")
    assert len(rows) == 1 + 2 * 2 * SEGMENTS


def test_they_are_kept_and_merged_with_their_direction(folder: Path) -> None:
    words = ("score", *TEXTS, "--scores", "Err=comet.json", "--lower-is-better", "Err", "--save", "x.npz")
    ran(folder, *words)
    merged = json.loads(ran(folder, "score", "--merge", "x.npz", "x.npz", "-f", "json").out)
    found = [item for item in merged if item["name"] == "Err"]
    assert {(item["higher_is_better"], item["n_segments"]) for item in found} == {(False, 2 * SEGMENTS)}
    assert {item["system"]: item["score"] for item in found} == pytest.approx(means(folder))


def test_they_are_compared_with_clusters_slices_and_gates(folder: Path) -> None:
    words = ("compare", *TEXTS, "--scores", "comet.json", "--test", "randomisation", "-n", "500", "--top", "1")
    result = json.loads(ran(folder, *words, "--slice", "length", "-f", "json").out)
    _, metric = result["metrics"]
    assert [(system["system"], system["cluster"]) for system in metric["systems"]] == [("a", 1), ("b", 2)]
    assert {part["slice"] for part in metric["slices"]} == {"up to 10 words", "11 to 20 words"}
    ran(folder, *words, "--fail-if", "comet drops", code=3)
    ran(folder, *words, "--baseline", "b", "--fail-if", "comet drops")
    lower = ("--lower-is-better", "COMET")
    ran(folder, *words, *lower, "--fail-if", "comet rises")
    ran(folder, *words, *lower, "--baseline", "b", "--fail-if", "comet rises", code=3)
    ran(folder, *words, *lower, "--fail-if", "comet drops", code=2)
    turned = json.loads(ran(folder, *words, *lower, "-f", "json").out)["metrics"][1]
    assert (turned["higher_is_better"], turned["pairs"][0]["a"]) == (False, "a")
    assert {system["system"]: system["cluster"] for system in turned["systems"]} == {"a": 2, "b": 1}


@pytest.mark.parametrize("command", ["score", "compare"])
def test_another_number_of_segments_is_refused(folder: Path, command: str) -> None:
    comet(folder / "short.json", SEGMENTS - 1)
    error = ran(folder, command, *TEXTS, "--scores", "short.json", code=1).err
    assert str(SEGMENTS - 1) in error and str(SEGMENTS) in error and "short.json" in error


@pytest.mark.parametrize("command", ["score", "compare"])
def test_a_system_without_scores_is_refused(folder: Path, command: str) -> None:
    comet(folder / "other.json", systems=("a", "c"))
    error = ran(folder, command, *TEXTS, "--scores", "other.json", code=1).err
    assert "no COMET scores for system 'b'" in error and "c" in error


def test_a_text_is_not_taken_for_scores(folder: Path) -> None:
    (folder / "text").write_text("This is a sentence.\n")
    shown = ran(folder, "score", "ref", "-i", "a", "--scores", "X=text", code=1).err
    assert "text holds no scores in a known form" in shown


def test_scores_of_systems_alone_are_shown_and_not_compared(folder: Path) -> None:
    (folder / "sys.txt").write_text("out/a.txt\tscore: 0.8\nout/b.txt\tscore: 0.7\n")
    table = ran(folder, "score", *TEXTS, "--scores", "sys.txt").out
    assert "0.800" in table and "0.700" in table
    error = ran(folder, "compare", *TEXTS, "--scores", "sys.txt", code=1).err
    assert "COMET has scores of whole systems only; a comparison needs scores of segments." in error
    error = ran(folder, "score", *TEXTS, "--scores", "sys.txt", "-ci", code=1).err
    assert "system scores only" in error


def test_scores_saved_by_version_0_1_0_are_read(folder: Path) -> None:
    found = json.loads(ran(folder, "score", "--merge", str(SCORES), "-f", "json").out)
    shown = {(item["system"], item["name"]): (item["score"], item["higher_is_better"]) for item in found}
    assert shown == {
        ("one", "BLEU"): (73.0950137091137, True),
        ("one", "chrF2++"): (78.93778578052995, True),
        ("one", "TER"): (13.333333333333334, False),
        ("one", "NIST"): (3.6162704819153495, True),
        ("two", "BLEU"): (0.0, True),
        ("two", "chrF2++"): (16.938736720943222, True),
        ("two", "TER"): (73.33333333333333, False),
        ("two", "NIST"): (0.24105592545418386, True),
    }
    assert found[3]["signature"].startswith("nrefs:1|case:lc|tok:13a|weights:a15fa0309f892ba3|compat:mteval13a")
    twice = ran(folder, "score", "--merge", str(SCORES), str(SCORES), "--documents")
    assert twice.out.startswith("document")
