"""The base of fixed combinations: weighted means of other metrics' segment scores, each brought to one scale.

Asiya's uniform linear combination (Giménez and Màrquez 2010, "Linguistic Measures for Automatic Machine Translation
Evaluation") divides each metric by its largest value. Errors are negated, so that higher is better for all members.
Metrics with fixed members bring each from its bounds, the lowest and the highest score on outputs of WMT12, to 0 and 1.
Otherwise the scale is learnt from the test set: every member is counted once to find it, and again to score.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from ...errors import TercetError, Untrusted, UsageError, with_place
from ...text.explanations import Seen
from ...types import Floats
from .._contract import Corpus, Learnt, Metric, Shard
from .._parameters import param
from .._ready import Ready
from .._registry import create
from .._trust import create_from_file
from .members import Member, MemberMetric, count_members, find_members, make_ready
from .pairs import one_segment

SCALES = ("max", "z", "none")
BOUNDS = "bounds"
SHARD = 1000  # segments that are counted at once to find the scale


class Opened(NamedTuple):
    """Members, ready; the centre and the spread of each."""

    ready: Sequence[Ready]
    centres: Floats
    spreads: Floats


@dataclass(frozen=True)
class MixedMetric(MemberMetric):
    """A weighted mean of metrics on one scale; the mean of segments.

    scale: max divides each by its largest absolute value in the test set, z standardises it, none leaves it.
    parses: a folder that keeps parses for later runs.

    `weights` has the members by their strings, `bounds` their lowest and highest scores, for scale=bounds.
    """

    scale: str = param("max", choices=SCALES)
    parses: str | None = param(local=True)

    weights: ClassVar[Mapping[str, float]] = {}
    bounds: ClassVar[Mapping[str, tuple[float, float]]] = {}

    @property
    def needs_all_systems(self) -> bool:
        return self.scale in ("max", "z")

    def parts(self) -> Mapping[str, float]:
        return self.weights

    def members(self) -> list[Member]:
        return find_members(list(self.parts()), {} if self.parses is None else {"parses": self.parses}, self._member)

    def _member(self, spec: str) -> Metric:
        """Return a member; what a file asks for needs the user's permission."""
        if not self.registered_file:
            return create(spec)
        allowed = {name: getattr(self, name, False) for name in ("trust_features", "allow_network")}
        try:
            return create_from_file(spec, self.name, **allowed)
        except Untrusted:
            raise
        except TercetError as error:
            raise with_place(error, self.name) from None

    def named_metrics(self) -> Sequence[str]:
        return tuple(self.parts())

    def learn(self, testset: Corpus) -> Learnt:
        """Make the members ready, and find the scale of each."""
        members = self.members()
        ready = make_ready(members, testset)
        for member, metric in zip(members, ready, strict=True):
            if metric.higher_is_better is None:
                raise UsageError(f"{self.name}: {member.spec} has no better direction, so it cannot be averaged.")
        size = len(members)
        if not self.needs_all_systems:
            return Learnt((tuple(ready), *self._fixed()))
        if len(testset.outputs) == 1:
            other = BOUNDS if self.bounds else "none"
            raise UsageError(
                f"{self.name}: scale={self.scale} is found on the systems that are compared, and there is only "
                f"one. Give several, or use scale={other}."
            )
        number, sums, squares, largest = 0, np.zeros(size), np.zeros(size), np.zeros(size)
        for texts in testset.shards(1 << 62 if self.whole else SHARD):
            for table in _tables(members, ready, Shard(texts)).values():
                number += len(table)
                sums, squares = sums + table.sum(0), squares + (table**2).sum(0)
                largest = np.maximum(largest, np.abs(table).max(0, initial=0.0))
        if self.scale == "max":
            centres, spreads = np.zeros(size), largest
        else:
            centres = sums / max(number, 1)
            spreads = np.sqrt(np.maximum(squares / max(number, 1) - centres**2, 0))
        spreads = np.where(spreads > 0, spreads, 1.0)
        shown = ",".join(f"{value:.6g}" for value in (*centres, *spreads)).replace(",", "/")
        return Learnt((tuple(ready), centres, spreads), {"scales": shown})

    def open(self, state: tuple[Sequence[Ready], Floats, Floats] | None) -> Opened:
        if state is None:
            return Opened([each.metric.ready() for each in self.members()], *self._fixed())
        return Opened(*state)

    def _fixed(self) -> tuple[Floats, Floats]:
        """Return the centres and spreads that do not depend on the test set."""
        if self.scale != BOUNDS:
            return np.zeros(len(self.parts())), np.ones(len(self.parts()))
        low, high = np.array([self.bounds[name] for name in self.parts()]).T
        return low, high - low

    def count(self, shard: Shard, opened: Opened) -> dict[str, Floats]:
        """Count the weighted mean, 1, and the members on the common scale."""
        members, weights = self.members(), np.array(list(self.parts().values()))
        found = {}
        for system, table in _tables(members, opened.ready, shard).items():
            scaled = (table - opened.centres) / opened.spreads
            if self.scale == BOUNDS:
                scaled = np.clip(scaled, 0.0, 1.0)
            mean = (scaled * weights).sum(1) / np.abs(weights).sum()
            found[system] = np.column_stack([mean, np.ones(len(table)), scaled])
        return found

    @property
    def part_names(self) -> Sequence[str]:
        return tuple(self.parts())

    def explain_segment(self, opened: Opened, output: str, references: Sequence[str], source: str | None) -> Seen:
        counts = self.count(one_segment(output, references, source), opened)["output"][0].tolist()
        return Seen(counts[0], values={"members": dict(zip(self.parts(), counts[2:], strict=True))})


def _tables(members: Sequence[Member], ready: Sequence[Ready], shard: Shard) -> dict[str, Floats]:
    """Return the members' scores of all systems, negated where lower is better, shape (segments, members)."""
    signs = np.array([-1.0 if each.higher_is_better is False else 1.0 for each in ready])
    return {
        system: np.nan_to_num(np.stack(list(columns.values()), axis=1)) * signs
        for system, columns in count_members(members, ready, shard).items()
    }
