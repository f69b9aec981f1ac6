"""Speed of TER against sacreBLEU and of WER and CER against rapidfuzz, on the same texts, results compared while at it.

`rows()` gives (name, our CPU seconds, the peer's, the promised ratio) for `make bench`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial

from tercet import TestSet, metrics

from .common import Row, cpu, texts


def check(name: str, ours: float, theirs: float) -> None:
    if abs(ours - theirs) > 1e-9:
        sys.exit(f"{name}: {ours} differs from the peer's {theirs}")


def score(spec: str, testset: TestSet) -> float:
    metric = metrics.create(spec).resolved()
    (counts,) = metric.statistics(testset).values()
    return float(metric.score(counts.sum(0)))


def rows(testset: TestSet) -> list[Row]:
    """One system of the test set; for TER its first 500 segments, as sacreBLEU takes milliseconds for each."""
    from rapidfuzz.distance import Levenshtein
    from sacrebleu.metrics import TER

    system, reference = testset.systems[0], next(iter(testset.references))
    output = [str(line) for line in testset.outputs[system]]
    expected = [line or "" for line in testset.references[reference]]
    one = TestSet({"system": output}, {"reference": expected})
    few = one[:500]

    ours, value = cpu(lambda: score("ter", few), 3)
    theirs, peer = cpu(lambda: TER().corpus_score(output[:500], [expected[:500]]).score)
    check("TER", value, peer)
    found = [("TER", ours, theirs, 100.0)]
    ours, value = cpu(lambda: score("ter:normalized=true,variant=sacrebleu", few), 3)
    theirs, peer = cpu(lambda: TER(normalized=True).corpus_score(output[:500], [expected[:500]]).score)
    check("TER, normalised", value, peer)
    found.append(("TER, normalised", ours, theirs, 100.0))
    tokenised, _ = cpu(partial(score, "wer", one), 5)
    for name, spec, split in (("WER", "wer:tokenize=none", str.split), ("CER", "cer", list)):

        def run(split: Callable[[str], list[str]] = split) -> float:
            pairs = [(split(a), split(b)) for a, b in zip(output, expected, strict=True)]
            return sum(Levenshtein.distance(b, a) for a, b in pairs) / sum(len(b) for _, b in pairs)

        ours, value = cpu(partial(score, spec, one), 3)
        theirs, peer = cpu(run, 3)
        check(name, value, peer)
        found.append((f"{name} (rapidfuzz)", ours, theirs, 1.0))
        if name == "WER":  # by default our words are Moses' tokens; rapidfuzz gets words split at blanks
            found.append(("WER, tokenised by Moses (rapidfuzz on split words)", tokenised, theirs, 1.0))
    return found


if __name__ == "__main__":
    for name, ours, theirs, wanted in rows(texts("en-de", 1, 2000)):
        print(f"{name:50} {ours:8.4f} {theirs:8.4f} {theirs / ours:8.1f}x  promised {wanted:.0f}x")
