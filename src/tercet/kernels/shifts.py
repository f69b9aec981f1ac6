# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The shifts of TER, for a whole system in one call: phrases that move, and the remaining edits.

Snover et al. (2006), "A Study of Translation Edit Rate with Targeted Human Annotation", AMTA: the shift that saves most
edits is made, until none saves any. Words are numbers; -1 is a word that is in no reference and matches nothing.
The slow reference implementations in the tests are the textbook recurrences.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from . import plain as cython


@cython.cfunc
@cython.locals(i=cython.Py_ssize_t, middle=cython.Py_ssize_t, widest=cython.Py_ssize_t)
def _lay_bands(
    n: cython.Py_ssize_t, m: cython.Py_ssize_t, beam: cython.int, tercom: cython.bint, low: cython.int[::1],
    high: cython.int[::1],
) -> cython.Py_ssize_t:  # fmt: skip
    """Fill the range of cells to compute in each row, from low to high - 1. Returns the size of the widest row.

    As in sacreBLEU it is `beam` cells on both sides of the diagonal, more if one text is much longer than the other.
    tercom computes all cells; its beam limits costs (see `_fill_row`).
    """
    ratio: cython.double = m
    width: cython.Py_ssize_t = beam
    ratio = ratio / n
    if tercom:
        width = m + 1
    elif beam < ratio / 2:
        width = int(ratio / 2 + beam)
        if width < ratio / 2 + beam:
            width += 1
    for i in range(1, n + 1):
        middle = int(i * ratio)
        low[i] = middle - width if middle > width else 0
        high[i] = middle + width if middle + width < m + 1 and i < n else m + 1
    low[0] = low[1] - 1 if low[1] > 0 else 0
    high[0] = high[1]
    widest = 2 * width + 2
    return widest if widest < m + 2 else m + 2


@cython.cfunc
@cython.locals(j=cython.Py_ssize_t, cost=cython.int, step=cython.uchar)
def _fill_row(
    word: cython.int, reference: cython.int[::1], first: cython.Py_ssize_t, grid: cython.int[::1],
    above: cython.Py_ssize_t, low_above: cython.Py_ssize_t, high_above: cython.Py_ssize_t, row: cython.Py_ssize_t,
    low: cython.Py_ssize_t, high: cython.Py_ssize_t, least_above: cython.int, beam: cython.int, final: cython.bint,
    steps: cython.uchar[::1],
) -> cython.int:  # fmt: skip
    """Compute one row of the edit distance grid, for one output word, from the row above it; positions are in `grid`.

    Of equal paths the first in tercom's order is taken: match or substitution, insertion, deletion. Cells that cost
    more than `beam` above the least of their row are not followed, and not even computed except in the final row, where
    they give the result. Returns that least cost, which as in tercom is that of the cells reached by a match or
    substitution.
    """
    start: cython.Py_ssize_t = low_above
    stop: cython.Py_ssize_t = high_above
    least: cython.int = 1 << 28
    limit: cython.int = least_above + beam if least_above + beam < 1 << 28 else (1 << 28) - 1
    while grid[above + start - low_above] > limit:
        start += 1
    while grid[above + stop - 1 - low_above] > limit:
        stop -= 1
    for j in range(low, start):
        grid[row + j - low] = 1 << 28
    if start < low:
        start = low
    for j in range(start, high):
        cost = 1 << 28
        step = 0
        if low_above < j <= stop and grid[above + j - 1 - low_above] <= limit:
            cost = grid[above + j - 1 - low_above]
            if word != reference[first + j - 1]:
                step = 1
                cost += 1
            if cost < least:
                least = cost
        if low_above <= j < stop and grid[above + j - low_above] + 1 < cost:
            if grid[above + j - low_above] <= limit:
                step = 3
                cost = grid[above + j - low_above] + 1
        if j > start and grid[row + j - 1 - low] + 1 < cost:
            step = 2
            cost = grid[row + j - 1 - low] + 1
        grid[row + j - low] = cost
        steps[row + j - low] = step
        if cost > least + beam and j > stop and not final:
            for j in range(j, high):
                grid[row + j - low] = 1 << 28
            break
    return least


