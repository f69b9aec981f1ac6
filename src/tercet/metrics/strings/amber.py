"""AMBER: a mean of precisions and recalls of n-grams, times ten penalties, on four forms of the texts.

Chen and Kuhn (2011), "AMBER: A Modified BLEU, Enhanced Ranking Metric", WMT; Chen, Kuhn and Foster (2012), "Improving
AMBER, an MT Evaluation Metric", WMT. Words as they are, cut to their first four letters, cut to their last four letters
and divided after the fourth letter are scored in the same way, and averaged. The weights of the penalties were tuned on
rankings by the authors; they are not published with the description that we have, so ours are tuned on WMT12. See the
page.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, pairwise
from math import exp

from ...data.grouping import places_of
from ...text.explanations import Seen
from .. import Floats, WordPairMetric, param

ORDER = 4
AFFIX = 4  # letters
SHORT = 3  # letters of a short word, at most
FLOOR = 1e-3  # of a penalty, so that none of them alone decides
CHUNK_WEIGHT, CHUNK_EXPONENT = 0.5, 3.0  # as in METEOR of 2005

# The exponents of the ten penalties, tuned on the rankings of WMT12 into English. Five bring nothing there.
PENALTIES = {
    "brevity": 0.2, "redundancy": 0.0, "character_brevity": 0.3, "character_redundancy": 0.15, "chunks": 0.0,
    "continuity": 0.0, "short_words": 0.0, "long_words": 0.0, "spearman": 0.1, "kendall": 0.3,
}  # fmt: skip

FORMS: dict[str, Callable[[str], tuple[str, ...]]] = {
    "words": lambda word: (word,),
    "prefixes": lambda word: (word[:AFFIX],),
    "suffixes": lambda word: (word[-AFFIX:],),
    "divided": lambda word: (word[:AFFIX], f"+{word[AFFIX:]}") if len(word) > AFFIX else (word,),
}


@dataclass(frozen=True)
class AMBER(WordPairMetric):
    """AMBER, 0 to 1; of a system the mean of its segments, weighted by the length of the reference.

    alpha: the weight of recall in F-measures.
    precision, fmean: the weights of the mean precision and of the F-measure of mean precision and recall; the mean
        F-measure of the orders has the rest.
    """

    alpha: float = param(0.9, low=0, high=1)
    precision: float = param(0.3, low=0, high=1)
    fmean: float = param(0.5, low=0, high=1)

    paper = "Chen and Kuhn (2011), AMBER: A Modified BLEU, Enhanced Ranking Metric"

    def count_pair(self, output: Sequence[str], reference: Sequence[str]) -> Sequence[float]:
        """Count the score times the length of the reference, and that length, at least 1."""
        length = max(len(reference), 1)
        scores = [base * penalty for base, penalty in self.forms(output, reference)]
        return length * sum(scores) / len(scores), length

    def forms(self, output: Sequence[str], reference: Sequence[str]) -> list[tuple[float, float]]:
        """Return for each form of the texts the score of n-grams, and the product of penalties."""
        found = []
        for pair in _in_forms(output, reference).values():
            product = 1.0
            for name, exponent in PENALTIES.items():
                if exponent:
                    product *= max(pair.penalty(name), FLOOR) ** exponent
            found.append((self.overlap(pair), product))
        return found

    def overlap(self, pair: Pair) -> float:
        """Return the weighted mean of the mean precision, the F-measure of means, and the mean F-measure."""
        precisions, recalls = (
            [found / max(len(words) - n, 1) for n, found in enumerate(pair.matched)]
            for words in (pair.output, pair.reference)
        )
        if not precisions[0]:
            return 0.0
        product = precisions[0]
        for n in range(2, ORDER + 1):  # 1 is added, as in smoothed BLEU, so that short segments have a score
            ngrams = max(len(pair.output) - n + 1, 0)
            product *= (precisions[n - 1] * ngrams + 1) / (ngrams + 1)
        mean: float = product ** (1 / ORDER)
        together = self._f(sum(precisions) / ORDER, recalls[0])
        each = sum(map(self._f, precisions, recalls)) / ORDER
        return self.precision * mean + self.fmean * together + (1 - self.precision - self.fmean) * each

    def _f(self, precision: float, recall: float) -> float:
        below = self.alpha * precision + (1 - self.alpha) * recall
        return precision * recall / below if below else 0.0

    def explain_words(self, output: Sequence[str], reference: Sequence[str], counts: Floats) -> Seen:
        rows = {
            name: {"overlap": self.overlap(pair), **{each: pair.penalty(each) for each in PENALTIES}}
            for name, pair in _in_forms(output, reference).items()
        }
        return Seen(values={"forms": rows})


def _in_forms(output: Sequence[str], reference: Sequence[str]) -> dict[str, Pair]:
    return {
        name: Pair(*([part for word in words for part in cut(word)] for words in (output, reference)))
        for name, cut in FORMS.items()
    }


class Pair:
    """An output and a reference in one form, and their ten penalties, 0 to 1; 1 is none."""

    def __init__(self, output: Sequence[str], reference: Sequence[str]) -> None:
        self.output, self.reference = output, reference
        self.lengths = len(output), len(reference)

    @cached_property
    def matched(self) -> list[int]:
        return [_count_matches(self.output, self.reference, n) for n in range(1, ORDER + 1)]

    @cached_property
    def places(self) -> list[int]:
        return _aligned(self.output, self.reference)

    @cached_property
    def letters(self) -> list[int]:
        return [sum(map(len, words)) for words in (self.output, self.reference)]

    def penalty(self, name: str) -> float:
        value: float = _PENALTIES[name](self)
        return value

    @property
    def chunks(self) -> float:
        chunks = sum(after != before + 1 for before, after in zip([-2, *self.places], self.places, strict=False))
        return 1 - CHUNK_WEIGHT * (chunks / len(self.places)) ** CHUNK_EXPONENT if self.places else 0.0

    @property
    def continuity(self) -> float:
        following = [(after + 1) / (before + 1) for before, after in pairwise(self.matched)]
        return sum(following) / len(following)

    def difference(self, kind: Callable[[str], bool]) -> float:
        """Return exp of minus the difference of the numbers of words of a kind, per word of the reference."""
        ours, theirs = (sum(map(kind, words)) for words in (self.output, self.reference))
        return exp(-abs(ours - theirs) / max(len(self.reference), 1))

    @property
    def spearman(self) -> float:
        """Spearman's rho of the places of aligned words, from 0 to 1; 0 without places, 1 for one."""
        n = len(self.places)
        if n < 2:
            return float(n)
        ranks = {place: rank for rank, place in enumerate(sorted(self.places))}
        distances = sum((ranks[place] - rank) ** 2 for rank, place in enumerate(self.places))
        return 1 - 3 * distances / (n * (n * n - 1))

    @property
    def kendall(self) -> float:
        """Kendall's tau of the places of aligned words, from 0 to 1: the share of pairs in order."""
        n = len(self.places)
        if n < 2:
            return float(n)
        return sum(before < after for before, after in combinations(self.places, 2)) / (n * (n - 1) / 2)


