"""NIST's counts with dictionaries of tuples, the form that `tercet.metrics.strings.nist` must equal to the last bit."""

from collections import Counter
from math import log2


def grams(words: list[str], max_order: int) -> list[tuple[str, ...]]:
    """Return all n-grams, by their first word, short ones first."""
    places = range(len(words))
    return [tuple(words[i : i + n]) for i in places for n in range(1, max_order + 1) if i + n <= len(words)]


def slow_counts(
    outputs: dict[str, list[list[str]]], references: list[list[list[str]]], max_order: int
) -> dict[str, list[list[float]]]:
    """Return the rows that the metric counts for each system; references: by segment."""
    counts: Counter[tuple[str, ...]] = Counter()
    for texts in references:
        for words in texts:
            counts.update(grams(words, max_order))
            counts[()] += len(words)
    most: list[Counter[tuple[str, ...]]] = [Counter() for _ in references]
    for texts, largest in zip(references, most, strict=True):
        for words in texts:
            largest |= Counter(grams(words, max_order))

    def row(words: list[str], texts: list[list[str]], most: Counter[tuple[str, ...]]) -> list[float]:
        matched = [0.0] * max_order
        for gram, times in Counter(grams(words, max_order)).items():
            if gram in most:
                prefix = gram[:-1] if gram[:-1] != ("0",) else ()  # "0" is false in Perl
                matched[len(gram) - 1] += min(times, most[gram]) * log2(counts[prefix] / counts[gram])
        length = sum(map(len, texts)) / len(texts)
        return [len(words), length, *matched, *(max(len(words) - n, 0) for n in range(max_order))]

    return {name: [row(*each) for each in zip(texts, references, most, strict=True)] for name, texts in outputs.items()}
