"""Fomicheva (2017), "The Role of Human Reference Translation in Machine Translation Evaluation", doctoral thesis,
Universitat Pompeu Fabra.

Chapter 6, on the reference that raters are shown, can be recomputed, because its ratings were published (tradopad).
Table 6.1 needs the 22 complete raters of the analysed file, Tables 6.2 to 6.4 the 20 raters that were published later.
The tables of UPF-Cobalt that can be recomputed are in `thesis_cobalt`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..data.evidence import Evidence, open_evidence
from ..errors import DataError
from ..scoring import score_each_reference
from ..stats.agreement import kappa_matrix
from ..stats.correlation import pearson
from ..stats.raters import bounds, draw_raters, pair_means
from ..stats.resampling import SEED
from . import DataSets, PaperTable, Reproduction, Statement, Unchecked, check, printed
from .thesis_cobalt import ablation_table, example_table, tau_table

Floats = NDArray[np.float64]
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


def _agreement(data: DataSets) -> Reproduction:
    """Return Table 6.1: mean kappa of pairs of raters who were shown different references, or the same."""
    everyone = _ratings(data, AS_ANALYSED)
    analysed, published = everyone.complete(), _ratings(data, AS_PUBLISHED)
    cells, unchecked, notes = [], [], []
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
    notes.append(
        "22 complete raters (6, 6, 5 and 5 by reference) make 181 pairs with different references and 50 with the "
        "same. The text mentions 20 raters; the 20 published raters give other numbers (shown for comparison)."
    )
    notes.append(
        f"Half-widths over raters: of 95 % intervals from {RESAMPLES} resamples of raters within their groups, seed "
        f"{SEED}, widened for few raters (Hesterberg 2015), as tercet agree prints them. Pairs that share a rater are "
        "not independent. Resampling pairs, as in the thesis, makes intervals too narrow; the printed ones are even "
        "narrower. If the interval of the difference contains 0, other raters might not show a difference."
    )
    return Reproduction(cells, unchecked, notes=notes, extra=extra)


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


def _averages(data: DataSets) -> Reproduction:
    """Return Table 6.2: the mean rating by reference shown."""
    ratings = _ratings(data, AS_PUBLISHED)
    table = printed("thesis_t6_2").cells
    cells = [
        check(row, "Avg", columns["Avg"], float(ratings.of(group).mean()))
        for (row, columns), group in zip(table.items(), REFERENCES, strict=True)
    ]
    return Reproduction(cells, extra={"Source": {"Avg": float(ratings.of(SOURCE).mean())}})


def _bleu(data: DataSets) -> Reproduction:
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
        notes=[
            f"Rows: the reference that raters were shown; columns: the reference of {BLEU}. Cells within {WITHIN} "
            f"count as equal; the largest difference is {largest:.4f}. The remaining differences are due to the texts: "
            "mteval itself gives the same, and the published texts differ from those of the LDC in some characters.",
            "The text quotes .1743 for humans with Ref3 and BLEU with Ref4. In the table, and here, it is the other "
            "way round.",
        ],
        decimals=4,
    )


def _example(data: DataSets) -> Reproduction:
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


def _fatigue(data: DataSets) -> Reproduction:
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


def _spread(data: DataSets) -> Reproduction:
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


_EAMT = "It needs the EAMT09 or EAMT11 data with its references, which are not available."
_WMT16 = "It needs the texts and segment scores of WMT13, WMT15 or WMT16, which are not available."
_ABLATION = "It needs the texts of WMT15 or WMT16, which are not available; Table A.7 has an ablation on WMT14."
_ALIGNMENTS = (
    "It needs the texts of WMT16, which are not available; for any test set use 'tercet alignments --table {}'."
)
_DATA = ("tradopad",)
_WMT14 = ("wmt14",)
TABLES: Mapping[str, PaperTable] = {
    "3.1": PaperTable("BLEU with one and with several references", "thesis_t3_1", reason=_EAMT),
    "3.2": PaperTable("shares of changed sentences", "thesis_t3_2", reason=_EAMT),
    "3.3": PaperTable("mean ratings and BLEU", "thesis_t3_3", reason=_EAMT),
    "3.4": PaperTable("precision and recall of transformation rules", "thesis_t3_4", reason=_EAMT),
    "3.7": PaperTable("scores with references and with post-edits", "thesis_t3_7", reason=_EAMT),
    "3.8": PaperTable("scores by original language", "thesis_t3_8", reason=_EAMT),
    "4.2": PaperTable("F1 of aligners", "thesis_t4_2", reason="It needs the MSR alignments, which are not available."),
    "4.9": PaperTable("scores of two examples", "thesis_t4_9", (), example_table),
    "4.10": PaperTable("tau, averages of WMT13 to WMT16", "thesis_t4_10", reason=_WMT16),
    "4.11": PaperTable(
        "Pearson's r, MTC-P4", "thesis_t4_11", reason="It needs the LDC's MTC-P4, which is not available."
    ),
    "4.12": PaperTable("Pearson's r, WMT16 DA", "thesis_t4_12", reason=_WMT16),
    "4.13": PaperTable("kinds of lexical matches", "thesis_t4_13", reason=_ALIGNMENTS.format("matches")),
    "4.14": PaperTable("mean context penalty", "thesis_t4_14", reason=_ALIGNMENTS.format("penalties")),
    "4.15": PaperTable("ablation, WMT16 DA", "thesis_t4_15", reason=_ABLATION),
    "4.16": PaperTable("ablation, WMT16 rankings", "thesis_t4_16", reason=_ABLATION),
    "4.19": PaperTable(
        "scores changed by equivalent dependencies", "thesis_t4_19", reason=_ALIGNMENTS.format("equivalence")
    ),
    "4.20": PaperTable("agreement of people and of a metric, WMT15", "thesis_t4_20", reason=_WMT16),
    "4.21": PaperTable("ablation by quality, WMT16 DA", "thesis_t4_21", reason=_ABLATION),
    "5.2": PaperTable("unknown words per sentence", "thesis_t5_2", reason=_WMT16),
    "5.3": PaperTable("WMT16 rankings and DA", "thesis_t5_3", reason=_WMT16),
    "5.5": PaperTable("tau, WMT15", "thesis_t5_5", reason=_WMT16),
    "5.6": PaperTable("groups of fluency features", "thesis_t5_6", reason=_WMT16),
    "6.1": PaperTable("kappa by reference shown", "thesis_t6_1", _DATA, _agreement),
    "6.2": PaperTable("mean ratings by reference shown", "thesis_t6_2", _DATA, _averages),
    "6.3": PaperTable("Pearson's r of BLEU and ratings, by references", "thesis_t6_3", _DATA, _bleu),
    "6.4": PaperTable("mean ratings of an example", "thesis_t6_4", _DATA, _example),
    "figure 6.2": PaperTable("kappa by stages of rating", None, _DATA, _fatigue),
    "figure 6.3": PaperTable("spread of ratings by stages of rating", None, _DATA, _spread),
    "A.1": PaperTable("tau, WMT16", "thesis_tA_1", reason=_WMT16),
    "A.2": PaperTable("tau, WMT15", "thesis_tA_2", reason=_WMT16),
    "A.3": PaperTable("tau, WMT14", "thesis_tA_3", _WMT14, tau_table, slow=True),
    "A.4": PaperTable("tau, WMT13", "thesis_tA_4", reason=_WMT16),
    "A.5": PaperTable("ablation, WMT16 rankings", "thesis_tA_5", reason=_ABLATION),
    "A.6": PaperTable("ablation, WMT15 rankings", "thesis_tA_6", reason=_ABLATION),
    "A.7": PaperTable("ablation, WMT14 rankings", "thesis_tA_7", _WMT14, ablation_table, slow=True),
    "A.8": PaperTable("Pearson's r, WMT16 DA", "thesis_tA_8", reason=_WMT16),
    "A.9": PaperTable("Pearson's r by quality, WMT16 DA", "thesis_tA_9", reason=_WMT16),
}
