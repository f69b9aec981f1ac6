# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Word alignments between outputs and references by the words' contexts, as in RIBES and hLEPOR.

`align_contexts` (RIBES) aligns an ambiguous word by the shortest unambiguous n-gram around it. `align_nearest` (hLEPOR)
takes the nearest of the positions that share a neighbouring word; `align_perl` reproduces the hLEPOR program of WMT19
instead. Output texts[t] is compared with reference text t. An alignment has a reference position, or -1, for each
output word; those of all texts are concatenated. The slow reference implementations in the tests use lists of words.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from . import plain as cython


@cython.cfunc
@cython.locals(i=cython.Py_ssize_t, k=cython.Py_ssize_t, p=cython.Py_ssize_t, q=cython.Py_ssize_t, length=cython.int)
def _unique_lengths(
    ids: cython.int[::1], start: cython.Py_ssize_t, n: cython.Py_ssize_t, other: cython.int[::1],
    first: cython.Py_ssize_t, m: cython.Py_ssize_t, step: cython.int, same: cython.bint, longest: cython.int[::1],
    second: cython.int[::1], where: cython.int[::1], row: cython.int[::1],
) -> cython.int:  # fmt: skip
    """Find for each word the n-grams that end there (step 1) or begin there (step -1) and occur in the other text.

    longest: the length of the longest one. where: the other text's position of that word. second: the length of the
    longest one at any other position. With `same` the other text is the text itself, and a word's own position is
    ignored. row: size of the other text + 1.
    """
    for k in range(m + 1):
        row[k] = 0
    for i in range(n):
        p = i if step > 0 else n - 1 - i
        longest[p] = 0
        second[p] = 0
        where[p] = -1
        # row[k] is the n-gram's length at the other text's k-th word, counted in the direction of the step; in
        # descending order, row[k] still has the previous word's value
        for k in range(m, 0, -1):
            q = k - 1 if step > 0 else m - k
            length = row[k - 1] + 1 if ids[start + p] == other[first + q] else 0
            row[k] = length
            if length == 0 or (same and p == q):
                continue
            if length > longest[p]:
                second[p] = longest[p]
                longest[p] = length
                where[p] = q
            elif length > second[p]:
                second[p] = length
    return 0


@cython.locals(t=cython.Py_ssize_t, i=cython.Py_ssize_t, start=cython.Py_ssize_t, first=cython.Py_ssize_t)
@cython.locals(n=cython.Py_ssize_t, m=cython.Py_ssize_t)
@cython.locals(needed=cython.int, shortest=cython.int, direction=cython.int, step=cython.int)
@cython.locals(longest=cython.int[::1], second=cython.int[::1], where=cython.int[::1], own=cython.int[::1])
@cython.locals(unused=cython.int[::1], best=cython.int[::1])
def align_contexts(
    ids: cython.int[::1], offsets: cython.longlong[::1], texts: cython.longlong[::1], reference_ids: cython.int[::1],
    reference_offsets: cython.longlong[::1], alignment: cython.int[::1], alignment_offsets: cython.longlong[::1],
    scratch: cython.int[::1], row: cython.int[::1],
) -> None:  # fmt: skip
    """Align each word by the shortest n-gram with it that occurs once in the output and once in the reference.

    The n-gram ends or begins with the word; of two of the same length the one that ends there is used. An n-gram is
    unique in a text if it is longer than its match at any other position.
    scratch: 6 * longest output. row: longest text + 1.
    """

    for t in range(texts.shape[0]):
        start = offsets[texts[t]]
        n = offsets[texts[t] + 1] - start
        first = reference_offsets[t]
        m = reference_offsets[t + 1] - first
        longest = scratch[:n]
        second = scratch[n : 2 * n]
        where = scratch[2 * n : 3 * n]
        own = scratch[3 * n : 4 * n]
        unused = scratch[4 * n : 5 * n]
        best = scratch[5 * n : 6 * n]
        for i in range(n):
            alignment[alignment_offsets[t] + i] = -1
            best[i] = 0
        for direction in range(2):
            step = 1 - 2 * direction
            _unique_lengths(ids, start, n, ids, start, n, step, True, own, second, unused, row)
            _unique_lengths(ids, start, n, reference_ids, first, m, step, False, longest, second, where, row)
            for i in range(n):
                needed = (own[i] if own[i] > second[i] else second[i]) + 1
                shortest = best[i]
                if needed <= longest[i] and (shortest == 0 or needed < shortest):
                    best[i] = needed
                    alignment[alignment_offsets[t] + i] = where[i]


