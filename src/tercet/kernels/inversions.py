# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Count pairs that are in the wrong order, for Kendall's tau: with a tree of sums (Fenwick, 1994), in n log n steps."""

from __future__ import annotations

try:
    import cython
except ImportError:
    from . import plain as cython


@cython.locals(r=cython.Py_ssize_t, i=cython.Py_ssize_t, place=cython.Py_ssize_t)
def count_inversions(rows: cython.int[:, ::1], tree: cython.int[::1], inversions: cython.longlong[::1]) -> None:
    """Fill the number of pairs of each row of which the first is larger than the second.

    Numbers are from 1 to the largest, which is the length of the tree less 1. A place of the tree counts the numbers
    seen so far down to the place without its lowest bit.
    """
    size: cython.Py_ssize_t = tree.shape[0]
    ordered: cython.longlong  # pairs of which the first is not larger
    length: cython.longlong = rows.shape[1]
    for r in range(rows.shape[0]):
        for place in range(size):
            tree[place] = 0
        ordered = 0
        for i in range(length):
            place = rows[r, i]
            while place > 0:
                ordered += tree[place]
                place &= place - 1
            place = rows[r, i]
            while place < size:
                tree[place] += 1
                place += place & -place
        inversions[r] = length * (length - 1) // 2 - ordered
