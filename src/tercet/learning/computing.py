"""Compute the features of judged outputs: those of metrics, and their names."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ..engine import Progress, count
from ..errors import DataError
from ..metrics.bases.members import Member, make_ready, named_columns, what_computes
from ..types import Floats
from .examples import OUTPUT, Examples

if TYPE_CHECKING:
    from concurrent.futures import Executor


@dataclass(frozen=True, eq=False)
class FeatureTable:
    """Features of the rows of examples, shape (rows, features), and what computed them, by metric."""

    names: tuple[str, ...]
    values: Floats
    needs: Mapping[str, str]


def compute_features(
    examples: Examples,
    members: Sequence[Member],
    *,
    executor: Executor | None = None,
    cache: str | Path | None = None,
    progress: Callable[[str], AbstractContextManager[Progress]] | None = None,
) -> FeatureTable:
    """Compute the features of judged outputs.

    Metrics are made ready for the whole judged segments, and count judged outputs only: what they learn from references
    is not weighed by how many outputs of a segment were judged.
    """
    ready = make_ready(members, examples.texts)
    counts: list[list[Floats]] = [[] for _ in ready]
    what = f"{examples.name} {examples.pair}"
    with progress(what) if progress else nullcontext() as shown:
        for index, _, found in count(examples.rows, ready, executor=executor, cache=cache, progress=shown):
            counts[index].append(found[OUTPUT])
    columns: dict[str, Floats] = {}
    for member, metric, parts in zip(members, ready, counts, strict=True):
        columns |= named_columns(member, metric, np.concatenate(parts))
    values = np.stack(list(columns.values()), axis=1)
    _check_finite(what, tuple(columns), values)
    needs = {member.spec: what_computes(metric) for member, metric in zip(members, ready, strict=True)}
    return FeatureTable(tuple(columns), values, needs)


def _check_finite(what: str, names: Sequence[str], values: Floats) -> None:
    bad = np.argwhere(~np.isfinite(values))
    if len(bad):
        row, column = bad[0].tolist()
        raise DataError(
            f"{what}: the feature {names[column]} of judged output {row + 1} is {values[row, column]}. A feature must "
            "be a number for every output: leave it out."
        )
