"""Features of the frequency of n-grams (quartiles as in QuEst), and of the number of translations of words."""

import numpy as np

from ...language.bilingual_alignment import WordAligner
from ...language.frequencies import QUARTILES, Frequencies
from ...types import Floats
from .defining import Compute, Feature, feature
from .pairs import SentencePairs

# Orders of n-grams: name, in words, QuEst's number of the first quartile and of the share that is known, and places of
# quartiles 1 and 4 in the WMT baseline, for the source.
_ORDERS = {
    1: ("unigrams", "words", 1046, 1058, {1: 9, 4: 10}),
    2: ("bigrams", "pairs of neighbouring words (bigrams)", 1050, 1059, {1: 11, 4: 12}),
    3: ("trigrams", "runs of three words (trigrams)", 1054, 1060, {1: 13, 4: 14}),
}
_HOW_FREQUENT = {1: "rare", 2: "rather rare", 3: "rather frequent", 4: "frequent"}
_LIMITS = (0.01, 0.05, 0.1, 0.2, 0.5)
_BASELINE_TRANSLATIONS = {1022: 7, 1036: 8}


def _shares(pairs: SentencePairs, side: str, order: int) -> Floats:
    """Return the shares of n-grams that are unknown and in quartiles 1 to 4, shape (pairs, 5)."""
    table = pairs.resources.given(f"{side}_frequencies", Frequencies)
    return pairs.kept(f"{side} shares {order}", lambda: table.shares(pairs.side(side).words, order=order))


def _seen(group: str, side: str) -> list[Feature]:
    """Return how frequent the n-grams of a side are; QuEst has these features of the source alone."""
    listed, needs = side == "source", f"{side}_frequencies"
    quartiles = [
        feature(group, f"{side}_{name}_quartile_{quartile}",
                f"share of the {side}'s {words} that are {_HOW_FREQUENT[quartile]} in a corpus of its language "
                f"(quartile {quartile} of frequency)", _of_quartile(side, order, quartile), needs=needs,
                quest=number + quartile - 1 if listed else None, baseline=places.get(quartile) if listed else None)
        for order, (name, words, number, _, places) in _ORDERS.items()
        for quartile in range(1, QUARTILES + 1)
    ]  # fmt: skip
    known = [
        feature(group, f"{side}_{name}_seen",
                f"share of the {side}'s {words} that occur in a corpus of its language", _of_quartile(side, order, 0),
                needs=needs, neutral=1.0, quest=number if listed else None,
                baseline=15 if listed and order == 1 else None)
        for order, (name, words, _, number, _) in _ORDERS.items()
    ]  # fmt: skip
    return [
        *quartiles,
        *known,
        feature(group, f"{side}_log_count",
                f"how often the {side}'s words occur in a corpus of its language, on average (log10 of 1 and the "
                "count)",
                lambda p: p.side(side).means(np.log10(1 + _counts(p, side))), needs=needs,
                quest=1061 if listed else None),
    ]  # fmt: skip


def _of_quartile(side: str, order: int, quartile: int) -> Compute:
    """Return a function for the share of n-grams in a quartile; 0: of those that occur in the corpus."""
    if quartile:
        return lambda p: _shares(p, side, order)[:, quartile]
    return lambda p: 1 - _shares(p, side, order)[:, 0]


def _counts(pairs: SentencePairs, side: str) -> Floats:
    """Return the count of each word in the corpus, 0 for unknown words."""

    def look_up() -> Floats:
        table = pairs.resources.given(f"{side}_frequencies", Frequencies)
        counts, find = table.counts[0].tolist(), table.numbers.get
        counts.append(0.0)  # of the number -1
        return pairs.side(side).values(lambda word: counts[find(word, -1)], cased=False)

    return pairs.kept(f"{side} counts", look_up)


_WEIGHTS = {  # name: description, and the first of QuEst's numbers
    "": ("", 1016),
    "_by_frequency": (", each times the word's share of a source corpus", 1026),
    "_by_inverse_frequency": (", each divided by the word's count in a million of a source corpus (0 for none)", 1036),
}


def _translations(pairs: SentencePairs, limit: float, weight: str) -> Floats:
    def look_up() -> Floats:
        table = pairs.resources.given("aligner", WordAligner).forward.table
        counts = table.translation_counts(above=limit)
        return pairs.source.values(lambda word: counts.get(word, 0), cased=False)

    counts = pairs.kept(f"translations {limit}", look_up)
    if not weight:
        return pairs.source.means(counts)
    shares = _counts(pairs, "source") / pairs.resources.given("source_frequencies", Frequencies).counts[0].sum()
    if weight == "_by_frequency":
        return pairs.source.means(counts * shares)
    return pairs.source.means(np.divide(counts, 1e6 * shares, out=np.zeros(len(counts)), where=shares > 0))


def _of_limit(limit: float, number: int, name: str) -> Feature:
    text, first = _WEIGHTS[name]
    quest = first + 2 * number
    return feature(
        "translations_per_word", f"translations_above_{limit}{name}",
        f"how many translations with a probability above {limit} the source's words have, on average{text}",
        lambda p: _translations(p, limit, name), needs="aligner source_frequencies" if name else "aligner",
        quest=quest, baseline=_BASELINE_TRANSLATIONS.get(quest),
    )  # fmt: skip


FEATURES = (
    *_seen("quartiles", "source"),
    *(_of_limit(limit, number, name) for name in _WEIGHTS for number, limit in enumerate(_LIMITS)),
    *_seen("more", "target"),
)
