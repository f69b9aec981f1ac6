"""Write a trained student as an ONNX file with weights of eight bits, beside its tokenizer.

    python -m training.export STUDENT.pt TOKENIZER.json FOLDER

Weights have one scale per channel and seven bits (`reduce_range`), so that processors with and without VNNI compute the
same integers; activations are quantised while it runs, one pair at a time.
"""

from __future__ import annotations

import argparse
import shutil
import warnings
from pathlib import Path

import torch
from onnxruntime.quantization import QuantType, quantize_dynamic
from onnxruntime.quantization.shape_inference import quant_pre_process

from .network import SHAPES, Scorer

NAMES = ["input_ids", "attention_mask", "token_type_ids"]


class Graph(torch.nn.Module):
    """The scorer with the inputs that encoders in ONNX files have."""

    def __init__(self, scorer: Scorer) -> None:
        super().__init__()
        self.scorer = scorer

    def forward(self, ids: torch.Tensor, mask: torch.Tensor, types: torch.Tensor) -> torch.Tensor:
        return self.scorer(ids, mask.bool(), types)


def export(weights: Path, shape: str, folder: Path, *, bits: int = 7) -> Path:
    """Write model.onnx (quantised) and model-float.onnx into a folder."""
    scorer = Scorer(SHAPES[shape])
    scorer.load_state_dict(
        {name: values.float() for name, values in torch.load(weights, map_location="cpu", weights_only=True).items()}
    )
    folder.mkdir(parents=True, exist_ok=True)
    exact, quantised = folder / "model-float.onnx", folder / "model.onnx"
    example = (
        torch.randint(1000, 2000, (2, 12)),
        torch.ones(2, 12, dtype=torch.long),
        torch.zeros(2, 12, dtype=torch.long),
    )
    axes = {name: {0: "pairs", 1: "tokens"} for name in NAMES} | {"score": {0: "pairs"}}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(
            Graph(scorer).eval(),
            example,
            str(exact),
            input_names=NAMES,
            output_names=["score"],
            dynamic_axes=axes,
            opset_version=17,
            dynamo=False,
        )
    prepared = folder / "prepared.onnx"
    quant_pre_process(str(exact), str(prepared), skip_symbolic_shape=True)
    quantize_dynamic(
        str(prepared),
        str(quantised),
        op_types_to_quantize=["MatMul", "Gather"],
        weight_type=QuantType.QInt8,
        per_channel=True,
        reduce_range=bits == 7,
    )
    prepared.unlink()
    return quantised


def main() -> None:
    """Export a student."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("weights", type=Path)
    arguments.add_argument("tokenizer", type=Path)
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--shape", default="minilm", choices=sorted(SHAPES))
    arguments.add_argument("--bits", type=int, default=7, choices=(7, 8))
    given = arguments.parse_args()
    path = export(given.weights, given.shape, given.folder, bits=given.bits)
    shutil.copy(given.tokenizer, given.folder / "tokenizer.json")
    print(f"{path}: {path.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
