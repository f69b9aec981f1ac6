"""Features of the frequency of n-grams in corpora, and of the number of translations of source words.

Quartiles are those of `Frequencies.cutoffs`, as in QuEst.
"""

from __future__ import annotations

import numpy as np

from ...language.bilingual_alignment import WordAligner
from ...language.frequencies import QUARTILES, Frequencies
from ...types import Floats
from .defining import Feature, feature
from .pairs import SentencePairs

_ORDERS = {1: "unigrams", 2: "bigrams", 3: "trigrams"}
_RUNS = {1: "words", 2: "pairs of neighbouring words (bigrams)", 3: "runs of three words (trigrams)"}
_HOW_FREQUENT = {1: "rare", 2: "rather rare", 3: "rather frequent", 4: "frequent"}
_QUARTILE_QUEST = {1: 1046, 2: 1050, 3: 1054}
# Of the WMT baseline: quartiles 1 and 4 of each order.
_QUARTILE_BASELINE = {(1, 1): 9, (1, 4): 10, (2, 1): 11, (2, 4): 12, (3, 1): 13, (3, 4): 14}
_SEEN_QUEST = {1: 1058, 2: 1059, 3: 1060}
_LIMITS = (0.01, 0.05, 0.1, 0.2, 0.5)
_BASELINE_TRANSLATIONS = {1022: 7, 1036: 8}


def _shares(pairs: SentencePairs, side: str, order: int) -> Floats:
    """Return the shares of n-grams that are unknown and in quartiles 1 to 4, shape (pairs, 5)."""
    table = pairs.resources.given(f"{side}_frequencies", Frequencies)
    return pairs.kept(f"{side} shares {order}", lambda: table.shares(pairs.side(side).words, order=order))


def _quartile(group: str, side: str, order: int, quartile: int) -> Feature:
    is_source = side == "source"
    return feature(
        group, f"{side}_{_ORDERS[order]}_quartile_{quartile}",
        f"share of the {side}'s {_RUNS[order]} that are {_HOW_FREQUENT[quartile]} in a corpus of its language "
        f"(quartile {quartile} of frequency)",
        lambda p: _shares(p, side, order)[:, quartile], needs=f"{side}_frequencies",
        quest=_QUARTILE_QUEST[order] + quartile - 1 if is_source else None,
        baseline=_QUARTILE_BASELINE.get((order, quartile)) if is_source else None,
    )  # fmt: skip


def _seen(group: str, side: str, order: int) -> Feature:
    is_source = side == "source"
    return feature(
        group, f"{side}_{_ORDERS[order]}_seen",
        f"share of the {side}'s {_RUNS[order]} that occur in a corpus of its language",
        lambda p: 1 - _shares(p, side, order)[:, 0], needs=f"{side}_frequencies", neutral=1.0,
        quest=_SEEN_QUEST[order] if is_source else None, baseline=15 if is_source and order == 1 else None,
    )  # fmt: skip


def _counts(pairs: SentencePairs, side: str) -> Floats:
    """Return the count of each word in the corpus, 0 for unknown words."""

    def look_up() -> Floats:
        table = pairs.resources.given(f"{side}_frequencies", Frequencies)
        counts, find = table.counts[0].tolist(), table.numbers.get
        counts.append(0.0)  # of the number -1
        return pairs.side(side).values(lambda word: counts[find(word, -1)], cased=False)

    return pairs.kept(f"{side} counts", look_up)


def _log_counts(pairs: SentencePairs, side: str) -> Floats:
    return pairs.side(side).means(np.log10(1 + _counts(pairs, side)))


QUARTILE_SHARES = (
    *(_quartile("quartiles", "source", order, quartile) for order in _ORDERS for quartile in range(1, QUARTILES + 1)),
    *(_seen("quartiles", "source", order) for order in _ORDERS),
    feature("quartiles", "source_log_count",
            "how often the source's words occur in a corpus of its language, on average (log10 of 1 and the count)",
            lambda p: _log_counts(p, "source"), needs="source_frequencies", quest=1061),
)  # fmt: skip

TARGET_QUARTILES = (
    *(_quartile("more", "target", order, quartile) for order in _ORDERS for quartile in range(1, QUARTILES + 1)),
    *(_seen("more", "target", order) for order in _ORDERS),
    feature("more", "target_log_count",
            "how often the target's words occur in a corpus of its language, on average (log10 of 1 and the count)",
            lambda p: _log_counts(p, "target"), needs="target_frequencies"),
)  # fmt: skip


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


TRANSLATIONS = tuple(_of_limit(limit, number, name) for name in _WEIGHTS for number, limit in enumerate(_LIMITS))
