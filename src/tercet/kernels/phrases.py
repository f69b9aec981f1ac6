# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""CharacTER's loops: move phrases of the output to their positions in the reference, and price these moves.

Wang, Peter, Rosendahl and Ney (2016), "CharacTer: Translation Edit Rate on Character Level", WMT. `move_phrases` makes
moves one by one, each time the one that lowers the edit distance between words most. Edit distances are computed for 64
reference units at a time, as bits of one number (Hyyrö, 2003, "A bit-vector algorithm for computing Levenshtein and
Damerau edit distances"). The slow reference implementation in the tests uses lists of words.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from . import plain as cython


@cython.cfunc
@cython.inline
@cython.locals(b=cython.Py_ssize_t)
@cython.locals(bit=cython.ulonglong, up=cython.ulonglong, down=cython.ulonglong, equal=cython.ulonglong)
@cython.locals(vertical=cython.ulonglong, diagonal=cython.ulonglong, plus=cython.ulonglong, minus=cython.ulonglong)
def _advance(
    masks: cython.ulonglong[::1], mask: cython.Py_ssize_t, rising: cython.ulonglong[::1],
    falling: cython.ulonglong[::1], source: cython.Py_ssize_t, target: cython.Py_ssize_t, blocks: cython.Py_ssize_t,
    last: cython.ulonglong,
) -> cython.int:  # fmt: skip
    """Compute the column of one more output unit, from `source` to `target`, which may be the same.

    A column is stored as the positions where it rises and falls by one from one reference unit to the next.
    masks[mask + b] has the bits of the reference units in block b that equal the output's unit; `last` is the bit of
    the last one. Returns the change of the distance to the whole reference, plus 1: a -1 would make Cython check for an
    exception.
    """
    bits64: cython.ulonglong = 0xFFFFFFFFFFFFFFFF
    one: cython.ulonglong = 1
    top: cython.ulonglong = one << 63
    change: cython.int = 1  # before the first reference unit, each output unit costs one
    for b in range(blocks):
        up = rising[source + b]
        down = falling[source + b]
        equal = masks[mask + b]
        vertical = equal | down
        if change < 0:
            equal |= one
        diagonal = ((((equal & up) + up) & bits64) ^ up) | equal
        plus = down | (~(diagonal | up) & bits64)
        minus = up & diagonal
        bit = last if b == blocks - 1 else top
        up = (plus << 1) & bits64
        down = (minus << 1) & bits64
        if change > 0:
            up |= one
        elif change < 0:
            down |= one
        change = 0
        if plus & bit:
            change = 1
        elif minus & bit:
            change = -1
        rising[target + b] = down | (~(vertical | up) & bits64)
        falling[target + b] = up & vertical
    return change + 1


@cython.cfunc
@cython.inline
def _moved(
    i: cython.Py_ssize_t, begin: cython.Py_ssize_t, to: cython.Py_ssize_t, size: cython.Py_ssize_t
) -> cython.Py_ssize_t:
    """Return the old position of the word at i after the `size` words from `begin` have moved to `to`."""
    if to <= i < to + size:
        return begin + i - to
    if begin <= i < to:
        return i + size
    if to <= i < begin + size:
        return i - size
    return i


@cython.cfunc
@cython.inline
@cython.locals(equal=cython.ulonglong, diagonal=cython.ulonglong, plus=cython.ulonglong, minus=cython.ulonglong)
def _distance_after_move(
    masks: cython.ulonglong[::1], rising: cython.ulonglong[::1], falling: cython.ulonglong[::1],
    scratch: cython.int[::1], n: cython.Py_ssize_t, begin: cython.Py_ssize_t, to: cython.Py_ssize_t,
    size: cython.Py_ssize_t, blocks: cython.Py_ssize_t, last: cython.ulonglong, reached: cython.int, goal: cython.int,
) -> cython.int:  # fmt: skip
    """Return the edit distance to the reference after the `size` words from `begin` have moved to `to`.

    The search stops as soon as the result must be above `goal`. `reached` is the distance of the words before the first
    changed one; each later word can lower it by at most one.
    """
    bits64: cython.ulonglong = 0xFFFFFFFFFFFFFFFF
    one: cython.ulonglong = 1
    k: cython.Py_ssize_t = begin if begin < to else to
    column: cython.Py_ssize_t = k * blocks
    trial: cython.Py_ssize_t = (n + 1) * blocks
    up: cython.ulonglong = rising[column]
    down: cython.ulonglong = falling[column]
    while k < n and reached - (n - k) <= goal:
        if blocks == 1:  # `_advance` inlined, because most sentences are that short
            equal = masks[scratch[n + _moved(k, begin, to, size)]]
            diagonal = ((((equal & up) + up) & bits64) ^ up) | equal
            plus = down | (~(diagonal | up) & bits64)
            minus = up & diagonal
            if plus & last:
                reached += 1
            elif minus & last:
                reached -= 1
            plus = ((plus << 1) & bits64) | one
            equal |= down
            up = ((minus << 1) & bits64) | (~(equal | plus) & bits64)
            down = plus & equal
        else:
            reached += (
                _advance(
                    masks,
                    scratch[n + _moved(k, begin, to, size)] * blocks,
                    rising,
                    falling,
                    column,
                    trial,
                    blocks,
                    last,
                )
                - 1
            )
            column = trial
        k += 1
    return reached if k == n else goal + 1


@cython.locals(t=cython.Py_ssize_t, i=cython.Py_ssize_t, j=cython.Py_ssize_t, k=cython.Py_ssize_t)
@cython.locals(start=cython.Py_ssize_t, first=cython.Py_ssize_t, n=cython.Py_ssize_t, m=cython.Py_ssize_t)
@cython.locals(to=cython.Py_ssize_t, size=cython.Py_ssize_t, least_size=cython.Py_ssize_t, blocks=cython.Py_ssize_t)
@cython.locals(following=cython.Py_ssize_t, changed=cython.Py_ssize_t, best_from=cython.Py_ssize_t)
@cython.locals(best_to=cython.Py_ssize_t, best_size=cython.Py_ssize_t, spent=cython.longlong)
@cython.locals(distance=cython.int, reached=cython.int, goal=cython.int, used=cython.int, word=cython.int)
@cython.locals(best_word=cython.int, found=cython.bint, better=cython.bint, last=cython.ulonglong)
def move_phrases(
    ids: cython.int[::1], offsets: cython.longlong[::1], texts: cython.longlong[::1], reference_ids: cython.int[::1],
    reference_offsets: cython.longlong[::1], orders: cython.int[::1], order_offsets: cython.longlong[::1],
    moves: cython.int[::1], budget: cython.longlong, numbers: cython.int[::1], masks: cython.ulonglong[::1],
    rising: cython.ulonglong[::1], falling: cython.ulonglong[::1], scratch: cython.int[::1], chains: cython.int[::1],
) -> cython.longlong:  # fmt: skip
    """Move phrases of output texts[t] as long as that lowers the edit distance to reference text t.

    A phrase may move if the reference has it at another position. It moves to that position, and from each pair of
    positions only the longest common phrase is tried. Of the moves that lower the edit distance between words most, the
    one with the greatest sequence of ids is made, as in the published program: ids must be in the order of the words.
    orders[order_offsets[t]:order_offsets[t + 1]] becomes the positions of the output's words in their new order.
    moves: if not empty, gets the last pair's moves (from, to, words), as far as they fit.
    budget: the maximum number of blocks to process for one pair. Returns the number of moves of the last pair, or
    -1 - t if pair t would need more.
    numbers: zeros, one for each possible id. masks: for each distinct word of the longest reference and one more, a
    number for each 64 of its words; rising, falling: the same for each word of the longest output and two more.
    scratch: 6 * longest output. chains: 2 * longest reference.
    """
    bits64: cython.ulonglong = 0xFFFFFFFFFFFFFFFF
    one: cython.ulonglong = 1
    made: cython.longlong = 0
    base: cython.int = 1

    for t in range(texts.shape[0]):
        start = offsets[texts[t]]
        n = offsets[texts[t] + 1] - start
        first = reference_offsets[t]
        m = reference_offsets[t + 1] - first
        for i in range(n):
            orders[order_offsets[t] + i] = i
        made = 0
        if n == 0 or m == 0:
            continue
        blocks = (m + 63) // 64
        last = one << ((m - 1) & 63)
        if base > 1000000000:
            numbers[:] = 0
            base = 1
        # The distinct words of the reference are numbered from 1; 0, with an empty mask, is any other word.
        used = 0
        for i in range(blocks):
            masks[i] = 0
        for j in range(m):
            if numbers[reference_ids[first + j]] < base:
                numbers[reference_ids[first + j]] = base + used
                used += 1
                for i in range(blocks):
                    masks[used * blocks + i] = 0
            k = numbers[reference_ids[first + j]] - base + 1
            masks[k * blocks + j // 64] |= one << (j & 63)
            chains[m + k - 1] = -1
        # chains: from each position to the next with the same word, then the start of each word's chain.
        for j in range(m - 1, -1, -1):
            k = numbers[reference_ids[first + j]] - base
            chains[j] = chains[m + k]
            chains[m + k] = j
        # scratch has, in the current order: ids, numbers of the words, edit distances of the beginnings; then room
        for i in range(n):
            scratch[i] = ids[start + i]
            k = numbers[ids[start + i]] - base + 1
            scratch[n + i] = k if k > 0 else 0
        base += used
        for i in range(blocks):
            rising[i] = bits64
            falling[i] = 0
        changed = 0
        distance = m
        spent = 0
        while True:
            # Columns of all beginnings of the output, starting with the first word that the last move changed.
            if changed > 0:
                distance = scratch[2 * n + changed - 1]
            else:
                distance = m
            for i in range(changed, n):
                k = i * blocks
                distance += _advance(masks, scratch[n + i] * blocks, rising, falling, k, k + blocks, blocks, last) - 1
                scratch[2 * n + i] = distance
            if distance == 0:
                break
            found = False
            goal = distance - 1
            best_from = 0
            best_to = 0
            best_size = 0
            # Longer phrases first: a move saves at most two edits for each word of the phrase.
            for least_size in range(2, 0, -1):
                if distance - 2 * least_size > goal and least_size == 1:
                    break
                for i in range(n):
                    following = chains[m + scratch[n + i] - 1] if scratch[n + i] > 0 else -1
                    while following >= 0:
                        j = following
                        following = chains[j]
                        size = 1
                        while i + size < n and j + size < m and scratch[i + size] == reference_ids[first + j + size]:
                            size += 1
                        to = j if j < n - size else n - size
                        if i == j or i == to or (size > 1) != (least_size > 1) or distance - 2 * size > goal:
                            continue
                        k = i if i < to else to
                        spent += (n - k) * blocks
                        if spent > budget:
                            return -1 - t
                        reached = _distance_after_move(
                            masks, rising, falling, scratch, n, i, to, size, blocks, last,
                            scratch[2 * n + k - 1] if k > 0 else m, goal,
                        )  # fmt: skip
                        if reached > goal:
                            continue
                        better = reached < goal or not found
                        if not better:
                            for k in range(n):
                                word = scratch[_moved(k, i, to, size)]
                                best_word = scratch[_moved(k, best_from, best_to, best_size)]
                                if word != best_word:
                                    better = word > best_word
                                    break
                        if better:
                            found = True
                            goal = reached
                            best_from = i
                            best_to = to
                            best_size = size
            if not found:
                break
            for i in range(n):
                k = _moved(i, best_from, best_to, best_size)
                scratch[3 * n + i] = scratch[k]
                scratch[4 * n + i] = scratch[n + k]
                scratch[5 * n + i] = orders[order_offsets[t] + k]
            for i in range(n):
                scratch[i] = scratch[3 * n + i]
                scratch[n + i] = scratch[4 * n + i]
                orders[order_offsets[t] + i] = scratch[5 * n + i]
            changed = best_from if best_from < best_to else best_to
            if 3 * made + 2 < moves.shape[0]:
                moves[3 * made] = best_from
                moves[3 * made + 1] = best_to
                moves[3 * made + 2] = best_size
            made += 1
    return made


@cython.locals(t=cython.Py_ssize_t, i=cython.Py_ssize_t, k=cython.Py_ssize_t, start=cython.Py_ssize_t)
@cython.locals(begin=cython.Py_ssize_t, n=cython.Py_ssize_t, size=cython.Py_ssize_t, total=cython.longlong)
@cython.locals(cost=cython.double)
def price_moves(
    ids: cython.int[::1], offsets: cython.longlong[::1], texts: cython.longlong[::1], lengths: cython.int[::1],
    orders: cython.int[::1], order_offsets: cython.longlong[::1], costs: cython.double[::1],
) -> None:  # fmt: skip
    """Fill `costs`: the sum of the mean word lengths of the phrases of output texts[t] that moved to the right.

    A phrase starts at a word that is not at its old position; it goes to the next position that has that word in the
    new order. lengths: characters of each output word.
    """

    for t in range(texts.shape[0]):
        start = offsets[texts[t]]
        begin = order_offsets[t]
        n = order_offsets[t + 1] - begin
        cost = 0.0
        i = 0
        while i < n:
            size = 1
            if ids[start + orders[begin + i]] != ids[start + i]:
                for k in range(i + 1, n):
                    if ids[start + orders[begin + k]] == ids[start + i]:
                        total = lengths[start + i]
                        while (
                            i + size < n
                            and k + size < n
                            and ids[start + orders[begin + k + size]] == ids[start + i + size]
                        ):
                            total += lengths[start + i + size]
                            size += 1
                        cost += total / float(size)
                        break
            i += size
        costs[t] = cost
