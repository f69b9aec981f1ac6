"""Scores with their counts in one file, a NumPy archive without pickles, to merge shards and to keep results."""

import hashlib
import json
import tokenize
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import fields
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import DataError, MissingFile, UsageError
from .files import writing_bytes
from .scores import MetricRecord, Scores

LARGE, DENSE = 1 << 30, 100  # an archive beyond both, in bytes and in bytes for one that is stored, is damaged
FORMAT = 2
# What reading a damaged archive raises: NotImplementedError for a method that zipfile does not know, SyntaxError and
# TokenError for the head of an array.
_DAMAGES = (OSError, ValueError, KeyError, TypeError, EOFError, NotImplementedError, SyntaxError, tokenize.TokenError,
            zipfile.BadZipFile, zlib.error)  # fmt: skip
_FACTS = tuple(each.name for each in fields(MetricRecord))


def save_scores(path: str | Path, scores: Sequence[Scores]) -> None:
    """Write scores with their counts; the file appears whole or not at all."""
    data = pack_scores(scores)
    with writing_bytes(path) as stream:
        stream.write(data)


def pack_scores(scores: Sequence[Scores]) -> bytes:
    """Return scores with their counts as the contents of a file."""
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
            for kind in ("counts", "totals", "segment"):
                arrays[f"{kind}_{i}_{j}"] = getattr(item, kind)[system]
    digest = _digest(described, arrays)
    about = json.dumps({"format": FORMAT, "scores": described, "digest": digest}, ensure_ascii=False)
    arrays["about"] = np.frombuffer(about.encode("utf-8"), dtype=np.uint8)
    stream = BytesIO()
    np.savez_compressed(stream, **arrays)
    return stream.getvalue()


def load_scores(path: str | Path, data: bytes | None = None) -> list[Scores]:
    """Read scores that `save_scores` wrote, with records of their metrics. data: the contents, if not in a file."""
    if data is None and not Path(path).is_file():
        raise MissingFile(path)
    try:
        with np.load(path if data is None else BytesIO(data), allow_pickle=False) as archive:
            members = archive.zip.infolist() if hasattr(archive, "zip") else []
            size, packed = sum(each.file_size for each in members), sum(each.compress_size for each in members)
            if size > LARGE and size > DENSE * packed:
                raise ValueError(f"{packed / 1e6:.0f} MB would become {size / 1e9:.0f} GB")
            about = json.loads(_array(archive, "about").tobytes().decode("utf-8"))
            if about["format"] not in (1, FORMAT):
                raise DataError(f"{path} has format {about['format']}; this version reads format {FORMAT}.")
            arrays = {name: _array(archive, name) for name in archive.files if name != "about"}
            if "digest" in about and about["digest"] != _digest(about["scores"], arrays):  # 0.1 wrote none
                raise DataError(f"{path} is damaged: its numbers are not those that were saved.")
            return [_restore(entry, arrays, i) for i, entry in enumerate(about["scores"])]
    except _DAMAGES as error:
        why = "" if "pickle" in str(error) else f": {error}"  # NumPy takes any other file for a pickle
        raise DataError(f"{path} is not a file written by 'tercet score --save'{why.removesuffix('.')}.") from None


def _array(archive: Mapping[str, object], name: str) -> NDArray[np.generic]:
    """Return an array of an archive; NumPy returns the bytes of a member that does not begin as an array."""
    found = archive[name]
    if not isinstance(found, np.ndarray):
        raise ValueError(f"{name} is not an array")
    return found


def _digest(described: object, arrays: Mapping[str, NDArray[np.generic]]) -> str:
    as_read = json.loads(json.dumps(described))  # keys are texts then
    found = hashlib.sha256(json.dumps(as_read, sort_keys=True).encode("utf-8"))
    for name, array in sorted(arrays.items()):
        found.update(f"{name} {array.dtype.str} {array.shape}".encode())
        found.update(np.ascontiguousarray(array).data)
    return found.hexdigest()


def _restore(entry: dict[str, Any], arrays: Mapping[str, NDArray[Any]], i: int) -> Scores:
    known = entry["metric"]
    segment, counts, totals = (
        {system: arrays[f"{kind}_{i}_{j}"] for j, system in enumerate(entry["system"])}
        for kind in ("segment", "counts", "totals")
    )
    if isinstance(known, str):  # format 1, of Tercet 0.1
        known = {"spec": known, "label": entry["label"], "signature": entry["metric_signature"]}
        known["higher_is_better"] = entry["higher_is_better"]
    return Scores(
        metric=MetricRecord(**{name: known[name] for name in _FACTS if name in known}),
        n_segments=entry["n_segments"],
        system=entry["system"],
        segment=segment,
        counts=counts,
        totals=totals,
        document_ids=entry["document_ids"],
        reference_numbers=frozenset(entry["reference_numbers"]),
        provenance=entry["provenance"],
    )
