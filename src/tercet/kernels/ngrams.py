# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Clipped n-gram matches between an output and its references, for a whole system in one call.

Exact, not probabilistic: an n-gram is the pair (number of its first n-1 units, last unit), looked up by that pair,
so two n-grams meet in one entry only if they are equal. Slow oracle: `collections.Counter`, in the tests.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from . import plain as cython

COMPILED = cython.compiled


def count_matches(
    out_ids: cython.int[::1],
    out_offsets: cython.longlong[::1],
    ref_ids: cython.int[::1],
    ref_offsets: cython.longlong[::1],
    pairs: cython.longlong[::1],
    max_order: cython.int,
    matches: cython.longlong[::1],
    keys: cython.ulonglong[::1],
    slots: cython.int[::1],
    counts: cython.int[::1],
    ref_grams: cython.int[::1],
    out_grams: cython.int[::1],
) -> None:
    """Fill `matches`, shape (pairs, max_order) laid flat, with clipped n-gram matches.

    Text t of the outputs is out_ids[out_offsets[t]:out_offsets[t + 1]]; likewise the references. A unit that no
    reference holds has id -1. pairs holds three numbers each: output text, first reference text, last one + 1;
    an n-gram of the output counts at most as often as in the reference that has it most often.
    keys and slots are scratch of a length that is a power of two, at least twice the longest set of references;
    counts needs three entries for each unit of that set, ref_grams one; out_grams one for each unit of an output.
    """
    pair: cython.Py_ssize_t
    order: cython.Py_ssize_t
    i: cython.Py_ssize_t
    position: cython.Py_ssize_t
    start: cython.Py_ssize_t
    length: cython.Py_ssize_t
    ref: cython.Py_ssize_t
    out_start: cython.Py_ssize_t
    out_length: cython.Py_ssize_t
    base: cython.Py_ssize_t
    units: cython.Py_ssize_t
    size: cython.Py_ssize_t
    slot: cython.Py_ssize_t
    gram: cython.int
    next_gram: cython.int
    found: cython.longlong
    reachable: cython.longlong
    key: cython.ulonglong
    prefix: cython.ulonglong
    mask: cython.ulonglong
    hashed: cython.ulonglong

    for pair in range(pairs.shape[0] // 3):
        out_start = out_offsets[pairs[3 * pair]]
        out_length = out_offsets[pairs[3 * pair] + 1] - out_start
        base = ref_offsets[pairs[3 * pair + 1]]
        units = ref_offsets[pairs[3 * pair + 2]] - base
        size = 4
        while size < 2 * units:
            size *= 2
        mask = size - 1
        for order in range(max_order):
            for slot in range(size):
                slots[slot] = -1
            next_gram = 0
            # counts holds per n-gram: most often in one reference, in the current one, number of that reference
            for ref in range(pairs[3 * pair + 1], pairs[3 * pair + 2]):
                start = ref_offsets[ref]
                length = ref_offsets[ref + 1] - start
                for i in range(length - order):
                    position = start + i - base
                    key = ref_ids[start + i + order]
                    if order:
                        prefix = ref_grams[position]
                        key |= prefix << 32
                    hashed = ((key ^ (key >> 29)) * 0x1E3779B97F4A7C15) & 0xFFFFFFFFFFFFFFFF
                    slot = (hashed ^ (hashed >> 32)) & mask
                    while slots[slot] >= 0 and keys[slot] != key:
                        slot = (slot + 1) & mask
                    gram = slots[slot]
                    if gram < 0:
                        gram = next_gram
                        next_gram += 1
                        keys[slot] = key
                        slots[slot] = gram
                        counts[3 * gram] = 0
                        counts[3 * gram + 1] = 0
                        counts[3 * gram + 2] = ref
                    if counts[3 * gram + 2] != ref:
                        counts[3 * gram + 1] = 0
                        counts[3 * gram + 2] = ref
                    counts[3 * gram + 1] += 1
                    if counts[3 * gram + 1] > counts[3 * gram]:
                        counts[3 * gram] = counts[3 * gram + 1]
                    ref_grams[position] = gram
            found = 0
            reachable = 0
            for i in range(out_length - order):
                if order and out_grams[i] < 0:
                    continue
                gram = -1
                if out_ids[out_start + i + order] >= 0:
                    key = out_ids[out_start + i + order]
                    if order:
                        prefix = out_grams[i]
                        key |= prefix << 32
                    hashed = ((key ^ (key >> 29)) * 0x1E3779B97F4A7C15) & 0xFFFFFFFFFFFFFFFF
                    slot = (hashed ^ (hashed >> 32)) & mask
                    while slots[slot] >= 0 and keys[slot] != key:
                        slot = (slot + 1) & mask
                    gram = slots[slot]
                    if gram >= 0:
                        reachable += 1
                        if counts[3 * gram] > 0:
                            counts[3 * gram] -= 1
                            found += 1
                out_grams[i] = gram
            matches[pair * max_order + order] = found
            if not reachable:
                break  # no longer n-gram can match
