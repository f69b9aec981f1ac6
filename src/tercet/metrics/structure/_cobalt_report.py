"""The explanation of a UPF-Cobalt score: aligned words, how their contexts differ, what each adds to the score."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...text.marks import Marks, WordLink, mark_links

if TYPE_CHECKING:
    from ...language.sentence import Token
    from .cobalt import CobaltComparison


@dataclass(frozen=True)
class AlignedPair:
    """Two aligned words; positions count from 1.

    dependencies, neighbours: how many words support the pair, in the parse and in the text; `evidence` is their sum.
    output_different, reference_different: relations of the contexts that the other side lacks.
    contribution: similarity minus penalty, at least the metric's `minimum`. raw_penalty: CP of equation 4.5.
    """

    output: int
    reference: int
    output_word: str
    reference_word: str
    output_function: bool
    reference_function: bool
    level: str
    stage: str
    dependencies: int
    neighbours: int
    evidence: float
    output_context: tuple[str, ...]
    output_different: tuple[str, ...]
    reference_context: tuple[str, ...]
    reference_different: tuple[str, ...]
    similarity: float
    raw_penalty: float
    penalty: float
    contribution: float


@dataclass(frozen=True)
class CobaltExplanation:
    """The comparison of an output with the best of its references, whose number counts from 0."""

    reference: int
    precision: float
    recall: float
    pairs: tuple[AlignedPair, ...]
    output_only: tuple[str, ...]
    reference_only: tuple[str, ...]

    def marks(self, output: str, references: Sequence[str]) -> Marks:
        """Return marks on aligned words, with what each adds to the score."""
        links = [
            WordLink([pair.output - 1], [pair.reference - 1], min(max(pair.contribution, 0.0), 1.0), pair.level)
            for pair in self.pairs
        ]
        words = (
            _in_order({pair.output: pair.output_word for pair in self.pairs}, self.output_only),
            _in_order({pair.reference: pair.reference_word for pair in self.pairs}, self.reference_only),
        )
        return mark_links((output, words[0]), (references[self.reference], words[1]), links, self.reference)

    def lines(self) -> list[str]:
        """Return a table of the aligned words, and the words that are not aligned. Function words are in brackets.

        The same relation may differ on both sides, if it holds with words that are not aligned with each other.
        """
        differs = "differs: output", "differs: reference"
        header = ("output", "reference", "level", "evidence", *differs, "penalty", "adds")
        shown = [
            f"reference: number {self.reference + 1}",
            f"precision: {self.precision:.4f}, recall: {self.recall:.4f}",
        ]
        if self.pairs:
            shown += _columns([header, *(_row(pair) for pair in self.pairs)])
        for name, words in (("output", self.output_only), ("reference", self.reference_only)):
            shown.append(f"not aligned in {name}: {' '.join(words) or '(nothing)'}")
        return shown

    def __str__(self) -> str:
        return "\n".join(self.lines())


def explained(comparison: CobaltComparison, reference: int) -> CobaltExplanation:
    """Return the explanation of a comparison; `reference` is the number of the reference, from 0."""
    ours, theirs = comparison.alignment.output.tokens, comparison.alignment.reference.tokens
    links = comparison.alignment.links
    pairs = tuple(
        AlignedPair(
            output=link.output,
            reference=link.reference,
            output_word=ours[link.output - 1].form,
            reference_word=theirs[link.reference - 1].form,
            output_function=comparison.output_functions[link.output - 1],
            reference_function=comparison.reference_functions[link.reference - 1],
            level=link.level,
            stage=link.stage,
            dependencies=link.dependencies,
            neighbours=link.neighbours,
            evidence=link.evidence,
            output_context=difference.output_context,
            output_different=difference.output_different,
            reference_context=difference.reference_context,
            reference_different=difference.reference_different,
            similarity=word.similarity,
            raw_penalty=word.raw,
            penalty=word.penalty,
            contribution=word.contribution,
        )
        for link, difference, word in zip(links, comparison.differences, comparison.words, strict=True)
    )
    return CobaltExplanation(
        reference=reference,
        precision=comparison.precision,
        recall=comparison.recall,
        pairs=pairs,
        output_only=_alone(ours, {link.output for link in links}),
        reference_only=_alone(theirs, {link.reference for link in links}),
    )


def _in_order(aligned: Mapping[int, str], alone: Sequence[str]) -> list[str]:
    """Return all words of a text: those that are aligned by their numbers, and the others between them."""
    others = iter(alone)
    return [aligned[n] if n in aligned else next(others) for n in range(1, len(aligned) + len(alone) + 1)]


def _alone(tokens: Sequence[Token], aligned: set[int]) -> tuple[str, ...]:
    return tuple(token.form for number, token in enumerate(tokens, 1) if number not in aligned)


def _row(pair: AlignedPair) -> tuple[str, ...]:
    return (
        f"({pair.output_word})" if pair.output_function else pair.output_word,
        f"({pair.reference_word})" if pair.reference_function else pair.reference_word,
        pair.level,
        f"{pair.stage} {pair.dependencies}+{pair.neighbours}",
        " ".join(pair.output_different) or "-",
        " ".join(pair.reference_different) or "-",
        f"{pair.penalty:.3f}",
        f"{pair.contribution:.3f}",
    )


def _columns(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
