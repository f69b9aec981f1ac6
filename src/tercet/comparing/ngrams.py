"""Words and n-grams that one of two systems gets right more often than the other.

An n-gram is right in a segment if a reference has it, as often at least (clipped as in BLEU). Whether one system is
right more often is tested by the sign test over the segments in which they differ. N-grams that differ in too few
segments ever to be significant are not tested, which leaves more power for the others (Tarone 1990, "A Modified
Bonferroni Method for Discrete Data", Biometrics); the rest are corrected by Holm (1979). The choice looks only at the
number of segments that differ, which says nothing about who is better, so that the correction stays exact.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from math import nan
from typing import Any

from ..data.testset import TestSet
from ..errors import UnknownName, UsageError
from ..stats import holm
from ..stats.resampling import check_share
from ..stats.sign import least_sign_p, sign_test
from ..text.ngrams import Gram, count_ngrams
from .words import choose_segments, tokenised, usual_tokeniser

MOST_SYSTEMS = 4  # with more, each is compared with the first alone


@dataclass(frozen=True)
class NgramFinding:
    """An n-gram, how often each system gets it right, and the segments in which one gets it right more often.

    ratio: (a_right + 1) / (b_right + 1). p_value: of the sign test; p_holm: corrected; NaN where it was not tested.
    """

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

    def to_dict(self) -> dict[str, Any]:
        """Return everything, as the JSON form has it."""
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
    if baseline is not None and baseline not in systems:
        raise UnknownName("system", baseline, systems)
    chosen, numbers = choose_segments(testset, segments)
    name = tokenize or usual_tokeniser(chosen)
    join = "" if name in ("char", "zh") else " "
    allowed = _in_references(chosen, name, lowercase, max_order)
    totals: Counter[Gram] = Counter()
    for grams in allowed:
        totals.update(grams)
    right = {
        system: _right(tokenised(chosen.outputs[system], name, lowercase=lowercase), allowed, max_order)
        for system in systems
    }
    found = []
    for a, b in _pairs(systems, baseline):
        differing = sum(right[a].get(gram) != right[b].get(gram) for gram in right[a].keys() | right[b].keys())
        findings = _differences(right[a], right[b], totals, numbers, join)
        tested = _tested(findings, alpha)
        sides = [_best([f for f in tested if _favours(f) == side], top) for side in (1, -1)]
        found.append(
            NgramComparison(a, b, sides[0], sides[1], sum(f.p_holm == f.p_holm for f in tested), differing, alpha)
        )
    return found


def _pairs(systems: Sequence[str], baseline: str | None) -> list[tuple[str, str]]:
    if baseline is None and len(systems) <= MOST_SYSTEMS:
        return [(a, b) for i, a in enumerate(systems) for b in systems[i + 1 :]]
    first = baseline or systems[0]
    return [(system, first) for system in systems if system != first]


def _in_references(testset: TestSet, name: str, lowercase: bool, max_order: int) -> list[Counter[Gram]]:
    """Return for every segment how often an n-gram may be right: the most of its references."""
    allowed: list[Counter[Gram]] = [Counter() for _ in range(len(testset))]
    for lines in testset.references.values():
        for grams, words in zip(allowed, tokenised(lines, name, lowercase=lowercase), strict=True):
            for n in range(1, max_order + 1):
                grams |= count_ngrams(words, n)
    return allowed


def _right(texts: list[list[str]], allowed: list[Counter[Gram]], max_order: int) -> dict[Gram, dict[int, int]]:
    """Return how often each n-gram is right, by segment; only where it is at all."""
    found: dict[Gram, dict[int, int]] = defaultdict(dict)
    for row, (words, grams) in enumerate(zip(texts, allowed, strict=True)):
        for n in range(1, max_order + 1):
            for gram, count in count_ngrams(words, n).items():
                most = grams.get(gram, 0)
                if most:
                    found[gram][row] = min(count, most)
    return found


def _differences(
    first: dict[Gram, dict[int, int]],
    second: dict[Gram, dict[int, int]],
    totals: Counter[Gram],
    numbers: Sequence[int],
    join: str,
) -> list[NgramFinding]:
    """Return the n-grams that one system gets right more often in some segment, if they differ in two or more."""
    findings = []
    nothing: dict[int, int] = {}
    for gram in first.keys() | second.keys():
        a, b = first.get(gram, nothing), second.get(gram, nothing)
        if len(a) + len(b) < 2 or a == b:
            continue
        more = [tuple(numbers[row] for row in x if x[row] > y.get(row, 0)) for x, y in ((a, b), (b, a))]
        if len(more[0]) + len(more[1]) < 2:
            continue  # it can neither be significant nor tell anything
        right = sum(a.values()), sum(b.values())
        ratio = (right[0] + 1) / (right[1] + 1)
        p_value = sign_test(len(more[0]), len(more[1]))
        findings.append(
            NgramFinding(join.join(gram), gram, *right, totals[gram], ratio, p_value, nan, more[0], more[1])
        )
    return findings


def _tested(findings: list[NgramFinding], alpha: float) -> list[NgramFinding]:
    """Return the findings with corrected p-values where enough segments differ (Tarone)."""
    differing = [len(f.a_segments) + len(f.b_segments) for f in findings]
    many = Counter(differing)
    enough, left = 2, len(findings)
    while left and left * least_sign_p(enough) > alpha:
        left -= many[enough]
        enough += 1
    corrected = holm([f.p_value if n >= enough else nan for f, n in zip(findings, differing, strict=True)])
    return [replace(f, p_holm=float(p)) for f, p in zip(findings, corrected, strict=True)]


def _favours(finding: NgramFinding) -> int:
    """Return 1 where a is right in more segments, -1 where b is, 0 for neither."""
    difference = len(finding.a_segments) - len(finding.b_segments)
    return (difference > 0) - (difference < 0)


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
