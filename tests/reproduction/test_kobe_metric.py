"""Our KoBE and pooled KoBE with the default knowledge base on WMT19, whose pairs had no part in choosing parameters.

docs/metrics/kobe.md has all 18 language pairs; here are three small ones.
"""

from functools import cache
from pathlib import Path

import numpy as np
import pytest

from tercet import reproduce, score
from tercet.data.evidence import open_evidence
from tercet.tasks.reproduce.papers import kobe
from tercet.tasks.reproduce.sources import DataSets

pytestmark = pytest.mark.xdist_group("kobe_metric")

PAPER = {"gu-en": 0.828, "kk-en": 0.899, "lt-en": 0.704}  # Table 1
YISI_2 = {"gu-en": -0.566, "kk-en": -0.324, "lt-en": 0.442}
OURS = {  # as in the documentation
    "kobe": {"gu-en": 0.790, "kk-en": 0.972, "lt-en": 0.894},
    "kobe_pool": {"gu-en": 0.730, "kk-en": 0.967, "lt-en": 0.917},
    "kobe:against=reference": {"gu-en": 0.881, "kk-en": 0.966, "lt-en": 0.927},
}


@cache
def correlation(shared: Path, pair: str, metric: str) -> float:
    evidence = open_evidence(shared / "data" / "wmt19", pair)
    human = next(table.system for table in evidence.gold if table.metric.spec == "da")
    judged = [system for system in evidence.testset.systems if system in human]
    assert len(judged) == 11
    (scores,) = score(evidence.testset.only(judged), [metric])
    return float(np.corrcoef([scores.system[system] for system in judged], [human[s] for s in judged])[0, 1])


@pytest.mark.parametrize("metric", OURS)
@pytest.mark.parametrize("pair", PAPER)
def test_correlations_are_as_documented(shared: Path, pair: str, metric: str) -> None:
    pytest.importorskip("simplemma", reason="without simplemma fewer inflected names are found")
    assert correlation(shared, pair, metric) == pytest.approx(OURS[metric][pair], abs=0.02)


def test_the_table_of_ours_has_them_beside_print(data: DataSets, shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    row = kobe._row
    monkeypatch.setattr(
        kobe, "_row", lambda table, name: {pair: text for pair, text in row(table, name).items() if pair == "gu-en"}
    )
    (found,) = reproduce("kobe", table="ours", data=data)
    assert [(cell.row, cell.column, cell.printed, cell.must) for cell in found.cells] == [
        ("KoBE", "gu-en", 0.828, False),
        ("KoBE, reference", "gu-en", 0.850, False),
    ]
    assert found.cells[0].recomputed == pytest.approx(correlation(shared, "gu-en", "kobe"), abs=1e-12)
    assert found.cells[1].recomputed == pytest.approx(correlation(shared, "gu-en", "kobe:against=reference"), abs=1e-12)
    assert found.extra["BLEU"]["gu-en"] == pytest.approx(correlation(shared, "gu-en", "bleu"), abs=1e-12)
    assert round(found.extra["YiSi-2"]["gu-en"], 3) == YISI_2["gu-en"]
    assert found.failed == []
    assert found.statements[0].found == "1 of 1"


@pytest.mark.parametrize("pair", PAPER)
def test_without_a_reference_both_are_above_yisi_2(shared: Path, pair: str) -> None:
    assert correlation(shared, pair, "kobe") > YISI_2[pair]
    assert correlation(shared, pair, "kobe_pool") > YISI_2[pair]


@pytest.mark.parametrize("pair", ["kk-en", "lt-en"])
def test_without_a_reference_both_are_above_the_paper_but_for_gujarati(shared: Path, pair: str) -> None:
    assert correlation(shared, pair, "kobe") > PAPER[pair]
    assert correlation(shared, pair, "kobe_pool") > PAPER[pair]
