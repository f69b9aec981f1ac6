"""Metrics: texts -> counts -> scores. One file per metric; base classes are imported from here when asked for."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ..types import Floats as Floats
from ._contract import Corpus as Corpus
from ._contract import Learnt as Learnt
from ._contract import Metric as Metric
from ._contract import Shard as Shard
from ._contract import group_references as group_references
from ._contract import mean_score as mean_score
from ._parameters import param as param
from ._ready import Ready as Ready
from ._ready import restore as restore
from ._registry import create as create
from ._registry import metric_class as metric_class
from ._registry import names as names
from ._registry import parse_signature as parse_signature
from ._registry import take_apart as take_apart

if TYPE_CHECKING:
    from ._trust import check_configured as check_configured
    from ._trust import check_from_file as check_from_file
    from ._trust import create_from_file as create_from_file
    from .bases.combined import CombinedMetric as CombinedMetric
    from .bases.encoded import EncodedMetric as EncodedMetric
    from .bases.encoded import EncoderMetric as EncoderMetric
    from .bases.entities import EntityMetric as EntityMetric
    from .bases.features import FeatureMetric as FeatureMetric
    from .bases.mixed import MixedMetric as MixedMetric
    from .bases.models import ModelMetric as ModelMetric
    from .bases.pairs import BestReferenceMetric as BestReferenceMetric
    from .bases.pairs import explain_ngrams as explain_ngrams
    from .bases.parsed import ParsedMetric as ParsedMetric
    from .bases.segments import MeanMetric as MeanMetric
    from .bases.segments import MeanPartsMetric as MeanPartsMetric
    from .bases.segments import PartsMetric as PartsMetric
    from .bases.segments import SegmentMetric as SegmentMetric
    from .bases.words import WordMetric as WordMetric
    from .bases.words import WordPairMetric as WordPairMetric

_LATER = {  # names that are imported when they are asked for, and where they are
    "BestReferenceMetric": "bases.pairs",
    "CombinedMetric": "bases.combined",
    "EncodedMetric": "bases.encoded",
    "EncoderMetric": "bases.encoded",
    "EntityMetric": "bases.entities",
    "FeatureMetric": "bases.features",
    "MeanMetric": "bases.segments",
    "MeanPartsMetric": "bases.segments",
    "MixedMetric": "bases.mixed",
    "ModelMetric": "bases.models",
    "ParsedMetric": "bases.parsed",
    "PartsMetric": "bases.segments",
    "SegmentMetric": "bases.segments",
    "WordMetric": "bases.words",
    "WordPairMetric": "bases.words",
    "check_configured": "_trust",
    "check_from_file": "_trust",
    "create_from_file": "_trust",
    "explain_ngrams": "bases.pairs",
}

__all__ = [
    "Corpus",
    "Floats",
    "Learnt",
    "Metric",
    "Ready",
    "Shard",
    "create",
    "group_references",
    "mean_score",
    "metric_class",
    "names",
    "param",
    "parse_signature",
    "restore",
    "take_apart",
    *_LATER,
]


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_LATER[name]}", __name__), name)
