"""Fomicheva (2017), "The Role of Human Reference Translation in Machine Translation Evaluation", doctoral thesis,
Universitat Pompeu Fabra.

Chapter 6, on the reference that raters are shown, can be recomputed, because its ratings were published (tradopad).
Table 6.1 needs the 22 complete raters of the analysed file, Tables 6.2 to 6.4 the 20 raters that were published later.
UPF-Cobalt is in `thesis_cobalt` (rankings), `thesis_da` (direct assessment) and `thesis_analyses`; references and
post-edits are in `thesis_references`, and their analogues on public data in `thesis_closer`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

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
from ..printed import check, printed
from ..results import Reproduction, Statement, Unchecked
from ..sources import DataSets

Bools = NDArray[np.bool_]

AS_ANALYSED, AS_PUBLISHED = "thesis_ratings.tsv", "ratings.tsv"
REFERENCES = ("1", "2", "3", "4")
SOURCE = "5"  # the group that was shown the source
KAPPAS = {"Standard": "standard", "Weighted": "linear", "One-off": "one-off"}
WITHIN = 0.006  # for Table 6.3, because the published texts differ from those of the LDC
BLEU = "bleu:variant=mteval"
RESAMPLES = 1000
SLICES = 5
ITEMS = 100
EXAMPLE = "2"  # the output of Table 6.4


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
        """Return the ratings without raters who did not rate all items."""
        whole = ~np.isnan(self.values).any(1)
        return ThesisRatings(self.groups[whole], self.values[whole], self.items)


def _evidence(data: DataSets, name: str) -> Evidence:
    folder = data.needed("tradopad")
    path = next((path for path in (folder / name, folder / f"{name}.gz") if path.is_file()), None)
    if path is None:
        raise DataError(f"{folder} has no {name}.")
    return data.once(path, lambda: open_evidence(path))


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


def _kinds(groups: NDArray[np.str_]) -> dict[str, Bools]:
    """Return the pairs of raters that count in each column of Table 6.1, shape (raters, raters)."""
    equal = groups[:, np.newaxis] == groups
    referred = (groups != SOURCE)[:, np.newaxis] & (groups != SOURCE)
    upper = np.triu(np.ones_like(equal), 1)
    return {
        "Diff. ref.": ~equal & referred & upper,
        "Same ref.": equal & referred & upper,
        "Source": equal & ~referred & upper,
    }


def rater_table(data: DataSets) -> Reproduction:
    """Return Table 6.1: mean kappa of pairs of raters who were shown different references, or the same."""
    everyone = _ratings(data, AS_ANALYSED)
    analysed, published = everyone.complete(), _ratings(data, AS_PUBLISHED)
    cells, unchecked = [], []
    extra: dict[str, dict[str, float]] = {}
    for row, name in KAPPAS.items():
        matrix = kappa_matrix(analysed.values, weights=name)
        for column, pairs in _kinds(analysed.groups).items():
            text = printed("thesis_t6_1").cells[row][column]
            if column != "Source":
                cells.append(check(row, column, text, float(matrix[pairs].mean())))
                continue
            unchecked.append(Unchecked(row, column, float(text), _NO_SOURCE))
        drawn = _drawn_raters(matrix, analysed.groups)
        widths = {column: (values[1] - values[0]) / 2 for column, values in drawn.items()}
        extra[f"{row}, half-width over raters"] = {name: widths[name] for name in ("Diff. ref.", "Same ref.")}
        low, high = drawn["difference"]
        extra[f"{row}, same less different"] = {"lowest": low, "highest": high}
        for who, ratings in (("the 25 published raters", published), ("all raters of the analysed file", everyone)):
            values = kappa_matrix(ratings.values, weights=name)
            kinds = _kinds(ratings.groups)
            extra[f"{row}, {who}"] = {column: float(np.nanmean(values[pairs])) for column, pairs in kinds.items()}
        for column in ("Diff. ref._ci", "Same ref._ci", "Source_ci"):
            half = printed("thesis_t6_1").cells[row][column]
            unchecked.append(Unchecked(row, column, float(half), _NO_HALF_WIDTHS))
    return Reproduction(cells, unchecked, extra=extra, note_values={"resamples": RESAMPLES, "seed": SEED})


_NO_SOURCE = (
    "The five raters who were shown the source give other values in both published files; in the one that was "
    "analysed, two of them rated only half of the items."
)
_NO_HALF_WIDTHS = (
    "It is not known how the printed half-widths were computed: resampling pairs of raters, as described, gives values "
    "about seven times as large."
)


def _drawn_raters(matrix: Floats, groups: NDArray[np.str_]) -> dict[str, tuple[float, float]]:
    """Return 95 % bounds of the mean kappas and of their difference, by resampling raters within their groups."""
    kinds = _kinds(groups)
    people = draw_raters(groups.tolist(), resamples=RESAMPLES, seed=SEED)
    drawn = {column: pair_means(matrix, kinds[column], people) for column in ("Diff. ref.", "Same ref.")}
    drawn["difference"] = drawn["Same ref."] - drawn["Diff. ref."]
    raters = int((groups != SOURCE).sum())
    return {column: bounds(values, raters=raters, strata=len(REFERENCES)) for column, values in drawn.items()}


def rating_table(data: DataSets) -> Reproduction:
    """Return Table 6.2: the mean rating by reference shown."""
    ratings = _ratings(data, AS_PUBLISHED)
    table = printed("thesis_t6_2").cells
    cells = [
        check(row, "Avg", columns["Avg"], float(ratings.of(group).mean()))
        for (row, columns), group in zip(table.items(), REFERENCES, strict=True)
    ]
    return Reproduction(cells, extra={"Source": {"Avg": float(ratings.of(SOURCE).mean())}})


def bleu_table(data: DataSets) -> Reproduction:
    """Return Table 6.3: r of BLEU with each reference (columns) and ratings with each reference (rows)."""
    testset = _evidence(data, AS_PUBLISHED).testset
    if testset is None:
        raise DataError("tradopad has no texts.")
    ratings = _ratings(data, AS_PUBLISHED)
    scored = score_each_reference(testset, [BLEU])
    system = testset.systems[0]
    values = {
        f"Ref{shown}": {
            f"Ref{used}": float(pearson(ratings.of(shown), scored[used][0].segment[system])) for used in REFERENCES
        }
        for shown in REFERENCES
    }
    values["Avg"] = {column: float(np.mean([row[column] for row in values.values()])) for column in values}
    cells = [
        check(row, column, text, values[row][column], within=WITHIN)
        for row, column, text in printed("thesis_t6_3").numbers()
    ]
    largest = max(abs(cell.difference) for cell in cells)
    exception = [name for name in values["Avg"] if max(values, key=lambda row: values[row][name]) != name]
    return Reproduction(
        cells,
        statements=[
            Statement(
                "except for Ref3, a column is highest where humans and BLEU had the same reference",
                exception == ["Ref3"],
                f"exceptions: {', '.join(exception) or 'none'}",
            )
        ],
        decimals=4,
        note_values={"bleu": BLEU, "within": WITHIN, "largest": largest},
    )


def example_ratings_table(data: DataSets) -> Reproduction:
    """Return Table 6.4: the mean ratings of one output, which are in the text below the table."""
    ratings = _ratings(data, AS_PUBLISHED)
    place = list(ratings.items).index(EXAMPLE)
    cells = [
        check(row, "Avg", columns["Avg"], float(ratings.of(group)[place]))
        for (row, columns), group in zip(printed("thesis_t6_4").cells.items(), REFERENCES, strict=True)
    ]
    return Reproduction(cells, decimals=1)


def _slices(data: DataSets) -> tuple[ThesisRatings, list[Floats]]:
    ratings = _ratings(data, AS_ANALYSED).complete()
    referred = ratings.groups != SOURCE
    ratings = ThesisRatings(ratings.groups[referred], ratings.values[referred], ratings.items)
    return ratings, np.split(ratings.values, SLICES, axis=1)


def fatigue_figure(data: DataSets) -> Reproduction:
    """Return Figure 6.2: linear kappa by fifths of the items, in the order of rating."""
    ratings, parts = _slices(data)
    names = [f"{20 * i}-{20 * (i + 1)}" for i in range(SLICES)]
    same, different = [], []
    for part in parts:
        matrix = kappa_matrix(part, weights="linear")
        kinds = _kinds(ratings.groups)
        same.append(float(np.nanmean(matrix[kinds["Same ref."]])))
        different.append(float(np.nanmean(matrix[kinds["Diff. ref."]])))
    gaps = [one - other for one, other in zip(same, different, strict=True)]
    statements = [
        Statement("agreement is always higher with the same reference", min(gaps) > 0, f"by {min(gaps):.3f} or more"),
        Statement("it is highest at 20-40", int(np.argmax(same)) == 1, f"at {names[int(np.argmax(same))]}"),
        Statement(
            "the difference is smallest at 40-60", int(np.argmin(gaps)) == 2, f"at {names[int(np.argmin(gaps))]}"
        ),
    ]
    extra = {
        "Same ref.": dict(zip(names, same, strict=True)), "Diff. ref.": dict(zip(names, different, strict=True))
    }  # fmt: skip
    return Reproduction(statements=statements, extra=extra)


def spread_figure(data: DataSets) -> Reproduction:
    """Return Figure 6.3: the standard deviation of ratings by fifths of the items, mean over raters."""
    _, parts = _slices(data)
    names = [f"{20 * i}-{20 * (i + 1)}" for i in range(SLICES)]
    spread = [float(part.std(axis=1).mean()) for part in parts]
    statement = Statement(
        "ratings vary least at the end",
        int(np.argmin(spread)) == SLICES - 1,
        f"least at {names[int(np.argmin(spread))]}",
    )
    return Reproduction(statements=[statement], extra={"standard deviation": dict(zip(names, spread, strict=True))})
