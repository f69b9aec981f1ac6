"""N-grams of one segment as strings, to show which matched and which did not."""

from collections import Counter
from collections.abc import Sequence

from .explanations import Group

Gram = tuple[str, ...]


def count_ngrams(units: Sequence[str], n: int) -> Counter[Gram]:
    """Return the count of each n-gram."""
    return Counter(zip(*(units[i:] for i in range(n)), strict=False))


def compare_ngrams(
    output: Sequence[str], references: Sequence[Sequence[str]], max_order: int, *, join: str = " "
) -> list[Group]:
    """Return for each order the matched (clipped as in BLEU) and unmatched n-grams of the output, and their numbers."""
    found = []
    for n in range(1, max_order + 1):
        mine = count_ngrams(output, n)
        allowed: Counter[Gram] = Counter()
        for reference in references:
            allowed |= count_ngrams(reference, n)
        matched = mine & allowed
        missed = mine - allowed
        found.append(Group(n, [*map(join.join, matched)], [*map(join.join, missed)], matched.total(), mine.total()))
    return found


def longest_matches(output: Sequence[str], reference: Sequence[str], max_order: int) -> list[int]:
    """Return for each unit of the output the length of its longest n-gram that is in the reference; 0 for none."""
    longest = [0] * len(output)
    for n in range(1, max_order + 1):
        known = set(zip(*(reference[j:] for j in range(n)), strict=False))
        found = [i for i, gram in enumerate(zip(*(output[j:] for j in range(n)), strict=False)) if gram in known]
        if not found:
            break
        for i in found:
            longest[i : i + n] = [n] * n  # longer than what was found before
    return longest
