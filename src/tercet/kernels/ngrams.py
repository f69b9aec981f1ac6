# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Clipped n-gram matches between outputs and references, for a whole system in one call.

`index_grams` lists the distinct n-grams of each group of references once, for all systems; `count_matches` compares
outputs with that list. An n-gram is the pair (number of its first n-1 units, last unit), both small numbers within its
group, so a look-up reads one element of a table. Matching is exact: an n-gram is never identified by a hash alone.
The slow reference implementation in the tests uses `collections.Counter`.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from . import plain as cython


@cython.cfunc
@cython.inline
def _probe(
    keys: cython.ulonglong[::1], values: cython.int[::1], mask: cython.ulonglong, key: cython.ulonglong
) -> cython.Py_ssize_t:
    """Return the slot of a key in an open hash table, or the free slot (value -1) where it belongs."""
    # Typed, or Cython would multiply Python integers; the last mask is for the uncompiled version.
    multiplier: cython.ulonglong = 0x9E3779B97F4A7C15
    bits64: cython.ulonglong = 0xFFFFFFFFFFFFFFFF
    hashed: cython.ulonglong = ((key ^ (key >> 29)) * multiplier) & bits64
    place: cython.Py_ssize_t = (hashed ^ (hashed >> 32)) & mask
    while values[place] >= 0 and keys[place] != key:
        place = (place + 1) & mask
    return place


@cython.locals(g=cython.Py_ssize_t, t=cython.Py_ssize_t, i=cython.Py_ssize_t, n=cython.Py_ssize_t)
@cython.locals(start=cython.Py_ssize_t, length=cython.Py_ssize_t, base=cython.Py_ssize_t, total=cython.Py_ssize_t)
@cython.locals(size=cython.Py_ssize_t, place=cython.Py_ssize_t, gram=cython.int, unit=cython.int)
@cython.locals(prefix=cython.ulonglong, key=cython.ulonglong, mask=cython.ulonglong)
def index_grams(
    ids: cython.int[::1], offsets: cython.longlong[::1], groups: cython.longlong[::1], max_order: cython.int,
    prefixes: cython.int[::1], units: cython.int[::1], counts: cython.int[::1], bounds: cython.longlong[::1],
    keys: cython.ulonglong[::1], values: cython.int[::1], scratch: cython.int[::1],
) -> None:  # fmt: skip
    """List the distinct n-grams of each group of texts, order by order.

    Text t is ids[offsets[t]:offsets[t + 1]]; group g has the texts groups[g] to groups[g + 1] - 1. The n-grams of group
    g and order n are at bounds[g * max_order + n] up to the next bound: the number of the (n-1)-gram that each begins
    with, its last unit (an id for single units, otherwise the number of that single unit), and its maximum count in one
    text. keys and values: a hash table, a power of two, at least twice the units of the largest group. scratch: four
    for each of its units.
    """
    written: cython.Py_ssize_t = 0
    first: cython.Py_ssize_t = 0
    before: cython.Py_ssize_t  # the first n-gram of the order before
    alone: cython.bint  # whether the group has one text

    bounds[0] = 0
    for g in range(groups.shape[0] - 1):
        base = offsets[groups[g]]
        total = offsets[groups[g + 1]] - base
        size = 4
        while size < 2 * total:
            size *= 2
        mask = size - 1
        alone = groups[g + 1] - groups[g] == 1
        # scratch has: number of the single unit, number of the n-gram, at each position of the group; then for each
        # n-gram its count in the current text, and the number of that text
        for n in range(max_order):
            for place in range(size):
                values[place] = -1
            before = first
            first = written
            for t in range(groups[g], groups[g + 1]):
                start = offsets[t] - base
                length = offsets[t + 1] - base - start
                for i in range(start, start + length - n):
                    if n == 0:
                        unit = ids[base + i]
                        prefix = 0
                    else:
                        unit = scratch[i + n]
                        prefix = scratch[total + i]
                    gram = -1
                    # What begins with words that occur once occurs once: it need not be looked up.
                    if not alone or n == 0 or counts[before + scratch[total + i]] > 1:
                        key = unit
                        key |= prefix << 32
                        place = _probe(keys, values, mask, key)
                        gram = values[place]
                        if gram < 0:
                            keys[place] = key
                            values[place] = written - first
                    if gram < 0:
                        gram = written - first
                        prefixes[written] = prefix
                        units[written] = unit
                        counts[written] = 0
                        if not alone:
                            scratch[3 * total + gram] = -1
                        written += 1
                    if alone:
                        counts[first + gram] += 1
                    else:
                        if scratch[3 * total + gram] != t:
                            scratch[2 * total + gram] = 0
                            scratch[3 * total + gram] = t
                        scratch[2 * total + gram] += 1
                        if scratch[2 * total + gram] > counts[first + gram]:
                            counts[first + gram] = scratch[2 * total + gram]
                    scratch[total + i] = gram
                    if n == 0:
                        scratch[i] = gram
            bounds[g * max_order + n + 1] = written


