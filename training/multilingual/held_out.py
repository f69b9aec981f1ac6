"""Texts that nothing is learnt from, for figures: WMT19's systems, WMT23 en-de, and the dev part of MLQE.

python -m training.multilingual.held_out DATA multilingual.model OUT.npz
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from training.data import rows

from .judgements import Judgements, Texts, pack

EVERY = 3  # of the segments of WMT19


def read(data: Path) -> dict[str, list[tuple[str, str, str, str, str]]]:
    """Return source, reference, output, segment and system by name of the set."""
    found: dict[str, list[tuple[str, str, str, str, str]]] = {}
    for path in sorted((data / "wmt19").glob("*.outputs.tsv.gz")):
        pair = path.name.split(".")[0]
        its = Texts(data / "wmt19", pair)
        found[f"wmt19.{pair}"] = [
            (*its.triple(segment, system), segment, system)
            for segment, systems in its.outputs.items()
            if int(segment) % EVERY == 0
            for system in systems
        ]
    segments = {row["seg"]: row for row in rows(data / "wmt23" / "en-de.segments.tsv.gz")}
    outputs = {row.pop("seg"): row for row in rows(data / "wmt23" / "en-de.outputs.tsv.gz")}
    found["wmt23.en-de"] = [
        (segments[segment]["source"], segments[segment]["ref_refA"], output, segment, system)
        for segment, systems in outputs.items()
        for system, output in systems.items()
        if system not in ("refA", "synthetic_ref")
    ]
    for path in sorted((data / "mlqe").glob("*.dev.tsv.gz")):
        name = f"mlqe-dev.{path.name.split('.')[0]}"
        found[name] = [(row["original"], "", row["translation"], row["index"], row["z_mean"]) for row in rows(path)]
    return found


def main() -> None:
    """Write the archive."""
    data, model, out = (Path(each) for each in sys.argv[1:4])
    texts = Judgements()
    for name, listed in read(data).items():
        texts.pool[name] = [row[:3] for row in listed]
    np.savez(out, **{name.replace("pool/", "test/"): values for name, values in pack(texts, model).items()})


if __name__ == "__main__":
    main()
