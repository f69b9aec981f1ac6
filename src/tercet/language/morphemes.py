"""Words in their morphemes: stems, prefixes and endings, learnt from a list of words and nothing else.

Creutz and Lagus (2002), "Unsupervised Discovery of Morphemes", ACL workshop on Morphological and Phonological Learning:
of all ways to write the words as sequences of morphemes that one is sought whose code is shortest. A code book spells
each morpheme once, at so many nats for a character; the words are then written with a code in which frequent morphemes
are short. A word is split in two wherever that shortens the whole, and its parts again; a part is split the same way in
all words. Morpheme-based scores of Popović (2012) took their morphemes from Morfessor, which goes on from there.

Unlike the paper the search begins with splits that look worthwhile by how many words share the beginning and how many
the end, because from whole words alone no part is found that is not a word itself; and it draws no lots.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from unicodedata import category

from ..errors import DataError

LONGEST = 40  # characters of a word that is split; what is longer is no word
MOST_PASSES = 10
WORTHWHILE = 0.005  # a pass that saves a smaller share is the last


@dataclass(frozen=True)
class Morphemes:
    """How words are split. The parts of a word joined are the word.

    words: the parts of each word that was learnt from, where there is more than one. counts: how often each morpheme
    occurs in these words. nats: what it costs to spell one character.
    """

    words: Mapping[str, tuple[str, ...]] = field(repr=False)
    counts: Mapping[str, int] = field(repr=False)
    nats: float

    def split(self, word: str) -> tuple[str, ...]:
        """The morphemes of a word. A word that was not learnt from is split so that its code is shortest."""
        if word in self.words:
            return self.words[word]
        if word in self.counts or not _is_divisible(word):
            return (word,)
        return self._shortest(word)

    @cached_property
    def _log_tokens(self) -> float:
        return math.log(sum(self.counts.values()) or 1)

    def _shortest(self, word: str) -> tuple[str, ...]:
        """By dynamic programming; a part that is no morpheme is spelt."""
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
    """The morphemes of words from how often each occurs.

    A word that occurs n times weighs 1 + log2 n, rounded down: with their full numbers frequent words would never be
    split. Words over LONGEST characters and those without a letter stay whole, and nothing is learnt from them.
    """
    for word, count in counts.items():
        if not word or count < 1:
            raise DataError(f"The word {word!r} occurs {count} times; words are not empty and occur at least once.")
    weights = {word: int(count).bit_length() for word, count in counts.items() if _is_divisible(word)}
    # Short words first: stems are settled before the words that hold them. No lots, whatever the order of `counts`.
    words = sorted(weights, key=lambda word: (len(word), word))
    learner = _Learner(_nats(words))
    for word in words:
        learner.begin(word, weights[word])
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
    """The words as trees of parts, which all words share; `counts` has the leaves, the morphemes."""

    def __init__(self, nats: float) -> None:
        self.nats = nats
        self.uses: Counter[str] = Counter()  # of every part, divided or not
        self.parts: dict[str, tuple[str, str]] = {}
        self.counts: dict[str, int] = {}
        self.tokens = 0

    def begin(self, word: str, weight: int) -> None:
        self._add(word, weight)

    def divide(self, word: str, parts: tuple[str, str]) -> None:
        """Divide a word in two, whatever that costs."""
        uses = self.uses[word]
        self._add(word, -uses)
        self.parts[word] = parts
        self._add(word, uses)

    def improve(self, part: str) -> None:
        """Divide a part anew, and its parts, or make it whole: whatever makes the code shortest."""
        uses = self.uses[part]
        self._add(part, -uses)
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
        self._add(part, uses)
        for side in dict.fromkeys(best or ()):
            if len(side) > 1 and side in self.uses:  # the other side may have taken it apart
                self.improve(side)

    def leaves(self, part: str) -> Iterator[str]:
        """The morphemes of a part."""
        if part in self.parts:
            for side in self.parts[part]:
                yield from self.leaves(side)
        else:
            yield part

    def cost(self) -> float:
        """The length of the code in nats: of the words, and of the code book."""
        text = _nlogn(self.tokens) - sum(map(_nlogn, self.counts.values()))
        return text + sum(self.nats * (len(part) + 1) for part in self.counts)

    def _added(self, leaves: list[str], uses: int) -> float:
        """How much longer the code becomes when these morphemes are used so often more."""
        cost = _nlogn(self.tokens + uses * len(leaves))
        for at, leaf in enumerate(leaves):
            before = self.counts.get(leaf, 0) + uses * leaves[:at].count(leaf)
            cost -= _nlogn(before + uses) - _nlogn(before)
            if not before:
                cost += self.nats * (len(leaf) + 1)
        return cost

    def _add(self, part: str, uses: int) -> None:
        """Use a part so often more; what is used no more is forgotten, with how it was divided."""
        self.uses[part] += uses
        if part in self.parts:
            for side in self.parts[part]:
                self._add(side, uses)
        else:
            self.tokens += uses
            self.counts[part] = self.counts.get(part, 0) + uses
            if not self.counts[part]:
                del self.counts[part]
        if not self.uses[part]:
            del self.uses[part]
            self.parts.pop(part, None)


def _promising(words: list[str], nats: float) -> dict[str, tuple[str, str]]:
    """Where words look best divided, if a beginning and an end shared their cost with all words that have them."""
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
    """The entropy of a character of the words and the mark at their ends, in nats."""
    counts = Counter("".join(words))
    total = counts.total() + len(words)
    return math.log(total) - (sum(map(_nlogn, counts.values())) + _nlogn(len(words))) / total if total else 0.0


def _nlogn(count: int) -> float:
    return count * math.log(count) if count else 0.0


def _is_divisible(word: str) -> bool:
    return 1 < len(word) <= LONGEST and any(map(str.isalpha, word))


def _places(word: str) -> Sequence[int]:
    """Where a word may be divided: not before a mark that belongs to the letter before it."""
    places = range(1, len(word))
    return places if word.isascii() else [at for at in places if category(word[at])[0] != "M"]