@cython.locals(g=cython.Py_ssize_t, i=cython.Py_ssize_t, n=cython.Py_ssize_t, start=cython.Py_ssize_t)
@cython.locals(length=cython.Py_ssize_t, first=cython.Py_ssize_t, grams=cython.Py_ssize_t, alphabet=cython.Py_ssize_t)
@cython.locals(size=cython.Py_ssize_t, place=cython.Py_ssize_t, gram=cython.int, taken=cython.int)
@cython.locals(found=cython.longlong, direct=cython.bint, prefix=cython.ulonglong, key=cython.ulonglong)
def count_matches(
    ids: cython.int[::1], offsets: cython.longlong[::1], texts: cython.longlong[::1], max_order: cython.int,
    prefixes: cython.int[::1], units: cython.int[::1], counts: cython.int[::1], bounds: cython.longlong[::1],
    matches: cython.longlong[::1], numbers: cython.int[::1], table: cython.int[::1], keys: cython.ulonglong[::1],
    values: cython.int[::1], left: cython.int[::1], scratch: cython.int[::1], largest_base: cython.int = 1000000000,
) -> None:  # fmt: skip
    """Fill `matches`, a flattened array of shape (groups, max_order): the n-grams of output texts[g] in group g.

    An n-gram counts at most as often as its maximum count in one text (see `index_grams`). A unit that is in no
    reference is -1. In this loop n-grams are numbered from 1; 0 is an n-gram that is not in the group, with 0 left:
    counting it is faster than a branch that the processor cannot predict.
    numbers: zeros, one for each possible id and -1. table: zeros; an n-gram is looked up there by
    prefix * (single units of the group + 1) + unit if that fits, otherwise in the hash table of keys and values (a
    power of two, at least twice the largest number of n-grams of one order). left: one for each n-gram of an order and
    for 0. scratch: two for each unit of an output.
    Entries of `numbers` and `table` count from a base that only grows, so that old ones need not be cleared until it
    passes largest_base.
    """
    base: cython.int = 1
    mask: cython.ulonglong = 0

    left[0] = 0
    for g in range(texts.shape[0]):
        start = offsets[texts[g]]
        length = offsets[texts[g] + 1] - start
        if base > largest_base:
            for i in range(numbers.shape[0]):
                numbers[i] = 0
            for i in range(table.shape[0]):
                table[i] = 0
            base = 1
        first = bounds[g * max_order]
        alphabet = bounds[g * max_order + 1] - first
        for i in range(alphabet):
            numbers[units[first + i] + 1] = base + i + 1
            left[i + 1] = counts[first + i]
        found = 0
        for i in range(length):
            gram = numbers[ids[start + i] + 1] - base
            gram = gram if gram > 0 else 0
            taken = left[gram] > 0
            left[gram] -= taken
            found += taken
            scratch[2 * i] = gram
            scratch[2 * i + 1] = gram
        base += alphabet
        matches[g * max_order] = found
        grams = alphabet
        for n in range(1, max_order):
            if not found:
                break  # no longer n-gram can match
            direct = (grams + 1) * (alphabet + 1) <= table.shape[0]
            first = bounds[g * max_order + n]
            grams = bounds[g * max_order + n + 1] - first
            for i in range(grams):
                left[i + 1] = counts[first + i]
            found = 0
            if direct:
                for i in range(grams):
                    table[(prefixes[first + i] + 1) * (alphabet + 1) + units[first + i] + 1] = base + i + 1
                for i in range(length - n):
                    gram = table[scratch[2 * i + 1] * (alphabet + 1) + scratch[2 * (i + n)]] - base
                    gram = gram if gram > 0 else 0
                    taken = left[gram] > 0
                    left[gram] -= taken
                    found += taken
                    scratch[2 * i + 1] = gram
                base += grams
            else:
                size = 4
                while size < 2 * grams:
                    size *= 2
                mask = size - 1
                for place in range(size):
                    values[place] = -1
                for i in range(grams):
                    prefix = prefixes[first + i]
                    key = units[first + i]
                    key |= prefix << 32
                    place = _probe(keys, values, mask, key)
                    keys[place] = key
                    values[place] = i
                for i in range(length - n):
                    gram = 0
                    if scratch[2 * i + 1] and scratch[2 * (i + n)]:
                        prefix = scratch[2 * i + 1] - 1
                        key = scratch[2 * (i + n)] - 1
                        key |= prefix << 32
                        gram = values[_probe(keys, values, mask, key)] + 1
                    taken = left[gram] > 0
                    left[gram] -= taken
                    found += taken
                    scratch[2 * i + 1] = gram
            matches[g * max_order + n] = found
