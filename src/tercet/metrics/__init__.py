"""Metrics: texts -> counts -> scores. One file per metric; the file's name is the metric's name."""

from ._contract import Batch as Batch
from ._contract import Floats as Floats
from ._contract import MeanMetric as MeanMetric
from ._contract import Metric as Metric
from ._contract import SegmentMetric as SegmentMetric
from ._registry import create as create
from ._registry import metric_class as metric_class
from ._registry import names as names
from ._registry import parse_signature as parse_signature

__all__ = [
    "Batch",
    "Floats",
    "MeanMetric",
    "Metric",
    "SegmentMetric",
    "create",
    "metric_class",
    "names",
    "parse_signature",
]