@cython.cfunc
@cython.locals(i=cython.Py_ssize_t, j=cython.Py_ssize_t, row=cython.Py_ssize_t)
def _fill_grid(
    words: cython.int[::1], n: cython.Py_ssize_t, reference: cython.int[::1], first: cython.Py_ssize_t,
    m: cython.Py_ssize_t, low: cython.int[::1], high: cython.int[::1], stride: cython.Py_ssize_t, beam: cython.int,
    grid: cython.int[::1], leasts: cython.int[::1], steps: cython.uchar[::1],
) -> cython.int:  # fmt: skip
    """Return the edit distance within the bands.

    grid: the cost of each cell from the beginning. leasts: the least cost of each row. beam: the maximum cost of a cell
    above the least of its row to be followed.
    """
    for j in range(low[0], high[0]):
        grid[j - low[0]] = j
    leasts[0] = 1 << 28  # no match or substitution leads here, so all cells are followed
    for i in range(1, n + 1):
        row = i * stride
        leasts[i] = _fill_row(
            words[i - 1], reference, first, grid, row - stride, low[i - 1], high[i - 1], row, low[i], high[i],
            leasts[i - 1], beam, i == n, steps,
        )  # fmt: skip
    return grid[n * stride + m - low[n]]


@cython.cfunc
@cython.locals(i=cython.Py_ssize_t, j=cython.Py_ssize_t, row=cython.Py_ssize_t, below=cython.Py_ssize_t)
@cython.locals(cost=cython.int)
def _fill_rest(
    words: cython.int[::1], n: cython.Py_ssize_t, reference: cython.int[::1], first: cython.Py_ssize_t,
    m: cython.Py_ssize_t, low: cython.int[::1], high: cython.int[::1], stride: cython.Py_ssize_t, rest: cython.int[::1],
) -> cython.int:  # fmt: skip
    """Fill the cost of each cell of the grid from there to the end, for all rows except the first."""
    for j in range(low[n], m + 1):
        rest[n * stride + j - low[n]] = m - j
    for i in range(n - 1, 0, -1):
        row = i * stride - low[i]
        below = (i + 1) * stride - low[i + 1]
        for j in range(high[i] - 1, low[i] - 1, -1):
            cost = 1 << 28
            if low[i + 1] <= j + 1 < high[i + 1]:
                cost = rest[below + j + 1]
                if words[i] != reference[first + j]:
                    cost += 1
            if low[i + 1] <= j < high[i + 1] and rest[below + j] + 1 < cost:
                cost = rest[below + j] + 1
            if j + 1 < high[i] and rest[row + j + 1] + 1 < cost:
                cost = rest[row + j + 1] + 1
            rest[row + j] = cost
    return 0


