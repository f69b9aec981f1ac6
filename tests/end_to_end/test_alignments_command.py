"""`tercet alignments`: matches and penalties by level, scores changed by equivalence, in all forms."""

from pathlib import Path

import pytest

from tercet import TestSet, alignments
from tercet.language import conllu
from tercet.rendering.tables import to_json

from ..unit.metrics.test_cobalt import PASSIVE, REFERENCE, SCRAMBLED
from .command import Ran, tercet

METRIC = "cobalt:parser=conllu:parses.conllu"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, sentence in (("ref", REFERENCE), ("passive", PASSIVE), ("scrambled", SCRAMBLED)):
        (tmp_path / name).write_text(f"{sentence.text}\n{REFERENCE.text}\n", "utf-8")
    conllu.write(tmp_path / "parses.conllu", [REFERENCE, PASSIVE, SCRAMBLED])
    return tmp_path


def run(folder: Path, *options: object) -> Ran:
    words = ("alignments", "ref", "-i", "passive", "scrambled", "-l", "cs-en", "-m", METRIC)
    return tercet(*words, *options, cwd=folder)


def test_matches_are_counted_by_level_beside_those_of_meteor(folder: Path) -> None:
    """Six words of the passive are aligned, six of the scrambled output, where METEOR aligns seven, and twice seven."""
    found = run(folder, "--table", "matches", "-f", "csv")
    assert found.code == 0, found.err
    header, *rows = [line.split(",") for line in found.out.splitlines()]
    table = {row[0]: dict(zip(header, row, strict=True)) for row in rows}
    assert table["exact"]["Cobalt"] == table["aligned"]["Cobalt"] == "26"
    assert (table["exact"]["Cobalt content"], table["exact"]["Cobalt function"]) == ("12", "14")
    assert table["exact"]["METEOR"] == "27"
    assert table["distributional"]["METEOR"] == ""
    assert (table["output words"]["Cobalt"], table["reference words"]["Cobalt"]) == ("29", "28")
    assert float(table["output words"]["Cobalt %"]) == pytest.approx(100 * 26 / 29)


def test_penalties_are_raw_means_over_all_words_of_a_level(folder: Path) -> None:
    metric = f"cobalt:parser=conllu:{folder / 'parses.conllu'}"
    testset = TestSet({"x": [PASSIVE.text]}, {"r": [REFERENCE.text]}, pair="cs-en")
    exact = alignments(testset, metric).total.penalties["exact"]
    assert (exact.words, exact.penalised) == (6, 1)
    assert exact.mean == pytest.approx(0.0896927 / 6, abs=1e-7)  # 0.2 / 3.2 * ln 4.2, of "discussed" alone


def test_meteor_has_no_vectors_and_stands_beside_those_that_have(folder: Path) -> None:
    (folder / "verbs.vec").write_text("were 1 0\nhas 1 1\n")
    metric = f"cobalt:parser=conllu:{folder / 'parses.conllu'},vectors={folder / 'verbs.vec'}"
    testset = TestSet({"x": [PASSIVE.text]}, {"r": [REFERENCE.text]}, pair="cs-en")
    total = alignments(testset, metric).total
    assert (total.aligned, total.matches["distributional"].function) == (7, 1)  # "were" and "has", of one category
    assert total.meteor_aligned == 6


def test_scores_changed_by_equivalence_are_counted_by_system(folder: Path) -> None:
    found = run(folder, "--table", "equivalence", "-f", "csv")
    assert found.out.splitlines() == [
        "system,changed,segments,%",
        "passive,1,2,50.0",
        "scrambled,0,2,0.0",
        "all systems,1,4,25.0",
    ]


def test_text_and_markdown_have_all_tables(folder: Path) -> None:
    for form in ("text", "markdown"):
        found = run(folder, "-f", form)
        assert found.code == 0, found.err
        for title in ("Aligned words by level", "Context penalties by level", "Segment scores changed by"):
            assert title in found.out
        assert found.out.rstrip().rpartition("\n")[2].startswith("Cobalt|language:en|")
    assert "| passive | 1 | 2 | 50.0 |" in found.out


def test_json_equals_the_library_and_jobs_change_nothing(folder: Path) -> None:
    whole = run(folder, "-f", "json")
    assert whole.out == run(folder, "-f", "json", "--jobs", 2).out
    lines = {name: (folder / name).read_text("utf-8").splitlines() for name in ("ref", "passive", "scrambled")}
    testset = TestSet(
        {name: lines[name] for name in ("passive", "scrambled")}, {"ref": lines["ref"]}, pair="cs-en", name="ref"
    )
    report = alignments(testset, f"cobalt:parser=conllu:{folder / 'parses.conllu'}")
    ours = {**whole.json, "signature": ""}
    assert to_json({**report.to_dict(), "signature": ""}) == to_json(ours)


def test_misuse(folder: Path) -> None:
    csv = run(folder, "-f", "csv")
    assert (csv.code, csv.out) == (2, "")
    assert csv.err == "Error: CSV holds one table. Choose one with --table: matches, penalties, equivalence.\n"
    other = tercet("alignments", "ref", "-i", "passive", "-m", "bleu", cwd=folder)
    assert (other.code, other.err) == (2, "Error: alignments needs the metric cobalt, not bleu.\n")
    assert tercet("alignments", "-i", "passive", cwd=folder).code == 2
