# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The grid of the extended edit distance: edits between characters, with jumps at blanks.

Stanchev, Wang and Ney (2019), "EED: Extended Edit Distance Measure for Machine Translation", WMT. The grid has a row
for each reference character and a column for each output character; at a blank of the reference a path may continue at
any other column for the cost of a jump. `jump_distances` uses double precision, `jump_distances_single` the single
precision of the published C++ program, with its row minimum as an integer. The order of additions decides which column
is the cheapest, so it is that of the programs. The slow reference implementation in the tests is the recurrence on
lists.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from . import plain as cython

BLANK = 32


@cython.locals(t=cython.Py_ssize_t, i=cython.Py_ssize_t, k=cython.Py_ssize_t, start=cython.Py_ssize_t)
@cython.locals(n=cython.Py_ssize_t, cheapest=cython.Py_ssize_t)
@cython.locals(unit=cython.double, left=cython.double, down=cython.double, least=cython.double)
def jump_distances(
    points: cython.uint[::1], offsets: cython.longlong[::1], texts: cython.longlong[::1],
    reference_points: cython.uint[::1], reference_offsets: cython.longlong[::1], deletion: cython.double,
    insertion: cython.double, substitution: cython.double, jump: cython.double, errors: cython.double[::1],
    visits: cython.int[::1], visit_sums: cython.longlong[::1], row: cython.double[::1], ahead: cython.double[::1],
    units: cython.double[::1],
) -> None:  # fmt: skip
    """Compare output texts[t] with reference text t: errors[t] is the cost of the cheapest path.

    A column is visited when it is the cheapest of a row. visit_sums: four numbers for each t: the numbers of columns
    after the first with no visit and with several visits, the sum of the latter's visits, and the first column's
    visits. visits, row, ahead, units: one for each column, i.e. characters of the longest output + 1.
    """

    for t in range(texts.shape[0]):
        start = offsets[texts[t]]
        n = offsets[texts[t] + 1] - start
        for i in range(n + 1):
            row[i] = 1.0
            visits[i] = 0
        row[0] = 0.0
        for i in range(n):
            units[i] = points[start + i]
        for k in range(reference_offsets[t], reference_offsets[t + 1]):
            unit = reference_points[k]
            for i in range(n):  # does not depend on the column to the left, so the compiler can vectorise it
                down = row[i + 1] + insertion
                left = row[i] + (0.0 if units[i] == unit else substitution)
                ahead[i + 1] = left if left < down else down
            left = row[0] + 1.0
            row[0] = left
            least = left
            cheapest = 0
            for i in range(1, n + 1):
                left = left + deletion
                down = ahead[i]
                left = left if left < down else down
                row[i] = left
                if left < least:
                    least = left
                    cheapest = i
            visits[cheapest] += 1
            if unit == BLANK:
                least = row[cheapest] + jump
                for i in range(n + 1):
                    row[i] = row[i] if row[i] < least else least
        errors[t] = row[n]
        _sum_visits(visits, n, visit_sums, 4 * t)


@cython.locals(t=cython.Py_ssize_t, i=cython.Py_ssize_t, k=cython.Py_ssize_t, start=cython.Py_ssize_t)
@cython.locals(n=cython.Py_ssize_t, cheapest=cython.Py_ssize_t, unit=cython.float, left=cython.float, down=cython.float)
@cython.locals(least=cython.int)
def jump_distances_single(
    points: cython.uint[::1], offsets: cython.longlong[::1], texts: cython.longlong[::1],
    reference_points: cython.uint[::1], reference_offsets: cython.longlong[::1], deletion: cython.float,
    insertion: cython.float, substitution: cython.float, jump: cython.float, errors: cython.double[::1],
    visits: cython.int[::1], visit_sums: cython.longlong[::1], row: cython.float[::1], ahead: cython.float[::1],
    units: cython.float[::1],
) -> None:  # fmt: skip
    """Compute `jump_distances` in single precision, with the row's minimum truncated to an integer.

    Hence a column counts as cheaper only if it is below the integer part of the cheapest one before it. Uncompiled,
    sums of two are rounded when they are stored, which gives the same numbers.
    """
    one: cython.float = 1.0
    nothing: cython.float = 0.0

    for t in range(texts.shape[0]):
        start = offsets[texts[t]]
        n = offsets[texts[t] + 1] - start
        for i in range(n + 1):
            row[i] = 1.0
            visits[i] = 0
        row[0] = 0.0
        for i in range(n):
            units[i] = points[start + i]
        for k in range(reference_offsets[t], reference_offsets[t + 1]):
            unit = reference_points[k]
            for i in range(n):
                down = row[i + 1] + insertion
                left = row[i] + (nothing if units[i] == unit else substitution)
                ahead[i + 1] = left if left < down else down
            row[0] = row[0] + one
            left = row[0]
            least = int(left)
            cheapest = 0
            for i in range(1, n + 1):
                left = left + deletion
                down = ahead[i]
                row[i] = left if left < down else down
                left = row[i]
                if left < least:
                    least = int(left)
                    cheapest = i
            visits[cheapest] += 1
            if unit == BLANK:
                ahead[0] = row[cheapest] + jump
                down = ahead[0]
                for i in range(n + 1):
                    row[i] = row[i] if row[i] < down else down
        errors[t] = row[n]
        _sum_visits(visits, n, visit_sums, 4 * t)


@cython.cfunc
def _sum_visits(
    visits: cython.int[::1], n: cython.Py_ssize_t, sums: cython.longlong[::1], place: cython.Py_ssize_t
) -> cython.void:
    """Count columns after the first without visits, those with several visits, their visits, the first's visits."""
    i: cython.Py_ssize_t
    never: cython.longlong = 0
    again: cython.longlong = 0
    total: cython.longlong = 0
    for i in range(1, n + 1):
        if visits[i] == 0:
            never += 1
        elif visits[i] > 1:
            again += 1
            total += visits[i]
    sums[place] = never
    sums[place + 1] = again
    sums[place + 2] = total
    sums[place + 3] = visits[0]