@cython.cfunc
def _align(
    n: cython.Py_ssize_t, m: cython.Py_ssize_t, low: cython.int[::1], stride: cython.Py_ssize_t,
    steps: cython.uchar[::1], bits: cython.bint, equals: cython.ulonglong[::1], states: cython.ulonglong[::1],
    script: cython.uchar[::1], aligned: cython.int[::1], wrong: cython.int[::1], wrong_reference: cython.int[::1],
) -> cython.Py_ssize_t:  # fmt: skip
    """Follow the path back. Returns the length of the script, which runs from the end of the texts to their start.

    The path is that of `steps`, or with `bits` that of the states that `_bits_if_moved` stores.
    aligned: for each reference word its output word, or the one after which it is missing (-1: before all).
    wrong, wrong_reference: the number of edited words before each position.
    """
    i: cython.Py_ssize_t = n
    j: cython.Py_ssize_t = m
    k: cython.Py_ssize_t = 0
    step: cython.uchar
    bit: cython.ulonglong
    one: cython.ulonglong = 1
    while i > 0 or j > 0:
        if i == 0:
            step = 2
        elif j == 0:
            step = 3
        elif not bits:
            step = steps[i * stride + j - low[i]]
        else:
            bit = one << (j - 1)
            if equals[i - 1] & bit:
                step = 0
            elif states[4 * i + 2] & bit:  # one more than without the output word
                step = 3 if states[4 * i - 3] & bit else 1
            else:
                step = 1 if not states[4 * i + 3] & bit and states[4 * i - 4] & bit else 2
        script[k] = step
        k += 1
        if step != 3:
            aligned[j - 1] = i - 1
            wrong_reference[j] = 1 if step else 0
            j -= 1
        if step != 2:
            wrong[i] = 1 if step else 0
            i -= 1
    wrong[0] = 0
    wrong_reference[0] = 0
    for i in range(n):
        wrong[i + 1] += wrong[i]
    for j in range(m):
        wrong_reference[j + 1] += wrong_reference[j]
    return k


@cython.cfunc
@cython.locals(k=cython.Py_ssize_t, score=cython.int)
@cython.locals(equal=cython.ulonglong, up=cython.ulonglong, down=cython.ulonglong, across=cython.ulonglong)
@cython.locals(right=cython.ulonglong, left=cython.ulonglong)
def _bits_if_moved(
    equals: cython.ulonglong[::1], n: cython.Py_ssize_t, m: cython.Py_ssize_t, states: cython.ulonglong[::1],
    scores: cython.int[::1], begin: cython.Py_ssize_t, block: cython.Py_ssize_t, second: cython.Py_ssize_t,
    middle: cython.Py_ssize_t, end: cython.Py_ssize_t,
) -> cython.int:  # fmt: skip
    """Return the edit distance, computed like `levenshtein`, to a reference of up to 64 words after words moved.

    The words at `block` move to the positions from `begin` to `middle`, those at `second` to the positions from there
    to `end`. If nothing moves (end = 0), the state after each word is stored in `states` (where the grid rises and
    falls by one from one reference word to the next, and from one output word to the next) and `scores`, from which
    later calls start.
    """
    bits64: cython.ulonglong = 0xFFFFFFFFFFFFFFFF
    if end == 0:
        states[0] = bits64
        states[1] = 0
        scores[0] = m
    up = states[4 * begin]
    down = states[4 * begin + 1]
    score = scores[begin]
    for k in range(begin, n):
        if k < middle:
            equal = equals[block + k - begin]
        elif k < end:
            equal = equals[second + k - middle]
        else:
            if end > 0 and up == states[4 * k] and down == states[4 * k + 1]:
                return score + scores[n] - scores[k]
            equal = equals[k]
        across = ((((equal & up) + up) & bits64) ^ up) | equal
        right = down | (~(across | up) & bits64)
        left = up & across
        score += (right >> (m - 1)) & 1
        score -= (left >> (m - 1)) & 1
        if end == 0:
            states[4 * k + 6] = right
            states[4 * k + 7] = left
        right = ((right << 1) & bits64) | 1
        equal |= down
        up = ((left << 1) & bits64) | (~(equal | right) & bits64)
        down = right & equal
        if end == 0:
            states[4 * k + 4] = up
            states[4 * k + 5] = down
            scores[k + 1] = score
    return score


