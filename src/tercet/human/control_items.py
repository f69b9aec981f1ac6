"""Make control items: damaged copies, exact repeats, and references in place of outputs.

Graham et al. (2017), "Can machine translation systems be evaluated by the crowd alone". They are copies of items that
the rater judges, because every check compares judgements of the same rater. Raters who get a copy of the same item get
the same copy. If documents are kept whole, whole documents are copied. In a ranking, the damaged copy of one output
takes the place of another output, so that it is ranked beside its original, in a set as large as all others.

A damaged copy has a phrase from another output in place of one of its own (section 3.2): the longer the output, the
longer the phrase (`PHRASE`). The first and the last word are kept if the output is long enough, so that the damage is
not obvious. In scripts without spaces (Chinese, Japanese, Thai, …) a character, with its combining marks, is a word.
"""

import logging
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import permutations
from random import Random

from ..data.assessments import segment_names
from ..data.testset import TestSet
from .campaign import Item, Output
from .sampling import Block, Copy

DAMAGED = " (damaged)"  # follows the name of a system whose damaged copy is ranked beside its output
TRIES = 20  # attempts per output; only outputs that are almost equal need more than one
PHRASE = ((1, 1), (5, 2), (8, 3), (15, 4), (20, 5))  # (words in the output up to, words replaced); above 20: a quarter

_JOINED = (
    r"[\u0300-\u036f\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ece\u102b-\u103e\u17b4-\u17d3\u200d"
    r"\ufe00-\ufe0f\u3099\u309a\U000e0100-\U000e01ef]"
)
_UNSPACED = (
    r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    r"\uf900-\ufaff\U00020000-\U0003ffff]"
)
_WORD = re.compile(rf"{_UNSPACED}{_JOINED}*|(?:(?!{_UNSPACED})\S)+")


def degraded(text: str, others: Sequence[str], random: Random) -> str | None:
    """Return the text with one phrase replaced by a phrase of one of `others`, or None if no change is possible."""
    places = _places(text)
    if not places or not others:
        return None
    length = phrase_length(len(places))
    for _ in range(TRIES):
        other = random.choice(others)
        if other == text:
            continue
        phrase = _phrase(other, length, random)
        keep_ends = len(places) - length >= 2
        start = random.randrange(1, len(places) - length) if keep_ends else random.randrange(len(places) - length + 1)
        before, after = text[: places[start][0]], text[places[start + length - 1][1] :]
        changed = before + phrase + after
        if phrase and changed != text:
            return changed
    return None


def phrase_length(words: int) -> int:
    """Return how many words are replaced in an output of `words` words."""
    for limit, length in PHRASE:
        if words <= limit:
            return min(length, words)
    return words // 4


def _places(text: str) -> list[tuple[int, int]]:
    return [match.span() for match in _WORD.finditer(text)]


def _phrase(text: str, length: int, random: Random) -> str:
    """Draw a phrase of `length` words, or the whole text if it has fewer."""
    places = _places(text)
    if not places:
        return ""
    start = random.randrange(max(len(places) - length, 0) + 1)
    return text[places[start][0] : places[min(start + length, len(places)) - 1][1]]


log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Controls:
    """The maker of control items for one group of raters. shown: the name of the reference they see, or empty."""

    testset: TestSet
    shown: str
    random: Random
    made: dict[tuple[str, str], Block | None] = field(default_factory=dict)

    def copies(self, blocks: Sequence[Block], bad: float, repeats: float, hidden: float) -> list[Copy]:
        """Make control items for a rater who judges these blocks. bad, repeats, hidden: the number per block."""
        taken: set[int] = set()  # at most one copy per block, so that each can be placed far from its original
        found = self._choose(blocks, bad, "bad", self._bad, taken)
        found += self._choose(blocks, repeats, "repeat", self._repeat, taken)
        references = self._choose(blocks, hidden, "reference", self._hidden, set())
        return found + [Copy(copy.block, None) for copy in references]

    def _choose(
        self, blocks: Sequence[Block], share: float, check: str, make: Callable[[Block], Block | None], taken: set[int]
    ) -> list[Copy]:
        wanted = max(1, round(share * len(blocks))) if share and blocks else 0
        found: list[Copy] = []
        ids: set[str] = set()
        for place in self.random.sample(range(len(blocks)), len(blocks)):
            if len(found) == wanted:
                break
            if place in taken:
                continue
            key = check, blocks[place][0].id
            if key not in self.made:
                self.made[key] = make(blocks[place])
            block = self.made[key]
            if block is not None and block[0].id not in ids:  # outputs of one segment share a hidden reference
                ids.add(block[0].id)
                taken.add(place)
                found.append(Copy(block, place))
        if len(found) < wanted:
            log.warning("For a rater, only %d of %d control items (%s) could be made.", len(found), wanted, check)
        return found

    def _bad(self, block: Block) -> Block | None:
        """Return the block with damaged outputs, or None. In a document, outputs that cannot be damaged are repeats."""
        items = list(map(self._damaged, block))
        if tuple(items) == block:
            return None
        return tuple(
            replace(item, id=f"bad\t{item.id}", check="repeat" if item == original else "bad", of=item.id)
            for item, original in zip(items, block, strict=True)
        )

    def _damaged(self, item: Item) -> Item:
        """Return the item with a damaged output, or unchanged; in a set, it takes the place of another output."""
        several = len(item.outputs) > 1
        pairs = list(permutations(range(len(item.outputs)), 2))
        for place, other in self.random.sample(pairs, 2) if several else [(0, 0)]:
            system, text, _ = item.outputs[place]
            worse = degraded(text, self.testset.outputs[system], self.random)
            if worse is not None:
                outputs = list(item.outputs)
                outputs[other] = Output(system + DAMAGED if several else system, worse)
                return replace(item, outputs=tuple(outputs))
        return item

    def _repeat(self, block: Block) -> Block:
        return tuple(replace(item, id=f"repeat\t{item.id}", check="repeat", of=item.id) for item in block)

    def _hidden(self, block: Block) -> Block | None:
        """Return the block with a reference in place of an output (not the one shown, if there are others), or None."""
        rows = [self._rows[item.segment] for item in block]
        for name in sorted(self.testset.references, key=lambda name: name == self.shown):
            texts = [self.testset.references[name][row] for row in rows]
            if name not in block[0].systems and all(text is not None for text in texts):
                break
        else:
            return None
        place = self.random.randrange(len(block[0].outputs))
        rest = [system for number, system in enumerate(block[0].systems) if number != place]
        return tuple(
            replace(
                item,
                id="\t".join(("reference", item.reference_name, item.segment, *rest)),
                outputs=(*item.outputs[:place], Output(name, text or ""), *item.outputs[place + 1 :]),
                check="reference",
            )
            for item, text in zip(block, texts, strict=True)
        )

    @cached_property
    def _rows(self) -> dict[str, int]:
        return {name: row for row, name in enumerate(segment_names(self.testset))}
