"""Edits between outputs and references: counts for whole systems, and the edit script of a single segment.

A deletion is a reference word that the output lacks, an insertion an output word that the reference lacks, and a
substitution a word in place of another. A shift moves words of the output (in Moses, of the reference) to another
position. A jump continues at another position of the output. In all functions output texts[t] is compared with
reference text t.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data.grouping import grouped
from ..errors import DataError
from ..kernels import edits, tercpp
from ..kernels import shifts as shift_kernel
from .coding import Ints, Units, Words, call, code_points, split_words
from .explanations import Edit, Edits, Shift
from .tokenisers import lower, tokenise

KINDS = ("match", "substitution", "deletion", "insertion")
LARGEST_TRACE = 1 << 24  # maximum number of 64-bit columns kept for backtracking: 30,000 words on both sides
NO_BYTES = np.empty(0, dtype=np.uint8)


def words_of(texts: Sequence[str], tokenizer: str, *, lowercase: bool = False, ascii_case: bool = False) -> Words:
    """Return the words of texts; with tokenizer "none" they are split at ASCII blanks, as in Moses' programs."""
    if lowercase:
        texts = [text.encode().lower().decode() for text in texts] if ascii_case else lower(texts)
    if tokenizer == "none":
        return split_words(*code_points(texts), ascii_blanks=True)
    return tokenise(texts, tokenizer)


def count_edits(outputs: Units, references: Units, texts: Ints, *, trace: bool = True) -> Ints:
    """Return substitutions, deletions, insertions and matches, shape (texts, 4); without trace all edits first."""
    counts, _ = _levenshtein(outputs, references, texts, trace=trace, script=NO_BYTES)
    return counts


def count_jumps(outputs: Units, references: Units, texts: Ints, steps: NDArray[np.uint8] = NO_BYTES) -> Ints:
    """Return the number of edits and jumps of CDER, shape (texts,). `steps`, unless empty, receives their steps."""
    distances = np.zeros(len(texts), dtype=np.int64)
    row = np.empty(2 * (int(outputs.lengths.max(initial=0)) + 1), dtype=np.int32)
    call(edits.long_jumps, *_arrays(outputs, references, texts), distances, row, steps)
    return distances


@dataclass(frozen=True)
class ShiftSearch:
    """The parameters of the search for shifts (see kernels.shifts). The defaults are sacreBLEU's.

    tercom, moses: search as these programs do. max_words: raise DataError for longer texts; 0 for no limit.
    """

    beam: int = 25
    max_size: int = 10
    max_distance: int = 50
    max_tried: int = 1000
    tercom: bool = False
    moses: bool = False
    max_words: int = 0


def count_shifts(outputs: Units, references: Units, texts: Ints, search: ShiftSearch) -> Ints:
    """Return substitutions, deletions, insertions, unedited words and shifts of TER, shape (texts, 5)."""
    return _shifted(outputs, references, texts, search)[0]


def edit_script(output: Sequence[str], reference: Sequence[str]) -> Edits:
    """Return the shortest script of insertions, deletions and substitutions, which `count_edits` counts."""
    units = _number(output, reference)
    script = np.zeros(len(output) + len(reference) + 1, dtype=np.uint8)
    _, length = _levenshtein(*units, np.zeros(1, dtype=np.int64), trace=True, script=script)
    edits = _edits(script[:length], range(len(output)), range(len(reference)))
    return Edits(tuple(output), tuple(reference), edits)


def bag_script(output: Sequence[str], reference: Sequence[str]) -> Edits:
    """Return the script of PER, which ignores order: equal words match anywhere, and other words are substituted."""
    free = grouped((reference[i], i) for i in range(len(reference) - 1, -1, -1))
    matched = {j: free[word].pop() for j, word in enumerate(output) if free.get(word)}
    taken = set(matched.values())
    missing = [i for i in range(len(reference)) if i not in taken]
    spare = [j for j in range(len(output)) if j not in matched]
    both = min(len(missing), len(spare))
    edits = [Edit("match", j, i) for j, i in matched.items()]
    edits += [Edit("substitution", j, i) for j, i in zip(spare[:both], missing[:both], strict=True)]
    edits += [Edit("deletion", None, i) for i in missing[both:]]
    edits.sort(key=lambda edit: edit.other if edit.other is not None else -1)
    edits += [Edit("insertion", j, None) for j in spare[both:]]
    return Edits(tuple(output), tuple(reference), tuple(edits))


def jump_script(output: Sequence[str], reference: Sequence[str]) -> Edits:
    """Return the script of CDER, which `count_jumps` counts."""
    units = _number(output, reference)
    n = len(output)
    steps = np.zeros((len(reference) + 1, n + 1), dtype=np.uint8)
    count_jumps(*units, np.zeros(1, dtype=np.int64), steps.reshape(-1))
    edits: list[Edit] = []
    jumps: list[int] = []
    i, j = len(reference), n
    while i > 0 or j > 0:
        if steps[i, j] & 4:  # reached by a jump
            jumps.append(j)
            j = int(np.flatnonzero(steps[i] & 8)[0])
            continue
        step = int(steps[i, j]) & 3
        edits.append(Edit(KINDS[step], None if step == 2 else j - 1, None if step == 3 else i - 1))
        i, j = i - (step != 3), j - (step != 2)
    return Edits(tuple(output), tuple(reference), tuple(edits[::-1]), jumps=tuple(jumps[::-1]))


