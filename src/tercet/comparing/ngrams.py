"""Words and n-grams that one of two systems gets right more often than the other.

An n-gram is right in a segment if a reference has it, as often at least (clipped as in BLEU). Whether one system is
right more often is tested by the sign test over the segments in which they differ. N-grams that differ in too few
segments ever to be significant are not tested, which leaves more power for the others (Tarone 1990, "A Modified
Bonferroni Method for Discrete Data", Biometrics); the rest are corrected by Holm (1979). The choice looks only at the
number of segments that differ, which says nothing about who is better, so that the correction stays exact.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from math import nan

import numpy as np
from numpy.typing import NDArray

from ..data.names import find_name
from ..data.testset import TestSet
from ..errors import UsageError
from ..stats import holm
from ..stats.resampling import check_share
from ..stats.sign import least_sign_p, sign_test
from ..text.coding import Ints, offsets_of
from ..text.ngrams import Gram
from .words import choose_segments, tokenised, usual_tokeniser

Words = list[list[str]]  # of every segment
MANY = 20  # times the n-grams that are shown are looked at, those with the smallest p-values
MOST_SYSTEMS = 4  # with more, each is compared with the first alone


@dataclass(frozen=True)
class NgramFinding:
    """An n-gram, how often each system gets it right, and where. p_holm: corrected; NaN where not tested."""

    ngram: str
    words: tuple[str, ...]
    a_right: int
    b_right: int
    in_references: int
    ratio: float
    p_value: float
    p_holm: float
    a_segments: tuple[int, ...]
    b_segments: tuple[int, ...]


@dataclass(frozen=True)
class NgramComparison:
    """The n-grams that tell two systems apart, best evidence first."""

    a: str
    b: str
    a_better: tuple[NgramFinding, ...]
    b_better: tuple[NgramFinding, ...]
    tested: int  # n-grams that differ in enough segments
    differing: int  # n-grams that differ at all
    alpha: float

    def significant(self) -> list[NgramFinding]:
        """Return the n-grams whose corrected p-value is below alpha, a's first."""
        return [found for found in (*self.a_better, *self.b_better) if found.p_holm < self.alpha]

    def to_dict(self) -> dict[str, object]:
        return asdict(self)


def compare_ngrams(
    testset: TestSet,
    *,
    baseline: str | None = None,
    segments: Sequence[int] | None = None,
    max_order: int = 4,
    top: int = 10,
    tokenize: str | None = None,
    lowercase: bool = False,
    alpha: float = 0.05,
) -> list[NgramComparison]:
    """Find the words and n-grams that one system gets right more often than another.

    Parameters
    ----------
    testset : outputs and references.
    baseline : compare each system with this one; by default all pairs of up to four systems, otherwise the first
        with the others.
    segments : numbers (from 1) of the segments to look at; all by default.
    max_order : the longest n-grams, in words.
    top : how many n-grams are kept for either system.
    tokenize, lowercase : a tokeniser by name, by default "13a", or "char" for scripts without spaces; ignore case.
    alpha : the significance level.

    Returns
    -------
    list of NgramComparison : one per pair; every finding has the numbers of its segments.

    Examples
    --------
    >>> import tercet
    >>> outputs = {"a": ["the cat"] * 8, "b": ["the dog"] * 8}
    >>> [pair] = tercet.compare_ngrams(tercet.TestSet(outputs, {"ref": ["the cat"] * 8}))
    >>> [found.ngram for found in pair.significant()]
    ['the cat']
    """
    check_share("The significance level", alpha)
    for what, value in (("max_order", max_order), ("top", top)):
        if not isinstance(value, int) or value < 1:
            raise UsageError(f"{what} must be a whole number, at least 1, not {value!r}.")
    if not testset.references or len(testset.outputs) < 2:
        raise UsageError("N-grams are compared with references between two systems or more.")
    systems = testset.systems
    baseline = None if baseline is None else find_name(baseline, systems)
    chosen, numbers = choose_segments(testset, segments)
    name = tokenize or usual_tokeniser(chosen)
    join = "" if name in ("char", "zh") else " "
    outputs = {system: tokenised(chosen.outputs[system], name, lowercase=lowercase) for system in systems}
    references = [tokenised(lines, name, lowercase=lowercase) for lines in chosen.references.values()]
    grams = _count_right(references, outputs, max_order)
    return [_compared(grams, a, b, numbers, join, alpha, top) for a, b in _pairs(systems, baseline)]


