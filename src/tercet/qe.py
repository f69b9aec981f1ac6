"""Functions of `tercet qe`: train, evaluate and rank with models of quality without references; `QualityModel`."""

from .checking.triage import triage as triage
from .quality.cross_system import assess as evaluate
from .quality.features import extract as features
from .quality.model import QualityModel as QualityModel
from .quality.ranking import rank as rank
from .quality.training import train as train

__all__ = ["QualityModel", "evaluate", "features", "rank", "train", "triage"]
