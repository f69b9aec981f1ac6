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
from itertools import pairwise
from math import exp
from typing import Any, ClassVar

import numpy as np

from ._contract import Floats, mean_score
from ._parameters import param
from ._words import WordPairMetric

ORDER = 4
AFFIX = 4  # letters
SHORT = 3  # letters of a short word, at most
FLOOR = 1e-3  # of a penalty, so that none of them alone decides
CHUNK_WEIGHT, CHUNK_EXPONENT = 0.5, 3.0  # as in METEOR of 2005

# The ten penalties and their exponents, tuned on the rankings of WMT12 into English. Five bring nothing there.
PENALTIES = {
    "brevity": 0.2,
    "redundancy": 0.0,
    "character_brevity": 0.3,
    "character_redundancy": 0.15,
    "chunks": 0.0,
    "continuity": 0.0,
    "short_words": 0.0,
    "long_words": 0.0,
    "spearman": 0.1,
    "kendall": 0.3,
}

FORMS: dict[str, Callable[[str], tuple[str, ...]]] = {
    "words": lambda word: (word,),
    "prefixes": lambda word: (word[:AFFIX],),
    "suffixes": lambda word: (word[-AFFIX:],),
    "divided": lambda word: (word[:AFFIX], f"+{word[AFFIX:]}") if len(word) > AFFIX else (word,),
}


@dataclass(frozen=True)
class AMBER(WordPairMetric):
    """AMBER, 0 to 1; of a system the mean of its segments, weighted by the length of the reference.

    tokenize: by default moses, for the language of the outputs.
    lowercase: ignore case.
    alpha: the weight of recall in F-measures.
    precision, fmean: the weights of the mean precision and of the F-measure of mean precision and recall; the mean
        F-measure of the orders has the rest.
    """

    alpha: float = param(0.9, low=0, high=1)
    precision: float = param(0.3, low=0, high=1)
    fmean: float = param(0.5, low=0, high=1)

    paper: ClassVar[str] = "Chen and Kuhn (2011), AMBER: A Modified BLEU, Enhanced Ranking Metric"

    def count_pair(self, output: Sequence[str], reference: Sequence[str]) -> Sequence[float]:
        """Count the score times the length of the reference, and that length, at least 1."""
        length = max(len(reference), 1)
        scores = [base * penalty for base, penalty in self.forms(output, reference)]
        return length * sum(scores) / len(scores), length

    def forms(self, output: Sequence[str], reference: Sequence[str]) -> list[tuple[float, float]]:
        """Return for each form of the texts the score of n-grams, and the product of penalties."""
        found = []
        for cut in FORMS.values():
            ours, theirs = ([part for word in words for part in cut(word)] for words in (output, reference))
            values = penalties(ours, theirs)
            product = 1.0
            for name, exponent in PENALTIES.items():
                product *= max(values[name], FLOOR) ** exponent
            found.append((self.overlap(ours, theirs), product))
        return found

    def overlap(self, output: Sequence[str], reference: Sequence[str]) -> float:
        """Return the weighted mean of the mean precision, the F-measure of means, and the mean F-measure."""
        precisions, recalls = _shares(output, reference)
        if not precisions[0]:
            return 0.0
        smoothed = [precisions[0]]
        for n in range(2, ORDER + 1):  # 1 is added, as in smoothed BLEU, so that short segments have a score
            ngrams = max(len(output) - n + 1, 0)
            smoothed.append((precisions[n - 1] * ngrams + 1) / (ngrams + 1))
        mean = float(np.prod(smoothed)) ** (1 / ORDER)
        together = self._f(sum(precisions) / ORDER, recalls[0])
        each = sum(map(self._f, precisions, recalls)) / ORDER
        return float(self.precision * mean + self.fmean * together + (1 - self.precision - self.fmean) * each)

    def _f(self, precision: float, recall: float) -> float:
        below = self.alpha * precision + (1 - self.alpha) * recall
        return precision * recall / below if below else 0.0

    def score(self, totals: Floats) -> Floats:
        return mean_score(totals)

    def explain_segment(
        self, opened: Any, output: str, references: Sequence[str], source: str | None
    ) -> dict[str, Any]:
        """Return by form the score of n-grams and the penalties, with the best reference."""
        words, *others = self.words([output, *references])
        counts = np.array([self.count_pair(words, other) for other in others], dtype=np.float64)
        row = int(self.segment_scores(counts).argmax())
        rows = {}
        for name, cut in FORMS.items():
            ours, theirs = ([part for word in text for part in cut(word)] for text in (words, others[row]))
            rows[name] = {"overlap": self.overlap(ours, theirs), **penalties(ours, theirs)}
        return {"score": float(self.segment_scores(counts)[row]), "reference": row, "forms": rows}


