"""Functions that score a segment, as metrics."""

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import UsageError
from ..types import Floats
from ._contract import Metric, Shard
from ._parameters import param
from ._registry import find
from .bases.segments import MeanMetric

_SCORER = "A function that scores a segment is f(output, references) or f(output, references, source)."


def from_function(name: str, given: str, function: Callable[..., Any]) -> Metric:
    """Return the metric that a function stands for: it scores a segment, or it returns a metric."""
    if "output" in inspect.signature(function).parameters:
        if given:
            raise UsageError(f"{name} is a function that scores a segment; it takes no parameters.")
        return FunctionMetric(function=name)
    pairs = [part.partition("=") for part in filter(None, given.split(","))]
    try:
        made = function(**{key.strip(): text.strip() for key, _, text in pairs})
    except TypeError as error:
        raise UsageError(f"{name}: {error}. {_SCORER}") from None
    if not isinstance(made, Metric):
        raise UsageError(
            f"{name} is a function without a parameter 'output', so it must return a metric, not {made!r}. {_SCORER}"
        )
    return made


@dataclass(frozen=True)
class FunctionMetric(MeanMetric):
    """A function that scores one segment: f(output, references), f(output, source) or f(output, references, source).

    function: the name by which it is found. A system's score is the mean of its segments. Attributes of the function
    called higher_is_better and paper are taken over.
    """

    function: str = param("", key="")

    @property
    def _called(self) -> Callable[..., object]:
        function: Callable[..., object] = find(self.function)
        return function

    @property
    def _wanted(self) -> tuple[str, ...]:
        return tuple(inspect.signature(self._called).parameters)

    @property
    def name(self) -> str:
        return self.function

    @property
    def spec(self) -> str:
        return self.function

    @property
    def label(self) -> str:
        return str(getattr(self._called, "__name__", "function"))

    @property
    def needs(self) -> frozenset[str]:
        wanted = {"references": "reference", "reference": "reference", "source": "source"}
        return frozenset(wanted[name] for name in self._wanted if name in wanted)

    @property
    def higher_is_better(self) -> bool | None:
        direction: bool | None = getattr(self._called, "higher_is_better", True)
        return direction

    @property
    def code(self) -> Callable[..., object]:
        return self._called

    def open(self, state: object) -> Callable[..., object]:
        return self._called

    def prepare(self, shard: Shard, opened: object) -> tuple[Any, ...]:
        return *super().prepare(shard, opened), opened, self._wanted

    def count_outputs(self, outputs: Sequence[str], prepared: tuple[Any, ...]) -> Floats:
        references, sources, function, wanted = prepared
        rows = []
        for output, refs, source in zip(outputs, references, sources, strict=True):
            have = {"output": output, "references": refs, "reference": refs[0] if refs else None, "source": source}
            value = function(**{name: have[name] for name in wanted if name in have})
            try:
                rows.append((float(value), 1.0))
            except (TypeError, ValueError):
                raise UsageError(f"{self.function} must return a number for a segment, not {value!r}.") from None
        return np.array(rows, dtype=np.float64)
