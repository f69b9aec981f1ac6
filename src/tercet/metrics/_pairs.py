"""What metrics share that meet each output with each of its references: who meets whom, the best of several, limits."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

import numpy as np

from ..errors import DataError
from ..text.coding import Ints, Units
from ._contract import Floats

MOST_UNITS = 20_000  # words of one text; what takes time grows with the square of it


def owners(groups: Ints) -> Ints:
    """For every reference text the output that it is met with, where segment i has references groups[i] and so on."""
    counts = np.diff(groups)
    return np.repeat(np.arange(len(counts), dtype=np.int64), counts)


def best_rows(values: Floats, groups: Ints, *, highest: bool) -> Ints:
    """For every segment the number of the reference text with the best value; of equals the first."""
    counts = np.diff(groups)
    if (counts == 1).all():
        return groups[:-1]
    order = np.lexsort((np.arange(len(values)), -values if highest else values, owners(groups)))
    rows: Ints = order[groups[:-1]]
    return rows


def number_words(texts: Sequence[Sequence[str]], numbers: dict[str, int]) -> Units:
    """The words of texts by number; words that are not in `numbers` are added to it."""
    lengths = [len(words) for words in texts]
    flat = chain.from_iterable(texts)
    ids = [numbers.setdefault(word, len(numbers)) for word in flat]
    return Units(np.array(ids, dtype=np.int32), offsets_of(lengths))


def offsets_of(lengths: Ints | Sequence[int]) -> Ints:
    """Where texts of these lengths begin and end, laid end to end."""
    offsets = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return offsets


def refuse_long(
    metric: str,
    unit: str,
    texts: Sequence[str],
    lengths: Ints,
    reference_lengths: Ints,
    groups: Ints,
    *,
    most: int = MOST_UNITS,
) -> None:
    """Refuse a segment that would keep a metric busy for minutes, naming it by how it begins."""
    whose = owners(groups)
    longer = np.maximum(lengths[whose], reference_lengths)
    if not len(longer) or int(longer.max()) <= most:
        return
    row = int(longer.argmax())
    raise too_long(metric, unit, texts[int(whose[row])], int(lengths[whose[row]]), int(reference_lengths[row]))


def too_long(metric: str, unit: str, text: str, length: int, reference_length: int) -> DataError:
    """The error for one segment that is too long."""
    return DataError(
        f"{metric}: the output that begins {text[:40]!r} has {length:,} {unit} and its reference {reference_length:,}; "
        "that would take too long. Texts must have a sentence per line: split this one, or leave it out."
    )