@cython.cfunc
@cython.locals(k=cython.Py_ssize_t, j=cython.Py_ssize_t, row=cython.Py_ssize_t, cost=cython.int, word=cython.int)
def _grid_if_moved(
    words: cython.int[::1], n: cython.Py_ssize_t, reference: cython.int[::1], first: cython.Py_ssize_t,
    low: cython.int[::1], high: cython.int[::1], stride: cython.Py_ssize_t, beam: cython.int, tercom: cython.bint,
    grid: cython.int[::1], leasts: cython.int[::1], rest: cython.int[::1], steps: cython.uchar[::1],
    begin: cython.Py_ssize_t, block: cython.Py_ssize_t, second: cython.Py_ssize_t, middle: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
) -> cython.int:  # fmt: skip
    """Return the same as `_bits_if_moved` for any length, within bands and beam.

    Only the rows of words that move are computed; the rest is known from `rest`, except in tercom, where the followed
    cells depend on the previous rows.
    """
    above: cython.Py_ssize_t = begin * stride
    least: cython.int = leasts[begin]
    for k in range(begin, n if tercom else end):
        if k < middle:
            word = words[block + k - begin]
        else:
            word = words[second + k - middle] if k < end else words[k]
        row = (n + 1 + ((k - begin) & 1)) * stride  # two rows after those of the grid, alternating
        least = _fill_row(
            word, reference, first, grid, above, low[k], high[k], row, low[k + 1], high[k + 1], least, beam,
            k == n - 1, steps,
        )  # fmt: skip
        above = row
    if tercom:
        return grid[above + high[n] - 1 - low[n]]
    least = 1 << 28
    for j in range(high[end] - low[end]):
        cost = grid[above + j] + rest[end * stride + j]
        if cost < least:
            least = cost
    return least


@cython.cfunc
def _shift_end(
    n: cython.Py_ssize_t, a: cython.Py_ssize_t, length: cython.Py_ssize_t, place: cython.Py_ssize_t, tercom: cython.bint
) -> cython.Py_ssize_t:
    """Return the end of a phrase that moves to the right.

    A place within the phrase itself means a move to the right by its index in the phrase, one less in tercom, which
    counts from the word before the place.
    """
    if place > a + length:
        return place
    if tercom and place > a:
        place -= 1
    return place + length if place + length < n else n


@cython.cfunc
@cython.locals(a=cython.Py_ssize_t, r=cython.Py_ssize_t, k=cython.Py_ssize_t, length=cython.Py_ssize_t)
@cython.locals(place=cython.Py_ssize_t, previous=cython.Py_ssize_t, begin=cython.Py_ssize_t, block=cython.Py_ssize_t)
@cython.locals(second=cython.Py_ssize_t, middle=cython.Py_ssize_t, end=cython.Py_ssize_t, gain=cython.int)
def _best_shift(
    words: cython.int[::1], n: cython.Py_ssize_t, reference: cython.int[::1], first: cython.Py_ssize_t,
    m: cython.Py_ssize_t, distance: cython.int, bits: cython.bint, max_size: cython.int, max_distance: cython.int,
    max_tried: cython.longlong, beam: cython.int, tercom: cython.bint, aligned: cython.int[::1], wrong: cython.int[::1],
    wrong_reference: cython.int[::1], low: cython.int[::1], high: cython.int[::1], stride: cython.Py_ssize_t,
    grid: cython.int[::1], leasts: cython.int[::1], rest: cython.int[::1], steps: cython.uchar[::1],
    equals: cython.ulonglong[::1], states: cython.ulonglong[::1], scores: cython.int[::1], choice: cython.longlong[::1],
) -> cython.int:  # fmt: skip
    """Return the number of edits that the best shift saves.

    choice: gets its begin, length and target, and the number of shifts tried so far. A phrase of the output that also
    occurs in the reference is tried if both have an edit there and are not aligned to each other: before the words that
    the phrase is aligned to, and after each of them. Of shifts that save the same number the longest is best, then that
    of the leftmost phrase, then that to the leftmost place.
    """
    best: cython.int = -(1 << 28)

    for a in range(n):
        if words[a] < 0:
            continue
        for r in range(m):
            if words[a] != reference[first + r]:
                continue
            # tercom measures the distance to the output word that the phrase moves to, sacreBLEU to the reference word
            k = (aligned[r] if tercom else r) - a
            if k > max_distance or -k > max_distance:
                continue
            length = 0
            while (
                length < max_size
                and a + length < n
                and r + length < m
                and words[a + length] == reference[first + r + length]
            ):
                length += 1
                if wrong[a + length] == wrong[a] or wrong_reference[r + length] == wrong_reference[r]:
                    continue
                if a <= aligned[r] < a + length:
                    continue
                previous = -1
                for k in range(r - 1, r + length):
                    place = aligned[k] + 1 if k >= 0 else 0
                    if place == previous:
                        continue
                    previous = place
                    choice[3] += 1
                    if place < a:
                        begin = place
                        block = a
                        second = place
                        middle = place + length
                        end = a + length
                    else:
                        end = _shift_end(n, a, length, place, tercom)
                        begin = a
                        block = a + length
                        second = a
                        middle = end - length
                    if bits:
                        gain = distance - _bits_if_moved(
                            equals, n, m, states, scores, begin, block, second, middle, end
                        )
                    else:
                        gain = distance - _grid_if_moved(
                            words, n, reference, first, low, high, stride, beam, tercom, grid, leasts, rest, steps,
                            begin, block, second, middle, end,
                        )  # fmt: skip
                    if gain < best:
                        continue
                    if gain == best:
                        if length < choice[1]:
                            continue
                        if length == choice[1] and (a > choice[0] or (a == choice[0] and place >= choice[2])):
                            continue
                    best = gain
                    choice[0] = a
                    choice[1] = length
                    choice[2] = place
                if choice[3] >= max_tried:
                    return best
    return best


