"""Assign items to raters in a balanced way, and put them in a random order with control items among them.

The unit is a block: items that are shown one after the other, either one segment or a whole document.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from random import Random
from typing import NamedTuple

from .campaign import Item

APART = 40  # least number of items between an item and its copy, if the list is long enough: Graham et al. (2017)

Block = tuple[Item, ...]


class Copy(NamedTuple):
    """A block of control items. of: the index, in the rater's list, of the block it was copied from, or None."""

    block: Block
    of: int | None


def assign(blocks: Sequence[Block], raters: int, redundancy: int, random: Random) -> list[list[Block]]:
    """Assign every block to `redundancy` different raters, and return the list of blocks of each rater.

    Raters get equally many items; numbers differ by at most one item (or by the length of the longest block). Ties are
    broken in this order: the rater who has seen fewest outputs of these systems; the rater who shares fewest blocks
    with the raters already chosen, so that every two raters have items in common if possible; a random number.
    """
    loads = [0] * raters
    seen: list[Counter[str]] = [Counter() for _ in range(raters)]
    together: Counter[tuple[int, int]] = Counter()
    dealt: list[list[Block]] = [[] for _ in range(raters)]
    order = random.sample(range(len(blocks)), len(blocks))
    for place in sorted(order, key=lambda place: -len(blocks[place])):  # long blocks first: short ones even out loads
        block = blocks[place]
        systems = block[0].systems
        chosen: list[int] = []
        for _ in range(redundancy):
            keys = [
                (
                    loads[rater],
                    sum(seen[rater][system] for system in systems),
                    sum(together[min(rater, other), max(rater, other)] for other in chosen),
                    random.random(),
                    rater,
                )
                for rater in range(raters)
                if rater not in chosen
            ]
            chosen.append(min(keys)[-1])
        for rater in chosen:
            dealt[rater].append(block)
            loads[rater] += len(block)
            seen[rater].update(systems)
        together.update((one, other) for one in chosen for other in chosen if one < other)
    return dealt


def shuffle_with_copies(blocks: Sequence[Block], copies: Sequence[Copy], random: Random) -> list[Item]:
    """Return a rater's items in random order, with copies at random positions that are not near their originals.

    A repeat comes after its original; a damaged copy comes before or after it.
    """
    sequence: list[int] = random.sample(range(len(blocks)), len(blocks))
    shown: dict[int, Block] = dict(enumerate(blocks))
    length = sum(map(len, blocks)) / max(len(blocks), 1)
    # In a short list a larger distance would keep copies out of the middle, which raters could notice.
    apart = min(int(APART / max(length, 1)), len(blocks) // 5)
    for number, copy in enumerate(random.sample(copies, len(copies)), len(blocks)):
        shown[number] = copy.block
        # Later insertions only increase distances, so a distance that is large enough now stays large enough.
        original = None if copy.of is None else sequence.index(copy.of)
        sequence.insert(_place(len(sequence), original, apart, random), number)
        if copy.of is not None and copy.block[0].check == "repeat":
            first, second = sorted((sequence.index(copy.of), sequence.index(number)))
            sequence[first], sequence[second] = copy.of, number
    return [item for number in sequence for item in shown[number]]


def _place(length: int, original: int | None, apart: int, random: Random) -> int:
    """Draw a position at least `apart` places away from the original, uniformly; any position if there is none."""
    if original is None:
        return random.randrange(length + 1)
    before = max(0, original - apart + 1)
    after = max(0, length - original - apart)
    if not before + after:
        return random.randrange(length + 1)
    drawn = random.randrange(before + after)
    return drawn if drawn < before else original + apart + 1 + drawn - before


def random_ids(items: Sequence[Item], random: Random) -> Mapping[str, str]:
    """Map old ids to new ones, 0001, 0002, … in random order, so that an id reveals nothing about its item."""
    width = max(4, len(str(len(items))))
    ids = [item.id for item in items]
    return {old: f"{number:0{width}d}" for number, old in enumerate(random.sample(ids, len(ids)), 1)}
