"""Tercet evaluates machine translation: source, output, reference.

Every command of `tercet` has its function here, by the same name; groups of commands (`data`, `kb`, `qe`, `rate`) are
modules. Everything is imported when it is first used, so that `import tercet` costs nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from . import data, kb, metrics, qe, rate
    from .checking import check
    from .client import Client
    from .comparing import Comparison, compare_ngrams, compare_words
    from .computing import compute
    from .data.layouts import read
    from .data.scores import Scores
    from .data.testset import TestSet
    from .errors import TercetError
    from .external import read_external
    from .human.agreement import agree
    from .scoring import corpus, score
    from .tasks.alignments import alignments
    from .tasks.compare import compare
    from .tasks.demo import demo
    from .tasks.entities import entities
    from .tasks.explain import explain
    from .tasks.learn import learn
    from .tasks.link import link
    from .tasks.lm import lm
    from .tasks.meta import meta
    from .tasks.paraphrase import paraphrase
    from .tasks.parse import parse
    from .tasks.report import report
    from .tasks.reproduce import reproduce
    from .tasks.review import review
    from .tasks.serve import serve
    from .tasks.track.history import track
    from .tasks.verify import verify

__version__ = "0.3.0"

__all__ = [
    "Client", "Comparison", "Scores", "TercetError", "TestSet", "__version__", "agree", "alignments", "check",
    "compare", "compare_ngrams", "compare_words", "compute", "corpus", "data", "demo", "entities", "explain", "kb",
    "learn", "link", "lm", "meta", "metrics", "paraphrase", "parse", "qe", "rate", "read", "read_external", "report",
    "reproduce", "review", "score", "serve", "track", "verify",
]  # fmt: skip

_MODULES = ("data", "kb", "metrics", "qe", "rate")
_HOMES = {  # the modules of names; those of the others are called as the name is, in tasks
    "Client": "client", "Comparison": "comparing", "Scores": "data.scores", "TercetError": "errors",
    "TestSet": "data.testset", "agree": "human.agreement", "check": "checking", "compare_ngrams": "comparing",
    "compare_words": "comparing", "compute": "computing", "corpus": "scoring", "read": "data.layouts",
    "read_external": "external", "score": "scoring", "track": "tasks.track.history",
}  # fmt: skip


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module 'tercet' has no attribute {name!r}")
    if name in _MODULES:
        return import_module(f".{name}", __name__)
    found: object = getattr(import_module(f".{_HOMES.get(name, f'tasks.{name}')}", __name__), name)
    return found


def __dir__() -> list[str]:
    return sorted(__all__)
