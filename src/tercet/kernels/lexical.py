# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Lexical translation models: IBM Model 1 by EM, and alignment by a hidden Markov model.

Text t is ids[offsets[t]:offsets[t + 1]]; a source text begins with the empty word, number 0. A table has a row for each
source word: sorted numbers of target words at starts[w] to starts[w + 1] - 1, with their probabilities.
Model 1 processes the corpus by source word, not by sentence: a row is expanded over the target vocabulary once, and
then each of the word's sentences reads it without a search. The slow reference implementations in the tests use
dictionaries of words.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from . import plain as cython


@cython.locals(e=cython.Py_ssize_t, k=cython.Py_ssize_t, i=cython.Py_ssize_t, word=cython.int)
def list_pairs(
    where: cython.int[::1], where_offsets: cython.longlong[::1], ids: cython.int[::1], offsets: cython.longlong[::1],
    seen: cython.int[::1], ends: cython.longlong[::1], targets: cython.int[::1], writing: cython.bint,
) -> None:  # fmt: skip
    """Count for each source word the target words that it occurs with; with `writing` also list them.

    Target word e is in the texts where[where_offsets[e]:where_offsets[e + 1]]; ids and offsets are the sources.
    seen: -1 for each source word. ends: for each source word 0, to which the count is added, or with `writing` the
    start of its row, which becomes its end. Rows are sorted because the target words are processed in order.
    """
    for e in range(where_offsets.shape[0] - 1):
        for k in range(where_offsets[e], where_offsets[e + 1]):
            for i in range(offsets[where[k]], offsets[where[k] + 1]):
                word = ids[i]
                if seen[word] != e:
                    seen[word] = e
                    if writing:
                        targets[ends[word]] = e
                    ends[word] += 1


@cython.locals(f=cython.Py_ssize_t, k=cython.Py_ssize_t, j=cython.Py_ssize_t)
def sum_over_sources(
    where: cython.int[::1], where_offsets: cython.longlong[::1], ids: cython.int[::1], offsets: cython.longlong[::1],
    starts: cython.longlong[::1], targets: cython.int[::1], probabilities: cython.double[::1], row: cython.double[::1],
    sums: cython.double[::1],
) -> None:  # fmt: skip
    """Add to `sums`, for each target word of the corpus, its probabilities given its source words.

    Source word f is in the texts where[where_offsets[f]:where_offsets[f + 1]], once per occurrence; ids and offsets are
    the targets. The table must contain all pairs of the corpus. row: one for each word of the target vocabulary.
    """
    for f in range(where_offsets.shape[0] - 1):
        for k in range(starts[f], starts[f + 1]):
            row[targets[k]] = probabilities[k]
        for k in range(where_offsets[f], where_offsets[f + 1]):
            for j in range(offsets[where[k]], offsets[where[k] + 1]):
                sums[j] += row[ids[j]]


@cython.locals(f=cython.Py_ssize_t, k=cython.Py_ssize_t, j=cython.Py_ssize_t, total=cython.double)
def update_rows(
    where: cython.int[::1], where_offsets: cython.longlong[::1], ids: cython.int[::1], offsets: cython.longlong[::1],
    starts: cython.longlong[::1], targets: cython.int[::1], inverses: cython.double[::1], row: cython.double[::1],
    probabilities: cython.double[::1],
) -> None:  # fmt: skip
    """Replace probabilities by normalised expected counts; arguments as for `sum_over_sources`.

    inverses: 1 / sums. A row's counts are complete after its word's texts are processed, so it is replaced in place.
    """
    for f in range(where_offsets.shape[0] - 1):
        for k in range(starts[f], starts[f + 1]):
            row[targets[k]] = 0.0
        for k in range(where_offsets[f], where_offsets[f + 1]):
            for j in range(offsets[where[k]], offsets[where[k] + 1]):
                row[ids[j]] += inverses[j]
        total = 0.0
        for k in range(starts[f], starts[f + 1]):
            probabilities[k] *= row[targets[k]]
            total += probabilities[k]
        for k in range(starts[f], starts[f + 1]):
            probabilities[k] /= total


