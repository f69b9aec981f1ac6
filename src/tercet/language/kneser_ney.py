"""Estimate n-gram models with interpolated modified Kneser-Ney smoothing.

Chen and Goodman (1999), "An empirical study of smoothing techniques for language modeling", Computer Speech and
Language 13, section 3. Details that the paper leaves open follow KenLM's lmplz (Heafield, Pouzyrevsky, Clark and
Koehn, 2013, "Scalable Modified Kneser-Ney Language Model Estimation", ACL):

- an n-gram that begins with <s> has no preceding word, so its own count replaces the number of preceding words;
- single words are interpolated with the uniform distribution over the vocabulary and <unk>, without <s>;
- pruned n-grams still count in the discounts and in their contexts' totals; their probability goes to backing off;
- if the discounts of an order are undefined or not positive (because no n-grams occur once, or twice, or three times:
  all are singletons, or they are tags), the order gets the discounts 0.5, 1 and 1.5 of lmplz --discount_fallback.

Unlike in lmplz, lines without words are skipped: in corpora they separate documents.
"""

import logging
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..errors import DataError, UsageError
from ..types import Floats
from .ngram_models import BEGIN, END, MARKS, UNKNOWN, Grams, NgramModel, split

log = logging.getLogger(__name__)

Ints = NDArray[np.int64]

LARGEST_ORDER = 6  # KenLM's limit unless it is compiled for more
FALLBACK = (0.5, 1.0, 1.5)


@dataclass(frozen=True)
class Discounts:
    """The discounts of counts of 1, 2, and 3 or more. is_fallback: whether they could not be estimated."""

    values: tuple[float, float, float]
    is_fallback: bool

    def of(self, counts: Ints) -> Floats:
        return np.array([0.0, *self.values])[np.minimum(counts, 3)]


@dataclass(frozen=True)
class _Counted:
    """The distinct n-grams of one order, sorted by parent and last word. adjusted: Kneser-Ney's counts."""

    parents: Ints
    words: Ints
    suffixes: Ints
    raw: Ints
    adjusted: Ints


def estimate(
    sentences: Iterable[str],
    *,
    order: int = 3,
    prune: Sequence[int] = (),
    min_count: int = 1,
    max_words: int | None = None,
) -> NgramModel:
    """Estimate a model from sentences of words or tags separated by ASCII blanks, in any order.

    prune: for each order the largest count at which n-grams are removed, starting with order 1. The last number also
        applies to higher orders. The first is 0 and they never decrease: (0, 0, 1) removes trigrams seen once.
    min_count: words that occur less often become <unk>.
    max_words: only the most frequent words are kept; ties are broken by code points.

    <unk> in a text is an unknown word.
    """
    if isinstance(sentences, str):
        raise UsageError("estimate needs a list of sentences, not a string.")
    thresholds = _thresholds(order, prune)
    if min_count < 1 or (max_words is not None and max_words < 1):
        raise UsageError("min_count and max_words must be at least 1.")
    words, ids, places = _code(sentences, min_count, max_words)
    counted = _count(ids, places, len(words), order)
    return NgramModel(words, _smooth(counted, len(words), thresholds))


def estimate_discounts(counts: Ints) -> Discounts:
    """Return the discounts of modified Kneser-Ney from counts of n-grams (Chen and Goodman, 1999, equation 26)."""
    n1, n2, n3, n4 = (int(n) for n in np.bincount(np.minimum(counts, 5), minlength=5)[1:5])
    if n1 and n2 and n3:  # without n4 the last discount is 3
        y = n1 / (n1 + 2 * n2)
        values = (1 - 2 * y * n2 / n1, 2 - 3 * y * n3 / n2, 3 - 4 * y * n4 / n3)
        if min(values) > 0:  # lmplz accepts 0, which can leave no probability for unseen words
            return Discounts(values, False)
    return Discounts(FALLBACK, True)


def _thresholds(order: int, prune: Sequence[int]) -> list[int]:
    if not 1 <= order <= LARGEST_ORDER:
        raise UsageError(f"The order of a model must be 1 to {LARGEST_ORDER}, not {order}.")
    given = list(prune) or [0]
    if len(given) > order or given[0] != 0 or given != sorted(given):
        shown = " ".join(map(str, given))
        raise UsageError(
            f"Pruning by {shown!r} is not possible for order {order}. Give at most one number per order. The first "
            "must be 0 (use min_count to remove words), and none may be smaller than the previous one."
        )
    return given + given[-1:] * (order - len(given))


