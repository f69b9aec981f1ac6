"""Tercet evaluates machine translation: source, output, reference.

Every command of `tercet` has its function here, by the same name; groups of commands (`data`, `kb`, `qe`, `rate`) are
modules. Everything is imported when it is first used, so that `import tercet` costs nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from . import data as data
    from . import kb as kb
    from . import metrics as metrics
    from . import qe as qe
    from . import rate as rate
    from .checking import check as check
    from .client import Client as Client
    from .comparing import Comparison as Comparison
    from .comparing import compare_ngrams as compare_ngrams
    from .comparing import compare_words as compare_words
    from .computing import compute as compute
    from .data.layouts import read as read
    from .data.scores import Scores as Scores
    from .data.testset import TestSet as TestSet
    from .errors import TercetError as TercetError
    from .external import read_external as read_external
    from .human.agreement import agree as agree
    from .scoring import corpus as corpus
    from .scoring import score as score
    from .tasks.alignments import alignments as alignments
    from .tasks.compare import compare as compare
    from .tasks.demo import demo as demo
    from .tasks.entities import entities as entities
    from .tasks.explain import explain as explain
    from .tasks.learn import learn as learn
    from .tasks.link import link as link
    from .tasks.lm import lm as lm
    from .tasks.meta import meta as meta
    from .tasks.paraphrase import paraphrase as paraphrase
    from .tasks.parse import parse as parse
    from .tasks.report import report as report
    from .tasks.reproduce import reproduce as reproduce
    from .tasks.review import review as review
    from .tasks.serve import serve as serve
    from .tasks.track.history import track as track
    from .tasks.verify import verify as verify

__version__ = "0.3.0"

_HOMES = {  # name -> module, and its name there; a module stands for itself
    "Client": (".client", "Client"),
    "Comparison": (".comparing", "Comparison"),
    "Scores": (".data.scores", "Scores"),
    "TercetError": (".errors", "TercetError"),
    "TestSet": (".data.testset", "TestSet"),
    "agree": (".human.agreement", "agree"),
    "alignments": (".tasks.alignments", "alignments"),
    "check": (".checking", "check"),
    "compare": (".tasks.compare", "compare"),
    "compare_ngrams": (".comparing", "compare_ngrams"),
    "compare_words": (".comparing", "compare_words"),
    "compute": (".computing", "compute"),
    "corpus": (".scoring", "corpus"),
    "data": (".data", ""),
    "demo": (".tasks.demo", "demo"),
    "entities": (".tasks.entities", "entities"),
    "explain": (".tasks.explain", "explain"),
    "kb": (".kb", ""),
    "learn": (".tasks.learn", "learn"),
    "lm": (".tasks.lm", "lm"),
    "link": (".tasks.link", "link"),
    "meta": (".tasks.meta", "meta"),
    "metrics": (".metrics", ""),
    "paraphrase": (".tasks.paraphrase", "paraphrase"),
    "parse": (".tasks.parse", "parse"),
    "qe": (".qe", ""),
    "rate": (".rate", ""),
    "read": (".data.layouts", "read"),
    "read_external": (".external", "read_external"),
    "report": (".tasks.report", "report"),
    "reproduce": (".tasks.reproduce", "reproduce"),
    "review": (".tasks.review", "review"),
    "score": (".scoring", "score"),
    "serve": (".tasks.serve", "serve"),
    "track": (".tasks.track.history", "track"),
    "verify": (".tasks.verify", "verify"),
}

__all__ = [
    "Client",
    "Comparison",
    "Scores",
    "TercetError",
    "TestSet",
    "__version__",
    "agree",
    "alignments",
    "check",
    "compare",
    "compare_ngrams",
    "compare_words",
    "compute",
    "corpus",
    "data",
    "demo",
    "entities",
    "explain",
    "kb",
    "learn",
    "link",
    "lm",
    "meta",
    "metrics",
    "paraphrase",
    "parse",
    "qe",
    "rate",
    "read",
    "read_external",
    "report",
    "reproduce",
    "review",
    "score",
    "serve",
    "track",
    "verify",
]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'tercet' has no attribute {name!r}")
    home, attribute = _HOMES[name]
    module = import_module(home, __name__)
    return getattr(module, attribute) if attribute else module


def __dir__() -> list[str]:
    return sorted(__all__)