@cython.cfunc
@cython.inline
@cython.locals(low=cython.Py_ssize_t, high=cython.Py_ssize_t, end=cython.Py_ssize_t, middle=cython.Py_ssize_t)
def _find(
    starts: cython.longlong[::1], targets: cython.int[::1], word: cython.int, target: cython.int
) -> cython.Py_ssize_t:
    """Return the index of a pair in the table, or the table's length if it is not there."""
    if word < 0 or target < 0:
        return targets.shape[0]
    low = starts[word]
    end = starts[word + 1]
    high = end
    while low < high:
        middle = (low + high) >> 1
        if targets[middle] < target:
            low = middle + 1
        else:
            high = middle
    if low < end and targets[low] == target:
        return low
    return targets.shape[0]


@cython.locals(t=cython.Py_ssize_t, i=cython.Py_ssize_t, j=cython.Py_ssize_t, place=cython.Py_ssize_t)
@cython.locals(total=cython.double)
def sum_probabilities(
    source_ids: cython.int[::1], source_offsets: cython.longlong[::1], ids: cython.int[::1],
    offsets: cython.longlong[::1], starts: cython.longlong[::1], targets: cython.int[::1],
    probabilities: cython.double[::1], sums: cython.double[::1],
) -> None:  # fmt: skip
    """Compute `sum_over_sources` for any texts: pairs not in the table add nothing. Unknown words are -1."""
    for t in range(offsets.shape[0] - 1):
        for j in range(offsets[t], offsets[t + 1]):
            total = 0.0
            for i in range(source_offsets[t], source_offsets[t + 1]):
                place = _find(starts, targets, source_ids[i], ids[j])
                if place < targets.shape[0]:
                    total += probabilities[place]
            sums[j] = total


@cython.cfunc
@cython.locals(i=cython.Py_ssize_t, j=cython.Py_ssize_t, place=cython.Py_ssize_t, value=cython.double)
def _emit(
    source_ids: cython.int[::1], first: cython.Py_ssize_t, n: cython.Py_ssize_t, ids: cython.int[::1],
    start: cython.Py_ssize_t, m: cython.Py_ssize_t, starts: cython.longlong[::1], targets: cython.int[::1],
    probabilities: cython.double[::1], floor: cython.double, places: cython.longlong[::1],
    emissions: cython.double[::1],
) -> cython.int:  # fmt: skip
    """Fill the table index and probability of m target words and n source words (the first is the empty word)."""
    for j in range(m):
        for i in range(n):
            place = _find(starts, targets, source_ids[first + i], ids[start + j])
            value = probabilities[place] if place < targets.shape[0] else 0.0
            places[j * n + i] = place
            emissions[j * n + i] = value if value > floor else floor
    return 0


@cython.cfunc
@cython.locals(p=cython.Py_ssize_t, i=cython.Py_ssize_t, width=cython.Py_ssize_t, total=cython.double)
def _fill_moves(
    length: cython.Py_ssize_t, jumps: cython.double[::1], null: cython.double, smoothing: cython.double,
    moves: cython.double[::1],
) -> cython.int:  # fmt: skip
    """Fill moves[p * length + i], the probability of a move from word p - 1 to source word i; p = 0 is the beginning.

    jumps: a weight for each width, the middle one for 0; wider jumps have weight 0.
    """
    middle: cython.Py_ssize_t = jumps.shape[0] // 2
    for p in range(length + 1):
        total = 0.0
        for i in range(length):
            width = i - p + 1 + middle
            moves[p * length + i] = jumps[width] if 0 <= width < jumps.shape[0] else 0.0
            total += moves[p * length + i]
        for i in range(length):
            if total > 0.0:
                moves[p * length + i] = (1.0 - smoothing) * moves[p * length + i] / total + smoothing / length
            else:
                moves[p * length + i] = 1.0 / length
            moves[p * length + i] *= 1.0 - null
    return 0


