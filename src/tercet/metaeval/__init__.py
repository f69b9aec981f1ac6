"""Meta-evaluation: how well metric scores agree with human judgements."""

from .gathering import judge_pairs
from .judging import judge
from .results import MetaEvaluation, Verdict, Verdicts, sign_flips
from .significance import TESTS

__all__ = ["TESTS", "MetaEvaluation", "Verdict", "Verdicts", "judge", "judge_pairs", "sign_flips"]