@cython.locals(t=cython.Py_ssize_t, i=cython.Py_ssize_t, j=cython.Py_ssize_t, n=cython.Py_ssize_t)
@cython.locals(pairs=cython.longlong)
def count_ascending(
    alignment: cython.int[::1], alignment_offsets: cython.longlong[::1], aligned: cython.longlong[::1],
    ascending: cython.longlong[::1], row: cython.int[::1],
) -> None:  # fmt: skip
    """Count the aligned words, and the pairs of them that are in the reference's order.

    row: size of the longest output.
    """
    for t in range(aligned.shape[0]):
        n = 0
        for i in range(alignment_offsets[t], alignment_offsets[t + 1]):
            if alignment[i] >= 0:
                row[n] = alignment[i]
                n += 1
        pairs = 0
        for i in range(n):
            for j in range(i + 1, n):
                if row[i] < row[j]:
                    pairs += 1
        aligned[t] = n
        ascending[t] = pairs


@cython.cfunc
@cython.inline
def _share_context(
    ids: cython.int[::1], start: cython.Py_ssize_t, n: cython.Py_ssize_t, i: cython.Py_ssize_t, other: cython.int[::1],
    first: cython.Py_ssize_t, m: cython.Py_ssize_t, j: cython.Py_ssize_t, width: cython.Py_ssize_t,
    wrapped: cython.bint,
) -> cython.bint:  # fmt: skip
    """Return whether the windows of `width` words before and after two positions have a word in common.

    With `wrapped` a window that would begin before the text counts from its end, like a negative index in Python.
    """
    a: cython.Py_ssize_t
    b: cython.Py_ssize_t
    low: cython.Py_ssize_t = i - width
    low_other: cython.Py_ssize_t = j - width
    if low < 0:
        low = 0 if not wrapped or low + n < 0 else (low + n if low + n < i else i)
    if low_other < 0:
        low_other = 0 if not wrapped or low_other + m < 0 else (low_other + m if low_other + m < j else j)
    for a in range(low, i + width + 1 if i + width < n else n):
        if a == i:
            continue
        for b in range(low_other, j + width + 1 if j + width < m else m):
            if b != j and ids[start + a] == other[first + b]:
                return True
    return False


@cython.locals(t=cython.Py_ssize_t, i=cython.Py_ssize_t, j=cython.Py_ssize_t, start=cython.Py_ssize_t)
@cython.locals(first=cython.Py_ssize_t, n=cython.Py_ssize_t, m=cython.Py_ssize_t, distance=cython.Py_ssize_t)
@cython.locals(least=cython.Py_ssize_t, chosen=cython.Py_ssize_t, rank=cython.Py_ssize_t)
@cython.locals(shared=cython.bint, sharing=cython.bint)
def align_nearest(
    ids: cython.int[::1], offsets: cython.longlong[::1], texts: cython.longlong[::1], reference_ids: cython.int[::1],
    reference_offsets: cython.longlong[::1], width: cython.int, port: cython.bint, alignment: cython.int[::1],
    alignment_offsets: cython.longlong[::1], scratch: cython.int[::1],
) -> None:  # fmt: skip
    """Align each word, from left to right, with a reference position that has it and is not taken.

    Of several positions those that share a word within `width` words are preferred, if there are any; of these the
    nearest, and of two equally near the left one. With `port` the behaviour of hLepor 0.0.4 is reproduced: windows at
    the beginning of a text are empty or wrap, and an index among the positions that share a word is used as an index
    among all positions. scratch: size of the longest reference.
    """

    for t in range(texts.shape[0]):
        start = offsets[texts[t]]
        n = offsets[texts[t] + 1] - start
        first = reference_offsets[t]
        m = reference_offsets[t + 1] - first
        for j in range(m):
            scratch[j] = 0
        for i in range(n):
            chosen = -1
            least = 0
            sharing = False
            for j in range(m):
                if scratch[j] or reference_ids[first + j] != ids[start + i]:
                    continue
                shared = _share_context(ids, start, n, i, reference_ids, first, m, j, width, port)
                distance = i - j if i > j else j - i
                if chosen < 0 or (shared and not sharing) or (shared == sharing and distance < least):
                    sharing = shared
                    least = distance
                    chosen = j
            if sharing and port:
                rank = 0
                for j in range(chosen):
                    if not scratch[j] and reference_ids[first + j] == ids[start + i]:
                        rank += _share_context(ids, start, n, i, reference_ids, first, m, j, width, port)
                for j in range(m):
                    if not scratch[j] and reference_ids[first + j] == ids[start + i]:
                        if rank == 0:
                            chosen = j
                            break
                        rank -= 1
            if chosen >= 0:
                scratch[chosen] = 1
            alignment[alignment_offsets[t] + i] = chosen


