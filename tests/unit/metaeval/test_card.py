"""The reliability card of a metric."""

import logging
from pathlib import Path

import pytest

import tercet
from tercet.data.evidence import open_evidence
from tercet.errors import UnknownName, UsageError
from tercet.metaeval import judge
from tercet.metaeval.card import make_card

from .small import make_set, write, write_rankings, write_ratings, write_texts


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    make_set(tmp_path / "rated")
    write_texts(tmp_path / "ranked", "de-en")
    write_rankings(tmp_path / "ranked", "de-en")
    write(tmp_path / "nothing" / "notes.txt", "no data")
    write_ratings(tmp_path / "no-texts")
    return tmp_path


def test_a_card_has_every_set_pair_and_level_that_has_texts(folder: Path) -> None:
    said: list[str] = []
    results = make_card("chrf", sorted(folder.iterdir()), progress=said.append)
    assert [(r.dataset, r.pair, r.level, r.statistic, r.gold) for r in results] == [
        ("ranked", "de-en", "sys", "pearson", "Expected wins"),
        ("ranked", "de-en", "seg", "tau:wmt14", "rankings"),
        ("rated", "en-de", "sys", "pearson", "DA"),
        ("rated", "en-de", "seg", "pearson", "DA"),
    ]
    assert said == ["no-texts en-de", "ranked de-en", "rated en-de"]
    evidence = open_evidence(folder / "rated", "en-de")
    assert evidence.testset is not None
    expected = judge(evidence, tercet.score(evidence.testset, ["chrf"]), level="seg", significance=None)
    assert results[-1].rows() == expected.rows()


def test_a_set_that_does_not_say_its_pair_is_used(tmp_path: Path) -> None:
    columns = ("seg", "source", "mt", "reference", "effort", "score1", "weight1")
    rows = [
        (str(j), "source", "a b c d e"[: 3 + j], "a b c d e", str(1 + j / 2), str(1 + j // 2), "1") for j in range(7)
    ]
    write(tmp_path / "qe" / "training.tsv", *("\t".join(row) for row in (columns, *rows)))
    results = make_card("chrf", [tmp_path / "qe"])
    assert [(r.pair, r.level, r.gold, r.items[0].n) for r in results] == [
        ("", "seg", "effort", 7),
        ("", "seg", "Likert", 7),
    ]


def test_what_cannot_be_judged_is_named(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    folder = make_set(tmp_path / "one")
    ratings = (folder / "ratings.en-de.jsonl").read_text("utf-8").splitlines()
    write(folder / "ratings.en-de.jsonl", *(line for line in ratings if '"ada"' in line))
    with caplog.at_level(logging.WARNING, logger="tercet"):
        (result,) = make_card("chrf", [folder])
    assert (result.level, result.items[0].n) == ("seg", 20)
    assert "Left out of the card: one en-de: 1 system with both DA and metric scores" in caplog.text


def test_an_unknown_metric_or_no_data_is_refused(folder: Path) -> None:
    with pytest.raises(UnknownName, match="no metric called 'chrff'"):
        make_card("chrff", [folder / "rated"])
    with pytest.raises(UsageError, match=r"No texts with judgements in .*nothing\. Give a folder by `data`"):
        make_card("chrf", [folder / "nothing"])
    with pytest.raises(UsageError, match="No texts with judgements in the folder of data sets"):
        make_card("chrf", [])
