"""Write a trained ESIM as the model file of the package.

    python -m training.export_esim ESIM.npz DATA OUT.model [LEFT_OUT …]

DATA is the folder of data sets, for the list of what it was trained on; LEFT_OUT are sets that were not.
"""

from __future__ import annotations

import io
import sys
import warnings
from pathlib import Path

import numpy as np
import torch

from tercet.data.model_file import ModelFile, write_model
from tercet.language.encoders import open_encoder
from tercet.metrics.learned.esim import KIND

from . import data
from .calibrate import datasets
from .esim import Esim


def main() -> None:
    """Export and write."""
    weights, folder, out, *left_out = sys.argv[1:]
    model = Esim().eval()
    model.load_state_dict({name: torch.from_numpy(values) for name, values in np.load(weights).items()})
    content = io.BytesIO()
    example = torch.randn(1, 7, model.read.input_size), torch.randn(1, 9, model.read.input_size)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(
            model,
            example,
            content,
            input_names=["reference", "output"],
            output_names=["score"],
            dynamic_axes={"reference": {1: "tokens"}, "output": {1: "other tokens"}},
            opset_version=17,
            dynamo=False,
        )
    trained_on = datasets(data.read(Path(folder)), tuple(left_out))
    needs = {"encoder": open_encoder("minilm").fingerprint}
    write_model(ModelFile(KIND, {}, {}, {"network": content.getvalue()}, trained_on=trained_on, needs=needs), out)


if __name__ == "__main__":
    main()
