"""Metrics: texts -> counts -> scores. One file per metric, in the folder of its family; its name is the file's name."""

from ._contract import Floats as Floats
from ._contract import Learnt as Learnt
from ._contract import MeanMetric as MeanMetric
from ._contract import Metric as Metric
from ._contract import SegmentMetric as SegmentMetric
from ._contract import Shard as Shard
from ._parameters import param as param
from ._ready import Ready as Ready
from ._ready import restore as restore
from ._registry import create as create
from ._registry import metric_class as metric_class
from ._registry import names as names
from ._registry import parse_signature as parse_signature
from ._registry import take_apart as take_apart
from ._trust import check_from_file as check_from_file
from ._trust import create_from_file as create_from_file

__all__ = [
    "Floats",
    "Learnt",
    "MeanMetric",
    "Metric",
    "Ready",
    "SegmentMetric",
    "Shard",
    "check_from_file",
    "create",
    "create_from_file",
    "metric_class",
    "names",
    "param",
    "parse_signature",
    "restore",
    "take_apart",
]
