"""Metrics made of other metrics: their members, counted on the same shard, and the numbers taken from them.

A feature is asked for as METRIC, its segment score, or METRIC@PART, a part of it (`extras` or `details`); METRIC@* are
all parts. Numbers keep the sign of the metric: whoever weighs them knows the direction.
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from ...data.grouping import places_of
from ...errors import DataError, TercetError, UnknownName, UsageError, with_place
from ...types import Floats
from .._contract import Corpus, Metric, Shard
from .._ready import Ready
from .._registry import create
from .._trust import create_from_file, needs_trust
from .features import NONE, FeatureMetric
from .segments import PartsMetric

log = logging.getLogger(__name__)
DEEPEST = 8  # metrics in metrics
_depth: ContextVar[int] = ContextVar("depth", default=0)
PART, EVERY = "@", "*"
_LASTING = ("checksum", "lms", "parsed", "encoder", "model")  # items of a signature that tell what computed a feature


@dataclass(frozen=True)
class Member:
    """A metric of which features are taken. parts: names of its parts; "" is the score, "*" all parts."""

    spec: str
    metric: Metric
    parts: tuple[str, ...]

    def name(self, part: str) -> str:
        return f"{self.spec}{PART}{part}" if part else self.spec


class MemberMetric(PartsMetric):
    """A metric made of others: it needs what they need. The score of a system is the mean of its segments."""

    tolerance = 1e-3  # members may be networks
    segments_per_unit = 256
    shares = "parses"

    toml: ClassVar[str] = ""  # the checksum of the user's file that declares it, if one does

    def members(self) -> list[Member]:
        raise NotImplementedError

    def signature_items(self) -> dict[str, str]:
        return super().signature_items() | ({"toml": self.toml} if self.toml else {})

    @property
    def needs(self) -> frozenset[str]:
        depth = _depth.get()
        if depth == DEEPEST:
            raise DataError(f"{self.spec} is made of metrics in metrics, more than {DEEPEST} deep. It may need itself.")
        token = _depth.set(depth + 1)
        try:
            return frozenset(need for member in self.members() for need in member.metric.needs)
        finally:
            _depth.reset(token)

    @property
    def whole(self) -> bool:
        return any(member.metric.whole for member in self.members())

    def check_packages(self) -> None:
        for member in () if self.lacks else self.members():
            member.metric.check_packages()

    def check_needs(self, testset: Corpus) -> None:
        super().check_needs(testset)
        for member in self.members():
            member.metric.check_needs(testset)


def find_members(
    features: Sequence[str], given: Mapping[str, object] | None = None, make: Callable[[str], Metric] = create
) -> list[Member]:
    """Return the metrics behind names of features, each once. given: parameters for those that leave them open."""
    wanted: dict[tuple[str, bool], list[str]] = {}
    for feature in features:
        spec, _, part = feature.rpartition(PART) if PART in feature else (feature, "", "")
        parts = wanted.setdefault((spec, bool(part)), [])
        if part in parts:
            raise UsageError(f"The feature {feature} is asked for twice.")
        parts.append(part)
    return [_member(spec, make(spec), parts, given or {}) for (spec, _), parts in wanted.items()]


def _member(spec: str, metric: Metric, parts: Sequence[str], given: Mapping[str, object]) -> Member:
    known = {each.name for each in metric.parameters()}
    passed = {name: value for name, value in given.items() if name in known and getattr(metric, name) is None}
    if parts != [""] and isinstance(metric, FeatureMetric):
        passed["model"] = NONE  # parts do not depend on it
    shown = replace(metric, **{name: None for name in given if name in known}).spec if given else metric.spec
    return Member(shown, replace(metric, **passed), tuple(parts))


def find_model_members(
    place: str, features: Sequence[str], given: Mapping[str, object], trusted: Mapping[str, bool]
) -> list[Member]:
    """Return the metrics that a model needs; an error names one that is missing. trusted: as for `create_from_file`."""
    try:
        return find_members(features, given, lambda spec: create_from_file(spec, place, **trusted))
    except UnknownName as error:
        raise UsageError(f"The model {place} needs a metric that is not installed here: {error}") from None


def warn_of_trust(members: Sequence[Member]) -> None:
    """Warn of metrics that a model can name only for users who allow it what they do."""
    for member in members:
        if permission := needs_trust(member.spec):
            log.warning("%s: the model can be used only with the option %s.", member.spec, permission)


def make_ready(members: Sequence[Member], testset: Corpus) -> list[Ready]:
    """Return the members' metrics, ready for a test set."""
    found = []
    for member in members:
        try:
            found.append(member.metric.ready(testset, asked=member.spec))
        except TercetError as error:
            raise (error if member.spec in str(error) else with_place(error, member.spec)) from None
    return found


def what_computes(ready: Ready) -> str:
    """Return what a feature depends on apart from the texts: metric, version, models and parser."""
    label, *items = ready.signature.split("|")
    pairs = dict(item.split(":", 1) for item in items)
    version = pairs.get("version", "").partition("+")[0]
    return "|".join([label, f"version:{version}", *(f"{key}:{pairs[key]}" for key in _LASTING if key in pairs)])


def named_columns(member: Member, ready: Ready, counts: Floats) -> dict[str, Floats]:
    """Return the member's features by name, from its counts, shape (segments,) each."""
    if member.parts == ("",):
        return {member.spec: ready.segment_scores(counts)}
    parts = all_parts(ready, counts)
    names = [name for part in member.parts for name in (parts if part == EVERY else [part])]
    if not parts:
        raise UsageError(f"{member.spec} has no parts: use its score, {member.spec}.")
    found = {}
    for name in names:
        if name not in parts:
            raise UnknownName(f"part of {member.spec}", name, parts)
        found[member.name(name)] = parts[name]
    return found


def all_parts(ready: Ready, counts: Floats) -> dict[str, Floats]:
    """Return the numbers per segment that a metric gives beside its score: `extras`, or else `details`."""
    extras = dict(ready.extras(counts))
    if extras or not len(counts):
        return extras
    rows = [_flat(ready.details(row)) for row in counts]
    return {name: np.array([row.get(name, 0.0) for row in rows], dtype=np.float64) for name in rows[0]}


def _flat(details: Mapping[str, object], prefix: str = "") -> dict[str, float]:
    """Return the numbers of nested dictionaries and lists by names such as "precisions.2"."""
    found: dict[str, float] = {}
    for key, value in details.items():
        if isinstance(value, Mapping):
            found |= _flat(value, f"{prefix}{key}.")
        elif isinstance(value, list | tuple):
            found |= _flat({str(place): each for place, each in enumerate(value, 1)}, f"{prefix}{key}.")
        elif isinstance(value, int | float) and not isinstance(value, bool):
            found[f"{prefix}{key}"] = float(value)
    return found


def count_members(members: Sequence[Member], ready: Sequence[Ready], shard: Shard) -> dict[str, dict[str, Floats]]:
    """Return the features of all systems of a shard by name, shape (segments,) each."""
    found: dict[str, dict[str, Floats]] = {system: {} for system in shard.outputs}
    for member, metric in zip(members, ready, strict=True):
        for system, counts in metric.count(shard).items():
            found[system] |= named_columns(member, metric, counts)
    return found


def groups_of(features: Sequence[str]) -> dict[str, list[int]]:
    """Return the places of features by the metric that they come from."""
    return places_of(feature.rpartition(PART)[0] or feature for feature in features)
