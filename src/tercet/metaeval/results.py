"""The results of `judge` and `judge_pairs`: one verdict per metric, with everything needed to repeat it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import isnan
from typing import Any

from ..data.display import Tabular, html_table
from ..errors import UnknownName
from ..types import Floats

# Of the rows, what tables for programs have.
COLUMNS = ("pair", "metric", "label", "level", "statistic", "gold", "value", "signed", "n", "ci_low", "ci_high",
           "winner", "without_outliers", "epsilon")  # fmt: skip
NAMES = {
    "pearson": "Pearson's r",
    "spearman": "Spearman's rho",
    "kendall": "Kendall's tau-b",
    "kendall-c": "Kendall's tau-c",
    "accuracy": "pairwise accuracy",
    "accuracy-calibrated": "accuracy with calibrated ties",
    "soft-accuracy": "soft pairwise accuracy",
}


@dataclass(frozen=True)
class Verdict:
    """How well one metric agrees with people. NaN: undefined.

    n: number of systems, or of the items that the statistic counts (pairs, outputs). winner: no other metric is
    significantly better; None if that was not tested. outperformed_by: the metrics that are. without_outliers: the
    value without systems whose human scores are far from the median. top_n: (n, lowest, highest) for the n best
    systems; the two differ if human scores are tied at the cut. by_quality: (level, n, value), level 1 is the worst
    quarter. epsilon: the difference up to which a calibrated accuracy counts two outputs as tied.
    """

    metric: str
    label: str
    value: float
    signed: float  # the value with its sign, also with --absolute
    n: int
    ci_low: float
    ci_high: float
    winner: bool | None = None
    outperformed_by: tuple[str, ...] = ()
    without_outliers: float | None = None
    top_n: tuple[tuple[int, float, float], ...] = ()
    by_quality: tuple[tuple[int, int, float], ...] = ()
    epsilon: float | None = None
    mean_of_segments: int | None = None  # over how many segments the system scores were averaged, if they were
    signature: str = ""
    references: tuple[str, ...] = ()  # used by a metric that Tercet computed


@dataclass(frozen=True, eq=False)
class Verdicts(Tabular):
    """The verdicts on all metrics for one language pair, in the order of the metrics."""

    dataset: str
    pair: str
    level: str
    statistic: str
    gold: str
    gold_name: str  # the name for the option `gold`
    average: str  # of segment correlations: none, item or system
    margin: float | None  # for preferences derived from scores
    absolute: bool
    items: tuple[Verdict, ...]
    systems: tuple[str, ...]
    outliers: tuple[str, ...] = ()
    unit: str = ""
    resamples: int = 0
    confidence: float = 0.95
    seed: int = 0
    test: str | None = None
    alpha: float = 0.05
    p_values: Floats | None = None  # (metrics, metrics): row better than column
    inclusive: bool = False  # a difference equal to the margin is a preference too
    notes: tuple[str, ...] = ()
    about: tuple[str, ...] = ()  # what was understood of tables of judgements
    repeated: int = 0  # outputs that people judged more than once; their judgements are averaged
    human: Mapping[str, float] = field(default_factory=dict)  # gold scores by system, for plots
    scores: Mapping[str, Mapping[str, float]] = field(default_factory=dict)  # metric -> system -> score
    outputs: tuple[Floats, Floats] | None = None  # of segments: human scores, scores by metric (metrics, outputs)

    def to_dict(self) -> dict[str, Any]:
        """Return everything except scores as a dictionary. "metrics" is a list with one dictionary per metric."""
        names = ("dataset", "pair", "level", "statistic", "average", "absolute", "gold", "gold_name", "margin",
                 "inclusive", "unit", "resamples", "confidence", "seed", "test", "alpha", "outliers", "notes",
                 "about")  # fmt: skip
        return {**_fields(self, names), "metrics": self._metric_rows()}

    def rows(self) -> list[dict[str, Any]]:
        """Return one dictionary per metric, as `tercet meta -f json` prints them."""
        facts = self.to_dict()
        return [{**row, **facts} for row in facts.pop("metrics")]

    def _metric_rows(self) -> list[dict[str, Any]]:
        """Return what differs between metrics. Other metrics are named by their labels, which are unique."""
        names = ("metric", "label", "value", "signed", "n", "ci_low", "ci_high", "winner", "outperformed_by",
                 "without_outliers", "epsilon", "mean_of_segments", "signature", "references")  # fmt: skip
        found = []
        for i, item in enumerate(self.items):
            row = _fields(item, names)
            if item.top_n:
                row["top_n"] = [{"n": n, "low": low, "high": high} for n, low, high in item.top_n]
            if item.by_quality:
                row["by_quality"] = [{"level": level, "n": n, "value": value} for level, n, value in item.by_quality]
            if self.p_values is not None:
                others = zip(self.items, self.p_values[i].tolist(), strict=True)
                row["p_values"] = {other.label: p for other, p in others if other is not item}
            found.append(row)
        return found


def _fields(result: Verdict | Verdicts, names: Sequence[str]) -> dict[str, Any]:
    """Return some fields as a dictionary, with tuples as lists."""
    values = ((name, getattr(result, name)) for name in names)
    return {name: list(value) if isinstance(value, tuple) else value for name, value in values}


@dataclass(frozen=True, eq=False, repr=False)
class MetaEvaluation(Tabular):
    """The result of `judge_pairs`: one `Verdicts` per language pair. Index it by number or by pair, or iterate."""

    results: tuple[Verdicts, ...]

    def __len__(self) -> int:
        return len(self.results)

    def __iter__(self) -> Iterator[Verdicts]:
        return iter(self.results)

    def __getitem__(self, key: int | str) -> Verdicts:
        """Return the verdicts at a position, or those of a language pair."""
        if isinstance(key, int):
            return self.results[key]
        by_pair = {result.pair: result for result in self.results}
        if key not in by_pair:
            raise UnknownName("language pair in these results", key, by_pair)
        return by_pair[key]

    def __repr__(self) -> str:
        values = "; ".join(
            f"{result.pair}: " + ", ".join(f"{item.label} {item.value:.3f}" for item in ranked_items(result)[:5])
            for result in self.results[:5]
        )
        return f"<MetaEvaluation of {len(self)} language pairs, best metrics: {values}>"

    def rows(self) -> list[dict[str, Any]]:
        """Return one dictionary per metric and language pair, as `tercet meta -f json` prints them."""
        return [row for result in self.results for row in result.rows()]

    def to_dict(self) -> dict[str, Any]:
        """Return the dictionaries of all language pairs, keyed by language pair."""
        return {result.pair: result.to_dict() for result in self.results}

    def _repr_html_(self) -> str:
        names = ("pair", "label", "value", "ci_low", "ci_high", "n", "winner")
        return html_table(names, [[row[name] for name in names] for row in self.rows()])


def sign_flips(results: Sequence[Verdicts]) -> dict[str, tuple[list[str], list[str]]]:
    """Return metrics that are positive for some language pairs and negative for others: label -> (these, those)."""
    signs: dict[str, tuple[list[str], list[str]]] = {}
    for result in results:
        for item in result.items:
            positive, negative = signs.setdefault(item.label, ([], []))
            if item.signed > 0:
                positive.append(result.pair)
            elif item.signed < 0:
                negative.append(result.pair)
    return {label: both for label, both in signs.items() if all(both)}


def statistic_name(result: Verdicts) -> str:
    """Return the statistic in words."""
    name = NAMES.get(result.statistic) or f"tau ({result.statistic.removeprefix('tau:')})"
    mean = {"item": ", mean over segments,", "system": ", mean over systems,"}.get(result.average, "")
    return (f"|{name}|" if result.absolute else name) + mean


def ranked_items(result: Verdicts) -> list[Verdict]:
    """Return the verdicts, best first; those without a value last."""
    return sorted(result.items, key=lambda item: (isnan(item.value), 0.0 if isnan(item.value) else -item.value))
