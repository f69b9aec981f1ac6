"""The definition of a feature. Its function returns a number for each pair, NaN where it is undefined."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from ...types import Floats
from .pairs import SentencePairs

Compute = Callable[[SentencePairs], Floats]
OfSide = Callable[[SentencePairs, str], Floats]  # of the side "source" or "target"
SIDES = ("source", "target")

# The groups of Specia, Cancedda and Dymetman (2010), section 3, in their order; and ours.
GROUPS = {
    "lengths": "lengths of source and target and their ratios",
    "lm_word": "probability and perplexity of source and target by a trigram model",
    "ttr": "type/token ratios of source and target",
    "src_word_len": "average length of source words",
    "quartiles": "shares of the source's n-grams in each quartile of frequency of a corpus",
    "tgt_mismatched_brackets": "brackets and quotation marks in the target that are not closed or opened",
    "tgt_repetition": "how often target words occur in the target",
    "alignment": "alignment scores of source and target, and percentages of kinds of word alignments",
    "translations_per_word": "average number of translations of source words, unweighted or by (inverse) frequency",
    "word_classes": "percentages of numbers, content words and other words in source and target",
    "construction_mismatch": "differences in brackets, punctuation marks and numbers between source and target",
    "lm_pos": "probability and perplexity of the tags by a trigram model",
    "more": "features beyond those of the paper",
}


@dataclass(frozen=True)
class Feature:
    """A feature of a sentence pair.

    group: one of GROUPS. needs: fields of `Resources` that must not be None. neutral: its value where it is undefined,
    such as for an empty sentence. quest: its number in QuEst (Specia, Shah, de Souza and Cohn, 2013), which is another
    name for it. baseline: its place among the 17 features of the WMT12 to WMT14 baseline.
    """

    name: str
    group: str
    description: str
    compute: Compute = field(repr=False, compare=False)
    needs: frozenset[str] = frozenset()
    neutral: float = 0.0
    quest: int | None = None
    baseline: int | None = None


def feature(
    group: str, name: str, description: str, compute: Compute, *, needs: str = "", neutral: float = 0.0,
    quest: int | None = None, baseline: int | None = None,
) -> Feature:  # fmt: skip
    """Return a feature. needs: names with spaces between them."""
    return Feature(name, group, description, compute, frozenset(needs.split()), neutral, quest, baseline)


def of_sides(
    group: str, name: str, description: str, compute: OfSide, *, needs: str = "", neutral: float = 0.0,
    **numbers: tuple[int | None, int | None],
) -> list[Feature]:  # fmt: skip
    """Return the same feature of source and of target; {} stands for the side. numbers: quest and baseline."""
    return [
        feature(group, name.format(side), description.format(side), partial(_computed, compute, side),
                needs=needs.format(side), neutral=neutral, **{key: pair[place] for key, pair in numbers.items()})
        for place, side in enumerate(SIDES)
    ]  # fmt: skip


def _computed(compute: OfSide, side: str, pairs: SentencePairs) -> Floats:
    return compute(pairs, side)


def ratio(above: Floats, below: Floats) -> Floats:
    """Return above / below; NaN where below is 0."""
    result: Floats = np.divide(above, below, out=np.full(len(above), np.nan), where=below != 0)
    return result


def share_ratio(first: Floats, second: Floats, least: float) -> Floats:
    """Return the ratio of two shares, with a little added to both so that it is defined, and at most 10."""
    quotient: Floats = (first + least) / (second + least)
    return np.minimum(quotient, 10.0)
