"""`--style paper` of `tercet score` and `tercet compare`: systems as rows, metrics as columns, best scores in bold."""

from collections.abc import Sequence
from dataclasses import dataclass

from ...comparing import Comparison, MetricResult
from ...data.scores import Scores
from ...rendering.tables import Bold, latex_text, markdown_text, number, table
from ...stats import Comparisons
from ...stats.paired import resamples_made, test_name

ALPHA = 0.05  # of the tests of `score`
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


def scores_table(
    scores: Sequence[Scores], tests: Sequence[Comparisons] | None, width: int | None, *, intervals: bool
) -> PaperTable:
    """Return the table of scores, with marks of the paired test where one was made."""
    systems = scores[0].systems
    columns = []
    for place, item in enumerate(scores):
        values = [item.system[system] for system in systems]
        marks = []
        if tests:
            worth = -1 if item.higher_is_better is False else 1
            signs = ["+" if worth * (value - values[0]) > 0 else "-" for value in values]
            significant = [False, *(tests[place].p_value[0][1:] < ALPHA)]
            marks = [sign if is_sure else "" for sign, is_sure in zip(signs, significant, strict=True)]
        bounds = [(item.interval[s].low, item.interval[s].high) for s in systems] if intervals else []
        decimals = item.metric.decimals if width is None else width
        columns.append(Column(item.label, item.higher_is_better, item.signature, decimals, values, marks, bounds))
    caption = [_subject(scores[0].n_segments, len(scores[0].provenance.get("references", ()))), _bold(columns)]
    if intervals:
        level = next(iter(scores[0].interval.values())).confidence
        caption.append(f"In brackets: {100 * level:g}% bootstrap intervals.")
    if tests:
        test = _tested(tests[0].test, tests[0].n, tests[0].resamples, ALPHA)
        caption.append(_marked(systems[0], f"{test}, not corrected for several comparisons"))
    return PaperTable(systems, columns, [part for part in caption if part])


def comparison_table(result: Comparison, references: int, width: int | None, *, intervals: bool) -> PaperTable:
    """Return the table of a comparison: marks against the baseline, or clusters where all pairs were compared."""
    first = result.metrics[0]
    columns = [
        Column(
            metric.name,
            metric.higher_is_better,
            metric.signature,
            metric.decimals if width is None else width,
            [system.score for system in metric.systems],
            [_mark(result, metric, system.system, system.cluster) for system in metric.systems],
            [(system.ci_low, system.ci_high) for system in metric.systems] if intervals else [],
        )
        for metric in result.metrics
    ]
    several = any(len(metric.pairs) > 1 for metric in result.metrics)
    test = _tested(result.decisive, result.n_segments, result.resamples[result.decisive], result.alpha)
    test += ", Holm's correction" * several
    caption = [_subject(first.n_segments, references), _bold(columns)]
    if intervals:
        caption.append(f"In brackets: {100 * result.confidence:g}% bootstrap intervals.")
    if result.baseline is not None:
        caption.append(_marked(result.baseline, test))
    elif any(metric.clusters for metric in result.metrics):
        caption.append(
            "Superscripts: clusters; every system of one is significantly better than every system of those "
            f"after it ({test})."
        )
    return PaperTable([system.system for system in first.systems], columns, [part for part in caption if part])


def _mark(result: Comparison, metric: MetricResult, system: str, cluster: int | None) -> str:
    if result.baseline is None:
        return "" if cluster is None else str(cluster)
    if system == result.baseline:
        return ""
    pair = metric.pair(system, result.baseline)
    better = pair.better(metric.higher_is_better) if result.is_significant(pair) else None
    return "" if better is None else "+" if better == system else "-"


def _tested(test: str, n: int, resamples: int, alpha: float) -> str:
    return f"{test_name(test, n)}, {resamples_made(test, n, resamples)}, p < {alpha:g}"


def _subject(segments: int, references: int) -> str:
    against = f", {references} reference{'s' * (references != 1)}" if references else ""
    return f"Scores on {segments} segments{against}."


def _bold(columns: Sequence[Column]) -> str:
    return "Best scores in bold." if any(column.higher_is_better is not None for column in columns) else ""


def _marked(baseline: str, test: str) -> str:
    return f"⁺ and ⁻: significantly better and worse than {baseline} ({test})."