def shift_script(output: Sequence[str], reference: Sequence[str], search: ShiftSearch) -> Edits:
    """Return the script of TER, which `count_shifts` counts."""
    _, found, script = _shifted(*_number(output, reference), np.zeros(1, dtype=np.int64), search)
    text = reference if search.moses else output
    order = list(range(len(text)))
    shifts = []
    for begin, length, end in found:
        positions = order[begin : begin + length]
        order = order[:begin] + order[begin + length :]
        order[end:end] = positions
        shifts.append(Shift(tuple(text[k] for k in positions), tuple(positions), begin, end))
    places = (range(len(output)), order) if search.moses else (order, range(len(reference)))
    moved = "other" if search.moses else "output"
    return Edits(tuple(output), tuple(reference), _edits(script, *places), tuple(shifts), moved=moved)


def _edits(script: NDArray[np.uint8], outputs: Sequence[int], references: Sequence[int]) -> tuple[Edit, ...]:
    """Convert a kernel's script, which runs backwards; outputs, references: original positions of shifted words."""
    edits = []
    i = j = 0
    for step in script[::-1].tolist():
        edits.append(Edit(KINDS[step], None if step == 2 else outputs[j], None if step == 3 else references[i]))
        i, j = i + (step != 3), j + (step != 2)
    return tuple(edits)


def _number(output: Sequence[str], reference: Sequence[str]) -> tuple[Units, Units]:
    numbers: dict[str, int] = {}
    references = [numbers.setdefault(word, len(numbers)) for word in reference]
    outputs = [numbers.get(word, -1) for word in output]
    first, second = (
        Units(np.array(ids, dtype=np.int32), np.array([0, len(ids)], dtype=np.int64)) for ids in (outputs, references)
    )
    return first, second


def _table(*units: Units) -> NDArray[np.int32]:
    return np.zeros(max(int(each.ids.max(initial=0)) for each in units) + 1, dtype=np.int32)


def _levenshtein(
    outputs: Units, references: Units, texts: Ints, *, trace: bool, script: NDArray[np.uint8]
) -> tuple[Ints, int]:
    counts = np.zeros((len(texts), 4), dtype=np.int64)
    if not len(texts):
        return counts, 0
    lengths = outputs.lengths[texts]
    cells = lengths * ((references.lengths + 63) // 64)
    if trace and int(cells.max()) > LARGEST_TRACE:
        t = int(cells.argmax())
        raise DataError(
            f"Segment {int(texts[t]) + 1} is too long for an edit script: {int(lengths[t]):,} words in the output and "
            f"{int(references.lengths[t]):,} in the reference. Split it into sentences."
        )
    length = call(
        edits.levenshtein, *_arrays(outputs, references, texts), counts.reshape(-1), script,
        _table(outputs, references), np.empty(64, np.uint64), np.empty(int(lengths.max()) + 1, np.int32),
        np.empty(2 * int(cells.max()) + 2 if trace else 0, np.uint64),
    )  # fmt: skip
    return counts, int(length)


def _arrays(outputs: Units, references: Units, texts: Ints) -> tuple[NDArray[Any], ...]:
    """Return the first arguments of the kernels: output units, the output of each reference, reference units."""
    texts = np.ascontiguousarray(texts, dtype=np.int64)
    return outputs.ids, outputs.offsets, texts, references.ids, references.offsets


def _shifted(
    outputs: Units, references: Units, texts: Ints, search: ShiftSearch
) -> tuple[Ints, list[list[int]], NDArray[np.uint8]]:
    """Search for shifts. Returns the counts of all pairs, and the shifts and the script of the last pair."""
    n, m = outputs.lengths[texts], references.lengths
    lengths = np.maximum(n, m)
    longest = int(lengths.max(initial=0)) + 2
    if search.max_words and longest - 2 > search.max_words:
        raise DataError(
            f"Segment {int(texts[lengths.argmax()]) + 1} has {longest - 2:,} words, but this variant of TER allows at "
            f"most {search.max_words:,}. Split the segment, or use ter without variant."
        )
    counts = np.zeros((len(texts), 5), dtype=np.int64)
    moved, script = np.zeros(3 * longest, dtype=np.int64), np.zeros(2 * longest, dtype=np.uint8)
    limits = search.beam, search.max_size, search.max_distance, search.max_tried
    small = [np.empty(longest, dtype=np.int32) for _ in range(9)]
    if search.moses:
        cells = int(((n + 1) * (m + 1)).max(initial=0))
        used = call(
            tercpp.first_shifts, *_arrays(references, outputs, texts), *limits, counts.reshape(-1), *small[:5],
            np.empty(3 * search.max_tried, np.int32), moved, np.empty(2 * longest, np.int32), np.empty(cells, np.uint8),
            script,
        )  # fmt: skip
    else:
        width = m + 2 if search.tercom else 2 * (search.beam + m // (2 * np.maximum(n, 1)) + 2) + 2
        cells = int(((n + 3) * np.minimum(width, m + 2)).max(initial=0))
        grid, rest, steps = (np.empty(cells, dtype=kind) for kind in (np.int32, np.int32, np.uint8))
        used = call(
            shift_kernel.shifts, *_arrays(outputs, references, texts), *limits, int(search.tercom), counts.reshape(-1),
            *small, np.zeros(4, np.int64), moved, grid, rest, steps, script, _table(outputs, references),
            np.empty(64, np.uint64), np.empty(longest, np.uint64), np.empty(4 * longest, np.uint64),
        )  # fmt: skip
    shifts = moved[: 3 * int(counts[-1:, 4].sum())].reshape(-1, 3)
    return counts, shifts.tolist(), script[:used]
