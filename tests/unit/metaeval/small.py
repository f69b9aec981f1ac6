"""A small set to judge metrics by: six systems, twenty segments, invented texts and ratings, in the forms of files."""

import json
import random
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np

from tercet.data.evidence import Evidence, open_evidence
from tercet.data.scores import MetricRecord, Scores

SYSTEMS = ("ada", "bob", "cyd", "dan", "eve", "fay")  # from best to worst
SEGMENTS = tuple(str(number) for number in range(1, 21))
WORDS = "the a cat dog house tree sees likes finds small large green old in under near and river bird sleeps".split()
Value = Callable[[int, int], float]  # of the system and the segment with these numbers


def write(path: Path, *lines: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    return path


def write_texts(folder: Path, pair: str = "en-de") -> None:
    """Texts: the further down a system, the more of the reference's words are wrong."""
    rng = random.Random(7)
    references = [rng.choices(WORDS, k=rng.randint(6, 12)) for _ in SEGMENTS]
    outputs = [
        [
            " ".join(rng.choice(WORDS) if rng.random() < 0.04 + 0.12 * place else word for word in words)
            for words in references
        ]
        for place in range(len(SYSTEMS))
    ]
    source = [" ".join(words).upper() for words in references]
    rows = zip(SEGMENTS, source, (" ".join(words) for words in references), strict=True)
    write(folder / f"{pair}.segments.tsv", "seg\tsource\treference", *("\t".join(row) for row in rows))
    write(
        folder / f"{pair}.outputs.tsv",
        "\t".join(["seg", *SYSTEMS]),
        *("\t".join([segment, *texts]) for segment, *texts in zip(SEGMENTS, *outputs, strict=True)),
    )


def rating(system: int, segment: int) -> float:
    """What people give, 0 to 100: less to systems further down, with opinions on single segments."""
    return 95.0 - 13 * system + (system * 7 + segment * 11) % 10 - 5


def metric(system: int, segment: int) -> float:
    """What a good metric gives."""
    return 0.9 - 0.11 * system + ((system * 5 + segment * 3) % 7) / 50


def write_ratings(folder: Path, pair: str = "en-de", value: Value = rating, raters: Sequence[str] = ("r", "s")) -> None:
    """Every output by every rater, the second of whom is stricter."""
    items = [
        {
            "kind": "da", "segment": segment, "system": system, "value": value(i, j) - 3 * strict, "rater": rater,
            "pair": pair, "set": f"ratings-{pair}",
        }
        for j, segment in enumerate(SEGMENTS)
        for i, system in enumerate(SYSTEMS)
        for strict, rater in enumerate(raters)
    ]  # fmt: skip
    write(folder / f"ratings.{pair}.jsonl", *(json.dumps(item) for item in items))


def write_rankings(folder: Path, pair: str = "en-de") -> None:
    """Five outputs ranked by two judges for every segment, ties among them."""
    lines = ["lp\tseg\tjudge\tsystems\tranks"]
    for j, segment in enumerate(SEGMENTS):
        for judge in ("r", "s"):
            places = [(j + k + (judge == "s")) % len(SYSTEMS) for k in range(5)]
            best = sorted({round(rating(i, j) / 20) for i in places}, reverse=True)
            ranks = [str(1 + best.index(round(rating(i, j) / 20))) for i in places]
            lines.append("\t".join([pair, segment, judge, "|".join(SYSTEMS[i] for i in places), "|".join(ranks)]))
    write(folder / "rankings.tsv", *lines)


def make_set(folder: Path, pair: str = "en-de") -> Path:
    """A folder with texts and ratings of a language pair."""
    write_texts(folder, pair)
    write_ratings(folder, pair)
    return folder


def judged(folder: Path, pair: str = "en-de") -> Evidence:
    return open_evidence(make_set(folder / "small", pair), pair)


def scored(
    label: str,
    value: Value = metric,
    *,
    systems: Sequence[str] = SYSTEMS,
    higher_is_better: bool | None = True,
    segments: bool = True,
) -> Scores:
    """Scores of all systems, from a function of the numbers of system and segment."""
    cube = {name: np.array([value(SYSTEMS.index(name), j) for j in range(len(SEGMENTS))]) for name in systems}
    means: Mapping[str, float] = {name: float(row.mean()) for name, row in cube.items()}
    n = len(SEGMENTS) if segments else 0
    record = MetricRecord(label, label, f"{label}|made:up", higher_is_better)
    return Scores(record, means, cube if segments else {}, n_segments=n)


def human_segments() -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """The mean ratings, shape (systems, segments)."""
    return np.array([[rating(i, j) - 1.5 for j in range(len(SEGMENTS))] for i in range(len(SYSTEMS))])


def metric_segments(value: Value = metric) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    return np.array([[value(i, j) for j in range(len(SEGMENTS))] for i in range(len(SYSTEMS))])
