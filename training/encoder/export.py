"""Write an encoder as the file that the package reads: rows of eight bits with a scale each.

    python -m training.encoder.export WORK multilingual.model [LAYERS]

With LAYERS the first layers of WORK/transformer.npz.*, otherwise the vectors of WORK/static.npz alone.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tercet.data.model_file import Dataset, ModelFile, write_model
from tercet.language.encoders.multilingual import KIND

LONGEST = 512  # pieces of a text
SPELLING, NEIGHBOURS = 0.4, 0.8  # chosen on WMT15 and WMT16 en-ru, WMT18's systems and WMT23 en-de: see RUNS.md
LEVELS = 127


def pack_rows(rows: NDArray[Any], levels: int = LEVELS) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Return rows in eight bits, and their scales. levels: the largest number; a small one takes less space packed."""
    scale = (np.maximum(np.abs(rows).max(1), 1e-8) / levels).astype(np.float32)
    return np.clip(np.rint(rows / scale[:, None]), -levels, levels).astype(np.int8), scale


def packed(arrays: Mapping[str, NDArray[Any]], levels: int = LEVELS) -> dict[str, NDArray[Any]]:
    """Return matrices in eight bits, and vectors and norms as they are. The unknown piece has zeros."""
    found: dict[str, NDArray[Any]] = {}
    for name, array in arrays.items():
        values = array.astype(np.float32)
        if name == "pieces":
            values[0] = 0.0
        if values.ndim == 2 and len(values) > 2:
            found[name], found[f"{name}.scale"] = pack_rows(values, levels)
        else:
            found[name] = values
    return found


def arrays_of(stored: Mapping[str, NDArray[Any]], count: int) -> dict[str, NDArray[Any]]:
    """Return the weights of the first `count` layers by the names of the package; a text alone is an output."""
    found = {"pieces": stored["pieces.weight"], "projection": stored["projection.weight"], "heads": stored["heads"]}
    found["positions"] = stored["positions.weight"] + stored["kinds.weight"][0]
    found["first"] = np.stack([stored["first.weight"], stored["first.bias"]])
    for layer in range(count):
        own, theirs = f"layer{layer}", f"layers.{layer}"
        for what in ("weight", "bias"):
            end = "" if what == "weight" else ".bias"
            parts = [stored[f"{theirs}.{name}.{what}"] for name in ("query", "key", "value")]
            found[f"{own}.attention{end}"] = np.concatenate(parts)
            for name, other in (("mixed", "out"), ("inner", "wide"), ("outer", "narrow")):
                found[f"{own}.{name}{end}"] = stored[f"{theirs}.{other}.{what}"]
        for name, other in (("norm1", "after_attention"), ("norm2", "after_dense")):
            found[f"{own}.{name}"] = np.stack([stored[f"{theirs}.{other}.{what}"] for what in ("weight", "bias")])
    return found


def export(work: Path, path: Path, layers: int = 0) -> ModelFile:
    """Write the model file; `work` is the folder that `prepare` filled and training wrote to."""
    if layers:
        from .parts import read_parts

        arrays = arrays_of(read_parts(work), layers)
    else:
        with np.load(work / "static.npz") as stored:
            arrays = {"pieces": stored["pieces"]}
    heads = int(arrays.pop("heads", 0))
    facts = json.loads((work / "facts.json").read_text("utf-8"))
    vocabulary = (work / "vocabulary.tsv").read_text("utf-8")
    if len(arrays["pieces"]) != len(vocabulary.splitlines()):
        raise SystemExit(f"The model has {len(arrays['pieces'])} pieces, and the vocabulary has another size.")
    manifest = {
        "layers": sum(name.endswith(".attention") for name in arrays),
        "heads": heads,
        "longest": LONGEST,
        "languages": sorted(facts["languages"]),
        "spelling": SPELLING,
        "neighbours": NEIGHBOURS,
    }
    model = ModelFile(
        KIND,
        manifest,
        packed(arrays),
        {"vocabulary": vocabulary.encode()},
        trained_on=tuple(Dataset(name, checksum, size) for name, checksum, size in facts["trained_on"]),
    )
    write_model(model, path)
    return model


if __name__ == "__main__":
    export(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 0)
