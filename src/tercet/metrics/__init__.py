"""Metrics: texts -> counts -> scores. One file per metric; base classes are imported from here when asked for."""

from importlib import import_module
from typing import TYPE_CHECKING

from ..types import Floats
from ._contract import Corpus, Learnt, Metric, Shard, group_references, mean_score
from ._parameters import param
from ._ready import Ready, restore
from ._registry import create, metric_class, names, parse_signature, take_apart

if TYPE_CHECKING:
    from ._trust import check_configured, check_from_file, create_from_file
    from .bases.combined import CombinedMetric
    from .bases.encoded import EncodedMetric, EncoderMetric
    from .bases.entities import EntityMetric
    from .bases.features import FeatureMetric
    from .bases.mixed import MixedMetric
    from .bases.models import ModelMetric
    from .bases.pairs import BestReferenceMetric, explain_ngrams
    from .bases.parsed import ParsedMetric
    from .bases.segments import MeanMetric, MeanPartsMetric, PartsMetric, SegmentMetric
    from .bases.words import WordMetric, WordPairMetric

__all__ = [
    "BestReferenceMetric", "CombinedMetric", "Corpus", "EncodedMetric", "EncoderMetric", "EntityMetric",
    "FeatureMetric", "Floats", "Learnt", "MeanMetric", "MeanPartsMetric", "Metric", "MixedMetric", "ModelMetric",
    "ParsedMetric", "PartsMetric", "Ready", "SegmentMetric", "Shard", "WordMetric", "WordPairMetric",
    "check_configured", "check_from_file", "create", "create_from_file", "explain_ngrams", "group_references",
    "mean_score", "metric_class", "names", "param", "parse_signature", "restore", "take_apart",
]  # fmt: skip
_LATER = {  # names that are imported when they are asked for, by module
    "_trust": "check_configured check_from_file create_from_file",
    "bases.combined": "CombinedMetric",
    "bases.encoded": "EncodedMetric EncoderMetric",
    "bases.entities": "EntityMetric",
    "bases.features": "FeatureMetric",
    "bases.mixed": "MixedMetric",
    "bases.models": "ModelMetric",
    "bases.pairs": "BestReferenceMetric explain_ngrams",
    "bases.parsed": "ParsedMetric",
    "bases.segments": "MeanMetric MeanPartsMetric PartsMetric SegmentMetric",
    "bases.words": "WordMetric WordPairMetric",
}
_HOMES = {name: module for module, found in _LATER.items() for name in found.split()}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found: object = getattr(import_module(f".{_HOMES[name]}", __name__), name)
    return found