def _pairs(systems: Sequence[str], baseline: str | None) -> list[tuple[str, str]]:
    if baseline is None and len(systems) <= MOST_SYSTEMS:
        return [(a, b) for i, a in enumerate(systems) for b in systems[i + 1 :]]
    first = baseline or systems[0]
    return [(system, first) for system in systems if system != first]


@dataclass(frozen=True)
class _Grams:
    """The n-grams of the references. An entry is an n-gram in a segment; those of an n-gram are next to each other.

    words: of each n-gram. starts: the first entry of each n-gram, and the end of the last. rows: the segment of each
    entry. most: how often it may be right there, the most of the references. right: how often it is, by system.
    """

    words: list[Gram]
    starts: Ints
    rows: Ints
    most: Ints
    right: dict[str, Ints]

    def summed(self, values: NDArray[np.generic]) -> Ints:
        """Return sums over the entries of each n-gram."""
        sums = np.concatenate([[0], np.cumsum(values, dtype=np.int64)])
        return np.asarray(sums[self.starts[1:]] - sums[self.starts[:-1]])


def _count_right(references: list[Words], outputs: dict[str, Words], max_order: int) -> _Grams:
    """Count how often each system gets each n-gram of the references right."""
    texts = [*references, *outputs.values()]
    size = max(len(texts[0]), 1)
    known: dict[str, int] = {}
    words = [word for lines in texts for line in lines for word in line]
    ids = np.fromiter((known.setdefault(word, len(known)) for word in words), np.int64, len(words))
    line = np.repeat(np.arange(size * len(texts)), [len(line) for lines in texts for line in lines])
    ends = np.searchsorted(line, size * np.arange(len(texts) + 1))  # where each text begins
    codes = ids
    parts: list[tuple[list[Gram], Ints, Ints, Ints, list[Ints]]] = []
    for n in range(1, max_order + 1):
        places = np.flatnonzero(line[: len(line) - n + 1] == line[n - 1 :])  # where an n-gram begins
        longer = codes[places] * len(known) + ids[places + n - 1] if n > 1 else ids[places]
        _, first, numbered = np.unique(longer, return_index=True, return_inverse=True)
        codes = np.zeros(len(ids), dtype=np.int64)
        codes[places] = numbered
        keys = [
            np.unique(numbered[begin:end] * size + line[places[begin:end]] % size, return_counts=True)
            for begin, end in pairwise(np.searchsorted(places, ends).tolist())
        ]
        allowed = np.unique(np.concatenate([found for found, _ in keys[: len(references)]]))
        counted = [_aligned(allowed, *found) for found in keys]
        most = np.max(counted[: len(references)], axis=0)
        right = [np.minimum(most, each) for each in counted[len(references) :]]
        present, starts = np.unique(allowed // size, return_index=True)
        begins = places[first[present]].tolist()
        parts.append(([tuple(words[at : at + n]) for at in begins], starts, allowed % size, most, right))
    offsets = offsets_of([len(part[2]) for part in parts])
    begins = [part[1] + offset for part, offset in zip(parts, offsets[:-1], strict=True)]
    return _Grams(
        words=[gram for grams, *_ in parts for gram in grams],
        starts=np.concatenate([*begins, offsets[-1:]]),
        rows=np.concatenate([part[2] for part in parts]),
        most=np.concatenate([part[3] for part in parts]),
        right={system: np.concatenate([part[4][i] for part in parts]) for i, system in enumerate(outputs)},
    )


def _aligned(allowed: Ints, keys: Ints, counts: Ints) -> Ints:
    """Return the counts of the allowed keys, in their order."""
    found = np.zeros(len(allowed), dtype=np.int64)
    places = np.searchsorted(allowed, keys)
    places[places == len(allowed)] = 0
    known = allowed[places] == keys if len(allowed) else np.zeros(len(keys), dtype=np.bool_)
    found[places[known]] = counts[known]
    return found


def _compared(
    grams: _Grams, a: str, b: str, numbers: Sequence[int], join: str, alpha: float, top: int
) -> NgramComparison:
    """Return the n-grams that one of two systems gets right more often in some segment."""
    first, second = grams.right[a], grams.right[b]
    ahead, behind = grams.summed(first > second), grams.summed(first < second)
    right = grams.summed(first), grams.summed(second)
    totals = grams.summed(grams.most)
    # N-grams that differ in one segment can neither be significant nor tell anything.
    chosen = np.flatnonzero(ahead + behind >= 2)
    p_values = np.array(
        [sign_test(*each) for each in zip(ahead[chosen].tolist(), behind[chosen].tolist(), strict=True)]
    )
    differing = (ahead + behind)[chosen]
    corrected = np.asarray(holm(np.where(differing >= _enough(differing, alpha), p_values, nan)), dtype=np.float64)

    def finding(place: int) -> NgramFinding:
        gram = int(chosen[place])
        entries = slice(*grams.starts[gram : gram + 2].tolist())
        segments = [
            tuple(numbers[row] for row in grams.rows[entries][x[entries] > y[entries]].tolist())
            for x, y in ((first, second), (second, first))
        ]
        counts = int(right[0][gram]), int(right[1][gram])
        return NgramFinding(
            join.join(grams.words[gram]), grams.words[gram], *counts, int(totals[gram]),
            (counts[0] + 1) / (counts[1] + 1), float(p_values[place]), float(corrected[place]), *segments,
        )  # fmt: skip

    sides = []
    for more, less in ((ahead, behind), (behind, ahead)):
        places = np.flatnonzero(more[chosen] > less[chosen])
        places = places[np.argsort(p_values[places], kind="stable")]
        kept: tuple[NgramFinding, ...] = ()
        looked_at = min(len(places), MANY * top)
        while looked_at:
            last = p_values[places[looked_at - 1]]  # those with the same p-value belong together
            looked_at = int(np.searchsorted(p_values[places], last, side="right"))
            kept = _best([finding(place) for place in places[:looked_at].tolist()], top)
            if len(kept) == top or looked_at == len(places):
                break
            looked_at = min(len(places), 4 * looked_at)
        sides.append(kept)
    tested = int(np.count_nonzero(~np.isnan(corrected)))
    return NgramComparison(a, b, sides[0], sides[1], tested, int(np.count_nonzero(ahead + behind)), alpha)


def _enough(differing: Ints, alpha: float) -> int:
    """Return in how many segments an n-gram must differ to be tested (Tarone)."""
    many = np.bincount(differing, minlength=3)
    enough, left = 2, len(differing)
    while left and left * least_sign_p(enough) > alpha:
        left -= int(many[enough]) if enough < len(many) else 0
        enough += 1
    return enough


def _best(findings: list[NgramFinding], top: int) -> tuple[NgramFinding, ...]:
    """Return the findings with the best evidence; of n-grams in the same segments the longest."""
    order = sorted(findings, key=lambda f: (f.p_value, -abs(f.a_right - f.b_right), -len(f.words), f.words))
    kept: list[NgramFinding] = []
    for finding in order:
        if len(kept) == top:
            break
        same = (f for f in kept if (f.a_segments, f.b_segments) == (finding.a_segments, finding.b_segments))
        if not any(_contains(other.words, finding.words) for other in same):
            kept.append(finding)
    return tuple(kept)


def _contains(longer: Gram, shorter: Gram) -> bool:
    return any(longer[i : i + len(shorter)] == shorter for i in range(len(longer) - len(shorter) + 1))
