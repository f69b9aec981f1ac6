"""What an author forgets when writing a metric is said in the words that mend it."""

import logging

import numpy as np
import pytest

import tercet
from tercet.errors import UsageError
from tercet.metrics import create

TEXTS = tercet.TestSet({"x": ["a b", "c"], "y": ["a", "d c"]}, {"r": ["a b", "c d"]})

HEAD = """
from dataclasses import dataclass
from typing import ClassVar
import numpy as np
from tercet.metrics import MeanMetric, Metric, SegmentMetric, param
"""
ONE = '''
@dataclass(frozen=True)
class {name}(MeanMetric):
    """A metric."""
    paper: ClassVar[str] = "none"
    def score_segment(self, output, references, source):
        return {value}
'''


def written(folder, text):
    path = folder / "mine.py"
    path.write_text(HEAD + text)
    return path


@pytest.mark.parametrize("declared", ["alpha: float = param(1.0)", "alpha: float = 1.0", "alpha = param(1.0)"])
def test_a_class_without_the_decorator_is_told_of_it(tmp_path, declared):
    path = written(tmp_path, f"class Mine(MeanMetric):\n    {declared}\n")
    with pytest.raises(UsageError, match=r"Mine declares alpha .* Write @dataclass\(frozen=True\) above the class"):
        create(f"{path}:Mine:alpha=2")
    with pytest.raises(UsageError, match="dataclass"):
        create(f"{path}:Mine")


def test_a_class_without_parameters_needs_no_decorator(tmp_path):
    path = written(tmp_path, 'class Mine(MeanMetric):\n    paper: ClassVar[str] = "none"\n')
    assert create(f"{path}").label == "Mine"


def test_a_decorator_that_is_not_frozen_is_told_of(tmp_path):
    path = written(tmp_path, "@dataclass\nclass Mine(MeanMetric):\n    alpha: float = 1.0\n")
    with pytest.raises(UsageError, match=r"declared with @dataclass\(frozen=True\)"):
        create(f"{path}")


def test_a_file_with_several_metrics_asks_which(tmp_path):
    path = written(tmp_path, "".join(ONE.format(name=name, value=1) for name in ("One", "Two", "Three", "_Base")))
    with pytest.raises(UsageError, match=f"defines 3 metrics. Say which one: {path}:One, {path}:Two, {path}:Three"):
        create(f"{path}")
    assert create(f"{path}:Two").label == "Two"


def test_scores_of_a_wrong_shape_are_refused(tmp_path):
    lines = """
class Mine(SegmentMetric):
    paper: ClassVar[str] = "none"
    def count_segment(self, output, references, source):
        return 1.0, 2.0
    def score(self, totals):
        return totals
"""
    path = written(tmp_path, lines)
    with pytest.raises(UsageError, match=r"one number for each row .* shape \(2,\) it returned shape \(2,\)"):
        tercet.score(TEXTS, f"{path}")


def test_scores_that_are_all_nan_are_warned_of(tmp_path, caplog):
    path = written(tmp_path, ONE.format(name="Mine", value="float('nan')"))
    with caplog.at_level(logging.WARNING):
        scores = tercet.score(TEXTS, f"{path}")[0]
    assert np.isnan(list(scores.system.values())).all()
    assert "Mine: the score of every system is NaN" in caplog.text


def test_a_default_may_be_empty(tmp_path):
    text = ONE.format(name="Mine", value="float(len(self.mark))").replace(
        '    """A metric."""', '    """A metric."""\n    mark: str = param("")'
    )
    path = written(tmp_path, text)
    empty, given = create(f"{path}"), create(f"{path}:Mine:mark=ab")
    assert (empty.mark, given.mark) == ("", "ab")
    assert type(empty).from_signature("Mine", {"mark": ""}) == empty == create(f"{path}:Mine:mark=")
    assert tercet.score(TEXTS, given)[0].system["x"] == 2.0
    with pytest.raises(UsageError, match="must not be empty"):
        create("kobe:kb=")
