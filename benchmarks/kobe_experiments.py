"""Which parameters of kobe and kobe_pool to ship: every variant tried, judged on WMT17 and WMT18 and never on WMT19.

    python -m benchmarks.kobe_experiments ../shared/data

prints the tables of docs/metrics/kobe.md and kobe_pool.md: mean Pearson correlation with DA over the language pairs
whose languages the knowledge base knows, with 95 % intervals from resampling the pairs.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tercet.data.evidence import evidence_pairs, open_evidence
from tercet.knowledge.default import resolve
from tercet.knowledge.linking import KBLinker
from tercet.knowledge.mentions import Mention
from tercet.metrics.bases.entities import languages, match

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Linked = Sequence[Sequence[Mention]]
Variants = dict[str, Callable[["Pair"], Floats]]
YEARS = ("wmt17", "wmt18")
SENSES = ("best", "all")


@dataclass(frozen=True)
class Side:
    """Entities that outputs should have: which systems have each, shape (systems, entities), and what they are."""

    has: Floats
    segment: NDArray[np.int64]
    shared: Flags  # the other language can name it
    name: Flags  # no common noun
    rare: Flags  # in no more than 2 % of the segments
    found: Floats  # mentions in each system's output that the other language can name

    def recall(self, chosen: Flags, *, penalty: bool = False) -> Floats:
        scores: Floats = self.has[:, chosen].sum(1) / max(chosen.sum(), 1)
        return scores * np.exp(np.minimum(0, 1 - self.found / max(2 * chosen.sum(), 1))) if penalty else scores

    def mean_of_segments(self, chosen: Flags) -> Floats:
        segments = self.segment[chosen]
        whole = np.bincount(segments)
        parts = np.array([np.bincount(segments, row, len(whole)) for row in self.has[:, chosen]])
        mean: Floats = (parts[:, whole > 0] / whole[whole > 0]).mean(1)
        return mean

    def pooled(self, chosen: Flags, threshold: float) -> Floats:
        has = self.has[:, chosen]
        confirmed = (has.sum(0) - has) > threshold * (len(has) - 1)
        scores: Floats = (has * confirmed).sum(1) / np.maximum(confirmed.sum(1), 1)
        return scores


@dataclass(frozen=True)
class Pair:
    """One language pair of one year: human scores of the systems, and the entities of its texts by number of senses."""

    name: str
    gold: Floats
    source: dict[str, Side]
    reference: dict[str, Side]
    outputs: Side  # of all outputs together


def read_pair(
    folder: Path, pair: str, linker: Any, of_outputs: Any = None, senses: Iterable[str] = SENSES
) -> Pair | None:
    """A pair with texts, DA for four systems or more, and languages that the linker knows; else None."""
    evidence = open_evidence(folder, pair)
    gold = next((table.system for table in evidence.gold if table.metric.spec == "da"), {})
    both = languages(pair)
    if evidence.testset is None or not set(both) <= set(linker.kb.languages):
        return None
    testset = evidence.testset.only([s for s in evidence.testset.systems if np.isfinite(gold.get(s, np.nan))])
    if len(testset.systems) < 4:
        return None
    outputs = [(of_outputs or linker).link(texts, both.target) for texts in testset.outputs.values()]
    source = linker.link(testset.source, both.source)
    reference = linker.link(next(iter(testset.references.values())), both.target)
    to_target, to_source = cache(linker.nameable(both.target)), cache(linker.nameable(both.source))
    return Pair(
        f"{folder.name} {pair}",
        np.array([gold[system] for system in testset.systems]),
        {each: side(source, outputs, each, to_target, to_source) for each in senses},
        {each: side(reference, outputs, each, to_target, to_target) for each in senses},
        together(outputs, to_source),
    )


def side(expected: Linked, outputs: Sequence[Linked], senses: str, can_name: Any, can_name_back: Any) -> Side:
    """The entities of the sources or references."""

    def chosen(mention: Mention, can: Any) -> tuple[str, ...]:
        kept = tuple(filter(can, mention.entities)) or mention.entities
        return kept[:1] if senses == "best" else kept

    flat = [(number, mention) for number, mentions in enumerate(expected) for mention in mentions]
    wanted = [[chosen(mention, can_name) for mention in mentions] for mentions in expected]
    has = np.zeros((len(outputs), len(flat)))
    for row, texts in zip(has, outputs, strict=True):
        found = [[chosen(mention, can_name_back) for mention in mentions] for mentions in texts]
        row[:] = [each for one, other in zip(wanted, found, strict=True) for each in match(one, other)]
    in_segments = Counter(key for mentions in wanted for key in {candidates[0] for candidates in mentions})
    first = [candidates[0] for mentions in wanted for candidates in mentions]
    return Side(
        has,
        np.array([number for number, _ in flat], dtype=np.int64),
        np.array([any(map(can_name, mention.entities)) for _, mention in flat], dtype=bool),
        np.array([mention.category != "concept" for _, mention in flat], dtype=bool),
        np.array([in_segments[entity] <= 0.02 * len(expected) for entity in first], dtype=bool),
        np.array([sum(any(map(can_name_back, m.entities)) for f in texts for m in f) for texts in outputs]) * 1.0,
    )


def together(outputs: Sequence[Linked], can_name: Any) -> Side:
    """The entities that outputs have: the n-th mention of an entity in a segment is one."""
    rows: list[tuple[Floats, int, str, str]] = []
    for number, texts in enumerate(zip(*outputs, strict=True)):
        counts = [Counter(_likeliest(mention, can_name) for mention in found) for found in texts]
        category = {_likeliest(mention, can_name): mention.category for found in texts for mention in found}
        for entity in sorted(category):
            times = np.array([count[entity] for count in counts])
            rows += [((times >= n) * 1.0, number, entity, category[entity]) for n in range(1, times.max() + 1)]
    return Side(
        np.array([row[0] for row in rows]).T,
        np.array([row[1] for row in rows]),
        np.array([can_name(row[2]) for row in rows]),
        np.array([row[3] != "concept" for row in rows]),
        np.ones(len(rows), dtype=bool),
        np.zeros(len(outputs)),
    )


def _likeliest(mention: Mention, can_name: Any) -> str:
    return next(filter(can_name, mention.entities), mention.entities[0])


def pearson(a: Floats, b: Floats) -> float:
    return float(np.corrcoef(a, b)[0, 1]) if np.ptp(a) and np.ptp(b) else 0.0


def report(pairs: Sequence[Pair], variants: Variants) -> Iterator[str]:
    """A line for every variant: mean, interval, then the pairs."""
    draws = np.random.default_rng(12345).integers(0, len(pairs), (2000, len(pairs)))
    yield "| variant | mean r | 95 % | " + " | ".join(pair.name.removeprefix("wmt") for pair in pairs) + " |"
    yield "|---|" + "---:|" * (len(pairs) + 2)
    for name, score in variants.items():
        values = np.array([pearson(score(pair), pair.gold) for pair in pairs])
        low, high = np.quantile(values[draws].mean(1), [0.025, 0.975])
        cells = " | ".join(f"{value:.2f}" for value in values)
        yield f"| {name} | {values.mean():.3f} | {low:.2f} to {high:.2f} | {cells} |"


def side_variants(which: str) -> Variants:
    """Plain KoBE of one side in all its forms."""
    found: Variants = {}
    for senses in SENSES:

        def of(pair: Pair, senses: str = senses) -> Side:
            sides: dict[str, Side] = getattr(pair, which)
            return sides[senses]

        found |= {
            f"{senses}, not only shared": lambda p, of=of: of(p).recall(of(p).shared | True),
            f"{senses}": lambda p, of=of: of(p).recall(of(p).shared),
            f"{senses}, penalty": lambda p, of=of: of(p).recall(of(p).shared, penalty=True),
            f"{senses}, names": lambda p, of=of: of(p).recall(of(p).shared & of(p).name),
            f"{senses}, names, not only shared": lambda p, of=of: of(p).recall(of(p).name),
            f"{senses}, concepts": lambda p, of=of: of(p).recall(of(p).shared & ~of(p).name),
            f"{senses}, rare": lambda p, of=of: of(p).recall(of(p).shared & of(p).rare),
            f"{senses}, rare names": lambda p, of=of: of(p).recall(of(p).shared & of(p).rare & of(p).name),
            f"{senses}, mean of segments": lambda p, of=of: of(p).mean_of_segments(of(p).shared),
            f"{senses}, names, mean of segments": lambda p, of=of: of(p).mean_of_segments(of(p).shared & of(p).name),
        }
    return found


def pool_variants() -> Variants:
    """Entities of the source, or of the other outputs, that more than a share of the other outputs have."""
    found: Variants = {}
    for threshold in (0.0, 0.25, 0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9):
        for senses in SENSES:
            found[f"source, {senses}, {threshold:g}"] = lambda p, s=senses, t=threshold: p.source[s].pooled(
                p.source[s].shared, t
            )
        found[f"source, names, {threshold:g}"] = lambda p, t=threshold: p.source["best"].pooled(
            p.source["best"].shared & p.source["best"].name, t
        )
        found[f"outputs, {threshold:g}"] = lambda p, t=threshold: p.outputs.pooled(p.outputs.rare, t)
        found[f"outputs, names, {threshold:g}"] = lambda p, t=threshold: p.outputs.pooled(p.outputs.name, t)
        found[f"outputs, shared, {threshold:g}"] = lambda p, t=threshold: p.outputs.pooled(p.outputs.shared, t)
    return found


def read_all(data: Path, years: Sequence[str], linker: Any, of_outputs: Any = None) -> list[Pair]:
    names = [(data / year, pair) for year in years for pair in evidence_pairs(data / year)]
    read = (read_pair(folder, pair, linker, of_outputs) for folder, pair in names)
    return [pair for pair in read if pair is not None]


def main(data: Path, kb: str | None) -> None:
    linker = KBLinker(resolve(kb), senses="all")
    for changes in ({}, {"language_filter": True}, {"capitals": False}, {"lemmas": False}, {"numbers": True}):
        changed = replace(linker, **changes)
        of_outputs = changed if "language_filter" in changes else None
        pairs = read_all(data, YEARS, linker if of_outputs else changed, of_outputs)
        print(f"\n# {changes or 'the linker as it is'}")
        for title, variants in (
            ("against=source", side_variants("source")),
            ("against=reference", side_variants("reference")),
            ("kobe_pool", pool_variants()),
        ):
            print(f"\n{title}\n")
            print("\n".join(report(pairs, variants)))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else None)
