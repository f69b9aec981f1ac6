"""How often metrics prefer an output to a damaged copy of it, by language: WMT18's systems out of English.

    python -m training.multilingual.probes DATA [METRIC …]

The damage is not that of training, where pieces were exchanged and lost. Prints the share of right preferences by kind
of damage and language; ties count as wrong.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random

from tercet import TestSet, score

from .judgements import Texts

PAIRS = ("en-cs", "en-de", "en-et", "en-fi", "en-ru", "en-tr", "en-zh")
SEGMENTS = 60  # of each pair
METRICS = ("chrf", "rima:inputs=reference", "rima:inputs=source", "rima:inputs=both")


def damaged(text: str, source: str, other: str, random: Random) -> Iterator[tuple[str, str]]:
    """Yield each kind of damage with the text that it makes."""
    spaced = " " in text
    words = text.split() if spaced else list(text)

    def joined(parts: list[str]) -> str:
        return (" " if spaced else "").join(parts)

    if len(words) > 6:
        start = random.randrange(1, len(words) - 4)
        yield "four words missing", joined(words[:start] + words[start + 4 :])
        yield "four words in reverse order", joined(words[:start] + words[start : start + 4][::-1] + words[start + 4 :])
        yield "the second half missing", joined(words[: len(words) // 2])
        yield "the last words twice", joined([*words, *words[-4:]])
        shuffled = list(words)
        random.shuffle(shuffled)
        yield "words in random order", joined(shuffled)
    if re.search(r"\d", text):
        yield "another number", re.sub(r"\d", lambda found: str((int(found[0]) + 3) % 10), text, count=1)
    yield "the source, untranslated", source
    yield "another sentence", other
    yield "nothing", ""


def main() -> None:
    """Print the table."""
    folder, metrics = Path(sys.argv[1]) / "wmt18", sys.argv[2:] or list(METRICS)
    shares: dict[tuple[str, str, str], list[bool]] = {}
    for pair in PAIRS:
        its, random = Texts(folder, pair), Random(7)
        segments = sorted(its.outputs, key=int)[:: len(its.outputs) // SEGMENTS][:SEGMENTS]
        system = sorted(its.outputs[segments[0]])[0]
        rows = []
        for place, segment in enumerate(segments):
            source, reference, output = its.triple(segment, system)
            other = its.outputs[segments[place - 1]][system]
            for kind, text in damaged(output, source, other, random):
                if text != output:
                    rows.append((kind, source, reference, output, text))
        outputs = {"right": [row[3] for row in rows], "damaged": [row[4] for row in rows]}
        testset = TestSet(outputs, {"r": [row[2] for row in rows]}, source=[row[1] for row in rows], pair=pair)
        for metric, scores in zip(metrics, score(testset, metrics), strict=True):
            better = scores.segment["right"] > scores.segment["damaged"]
            for row, right in zip(rows, better.tolist(), strict=True):
                for language in (pair, "all"):
                    shares.setdefault((row[0], metric, language), []).append(right)
    print("|".join(["damage", "n", *metrics]))
    for kind in dict.fromkeys(kind for kind, _, _ in shares):
        found = [shares[kind, metric, "all"] for metric in metrics]
        print("|".join([kind, str(len(found[0])), *(f"{sum(each) / len(each):.2f}" for each in found)]))
    for metric in metrics:
        mean = [
            [sum(each) / len(each) for (_, name, pair), each in shares.items() if (name, pair) == (metric, wanted)]
            for wanted in PAIRS
        ]
        print(metric, " ".join(f"{p} {sum(m) / len(m):.2f}" for p, m in zip(PAIRS, mean, strict=True)))


if __name__ == "__main__":
    main()