@cython.cfunc
def _move(
    array: cython.int[::1], spare: cython.int[::1], n: cython.Py_ssize_t, a: cython.Py_ssize_t,
    length: cython.Py_ssize_t, place: cython.Py_ssize_t, tercom: cython.bint,
) -> cython.int:  # fmt: skip
    """Move `length` entries from `a` to before `place`; a place within them means a move to the right."""
    k: cython.Py_ssize_t
    low: cython.Py_ssize_t = place
    high: cython.Py_ssize_t = a + length
    cut: cython.Py_ssize_t = a  # the parts from low to cut and from cut to high are exchanged
    if place >= a:
        low = a
        cut = a + length
        high = _shift_end(n, a, length, place, tercom)
    for k in range(low, high):
        spare[k] = array[k]
    for k in range(cut, high):
        array[low + k - cut] = spare[k]
    for k in range(low, cut):
        array[low + high - cut + k - low] = spare[k]
    return 0


@cython.locals(t=cython.Py_ssize_t, r=cython.Py_ssize_t, k=cython.Py_ssize_t, n=cython.Py_ssize_t, m=cython.Py_ssize_t)
@cython.locals(start=cython.Py_ssize_t, first=cython.Py_ssize_t, stride=cython.Py_ssize_t, made=cython.Py_ssize_t)
@cython.locals(used=cython.int, number=cython.int, distance=cython.int, bits=cython.bint)
def shifts(
    ids: cython.int[::1], offsets: cython.longlong[::1], texts: cython.longlong[::1], reference_ids: cython.int[::1],
    reference_offsets: cython.longlong[::1], beam: cython.int, max_size: cython.int, max_distance: cython.int,
    max_tried: cython.longlong, tercom: cython.bint, counts: cython.longlong[::1], words: cython.int[::1],
    spare: cython.int[::1], aligned: cython.int[::1], wrong: cython.int[::1], wrong_reference: cython.int[::1],
    low: cython.int[::1], high: cython.int[::1], scores: cython.int[::1], leasts: cython.int[::1],
    choice: cython.longlong[::1], moved: cython.longlong[::1], grid: cython.int[::1], rest: cython.int[::1],
    steps: cython.uchar[::1], script: cython.uchar[::1], numbers: cython.int[::1], masks: cython.ulonglong[::1],
    equals: cython.ulonglong[::1], states: cython.ulonglong[::1],
) -> cython.longlong:  # fmt: skip
    """Fill `counts`, a flattened array of shape (texts, 5), with the edits of TER.

    The columns are: substitutions, deletions, insertions, unchanged words, and shifts. A shift is one edit, whatever
    the number of its words. The search is greedy, as in Snover et al. (2006): the shift that saves most edits is made,
    until none saves any (see `_best_shift`). The grid is searched within `beam` of its diagonal, or in tercom, without
    cells that cost more than `beam` above the least of their row. A shift moves at most max_size words to a reference
    place at most max_distance away. As soon as max_tried shifts were tried, the search ends without a further shift.
    Arrays that describe the last pair: moved (begin and length of each shift, and the begin of its words afterwards),
    script (edits from the end to the beginning). Returns the script's length.
    """
    one: cython.ulonglong = 1
    written: cython.Py_ssize_t = 0
    base: cython.int = 1
    cost_beam: cython.int = beam if tercom else 1 << 27

    for t in range(texts.shape[0]):
        start = offsets[texts[t]]
        n = offsets[texts[t] + 1] - start
        first = reference_offsets[t]
        m = reference_offsets[t + 1] - first
        made = 0
        for k in range(n):
            words[k] = ids[start + k]
        if n == 0 or m == 0:
            written = n + m
            for k in range(written):
                script[k] = 2 if n == 0 else 3
        else:
            stride = _lay_bands(n, m, beam, tercom, low, high)
            if m <= 64:
                if base > 2000000000:
                    for k in range(numbers.shape[0]):
                        numbers[k] = 0
                    base = 1
                used = 0
                for r in range(m):
                    number = numbers[reference_ids[first + r]] - base
                    if number < 0:
                        number = used
                        numbers[reference_ids[first + r]] = base + used
                        masks[used] = 0
                        used += 1
                    masks[number] |= one << r
            choice[3] = 0
            while True:
                bits = False
                if m <= 64:
                    for k in range(n):
                        equals[k] = 0
                        if words[k] >= 0:
                            number = numbers[words[k]] - base
                            if number >= 0:
                                equals[k] = masks[number]
                    distance = _bits_if_moved(equals, n, m, states, scores, 0, 0, 0, 0, 0)
                    # Paths of at most this cost are so near to the diagonal (in tercom: to the least of their row)
                    # that the beam has no effect.
                    if tercom:
                        bits = distance <= beam
                    else:
                        bits = distance + (n - m if n > m else m - n) + 4 <= 2 * beam
                if not bits:
                    distance = _fill_grid(
                        words, n, reference_ids, first, m, low, high, stride, cost_beam, grid, leasts, steps
                    )
                written = _align(
                    n, m, low, stride, steps, bits, equals, states, script, aligned, wrong, wrong_reference
                )
                if distance == 0:
                    break
                if not bits and not tercom:
                    _fill_rest(words, n, reference_ids, first, m, low, high, stride, rest)
                number = _best_shift(
                    words, n, reference_ids, first, m, distance, bits, max_size, max_distance, max_tried,
                    cost_beam, tercom, aligned, wrong, wrong_reference, low, high, stride, grid, leasts,
                    rest, steps, equals, states, scores,
                    choice,
                )  # fmt: skip
                if number <= 0 or choice[3] >= max_tried:
                    break
                _move(words, spare, n, choice[0], choice[1], choice[2], tercom)
                moved[3 * made] = choice[0]
                moved[3 * made + 1] = choice[1]
                moved[3 * made + 2] = choice[2]
                if choice[2] >= choice[0]:
                    moved[3 * made + 2] = _shift_end(n, choice[0], choice[1], choice[2], tercom) - choice[1]
                made += 1
            if m <= 64:
                base += used
        for k in range(4):
            counts[5 * t + k] = 0
        for k in range(written):
            # step 0 is no edit and is counted in the fourth column; 1, 2 and 3 are substitution, deletion, insertion
            counts[5 * t + (script[k] + 3) % 4] += 1
        counts[5 * t + 4] = made
    return written
