"""The explanation of a UPF-Cobalt score: aligned words, how their contexts differ, what each adds to the score."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...text.explanations import Alignment, Link, alone_in

if TYPE_CHECKING:
    from .cobalt import CobaltComparison


@dataclass(frozen=True)
class ContextualAlignment(Alignment):
    """The comparison of an output with the best of its references.

    A link's weight is similarity minus penalty, at least the metric's `minimum`. Among its values are `dependencies`
    and `neighbours`, how many words support the pair in the parse and in the text, and `evidence`, their sum;
    `output_different` and `other_different`, relations of the contexts that the other side lacks; `raw_penalty`, CP of
    equation 4.5.
    """

    precision: float = 0.0
    recall: float = 0.0

    def to_dict(self, output: str, other: str, *, brief: bool = False) -> dict[str, object]:
        values = {"values": {"precision": self.precision, "recall": self.recall}}
        return super().to_dict(output, other, brief=brief) | ({} if brief else values)

    def lines(self, other: str = "reference") -> list[str]:
        """Return a table of the aligned words, and the words that are not aligned. Function words are in brackets."""
        differs = "differs: output", "differs: reference"
        header = ("output", "reference", "level", "evidence", *differs, "penalty", "adds")
        shown = [f"precision: {self.precision:.4f}, recall: {self.recall:.4f}"]
        if self.links:
            shown += _columns([header, *map(self._row, self.links)])
        sides = [("output", self.output, [link.output for link in self.links])]
        sides += [("reference", self.other, [link.other for link in self.links])]
        for name, words, positions in sides:
            shown.append(f"not aligned in {name}: {' '.join(alone_in(words, positions)) or '(nothing)'}")
        return shown

    def _row(self, link: Link) -> tuple[str, ...]:
        words, values = (self.output[link.output[0]], self.other[link.other[0]]), link.values
        functions = values["output_function"], values["other_function"]
        return (
            *(f"({word})" if is_function else word for word, is_function in zip(words, functions, strict=True)),
            link.label,
            f"{values['stage']} {values['dependencies']}+{values['neighbours']}",
            " ".join(values["output_different"]) or "-",
            " ".join(values["other_different"]) or "-",
            f"{values['penalty']:.3f}",
            f"{link.weight:.3f}",
        )


def explained(comparison: CobaltComparison) -> ContextualAlignment:
    """Return the explanation of a comparison."""
    ours, theirs = comparison.alignment.output.tokens, comparison.alignment.reference.tokens
    rows = zip(comparison.alignment.links, comparison.differences, comparison.words, strict=True)
    links = [
        Link([link.output - 1], [link.reference - 1], word.contribution, link.level, {
            "output_function": comparison.output_functions[link.output - 1],
            "other_function": comparison.reference_functions[link.reference - 1],
            **{name: getattr(link, name) for name in ("stage", "dependencies", "neighbours", "evidence")},
            "output_context": difference.output_context,
            "output_different": difference.output_different,
            "other_context": difference.reference_context,
            "other_different": difference.reference_different,
            "similarity": word.similarity,
            "raw_penalty": word.raw,
            "penalty": word.penalty,
        })
        for link, difference, word in rows
    ]  # fmt: skip
    words = [token.form for token in ours], [token.form for token in theirs]
    return ContextualAlignment(*words, links, precision=comparison.precision, recall=comparison.recall)


def _columns(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
