"""Lexical tables, word alignments and frequency tables: CPU seconds against the limits that they keep.

50,000 made-up sentence pairs of 20 words, from 30,000 words that are as unequally frequent as in a text; four of five
target words translate the source word at their place, the others are chance.
"""

from __future__ import annotations

import resource

import numpy as np

from tercet.language.bilingual_alignment import WordAligner, train_hmm
from tercet.language.frequencies import count_ngrams
from tercet.language.lexical_tables import train_table

from .common import Row, cpu

PAIRS, LENGTH, WORDS = 50_000, 20, 30_000


def corpus() -> tuple[list[list[str]], list[list[str]]]:
    rng = np.random.default_rng(1)
    weights = 1 / np.arange(1, WORDS + 1)
    source, noise = rng.choice(WORDS, size=(2, PAIRS, LENGTH), p=weights / weights.sum())
    target = np.where(rng.random((PAIRS, LENGTH)) < 0.8, source, noise)
    sides = []
    for name, numbers in (("s", source), ("t", target)):
        words = [f"{name}{number}" for number in range(WORDS)]
        sides.append([[words[number] for number in row] for row in numbers.tolist()])
    return sides[0], sides[1]


def rows() -> list[Row]:
    """What, our CPU seconds, the limit, and 1: the limit is to be kept."""
    sources, targets = corpus()
    estimating, table = cpu(lambda: train_table(sources, targets, iterations=10))
    counting, forward = cpu(lambda: train_hmm(table, sources, targets, iterations=1))
    backward = train_hmm(train_table(targets, sources, iterations=5), targets, sources, iterations=1)
    one, _ = cpu(lambda: forward.align(sources, targets))
    both, _ = cpu(lambda: WordAligner(forward, backward).align(sources, targets))
    scoring, _ = cpu(lambda: table.log_probabilities(sources, targets))
    grams, _ = cpu(lambda: count_ngrams(sources))
    return [
        ("Model 1, 10 iterations (limit 20 s)", estimating, 20.0, 1.0),
        ("HMM, 1 iteration (limit 10 s)", counting, 10.0, 1.0),
        ("aligning one way (limit 10 s)", one, 10.0, 1.0),
        ("aligning both ways (limit 10 s)", both, 10.0, 1.0),
        ("Model 1 scores (limit 10 s)", scoring, 10.0, 1.0),
        ("1- to 3-grams of 1 M words (limit 10 s)", grams, 10.0, 1.0),
    ]


if __name__ == "__main__":
    for name, ours, limit, _ in rows():
        print(f"{name:42} {ours:7.3f} {PAIRS / ours:10,.0f} pairs a second {'' if ours <= limit else 'MISSED'}")
    print(f"peak {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")
