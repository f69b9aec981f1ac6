# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""YiSi-0's loops: the longest common substring of two words, and the best match of each n-gram of words.

Lo (2019), "YiSi - a Unified Semantic MT Quality Evaluation and Estimation Metric for Languages with Different Levels of
Available Resources", WMT. The slow reference implementation in the tests uses lists of words.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from . import plain as cython


@cython.cfunc
@cython.inline
@cython.locals(i=cython.Py_ssize_t, j=cython.Py_ssize_t, unit=cython.uchar, length=cython.int)
def _common_substring(
    data: cython.uchar[::1], first: cython.Py_ssize_t, n: cython.Py_ssize_t, second: cython.Py_ssize_t,
    m: cython.Py_ssize_t, row: cython.int[::1],
) -> cython.int:  # fmt: skip
    """Return the length of the longest common substring of data[first:first + n] and data[second:second + m].

    row: bytes of the second word + 1.
    """
    longest: cython.int = 0
    for j in range(m + 1):
        row[j] = 0
    for i in range(n):
        unit = data[first + i]
        for j in range(m, 0, -1):  # downwards, so that row[j - 1] still has the value of the previous byte
            length = row[j - 1] + 1 if data[second + j - 1] == unit else 0
            row[j] = length
            if length > longest:
                longest = length
    return longest


@cython.locals(t=cython.Py_ssize_t, i=cython.Py_ssize_t, j=cython.Py_ssize_t, k=cython.Py_ssize_t)
@cython.locals(start=cython.Py_ssize_t, first=cython.Py_ssize_t, n=cython.Py_ssize_t, m=cython.Py_ssize_t)
@cython.locals(size=cython.Py_ssize_t, at=cython.Py_ssize_t, length=cython.Py_ssize_t, other_length=cython.Py_ssize_t)
@cython.locals(used=cython.int, word=cython.int, other=cython.int)
@cython.locals(weight=cython.double, total=cython.double, reference_total=cython.double, similarity=cython.double)
@cython.locals(best=cython.double)
def match_grams(
    ids: cython.int[::1], offsets: cython.longlong[::1], texts: cython.longlong[::1], reference_ids: cython.int[::1],
    reference_offsets: cython.longlong[::1], data: cython.uchar[::1], ends: cython.longlong[::1],
    weights: cython.double[::1], order: cython.int, sums: cython.double[::1], numbers: cython.int[::1],
    distinct: cython.int[::1], similarities: cython.double[::1], words: cython.double[::1], grams: cython.double[::1],
    row: cython.int[::1],
) -> None:  # fmt: skip
    """Fill `sums`, four for each pair of output texts[t] and reference text t.

    They are: the weighted sum of the similarities of the output's n-grams to their best matches; the sum of the
    weights; and both for the reference's n-grams.
    Word w is data[ends[w - 1]:ends[w]] and has weight weights[w]. The similarity of two words is twice the length of
    their longest common substring over the sum of their lengths. The similarity of two n-grams is the mean over their
    words, weighted by the side that looks for its best match. n is `order` or the length of a shorter text.
    numbers: zeros, one for each word. For each word of the longest reference: one in distinct and words, two in grams,
    `order` in similarities. row: bytes of the longest word + 1.
    """
    base: cython.int = 1

    for t in range(texts.shape[0]):
        start = offsets[texts[t]]
        n = offsets[texts[t] + 1] - start
        first = reference_offsets[t]
        m = reference_offsets[t + 1] - first
        for k in range(4):
            sums[4 * t + k] = 0.0
        size = order
        if n < size:
            size = n
        if m < size:
            size = m
        if size == 0:
            continue
        if base > 1000000000:
            numbers[:] = 0
            base = 1
        used = 0
        for j in range(m):
            word = reference_ids[first + j]
            if numbers[word] < base:
                numbers[word] = base + used
                distinct[used] = word
                used += 1
        for j in range(m - size + 1):
            total = 0.0
            for k in range(size):
                total += weights[reference_ids[first + j + k]]
            grams[2 * j] = 0.0
            grams[2 * j + 1] = total
        for i in range(n):
            # Similarities of the output's i-th word: once for each distinct word, then for each position.
            word = ids[start + i]
            at = ends[word - 1] if word > 0 else 0
            length = ends[word] - at
            for k in range(used):
                other = distinct[k]
                if other == word:
                    words[k] = 1.0
                    continue
                j = ends[other - 1] if other > 0 else 0
                other_length = ends[other] - j
                words[k] = 2.0 * _common_substring(data, at, length, j, other_length, row) / (length + other_length)
            k = (i % size) * m
            for j in range(m):
                similarities[k + j] = words[numbers[reference_ids[first + j]] - base]
            if i < size - 1:
                continue
            # Compare the output's n-gram that ends here with all n-grams of the reference.
            total = 0.0
            for k in range(size):
                total += weights[ids[start + i - size + 1 + k]]
            best = 0.0
            for j in range(m - size + 1):
                weight = 0.0
                reference_total = 0.0
                for k in range(size):
                    similarity = similarities[((i - size + 1 + k) % size) * m + j + k]
                    weight += weights[ids[start + i - size + 1 + k]] * similarity
                    reference_total += weights[reference_ids[first + j + k]] * similarity
                if weight / total > best:
                    best = weight / total
                reference_total = reference_total / grams[2 * j + 1]
                if reference_total > grams[2 * j]:
                    grams[2 * j] = reference_total
            sums[4 * t] += total * best
            sums[4 * t + 1] += total
        for j in range(m - size + 1):
            sums[4 * t + 2] += grams[2 * j + 1] * grams[2 * j]
            sums[4 * t + 3] += grams[2 * j + 1]
        base += used