@cython.cfunc
@cython.locals(i=cython.Py_ssize_t, j=cython.Py_ssize_t, p=cython.Py_ssize_t, at=cython.Py_ssize_t)
@cython.locals(before=cython.Py_ssize_t, value=cython.double, total=cython.double)
def _go_forward(
    n: cython.Py_ssize_t, m: cython.Py_ssize_t, null: cython.double, emissions: cython.double[::1],
    moves: cython.double[::1], forward: cython.double[::1], sums: cython.double[::1], start: cython.Py_ssize_t,
) -> cython.int:  # fmt: skip
    """Fill forward[j * n + i], the probability of state i after j target words, and sums[start + j]."""
    for i in range(n):
        forward[i] = 0.0
    forward[0] = 1.0
    for j in range(m):
        before = j * n
        at = before + n
        for i in range(n):
            forward[at + i] = 0.0
        for p in range(n):
            value = forward[before + p]
            for i in range(n - 1):
                forward[at + 1 + i] += value * moves[p * (n - 1) + i]
        total = 0.0
        for i in range(n):
            value = forward[before + i] * emissions[before] * null
            if i > 0:
                value += forward[at + i] * emissions[before + i]
            forward[at + i] = value
            total += value
        for i in range(n):
            forward[at + i] /= total
        sums[start + j] = total
    return 0


@cython.cfunc
@cython.locals(i=cython.Py_ssize_t, j=cython.Py_ssize_t, p=cython.Py_ssize_t, before=cython.Py_ssize_t)
@cython.locals(value=cython.double, total=cython.double, move=cython.double)
def _go_backward(
    n: cython.Py_ssize_t, m: cython.Py_ssize_t, null: cython.double, places: cython.longlong[::1],
    emissions: cython.double[::1], moves: cython.double[::1], forward: cython.double[::1], backward: cython.double[::1],
    sums: cython.double[::1], start: cython.Py_ssize_t, counts: cython.double[::1], jump_counts: cython.double[::1],
) -> cython.int:  # fmt: skip
    """Add the expected counts of one pair of texts after `_go_forward`; the last element of counts is for no pair.

    backward has four parts of size n: the backward probability times the emission; the backward probability, which
    becomes that of the previous word; the posterior probability of each source word; that of moving there from p.
    """
    middle: cython.Py_ssize_t = jump_counts.shape[0] // 2
    for i in range(2 * n):
        backward[i] = 1.0
    for j in range(m - 1, -1, -1):
        before = j * n
        total = sums[start + j]
        backward[2 * n] = 0.0
        for i in range(1, n):
            backward[i] = backward[i] * emissions[before + i] / total
            backward[2 * n + i] = 0.0
        for p in range(n):
            value = backward[n + p] * emissions[before] * null / total
            backward[2 * n] += forward[before + p] * value
            for i in range(1, n):
                move = moves[p * (n - 1) + i - 1] * backward[i]
                value += move
                move *= forward[before + p]
                backward[2 * n + i] += move
                backward[3 * n + i] = move
            backward[n + p] = value
            for i in range(1 if p <= middle else p - middle, n if n <= p + middle else p + middle + 1):
                jump_counts[i - p + middle] += backward[3 * n + i]
        for i in range(n):
            counts[places[before + i]] += backward[2 * n + i]
            backward[i] = backward[n + i]
    return 0


