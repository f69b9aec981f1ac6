"""TBLEU: BLEU that tolerates other forms of a word, through an alignment of output and reference.

Libovický and Pecina (2014), "Tolerant BLEU: a Submission to the WMT14 Metrics Task", WMT. Words of the output are
aligned one-to-one with words of the reference at the least sum of affix distances. An aligned word is replaced by its
partner, and counts less in its n-grams the more the two differ. The paper's abstract says as much; the distance, its
threshold and the mean of weights are chosen here as far as it leaves them open: see the page.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache

import numpy as np

from ...stats.assignment import assign
from ...text.explanations import Seen
from .. import Floats, WordPairMetric, param

ORDER = 4


@dataclass(frozen=True)
class TBLEU(WordPairMetric):
    """Tolerant BLEU, 0 to 1.

    threshold: words with an affix distance above this are not aligned; 0 is BLEU.
    """

    threshold: float = param(0.5, low=0, high=1)

    paper = "Libovický and Pecina (2014), Tolerant BLEU: a Submission to the WMT14 Metrics Task"

    def count_pair(self, output: Sequence[str], reference: Sequence[str]) -> Sequence[float]:
        """Count the words of both texts, then weighted matches and n-grams of the output by order."""
        words, weights = self.aligned(output, reference)
        matches = [_matches(words, weights, reference, n) for n in range(1, ORDER + 1)]
        totals = [max(len(words) - n + 1, 0) for n in range(1, ORDER + 1)]
        return [len(output), len(reference), *matches, *totals]

    def aligned(self, output: Sequence[str], reference: Sequence[str]) -> tuple[list[str], list[float]]:
        """Return the output with aligned words replaced by the reference's, and the weight of each word."""
        words, weights = list(output), [1.0] * len(output)
        free = Counter(reference)
        rest = []
        for place, word in enumerate(output):
            if free[word]:
                free[word] -= 1
            else:
                rest.append(place)
        others = list(free.elements())
        near = [(place, [self._cost(output[place], other) for other in others]) for place in rest]
        near = [(place, row) for place, row in near if min(row, default=1.0) < 1]
        columns = [j for j in range(len(others)) if any(row[j] < 1 for _, row in near)]
        # A word may stay alone at the cost of 1, in a column of its own.
        costs = [[row[j] for j in columns] + [1.0] * len(near) for _, row in near]
        for (place, _), row, at in zip(near, costs, assign(costs), strict=True):
            if row[at] < 1:
                words[place], weights[place] = others[columns[at]], 1.0 - row[at]
        return words, weights

    def _cost(self, first: str, second: str) -> float:
        if abs(len(first) - len(second)) > self.threshold * min(len(first), len(second)):
            return 1.0  # each letter more is an edit
        distance = affix_distance(first, second)
        return distance if distance <= self.threshold else 1.0

    def score(self, totals: Floats) -> Floats:
        return _bleu(totals, totals[..., 2 : 2 + ORDER], totals[..., 2 + ORDER :])

    def segment_scores(self, counts: Floats) -> Floats:
        """Compute BLEU with 1 added to matches and n-grams of order 2 and above, without which most segments have 0."""
        added = np.array([0.0] + [1.0] * (ORDER - 1))
        return _bleu(counts, counts[..., 2 : 2 + ORDER] + added, counts[..., 2 + ORDER :] + added)

    def details(self, totals: Floats) -> dict[str, object]:
        matches, ngrams = totals[2 : 2 + ORDER], totals[2 + ORDER :]
        return {
            "sys_len": int(totals[0]),
            "ref_len": int(totals[1]),
            "matches": matches.tolist(),
            "totals": ngrams.astype(int).tolist(),
            "precisions": (matches / np.maximum(ngrams, 1)).tolist(),
        }

    def explain_words(self, output: Sequence[str], reference: Sequence[str], counts: Floats) -> Seen:
        rows = [
            {"word": word, "as": partner, "weight": weight}
            for word, partner, weight in zip(output, *self.aligned(output, reference), strict=True)
        ]
        return Seen(values={"words": rows})


@lru_cache(maxsize=1 << 18)
def affix_distance(first: str, second: str) -> float:
    """Return the edits before and after the longest common substring, over its length: 0 for equal words, at most 1."""
    matcher = SequenceMatcher(None, first, second, autojunk=False)
    start, other, length = matcher.find_longest_match()
    if not length:
        return 1.0
    edits = _edits(first[:start], second[:other]) + _edits(first[start + length :], second[other + length :])
    return min(edits / length, 1.0)


def _edits(first: str, second: str) -> int:
    """Return the Levenshtein distance of two short strings."""
    if not first or not second:
        return len(first) + len(second)
    before = list(range(len(second) + 1))
    for i, letter in enumerate(first, 1):
        row = [i]
        for j, theirs in enumerate(second, 1):
            row.append(min(before[j] + 1, row[-1] + 1, before[j - 1] + (letter != theirs)))
        before = row
    return before[-1]


def _matches(words: Sequence[str], weights: Sequence[float], reference: Sequence[str], n: int) -> float:
    """Return the sum of weights of the n-grams that the reference has; each counts as often as there, the best ones."""
    available = Counter(tuple(reference[i : i + n]) for i in range(len(reference) - n + 1))
    found: dict[tuple[str, ...], list[float]] = defaultdict(list)
    for i in range(len(words) - n + 1):
        ngram = tuple(words[i : i + n])
        if ngram in available:
            found[ngram].append(sum(weights[i : i + n]) / n)
    return sum(sum(sorted(each, reverse=True)[: available[ngram]]) for ngram, each in found.items())


def _bleu(totals: Floats, matches: Floats, ngrams: Floats) -> Floats:
    """Return the geometric mean of precisions times the brevity penalty; 0 if an order has no match."""
    output, reference = totals[..., 0], totals[..., 1]
    with np.errstate(divide="ignore"):
        logs = np.log(matches) - np.log(np.maximum(ngrams, 1))
        shortfall = np.minimum(0.0, 1 - reference / np.where(output > 0, output, 1.0))
    mean = logs[..., 0]
    for n in range(1, ORDER):
        mean = mean + logs[..., n]
    return np.asarray(np.where(output > 0, np.exp(mean / ORDER + shortfall), 0.0))
