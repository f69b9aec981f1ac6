"""Scores of several networks for outputs that are not English, as labels for one; and the mean of several networks.

    python -m training.multilingual.ensemble chrf DATA CHRF.npz
    python -m training.multilingual.ensemble labels WORK CHRF.npz ENSEMBLE.npz NAME …
    python -m training.multilingual.ensemble mean WORK NAME.npz NAME …

The outputs are those of WMT12's rankings and of WMT18's systems. WORK/NAME.predictions.npz has the numbers of a network
(`training.multilingual.train --predict en-`). Networks whose weights are averaged began at the same weights; the mean
is written as NAME.pt too.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

CHRF = 0.4  # of a standard deviation of chrF, within a set


def chrf_of(data: Path) -> dict[str, np.ndarray]:
    """Return chrF of the outputs by set, in the order of training.multilingual.train.outputs_of."""
    from tercet.metrics.learned.rima import _chrf

    from .judgements import read

    found = read(data)
    sets: dict[str, list[tuple[str, str]]] = {}
    for name, ranked in found.ranked.items():
        sets[f"rank/{name}"] = [(row[2], row[1]) for row in ranked] + [(row[3], row[1]) for row in ranked]
    for name, judged in found.systems.items():
        sets[f"system/{name}"] = [(row[2], row[1]) for row in judged]
    return {name: _chrf(rows).astype(np.float32) for name, rows in sets.items() if not name.endswith("-en")}


def standardised(values: np.ndarray) -> np.ndarray:
    """Return values with mean 0 and standard deviation 1."""
    found: np.ndarray = (values - values.mean()) / values.std()
    return found


def label(predictions: list[dict[str, np.ndarray]], chrf: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Return the labels by set: the mean of the networks' numbers with references, and a part of chrF."""
    ends = np.cumsum([0, *map(len, chrf.values())])
    total = np.zeros(ends[-1])
    for each in predictions:
        for inputs in ("reference", "both"):
            total += standardised(np.concatenate([each[f"{name}/{inputs}"] for name in chrf]))
    total /= 2 * len(predictions)
    total += CHRF * np.concatenate([standardised(values) for values in chrf.values()])
    return {
        name: total[first:last].astype(np.float32) for name, first, last in zip(chrf, ends[:-1], ends[1:], strict=True)
    }


def _load(path: Path) -> dict[str, np.ndarray]:
    with np.load(path) as stored:
        return {name: stored[name] for name in stored.files}


def main() -> None:
    """Write the file."""
    step, given = sys.argv[1], [Path(each) for each in sys.argv[2:]]
    if step == "chrf":
        np.savez(given[1], **chrf_of(given[0]))
    elif step == "labels":
        predictions = [_load(given[0] / f"{name}.predictions.npz") for name in given[3:]]
        np.savez(given[2], **label(predictions, _load(given[1])))
    else:
        import torch

        from training.network import pack

        found = [torch.load(given[0] / f"{name}.pt", map_location="cpu", weights_only=True) for name in given[2:]]
        mean = {name: torch.stack([each[name].float() for each in found]).mean(0) for name in found[0]}
        torch.save(mean, given[1].with_suffix(".pt"))
        del mean["encoder.pieces.weight"]  # those of the encoder
        np.savez(given[1], **pack({name: values.numpy() for name, values in mean.items()}))


if __name__ == "__main__":
    main()
