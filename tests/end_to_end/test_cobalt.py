"""UPF-Cobalt from the command line, with parses that exist and without a parser."""

from pathlib import Path

import pytest

from tercet.language import conllu

from ..unit.metrics.test_cobalt import PASSIVE, REFERENCE, SCRAMBLED
from .command import tercet

METRIC = "cobalt:parser=conllu:parses.conllu"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, sentence in (("ref", REFERENCE), ("passive", PASSIVE), ("scrambled", SCRAMBLED)):
        (tmp_path / name).write_text(f"{sentence.text}\n{REFERENCE.text}\n\n", "utf-8")
    conllu.write(tmp_path / "parses.conllu", [REFERENCE, PASSIVE, SCRAMBLED])
    return tmp_path


def test_systems_and_segments_are_scored(folder: Path) -> None:
    found = tercet("score", "ref", "-i", "passive", "scrambled", "-l", "cs-en", "-m", METRIC, "-w", 4, cwd=folder)
    assert found.code == 0, found.err
    scores = dict(line.split() for line in found.out.split("\n")[2:4])
    assert float(scores["passive"]) > float(scores["scrambled"])
    segments = tercet("score", "ref", "-i", "passive", "-l", "cs-en", "-m", METRIC, "-sl", "-f", "json", cwd=folder)
    assert segments.code == 0, segments.err
    assert "|parsed:conllu@" in found.out


def test_jobs_give_the_same_scores(folder: Path) -> None:
    words = ("score", "ref", "-i", "passive", "scrambled", "-l", "cs-en", "-m", METRIC, "-f", "json")
    assert tercet(*words, cwd=folder).json == tercet(*words, "--jobs", 2, cwd=folder).json


def test_a_text_without_a_parse_is_named(folder: Path) -> None:
    (folder / "other").write_text("Nobody parsed this .\nNor this .\n\n", "utf-8")
    found = tercet("score", "ref", "-i", "other", "-l", "cs-en", "-m", METRIC, cwd=folder)
    assert (found.code, found.out) == (1, "")
    assert "parses.conllu has no parse of 'Nobody parsed this .'" in found.err


def test_explain_shows_levels_penalties_and_what_is_not_aligned(folder: Path) -> None:
    found = tercet("explain", METRIC, "ref", "-i", "passive", "-l", "cs-en", cwd=folder)
    assert found.code == 0, found.err
    shown = [line.split() for line in found.out.split("\n")]
    assert ["not", "aligned", "in", "output:", "were", "by"] in shown
    assert ["not", "aligned", "in", "reference:", "has"] in shown
    (verb,) = (line for line in shown if line[:1] == ["discussed"])
    assert verb[:3] == ["discussed", "discussed", "exact"]
    assert verb[-4:] == ["auxpass", "aux", "0.045", "0.955"]
    (entry,) = tercet("explain", METRIC, "ref", "-i", "passive", "-l", "cs-en", "-f", "json", cwd=folder).json
    assert entry["output_only"] == ["were", "by"]
    assert len(entry["pairs"]) == 6


def test_an_empty_segment_is_explained_too(folder: Path) -> None:
    found = tercet("explain", METRIC, "ref", "-i", "passive", "-l", "cs-en", "-n", 3, cwd=folder)
    assert found.code == 0, found.err
    assert "Cobalt of passive: 0.0000" in found.out
    assert "not aligned in output: (nothing)" in found.out
