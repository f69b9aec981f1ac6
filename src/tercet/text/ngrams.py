"""What matched and what did not, for people: the n-grams of one segment, as lists of strings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

Gram = tuple[str, ...]


def count_ngrams(units: Sequence[str], n: int) -> Counter[Gram]:
    """How often each n-gram occurs."""
    return Counter(zip(*(units[i:] for i in range(n)), strict=False))


def compare_ngrams(
    output: Sequence[str], references: Sequence[Sequence[str]], max_order: int, *, join: str = " "
) -> list[dict[str, Any]]:
    """For each order how many n-grams of the output match (clipped as in BLEU), and which do and do not."""
    found = []
    for n in range(1, max_order + 1):
        mine = count_ngrams(output, n)
        allowed: Counter[Gram] = Counter()
        for reference in references:
            allowed |= count_ngrams(reference, n)
        matched = mine & allowed
        found.append(
            {
                "n": n,
                "matches": matched.total(),
                "total": mine.total(),
                "matched": [join.join(gram) for gram in matched],
                "unmatched": [join.join(gram) for gram in mine - allowed],
            }
        )
    return found


def longest_matches(output: Sequence[str], reference: Sequence[str], max_order: int) -> list[int]:
    """For each unit of the output the length of the longest n-gram around it that the reference has too, 0 for none."""
    longest = [0] * len(output)
    for n in range(1, max_order + 1):
        known = count_ngrams(reference, n)
        for i, gram in enumerate(zip(*(output[j:] for j in range(n)), strict=False)):
            if gram in known:
                longest[i : i + n] = [max(n, length) for length in longest[i : i + n]]
    return longest
