"""RED: n-grams of the reference's dependency tree that the output has; only the reference's tree is used.

Yu, Wu, Xie, Jiang, Liu and Lin (2014), "RED: A Reference Dependency Based MT Evaluation Metric", COLING. Head-word
chains capture relations of words far apart; structures, contiguous words that a head and its dependents cover, capture
local n-grams. The output is a string of words, because parsers make errors on translations. Words match by form, stem,
synonym and paraphrase, in METEOR's alignment. What the sources we have leave open was chosen on WMT12: see the page.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import exp
from typing import Any, NamedTuple

from ...language.function_words import function_words
from ...language.meteor_alignment import MATCHERS
from ...language.paraphrases import find_table
from ...language.sentence import Sentence
from ...text.explanations import Seen
from .. import ParsedMetric, PartsMetric, param
from .cobalt import meteor_aligner

SIZES = (1, 2, 3)
# The weight of recall, and the weights of the F-measures of these sizes, best on WMT12 for segments, systems, and both.
VARIANTS = {"sent": (0.7, (0.6, 0.3, 0.1)), "sys": (0.7, (0.8, 0.1, 0.1)), "syssent": (0.8, (0.7, 0.2, 0.1))}


class Match(NamedTuple):
    """Where a word of the reference is in the output, and what the match counts."""

    place: int
    value: float


@dataclass(frozen=True)
class RED(PartsMetric, ParsedMetric):
    """RED, the mean of segments, 0 to 1; of several references the best.

    variant: the weights of sizes and of recall: REDSENT's, REDSYS's or REDSYSSENT's.
    alpha: the weight of recall; by default that of the variant.
    stem, synonym, paraphrase: what these matches count; an equal word counts 1.
    function: what function words count, relative to others.
    paraphrases: a file, or a data set (`tercet data add`), with a table of paraphrases.
    """

    variant: str = param("sent", choices=VARIANTS, quiet=True)
    alpha: float = param(low=0, high=1)
    stem: float = param(0.8, low=0, high=1)
    synonym: float = param(0.8, low=0, high=1)
    paraphrase: float = param(0.6, low=0, high=1)
    function: float = param(0.25, low=0, high=1)
    paraphrases: str | None = param(file=find_table, checksum="table")

    part_names = tuple(f"{name}{size}" for size in SIZES for name in ("precision", "recall"))
    paper = "Yu et al. (2014), RED: A Reference Dependency Based MT Evaluation Metric"

    def validate(self) -> None:
        if self.paraphrases is not None:
            find_table(self.paraphrases)

    def defaults(self, language: str | None) -> Mapping[str, Any]:
        return {**super().defaults(language), "alpha": VARIANTS[self.variant][0]}

    def count_pair(self, output: Sentence, reference: Sentence) -> Sequence[float]:
        """Count the score of a segment, 1, and precision and recall by size."""
        shares = self.precision_recall(output, reference)
        return [self._mean(shares), 1.0, *(value for share in shares for value in share)]

    def _mean(self, shares: Sequence[tuple[float, float]]) -> float:
        """Return the weighted mean of F-measures; sizes that the reference does not have are left out."""
        score = total = 0.0
        for weight, (precision, recall) in zip(VARIANTS[self.variant][1], shares, strict=True):
            if recall >= 0:
                below = self.alpha * precision + (1 - self.alpha) * recall
                score += weight * precision * recall / below if below else 0.0
                total += weight
        return score / total if total else 0.0

    def precision_recall(self, output: Sentence, reference: Sentence) -> list[tuple[float, float]]:
        """Return precision and recall by size; a recall of -1 if the reference has no n-gram of a size."""
        ours, theirs = ([token.form.lower() for token in each.tokens] for each in (output, reference))
        if not ours or not theirs:
            return [(0.0, 0.0)] * len(SIZES)
        matches = self.matches(ours, theirs)
        weights, our_weights = ([self._weight(word) for word in words] for words in (theirs, ours))
        found = []
        for size in SIZES:
            grams = structures(reference, size) if size > 1 else [((place,), True) for place in range(len(theirs))]
            matched = sum(_mean(weights, places) * _value(places, fixed, matches) for places, fixed in grams)
            expected = sum(_mean(weights, places) for places, _ in grams)
            possible = sum(_mean(our_weights, range(i, i + size)) for i in range(len(ours) - size + 1))
            precision = min(matched / possible, 1.0) if possible else 0.0
            found.append((precision, matched / expected if expected else -1.0))
        return found

    def matches(self, ours: Sequence[str], theirs: Sequence[str]) -> dict[int, Match]:
        table = None if self.paraphrases is None else str(find_table(self.paraphrases).absolute())
        aligner = meteor_aligner(self.language, self.language == "en", table)
        values = {"exact": 1.0, **{name: getattr(self, name) for name in MATCHERS[1:]}}
        return {
            j: Match(i, values[link.matcher])
            for link in aligner.align(ours, theirs).links
            for i, j in zip(link.output, link.reference, strict=False)  # a phrase may match one of other length
        }

    def _weight(self, word: str) -> float:
        return self.function if word in function_words(self.language) or not any(map(str.isalnum, word)) else 1.0

    def explain_parsed(self, output: Sentence, reference: Sentence) -> Seen:
        ours, theirs = ([token.form.lower() for token in each.tokens] for each in (output, reference))
        matches = self.matches(ours, theirs) if ours and theirs else {}
        rows = [
            {
                "words": [theirs[place] for place in places],
                "kind": "structure" if fixed else "chain",
                "value": _value(places, fixed, matches),
            }
            for size in SIZES[1:]
            for places, fixed in structures(reference, size)
        ]
        return Seen(self.count_pair(output, reference)[0], values={"structures": rows})


def structures(sentence: Sentence, size: int) -> list[tuple[tuple[int, ...], bool]]:
    """Return the dependency n-grams of a size: places in text order, and whether the words must follow each other.

    Chains are paths down the tree. Structures are contiguous words that are a head with dependents (fixed), or
    dependents of one head (floating). A chain of contiguous words is a structure.
    """
    heads = [(token.head or 0) - 1 for token in sentence.tokens]
    found: dict[tuple[int, ...], bool] = {}
    for start in range(len(heads) - size + 1):
        span = range(start, start + size)
        above = [heads[place] for place in span if heads[place] not in span]
        if len(set(above)) == 1 and (above[0] >= 0 or len(above) == 1):  # two roots have no head in common
            found[tuple(span)] = True
    for last in range(len(heads)):
        path = [last]
        while len(path) < size and heads[path[-1]] >= 0:
            path.append(heads[path[-1]])
        if len(path) == size:
            found.setdefault(tuple(sorted(path)), False)
    return list(found.items())


def _value(places: Sequence[int], fixed: bool, matches: Mapping[int, Match]) -> float:
    """Return the mean value of the matches, if all words match in this order; less if distances differ."""
    found = [matches[place] for place in places if place in matches]
    if len(found) < len(places):
        return 0.0
    value = sum(match.value for match in found) / len(found)
    steps = [after.place - before.place for before, after in pairwise(found)]
    if fixed:
        return value if all(step == 1 for step in steps) else 0.0
    if min(steps) < 1:
        return 0.0
    expected = [after - before for before, after in pairwise(places)]
    return value * exp(-sum(abs(a - b) for a, b in zip(steps, expected, strict=True)) / len(steps))


def _mean(weights: Sequence[float], places: Sequence[int]) -> float:
    return sum(weights[place] for place in places) / len(places)
