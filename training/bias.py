"""Checks of bias, with people's judgements that training did not see.

    python -m training.bias [--cache DIR] DATA [METRIC …]

- length: in daRR pairs of WMT19, how often people and the metric prefer the longer output;
- output alone: tau of daRR pairs if each output is compared with the reference of another segment;
- ties: accuracy of pairs with ties (Deutsch et al. 2023) beside correlation, on MQM of TED talks zh-en;
- differences: which difference of two systems' scores a test set can detect, and how often people rank the two alike;
- references: r with mean ratings of 100 outputs with four references each (tradopad), with the best and the mean of
  the references.
"""

from __future__ import annotations

import argparse
import gzip
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise
from pathlib import Path

import numpy as np

from tercet import TestSet, score
from tercet.data.layouts import open_testset
from tercet.stats.accuracy import calibrate_ties
from tercet.stats.correlation import pearson
from tercet.stats.power import detectable_difference
from tercet.tasks.reproduce.papers.wmt19 import system_level
from tercet.tasks.reproduce.sources import DataSets

from .data import english_pairs, rows

PAIRS = ("lt-en", "gu-en", "kk-en")
EDGES = (0.0, 0.5, 1.0, 2.0, 4.0)  # of differences
MARKS = re.compile(r"</?v>")  # around errors in MQM


def segment_scores(testset: TestSet, metric: str, cache: str | None) -> dict[str, np.ndarray]:
    """Return scores by system; higher is better."""
    found = score(testset, metric, cache=cache)[0]
    sign = -1 if found.metric.higher_is_better is False else 1
    return {system: sign * np.asarray(values) for system, values in found.segment.items()}


def darr(folder: Path, pair: str) -> list[tuple[int, str, str]]:
    """Return segment, better and worse system of people's preferences."""
    listed = rows(folder / "wmt19_darr" / f"{pair}.darr.tsv.gz")
    return [(int(row["seg"]) - 1, row["better"], row["worse"]) for row in listed]


def length_bias(folder: Path, metric: str, cache: str | None) -> Iterator[str]:
    """Yield for each language pair how often the longer output is preferred, by people and by the metric."""
    for pair in PAIRS:
        testset = open_testset(folder / "wmt19", pair)
        found = segment_scores(testset, metric, cache)
        longer = {system: [len(text) for text in texts] for system, texts in testset.outputs.items()}
        people, own = [], []
        for segment, better, worse in darr(folder, pair):
            more = longer[better][segment] - longer[worse][segment]
            if more:
                people.append(more > 0)
                own.append((found[better][segment] > found[worse][segment]) == (more > 0))
        yield f"{pair} {np.mean(people):.3f} {np.mean(own):.3f}"


def output_alone(folder: Path, metric: str, cache: str | None) -> Iterator[str]:
    """Yield for each language pair tau and the mean score, with the right references and with others."""
    for pair in PAIRS:
        testset = open_testset(folder / "wmt19", pair)
        (texts,) = testset.references.values()
        half = len(texts) // 2
        others = TestSet(testset.outputs, {"other": [*texts[half:], *texts[:half]]}, pair=pair, name="shuffled")
        for name, each in (("right", testset), ("shuffled", others)):
            found = segment_scores(each, metric, cache)
            right = [found[better][at] > found[worse][at] for at, better, worse in darr(folder, pair)]
            mean = np.mean([values.mean() for values in found.values()])
            yield f"{pair} {name}: tau {2 * np.mean(right) - 1:.3f}, mean score {mean:.2f}"


def ted(folder: Path) -> tuple[TestSet, np.ndarray]:
    """Return TED talks zh-en with the first human translation as reference, and MQM, shape (systems, segments)."""
    texts: dict[str, dict[str, str]] = defaultdict(dict)
    for row in rows(folder / "mqm" / "ted.zh-en.mqm.tsv.gz"):
        texts[row["system"]][row["seg_id"]] = MARKS.sub("", row["target"])
    reference = texts.pop("ref")
    texts.pop("refB")
    systems = sorted(texts)
    segments = [number for number in reference if all(number in texts[system] for system in systems)]
    gold: dict[tuple[str, str], float] = {}
    with gzip.open(folder / "mqm" / "ted.zh-en.mqm_avg_seg.tsv.gz", "rt", encoding="utf-8") as lines:
        for system, value, number in (line.split() for line in list(lines)[1:]):
            gold[system, number] = float("nan") if value == "None" else float(value)
    values = np.array([[gold[system, number] for number in segments] for system in systems])
    outputs = {system: [texts[system][number] for number in segments] for system in systems}
    return TestSet(outputs, {"ref": [reference[number] for number in segments]}, pair="zh-en", name="ted"), values