@cython.locals(t=cython.Py_ssize_t, n=cython.Py_ssize_t, m=cython.Py_ssize_t, empty=cython.double)
def read_states(
    source_ids: cython.int[::1], source_offsets: cython.longlong[::1], ids: cython.int[::1],
    offsets: cython.longlong[::1], starts: cython.longlong[::1], targets: cython.int[::1],
    probabilities: cython.double[::1], jumps: cython.double[::1], null: cython.double, smoothing: cython.double,
    floor: cython.double, counting: cython.bint, sums: cython.double[::1], counts: cython.double[::1],
    jump_counts: cython.double[::1], places: cython.longlong[::1], emissions: cython.double[::1],
    moves: cython.double[::1], forward: cython.double[::1], backward: cython.double[::1],
) -> None:  # fmt: skip
    """Fill `sums` with the probability of each target word given the previous ones; with `counting` add to counts.

    A state is the last source word; the empty word does not change it. counts: one for each pair of the table and one
    more. jump_counts: one for each width of `jumps`. Sizes of the scratch arrays for the largest pair (n source words
    including the empty one, m target words): places and emissions n * m, moves n * n, forward n * (m + 1), backward
    4 * n.
    """
    filled: cython.Py_ssize_t = -1
    for t in range(offsets.shape[0] - 1):
        n = source_offsets[t + 1] - source_offsets[t]
        m = offsets[t + 1] - offsets[t]
        _emit(source_ids, source_offsets[t], n, ids, offsets[t], m, starts, targets, probabilities, floor,
              places, emissions)  # fmt: skip
        if filled != n:
            _fill_moves(n - 1, jumps, null, smoothing, moves)
            filled = n
        empty = null if n > 1 else 1.0  # without source words only the empty word remains
        _go_forward(n, m, empty, emissions, moves, forward, sums, offsets[t])
        if counting:
            _go_backward(n, m, empty, places, emissions, moves, forward, backward, sums, offsets[t], counts,
                         jump_counts)  # fmt: skip


@cython.locals(t=cython.Py_ssize_t, i=cython.Py_ssize_t, j=cython.Py_ssize_t, p=cython.Py_ssize_t, n=cython.Py_ssize_t)
@cython.locals(m=cython.Py_ssize_t, at=cython.Py_ssize_t)
@cython.locals(value=cython.double, largest=cython.double, empty=cython.double)
def find_best_path(
    source_ids: cython.int[::1], source_offsets: cython.longlong[::1], ids: cython.int[::1],
    offsets: cython.longlong[::1], starts: cython.longlong[::1], targets: cython.int[::1],
    probabilities: cython.double[::1], jumps: cython.double[::1], null: cython.double, smoothing: cython.double,
    floor: cython.double, alignment: cython.int[::1], places: cython.longlong[::1], emissions: cython.double[::1],
    moves: cython.double[::1], best: cython.double[::1], back: cython.int[::1],
) -> None:  # fmt: skip
    """Fill `alignment` with the most probable sequence of source words (Viterbi); -1 for the empty word.

    Of equally probable paths to a state the one from the leftmost word is taken, and a word is preferred to the empty
    word; at the end the leftmost state. Scratch as for `read_states`; best has 2 * n, back n * m.
    """
    filled: cython.Py_ssize_t = -1

    for t in range(offsets.shape[0] - 1):
        n = source_offsets[t + 1] - source_offsets[t]
        m = offsets[t + 1] - offsets[t]
        _emit(source_ids, source_offsets[t], n, ids, offsets[t], m, starts, targets, probabilities, floor,
              places, emissions)  # fmt: skip
        if filled != n:
            _fill_moves(n - 1, jumps, null, smoothing, moves)
            filled = n
        for i in range(n):
            best[i] = 0.0
        best[0] = 1.0
        for j in range(m):
            at = j * n
            empty = emissions[at] * (null if n > 1 else 1.0)
            for i in range(n):
                best[n + i] = 0.0
                back[at + i] = -1  # from the state itself, through the empty word
            for p in range(n):
                value = best[p]
                if value > 0.0:
                    for i in range(1, n):
                        if value * moves[p * (n - 1) + i - 1] > best[n + i]:
                            best[n + i] = value * moves[p * (n - 1) + i - 1]
                            back[at + i] = p
            largest = 0.0
            for i in range(n):
                best[n + i] *= emissions[at + i]
                if best[i] * empty > best[n + i]:
                    best[n + i] = best[i] * empty
                    back[at + i] = -1
                if best[n + i] > largest:
                    largest = best[n + i]
            for i in range(n):
                best[i] = best[n + i] / largest
        p = 0
        for i in range(1, n):
            if best[i] > best[p]:
                p = i
        for j in range(m - 1, -1, -1):
            if back[j * n + p] < 0:
                alignment[offsets[t] + j] = -1
            else:
                alignment[offsets[t] + j] = p - 1
                p = back[j * n + p]