@cython.cfunc
@cython.inline
def _perl_word(
    ids: cython.int[::1], start: cython.Py_ssize_t, n: cython.Py_ssize_t, i: cython.Py_ssize_t
) -> cython.int:
    """Return the word at i as in Perl: negative indices count from the end, and missing words are empty."""
    if i < 0:
        i += n
    return ids[start + i] if 0 <= i < n else 0


@cython.locals(t=cython.Py_ssize_t, i=cython.Py_ssize_t, j=cython.Py_ssize_t, a=cython.Py_ssize_t, b=cython.Py_ssize_t)
@cython.locals(side=cython.Py_ssize_t, start=cython.Py_ssize_t, first=cython.Py_ssize_t, place=cython.Py_ssize_t)
@cython.locals(n=cython.Py_ssize_t, m=cython.Py_ssize_t, distance=cython.Py_ssize_t, least=cython.Py_ssize_t)
@cython.locals(found=cython.longlong, confirmed=cython.bint)
def align_perl(
    ids: cython.int[::1], offsets: cython.longlong[::1], texts: cython.longlong[::1], reference_ids: cython.int[::1],
    reference_offsets: cython.longlong[::1], alignment: cython.int[::1], alignment_offsets: cython.longlong[::1],
    common: cython.longlong[::1], scratch: cython.int[::1],
) -> None:  # fmt: skip
    """Align words and count common words as the hLEPOR program of WMT19 does; id 0 is the empty word.

    In `common` a reference position counts as taken if a position was taken whose decimal digits begin with its own.
    A word within a text is aligned with the first position that has it, taken or not, because the window that should
    confirm the match includes the match itself. The first word needs a common word among the next two words, the last
    two words need one among the previous two. Otherwise they are aligned with the nearest position that was not
    confirmed last, if there is one, or with the first position. scratch: 2 * longest reference.
    """

    for t in range(texts.shape[0]):
        start = offsets[texts[t]]
        n = offsets[texts[t] + 1] - start
        first = reference_offsets[t]
        m = reference_offsets[t + 1] - first
        place = alignment_offsets[t]
        for j in range(2 * m):
            scratch[j] = 0
        found = 0
        for i in range(n):
            alignment[place + i] = -1
            for j in range(m):
                if ids[start + i] == reference_ids[first + j] and not scratch[j]:
                    found += 1
                    b = j
                    scratch[b] = 1
                    while b >= 10:
                        b = b // 10
                        scratch[b] = 1
                    break
        common[t] = found
        for i in range(n):
            side = 1 if i == 0 else -1
            for j in range(m):
                scratch[m + j] = 0
                if ids[start + i] != reference_ids[first + j]:
                    continue
                alignment[place + i] = -2  # a match that is not confirmed yet
                confirmed = 0 < i < n - 2
                for a in range(1, 3):
                    for b in range(1, 3):
                        if not confirmed:
                            confirmed = _perl_word(ids, start, n, i + side * a) == _perl_word(
                                reference_ids, first, m, j + side * b
                            )
                if confirmed:
                    scratch[m + j] = 1
                    alignment[place + i] = j
                    break
        for i in range(n):
            if alignment[place + i] != -2:
                continue
            alignment[place + i] = 0
            least = -1
            for j in range(m):
                if reference_ids[first + j] == ids[start + i] and not scratch[m + j]:
                    distance = i - j if i > j else j - i
                    if least < 0 or distance < least:
                        least = distance
                        alignment[place + i] = j
