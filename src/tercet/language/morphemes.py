"""Unsupervised segmentation of words into morphemes (stems, prefixes, endings), learnt from a list of words.

Creutz and Lagus (2002), "Unsupervised Discovery of Morphemes", ACL workshop on Morphological and Phonological Learning:
among all segmentations of the words, find the one with the shortest code (minimum description length). A code book
spells each morpheme once, at a fixed cost in nats per character. The words are then encoded as morphemes, and frequent
morphemes have shorter codes. A word is split in two wherever that shortens the total code, and its parts recursively; a
part is split in the same way in all words. The morpheme-based scores of Popović (2012) use Morfessor, which developed
from this method.

Unlike in the paper, the search starts from splits that are promising by the numbers of words with the same beginning
and with the same end: starting from whole words, only parts that are words themselves would be found. The search is
deterministic.
"""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from unicodedata import category

from ..errors import DataError

LONGEST = 40  # characters; longer words are not split
MOST_PASSES = 10
WORTHWHILE = 0.005  # stop after a pass that shortens the code by a smaller share


@dataclass(frozen=True)
class Morphemes:
    """A segmentation of words. The parts of a word, concatenated, are the word.

    words: the parts of each training word that has more than one. counts: the number of occurrences of each morpheme in
    the training words. nats: the cost of spelling one character.
    """

    words: Mapping[str, tuple[str, ...]] = field(repr=False)
    counts: Mapping[str, int] = field(repr=False)
    nats: float

    def split(self, word: str) -> tuple[str, ...]:
        """Return the morphemes of a word. A word that was not in the training words gets the shortest code."""
        if word in self.words:
            return self.words[word]
        if word in self.counts or not _is_divisible(word):
            return (word,)
        return self._shortest(word)

    @cached_property
    def _log_tokens(self) -> float:
        return math.log(sum(self.counts.values()) or 1)

    def _shortest(self, word: str) -> tuple[str, ...]:
        """Return the segmentation with the shortest code, by dynamic programming; unknown parts are spelt."""
        tokens = self._log_tokens
        ends = [0, *_places(word), len(word)]
        costs, before = {0: 0.0}, {0: 0}
        for at, end in enumerate(ends[1:], 1):
            costs[end] = math.inf
            for start in ends[:at]:
                part = word[start:end]
                known = self.counts.get(part)
                own = tokens - math.log(known) if known else tokens + self.nats * (len(part) + 1)
                if costs[start] + own < costs[end]:
                    costs[end], before[end] = costs[start] + own, start
        parts, end = [], len(word)
        while end:
            parts.append(word[before[end] : end])
            end = before[end]
        return tuple(reversed(parts))


def learn_morphemes(counts: Mapping[str, int]) -> Morphemes:
    """Learn morphemes from words and their counts, which weigh 1 + log2 n, so that frequent words are split too."""
    for word, count in counts.items():
        if not word or count < 1:
            raise DataError(f"The word {word!r} has the count {count}. Words must not be empty, counts at least 1.")
    weights = {word: int(count).bit_length() for word, count in counts.items() if _is_divisible(word)}
    # Short words first, so that stems are split before longer words with them. The order of `counts` has no effect.
    words = sorted(weights, key=lambda word: (len(word), word))
    learner = _Learner(_nats(words))
    for word in words:
        learner.add(word, weights[word])
    for word, parts in _promising(words, learner.nats).items():
        learner.divide(word, parts)
    before = math.inf
    for _ in range(MOST_PASSES):
        for word in words:
            learner.improve(word)
        cost = learner.cost()
        if cost > before * (1 - WORTHWHILE):
            break
        before = cost
    split = {word: tuple(learner.leaves(word)) for word in words if word in learner.parts}
    return Morphemes(split, dict(learner.counts), learner.nats)


