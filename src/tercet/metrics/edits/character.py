"""CharacTER: translation edit rate on characters, after phrases of the output have been moved into place.

Wang, Peter, Rosendahl and Ney (2016), "CharacTer: Translation Edit Rate on Character Level", WMT. Phrases move as
words; what is left is edited as characters; both costs are divided by the length of the output. Equals CharacTER.py
(c4b25cb), and with that the scores published by the WMT19 metrics task, which turned their sign. The paper lets words
match that are merely similar; the program, which is followed here, moves identical words only.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...kernels import edits as edit_kernel
from ...kernels import phrases
from ...text.coding import Ints, Units, call, code_points, offsets_of, view
from ...text.editing import count_edits
from ...text.explanations import Edit, Edits, Place, Seen, Shift, locate
from .. import BestReferenceMetric, Floats, param
from ..bases.pairs import number_words, refuse_long, too_long

VARIANTS = ("corrected", "original")
NONE = np.empty(0, dtype=np.int32)
# Blocks of 64 words that may be looked at for the moves of one segment: about five seconds. A sentence needs
# a few thousand, a text of 400 words a tenth of this.
BUDGET = 2_000_000_000
MOST_WORDS = 10_000  # longer texts are refused at once


class _References(NamedTuple):
    words: list[list[str]]
    vocabulary: frozenset[str]
    points: NDArray[np.uint32]
    offsets: Ints


class _Costs(NamedTuple):
    """The costs of an output for each of its references; all arrays have shape (references,)."""

    edits: Ints
    moves: Floats
    lengths: Ints


@dataclass(frozen=True)
class CharacTER(BestReferenceMetric):
    """CharacTER, the mean of segments, from 0 (equal) to 1 (nothing in common); lower is better.

    variant: corrected or original, which differ where output and reference are both empty: 0 or, in the program, 1.
    With several references the one with the lowest score counts.
    """

    variant: str = param("corrected", choices=VARIANTS)

    higher_is_better = False
    explains = (Edits,)
    paper = "Wang et al. (2016), CharacTer: Translation Edit Rate on Character Level"

    @property
    def compatible(self) -> str | None:
        return "CharacTER.py" if self.variant == "original" else None

    def read(self, texts: Sequence[str], opened: object) -> _References:
        words = [text.split() for text in texts]
        points, offsets = code_points([" ".join(line) for line in words])
        return _References(words, frozenset(chain.from_iterable(words)), points, offsets)

    def compare(self, outputs: Sequence[str], references: _References, whose: Ints) -> Floats:
        """Count the score, 1 for the segment, edits, cost of moves, and length of the output in characters."""
        costs, _ = _costs(outputs, references, whose)
        scores = np.minimum(1.0, (costs.edits + costs.moves) / np.maximum(costs.lengths, 1))
        empty = costs.lengths == 0
        # In the program two empty texts get the score of an empty output: its test for equal texts fails at 0 / 0.
        lost = (np.diff(references.offsets) > 0) | (self.variant == "original")
        scores[empty] = lost[empty]
        return np.column_stack([scores, np.ones(len(scores)), *costs]).astype(np.float64)

    def details(self, totals: Floats) -> dict[str, object]:
        return {"edits": int(totals[2]), "move_cost": float(totals[3]), "sys_len": int(totals[4])}

    def explain_pair(self, output: str, reference: str, counts: Floats, opened: object) -> Seen:
        words, other = output.split(), " ".join(reference.split())
        found = np.zeros(3 * max(len(words), 1), dtype=np.int32)
        _, order = _costs([output], self.read([reference], None), np.zeros(1, dtype=np.int64), found)
        moves, shifts = _shifts(words, found)
        moved = " ".join(words[i] for i in order.tolist())
        edits = edit_script(moved, other)
        places = _places(order.tolist(), words, output), locate(other, reference)
        values = {"moves": moves, "move_cost": float(counts[3]), "moved": moved, "distance": int(counts[2])}
        return Seen(float(counts[0]), [CharacterEdits(moved, other, edits, shifts, places=places)], values=values)


def _shifts(words: Sequence[str], moves: NDArray[np.int32]) -> tuple[list[dict[str, object]], list[Shift]]:
    """Return the moves of phrases, one after the other, as facts and as shifts."""
    shown, shifts, order = [], [], list(range(len(words)))
    for begin, to, size in moves.reshape(-1, 3).tolist():
        if not size:
            break
        phrase = order[begin : begin + size]
        order = order[:begin] + order[begin + size :]
        order[to:to] = phrase
        shifts.append(Shift(tuple(words[i] for i in phrase), tuple(phrase), begin, to))
        shown.append({"words": " ".join(shifts[-1].words), "from": begin, "to": to})
    return shown, shifts


@dataclass(frozen=True)
class CharacterEdits(Edits):
    """Edits of the characters of an output whose words have been moved."""

    names_reference: ClassVar[bool] = True

    def lines(self, other: str = "reference") -> list[str]:
        if self.edits is None:
            return ["edits: None"]
        shown, at = [], 0
        for kind, i, j in self.edits:
            if kind != "match":
                pair = ("" if i is None else self.output[i]), ("" if j is None else self.other[j])
                shown.append(f"edits: at {at}, is {pair[0]!r}, should_be {pair[1]!r}")
            at += i is not None
        return shown


def _places(order: Sequence[int], words: Sequence[str], output: str) -> list[Place | None]:
    """Return the places in the output of the characters of its words in a new order, with blanks between words."""
    begins = [place[0] if place else 0 for place in locate(words, output)]
    found: list[Place | None] = []
    for i in order:
        found += [None] * bool(found) + [(begins[i] + k, begins[i] + k + 1) for k in range(len(words[i]))]
    return found


def _costs(
    texts: Sequence[str], references: _References, whose: Ints, moves: NDArray[np.int32] = NONE
) -> tuple[_Costs, NDArray[np.int32]]:
    """Return the costs of reference texts for the outputs whose they are, and the new orders of words, concatenated.

    moves: an array that takes the moves of phrases: begin, goal and size of each.
    """
    outputs = [text.split() for text in texts]
    # Ties between moves are broken by the order of their words, so numbers follow that order.
    ordered = sorted(references.vocabulary.union(chain.from_iterable(outputs)))
    ranks = dict(zip(ordered, range(len(ordered)), strict=True))
    ours, theirs = number_words(outputs, ranks), number_words(references.words, ranks)
    refuse_long("character", "words", texts, ours.lengths, theirs.lengths, whose, most=MOST_WORDS)
    order_offsets = offsets_of(ours.lengths[whose])
    orders = np.empty(int(order_offsets[-1]), dtype=np.int32)
    most, most_reference = int(ours.lengths.max(initial=0)), int(theirs.lengths.max(initial=0))
    blocks = (most_reference + 63) // 64
    units, order = (ours.ids, ours.offsets, whose), (orders, order_offsets)
    scratch: list[Any] = [np.zeros(len(ranks) + 1, np.int32)]
    scratch += [np.empty(size * blocks + 1, np.uint64) for size in (most_reference + 1, most + 2, most + 2)]
    scratch += [np.empty(size + 1, np.int32) for size in (6 * most, 2 * most_reference)]
    row = call(phrases.move_phrases, *units, theirs.ids, theirs.offsets, *order, moves, BUDGET, *scratch)
    if row < 0:
        pair = -1 - row
        text = texts[int(whose[pair])]
        raise too_long("character", "words", text, int(ours.lengths[whose[pair]]), int(theirs.lengths[pair]))
    moved = []
    for pair, (i, start) in enumerate(zip(whose.tolist(), order_offsets.tolist(), strict=False)):
        words = outputs[i]
        moved.append(" ".join([words[k] for k in orders[start : order_offsets[pair + 1]].tolist()]))
    move_costs = np.empty(len(whose))
    lengths = np.array([len(word) for words in outputs for word in words], dtype=np.int32)
    call(phrases.price_moves, *units, lengths, *order, move_costs)
    points, offsets = code_points(moved)
    characters = Units(points.view(np.int32), offsets), Units(references.points.view(np.int32), references.offsets)
    edits = count_edits(*characters, np.arange(len(moved)), trace=False)[:, 0]
    return _Costs(edits, move_costs, np.diff(offsets)), orders


MOST_SHOWN = 4_000_000  # pairs of characters in a segment whose edits are listed


def edit_script(output: str, reference: str) -> list[Edit] | None:
    """Return the script with the fewest edits that turns one text into another; None if the texts are too long.

    Of equally short scripts, read from the end, a substitution comes before an insertion of ours, and that before a
    deletion. (`text.editing.edit_script` has the opposite order, as rapidfuzz.)
    """
    if len(output) * len(reference) > MOST_SHOWN:
        return None
    head = _same(output, reference)
    grid = view(_grid(output[head:], reference[head:]))
    i, j, edits = len(output), len(reference), []
    while i or j:
        a, b = i - head, j - head
        inside = a > 0 and b > 0
        same = i > 0 and j > 0 and output[i - 1] == reference[j - 1]
        if same or (inside and grid[a, b] > grid[a - 1, b - 1]):
            i, j = i - 1, j - 1
            edits.append(Edit("match" if same else "substitution", i, j))
        # Outside, one text begins the other, and only the longer one has something left to edit.
        elif grid[a, b] > grid[a - 1, b] if inside else i > j:
            i -= 1
            edits.append(Edit("insertion", i, None))
        else:
            j -= 1
            edits.append(Edit("deletion", None, j))
    return edits[::-1]


def _same(output: str, reference: str) -> int:
    """Return the length of the common prefix."""
    pairs = enumerate(zip(output, reference, strict=False))
    return next((i for i, (ours, theirs) in pairs if ours != theirs), min(len(output), len(reference)))


def _grid(output: str, reference: str) -> NDArray[np.int32]:
    """Return edit distances between all prefixes of two texts without common prefix, up to their common suffix."""
    tail = _same(output[::-1], reference[::-1])
    n, m = len(output) - tail, len(reference) - tail
    grid = np.zeros((n + 1, m + 1), dtype=np.int32)
    if not n or not m:
        return grid  # never read
    points, offsets = code_points([output[:n], reference[:m]])
    ids = points.astype(np.int32)
    blocks = (m + 63) // 64
    columns = np.empty(2 * n * blocks, dtype=np.uint64)
    texts = (ids[:n], offsets[:2], np.zeros(1, dtype=np.int64), ids[n:], offsets[1:] - n)
    scratch = [np.zeros(4, np.int64), NONE.astype(np.uint8), np.zeros(int(points.max()) + 1, np.int32)]
    call(edit_kernel.levenshtein, *texts, *scratch, np.empty(64, np.uint64), np.empty(n, np.int32), columns)
    # The kernel leaves, a bit for each character of the reference, where distances rise and where they fall.
    bits = np.unpackbits(columns.astype("<u8", copy=False).view(np.uint8), bitorder="little").view(np.int8)
    rises, falls = np.moveaxis(bits.reshape(blocks, n, 2, 64), 2, 0)
    steps = (rises - falls).swapaxes(0, 1).reshape(n, -1)[:, :m]
    grid[:, 0] = np.arange(n + 1)
    grid[0] = np.arange(m + 1)
    np.cumsum(steps, axis=1, dtype=np.int32, out=grid[1:, 1:])
    grid[1:, 1:] += grid[1:, :1]
    return grid
