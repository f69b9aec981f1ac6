"""What GitHub shows of a comparison: the summary of a run, and the comment on a pull request."""

from collections.abc import Iterator, Sequence
from html import escape

from ...comparing import Comparison, GateVerdict
from ...rendering.document import Document, Heading, Part, Pre, Segments, Table
from ...rendering.tables import number
from .board import comparison_parts
from .summary import answer, score_table

MARK = "<!-- tercet compare -->"  # by which the comment is found when it is written again
LONGEST = 60_000  # characters; GitHub allows 65,536


def summary(verdicts: Sequence[GateVerdict], result: Comparison) -> str:
    """Return verdicts and scores as a short page of Markdown."""
    return Document(_summary_parts(verdicts, result)).render("markdown")


def comment(verdicts: Sequence[GateVerdict], result: Comparison, width: int | None = None) -> str:
    """Return the summary with the segments that decide and the methods, which a click opens."""
    blocks = [MARK, Document(_summary_parts(verdicts, result, width)).render("markdown")]
    for part in comparison_parts(result, "markdown", width):
        if isinstance(part, Segments):
            texts = "\n".join(line for segment in part.segments for line in segment.text())
            block = _folded(part.title, Pre(texts))
            if sum(map(len, blocks)) + len(block) < LONGEST:
                blocks.append(block)
    tests = ", ".join(f"{test} ({result.resamples[test]})" for test in result.tests)
    methods = [*(metric.signature for metric in result.metrics), f"tests: {tests}, seed {result.seed}"]
    return "\n\n".join([*blocks, _folded("Methods", Pre("\n".join(methods)))])


def _summary_parts(verdicts: Sequence[GateVerdict], result: Comparison, width: int | None = None) -> Iterator[Part]:
    failed = sum(verdict.failed for verdict in verdicts)
    said = f"{failed} of {len(verdicts)} conditions failed" if failed else f"all {len(verdicts)} conditions passed"
    yield Heading(f"Translation quality: {said}" if verdicts else "Translation quality")
    yield answer(result)
    yield score_table(result, width)
    if verdicts:
        header = ["Verdict", "Fails if", "System", "Score", "Baseline", "Its score", "p (Holm)"]
        rows = [
            ["❌ failed" if each.failed else "✅ passed", each.condition, each.system, number(each.score, 2),
             each.baseline, number(each.baseline_score, 2), number(each.p_value, 4)]
            for each in verdicts
        ]  # fmt: skip
        yield Table(header, rows)


def _folded(title: str, part: Part) -> str:
    shown = Document([part]).render("markdown")
    return f"<details><summary>{escape(title)}</summary>\n\n{shown}\n\n</details>"
