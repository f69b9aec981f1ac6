"""Fit the curves from the network's numbers to the scale of direct assessment, and write the model files.

    python -m training.multilingual.calibrate DATA WORK FOLDER JUDGEMENTS.npz rater.model

WORK has the encoder's parts, FOLDER model.onnx (export). Only assessments of WMT17, which the network has not seen, are
used: for the weight of chrF, for the curves, and for the intervals.
"""

from __future__ import annotations

import argparse
import json
from hashlib import sha256
from pathlib import Path

import numpy as np

from tercet.data.model_file import Dataset, ModelFile, write_model
from tercet.language.encoders.pieces import piecewise_scores
from tercet.language.encoders.rater import INPUTS, KIND, Rater
from tercet.metrics.learned.rima import _chrf
from training import data
from training.calibrate import LEVEL, fit
from training.encoder.export import packed
from training.encoder.parts import read_parts

from .judgements import Texts

LEVELS = 31  # of the vectors of pieces: six bits; figures change by less than .002
LONGEST = 126  # pieces of a text that are read at once
WEIGHTS = (0.0, 1 / 200, 1 / 100, 1 / 60, 1 / 40, 1 / 25)  # of a point of chrF
OFFSET, SLOPE = 59.75, 33.77  # from z to raw scores, as in training.calibrate


def read(folder: Path) -> list[tuple[str, str, str, str, float]]:
    """Return pair, source, reference, output and raw score of WMT17's assessments into English."""
    found, texts = [], dict[str, Texts]()
    for row in data.rows(folder / "wmt17" / "DA-seglevel.tsv.gz"):
        pair = row["lp"]
        if (folder / "wmt17" / f"{pair}.outputs.tsv.gz").exists():
            its = texts.setdefault(pair, Texts(folder / "wmt17", pair)) if pair not in texts else texts[pair]
            triple = its.triple(row["seg"], row["system"].split("+")[0])
            found.append((pair, *triple, OFFSET + SLOPE * float(row["DA_z"])))
    return found


def rows_of(inputs: str, rows: list[tuple[str, str, str, str, float]]) -> list[tuple[str, ...]]:
    """Return the texts that the network reads."""
    kinds = INPUTS[inputs]
    return [tuple((output, reference, source)[kind] for kind in kinds) for _, source, reference, output, _ in rows]


def mean_r(values: np.ndarray, y: np.ndarray, pairs: np.ndarray) -> float:
    """Return the mean of Pearson's r over language pairs."""
    return float(np.mean([np.corrcoef(values[pairs == pair], y[pairs == pair])[0, 1] for pair in np.unique(pairs)]))


def trained_on(judgements: Path, left_out: tuple[str, ...]) -> tuple[Dataset, ...]:
    """Return what the network was trained on, for its file."""
    with np.load(judgements) as stored:
        return tuple(
            Dataset(name.split("/")[1], sha256(stored[name].tobytes()).hexdigest(), len(stored[name]))
            for name in sorted(stored.files)
            if name.count("/") == 1 and not name.startswith("pool/") and not any(part in name for part in left_out)
        )


def main() -> None:
    """Fit and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("data", "work", "folder", "judgements", "out"):
        parser.add_argument(name, type=Path)
    parser.add_argument("--left-out", default="wmt16,wmt17.")
    given = parser.parse_args()
    facts = json.loads((given.work / "facts.json").read_text("utf-8"))
    arrays = read_parts(given.work)
    pieces = packed({"pieces": arrays["pieces.weight"]}, LEVELS)
    blobs = {
        "network": (given.folder / "model.onnx").read_bytes(),
        "vocabulary": (given.work / "vocabulary.tsv").read_bytes(),
    }  # fmt: skip
    rows = read(given.data)
    y, pairs = np.array([row[4] for row in rows]), np.array([row[0] for row in rows])
    folds = np.array([sha256(row[2].encode()).digest()[1] % 5 for row in rows])
    chrf = _chrf([(row[3], row[2]) for row in rows])
    blank = pieces | {f"{part}.{inputs}": np.arange(2.0) for part in ("knots", "values") for inputs in INPUTS}
    manifest = {
        "chrf_weight": 0.0, "longest": LONGEST, "level": LEVEL, "half_width": dict.fromkeys(INPUTS, 0.0),
        "languages": sorted(facts["languages"]), "calibrated": sorted(set(pairs.tolist())),
    }  # fmt: skip
    trial = ModelFile(KIND, manifest, blank, blobs)
    numbers = {name: piecewise_scores(Rater(trial, name), rows_of(name, rows), LONGEST) for name in INPUTS}
    by_weight = {weight: mean_r(numbers["reference"] + weight * chrf, y, pairs) for weight in WEIGHTS}
    best = max(by_weight, key=by_weight.__getitem__)
    curves, half, shown = {}, {}, {"weights of chrF": {f"{w:.4f}": round(r, 4) for w, r in by_weight.items()}}
    texts = sorted({(row[1], row[2]) for row in rows})[:1000]
    same = [("", source, reference, reference, 0.0) for source, reference in texts]
    for name in INPUTS:
        with_chrf = name != "source"
        x = numbers[name] + (best * chrf if with_chrf else 0)
        perfect = piecewise_scores(Rater(trial, name), rows_of(name, same), LONGEST) + (best * 100 if with_chrf else 0)
        highest = float(np.median(perfect)) if with_chrf else float(np.quantile(x, 0.999))
        residuals = np.zeros(len(x))
        for fold in range(5):
            knots, values = fit(x[folds != fold], y[folds != fold], highest)
            residuals[folds == fold] = np.abs(np.interp(x[folds == fold], knots, values) - y[folds == fold])
        half[name] = float(np.quantile(residuals, min(1, LEVEL * (1 + 1 / len(x)))))
        curves[f"knots.{name}"], curves[f"values.{name}"] = fit(x, y, highest)
        shown[name] = {
            "r": round(mean_r(x, y, pairs), 4), "half width": round(half[name], 2), "same text": round(highest, 3),
            "mean absolute error": round(float(residuals.mean()), 2),
        }  # fmt: skip
    seen = trained_on(given.judgements, tuple(given.left_out.split(",")))
    model = ModelFile(
        KIND, {**manifest, "chrf_weight": best, "half_width": half}, pieces | curves, blobs, trained_on=seen
    )
    write_model(model, given.out)
    print(json.dumps(shown, indent=1))


if __name__ == "__main__":
    main()
