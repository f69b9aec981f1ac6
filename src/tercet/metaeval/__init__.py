"""Meta-evaluation: how well metric scores agree with human judgements."""

from .gathering import judge_pairs as judge_pairs
from .judging import judge as judge
from .results import MetaEvaluation as MetaEvaluation
from .results import Verdict as Verdict
from .results import Verdicts as Verdicts
from .results import sign_flips as sign_flips
from .significance import TESTS as TESTS

__all__ = ["TESTS", "MetaEvaluation", "Verdict", "Verdicts", "judge", "judge_pairs", "sign_flips"]
