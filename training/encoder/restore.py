"""Put the trained layers where training goes on from them, so that they need not be trained again.

    python -m training.encoder.restore WORK

`training/weights/layers.npz` has the layers of the run in RUNS.md before any judgement was learnt from; the vectors of
pieces are those of the package's `rater.model`, which stay as they are. WORK gets `transformer.npz.0`, …, and
`vocabulary.tsv`. `training/weights/labels.npz` has Rima's scores for the rows of `training.multilingual.judgements`.
"""

import sys
from pathlib import Path

import numpy as np

from tercet.language.encoders.rater import read_rater

from .parts import unpack, write_parts

WEIGHTS = Path(__file__).parents[1] / "weights"


def restore(work: Path) -> dict[str, np.ndarray]:
    """Write the files; return the weights by name."""
    with np.load(WEIGHTS / "layers.npz") as stored:
        weights = unpack({name: stored[name] for name in stored.files})
    model = read_rater()
    heads = int(weights.pop("heads"))
    weights["pieces.weight"] = model.arrays["pieces"] * model.arrays["pieces.scale"][:, None]
    work.mkdir(parents=True, exist_ok=True)
    (work / "vocabulary.tsv").write_bytes(model.blobs["vocabulary"])
    write_parts(weights, heads, work)
    return weights


if __name__ == "__main__":
    restore(Path(sys.argv[1]))