class _Learner:
    """The words as binary trees of shared parts; `counts` has the counts of the leaves, which are the morphemes."""

    def __init__(self, nats: float) -> None:
        self.nats = nats
        self.uses: Counter[str] = Counter()  # of every part, split or not
        self.parts: dict[str, tuple[str, str]] = {}
        self.counts: dict[str, int] = {}
        self.tokens = 0

    def divide(self, word: str, parts: tuple[str, str]) -> None:
        """Split a word into two parts, whatever that costs."""
        uses = self.uses[word]
        self.add(word, -uses)
        self.parts[word] = parts
        self.add(word, uses)

    def improve(self, part: str) -> None:
        """Split a part again, or make it whole, so that the code is shortest; then improve its parts."""
        uses = self.uses[part]
        self.add(part, -uses)
        best, cheapest = None, self._added([part], uses)
        for at in _places(part):
            pair = part[:at], part[at:]
            if pair[0] not in self.uses and pair[1] not in self.uses:
                continue  # two new entries of the code book are never shorter than one
            cost = self._added([*self.leaves(pair[0]), *self.leaves(pair[1])], uses)
            if cost < cheapest - 1e-9:
                best, cheapest = pair, cost
        if best is not None:
            self.parts[part] = best
        self.add(part, uses)
        for side in dict.fromkeys(best or ()):
            if len(side) > 1 and side in self.uses:  # improving the other side may have removed it
                self.improve(side)

    def leaves(self, part: str) -> Iterator[str]:
        if part in self.parts:
            for side in self.parts[part]:
                yield from self.leaves(side)
        else:
            yield part

    def cost(self) -> float:
        """Return the length of the code in nats: of the words and of the code book."""
        text = _nlogn(self.tokens) - sum(map(_nlogn, self.counts.values()))
        return text + sum(self.nats * (len(part) + 1) for part in self.counts)

    def _added(self, leaves: list[str], uses: int) -> float:
        """Return the increase of the code's length if these morphemes get `uses` more uses."""
        cost = _nlogn(self.tokens + uses * len(leaves))
        for at, leaf in enumerate(leaves):
            before = self.counts.get(leaf, 0) + uses * leaves[:at].count(leaf)
            cost -= _nlogn(before + uses) - _nlogn(before)
            if not before:
                cost += self.nats * (len(leaf) + 1)
        return cost

    def add(self, part: str, uses: int) -> None:
        """Add `uses` to a part; a part with no uses is removed, with its split."""
        self.uses[part] += uses
        if part in self.parts:
            for side in self.parts[part]:
                self.add(side, uses)
        else:
            self.tokens += uses
            self.counts[part] = self.counts.get(part, 0) + uses
            if not self.counts[part]:
                del self.counts[part]
        if not self.uses[part]:
            del self.uses[part]
            self.parts.pop(part, None)


def _promising(words: list[str], nats: float) -> dict[str, tuple[str, str]]:
    """Return the best split of each word if a part's cost were shared by all words that begin or end with it."""
    beginnings: Counter[str] = Counter()
    ends: Counter[str] = Counter()
    for word in words:
        beginnings.update(word[:at] for at in (*_places(word), len(word)))
        ends.update(word[at:] for at in (0, *_places(word)))
    total = math.log(len(words) or 1)
    found = {}
    for word in words:
        sharing = max(beginnings[word], ends[word])
        cheapest = total - math.log(sharing) + nats * (len(word) + 1) / sharing
        for at in _places(word):
            first, last = beginnings[word[:at]], ends[word[at:]]
            cost = 2 * total - math.log(first * last) + nats * ((at + 1) / first + (len(word) - at + 1) / last)
            if cost < cheapest:
                cheapest, found[word] = cost, (word[:at], word[at:])
    return found


def _nats(words: list[str]) -> float:
    """Return the entropy in nats of a character of the words, including the mark at their end."""
    counts = Counter("".join(words))
    total = counts.total() + len(words)
    return math.log(total) - (sum(map(_nlogn, counts.values())) + _nlogn(len(words))) / total if total else 0.0


def _nlogn(count: int) -> float:
    return count * math.log(count) if count else 0.0


def _is_divisible(word: str) -> bool:
    return 1 < len(word) <= LONGEST and any(map(str.isalpha, word))


def _places(word: str) -> Sequence[int]:
    """Return the positions where a word may be split: not before a combining mark."""
    places = range(1, len(word))
    return places if word.isascii() else [at for at in places if category(word[at])[0] != "M"]
