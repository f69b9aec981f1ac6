"""Fomicheva (2017), "The Role of Human Reference Translation in Machine Translation Evaluation", doctoral thesis,
Universitat Pompeu Fabra.

Chapter 6, on the reference that raters are shown, can be recomputed, because its ratings were published (tradopad).
Table 6.1 needs the 22 complete raters of the analysed file, Tables 6.2 to 6.4 the 20 raters that were published later.
UPF-Cobalt is in `thesis_cobalt` (rankings), `thesis_da` (direct assessment) and `thesis_analyses`; references and
post-edits are in `thesis_references`, and their analogues on public data in `thesis_closer`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ....data.evidence import Evidence, open_evidence
from ....errors import DataError
from ....scoring import score_each_reference
from ....stats.agreement import kappa_matrix
from ....stats.correlation import pearson
from ....stats.raters import bounds, draw_raters, pair_means
from ....stats.resampling import SEED
from ....types import Floats
from ..printed import compare
from ..results import Reproduction, Statement
from ..sources import DataSets, file_in, once

Bools = NDArray[np.bool_]

AS_ANALYSED, AS_PUBLISHED = "thesis_ratings.tsv", "ratings.tsv"
REFERENCES = ("1", "2", "3", "4")
SOURCE = "5"  # the group that was shown the source
KAPPAS = {"Standard": "standard", "Weighted": "linear", "One-off": "one-off"}
WITHIN = 0.006  # for Table 6.3, because the published texts differ from those of the LDC
BLEU = "bleu:variant=mteval"
RESAMPLES = 1000
STAGES = [f"{start}-{start + 20}" for start in range(0, 100, 20)]  # of the items, in the order of rating
ITEMS = 100
EXAMPLE = "2"  # the output of Table 6.4
NO_SOURCE = (
    "The five raters who were shown the source give other values in both published files; in the one that was "
    "analysed, two of them rated only half of the items."
)
NO_HALF_WIDTHS = (
    "It is not known how the printed half-widths were computed: resampling pairs of raters, as described, gives values "
    "about seven times as large."
)


@dataclass(frozen=True)
class ThesisRatings:
    """Ratings of the same outputs by raters who were shown different references: values, shape (raters, items)."""

    groups: NDArray[np.str_]  # (raters,): the reference that each rater was shown
    values: Floats
    items: Sequence[str]

    def of(self, group: str) -> Floats:
        """Return the mean ratings of the items by one group, shape (items,)."""
        means: Floats = self.values[self.groups == group].mean(0)
        return means

    def complete(self) -> ThesisRatings:
        whole = ~np.isnan(self.values).any(1)
        return ThesisRatings(self.groups[whole], self.values[whole], self.items)

    def kappas(self, kind: str) -> tuple[Floats, dict[str, float]]:
        """Return kappa of all pairs of raters, and its mean over the pairs of each column of Table 6.1."""
        matrix = kappa_matrix(self.values, weights=kind)
        means = {name: float(np.nanmean(matrix[pairs])) for name, pairs in self.pairs().items() if pairs.any()}
        return matrix, means

    def pairs(self) -> dict[str, Bools]:
        """Return the pairs of raters that count in each column of Table 6.1, shape (raters, raters)."""
        equal = self.groups[:, np.newaxis] == self.groups
        referred = (self.groups != SOURCE)[:, np.newaxis] & (self.groups != SOURCE)
        upper = np.triu(np.ones_like(equal), 1)
        return {
            "Diff. ref.": ~equal & referred & upper,
            "Same ref.": equal & referred & upper,
            "Source": equal & ~referred & upper,
        }


@once
def _evidence(data: DataSets, name: str) -> Evidence:
    return open_evidence(file_in(data.needed("tradopad"), name))


def _ratings(data: DataSets, name: str) -> ThesisRatings:
    evidence = _evidence(data, name)
    rows = [row for judgements in evidence.judgements for row in judgements.rows]
    raters = {key: i for i, key in enumerate(sorted({(row.reference or "", row.rater) for row in rows}))}
    items = {name: i for i, name in enumerate(evidence.segments)}
    values = np.full((len(raters), len(items)), np.nan)
    for row in rows:  # if a rater saw an item again, the last rating counts
        values[raters[row.reference or "", row.rater], items[row.segment]] = row.value
    found = ThesisRatings(np.array([group for group, _ in raters]), values, tuple(items))
    lacking = sorted({*REFERENCES} - {*found.complete().groups.tolist()})
    if len(items) != ITEMS or lacking:
        missing = f"nobody who was shown reference {' or '.join(lacking)} judged all outputs"
        missing = missing if len(items) == ITEMS else f"it has {len(items)} outputs, but the thesis has {ITEMS}"
        raise DataError(f"{data.needed('tradopad') / name} is not complete: {missing}.")
    return found


def rater_table(data: DataSets) -> Reproduction:
    """Return Table 6.1: mean kappa of pairs of raters who were shown different references, or the same."""
    everyone = _ratings(data, AS_ANALYSED)
    analysed, published = everyone.complete(), _ratings(data, AS_PUBLISHED)
    values, extra = {}, {}
    for row, name in KAPPAS.items():
        matrix, values[row] = analysed.kappas(name)
        values[row].pop("Source", None)
        *drawn, (low, high) = _drawn_raters(matrix, analysed)
        widths = [(above - below) / 2 for below, above in drawn]
        extra[f"{row}, half-width over raters"] = dict(zip(values[row], widths, strict=True))
        extra[f"{row}, same less different"] = {"lowest": low, "highest": high}
        extra[f"{row}, the 25 published raters"] = published.kappas(name)[1]
        extra[f"{row}, all raters of the analysed file"] = everyone.kappas(name)[1]
    return compare(
        "thesis_t6_1", values, lambda _, column: NO_SOURCE if column == "Source" else NO_HALF_WIDTHS, must=True,
        extra=extra, note_values={"resamples": RESAMPLES, "seed": SEED},
    )  # fmt: skip


def _drawn_raters(matrix: Floats, ratings: ThesisRatings) -> list[tuple[float, float]]:
    """Return 95 % bounds of the mean kappas (different, same) and of their difference, by resampling raters."""
    people = draw_raters(ratings.groups.tolist(), resamples=RESAMPLES, seed=SEED)
    different, same, _ = (pair_means(matrix, pairs, people) for pairs in ratings.pairs().values())
    raters = int((ratings.groups != SOURCE).sum())
    return [bounds(drawn, raters=raters, strata=len(REFERENCES)) for drawn in (different, same, same - different)]


def rating_table(data: DataSets) -> Reproduction:
    """Return Table 6.2: the mean rating by reference shown."""
    ratings = _ratings(data, AS_PUBLISHED)
    values = {f"Ref{group}": {"Avg": float(ratings.of(group).mean())} for group in REFERENCES}
    extra = {"Source": {"Avg": float(ratings.of(SOURCE).mean())}}
    return compare("thesis_t6_2", values, must=True, extra=extra)


def bleu_table(data: DataSets) -> Reproduction:
    """Return Table 6.3: r of BLEU with each reference (columns) and ratings with each reference (rows)."""
    testset = _evidence(data, AS_PUBLISHED).testset
    if testset is None:
        raise DataError("tradopad has no texts.")
    ratings = _ratings(data, AS_PUBLISHED)
    scored = score_each_reference(testset, [BLEU])
    bleu = {used: scored[used][0].segment[testset.systems[0]] for used in REFERENCES}
    values = {
        f"Ref{shown}": {f"Ref{used}": float(pearson(ratings.of(shown), scores)) for used, scores in bleu.items()}
        for shown in REFERENCES
    }
    values["Avg"] = {column: float(np.mean([row[column] for row in values.values()])) for column in values}
    found = compare("thesis_t6_3", values, how=lambda row, column: {"within": WITHIN}, must=True, decimals=4)
    largest = max(abs(cell.difference) for cell in found.cells)
    exception = [name for name in values["Avg"] if max(values, key=lambda row: values[row][name]) != name]
    said = "except for Ref3, a column is highest where humans and BLEU had the same reference"
    statement = Statement(said, exception == ["Ref3"], f"exceptions: {', '.join(exception) or 'none'}")
    return replace(found, statements=[statement], note_values={"bleu": BLEU, "within": WITHIN, "largest": largest})


def example_ratings_table(data: DataSets) -> Reproduction:
    """Return Table 6.4: the mean ratings of one output, which are in the text below the table."""
    ratings = _ratings(data, AS_PUBLISHED)
    place = list(ratings.items).index(EXAMPLE)
    values = {f"Ref{group}": {"Avg": float(ratings.of(group)[place])} for group in REFERENCES}
    return compare("thesis_t6_4", values, must=True, decimals=1)


def _stages(data: DataSets) -> list[ThesisRatings]:
    """Return the ratings by complete raters who were shown a reference, by fifths of the items."""
    ratings = _ratings(data, AS_ANALYSED).complete()
    referred = ratings.groups != SOURCE
    parts = np.split(ratings.values[referred], len(STAGES), axis=1)
    return [ThesisRatings(ratings.groups[referred], part, ()) for part in parts]


def fatigue_figure(data: DataSets) -> Reproduction:
    """Return Figure 6.2: linear kappa by fifths of the items, in the order of rating."""
    means = [part.kappas("linear")[1] for part in _stages(data)]
    same, different = ([mean[column] for mean in means] for column in ("Same ref.", "Diff. ref."))
    gaps = [one - other for one, other in zip(same, different, strict=True)]
    highest, smallest = STAGES[int(np.argmax(same))], STAGES[int(np.argmin(gaps))]
    statements = [
        Statement("agreement is always higher with the same reference", min(gaps) > 0, f"by {min(gaps):.3f} or more"),
        Statement("it is highest at 20-40", highest == "20-40", f"at {highest}"),
        Statement("the difference is smallest at 40-60", smallest == "40-60", f"at {smallest}"),
    ]
    extra = {"Same ref.": dict(zip(STAGES, same, strict=True)), "Diff. ref.": dict(zip(STAGES, different, strict=True))}
    return Reproduction(statements=statements, extra=extra)


def spread_figure(data: DataSets) -> Reproduction:
    """Return Figure 6.3: the standard deviation of ratings by fifths of the items, mean over raters."""
    spread = {stage: float(part.values.std(axis=1).mean()) for stage, part in zip(STAGES, _stages(data), strict=True)}
    least = min(spread, key=spread.__getitem__)
    statement = Statement("ratings vary least at the end", least == STAGES[-1], f"least at {least}")
    return Reproduction(statements=[statement], extra={"standard deviation": spread})
