"""Figures of the network rater on what it has not learnt from: WMT23 en-de, WMT16, MLQE dev, WMT19's systems.

    python -m training.multilingual.figures DATA [rater.model]

Prints Pearson's r of chrF and of rima beside reference, source and both, with 95 % intervals of the difference from
chrF (segments are resampled); and r of systems of WMT19 on about 100 segments of each pair.
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path

import numpy as np

from tercet import TestSet, score
from training.data import rows

from .judgements import Texts

SEGMENTS = 100  # of each pair of WMT19
INPUTS = ("reference", "source", "both")
Judged = tuple[str, str, str, float]  # source, reference, output, score


def sets(data: Path) -> dict[str, list[Judged]]:
    """Return the judged outputs by name of the set, the pair after the last full stop."""
    found: dict[str, list[Judged]] = {}
    texts = {row["seg"]: row for row in rows(data / "wmt23" / "en-de.segments.tsv.gz")}
    outputs = {row["seg"]: row for row in rows(data / "wmt23" / "en-de.outputs.tsv.gz")}
    for row in rows(data / "wmt23" / "en-de.human_seg.tsv.gz"):
        if row["mqm"] not in ("", "None") and row["system"] not in ("refA", "synthetic_ref"):
            text = texts[row["seg"]]
            judged = text["source"], text["ref_refA"], outputs[row["seg"]][row["system"]], float(row["mqm"])
            found.setdefault("wmt23.en-de", []).append(judged)
    for row in rows(data / "segment_da" / "wmt16.tsv.gz"):
        judged = row["source"], row["reference"], row["mt"], float(row["z"])
        found.setdefault(f"wmt16.{row['lp']}", []).append(judged)
    for path in sorted((data / "mlqe").glob("*.dev.tsv.gz")):
        found[f"mlqe-dev.{path.name.split('.')[0]}"] = [
            (row["original"], "", row["translation"], float(row["z_mean"])) for row in rows(path)
        ]
    return found


def computed(judged: list[tuple[str, str, str]], pair: str, model: str) -> dict[str, np.ndarray]:
    """Return the segment scores of chrF and of rima with each kind of input; without references beside the source."""
    referenced = all(row[1] for row in judged)
    references = {"r": [row[1] for row in judged]} if referenced else {}
    testset = TestSet({"o": [row[2] for row in judged]}, references, source=[row[0] for row in judged], pair=pair)
    given = f",model={model}" if model else ""
    metrics = {kind: f"rima:network=multilingual,inputs={kind}{given}" for kind in INPUTS} | {"chrf": "chrf"}
    wanted = list(metrics) if referenced else ["source"]
    scores = score(testset, [metrics[name] for name in wanted])
    return {name: each.segment["o"] for name, each in zip(wanted, scores, strict=True)}


def difference(values: np.ndarray, chrf: np.ndarray, wanted: np.ndarray) -> tuple[float, float]:
    """Return the 95 % interval of the difference of r."""
    random, found = np.random.default_rng(0), []
    for _ in range(1000):
        drawn = random.integers(0, len(wanted), len(wanted))
        found.append(correlation(values[drawn], wanted[drawn]) - correlation(chrf[drawn], wanted[drawn]))
    low, high = np.percentile(found, [2.5, 97.5])
    return float(low), float(high)


def correlation(values: np.ndarray, wanted: np.ndarray) -> float:
    """Return Pearson's r."""
    return float(np.corrcoef(values, wanted)[0, 1])


def main() -> None:
    """Print the figures."""
    data, model = Path(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else ""
    for name, judged in sets(data).items():
        found, wanted = (
            computed([row[:3] for row in judged], name.split(".")[1], model),
            np.array([row[3] for row in judged]),
        )
        line = [name, str(len(wanted))]
        for kind, values in found.items():
            interval = ""
            if "chrf" in found and kind != "chrf":
                interval = " ({:+.3f} to {:+.3f})".format(*difference(values, found["chrf"], wanted))
            line.append(f"{kind} {correlation(values, wanted):.3f}{interval}")
        print("  ".join(line), flush=True)
    with (data / "wmt19_sys" / "wmt19_sys_scores.tsv").open(encoding="utf-8", newline="") as lines:
        people = {(row["lp"], row["system"]): float(row["DA"]) for row in csv.DictReader(lines, delimiter="\t")}
    for path in sorted((data / "wmt19").glob("*.outputs.tsv.gz")):
        pair = path.name.split(".")[0]
        its = Texts(data / "wmt19", pair)
        segments = sorted(its.outputs, key=int)[:: max(1, len(its.outputs) // SEGMENTS)][:SEGMENTS]
        systems = [system for system in its.outputs[segments[0]] if (pair, system) in people]
        judged = [its.triple(segment, system) for segment in segments for system in systems]
        found = computed(judged, pair, model)
        wanted = np.array([people[pair, system] for system in systems])
        means = {kind: values.reshape(len(segments), -1).mean(0) for kind, values in found.items()}
        print(
            f"wmt19.{pair}  {len(systems)}",
            *(f"{k} {correlation(v, wanted):.3f}" for k, v in means.items()),
            flush=True,
        )


if __name__ == "__main__":
    main()