def ties(folder: Path, metric: str, cache: str | None) -> Iterator[str]:
    """Yield accuracy with calibrated ties, and Pearson's r across all outputs."""
    testset, gold = ted(folder)
    found = segment_scores(testset, metric, cache)
    values = np.array([found[system] for system in sorted(found)])
    best = calibrate_ties(gold, values)
    judged = ~np.isnan(gold)
    r = float(pearson(values[judged], gold[judged]))
    yield f"{int(judged.sum())} outputs: accuracy {best.accuracy:.3f} (ties up to {best.epsilon:.3g}), r {r:.3f}"


def several(folder: Path, metric: str, cache: str | None) -> Iterator[str]:
    """Yield r with mean ratings, with one reference, and with the best and the mean of four."""
    listed = list(rows(folder / "tradopad" / "segments.tsv.gz"))
    whose = {row["segment_id"]: row["mt_id"] for row in listed}
    rated: dict[str, list[float]] = defaultdict(list)
    for row in rows(folder / "tradopad" / "ratings.tsv.gz"):
        rated[whose[row["segment_id"]]].append(float(row["rating"]))
    outputs = {row["mt_id"]: row["mt"] for row in listed}
    references: dict[str, list[str]] = defaultdict(list)
    for row in listed:
        if row["kind"] == "reference":
            references[row["mt_id"]].append(row["shown_text"])
    gold = np.array([np.mean(rated[number]) for number in outputs])
    columns = np.array([references[number] for number in outputs]).T
    single = np.array([_one(list(outputs.values()), list(column), metric, cache) for column in columns])
    alone = np.mean([pearson(row, gold) for row in single])
    best, mean = (float(pearson(values, gold)) for values in (single.max(0), single.mean(0)))
    yield f"one reference {alone:.3f} (mean of four), best of four {best:.3f}, mean of four {mean:.3f}"


def _one(outputs: Sequence[str], references: Sequence[str], metric: str, cache: str | None) -> np.ndarray:
    texts = TestSet({"mt": list(outputs)}, {"ref": [str(text) for text in references]}, pair="zh-en", name="tradopad")
    return segment_scores(texts, metric, cache)["mt"]


def differences(folder: Path, metric: str, cache: str | None) -> Iterator[str]:
    """Yield the difference that 1,000 segments detect, and how often people agree with a difference of some size."""
    data = DataSets.under(folder)
    needed, sizes, agreed = [], [], []
    for pair in english_pairs(folder / "wmt19"):
        judged = system_level(data, pair)
        found = segment_scores(open_testset(folder / "wmt19", pair), metric, cache)
        for (one, first), (other, second) in combinations(zip(judged.systems, judged.human, strict=True), 2):
            apart = found[one] - found[other]
            needed.append(detectable_difference(float(apart.std(ddof=1)) / 1000**0.5))
            sizes.append(abs(apart.mean()))
            agreed.append((apart.mean() > 0) == (first > second))
    yield f"with 1,000 segments, {np.median(needed):.2f} is detected with 80 % power (median of {len(needed)} pairs)"
    for low, high in pairwise((*EDGES, np.inf)):
        inside = [right for size, right in zip(sizes, agreed, strict=True) if low <= size < high]
        yield f"{low} to {high}: {len(inside)} pairs of systems, ranked as by people: {np.mean(inside):.2f}"


CHECKS = {
    "length": length_bias, "output alone": output_alone, "ties": ties, "references": several,
    "differences": differences,
}  # fmt: skip


def main() -> None:
    """Print all checks."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("data", type=Path)
    arguments.add_argument("metrics", nargs="*", default=["chrf", "rima"])
    arguments.add_argument("--cache")
    given = arguments.parse_args()
    for name, check in CHECKS.items():
        for metric in given.metrics:
            for line in check(given.data, metric, given.cache):
                print(f"{name}, {metric}: {line}", flush=True)


if __name__ == "__main__":
    main()