def _code(sentences: Iterable[str], min_count: int, max_words: int | None) -> tuple[list[str], Ints, Ints]:
    """Return the vocabulary, the text as word numbers with <s> and </s>, and each word's position in its sentence."""
    numbers = {mark.encode(): number for number, mark in enumerate(MARKS)}
    coded, lengths = array("q"), array("q")
    for sentence in sentences:
        line = [numbers.setdefault(word, len(numbers)) for word in split(sentence)]
        lengths.append(len(line))
        coded.extend(line)
    words, text = np.frombuffer(lengths, dtype=np.int64), np.frombuffer(coded, dtype=np.int64)
    if not len(text):
        raise DataError(f"A language model cannot be estimated: the {len(words)} sentences have no words.")
    marked = np.flatnonzero((text == BEGIN) | (text == END))
    if len(marked):
        number = int(np.searchsorted(np.cumsum(words), marked[0], side="right")) + 1
        raise DataError(
            f"Sentence {number} contains {MARKS[text[marked[0]]]}, which marks sentence boundaries in a language "
            "model. Remove it: the marks are added automatically."
        )
    vocabulary, renumbered = _cut_off(list(numbers), np.bincount(text, minlength=len(numbers)), min_count, max_words)
    words = words[words > 0]
    ends = np.cumsum(words + 2)
    ids = np.full(len(text) + 2 * len(words), -1, dtype=np.int64)
    ids[ends - 1], ids[ends - words - 2] = END, BEGIN
    ids[ids < 0] = renumbered[text]
    return vocabulary, ids, np.arange(len(ids)) - np.repeat(ends - words - 2, words + 2)


def _cut_off(words: list[bytes], counts: Ints, min_count: int, max_words: int | None) -> tuple[list[str], Ints]:
    """Return the words that are kept, most frequent first, and the new number of each word."""
    # So frequent words are close together in memory, and numbers do not depend on the order of sentences.
    ranked = sorted(range(len(MARKS), len(words)), key=lambda number: (-counts[number], words[number]))
    kept = [number for number in ranked if counts[number] >= min_count][:max_words]
    renumbered = np.full(len(words), UNKNOWN, dtype=np.int64)
    renumbered[kept] = np.arange(len(MARKS), len(MARKS) + len(kept))
    try:
        return [*MARKS, *(words[number].decode() for number in kept)], renumbered
    except UnicodeDecodeError as error:
        raise DataError(f"The word {error.object!r} contains a lone surrogate, which is not a character.") from None


def _count(ids: Ints, places: Ints, size: int, order: int) -> list[_Counted]:
    raw = np.bincount(ids, minlength=size)
    raw[BEGIN] = 0  # never predicted
    singles = np.arange(size)
    found = [_Counted(np.zeros(size, dtype=np.int64), singles, np.zeros(size, dtype=np.int64), raw, raw)]
    is_first = singles == BEGIN  # whether an n-gram begins with <s>
    nodes = ids  # the number of the n-gram that ends at each position
    for n in range(2, order + 1):
        at = np.flatnonzero(places >= n - 1)
        # The key joins the numbers of the first n-1 words and the last word: below 2^63 for any text in memory.
        keys, inverse, raw = np.unique(nodes[at - 1] * size + ids[at], return_inverse=True, return_counts=True)
        suffixes = np.empty(len(keys), dtype=np.int64)
        suffixes[inverse] = nodes[at]
        before = np.bincount(suffixes, minlength=len(found[-1].words))
        found[-1] = replace(found[-1], adjusted=np.where(is_first, found[-1].raw, before))
        found.append(_Counted(keys // size, keys % size, suffixes, raw, raw))
        is_first = is_first[found[-1].parents]
        nodes = np.full(len(ids), -1, dtype=np.int64)
        nodes[at] = inverse
    return found


def _smooth(counted: list[_Counted], size: int, thresholds: list[int]) -> list[Grams]:
    """Return the probabilities and back-off weights of the n-grams that are not pruned."""
    found: list[Grams] = []
    shorter = np.full(1, 1 / (size - 1))  # the uniform distribution, without <s>
    numbers = np.zeros(1, dtype=np.int64)  # indices of the previous order's n-grams after pruning
    for n, (grams, threshold) in enumerate(zip(counted, thresholds, strict=True), 1):
        discounts = estimate_discounts(grams.adjusted[grams.adjusted > 0])
        log.info("order %d: discounts %s%s", n, discounts.values, " (fallback)" if discounts.is_fallback else "")
        kept = (grams.raw > threshold) | (n == 1)
        taken = np.where(kept, discounts.of(grams.adjusted), grams.adjusted)
        totals = np.bincount(grams.parents, grams.adjusted, minlength=len(shorter))
        left = np.bincount(grams.parents, taken, minlength=len(shorter))
        weights = np.divide(left, totals, out=np.ones(len(shorter)), where=totals > 0)
        own = (grams.adjusted - taken) / totals[grams.parents]
        probabilities = np.minimum(own + weights[grams.parents] * shorter[grams.suffixes], 1)  # not 1 + 2^-52
        if found:
            stays = numbers >= 0
            found[-1].backoffs[:] = np.log10(weights[stays])
        logs = np.log10(probabilities)
        if n == 1:
            logs[BEGIN] = -99.0  # SRILM's value for words that are never predicted
        parents = numbers[grams.parents[kept]]
        found.append(Grams(parents, grams.words[kept], logs[kept], np.zeros(int(kept.sum()))))
        shorter = probabilities
        numbers = np.where(kept, np.cumsum(kept) - 1, -1)
    return found
