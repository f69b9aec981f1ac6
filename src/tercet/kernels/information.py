# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""N-grams of a whole test set with the information of each (NIST), and what outputs match of it.

An n-gram is a number: 0 is the empty one, then come the single words, then the n-grams of each order. It is found word
by word: from the number of its first n-1 words and its last word, which together are the key of an open hash table (one
for each order from 2 on), so that look-ups are exact. An n-gram whose first n-1 words occur only once is left out,
since it has no information. The slow reference implementation in the tests uses dictionaries.
"""

from __future__ import annotations

from math import log2

try:
    import cython
except ImportError:
    from . import plain as cython


@cython.cfunc
@cython.inline
def _slot(
    keys: cython.ulonglong[::1], values: cython.int[::1], begin: cython.Py_ssize_t, end: cython.Py_ssize_t,
    prefix: cython.ulonglong, word: cython.ulonglong,
) -> cython.Py_ssize_t:  # fmt: skip
    """Return the slot of an n-gram in the table from begin to end, or the free slot (value 0) where it belongs."""
    # Typed, or Cython would multiply Python integers; the mask of 64 bits is for the uncompiled version.
    multiplier: cython.ulonglong = 0x9E3779B97F4A7C15
    bits64: cython.ulonglong = 0xFFFFFFFFFFFFFFFF
    mask: cython.ulonglong = end - begin - 1
    key: cython.ulonglong = prefix << 32 | word
    hashed: cython.ulonglong = ((key ^ (key >> 29)) * multiplier) & bits64
    place: cython.ulonglong = (hashed ^ (hashed >> 32)) & mask
    while values[begin + place] and keys[begin + place] != key:
        place = (place + 1) & mask
    return begin + place


@cython.locals(t=cython.Py_ssize_t, i=cython.Py_ssize_t, slot=cython.Py_ssize_t, gram=cython.int, word=cython.int)
def add_order(
    ids: cython.int[::1], offsets: cython.longlong[::1], order: cython.Py_ssize_t, grams: cython.int[::1],
    zero: cython.int, keys: cython.ulonglong[::1], values: cython.int[::1], prefixes: cython.int[::1],
    counts: cython.longlong[::1], known: cython.int,
) -> cython.longlong:  # fmt: skip
    """Count the n-grams of one order, 2 or more, and number them from `known` on. Returns the next number.

    Text t is ids[offsets[t]:offsets[t + 1]]. grams: the number of the shorter n-gram that begins at each position, 0
    for none; becomes that of the longer one. zero: a prefix that is never left out. keys and values: the empty hash
    table of this order, a power of two. prefixes and counts: by number of the n-gram, that of its first n-1 words, and
    how often it occurs.
    """
    for t in range(offsets.shape[0] - 1):
        for i in range(offsets[t], offsets[t + 1]):
            gram = grams[i]
            grams[i] = 0
            if gram == 0 or i + order > offsets[t + 1] or (counts[gram] < 2 and gram != zero):
                continue
            word = ids[i + order - 1]
            slot = _slot(keys, values, 0, values.shape[0], gram, word)
            if values[slot] == 0:
                keys[slot] = gram
                keys[slot] = keys[slot] << 32 | word
                values[slot] = known
                prefixes[known] = gram
                known += 1
            grams[i] = values[slot]
            counts[grams[i]] += 1
    return known


def weigh_grams(
    prefixes: cython.int[::1], counts: cython.longlong[::1], zero: cython.int, weights: cython.double[::1]
) -> None:
    """Fill the information of each n-gram: log2 of how often its prefix occurs over how often it occurs.

    zero: a prefix that counts as the empty one; 0 for none.
    """
    gram: cython.Py_ssize_t
    count: cython.double  # not integers, whose quotient Cython would round down
    before: cython.double
    weights[0] = 0.0
    for gram in range(1, prefixes.shape[0]):
        count = counts[gram]
        before = counts[0 if prefixes[gram] == zero else prefixes[gram]]
        weights[gram] = 0.0 if count == before else log2(before / count)


@cython.cfunc
@cython.inline
def _longer(
    gram: cython.int, word: cython.int, order: cython.Py_ssize_t, keys: cython.ulonglong[::1], values: cython.int[::1],
    bounds: cython.longlong[::1],
) -> cython.int:  # fmt: skip
    """Return the number of an n-gram of this order, made of a shorter one and a word (-1: unknown); 0 if unknown."""
    if word < 0:
        return 0
    if order == 1:
        return word + 1
    return values[_slot(keys, values, bounds[order - 2], bounds[order - 1], gram, word)]


@cython.locals(t=cython.Py_ssize_t, i=cython.Py_ssize_t, n=cython.Py_ssize_t, gram=cython.int)
def find_grams(
    ids: cython.int[::1], offsets: cython.longlong[::1], keys: cython.ulonglong[::1], values: cython.int[::1],
    bounds: cython.longlong[::1], grams: cython.int[:, ::1],
) -> None:  # fmt: skip
    """Fill grams[i, n - 1], the number of the n-gram that begins at position i; 0 if there is none.

    bounds: the table of order n is from bounds[n - 2] to bounds[n - 1].
    """
    for t in range(offsets.shape[0] - 1):
        for i in range(offsets[t], offsets[t + 1]):
            gram = 0
            for n in range(1, grams.shape[1] + 1):
                if (gram == 0 and n > 1) or i + n > offsets[t + 1]:
                    gram = 0
                else:
                    gram = _longer(gram, ids[i + n - 1], n, keys, values, bounds)
                grams[i, n - 1] = gram


@cython.cfunc
@cython.inline
@cython.locals(i=cython.Py_ssize_t, n=cython.Py_ssize_t, gram=cython.int)
def _count_reference(
    grams: cython.int[:, ::1], begin: cython.Py_ssize_t, end: cython.Py_ssize_t, times: cython.int[::1],
    most: cython.int[::1],
) -> cython.Py_ssize_t:  # fmt: skip
    """Raise the largest counts to those of one reference. Returns its length."""
    for i in range(begin, end):
        for n in range(grams.shape[1]):
            gram = grams[i, n]
            if gram == 0:
                break
            times[gram] += 1
            if times[gram] > most[gram]:
                most[gram] = times[gram]
    for i in range(begin, end):
        for n in range(grams.shape[1]):
            times[grams[i, n]] = 0
    return end - begin


@cython.locals(s=cython.Py_ssize_t, t=cython.Py_ssize_t, i=cython.Py_ssize_t, n=cython.Py_ssize_t)
@cython.locals(found=cython.Py_ssize_t, gram=cython.int)
def match_information(
    ids: cython.int[::1], offsets: cython.longlong[::1], references: cython.int[:, ::1],
    reference_offsets: cython.longlong[::1], groups: cython.longlong[::1], keys: cython.ulonglong[::1],
    values: cython.int[::1], bounds: cython.longlong[::1], weights: cython.double[::1], most: cython.int[::1],
    times: cython.int[::1], seen: cython.int[::1], matched: cython.double[:, ::1],
) -> None:  # fmt: skip
    """Fill matched[s, n - 1], the information of the matched n-grams in output s.

    references: from `find_grams`; segment s has the texts groups[s] to groups[s + 1] - 1. An n-gram matches at most as
    often as in the reference that has it most often. most and times: zeros, one for each n-gram. seen: two for each
    possible n-gram of an output. Information is added in the order in which n-grams first occur in the output.
    """
    max_order: cython.Py_ssize_t = references.shape[1]
    for s in range(offsets.shape[0] - 1):
        for t in range(groups[s], groups[s + 1]):
            _count_reference(references, reference_offsets[t], reference_offsets[t + 1], times, most)
        found = 0
        for i in range(offsets[s], offsets[s + 1]):
            gram = 0
            for n in range(1, min(max_order, offsets[s + 1] - i) + 1):
                gram = _longer(gram, ids[i + n - 1], n, keys, values, bounds)
                if most[gram] == 0:
                    break  # then no longer n-gram is in a reference either
                if times[gram] == 0:
                    seen[2 * found] = gram
                    seen[2 * found + 1] = n - 1
                    found += 1
                times[gram] += 1
        for n in range(max_order):
            matched[s, n] = 0.0
        for i in range(found):
            gram = seen[2 * i]
            matched[s, seen[2 * i + 1]] += min(times[gram], most[gram]) * weights[gram]
            times[gram] = 0
        for i in range(reference_offsets[groups[s]], reference_offsets[groups[s + 1]]):
            for n in range(max_order):
                most[references[i, n]] = 0
