# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The shifts of TERCpp, the TER of Moses, for a whole system in one call.

The search is greedy like that of Snover et al. (2006), "A Study of Translation Edit Rate with Targeted Human
Annotation", AMTA, but only the first few possible shifts of each round are tried. The words of one text move, those of
the other are fixed: Moses gives TERCpp its two texts in the wrong order, so the words of the reference move. Words are
numbers; -1 is a word of the fixed text that the other lacks. The slow reference implementation is in
tests/unit/kernels/test_tercpp.py.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from . import plain as cython


@cython.cfunc
@cython.locals(i=cython.Py_ssize_t, j=cython.Py_ssize_t, cost=cython.int, limit=cython.int, step=cython.uchar)
def _distance(
    words: cython.int[::1], n: cython.Py_ssize_t, fixed: cython.int[::1], first: cython.Py_ssize_t,
    m: cython.Py_ssize_t, beam: cython.int, rows: cython.int[::1], steps: cython.uchar[::1], keep: cython.bint,
) -> cython.int:  # fmt: skip
    """Return the edit distance; if `keep`, fill `steps` with the last step of the path to each cell.

    There is a row for each moved word. Only cells that cost at most `beam` more than the row's best are followed, where
    the best is that of the cells reached by a match or substitution; in the first and the last row all are followed. Of
    equal paths the first of these is taken: match or substitution (0, 1), no partner for the moved word (2), none for
    the fixed one (3).
    """
    infinite: cython.int = 1 << 28
    above: cython.Py_ssize_t = 0
    row: cython.Py_ssize_t = m + 1
    start: cython.Py_ssize_t = 0
    stop: cython.Py_ssize_t = m
    best: cython.int = infinite
    for i in range(m + 1):
        rows[i] = i
    for j in range(1, n + 1):
        limit = best + beam
        best = infinite
        while rows[above + start] > limit:
            start += 1
        while rows[above + stop] > limit:
            stop -= 1
        i = start
        while i <= m:
            cost = infinite
            step = 0
            if start < i <= stop + 1 and rows[above + i - 1] <= limit:
                cost = rows[above + i - 1]
                if words[j - 1] != fixed[first + i - 1]:
                    cost += 1
                    step = 1
                if cost < best:
                    best = cost
            if i <= stop and rows[above + i] <= limit and rows[above + i] + 1 < cost:
                cost = rows[above + i] + 1
                step = 2
            if i > start and rows[row + i - 1] + 1 < cost:
                cost = rows[row + i - 1] + 1
                step = 3
            rows[row + i] = cost
            if keep:
                steps[j * (m + 1) + i] = step
            if i > stop and cost > best + beam and j < n:
                break
            i += 1
        stop = i if i < m else m
        above, row = row, above
    return rows[above + m]


@cython.cfunc
def _align(
    n: cython.Py_ssize_t, m: cython.Py_ssize_t, steps: cython.uchar[::1], script: cython.uchar[::1],
    aligned: cython.int[::1], wrong: cython.int[::1], wrong_fixed: cython.int[::1],
) -> cython.Py_ssize_t:  # fmt: skip
    """Follow the steps back. Returns the length of the script, which runs from the end of the texts to their start.

    aligned: for each fixed word its partner, or the next moved word if it has none. wrong, wrong_fixed: the number of
    edited words before each position.
    """
    j: cython.Py_ssize_t = n
    i: cython.Py_ssize_t = m
    k: cython.Py_ssize_t = 0
    step: cython.uchar
    while j > 0 or i > 0:
        if j == 0:
            step = 3
        elif i == 0:
            step = 2
        else:
            step = steps[j * (m + 1) + i]
        script[k] = step
        k += 1
        if step != 3:
            wrong[j] = 1 if step else 0
            j -= 1
        if step != 2:
            wrong_fixed[i] = 1 if step else 0
            i -= 1
            aligned[i] = j
    wrong[0] = 0
    wrong_fixed[0] = 0
    for j in range(n):
        wrong[j + 1] += wrong[j]
    for i in range(m):
        wrong_fixed[i + 1] += wrong_fixed[i]
    return k


