"""Write a trained network as ONNX with weights of eight bits; vectors of pieces are its input.

    python -m training.multilingual.export WORK WEIGHTS.npz FOLDER

WORK has the encoder's parts, WEIGHTS.npz the packed weights of `training.multilingual.train` without the pieces. FOLDER
gets model.onnx and model-float.onnx. Weights have seven bits, as `training.export` explains.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import numpy as np
import torch
from onnxruntime.quantization import QuantType, quantize_dynamic
from onnxruntime.quantization.shape_inference import quant_pre_process

from training.encoder.network import open_encoder
from training.network import SHAPES, Shape, unpack

from .network import Rater

NAMES = ["vectors", "places", "kinds", "mask"]


class Graph(torch.nn.Module):
    """The network from vectors of pieces on."""

    def __init__(self, rater: Rater) -> None:
        super().__init__()
        self.rater = rater

    def forward(
        self, vectors: torch.Tensor, places: torch.Tensor, kinds: torch.Tensor, mask: torch.Tensor
    ) -> torch.Tensor:
        encoder = self.rater.encoder
        seen = encoder.above(encoder.projection(vectors), places, kinds, mask.bool())
        return self.rater.numbers(seen, mask.bool(), kinds)


def open_rater(work: Path, weights: Path, shape: Shape = SHAPES["minilm"]) -> Rater:
    """Return the network."""
    rater = Rater(open_encoder(work, shape), shape.width)
    with np.load(weights) as stored:
        values = unpack({name: stored[name] for name in stored.files})
    values["encoder.pieces.weight"] = rater.encoder.pieces.weight.detach().numpy()
    rater.load_state_dict({name: torch.from_numpy(np.asarray(each, np.float32)) for name, each in values.items()})
    return rater.eval()


def export(rater: Rater, folder: Path) -> Path:
    """Write both files; return the quantised one."""
    folder.mkdir(parents=True, exist_ok=True)
    exact, prepared, quantised = (folder / f"model{end}.onnx" for end in ("-float", "-prepared", ""))
    narrow = rater.encoder.pieces.weight.shape[1]
    kinds = torch.zeros(2, 12, dtype=torch.long)
    kinds[:, 6:] = 1
    example = (torch.rand(2, 12, narrow), torch.arange(12).repeat(2, 1) % 6, kinds, torch.ones(2, 12, dtype=torch.long))
    axes = {name: {0: "rows", 1: "pieces"} for name in NAMES} | {"numbers": {0: "rows"}}
    with warnings.catch_warnings(), torch.no_grad():
        warnings.simplefilter("ignore")
        torch.onnx.export(
            Graph(rater).eval(), example, str(exact), input_names=NAMES, output_names=["numbers"], dynamic_axes=axes,
            opset_version=17, dynamo=False,
        )  # fmt: skip
    quant_pre_process(str(exact), str(prepared), skip_symbolic_shape=True)
    quantize_dynamic(
        str(prepared), str(quantised), op_types_to_quantize=["MatMul", "Gather"], weight_type=QuantType.QInt8,
        per_channel=True, reduce_range=True,
    )  # fmt: skip
    prepared.unlink()
    return quantised


def main() -> None:
    """Export a network."""
    work, weights, folder = (Path(each) for each in sys.argv[1:4])
    path = export(open_rater(work, weights), folder)
    print(f"{path}: {path.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
