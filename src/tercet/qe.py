"""Functions of `tercet qe`: train, evaluate and rank with models of quality without references; `QualityModel`."""

from .checking.triage import triage
from .quality.cross_system import assess as evaluate
from .quality.features import extract as features
from .quality.model import QualityModel
from .quality.ranking import rank
from .quality.training import train

__all__ = ["QualityModel", "evaluate", "features", "rank", "train", "triage"]
