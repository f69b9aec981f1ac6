"""Paraphrases with a gap, derived from a table of plain ones.

Where two phrases of a table have the same words inside, as in protect them from, protect them against, what is around
these words is a paraphrase with a gap: protect … from, protect … against. It counts if the table has it with two
different insides, and if both sides have a word that is not among the most frequent of the table: of … and, in … and
says nothing. This stands in for the syntactic paraphrases of Guo and Hu (2019), "Meteor++ 2.0", which come from PPDB.
"""

from collections import Counter
from collections.abc import Iterable

GAP = " … "
LEAST = 2  # insides
LONGEST = 3  # words before or after a gap; longer ones are rare, and slow to look for
FREQUENT = 100  # words that do not make a paraphrase by themselves
RULES = f"gaps-{LEAST}-{LONGEST}-{FREQUENT}"  # in the name under which derived paraphrases are kept


def derive(pairs: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return the pairs of phrases with a gap that these pairs of phrases show, sorted."""
    words: Counter[str] = Counter()
    found: Counter[tuple[str, str]] = Counter()
    for first, second in pairs:
        left, right = first.split(), second.split()
        words.update(left + right)
        if len(left) > 2 and len(right) > 2 and (pair := _around(left, right)):
            found[pair] += 1
    frequent = {word for word, _ in words.most_common(FREQUENT)} | {GAP.strip()}

    def is_telling(side: str) -> bool:
        return not frequent.issuperset(side.split()) and all(part.count(" ") < LONGEST for part in side.split(GAP))

    return sorted(pair for pair, number in found.items() if number >= LEAST and all(map(is_telling, pair)))


def _around(left: list[str], right: list[str]) -> tuple[str, str] | None:
    """Return what is around the longest run of words inside both phrases; None if there is none, or it is the same."""
    longest, place, other = 0, 0, 0
    for i in range(1, len(left) - 1):
        for j in range(1, len(right) - 1):
            length = 0
            while i + length < len(left) - 1 and j + length < len(right) - 1 and left[i + length] == right[j + length]:
                length += 1
            if length > longest:
                longest, place, other = length, i, j
    first, second = (
        " ".join(words[:begin]) + GAP + " ".join(words[begin + longest :])
        for words, begin in ((left, place), (right, other))
    )
    return (first, second) if longest and first != second else None
