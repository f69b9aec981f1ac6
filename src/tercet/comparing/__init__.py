"""Comparing systems: differences with intervals, tests, clusters, power, slices, and the segments that decide."""

from .buckets import BUCKETS as BUCKETS
from .gates import Gate as Gate
from .gates import junit_xml as junit_xml
from .gates import read_gate as read_gate
from .ngrams import NgramComparison as NgramComparison
from .ngrams import NgramFinding as NgramFinding
from .ngrams import compare_ngrams as compare_ngrams
from .plan import TESTS as TESTS
from .plan import find_no_hope as find_no_hope
from .results import Bucket as Bucket
from .results import Buckets as Buckets
from .results import Comparison as Comparison
from .results import GateVerdict as GateVerdict
from .results import MetricResult as MetricResult
from .results import PairResult as PairResult
from .results import Segment as Segment
from .results import Slice as Slice
from .results import SystemResult as SystemResult
from .run import compare_scores as compare_scores
from .run import compare_texts as compare_texts
from .words import GROUPINGS as GROUPINGS
from .words import WordComparison as WordComparison
from .words import WordGroup as WordGroup
from .words import WordScore as WordScore
from .words import compare_words as compare_words

__all__ = [
    "BUCKETS",
    "GROUPINGS",
    "TESTS",
    "Bucket",
    "Buckets",
    "Comparison",
    "Gate",
    "GateVerdict",
    "MetricResult",
    "NgramComparison",
    "NgramFinding",
    "PairResult",
    "Segment",
    "Slice",
    "SystemResult",
    "WordComparison",
    "WordGroup",
    "WordScore",
    "compare_ngrams",
    "compare_scores",
    "compare_texts",
    "compare_words",
    "find_no_hope",
    "junit_xml",
    "read_gate",
]
