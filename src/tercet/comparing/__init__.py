"""Comparing systems: differences with intervals, tests, clusters, power, slices, and the segments that decide."""

from .results import Comparison as Comparison
from .results import MetricResult as MetricResult
from .results import PairResult as PairResult
from .results import Segment as Segment
from .results import find_metric as find_metric
from .results import metric_names as metric_names
from .run import TESTS as TESTS
from .run import compare as compare
from .run import compare_scores as compare_scores
from .run import find_no_hope as find_no_hope

__all__ = [
    "TESTS",
    "Comparison",
    "MetricResult",
    "PairResult",
    "Segment",
    "compare",
    "compare_scores",
    "find_metric",
    "find_no_hope",
    "metric_names",
]
