"""What metrics on pieces of dependency trees share: the labels of words, and clipped precision by size.

Liu and Gildea (2005), "Syntactic Features for Evaluation of Machine Translation": where BLEU counts n-grams, these
metrics count pieces of the output's tree that a reference's tree has too.
"""

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ...language.backends import Backend
from ...language.sentence import Sentence, Token
from ...text.explanations import Group, Matches, Seen
from .. import Floats, ParsedMetric, param

KINDS = ("words", "categories", "relations")
Pieces = list[Counter[Hashable]]  # how often each piece occurs, by size: those of size 1 first


class Tree(NamedTuple):
    """One or more dependency trees: the labels of the words in text order, and the positions of their heads."""

    labels: list[str]
    heads: list[int]  # positions in `labels`; -1 for a root


def label(token: Token, of: str, *, lowercase: bool) -> str:
    """Return the label of a word: itself, its category or its relation; empty if the parser gives none."""
    if of == "words":
        return token.form.lower() if lowercase else token.form
    return token.upos or token.xpos if of == "categories" else token.relation


def tree(sentence: Sentence, of: str, *, lowercase: bool) -> Tree:
    """Return the parser's tree without the words that have no label; a word without its head is a root."""
    labels = [label(token, of, lowercase=lowercase) for token in sentence.tokens]
    if all(labels):
        return Tree(labels, [(token.head or 0) - 1 for token in sentence.tokens])
    places, kept = [-1], 0  # of each word, from 1; 0 is the root
    for name in labels:
        places.append(kept if name else -1)
        kept += bool(name)
    heads = [places[token.head or 0] for token, name in zip(sentence.tokens, labels, strict=True) if name]
    return Tree([name for name in labels if name], heads)


@dataclass(frozen=True)
class PieceMatches(Matches):
    """Pieces of the output's tree that a reference has too."""

    def lines(self, other: str = "reference") -> list[str]:
        return self.group_lines() + [f"words: {' '.join(self.output)}"] * bool(self.output)


@dataclass(frozen=True)
class TreeMetric(ParsedMetric):
    """Clipped precision of the output's pieces against the references, as the mean over sizes.

    A size that neither the output nor the references have is left out of the mean. The paper divides by all sizes, so
    that a short sentence could not score 1 against itself.
    """

    of: str = param("words", choices=KINDS, noun="kind of label")
    lowercase: bool = True

    explains = (Matches,)
    sizes: ClassVar[str] = ""  # the name of the parameter with the largest size

    @property
    def largest(self) -> int:
        return int(getattr(self, self.sizes))

    def pieces(self, sentence: Sentence) -> Pieces:
        raise NotImplementedError

    def show(self, piece: object) -> str:
        raise NotImplementedError

    def count_parsed(self, output: Sentence, references: Sequence[Sentence]) -> Sequence[float]:
        """Count by size: matches, pieces of the output, pieces of the reference that has the fewest."""
        found, expected = self.pieces(output), [self.pieces(reference) for reference in references]
        matches = [
            sum(min(times, most) for piece, times in ours.items() if (most := max(each[piece] for each in theirs)))
            for ours, *theirs in zip(found, *expected, strict=True)
        ]
        fewest = [min(each.total() for each in theirs) for theirs in zip(*expected, strict=True)]
        return [*matches, *(ours.total() for ours in found), *fewest]

    def score(self, totals: Floats) -> Floats:
        precisions, present = self._precisions(totals)
        summed = np.zeros(totals.shape[:-1])
        for size in range(self.largest):
            summed = summed + precisions[..., size]
        return np.asarray(summed / np.maximum(present.sum(-1), 1))

    def _precisions(self, totals: Floats) -> tuple[Floats, Any]:
        """Return by size the precision, and whether output or reference have any piece."""
        n = self.largest
        matches, found, expected = totals[..., :n], totals[..., n : 2 * n], totals[..., 2 * n :]
        return matches / np.maximum(found, 1), (found > 0) | (expected > 0)

    def details(self, totals: Floats) -> dict[str, Any]:
        n = self.largest
        return {
            "matches": totals[:n].astype(int).tolist(),
            "totals": totals[n : 2 * n].astype(int).tolist(),
            "precisions": self._precisions(totals)[0].tolist(),
        }

    def verbose(self, totals: Floats) -> str:
        return "/".join(f"{precision:.3f}" for precision in self._precisions(totals)[0])

    def explain_segment(self, opened: Backend, output: str, references: Sequence[str], source: str | None) -> Seen:
        parsed, *parsed_references = self.parse_texts([output, *references], opened)
        first, *others = map(self.pieces, [parsed, *parsed_references])
        rows = []
        largest: dict[str, int] = {}  # piece with a label
        for size, (ours, *theirs) in enumerate(zip(first, *others, strict=True), 1):
            common = {piece: min(times, max(each[piece] for each in theirs)) for piece, times in ours.items()}
            largest |= dict.fromkeys(
                (name for piece, times in common.items() if times for name in _labels(piece)), size
            )
            missed = ours - Counter(common)
            rows.append(Group(size, self._shown(common), self._shown(missed), sum(common.values()), sum(ours.values())))
        counts = np.array(self.count_parsed(parsed, parsed_references), dtype=np.float64)
        words: Sequence[str] = ()
        if self.of == "words" and hasattr(parsed, "tokens"):
            words = tree(parsed, self.of, lowercase=self.lowercase).labels
        sizes = [largest.get(word, 0) for word in words], ()
        return Seen(float(self.score(counts)), [PieceMatches(words, (), sizes, self.largest, rows, "size {}")], 0)

    def _shown(self, pieces: Mapping[Any, int]) -> list[str]:
        return [self.show(piece) for piece, times in pieces.items() for _ in range(times)]


def _labels(piece: object) -> Iterator[str]:
    """Yield the labels in a piece, which is a label or has pieces as its parts."""
    if isinstance(piece, str):
        yield piece
    elif isinstance(piece, tuple):
        for part in piece:
            yield from _labels(part)
