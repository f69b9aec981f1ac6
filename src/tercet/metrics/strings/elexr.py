"""ELEXR: whether the words that output and reference share keep the same company.

Mahmoudi, Faili, Dehghan and Maleki (2013), "ELEXR: Automatic Evaluation of Machine Translation Using Lexical
Relationships", MICAI. Each text gives a matrix of co-occurrences, as in the hyperspace analogue to language (HAL): two
words within a window are related, the nearer the more. A word's row as a conditional probability distribution is
compared with the same word's row in the other text by the Kullback-Leibler divergence. This is what the abstract says;
window, smoothing and how the divergences become one score are ours: see the page.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp, log

from ...text.explanations import Seen
from .. import Floats, WordPairMetric, param

START = "\x00"  # stands before the first word, so that a text of one word has a relation too


@dataclass(frozen=True)
class ELEXR(WordPairMetric):
    """ELEXR, the mean of segments, 0 to 1. An approximation.

    window: how many words before a word are related to it.
    smoothing: the share of a word's distribution that is spread evenly over the words of both texts' relations.
    """

    window: int = param(4, low=1, high=100)
    smoothing: float = param(0.3, above=0, high=0.5)

    paper = "Mahmoudi et al. (2013), ELEXR: Automatic Evaluation of Machine Translation Using Lexical Relationships"

    def count_pair(self, output: Sequence[str], reference: Sequence[str]) -> Sequence[float]:
        """Count the score of a segment, and 1."""
        agreements = self.agreements(output, reference)
        ours, theirs = Counter(output), Counter(reference)
        shared = sum(value * min(ours[word], theirs[word]) for word, value in agreements.items())
        either = len(output) + len(reference)
        return 2 * shared / either if either else 0.0, 1.0

    def agreements(self, output: Sequence[str], reference: Sequence[str]) -> dict[str, float]:
        """Return for each word that both texts have exp(-divergence) of its relations: 1 where they are the same."""
        ours, theirs = relations(output, self.window), relations(reference, self.window)
        return {word: exp(-self._divergence(theirs[word], ours[word])) for word in theirs if word in ours}

    def _divergence(self, expected: Mapping[str, float], found: Mapping[str, float]) -> float:
        """Return the Kullback-Leibler divergence of the output's distribution from the reference's, both smoothed."""
        words = expected.keys() | found.keys()
        even = self.smoothing / len(words)
        total, found_total = sum(expected.values()), sum(found.values())
        divergence = 0.0
        for word in sorted(words):  # in a fixed order, so that sums are the same in every process
            p = (1 - self.smoothing) * expected.get(word, 0.0) / total + even
            q = (1 - self.smoothing) * found.get(word, 0.0) / found_total + even
            divergence += p * log(p / q)
        return max(divergence, 0.0)

    def explain_words(self, output: Sequence[str], reference: Sequence[str], counts: Floats) -> Seen:
        return Seen(values={"agreements": self.agreements(output, reference)})


def relations(words: Sequence[str], window: int) -> dict[str, dict[str, float]]:
    """Return for each word the words before it within the window: the nearest counts `window`, the farthest 1."""
    found: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    for place, word in enumerate(words):
        for distance in range(1, min(window, place + 1) + 1):
            before = words[place - distance] if distance <= place else START
            found[word][before] += window + 1 - distance
    return {word: dict(row) for word, row in found.items()}