_PENALTIES: dict[str, Callable[[Pair], float]] = {
    "brevity": lambda pair: _brevity(*pair.lengths),
    "redundancy": lambda pair: _brevity(*pair.lengths[::-1]),
    "character_brevity": lambda pair: _brevity(*pair.letters),
    "character_redundancy": lambda pair: _brevity(*pair.letters[::-1]),
    "chunks": lambda pair: pair.chunks,
    "continuity": lambda pair: pair.continuity,
    "short_words": lambda pair: pair.difference(lambda word: len(word) <= SHORT),
    "long_words": lambda pair: pair.difference(lambda word: len(word) > SHORT),
    "spearman": lambda pair: pair.spearman,
    "kendall": lambda pair: pair.kendall,
}


def _brevity(length: int, other: int) -> float:
    """Return exp(1 - other / length) where the text is shorter than the other."""
    return 1.0 if length >= other else exp(1 - other / length) if length else 0.0


def _count_matches(output: Sequence[str], reference: Sequence[str], n: int) -> int:
    left = Counter(zip(*(reference[i:] for i in range(n)), strict=False))
    found = 0
    for ngram in zip(*(output[i:] for i in range(n)), strict=False):
        if left.get(ngram, 0) > 0:
            left[ngram] -= 1
            found += 1
    return found


def _aligned(output: Sequence[str], reference: Sequence[str]) -> list[int]:
    """Return the places of the output's words in the reference: each next to the last one, or the first free."""
    free = places_of(reference)
    places: list[int] = []
    for word in output:
        if candidates := free.get(word):
            follows = places[-1] + 1 if places else 0
            places.append(candidates.pop(candidates.index(follows) if follows in candidates else 0))
    return places
