"""Weights of the layers in eight bits, in files that are small enough to travel: WORK/transformer.npz.0, .1, …"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path

import numpy as np

PART = 15_000_000  # bytes of a file


def pack(weights: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Return weights as int8 rows with one scale each (vectors stay as they are): a quarter of the size to carry."""
    packed: dict[str, np.ndarray] = {}
    for name, values in weights.items():
        if values.ndim != 2:
            packed[name] = values.astype(np.float32)
            continue
        scale = np.maximum(np.abs(values).max(1, keepdims=True), 1e-12) / 127
        packed[name] = np.rint(values / scale).astype(np.int8)
        packed[name + "/scale"] = scale.astype(np.float32)
    return packed


def unpack(packed: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Undo `pack`."""
    return {
        name: values * packed[name + "/scale"] if name + "/scale" in packed else values
        for name, values in packed.items()
        if not name.endswith("/scale")
    }


def write_parts(weights: Mapping[str, np.ndarray], heads: int, work: Path) -> None:
    """Write the weights in place of those that are there."""
    for path in work.glob("transformer.npz.*"):
        path.unlink()
    parts: list[dict[str, np.ndarray]] = [{"heads": np.array(heads)}]
    for name, values in pack(weights).items():
        if sum(each.nbytes for each in parts[-1].values()) + values.nbytes > PART and len(parts[-1]) > 1:
            parts.append({})
        parts[-1][name] = values
    for number, part in enumerate(parts):
        np.savez(work / f"part{number}.npz", **part)
        (work / f"part{number}.npz").rename(work / f"transformer.npz.{number}")


def read_parts(work: Path) -> dict[str, np.ndarray]:
    """Return the weights of a run by name; nothing if there was none."""
    packed: dict[str, np.ndarray] = {}
    for path in sorted(work.glob("transformer.npz.*")):
        with np.load(path) as archive:
            packed |= {name: archive[name] for name in archive.files}
    return unpack(packed)


def read_arguments(description: str | None) -> argparse.Namespace:
    """Return the folder and files of the steps that read MiniLM: work, weights, tokenizer."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", type=Path)
    parser.add_argument("--weights", type=Path, required=True)
    parser.add_argument("--tokenizer", type=Path, required=True)
    return parser.parse_args()
