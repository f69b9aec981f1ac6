"""Who judges what, and in which order: balanced assignment, and control items where nobody expects them.

The unit is a block: items that are shown one after the other, one segment or a whole document.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from random import Random
from typing import NamedTuple

from .campaign import Item

APART = 40  # items between an item and its copy, where there are enough: Graham et al. (2017)

Block = tuple[Item, ...]


class Copy(NamedTuple):
    """A block of control items. of: the place of the block in the rater's list that it was made from, or None."""

    block: Block
    of: int | None


def assign(blocks: Sequence[Block], raters: int, redundancy: int, random: Random) -> list[list[Block]]:
    """The blocks of each rater: every block goes to `redundancy` different raters.

    Numbers of items differ by at most one between raters (by at most the longest block). Among the raters with the
    fewest items one is taken who has seen least of these systems, then one who has judged least together with those
    already chosen, so that every two raters have items in common where possible; then at random.
    """
    loads = [0] * raters
    seen: list[Counter[str]] = [Counter() for _ in range(raters)]
    together: Counter[tuple[int, int]] = Counter()
    dealt: list[list[Block]] = [[] for _ in range(raters)]
    order = random.sample(range(len(blocks)), len(blocks))
    for place in sorted(order, key=lambda place: -len(blocks[place])):  # long ones first, short ones even it out
        block = blocks[place]
        systems = block[0].systems
        chosen: list[int] = []
        for _ in range(redundancy):
            keys = {
                rater: (
                    loads[rater],
                    sum(seen[rater][system] for system in systems),
                    sum(together[min(rater, other), max(rater, other)] for other in chosen),
                    random.random(),
                )
                for rater in range(raters)
                if rater not in chosen
            }
            chosen.append(min(keys, key=keys.__getitem__))
        for rater in chosen:
            dealt[rater].append(block)
            loads[rater] += len(block)
            seen[rater].update(systems)
        together.update((one, other) for one in chosen for other in chosen if one < other)
    return dealt


def mixed(blocks: Sequence[Block], copies: Sequence[Copy], random: Random) -> list[Item]:
    """A rater's items in a random order, with copies at random places, but not near what they are copies of.

    A repeat comes after what it repeats; a damaged copy before or after it.
    """
    sequence: list[int] = random.sample(range(len(blocks)), len(blocks))
    shown: dict[int, Block] = dict(enumerate(blocks))
    length = sum(map(len, blocks)) / max(len(blocks), 1)
    # A larger part of a short list would keep copies out of its middle, which is a pattern too.
    apart = min(int(APART / max(length, 1)), len(blocks) // 5)
    for number, copy in enumerate(random.sample(copies, len(copies)), len(blocks)):
        shown[number] = copy.block
        # Later insertions only move things further apart, so what holds now holds in the end.
        original = None if copy.of is None else sequence.index(copy.of)
        sequence.insert(_place(len(sequence), original, apart, random), number)
        if copy.of is not None and copy.block[0].check == "repeat":
            first, second = sorted((sequence.index(copy.of), sequence.index(number)))
            sequence[first], sequence[second] = copy.of, number
    return [item for number in sequence for item in shown[number]]


def _place(length: int, original: int | None, apart: int, random: Random) -> int:
    """Where to insert into a list, `apart` or more places away from the original; all such places are as likely."""
    if original is None:
        return random.randrange(length + 1)
    before = max(0, original - apart + 1)
    after = max(0, length - original - apart)
    if not before + after:
        return random.randrange(length + 1)
    drawn = random.randrange(before + after)
    return drawn if drawn < before else original + apart + 1 + drawn - before


def numbered(items: Sequence[Item], random: Random) -> Mapping[str, str]:
    """New ids for items, 0001, 0002, … in random order, so that an id tells nothing."""
    width = max(4, len(str(len(items))))
    ids = [item.id for item in items]
    return {old: f"{number:0{width}d}" for number, old in enumerate(random.sample(ids, len(ids)), 1)}
