"""WMDO: the word mover's distance between output and reference, with a penalty for another order of words.

Chow, Specia and Madhyastha (2019), "WMDO: Fluency-based Word Mover's Distance for Machine Translation Evaluation", WMT.
Each word of the reference has the same mass, which is moved to the words of the output; moving costs one minus the
cosine of the words' vectors. The cheapest transport is the word mover's distance (Kusner et al., 2015). Where words
that follow each other in the reference go to words that do not, a new chunk begins, as in METEOR. The constants are
those of the authors' program. The paper has vectors of words; with other encoders a word has the mean of its tokens'.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ...errors import optional
from ...language.encoders import TokenVectors
from ...text.explanations import Alignment, Link, Seen
from .. import EncodedMetric, Floats, MeanPartsMetric, param
from ..bases.encoded import Known, Opened, cosines, places_of

ORDERLY = 1e-4  # added per share of the text that a word moves: of equally cheap transports the most orderly is taken
SAME = 1e-9  # flows that differ by less are equal


class _Transport(NamedTuple):
    """The transport between two texts.

    score: distance and penalties together. flow: the mass that moves from each word of the reference (rows) to each of
    the output.
    """

    score: float
    distance: float
    fragmentation: float
    missing: float
    flow: Floats


@dataclass(frozen=True)
class Transport(Alignment):
    """Where the mass of the reference's words goes."""

    def lines(self, other: str = "reference") -> list[str]:
        links = sorted(self.links, key=lambda link: (*link.other, *link.output))
        pairs = [(self.other[link.other[0]], self.output[link.output[0]]) for link in links]
        wide = [max(map(len, column)) for column in zip(*pairs, strict=True)]
        return ["reference's words, where they go, mass, cost:"] + [
            f"  {word:{wide[0]}}  {to:{wide[1]}}  {link.values['mass']:.3f}  {link.values['cost']:.3f}"
            for (word, to), link in zip(pairs, links, strict=True)
        ]


@dataclass(frozen=True)
class WMDO(MeanPartsMetric, EncodedMetric):
    """WMDO, the mean of segments, 0 is best.

    With several references the lowest score counts.
    delta: the weight of the penalty for chunks: their number over that of moved words, at most 1.
    alpha: the weight of the share of the output's words that have no vector.
    An empty text has the distance 1, and all penalties for order.
    """

    delta: float = param(0.18, low=0)
    alpha: float = param(0.1, low=0)

    explains = (Alignment,)
    paper = "Chow, Specia and Madhyastha (2019), WMDO: Fluency-based Word Mover's Distance"
    higher_is_better = False
    part_names = ("distance", "fragmentation", "missing")

    @property
    def packages(self) -> Sequence[tuple[str, str]]:
        return (*super().packages, ("ot", "wmdo"))

    def open(self, state: Known | None) -> Opened:
        _solver()  # a missing package is reported before texts are encoded
        return super().open(state)

    def count_tokens(self, output: TokenVectors, references: Sequence[TokenVectors], opened: Opened) -> Sequence[float]:
        """Count the score, 1 for the segment, distance, fragmentation, missing words."""
        words = output.by_word
        best = min((self._transport(words, each.by_word) for each in references), key=lambda each: each.score)
        return best.score, 1.0, best.distance, best.fragmentation, best.missing

    def _transport(self, output: TokenVectors, reference: TokenVectors) -> _Transport:
        shape = len(reference), len(output)
        if not all(shape):
            return _Transport(1.0 + self.delta, 1.0, 1.0, 0.0, np.zeros(shape))
        costs = np.clip(1.0 - cosines(reference, output), 0.0, None)
        places = [np.arange(size) / size for size in shape]
        orderly = costs + ORDERLY * np.abs(places[0][:, None] - places[1])
        flow = _solver()(np.full(shape[0], 1 / shape[0]), np.full(shape[1], 1 / shape[1]), orderly)
        distance, fragmentation = float((flow * costs).sum()), _fragmentation(flow)
        missing = float((~output.known).mean())
        score = distance + self.delta * fragmentation + self.alpha * missing
        return _Transport(score, distance, fragmentation, missing, flow)

    def explain_tokens(
        self, output: TokenVectors, reference: TokenVectors, counts: Sequence[float], opened: Opened
    ) -> Seen:
        """Return for each word of the reference where its mass goes, and at which cost."""
        words, theirs = output.by_word, reference.by_word
        best, costs = self._transport(words, theirs), 1.0 - cosines(theirs, words)
        links = []
        for i, j in np.argwhere(best.flow > SAME).tolist():
            mass, cost = float(best.flow[i, j]), float(costs[i, j])
            links.append(Link([j], [i], 1.0 - cost, values={"mass": mass, "cost": cost}))
        links.sort(key=lambda link: float(link.values["mass"]))  # the largest is the last, which marks the words
        places = places_of(words), places_of(theirs)
        transport = Transport(words.tokens, theirs.tokens, links, places=places)
        return Seen(best.score, [transport], values=dict(zip(self.part_names, counts[2:], strict=True)))


def _fragmentation(flow: Floats) -> float:
    """Return the number of chunks over that of moved words, at most 1. A word goes where most of its mass goes."""
    chunks, current = 1, -1
    for row in flow:
        targets = np.flatnonzero(row > row.max() - SAME)
        at = int(targets[np.abs(targets - current).argmin()])
        chunks += at != current + 1
        current = at
    return min(chunks / len(flow), 1.0)


def _solver() -> Any:
    """Return the function that finds the cheapest transport, of the package POT."""
    return optional("ot.lp", "wmdo", "wmdo").emd
