"""The table of a paper: systems as rows, metrics as columns, best scores in bold, superscripts, a caption."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .tables import Bold, latex_text, markdown_text, number, table

DIGITS = str.maketrans("0123456789+-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻")


@dataclass(frozen=True)
class Column:
    """A metric: its name, direction and signature, and the scores with marks and intervals of all systems.

    marks: what to write as a superscript: a number, "+", "-" or nothing.
    """

    name: str
    higher_is_better: bool | None
    signature: str
    decimals: int
    scores: Sequence[float]
    marks: Sequence[str] = ()
    intervals: Sequence[tuple[float, float]] = ()

    @property
    def title(self) -> str:
        return self.name + {True: " ↑", False: " ↓", None: ""}[self.higher_is_better]

    def cells(self) -> list[str]:
        """Return the printed scores. All that print like the best one are bold."""
        known = [score for score in self.scores if score == score]
        best = None
        if known and self.higher_is_better is not None:
            best = number(max(known) if self.higher_is_better else min(known), self.decimals)
        cells: list[str] = []
        for row, score in enumerate(self.scores):
            text = number(score, self.decimals)
            bold = text == best
            if self.marks:
                text += self.marks[row].translate(DIGITS)
            if self.intervals:
                low, high = (number(bound, self.decimals) for bound in self.intervals[row])
                text += f" ({low} to {high})"
            cells.append(Bold(text) if bold else text)
        return cells


@dataclass(frozen=True)
class PaperTable:
    """The table and the sentences of its caption; signatures follow the caption."""

    systems: Sequence[str]
    columns: Sequence[Column]
    caption: Sequence[str]

    def render(self, form: str) -> str:
        """Return the table in "latex" (with booktabs, as a float) or "markdown"."""
        header = ["System", *(column.title for column in self.columns)]
        rows = [list(row) for row in zip(self.systems, *(column.cells() for column in self.columns), strict=True)]
        tabular = table(header, rows, form)
        signatures = [column.signature for column in self.columns if column.signature]
        if form != "latex":
            listed = "".join(f"- `{signature}`\n" for signature in signatures)
            return f"{tabular}\n\n{markdown_text(' '.join(self.caption))}\n\n{listed}".rstrip()
        shown = [r"\texttt{" + latex_text(each).replace("|", r"|\allowbreak ") + "}" for each in signatures]
        caption = latex_text(" ".join(self.caption)) + (f" Signatures: {'; '.join(shown)}." if shown else "")
        before = [r"% needs \usepackage{booktabs}", r"\begin{table}", r"\centering"]
        after = [rf"\caption{{{caption}}}", r"\label{tab:scores}", r"\end{table}"]
        return "\n".join([*before, tabular, *after])
