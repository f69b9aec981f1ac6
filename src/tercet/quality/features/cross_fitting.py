"""Compute the features of training sentences from resources that have not seen them.

A language model gives higher probabilities to the sentences that it was estimated from, so a predictor trained on such
features would be misled. Here the sentences are divided into folds, and the features of each fold come from resources
that were estimated from the other folds.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...errors import DataError
from ..resources import Resources
from ..splits import folds as split
from ..tokens import NONE_TAGGED, Tagged
from .extracting import FeatureTable, extract

if TYPE_CHECKING:
    from concurrent.futures import Executor

Rows = NDArray[np.int64]


def cross_fitted(
    sources: Sequence[str],
    outputs: Sequence[str],
    groups: Sequence[Hashable],
    make: Callable[[Rows], Resources],
    *,
    folds: int = 5,
    seed: int = 12345,
    names: Sequence[str] | None = None,
    tagged: Tagged = NONE_TAGGED,
    executor: Executor | None = None,
) -> FeatureTable:
    """Return the features of each pair from resources that `make` estimates from pairs of other groups only.

    groups: the group of each pair (source sentence, document), which is not split. make: estimates resources from the
    given rows. tagged: known tags of texts (`resources.tag_texts`).
    """
    if not len(sources) == len(outputs) == len(groups):
        raise DataError(
            f"There are {len(sources)} sources, {len(outputs)} outputs and {len(groups)} groups; the numbers must be "
            "equal."
        )
    table: FeatureTable | None = None
    values = np.empty((len(sources), 0))
    for others, rows in split(groups, folds, seed):
        part = extract(
            [sources[row] for row in rows], [outputs[row] for row in rows], make(others), names=names, tagged=tagged,
            executor=executor,
        )  # fmt: skip
        if table is None:
            table, values = part, np.empty((len(sources), len(part.names)))
        elif part.names != table.names:
            different = sorted(set(part.names) ^ set(table.names))
            raise DataError(f"The resources of some folds lack features of others: {', '.join(different[:3])}.")
        values[rows] = part.values
    if table is None:
        raise DataError("There are no sentence pairs to compute features of.")
    return FeatureTable(table.names, values, table.left_out)