def penalties(output: Sequence[str], reference: Sequence[str]) -> dict[str, float]:
    """Return the ten penalties of two texts, 0 to 1; 1 is none."""
    places = _aligned(output, reference)
    chunks = sum(after != before + 1 for before, after in zip([-2, *places], places, strict=False))
    matched = [sum(found.values()) for found in _matches(output, reference)]
    following = [(after + 1) / (before + 1) for before, after in pairwise(matched)]
    rho, tau = _orders(places)
    letters = [sum(map(len, words)) for words in (output, reference)]
    return {
        "brevity": _brevity(len(output), len(reference)),
        "redundancy": _brevity(len(reference), len(output)),
        "character_brevity": _brevity(*letters),
        "character_redundancy": _brevity(*letters[::-1]),
        "chunks": 1 - CHUNK_WEIGHT * (chunks / len(places)) ** CHUNK_EXPONENT if places else 0.0,
        "continuity": sum(following) / len(following),
        "short_words": _difference(output, reference, lambda word: len(word) <= SHORT),
        "long_words": _difference(output, reference, lambda word: len(word) > SHORT),
        "spearman": (1 + rho) / 2,
        "kendall": (1 + tau) / 2,
    }


def _brevity(length: int, other: int) -> float:
    """Return exp(1 - other / length) where the text is shorter than the other."""
    return 1.0 if length >= other else exp(1 - other / length) if length else 0.0


def _difference(output: Sequence[str], reference: Sequence[str], kind: Callable[[str], bool]) -> float:
    """Return exp of minus the difference of the numbers of words of a kind, per word of the reference."""
    ours, theirs = (sum(map(kind, words)) for words in (output, reference))
    return exp(-abs(ours - theirs) / max(len(reference), 1))


def _matches(output: Sequence[str], reference: Sequence[str]) -> list[Counter[tuple[str, ...]]]:
    """Return the n-grams of each order that both texts have."""
    return [_ngrams(output, n) & _ngrams(reference, n) for n in range(1, ORDER + 1)]


def _ngrams(words: Sequence[str], n: int) -> Counter[tuple[str, ...]]:
    return Counter(zip(*(words[i:] for i in range(n)), strict=False))


def _shares(output: Sequence[str], reference: Sequence[str]) -> tuple[list[float], list[float]]:
    """Return precision and recall of n-grams by order."""
    matched = [sum(found.values()) for found in _matches(output, reference)]
    precisions, recalls = (
        [found / max(len(words) - n, 1) for n, found in enumerate(matched)] for words in (output, reference)
    )
    return precisions, recalls


def _aligned(output: Sequence[str], reference: Sequence[str]) -> list[int]:
    """Return the places of the output's words in the reference: each next to the last one, or the first free."""
    free: dict[str, list[int]] = {}
    for place, word in enumerate(reference):
        free.setdefault(word, []).append(place)
    places: list[int] = []
    for word in output:
        if candidates := free.get(word):
            follows = places[-1] + 1 if places else 0
            places.append(candidates.pop(candidates.index(follows) if follows in candidates else 0))
    return places


def _orders(places: Sequence[int]) -> tuple[float, float]:
    """Return Spearman's rho and Kendall's tau of places that should ascend; -1 without places, 1 for one."""
    n = len(places)
    if n < 2:
        return (1.0, 1.0) if n else (-1.0, -1.0)
    ranks = np.argsort(np.argsort(places))
    distances = int(((ranks - np.arange(n)) ** 2).sum())
    ascending = int((ranks[:, None] < ranks[None, :])[np.triu_indices(n, 1)].sum())
    return 1 - 6 * distances / (n * (n * n - 1)), 4 * ascending / (n * (n - 1)) - 1
