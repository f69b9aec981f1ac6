"""Pooled KoBE: the share of the entities in most of the other systems' outputs that the output has too.

After Gekhman et al. (2020), "KoBE: Knowledge-Based Machine Translation Evaluation", Findings of EMNLP. A linker finds
names where there are none, and a knowledge base may know a name in one language only. Against the source, a poor
literal output may therefore win. Here the outputs of the *other* systems replace the source: an entity counts if most
of them have it. No reference is needed, but a pool of systems is. Scores of different pools are not comparable; the
signature tells pools apart by a checksum.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import NamedTuple

import numpy as np

from ...data.testset import TestSet
from ...errors import UsageError
from .. import Corpus, EntityMetric, Floats, Learnt, Shard, mean_score, param
from ..bases.entities import Languages, languages

SMALLEST = 4  # systems
SHARD = 10_000  # segments whose texts are in memory at once while the pool is read

Mentioned = tuple[str, int]  # an entity and its number in the text: a second mention counts separately


class _Segment(NamedTuple):
    """A segment of the pool: the number of outputs, how many of them have each mention, and the mentions of each."""

    outputs: int
    confirmed: Counter[Mentioned]
    has: dict[str, frozenset[Mentioned]]


_Segments = dict[str, dict[tuple[str, ...], _Segment]]  # by source, then by outputs: most sources occur once


@dataclass(frozen=True)
class Pool:
    """The sources with the mentions of the systems' outputs. Only the checksum is compared."""

    checksum: str
    segments: _Segments = field(repr=False, compare=False)

    def others(self, source: str, output: str) -> tuple[int, Counter[Mentioned], frozenset[Mentioned] | None]:
        """Return the number of other outputs, how many of them have each mention, and the mentions of this output.

        If a source occurs several times, the segments with this output count, and the output is left out of each: it
        does not confirm itself. An output that is not in the pool is compared with all; its mentions are None.
        """
        segments = self.segments.get(source)
        if segments is None:
            raise UsageError(
                f"kobe_pool: the pool has no source {source[:60]!r}; call ready(testset) with the test set to score."
            )
        same = [segment for segment in segments.values() if output in segment.has]
        if not same:
            confirmed = sum((segment.confirmed for segment in segments.values()), Counter[Mentioned]())
            return sum(segment.outputs for segment in segments.values()), confirmed, None
        confirmed = sum((segment.confirmed - Counter(segment.has[output]) for segment in same), Counter[Mentioned]())
        return sum(segment.outputs - 1 for segment in same), confirmed, same[0].has[output]


@dataclass(frozen=True)
class KoBEPool(EntityMetric):
    """Recall of the entities that most other systems have, 0 to 1; NaN for a segment without any.

    threshold: the share of the other systems' outputs that must have an entity: more than that, from 0 to below 1.
    """

    shared: bool = False
    threshold: float = param(0.8, low=0)

    needs = frozenset({"source"})  # tells which outputs belong together
    version = 2  # 2: compounds with directions are names
    paper = "After Gekhman et al. (2020), KoBE: Knowledge-Based Machine Translation Evaluation"
    label = "KoBE_pool"
    needs_all_systems = True

    def validate(self) -> None:
        if not self.threshold < 1:
            raise UsageError(f"kobe_pool: threshold must be a number from 0 to below 1, not {self.threshold}.")

    def check_needs(self, testset: Corpus) -> None:
        super().check_needs(testset)
        if len(testset.outputs) < SMALLEST:
            raise UsageError(
                f"kobe_pool needs the outputs of {SMALLEST} systems or more, and test set {testset.name!r} has "
                f"{len(testset.outputs)}: it compares a system with the others. For fewer use kobe."
            )

    def learn(self, testset: Corpus) -> Learnt:
        """Learn the mentions in all outputs of the test set (anything with `shards`)."""
        segments: _Segments = {}
        digest = 0
        for shard in testset.shards(SHARD):
            digest = (digest + self._read(shard, segments)) % (1 << 64)
        pool = Pool(f"{digest:016x}", segments)
        return Learnt(pool, {**super().learn(testset).items, "pool": pool.checksum})

    def _read(self, shard: TestSet, segments: _Segments) -> int:
        """Add a shard to the pool; returns a digest of its texts that does not depend on their order."""
        both, digest = languages(shard.pair), 0
        linked = [self._link(outputs, both) for outputs in shard.outputs.values()]
        written = zip(*shard.outputs.values(), strict=True)
        for source, outputs, mentions in zip(shard.source or (), written, zip(*linked, strict=True), strict=True):
            confirmed = Counter(mention for found in mentions for mention in found)
            segment = _Segment(len(outputs), confirmed, dict(zip(outputs, mentions, strict=True)))
            segments.setdefault(source, {})[outputs] = segment
            for output in outputs:
                text = f"{source}\n{output}".encode("utf-8", "surrogatepass")
                digest += int.from_bytes(blake2b(text, digest_size=8).digest(), "big")
        return digest

    def _link(self, outputs: Sequence[str], both: Languages) -> list[frozenset[Mentioned]]:
        found = []
        for mentions in self.mentions(outputs, both.target, named_in=both.source, of_outputs=True):
            times = Counter(candidates[0] for _, candidates in mentions)
            found.append(frozenset((entity, n) for entity, most in times.items() for n in range(1, most + 1)))
        return found

    def count(self, shard: Shard, opened: Pool | None) -> dict[str, Floats]:
        """Count entities of the output that most others have, and entities that most others have."""
        pool, both = self.learnt(opened, "the pool is"), languages(shard.pair)
        counted = {}
        for system, outputs in shard.outputs.items():
            counts = counted[system] = np.zeros((len(outputs), 2))
            for row, source, output in zip(counts, shard.source or (), outputs, strict=True):
                others, confirmed, own = pool.others(source, output)
                if own is None:
                    (own,) = self._link([output], both)
                expected = {entity for entity, times in confirmed.items() if times > self.threshold * others}
                row[:] = [len(own & expected), len(expected)]
        return counted

    def score(self, totals: Floats) -> Floats:
        return mean_score(totals)

    def details(self, totals: Floats) -> dict[str, object]:
        return {"matches": int(totals[0]), "confirmed_entities": int(totals[1])}

    def verbose(self, totals: Floats) -> str:
        return f"{int(totals[0])} of {int(totals[1])} entities that most other systems have"
