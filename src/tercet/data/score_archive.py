"""Scores with their counts in one file, so that shards scored apart can be merged, and results kept.

A file is a NumPy archive without pickles: arrays, and a JSON text with everything else.
"""

from __future__ import annotations

import json
import tokenize
import zipfile
import zlib
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import DataError, UsageError
from .files import writing_bytes
from .scores import MetricRecord, Scores

FORMAT = 2
# What reading a damaged archive raises: NotImplementedError for a method that zipfile does not know, SyntaxError and
# TokenError for the head of an array.
_DAMAGES = (OSError, ValueError, KeyError, TypeError, EOFError, NotImplementedError, SyntaxError, tokenize.TokenError,
            zipfile.BadZipFile, zlib.error)  # fmt: skip
_FACTS = tuple(each.name for each in fields(MetricRecord))


def save_scores(path: str | Path, scores: Sequence[Scores]) -> None:
    """Write scores with their counts; the file appears whole or not at all."""
    arrays: dict[str, Any] = {}
    described = []
    for i, item in enumerate(scores):
        if not item.counts:
            raise UsageError(f"{item.label}: scores kept without counts cannot be saved.")
        entry: dict[str, Any] = {
            "metric": {name: getattr(item.metric, name) for name in _FACTS},
            "n_segments": item.n_segments,
            "system": dict(item.system),
            "document_ids": list(item.document_ids) if item.document_ids else None,
            "reference_numbers": sorted(item.reference_numbers),
            "provenance": dict(item.provenance),
        }
        described.append(entry)
        for j, system in enumerate(item.systems):
            arrays[f"counts_{i}_{j}"] = item.counts[system]
            arrays[f"totals_{i}_{j}"] = item.totals[system]
            arrays[f"segment_{i}_{j}"] = item.segment[system]
    about = json.dumps({"format": FORMAT, "scores": described}, ensure_ascii=False)
    arrays["about"] = np.frombuffer(about.encode("utf-8"), dtype=np.uint8)
    with writing_bytes(path) as stream:
        np.savez_compressed(stream, **arrays)


def load_scores(path: str | Path) -> list[Scores]:
    """Read scores that `save_scores` wrote. Each has a record of its metric; `tercet.scoring.load` finds the metric."""
    path = Path(path)
    if not path.is_file():
        raise UsageError(f"There is no file {path}.")
    try:
        with np.load(path, allow_pickle=False) as archive:
            about = json.loads(_array(archive, "about").tobytes().decode("utf-8"))
            if about["format"] not in (1, FORMAT):
                raise DataError(f"{path} has format {about['format']}; this version reads format {FORMAT}.")
            return [_restore(entry, archive, i) for i, entry in enumerate(about["scores"])]
    except _DAMAGES as error:
        raise DataError(f"{path} is not a file written by 'tercet score --save': {error}") from None


def _array(archive: Any, name: str) -> NDArray[Any]:
    """Return an array of an archive; NumPy returns the bytes of a member that does not begin as an array."""
    found = archive[name]
    if not isinstance(found, np.ndarray):
        raise ValueError(f"{name} is not an array")
    return found


def _restore(entry: dict[str, Any], archive: Any, i: int) -> Scores:
    systems = list(entry["system"])
    counts = {system: _array(archive, f"counts_{i}_{j}") for j, system in enumerate(systems)}
    known = entry["metric"]
    if isinstance(known, str):  # format 1, of Tercet 0.1
        known = {"spec": known, "label": entry["label"], "signature": entry["metric_signature"]}
        known["higher_is_better"] = entry["higher_is_better"]
    return Scores(
        metric=MetricRecord(**{name: known[name] for name in _FACTS if name in known}),
        n_segments=entry["n_segments"],
        system=entry["system"],
        segment={system: _array(archive, f"segment_{i}_{j}") for j, system in enumerate(systems)},
        counts=counts,
        totals={system: _array(archive, f"totals_{i}_{j}") for j, system in enumerate(systems)},
        document_ids=entry["document_ids"],
        reference_numbers=frozenset(entry["reference_numbers"]),
        provenance=entry["provenance"],
    )
