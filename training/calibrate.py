"""Fit the curve from the network's number to the scale of direct assessment, and write the model file of the package.

    python -m training.calibrate DATA FOLDER OUT.model

FOLDER has model.onnx (export). Only assessments that were not trained on are used (`prepare` keeps one segment in six).
"""

from __future__ import annotations

import argparse
import json
from hashlib import sha256
from pathlib import Path

import numpy as np

from tercet.data.model_file import Dataset, ModelFile, write_model
from tercet.language.encoders.onnx import _minilm_tokenizer, digest
from tercet.metrics.learned import rima

from . import data
from .prepare import LONGEST, _held

CHRF_WEIGHT = 1 / 60  # of a point of chrF; chosen on WMT14 hi-en, which the twin had not seen (RUNS.md)
LEVEL = 0.9


def pooled(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Isotonic regression by pooling neighbours that are out of order: mean x, mean y and size of each block."""
    blocks: list[list[float]] = []
    for one, other in sorted(zip(x.tolist(), y.tolist(), strict=True)):
        blocks.append([one, other, 1])
        while len(blocks) > 1 and blocks[-2][1] / blocks[-2][2] >= blocks[-1][1] / blocks[-1][2]:
            last = blocks.pop()
            blocks[-1] = [before + after for before, after in zip(blocks[-1], last, strict=True)]
    sums = np.array(blocks)
    return sums[:, 0] / sums[:, 2], sums[:, 1] / sums[:, 2], sums[:, 2]


def fit(x: np.ndarray, y: np.ndarray, highest: float) -> tuple[np.ndarray, np.ndarray]:
    """Return knots of a strictly rising curve: isotonic where there are assessments, 99 at `highest`, 0 far below."""
    centres, means, sizes = pooled(x, y)
    kept = sizes >= len(x) / 100  # tiny blocks at the ends follow single ratings
    centres, means = centres[kept], np.clip(means[kept], 1, 99)
    inside = centres < highest
    knots = np.concatenate([[centres[0] - 3], centres[inside], [highest, highest + 1]])
    values = np.concatenate([[0], means[inside], [99, 100]])
    values = np.maximum.accumulate(values) + 1e-3 * np.arange(len(values))
    return knots, (values - values[0]) * 100 / (values[-1] - values[0])


def datasets(found: data.Sources, left_out: tuple[str, ...] = ()) -> tuple[Dataset, ...]:
    """Return what a model was trained on, for its file."""
    return tuple(
        Dataset(name, sha256(json.dumps([vars(row) for row in rows]).encode()).hexdigest(), len(rows))
        for sets in (found.rankings, found.assessments)
        for name, rows in sorted(sets.items())
        if name not in left_out
    )


def main() -> None:
    """Fit and write."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("data", type=Path)
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("out", type=Path)
    arguments.add_argument("--figures", type=Path, help="a JSON file of figures for the model file")
    given = arguments.parse_args()
    found = data.read(given.data)
    held = [
        a for name, rows in found.assessments.items() if not name.startswith("mlqe") for a in rows if _held(a.segment)
    ]
    raw = [
        row
        for row in data.rows(given.data / "graham_da" / "newstest2013_segment_da.tsv.gz")
        if row["lp"].endswith("-en")
    ]
    slope, offset = np.polyfit([float(row["DA_z"]) for row in raw], [float(row["DA_raw"]) for row in raw], 1)
    content = (given.folder / "model.onnx").read_bytes()
    trial = ModelFile(
        rima.KIND,
        {"chrf_weight": CHRF_WEIGHT, "longest": LONGEST, "half_width": 0.0, "level": LEVEL},
        {"knots": np.arange(2.0), "values": np.arange(2.0)},
        {"network": content},
        needs={"tokenizer": digest(_minilm_tokenizer())},
    )
    opened = rima._open(trial, "cpu")

    def sums(pairs: list[tuple[str, str]]) -> np.ndarray:
        return rima.network_scores(opened, pairs) + CHRF_WEIGHT * rima._chrf(pairs)

    x, y = sums([(a.reference, a.output) for a in held]), offset + slope * np.array([a.z for a in held])
    references = sorted({a.reference for a in held})
    same = sums([(text, text) for text in references])
    other = sums(list(zip(references, references[1:] + references[:1], strict=True)))
    highest = float(np.median(same))
    folds = np.array([sha256(a.segment.encode()).digest()[1] % 5 for a in held])
    residuals = np.zeros(len(x))
    for fold in range(5):
        knots, values = fit(x[folds != fold], y[folds != fold], highest)
        residuals[folds == fold] = np.abs(np.interp(x[folds == fold], knots, values) - y[folds == fold])
    half_width = float(np.quantile(residuals, min(1, LEVEL * (1 + 1 / len(x)))))
    knots, values = fit(x, y, highest)
    trained = datasets(found)
    figures = json.loads(given.figures.read_text()) if given.figures else {}
    model = ModelFile(
        rima.KIND,
        {**trial.manifest, "half_width": half_width},
        {"knots": knots, "values": values},
        trial.blobs,
        trained_on=trained,
        figures=figures,
        needs=trial.needs,
    )
    write_model(model, given.out)
    print(
        json.dumps(
            {
                "held": len(held),
                "r": round(float(np.corrcoef(x, y)[0, 1]), 4),
                "raw = offset + slope z": [round(offset, 2), round(slope, 2)],
                "half_width": round(half_width, 2),
                "same text": highest,
                "unrelated text": float(np.median(other)),
                "outputs below that": float((x < np.median(other)).mean()),
                "knots": knots.round(2).tolist(),
                "values": values.round(2).tolist(),
                "mean absolute error": round(float(residuals.mean()), 2),
                "checksum": model.checksum,
                "bytes": given.out.stat().st_size,
            },
            indent=1,
        )
    )


if __name__ == "__main__":
    main()
