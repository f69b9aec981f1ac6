"""Comparing systems: differences with intervals, tests, clusters, power, slices, and the segments that decide."""

from .gates import Gate, junit_xml, read_gate
from .ngrams import NgramComparison, NgramFinding, compare_ngrams
from .plan import BUCKETS, TESTS, find_no_hope
from .results import (
    Bucket,
    Buckets,
    Comparison,
    GateVerdict,
    MetricResult,
    PairResult,
    Segment,
    Slice,
    SystemResult,
)  # fmt: skip
from .run import compare_scores, compare_texts
from .words import GROUPINGS, WordComparison, WordGroup, WordScore, compare_words

__all__ = [
    "BUCKETS", "GROUPINGS", "TESTS", "Bucket", "Buckets", "Comparison", "Gate", "GateVerdict", "MetricResult",
    "NgramComparison", "NgramFinding", "PairResult", "Segment", "Slice", "SystemResult", "WordComparison", "WordGroup",
    "WordScore", "compare_ngrams", "compare_scores", "compare_texts", "compare_words", "find_no_hope", "junit_xml",
    "read_gate",
]  # fmt: skip
