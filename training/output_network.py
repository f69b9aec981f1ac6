"""Write the network that reads outputs alone as the package's model file.

    python -m training.output_network DATA FOLDER OUT.model

FOLDER has model.onnx (export).
"""

from __future__ import annotations

import argparse
from pathlib import Path

from tercet.data.model_file import ModelFile, write_model
from tercet.language.encoders.onnx import _minilm_tokenizer, digest
from tercet.language.output_network import KIND

from . import data
from .calibrate import datasets
from .prepare import LONGEST


def main() -> None:
    """Write it."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("data", type=Path)
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("out", type=Path)
    given = arguments.parse_args()
    model = ModelFile(
        KIND,
        {"longest": LONGEST},
        {},
        {"network": (given.folder / "model.onnx").read_bytes()},
        trained_on=datasets(data.read(given.data)),
        needs={"tokenizer": digest(_minilm_tokenizer())},
    )
    write_model(model, given.out)
    print(f"{given.out}: {given.out.stat().st_size / 1e6:.1f} MB, checksum {model.checksum}")


if __name__ == "__main__":
    main()
