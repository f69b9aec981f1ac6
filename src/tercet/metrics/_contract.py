"""The contract of a metric: what it counts in a segment, and what a sum of counts is worth.

Corpus, document and segment scores, intervals, paired tests, slices and the merging of shards follow from these two;
a metric never implements them. See docs/architecture.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from .. import __version__
from ..errors import UsageError

if TYPE_CHECKING:
    from ..data.testset import TestSet

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class Batch:
    """One system's outputs with what they are measured against, and what `prepare` made of that."""

    outputs: Sequence[str]
    references: Mapping[str, Sequence[str | None]]
    source: Sequence[str] | None
    prepared: Any


@dataclass(frozen=True)
class Metric:
    """A metric. Parameters are dataclass fields; an instance never changes."""

    needs: ClassVar[frozenset[str]] = frozenset({"reference"})
    higher_is_better: ClassVar[bool | None] = True  # None: no direction is better, as for a length ratio
    version: ClassVar[int] = 1  # raised when any score changes
    paper: ClassVar[str] = ""
    segments_per_unit: ClassVar[int | None] = None  # where counting is slow, units of work are cut to so many segments

    @classmethod
    def language_defaults(cls, language: str | None, given: Mapping[str, object]) -> dict[str, object]:
        """Parameters that the language of the outputs settles where the user, who gave `given`, does not."""
        return {}

    def prepare(self, testset: TestSet) -> Any:
        """What all systems share, made once per shard: tokenised references and the like. Immutable."""
        return None

    def fitted(self, testset: Any) -> Self:
        """The metric with what it learns from the references of the whole test set (anything with `shards`)."""
        return self

    def count(self, batch: Batch) -> Floats:
        """What is counted in each segment, shape (segments, k)."""
        raise NotImplementedError

    def score(self, totals: Floats) -> Floats:
        """What sums of counts are worth: shape (..., k) -> (...)."""
        raise NotImplementedError

    def for_segments(self) -> Self:
        """The metric as it scores single segments, where its parameters then differ."""
        return self

    def segment_scores(self, counts: Floats) -> Floats:
        """Scores of single segments; differs from `score` only where a metric defines them differently."""
        return self.for_segments().score(counts)

    def details(self, totals: Floats) -> dict[str, Any]:
        """The parts of one score, for reports: shape (k,) -> numbers by name."""
        return {}

    def verbose(self, totals: Floats) -> str:
        """The parts of one score in a line of text."""
        return ""

    def explain_segment(self, output: str, references: Sequence[str]) -> Any:
        """What the metric saw in one segment: a dictionary as JSON can hold it, or a dataclass with `lines()`."""
        raise UsageError(f"{self.name} cannot say what it saw in a segment.")

    def score_one(self, output: str, references: Sequence[str]) -> float:
        """The score of a single segment that stands alone."""
        from ..data.testset import TestSet

        testset = TestSet({"output": [output]}, {str(i): [text] for i, text in enumerate(references)})
        return float(self.segment_scores(self.statistics(testset)["output"])[0])

    @property
    def whole(self) -> bool:
        """Whether counts of a segment depend on its neighbours, so that a test set must not be cut into shards."""
        return False

    @property
    def name(self) -> str:
        """The file's name."""
        return type(self).__module__.rpartition(".")[2]

    @property
    def decimals(self) -> int:
        """How many decimals a table shows if nobody says: enough to tell systems apart on a scale from 0 to 1."""
        return 3

    @property
    def label(self) -> str:
        """The name that tables show."""
        return type(self).__name__

    @property
    def compatible(self) -> str | None:
        """The published program whose scores these equal, as 'sacrebleu2.6'."""
        return None

    @property
    def spec(self) -> str:
        """A short string that `create` makes this metric from: what differs from the defaults."""
        given: dict[str, object] = {}
        for _ in range(2):  # a second time, because one parameter may set the default of another
            made = type(self)(**given)
            for f in fields(self):
                if f.init and getattr(self, f.name) != getattr(made, f.name):
                    given[f.name] = getattr(self, f.name)
        changed = ",".join(f"{key}={_plain(value)}" for key, value in given.items())
        return f"{self.name}:{changed}" if changed else self.name

    def signature_items(self) -> dict[str, str]:
        """What the signature says of the parameters; must hold all that `from_signature` needs."""
        return {f.name: _plain(getattr(self, f.name)) for f in fields(self) if f.init}

    @classmethod
    def from_signature(cls, label: str, items: Mapping[str, str]) -> Self:
        """The metric that has this signature."""
        names = {f.name for f in fields(cls) if f.init}
        return cls(**{key: parse_value(cls, key, value) for key, value in items.items() if key in names})

    @property
    def signature(self) -> str:
        """In sacreBLEU's form. A fitted metric adds a checksum of what it learnt; it leads back to the unfitted one."""
        items: dict[str, object] = {**self.signature_items()}
        if self.compatible:
            items["compat"] = self.compatible
        items["version"] = f"{self.version}+tercet{__version__}"
        return "|".join([self.label, *(f"{key}:{value}" for key, value in items.items())])

    def statistics(self, testset: TestSet) -> dict[str, Floats]:
        """Counts of every system, shape (segments, k) each: the whole path in one step, for use by hand."""
        self.check_needs(testset)
        metric = self.fitted(testset)
        prepared = metric.prepare(testset)
        return {
            system: metric.count(Batch(outputs, testset.references, testset.source, prepared))
            for system, outputs in testset.outputs.items()
        }

    def check_needs(self, testset: Any) -> None:
        """Refuse a test set that lacks what the metric reads."""
        for need, present in (("reference", bool(testset.references)), ("source", testset.source is not None)):
            if need in self.needs and not present:
                raise UsageError(f"{self.name} needs {need}s, and test set {testset.name!r} has none.")


