"""Tests of robustness: outputs damaged by other generators than in training; how often is the right one preferred?

    python -m training.probes DATA [METRIC …]

Takes segments of WMT18 de-en and ru-en with the output of one system each. Prints the share of right preferences by
kind of damage.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random

import numpy as np

from tercet import TestSet, score

from . import data

NUMBER_WORDS = {
    "one": "seven",
    "two": "nine",
    "three": "twelve",
    "four": "two",
    "five": "eleven",
    "ten": "four",
    "million": "thousand",
    "billion": "million",
}
CONTRACTED = {
    "is": "isn't",
    "are": "aren't",
    "was": "wasn't",
    "were": "weren't",
    "has": "hasn't",
    "have": "haven't",
    "will": "won't",
    "would": "wouldn't",
    "could": "couldn't",
    "can": "can't",
    "should": "shouldn't",
    "did": "didn't",
}


def drop_content(words: list[str], random: Random) -> str | None:
    """Leave out the two longest words."""
    longest = sorted(range(len(words)), key=lambda place: -len(words[place]))[:2]
    return " ".join(word for place, word in enumerate(words) if place not in longest) if len(words) > 5 else None


def stutter(words: list[str], random: Random) -> str | None:
    """Say the last three words three times, as translation systems do when they loop."""
    return " ".join([*words, *words[-3:], *words[-3:]]) if len(words) > 4 else None


def reverse_window(words: list[str], random: Random) -> str | None:
    """Turn five words in a row around."""
    if len(words) < 8:
        return None
    start = random.randrange(1, len(words) - 6)
    return " ".join([*words[:start], *words[start : start + 5][::-1], *words[start + 5 :]])


def scale_number(words: list[str], random: Random) -> str | None:
    """Add a zero to a number, or change a number in words."""
    places = [
        place for place, word in enumerate(words) if re.fullmatch(r"\d+[.,]?", word) or word.lower() in NUMBER_WORDS
    ]
    if not places:
        return None
    place = random.choice(places)
    changed = NUMBER_WORDS.get(words[place].lower()) or re.sub(r"(\d+)", r"\g<1>0", words[place])
    return " ".join([*words[:place], changed, *words[place + 1 :]])


def other_country(words: list[str], random: Random) -> str | None:
    """Put a country or city in the place of another word with a capital."""
    places = [
        place
        for place, word in enumerate(words)
        if place and word[:1].isupper() and word[1:].islower() and len(word) > 4
    ]
    return (
        " ".join(
            [*words[: places[0]], random.choice(["Portugal", "Jakarta", "Denmark", "Nairobi"]), *words[places[0] + 1 :]]
        )
        if places
        else None
    )


def contract_negation(words: list[str], random: Random) -> str | None:
    """Negate a verb in its short form."""
    places = [place for place, word in enumerate(words) if word.lower() in CONTRACTED and "not" not in words]
    return (
        " ".join([*words[: places[0]], CONTRACTED[words[places[0]].lower()], *words[places[0] + 1 :]])
        if places
        else None
    )


def second_half(words: list[str], random: Random) -> str | None:
    """Keep only the second half."""
    return " ".join(words[len(words) // 2 :]) if len(words) > 5 else None


KINDS: dict[str, Callable[[list[str], Random], str | None]] = {
    "dropped words": drop_content,
    "repeated words": stutter,
    "swapped words": reverse_window,
    "another number": scale_number,
    "another name": other_country,
    "negation": contract_negation,
    "truncated": second_half,
}


def reference_words(reference: str, output: str, random: Random) -> str:
    """Return the words of the reference in random order."""
    words = reference.split()
    return " ".join(random.sample(words, len(words)))


def stuffed(reference: str, output: str, random: Random) -> str:
    """Return the output, followed by the five longest words of the reference, in random order."""
    longest = sorted(set(reference.split()), key=lambda word: (-len(word), word))[:5]
    return " ".join([output, *random.sample(longest, len(longest))])


COPIED: dict[str, Callable[[str, str, Random], str]] = {
    "words of the reference in random order": reference_words,
    "longest words of the reference added": stuffed,
}


def cases(folder: Path, limit: int = 400) -> dict[str, list[tuple[str, str, str]]]:
    """Return (reference, right output, wrong output) by kind."""
    random, shuffling = Random(99), Random(17)
    found: dict[str, list[tuple[str, str, str]]] = {}
    copied: dict[str, list[tuple[str, str, str]]] = {}
    for pair in ("de-en", "ru-en"):
        texts = data.Texts.read(folder / "wmt18", pair)
        segments = list(texts.references)
        for place, segment in enumerate(segments[:1500]):
            reference, output = texts.references[segment], random.choice(list(texts.outputs[segment].values()))
            unrelated = texts.references[segments[(place + 700) % len(segments)]]
            wrong = {kind: generate(output.split(), random) for kind, generate in KINDS.items()}
            wrong |= {
                "copied source": texts.sources[segment],
                "empty": "",
                "wrong language": texts.sources[segments[(place + 300) % len(segments)]],
                "unrelated text": unrelated,
            }
            for kind, text in wrong.items():
                if text is not None and text.split() != output.split():
                    found.setdefault(kind, []).append((reference, output, text))
            if output.split() != reference.split():
                found.setdefault("the reference itself", []).append((reference, reference, output))
                for kind, generate in COPIED.items():
                    copied.setdefault(kind, []).append((reference, output, generate(reference, output, shuffling)))
    found |= copied
    return {kind: random.sample(rows, min(limit, len(rows))) for kind, rows in found.items()}


def right(metric: str, rows: list[tuple[str, str, str]]) -> float:
    """Return how often a metric prefers the right output; ties count as wrong."""
    texts = TestSet(
        {"right": [row[1] for row in rows], "wrong": [row[2] for row in rows]},
        {"reference": [row[0] for row in rows]},
        pair="de-en",
    )
    scores = score(texts, [metric])[0]
    better, worse = scores.segment["right"], scores.segment["wrong"]
    return float(np.mean(better > worse if scores.metric.higher_is_better else better < worse))


def main() -> None:
    """Print the table."""
    metrics = sys.argv[2:] or ["chrf", "meteor", "yisi1", "rima"]
    print("kind", "n", *metrics, sep="\t")
    for kind, rows in cases(Path(sys.argv[1])).items():
        print(kind, len(rows), *(f"{right(metric, rows):.3f}" for metric in metrics), sep="\t", flush=True)


if __name__ == "__main__":
    main()