@cython.cfunc
def _is_phrase_at(
    words: cython.int[::1], a: cython.Py_ssize_t, length: cython.Py_ssize_t, fixed: cython.int[::1],
    place: cython.Py_ssize_t,
) -> cython.bint:  # fmt: skip
    k: cython.Py_ssize_t
    for k in range(length):
        if words[a + k] != fixed[place + k]:
            return False
    return True


@cython.cfunc
def _goal(
    n: cython.Py_ssize_t, a: cython.Py_ssize_t, length: cython.Py_ssize_t, word: cython.Py_ssize_t
) -> cython.Py_ssize_t:
    """Return the start of a phrase after it moved to a word: before the word to the left, after it to the right.

    A word within the phrase itself means a move to the right by the word's index in the phrase.
    """
    if word >= n:
        word = n - 1
    if word < a:
        return word
    if word >= a + length:
        return word + 1 - length
    return word if word + length <= n else n - length


@cython.cfunc
@cython.locals(a=cython.Py_ssize_t, r=cython.Py_ssize_t, k=cython.Py_ssize_t, length=cython.Py_ssize_t)
@cython.locals(away=cython.Py_ssize_t, found=cython.bint, right=cython.bint, near=cython.bint)
def _list_shifts(
    words: cython.int[::1], n: cython.Py_ssize_t, fixed: cython.int[::1], first: cython.Py_ssize_t,
    m: cython.Py_ssize_t, max_size: cython.int, max_distance: cython.int, max_tried: cython.int,
    aligned: cython.int[::1], wrong: cython.int[::1], wrong_fixed: cython.int[::1], listed: cython.int[::1],
) -> cython.int:  # fmt: skip
    """List the first possible shifts as begin, length and goal in `listed`. Returns their number.

    The order is by phrase, from left to right and from short to long; then by its position in the fixed text; then by
    the word it moves to: those aligned to the fixed word before the phrase and to each word of it. Both positions must
    have an edit. A phrase is not extended if it has no near enough position other than the one it is aligned to.
    """
    count: cython.int = 0
    for a in range(n):
        for length in range(1, (max_size if max_size < n - a else n - a) + 1):
            found = False
            right = wrong[a + length] == wrong[a]
            near = right and length > 1
            for r in range(m - length + 1):
                if not _is_phrase_at(words, a, length, fixed, first + r):
                    continue
                found = True
                away = aligned[r] - a
                if right:  # to try longer phrases, the word may be one position farther to the left
                    near = near or (away != 0 and -max_distance - 1 <= away <= max_distance)
                    continue
                if 0 <= away < length or away > max_distance or -away > max_distance:
                    continue
                near = True
                if wrong_fixed[r + length] == wrong_fixed[r]:
                    continue
                for k in range(r - 1, r + length):
                    if k >= 0 and (aligned[k] == a or (k != r and aligned[k] == aligned[r])):
                        continue
                    listed[3 * count] = a
                    listed[3 * count + 1] = length
                    listed[3 * count + 2] = _goal(n, a, length, aligned[k]) if k >= 0 else 0
                    count += 1
                    if count == max_tried:
                        return count
            if not found or not near:
                break
    return count


@cython.cfunc
def _move(
    array: cython.int[::1], target: cython.int[::1], n: cython.Py_ssize_t, a: cython.Py_ssize_t,
    length: cython.Py_ssize_t, goal: cython.Py_ssize_t,
) -> cython.int:  # fmt: skip
    """Copy `array` to `target`, with the `length` entries from `a` on moved so that they begin at `goal`."""
    k: cython.Py_ssize_t
    for k in range(n):
        if goal <= k < goal + length:
            target[k] = array[a + k - goal]
        elif a <= k < goal:
            target[k] = array[k + length]
        elif goal + length <= k < a + length:
            target[k] = array[k - length]
        else:
            target[k] = array[k]
    return 0


