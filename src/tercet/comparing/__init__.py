"""Comparing systems: differences with intervals, tests, clusters, power, slices, and the segments that decide."""

from .gates import Gate as Gate
from .gates import read_gate as read_gate
from .results import Comparison as Comparison
from .results import GateVerdict as GateVerdict
from .results import MetricResult as MetricResult
from .results import PairResult as PairResult
from .results import Segment as Segment
from .run import TESTS as TESTS
from .run import compare as compare
from .run import compare_scores as compare_scores
from .run import find_no_hope as find_no_hope

__all__ = [
    "TESTS",
    "Comparison",
    "Gate",
    "GateVerdict",
    "MetricResult",
    "PairResult",
    "Segment",
    "compare",
    "compare_scores",
    "find_no_hope",
    "read_gate",
]
