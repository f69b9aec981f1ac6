"""Tercet evaluates machine translation: source, output, reference.

Everything below is imported when it is first used, so that `import tercet` costs nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .checking import check as check
    from .comparing import Comparison as Comparison
    from .comparing import compare as compare
    from .data.scores import Scores as Scores
    from .data.testset import TestSet as TestSet
    from .scoring import score as score
    from .verifying import verify as verify

__version__ = "0.1.0"

_HOMES = {
    "Comparison": ".comparing",
    "Scores": ".data.scores",
    "TestSet": ".data.testset",
    "check": ".checking",
    "compare": ".comparing",
    "metrics": ".metrics",
    "score": ".scoring",
    "verify": ".verifying",
}

__all__ = ["Comparison", "Scores", "TestSet", "__version__", "check", "compare", "metrics", "score", "verify"]


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'tercet' has no attribute {name!r}")
    module = import_module(home, __name__)
    return module if name == "metrics" else getattr(module, name)


def __dir__() -> list[str]:
    return sorted(__all__)