@cython.cfunc
@cython.locals(size=cython.int, s=cython.int, saved=cython.int)
def _best_shift(
    words: cython.int[::1], trial: cython.int[::1], n: cython.Py_ssize_t, fixed: cython.int[::1],
    first: cython.Py_ssize_t, m: cython.Py_ssize_t, beam: cython.int, distance: cython.int, max_size: cython.int,
    listed: cython.int[::1], count: cython.int, rows: cython.int[::1], steps: cython.uchar[::1],
) -> cython.int:  # fmt: skip
    """Return the listed shift that saves most edits, -1 if none saves any; of equal ones the longest, then the first.

    If the best saves, minus its own cost, twice as many edits as words would move, shorter ones are not tried.
    """
    best: cython.int = -1
    most: cython.int = 0
    for size in range(max_size, 0, -1):
        for s in range(count):
            if listed[3 * s + 1] != size:
                continue
            if most - 1 >= 2 * size:
                return best
            _move(words, trial, n, listed[3 * s], size, listed[3 * s + 2])
            saved = distance - _distance(trial, n, fixed, first, m, beam, rows, steps, False)
            if saved > most:
                most = saved
                best = s
    return best


@cython.locals(t=cython.Py_ssize_t, k=cython.Py_ssize_t, n=cython.Py_ssize_t, m=cython.Py_ssize_t)
@cython.locals(start=cython.Py_ssize_t, first=cython.Py_ssize_t, made=cython.Py_ssize_t)
@cython.locals(distance=cython.int, count=cython.int, s=cython.int)
def first_shifts(
    ids: cython.int[::1], offsets: cython.longlong[::1], texts: cython.longlong[::1], fixed_ids: cython.int[::1],
    fixed_offsets: cython.longlong[::1], beam: cython.int, max_size: cython.int, max_distance: cython.int,
    max_tried: cython.int, counts: cython.longlong[::1], words: cython.int[::1], trial: cython.int[::1],
    aligned: cython.int[::1], wrong: cython.int[::1], wrong_fixed: cython.int[::1], listed: cython.int[::1],
    moved: cython.longlong[::1], rows: cython.int[::1], steps: cython.uchar[::1], script: cython.uchar[::1],
) -> cython.longlong:  # fmt: skip
    """Fill `counts`, a flattened array of shape (texts, 5), for moving the words of text t to fixed text texts[t].

    The columns are: substitutions, moved words without a partner, fixed words without one, unchanged words, shifts.
    Arrays that describe the last pair: moved (begin and length of each shift, and the begin of its words afterwards),
    script (edits from the end to the beginning). Returns the script's length.
    """
    written: cython.Py_ssize_t = 0
    for t in range(texts.shape[0]):
        start = offsets[t]
        n = offsets[t + 1] - start
        first = fixed_offsets[texts[t]]
        m = fixed_offsets[texts[t] + 1] - first
        made = 0
        for k in range(n):
            words[k] = ids[start + k]
        while True:
            distance = _distance(words, n, fixed_ids, first, m, beam, rows, steps, True)
            written = _align(n, m, steps, script, aligned, wrong, wrong_fixed)
            count = _list_shifts(
                words, n, fixed_ids, first, m, max_size, max_distance, max_tried, aligned, wrong, wrong_fixed, listed
            )
            s = _best_shift(
                words, trial, n, fixed_ids, first, m, beam, distance, max_size, listed, count, rows, steps
            )  # fmt: skip
            if s < 0:
                break
            for k in range(3):
                moved[3 * made + k] = listed[3 * s + k]
            made += 1
            _move(words, trial, n, listed[3 * s], listed[3 * s + 1], listed[3 * s + 2])
            for k in range(n):
                words[k] = trial[k]
        for k in range(4):
            counts[5 * t + k] = 0
        for k in range(written):
            # step 0 is no edit and is counted in the fourth column
            counts[5 * t + (script[k] + 3) % 4] += 1
        counts[5 * t + 4] = made
    return written
