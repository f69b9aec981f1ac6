# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Symmetrisation: combine the word alignments of both directions into one.

Koehn, Och and Marcu (2003), "Statistical Phrase-Based Translation", NAACL. The slow reference implementation in the
tests uses sets of links.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from . import plain as cython


@cython.cfunc
@cython.locals(i=cython.Py_ssize_t, j=cython.Py_ssize_t, k=cython.Py_ssize_t, a=cython.Py_ssize_t, b=cython.Py_ssize_t)
@cython.locals(step=cython.int)
def _grow(n: cython.Py_ssize_t, m: cython.Py_ssize_t, grid: cython.int[::1], linked: cython.int[::1]) -> cython.bint:
    """Add, in one pass, neighbours of links that link a word without a link. Returns whether any were added."""
    added: cython.bint = False
    for j in range(m):
        for i in range(n):
            if grid[j * n + i] < 4:
                continue
            for k in range(8):  # horizontal and vertical neighbours before diagonal ones, as published
                if k < 4:
                    step = -1 if k < 2 else 1
                    b = j if k & 1 else j + step
                    a = i + step if k & 1 else i
                else:
                    b = j - 1 if k < 6 else j + 1
                    a = i + 1 if k & 1 else i - 1
                if a < 0 or b < 0 or a >= n or b >= m or not 0 < grid[b * n + a] < 4:
                    continue
                if not linked[a] or not linked[n + b]:
                    grid[b * n + a] |= 4
                    linked[a] = 1
                    linked[n + b] = 1
                    added = True
    return added


@cython.cfunc
def _take(
    n: cython.Py_ssize_t, m: cython.Py_ssize_t, direction: cython.int, most: cython.int, grid: cython.int[::1],
    linked: cython.int[::1],
) -> cython.int:  # fmt: skip
    """Add the links of one direction if at most `most` of their two words have a link."""
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    for j in range(m):
        for i in range(n):
            if grid[j * n + i] & direction and grid[j * n + i] < 4 and linked[i] + linked[n + j] <= most:
                grid[j * n + i] |= 4
                linked[i] = 1
                linked[n + j] = 1
    return 0


@cython.locals(t=cython.Py_ssize_t, i=cython.Py_ssize_t, j=cython.Py_ssize_t, k=cython.Py_ssize_t, n=cython.Py_ssize_t)
@cython.locals(m=cython.Py_ssize_t)
def symmetrise(
    forward: cython.int[::1], offsets: cython.longlong[::1], backward: cython.int[::1],
    source_offsets: cython.longlong[::1], joined: cython.bint, grow: cython.bint, final: cython.int,
    links: cython.int[::1], link_offsets: cython.longlong[::1], grid: cython.int[::1], linked: cython.int[::1],
) -> None:  # fmt: skip
    """Combine two alignments into links (source word, target word), sorted by source word.

    forward: the source word of each target word. backward: the target word of each source word. -1 for none.
    joined: take the union. Otherwise take the intersection; with `grow` add neighbours of links that are in the union
    and link a word without a link; then add further links of either direction: with `final` 1 if one of their words has
    no link, with 2 if neither has. Sizes: links two for each word of both sides; for the largest pair grid n * m,
    linked n + m.
    """
    written: cython.Py_ssize_t = 0
    for t in range(offsets.shape[0] - 1):
        n = source_offsets[t + 1] - source_offsets[t]
        m = offsets[t + 1] - offsets[t]
        # A point of the grid: 1 in forward, 2 in backward, 4 in the result.
        for k in range(n * m):
            grid[k] = 0
        for k in range(n + m):
            linked[k] = 0
        for j in range(m):
            if forward[offsets[t] + j] >= 0:
                grid[j * n + forward[offsets[t] + j]] = 1
        for i in range(n):
            if backward[source_offsets[t] + i] >= 0:
                grid[backward[source_offsets[t] + i] * n + i] |= 2
        for j in range(m):
            for i in range(n):
                if grid[j * n + i] == 3 or (joined and grid[j * n + i] > 0):
                    grid[j * n + i] |= 4
                    linked[i] = 1
                    linked[n + j] = 1
        while grow and _grow(n, m, grid, linked):
            pass
        if final:
            _take(n, m, 1, 2 - final, grid, linked)
            _take(n, m, 2, 2 - final, grid, linked)
        for i in range(n):
            for j in range(m):
                if grid[j * n + i] >= 4:
                    links[2 * written] = i
                    links[2 * written + 1] = j
                    written += 1
        link_offsets[t + 1] = written
