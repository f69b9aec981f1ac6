"""Sample the outputs of a test set that raters judge, and assign them to raters.

"random": random segments. "spread": the segments for which a metric's scores differ most between references, to study
the effect of the reference (Fomicheva 2017, section 6.1.1, with Meteor). "documents": random whole documents.

Items are assigned in a balanced way, and put in a random order with control items among them. The unit is a block:
items that are shown one after the other, either one segment or a whole document.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import NamedTuple

import numpy as np

from ..data.grouping import grouped
from ..data.lines import read_lines
from ..data.testset import TestSet
from ..errors import DataError, UsageError
from ..stats.resampling import SEED
from ..types import Floats
from .campaign import Item
from .design_options import Design


class Sampled(NamedTuple):
    """Segments (numbers from 0) that are judged together, and the systems whose outputs are judged."""

    rows: tuple[int, ...]
    systems: tuple[str, ...]


def sample(testset: TestSet, options: Design, random: Random, needed: Sequence[str]) -> list[Sampled]:
    """Return a sample of segments, or of documents, in the order of the test set. needed: references of each segment.

    There are at most `segments`; documents are not divided, and at least one is chosen. Of `per_segment` systems each
    is chosen about equally often; with "spread", those with the highest spread.
    """
    segments, per_segment = options.segments, options.per_segment
    if per_segment is not None and per_segment > len(testset.systems):
        raise UsageError(f"The number of systems per segment must be 1 to {len(testset.systems)}, not {per_segment}.")
    eligible = [row for row in range(len(testset)) if all(testset.references[name][row] is not None for name in needed)]
    if not eligible:
        raise UsageError(f"No segment of test set {testset.name!r} has all of the references {', '.join(needed)}.")
    if options.sampling == "spread":
        return _by_spread(testset, eligible, options)
    units = _documents(testset, eligible) if options.sampling == "documents" else [(row,) for row in eligible]
    chosen: list[tuple[int, ...]] = []
    room = len(testset) if segments is None else segments
    for unit in random.sample(units, len(units)):
        if len(unit) <= room or not chosen:
            chosen.append(unit)
            room -= len(unit)
    turns = _Turns(testset.systems, random)
    return [Sampled(unit, turns.take(per_segment or len(testset.systems))) for unit in sorted(chosen)]


def spread(testset: TestSet, metric: str = "chrf") -> Floats:
    """Return the standard deviation of scores over references, shape (systems, segments), NaN for fewer than two."""
    from ..metrics import Shard, create

    if len(testset.references) < 2:
        raise UsageError(
            f"Sampling by spread needs at least two references; {testset.name!r} has {len(testset.references)}."
        )
    made = create(metric)
    scores = np.full((len(testset.references), len(testset.systems), len(testset)), np.nan)
    for place, (name, lines) in enumerate(testset.references.items()):
        rows = [row for row, text in enumerate(lines) if text is not None]
        if rows:
            alone = replace(testset.take(rows), references={name: [lines[row] for row in rows]})
            ready = made.ready(alone)
            counts = ready.count(Shard(alone))
            for number, system in enumerate(testset.systems):
                scores[place, number, rows] = ready.score(counts[system])
    known = (~np.isnan(scores)).sum(0)
    centred = scores - np.nansum(scores, 0) / np.maximum(known, 1)
    squares = np.nansum(centred**2, 0) / np.maximum(known - 1, 1)
    return np.where(known > 1, np.sqrt(squares), np.nan)


def _by_spread(testset: TestSet, eligible: Sequence[int], options: Design) -> list[Sampled]:
    """Return the segments with the highest mean spread over the systems that are judged in them."""
    found = spread(testset, options.metric)
    many = options.per_segment or len(testset.systems)
    judged: Mapping[int, list[int]] = {  # the sort is stable: of equal spreads, the earlier system comes first
        row: sorted(np.argsort(-found[:, row], kind="stable")[:many].tolist())
        for row in eligible
        if not np.isnan(found[:, row]).any()
    }
    if not judged:
        raise UsageError(f"No segment of test set {testset.name!r} has two references.")
    order = sorted(judged, key=lambda row: (-float(found[judged[row], row].mean()), row))[: options.segments]
    return [Sampled((row,), tuple(testset.systems[number] for number in judged[row])) for row in sorted(order)]


def _documents(testset: TestSet, eligible: Sequence[int]) -> list[tuple[int, ...]]:
    """Return the rows of every document, without documents that have a segment that is not eligible."""
    if testset.documents is None:
        raise UsageError(f"Test set {testset.name!r} has no documents. Give them with `docs`.")
    rows = grouped((name, row) for row, name in enumerate(testset.documents))
    usable = set(eligible)
    whole = [tuple(unit) for unit in rows.values() if usable.issuperset(unit)]
    if not whole:
        raise UsageError(f"No document of test set {testset.name!r} has all needed references in every segment.")
    return whole


@dataclass
class _Turns:
    """Systems in turn: each is chosen about equally often, in a new random order in every round."""

    systems: Sequence[str]
    random: Random
    waiting: list[str] = field(default_factory=list)

    def take(self, many: int) -> tuple[str, ...]:
        chosen: set[str] = set()
        while len(chosen) < many:
            left = [system for system in self.waiting if system not in chosen]
            if not left:
                self.waiting += self.random.sample(self.systems, len(self.systems))
                continue
            chosen.add(left[0])
            self.waiting.remove(left[0])
        return tuple(system for system in self.systems if system in chosen)


def read_order(path: str | Path, segments: int) -> list[int]:
    """Return the rows (from 0) of a ranking, worst first, from the JSON that `tercet qe rank -f json` writes."""
    from ..data.jsonl import parse_json

    content = parse_json("\n".join(read_lines(path)), str(path))
    listed = content.get("segments") if isinstance(content, dict) else None
    found = [each.get("segment") for each in listed if isinstance(each, dict)] if isinstance(listed, list) else []
    rows = [row for row in found if isinstance(row, int) and 1 <= row <= segments]
    if not rows or len(rows) < len(found):
        raise DataError(
            f"{path} is not a ranking of these {segments} segments. Write one: tercet qe rank MODEL SRC MT -f json"
        )
    return [row - 1 for row in dict.fromkeys(rows)]


def choose_ranked(order: Sequence[int], number: int, *, how: str = "doubtful", seed: int = SEED) -> list[int]:
    """Return the rows to judge, in the order of the text.

    how: "doubtful", the first of the ranking; "stratified", one by chance from each of `number` equal parts of it, so
    that a model trained on the judgements sees good outputs too.
    """
    if not 1 <= number <= len(order):
        raise UsageError(f"The ranking has {len(order)} segments, so from 1 to {len(order)} can be chosen.")
    if how == "doubtful":
        return sorted(order[:number])
    bounds = [round(part * len(order) / number) for part in range(number + 1)]
    random = Random(seed)
    return sorted(order[random.randrange(start, stop)] for start, stop in pairwise(bounds))


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
    """Return a rater's items in random order, with copies far from their originals, and repeats after them."""
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
