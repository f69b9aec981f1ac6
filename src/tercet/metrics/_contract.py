"""The contract of a metric: what it counts in each segment, and the score that a sum of counts gives.

Scores of systems and documents, intervals, tests and slices follow from these two. Three things are kept apart: the
metric as given (`Metric`, a frozen dataclass), ready for a test set (`Ready`), and open in a process (`Metric.open`).
See docs/architecture.md and docs/adding-a-metric.md.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from ..errors import UsageError
from ..types import Floats
from ._machinery import Corpus as Corpus
from ._machinery import Machinery

if TYPE_CHECKING:
    from pathlib import Path

    from ..data.testset import TestSet
    from ..text.explanations import Seen

Made = TypeVar("Made")


class Shard:
    """The texts that are counted at once: outputs of all systems, references, source, documents, languages, names.

    `share` keeps what several metrics or systems need, such as the character n-grams of the references, so that it is
    made once for all of them. `cache` is the folder that the user named for results that later runs can use.
    """

    def __init__(
        self, texts: TestSet, made: dict[Hashable, object] | None = None, *, cache: str | Path | None = None
    ) -> None:
        self.texts = texts
        self.cache = cache
        self.outputs = texts.outputs
        self.references = texts.references
        self.source = texts.source
        self.documents = texts.documents
        self.labels = texts.labels
        self.pair = texts.pair
        self.name = texts.name
        self._made: dict[Hashable, Any] = {} if made is None else made

    def __len__(self) -> int:
        return len(self.texts)

    @property
    def reference_rows(self) -> list[list[str]]:
        """The references of each segment. A segment without some reference has fewer."""
        rows = zip(*self.references.values(), strict=True) if self.references else [()] * len(self)
        return [[text for text in row if text is not None] for row in rows]

    def only(self, systems: Sequence[str]) -> Shard:
        """Return the shard with some of its systems; what is shared stays shared."""
        if len(systems) == len(self.outputs):
            return self
        return Shard(self.texts.only(systems), self._made, cache=self.cache)

    def share(self, key: Hashable, make: Callable[[], Made]) -> Made:
        """Return what `make` returned for this key when it was first asked for in this shard."""
        if key not in self._made:
            self._made[key] = make()
        found: Made = self._made[key]
        return found

    def share_each(
        self, key: Hashable, texts: Iterable[str], make: Callable[[list[str]], Iterable[Made]]
    ) -> dict[str, Made]:
        """Return what was made of texts under this key, by text; each distinct one is made once in this shard."""
        known = self.share(key, dict[str, Made])
        if new := [text for text in dict.fromkeys(texts) if text not in known]:
            known.update(zip(new, make(new), strict=True))
        return known

    def count_each(self, count: Callable[[str, int], Sequence[float]]) -> dict[str, Floats]:
        """Return the counts of all systems, given those of one output in the segment of a number."""
        return {
            system: np.array([count(output, segment) for segment, output in enumerate(outputs)], dtype=np.float64)
            for system, outputs in self.outputs.items()
        }


@dataclass(frozen=True)
class Learnt:
    """What a metric learns from a test set before it counts.

    state: passed to `Metric.open`; it is sent to worker processes, so it must be picklable.
    items: facts for the signature, such as a checksum of the state.
    higher_is_better: where only a model file tells the direction.
    """

    state: Any = None
    items: Mapping[str, str] = field(default_factory=dict)
    higher_is_better: bool | Literal["declared"] | None = "declared"


@dataclass(frozen=True)
class Metric(Machinery):
    """A metric: what its author writes. Its parameters are its dataclass fields, declared with `param`.

    A subclass writes `count_outputs` (or `count`) and `score`; a base class in `bases` often has one of them. All other
    members have defaults. What users and commands need beside them (strings, signatures, pickles) is in `Machinery`.
    """

    paper: ClassVar[str] = ""  # the publication that it follows
    version: ClassVar[int] = 1  # raised when any score changes
    tolerance: ClassVar[float] = 0.0  # how far counts may differ with the batch; exact metrics declare none

    @property
    def needs(self) -> frozenset[str]:
        """What it reads beside the outputs: "reference", "source"."""
        return frozenset({"reference"})

    @property
    def languages(self) -> Sequence[str]:
        """The languages of outputs that it was made for; none stands for all."""
        return ()

    @property
    def higher_is_better(self) -> bool | None:
        """The better direction; None if there is none, as for a length ratio."""
        return True

    def defaults(self, language: str | None) -> Mapping[str, object]:
        """Return values for the parameters that the user left open (None); language is that of the outputs."""
        return {}

    def learn(self, testset: Corpus) -> Learnt:
        """Learn from the whole test set (read by `shards`), such as the weights of words in the references."""
        return Learnt()

    def open(self, state: Any) -> Any:
        """Load heavy resources; called once per process. Return what `prepare` and `count` get as `opened`."""
        return state

    def prepare(self, shard: Shard, opened: Any) -> Any:
        """Return what all systems of a shard share, such as tokenised references. It must not be changed later."""
        return None

    def count_outputs(self, outputs: Sequence[str], prepared: Any) -> Floats:
        """Count the statistics of one system in each segment. Returns an array of shape (segments, k)."""
        raise NotImplementedError

    def count(self, shard: Shard, opened: Any) -> dict[str, Floats]:
        """Count the statistics of all systems of a shard. Returns arrays of shape (segments, k) by system."""
        prepared = self.prepare(shard, opened)
        return {system: self.count_outputs(outputs, prepared) for system, outputs in shard.outputs.items()}

    def score(self, totals: Floats) -> Floats:
        """Compute scores from sums of counts: shape (..., k) -> (...)."""
        raise NotImplementedError

    def explain_segment(
        self, opened: Any, output: str, references: Sequence[str], source: str | None
    ) -> Seen | Mapping[str, object]:
        """Return what the metric saw in one segment: parts of the kinds in `explains`, and values by name."""
        raise UsageError(f"{self.name} cannot explain a segment.")


def mean_score(totals: Floats) -> Floats:
    """Compute the mean from sums of values and their number, the first two counts; NaN where there is no value."""
    values, number = totals[..., 0], totals[..., 1]
    return np.asarray(np.divide(values, number, out=np.full(values.shape, np.nan), where=number > 0))


def group_references(references: Mapping[str, Sequence[str | None]]) -> tuple[list[str], NDArray[np.int64]]:
    """Return all references, segment by segment, and offsets: segment i has texts[offsets[i]:offsets[i + 1]]."""
    if len(references) == 1:
        (lines,) = references.values()
        if None not in lines:
            return list(cast(Sequence[str], lines)), np.arange(len(lines) + 1)
    texts: list[str] = []
    offsets = [0]
    for row in zip(*references.values(), strict=True):
        texts.extend(text for text in row if text is not None)
        offsets.append(len(texts))
    return texts, np.array(offsets, dtype=np.int64)
