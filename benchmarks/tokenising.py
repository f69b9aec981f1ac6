"""The Moses tokeniser and the metrics that use it, against the same rules as regular expressions.

The peer of a metric is the time of its own counting after the regular expressions have tokenised the texts, results
compared while at it. `rows()` gives (name, our CPU seconds, the peer's, the promised ratio) for `make bench`.
"""

from __future__ import annotations

import sys
from functools import partial

from tests.unit.kernels import regex_moses

from tercet import TestSet, metrics
from tercet.text import moses

from .common import Row, cpu, texts

SEGMENTS = 2000
METRICS = ("sentbleu", "wer", "per", "cder")


def system_score(spec: str, testset: TestSet) -> float:
    metric = metrics.create(spec).resolved()
    (counts,) = metric.statistics(testset).values()
    return float(metric.score(counts.sum(0)))


def tokenised_by_peer(testset: TestSet) -> TestSet:
    def tokenise(lines: object) -> list[str]:
        return [regex_moses.tokenise((line or "").rstrip(), "en") for line in lines]  # type: ignore[attr-defined]

    outputs = {name: tokenise(lines) for name, lines in testset.outputs.items()}
    return TestSet(outputs, {name: tokenise(lines) for name, lines in testset.references.items()})


def rows() -> list[Row]:
    testset = texts("de-en", 1, SEGMENTS)
    lines = list(testset.outputs[testset.systems[0]])
    regex_moses.tokenise("a.", "en"), moses.tokenise("a.", "en")  # the tables are made once
    ours, found = cpu(partial(moses.tokenise_all, lines, "en"), 5)
    theirs, expected = cpu(lambda: [regex_moses.tokenise(line, "en") for line in lines], 2)
    if found != expected:
        sys.exit("The Moses tokeniser differs from the regular expressions")
    result: list[Row] = [("Moses tokeniser (regular expressions)", ours, theirs, 10.0)]
    for name in METRICS:
        ours, value = cpu(partial(system_score, f"{name}:tokenize=moses", testset), 5)
        theirs, peer = cpu(lambda name=name: system_score(f"{name}:tokenize=none", tokenised_by_peer(testset)), 2)
        if abs(value - peer) > 1e-12:
            sys.exit(f"{name}: {value} differs from {peer} on texts tokenised by regular expressions")
        result.append((f"{name}, tokenised by Moses (regular expressions)", ours, theirs, 5.0))
    return result


if __name__ == "__main__":
    for name, ours, theirs, wanted in rows():
        print(f"{name:50} {ours:8.4f} {theirs:8.4f} {theirs / ours:8.1f}x  promised {wanted:.0f}x")