class SegmentMetric(Metric):
    """A metric that is simple per segment: `count_segment` says what one segment counts."""

    def prepare_text(self, text: str) -> Any:
        """What is made of each reference and source text, once for all systems."""
        return text

    def count_segment(self, output: str, references: Sequence[Any], source: Any) -> Sequence[float]:
        """The counts of one segment; references and source are as `prepare_text` returned them."""
        raise NotImplementedError

    def prepare(self, testset: TestSet) -> Any:
        rows: list[list[Any]] = [[] for _ in range(len(testset))]
        if "reference" in self.needs:
            for texts in testset.references.values():
                for row, text in zip(rows, texts, strict=True):
                    if text is not None:
                        row.append(self.prepare_text(text))
        source: list[Any] = [None] * len(testset)
        if "source" in self.needs and testset.source is not None:
            source = [self.prepare_text(text) for text in testset.source]
        return rows, source

    def count(self, batch: Batch) -> Floats:
        references, source = batch.prepared
        return np.array(
            [self.count_segment(*row) for row in zip(batch.outputs, references, source, strict=True)],
            dtype=np.float64,
        )


class MeanMetric(SegmentMetric):
    """A metric whose corpus score is the mean of its segment scores."""

    def score_segment(self, output: str, references: Sequence[Any], source: Any) -> float:
        """The score of one segment."""
        raise NotImplementedError

    def count_segment(self, output: str, references: Sequence[Any], source: Any) -> Sequence[float]:
        return (self.score_segment(output, references, source), 1.0)

    def score(self, totals: Floats) -> Floats:
        return totals[..., 0] / totals[..., 1]


def group_references(references: Mapping[str, Sequence[str | None]]) -> tuple[list[str], NDArray[np.int64]]:
    """References segment by segment: all texts, and offsets such that segment i has texts[offsets[i]:offsets[i + 1]].

    A segment without some reference (None) simply has fewer.
    """
    texts: list[str] = []
    offsets = [0]
    for row in zip(*references.values(), strict=True):
        texts.extend(text for text in row if text is not None)
        offsets.append(len(texts))
    return texts, np.array(offsets, dtype=np.int64)


def _plain(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def parse_value(cls: type[Metric], key: str, text: str) -> Any:
    """A parameter's value from its text, by the type that the field declares."""
    declared = cls.__dataclass_fields__[key].type  # a class, or its text where annotations are not evaluated
    text_of_type = declared.__name__ if isinstance(declared, type) else str(declared)
    kinds = {kind.strip() for kind in text_of_type.split("|")}
    if text == "None" and "None" in kinds:
        return None
    if "bool" in kinds:
        values = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
        if text.lower() in values:
            return values[text.lower()]
        expected = "true or false"
    elif "int" in kinds or "float" in kinds:
        expected = "a number" if "float" in kinds else "a whole number"
        try:
            number = float(text)
        except ValueError:
            number = float("nan")
        if np.isfinite(number) and (number.is_integer() or "float" in kinds):
            return int(number) if number.is_integer() and "int" in kinds else number
    else:
        return text
    raise UsageError(f"{cls.__module__.rpartition('.')[2]}: {key} must be {expected}, not {text!r}.")
