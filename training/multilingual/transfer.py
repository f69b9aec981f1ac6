"""Begin a network from new layers and from what judgements had changed in an older network.

    python -m training.multilingual.transfer OLD.model OLD_WORK NEW_WORK NAME

OLD.model is the older rater.model, OLD_WORK has the encoder's parts that it began with, NEW_WORK those that were
trained further. NEW_WORK/NAME.pt gets the new layers plus the difference between the older network and its own layers,
and the older head; training goes on from it with --begin NAME (`training.multilingual.train`).
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import numpy_helper

from tercet.language.encoders.rater import read_rater
from training.encoder.parts import read_parts


def weights_of(network: bytes) -> dict[str, np.ndarray]:
    """Return the weights in a network of eight bits by the names that they had in training."""
    graph = onnx.load_from_string(network).graph
    stored = {each.name: numpy_helper.to_array(each) for each in graph.initializer}

    def matrix(name: str) -> np.ndarray:
        whole, zero, scale = (
            stored[f"{name}_{part}"].astype(np.float32) for part in ("quantized", "zero_point", "scale")
        )
        return (whole - zero) * scale

    found = {
        name.removeprefix("rater."): values for name, values in stored.items() if name.endswith((".weight", ".bias"))
    }
    for node in graph.node:
        packed = [name for name in node.input if name.endswith("_quantized") and name in stored]
        if node.op_type == "MatMulInteger" and packed:
            place = node.name.strip("/").split("/MatMul")[0].split("/Gemm")[0].replace("/", ".")
            place = place if place in ("hidden", "last") else f"encoder.{place}"
            found[f"{place}.weight"] = matrix(packed[0].removesuffix("_quantized")).T
    for name in ("positions", "kinds"):
        found[f"encoder.{name}.weight"] = matrix(f"rater.encoder.{name}.weight")
    return found


def transferred(
    rated: dict[str, np.ndarray], old: dict[str, np.ndarray], new: dict[str, np.ndarray]
) -> dict[str, np.ndarray]:
    """Return new layers with the change from the old layers to the rated ones; a head as it was."""
    layers = {f"encoder.{name}": (old[name], new[name]) for name in new if name != "heads"}
    changed = {name: after + (rated[name] - before if name in rated else 0) for name, (before, after) in layers.items()}
    return rated | changed


def main() -> None:
    """Write the weights."""
    model, old, new = (Path(each) for each in sys.argv[1:4])
    rated = weights_of(read_rater(str(model)).blobs["network"])
    found = transferred(rated, read_parts(old), read_parts(new))
    torch.save(
        {name: torch.from_numpy(np.array(each, np.float32)) for name, each in found.items()}, new / f"{sys.argv[4]}.pt"
    )


if __name__ == "__main__":
    main()
