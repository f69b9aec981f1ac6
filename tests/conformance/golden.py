"""Compares our scores with golden ones: the tables of ../shared/golden, and how far ours may be from them."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from tercet import TestSet
from tercet.metrics import Metric, Shard

from ..conftest import read_golden_table


@cache
def golden_texts(shared: Path, name: str, references: int) -> TestSet:
    """A golden test set with its first references."""
    columns = read_golden_table(shared / "golden" / "testsets" / f"{name}.tsv")
    return TestSet(
        {column.removeprefix("sys:"): texts for column, texts in columns.items() if column.startswith("sys:")},
        {f"ref{i}": columns[f"ref{i}"] for i in range(references)},
        name=name,
    )


def compare(
    metric: Metric,
    texts: TestSet,
    record: Mapping[str, Any],
    *,
    tolerance: float,
    corpus: str = "corpus_score",
    scale: float = 1.0,
) -> int:
    """Assert that segments and corpora of all systems equal those of a golden record; returns how many values did.

    Where the original raised an exception ("EXC …"), ours must return a number or NaN, which is not counted.
    """
    ready = metric.ready(texts)
    counts = ready.count(Shard(texts))
    compared = 0
    assert set(record[corpus]) == set(texts.systems)
    for system, table in counts.items():
        ours = [*ready.segment_scores(table), float(ready.score(table.sum(0)))]
        theirs = [*record["segment_scores"][system], record[corpus][system]]
        for i, (our, their) in enumerate(zip(ours, theirs, strict=True)):
            if isinstance(their, str) and their.startswith("EXC"):
                assert isinstance(float(our), float)
                continue
            where = f"{texts.name}, {system}, " + ("corpus" if i == len(table) else f"segment {i + 1}")
            assert abs(our / scale - float(their)) <= tolerance, f"{metric.spec} on {where}: {our / scale} != {their}"
            assert np.isfinite(our)
            compared += 1
    return compared
