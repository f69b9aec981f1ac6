"""Paraphrases with a gap, derived from plain ones."""

from pathlib import Path

import pytest

from tercet import metrics
from tercet.language.paraphrases import derive, paraphrases, with_gaps

FILLING = [(f"w{i} of", f"w{i} in") for i in range(120) for _ in range(3)]  # makes of and in frequent
PAIRS = [
    ("protect them from", "protect them against"),
    ("protect the trees from", "protect the trees against"),
    ("keep it up", "hold it up"),  # one inside only
    ("of them in", "in them in"),
    ("of trees in", "in trees in"),  # only frequent words around it
    ("a b c", "a b c"),
    ("short one", "short two"),
]


def test_what_is_around_the_same_words_is_a_paraphrase_with_a_gap() -> None:
    assert derive(PAIRS + FILLING) == [("protect … from", "protect … against")]


def test_the_longest_common_inside_is_the_gap() -> None:
    pairs = [("we saw the old cat again", "they saw the old cat once more"), ("we met again", "they met once more")]
    assert derive(pairs + FILLING) == [("we … again", "they … once more")]


def test_meteor_derives_them_from_a_table_without_gaps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERCET_DATA", str(tmp_path / "data"))
    table = tmp_path / "table.tsv"
    table.write_text("".join(f"{a}\t{b}\n" for a, b in PAIRS + FILLING), "utf-8")
    assert not len(paraphrases(str(table)).gapped)
    assert len(with_gaps(str(table)).gapped) == 1
    texts = "They protect us from rain.", ["They protect us against rain."]
    with_gap, without = (
        metrics.create(f"meteor:paraphrases={table}{gaps}").score_one(*texts) for gaps in (",gaps=3", "")
    )
    assert with_gap > without
    with_gaps.__globals__["_with_gaps"].cache_clear()
    assert (
        with_gaps(str(table)).gapped.keys.tolist() == with_gaps(str(table)).gapped.keys.tolist()
    )  # from what was kept


def test_a_table_with_gaps_of_its_own_is_left_alone(tmp_path: Path) -> None:
    table = tmp_path / "table.tsv"
    table.write_text("turn ... off\tswitch ... off\n" + "".join(f"{a}\t{b}\n" for a, b in PAIRS), "utf-8")
    assert len(with_gaps(str(table)).gapped) == 1
