"""A run of a history: one system's scores on one test set, as they are listed; and which runs can be compared."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from ...errors import UnknownName

if TYPE_CHECKING:
    from ...data.scores import Scores
    from ...data.testset import TestSet


@dataclass(frozen=True)
class RunScore:
    """A score of a run. error: its standard error; p_value: of the change since run `before`; None if unknown."""

    label: str
    signature: str
    higher_is_better: bool | None
    score: float
    error: float | None = None
    before: int | None = None
    p_value: float | None = None

    def is_in(self, names: Collection[str]) -> bool:
        """Tell whether the metric is one of these, by label or signature, whatever its case."""
        return bool({self.label.lower(), self.signature.lower()} & {name.lower() for name in names})


@dataclass(frozen=True)
class Run:
    """A run as it is listed. texts: checksums by role and name, as "reference ref.txt". number: 0 before it is kept."""

    system: str
    scores: tuple[RunScore, ...]
    time: str = ""
    test_set: str = ""
    pair: str = ""
    segments: int = 0
    tags: Mapping[str, str] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)
    version: str = ""
    number: int = 0

    def score(self, label: str) -> RunScore:
        """Return the score of a metric by its label or signature, whatever its case."""
        for each in self.scores:
            if each.is_in([label]):
                return each
        raise UnknownName(f"metric in run {self.number}", label, [each.label for each in self.scores])

    @property
    def tag_words(self) -> str:
        return " ".join(f"{name}={value}" for name, value in self.tags.items())

    @property
    def output(self) -> str:
        return next((value for name, value in self.texts.items() if name.startswith("output")), "")

    @cached_property
    def given(self) -> dict[str, str]:
        return {name: value for name, value in self.texts.items() if not name.startswith("output")}

    @cached_property
    def material(self) -> str:
        """A key of the test set: equal for runs on the same texts."""
        known = json.dumps([self.pair, self.segments, sorted(self.given.values()) or self.test_set])
        return sha256(known.encode()).hexdigest()[:16]

    def to_dict(self) -> dict[str, object]:
        names = ("number", "time", "system", "test_set", "pair", "segments", "version")
        parts = {"tags": dict(self.tags), "texts": dict(self.texts), "scores": [dict(vars(s)) for s in self.scores]}
        return {name: getattr(self, name) for name in names} | parts

    def row(self) -> dict[str, object]:
        found = {"run": self.number, "time": self.time, "system": self.system, "test_set": self.test_set}
        tags = {f"tag.{name}": value for name, value in self.tags.items()}
        return found | tags | {each.label: each.score for each in self.scores}


def named_texts(testset: TestSet) -> dict[str, Sequence[str | None]]:
    """Return the texts of a test set by role and name."""
    source = {} if testset.source is None else {"source": testset.source}
    references = {f"reference {name}": lines for name, lines in testset.references.items()}
    return {**source, **references, **{f"output {name}": lines for name, lines in testset.outputs.items()}}


def difference(one: Run, other: Run) -> str:
    """Return why two runs cannot be compared: what differs in their texts; nothing if they can."""
    if one.segments != other.segments:
        return f"they have {one.segments} and {other.segments} segments"
    if bool(one.given) != bool(other.given):
        return "the texts of one of them are unknown"
    if not one.given and one.test_set != other.test_set:
        return f"their test sets are {one.test_set or 'unknown'} and {other.test_set or 'unknown'}"
    for role in ("source", "reference"):
        texts = [sorted(value for name, value in run.given.items() if name.startswith(role)) for run in (one, other)]
        if texts[0] != texts[1] and (role == "reference" or all(texts)):
            return f"they have different {role}s" if role == "reference" else "they have different source texts"
    return ""


def comparable(signature: str) -> str:
    """Return a signature without the version of Tercet; the metric's own version changes with its numbers."""
    return re.sub(r"\+tercet[^|]*", "", signature)


def by_signature(scores: Sequence[Scores]) -> dict[str, Scores]:
    """Return scores by what makes them comparable."""
    return {comparable(item.signature): item for item in scores}


def titles(*runs: Run) -> list[str]:
    """Return a name for each run: its system, with the run's number where systems have the same name."""
    names = [run.system for run in runs]
    return [name if names.count(name) == 1 else f"{name} #{run.number}" for name, run in zip(names, runs, strict=True)]


def only_system(item: Scores, system: str) -> Scores:
    """Return the scores of one system, without what belongs to the comparison with others."""
    parts: dict[str, Any] = {
        name: {system: getattr(item, name)[system]} if system in getattr(item, name) else {}
        for name in ("system", "segment", "counts", "totals")
    }
    return replace(item, **parts, interval={}, test=None, group={}, by=None)


def put_together(items: Sequence[Scores], names: Sequence[str]) -> Scores:
    """Return the scores of several runs by one metric as those of several systems."""
    parts: dict[str, Any] = {
        name: {title: next(iter(getattr(item, name).values())) for title, item in zip(names, items, strict=True)}
        for name in ("system", "segment", "counts", "totals")
    }
    return replace(items[0], **parts)
