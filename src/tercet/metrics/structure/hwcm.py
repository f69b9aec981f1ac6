"""HWCM: head-word chains that the output's dependency tree shares with a reference's.

Liu and Gildea (2005), "Syntactic Features for Evaluation of Machine Translation", ACL workshop on intrinsic and
extrinsic evaluation measures. A chain is a path down the tree, each word the head of the next: words in any order in
the text that depend on each other. Giménez and Màrquez (2010), "Linguistic Measures for Automatic Machine Translation
Evaluation", take categories and relations instead of words (of=categories, of=relations); their program Asiya also
scores otherwise (variant=asiya), and Table 4.9 of Fomicheva (2017) has its scores.
"""

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from ...errors import UsageError
from ...language.sentence import Sentence
from .. import Floats, param
from ._trees import Pieces, Tree, TreeMetric, tree

# Limits for chains with gaps, of which a deep tree would have millions: nearest ancestors, and Asiya's length.
NEAREST, LONGEST = 16, 4


@dataclass(frozen=True)
class HWCM(TreeMetric):
    """Precision of head-word chains, 0 to 1: the mean over their lengths.

    of: the elements of a chain: words, categories (parts of speech) or relations.
    lowercase: ignore the case of words.
    length: the longest chain, 1 to 9.
    variant: paper, or asiya: chains may leave out words between, and the score is the chains that are in both texts
        over those that are in either, all lengths together; a system has the mean of its segments.
    """

    length: int = param(4, low=1, high=9)
    variant: str = param("paper", choices=("paper", "asiya"))

    paper = "Liu and Gildea (2005), Syntactic Features for Evaluation of Machine Translation"
    sizes = "length"

    def validate(self) -> None:
        if self.variant == "asiya" and self.length > LONGEST:
            raise UsageError(f"hwcm: with variant=asiya length must be 1 to {LONGEST}, not {self.length}.")

    def pieces(self, sentence: Sentence) -> Pieces:
        found = tree(sentence, self.of, lowercase=self.lowercase)
        return chains(found, self.length) if self.variant == "paper" else gapped_chains(found, self.length)

    def show(self, piece: Any) -> str:
        return " > ".join(piece)

    def count_parsed(self, output: Sentence, references: Sequence[Sentence]) -> Sequence[float]:
        if self.variant == "paper":
            return super().count_parsed(output, references)
        found = self.pieces(output)
        return max(_overlap(found, self.pieces(reference)) for reference in references), 1.0

    def score(self, totals: Floats) -> Floats:
        return super().score(totals) if self.variant == "paper" else totals[..., 0] / totals[..., 1]

    def details(self, totals: Floats) -> dict[str, object]:
        return super().details(totals) if self.variant == "paper" else {}

    def verbose(self, totals: Floats) -> str:
        return super().verbose(totals) if self.variant == "paper" else ""


def chains(found: Tree, length: int) -> Pieces:
    """Return the chains of each length: every word ends one of each length up to its depth."""
    labels, heads = found
    ending: list[tuple[str, ...]] = [(name,) for name in labels]
    counted: Pieces = [Counter(ending)]
    above = heads  # the head of each chain's first word
    for _ in range(1, length):
        ending = [(labels[at], *chain) if at >= 0 else () for at, chain in zip(above, ending, strict=True)]
        above = [heads[at] if at >= 0 else -1 for at in above]
        counted.append(Counter(filter(None, ending)))
    return counted


def gapped_chains(found: Tree, length: int) -> Pieces:
    """Return the chains of each length in which each word is an ancestor of the next, not always its head."""
    labels, heads = found
    counted: Pieces = [Counter() for _ in range(length)]
    for last, name in enumerate(labels):
        above: list[str] = []
        at = heads[last]
        while at >= 0 and len(above) < NEAREST:
            above.append(labels[at])
            at = heads[at]
        above.reverse()
        for size, counts in enumerate(counted):
            counts.update((*chain, name) for chain in combinations(above, size))
    return counted


def _overlap(first: Sequence[Counter[Hashable]], second: Sequence[Counter[Hashable]]) -> float:
    """Return the number of common chains over that of all chains, all lengths together."""
    common = sum((ours & theirs).total() for ours, theirs in zip(first, second, strict=True))
    either = sum((ours | theirs).total() for ours, theirs in zip(first, second, strict=True))
    return common / either if either else 0.0
