"""KoBE with the paper's own annotations of eight ru-en systems of WMT19: every count, recall, penalty and score."""

import gzip
import json
from pathlib import Path

import numpy as np
import pytest

from tercet import TestSet, metrics, score

from ..conftest import read_golden


@pytest.fixture(scope="module")
def annotations(shared: Path) -> Path:
    return shared / "data" / "kobe_ruen" / "annotations.jsonl.gz"


@pytest.fixture(scope="module")
def testset(annotations: Path) -> TestSet:
    texts: dict[str, list[str]] = {}
    with gzip.open(annotations, "rt", encoding="utf-8") as stream:
        for line in stream:
            row = json.loads(line)
            texts.setdefault(row["system"], []).append(row["text"])
    return TestSet(texts, {"reference": texts.pop("reference")}, pair="ru-en", name="newstest2019")


def test_every_count_of_every_segment_is_that_of_the_published_annotations(
    shared: Path, annotations: Path, testset: TestSet
) -> None:
    (record,) = read_golden(shared, "kobe_ruen_reference_based")
    # 20 texts were linked in two ways, depending on the document: whose text it is matters.
    counts = metrics.create(f"kobe:against=reference,annotations={annotations}").statistics(testset)
    assert set(counts) == set(record["segment_scores"])
    for system, expected in record["segment_scores"].items():
        assert counts[system].tolist() == expected


@pytest.mark.parametrize("rounding", ["none", "published"])
def test_recall_penalty_and_score_have_all_printed_digits(
    shared: Path, annotations: Path, testset: TestSet, rounding: str
) -> None:
    (record,) = read_golden(shared, "kobe_ruen_reference_based")
    metric = metrics.create(f"kobe:against=reference,annotations={annotations},rounding={rounding}")
    (scores,) = score(testset, [metric])
    assert len(scores.system) == 8
    for system, expected in record["details"].items():
        found = scores.metric.details(scores.totals[system])
        assert [found["recall"], found["penalty"]] == [expected["recall"], expected["ecp"]]
        if rounding == "none":
            assert scores.system[system] == expected["kobe_ref_based"]
        assert f"{100 * scores.system[system]:.2f}" == f"{expected['published_style_percent']:.2f}"
    human = [record["DA"][system] for system in scores.system]
    r = np.corrcoef(list(scores.system.values()), human)[0, 1]
    assert f"{r:.3f}" == "0.914"
    if rounding == "none":
        assert r == pytest.approx(record["pearson_with_DA_8_systems"]["kobe_ref_based"], abs=1e-12)
