"""One-to-one assignment of least cost: Kuhn (1955), "The Hungarian method"; by Jonker and Volgenant's (1987) paths."""

from collections.abc import Sequence
from math import inf


def assign(costs: Sequence[Sequence[float]]) -> list[int]:
    """Return the column of each row so that the sum of costs is smallest. There must be at least as many columns."""
    rows, columns = len(costs), len(costs[0]) if costs else 0
    if rows > columns:
        raise ValueError(f"{rows} rows cannot be assigned to {columns} columns.")
    of_row, of_column = [0.0] * (rows + 1), [0.0] * (columns + 1)  # potentials; row 0 and column 0 are outside
    owner = [0] * (columns + 1)
    for row in range(1, rows + 1):
        owner[0], at = row, 0
        nearest, before, seen = [inf] * (columns + 1), [0] * (columns + 1), [False] * (columns + 1)
        while owner[at]:
            seen[at] = True
            line, potential = costs[owner[at] - 1], of_row[owner[at]]
            step, best = inf, 0
            for column in range(1, columns + 1):
                if seen[column]:
                    continue
                reduced = line[column - 1] - potential - of_column[column]
                if reduced < nearest[column]:
                    nearest[column], before[column] = reduced, at
                if nearest[column] < step:
                    step, best = nearest[column], column
            for column in range(columns + 1):
                if seen[column]:
                    of_row[owner[column]] += step
                    of_column[column] -= step
                else:
                    nearest[column] -= step
            at = best
        while at:
            owner[at] = owner[before[at]]
            at = before[at]
    found = [-1] * rows
    for column in range(1, columns + 1):
        if owner[column]:
            found[owner[column] - 1] = column - 1
    return found
