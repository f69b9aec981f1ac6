"""`Scores`: the scores that one metric gives to the systems of a test set, with the counts they were computed from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any, overload

import numpy as np

from ..errors import DataError, UnknownName, UsageError
from ..types import Floats
from .display import Tabular, html_table

OF_THE_RUN = ("nrefs", "bs", "ar", "seed")  # keys of signatures that are no parameters of the metric


@dataclass(frozen=True)
class MetricRecord:
    """The facts about a metric that results carry: all that printing, merging and comparing need.

    spec: its string for `tercet.metrics.create`. asked: the string or spec by which the user asked for it.
    signature: without the facts of a run. higher_is_better: None where neither direction is better.
    decimals: how many a table shows. whole: whether counts of a segment depend on its neighbours.

    A metric that is ready to count (`tercet.metrics.Ready`) is such a record too, and can compute scores from counts. A
    record read from a file cannot, unless its metric is found again.
    """

    spec: str
    label: str
    signature: str
    higher_is_better: bool | None = True
    asked: str = ""
    name: str = ""
    decimals: int = 3
    whole: bool = False
    segment_signature: str = ""  # where single segments are scored with other parameters

    @property
    def names(self) -> tuple[str, ...]:
        """The names by which a user can ask for it, the most exact first."""
        return self.asked or self.spec, self.spec, self.name or self.spec, self.label, self.signature

    def score(self, totals: Floats) -> Floats:
        """Compute scores from sums of counts, shape (..., k) -> (...)."""
        raise UsageError(
            f"{self.label} cannot be computed here: its metric, {self.spec}, is not found. Install the package that "
            "has it, or run the command in the folder that its file is in."
        )

    def segment_scores(self, counts: Floats) -> Floats:
        """Compute scores of single segments from their counts, shape (..., k) -> (...)."""
        return self.score(counts)

    def details(self, totals: Floats) -> dict[str, Any]:
        """Return the parts of one score by name, shape (k,)."""
        return {}

    def verbose(self, totals: Floats) -> str:
        """Return the parts of one score as a line of text."""
        return ""

    def extras(self, counts: Floats) -> Mapping[str, Floats]:
        """Return further numbers per segment by name, such as precision and recall."""
        return {}


@dataclass(frozen=True, eq=False, repr=False)
class Scores(Tabular):
    """Scores of one metric.

    metric: the metric, ready to compute, or a record of it when read from a file.
    system: score by system name. segment: by system name, an array with one score per segment (absent if only sums were
    kept). counts: by system name, shape (segments, k), where we counted ourselves; totals: their sums, shape (k,).
    document_ids: the document of every segment, if known. group: scores of groups of segments (documents, domains,
    lengths: `by`) by system and group. interval: bootstrap intervals by system (`stats.Interval`), where asked for.
    test: a paired test of all systems against one of them (`stats.Comparisons`), where asked for.
    reference_numbers: how many references segments have.

    Examples
    --------
    >>> import tercet
    >>> tercet.score(tercet.TestSet({"a": ["the cat sat"]}, {"ref": ["the cat sat"]}), "chrf")["chrf"]
    Scores(chrF2: a=100.0; 1 segment)
    """

    metric: MetricRecord
    system: Mapping[str, float]
    segment: Mapping[str, Floats] = field(default_factory=dict)
    counts: Mapping[str, Floats] = field(default_factory=dict)
    totals: Mapping[str, Floats] = field(default_factory=dict)
    document_ids: Sequence[str] | None = None
    by: str | None = None
    group: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    interval: Mapping[str, Any] = field(default_factory=dict)
    test: Any = None
    reference_numbers: frozenset[int] = frozenset()
    n_segments: int = 0
    provenance: Mapping[str, Any] = field(default_factory=dict)

    def relabelled(self, label: str) -> "Scores":
        return replace(self, metric=replace(self.metric, label=label))

    def __post_init__(self) -> None:
        if not self.system:
            raise DataError(f"{self.label}: scores of no system.")
        for kind, arrays in (("segment scores", self.segment), ("counts", self.counts)):
            for system, values in arrays.items():
                if system not in self.system:
                    raise DataError(f"{self.label}: {kind} for {system!r}, which has no system score.")
                if len(values) != self.n_segments:
                    raise DataError(
                        f"{self.label}: {len(values)} {kind} for {system!r}, but there are {self.n_segments} segments."
                    )
        if self.document_ids is not None and len(self.document_ids) != self.n_segments:
            raise DataError(f"{self.label}: {len(self.document_ids)} document ids for {self.n_segments} segments.")

    @property
    def label(self) -> str:
        return self.metric.label

    @property
    def higher_is_better(self) -> bool | None:
        return self.metric.higher_is_better

    @property
    def signature(self) -> str:
        """The metric's signature in sacreBLEU's form, with the facts of the run where sacreBLEU has them."""
        run: dict[str, object] = {}
        if self.reference_numbers:
            run["nrefs"] = min(self.reference_numbers) if len(self.reference_numbers) == 1 else "var"
        if self.test is not None and self.test.test == "randomisation":
            run |= {"ar": self.test.resamples, "seed": self.test.seed}
        for interval in list(self.interval.values())[:1]:
            run |= {"bs": interval.resamples, "seed": interval.seed}
        return with_facts(self.metric.signature, run)

    @property
    def systems(self) -> tuple[str, ...]:
        return tuple(self.system)

    @property
    def cube(self) -> Floats:
        """Counts of all systems, shape (systems, segments, k)."""
        if not self.counts:
            raise DataError(f"{self.label}: these scores were kept without counts.")
        rows = [self.counts[system] for system in self.systems]
        whole = rows[0].base
        if whole is not None and whole.ndim == 3 and len(whole) == len(rows):
            # The counts may be the rows of one array already: a million segments need no copy.
            starts = [row.__array_interface__["data"][0] for row in rows]
            if starts == [row.__array_interface__["data"][0] for row in whole] and whole.shape[1:] == rows[0].shape:
                return whole
        return np.stack(rows)

    @property
    def extras(self) -> dict[str, Mapping[str, Floats]]:
        """Further numbers per segment by system and name, such as precision and recall, where the metric has them."""
        found = {system: self.metric.extras(counts) for system, counts in self.counts.items()}
        return {system: extras for system, extras in found.items() if extras}

    def rows(self) -> list[dict[str, object]]:
        """Return a tidy table: one row per system and segment, or per system where there are no segment scores."""
        metric = self.metric.spec
        if not self.segment:
            return [{"system": s, "metric": metric, "score": value} for s, value in self.system.items()]
        documents: Sequence[str | None] = self.document_ids or [None] * self.n_segments
        extras = self.extras
        return [
            {"system": system, "doc": doc, "seg": number, "metric": metric, "score": float(value),
             **{name: float(column[number - 1]) for name, column in extras.get(system, {}).items()}}
            for system, values in self.segment.items()
            for number, (doc, value) in enumerate(zip(documents, values, strict=True), 1)
        ]  # fmt: skip

    def to_dict(self) -> dict[str, object]:
        """Return the scores of systems, their intervals and the metric's signature."""
        return {
            "metric": self.metric.spec,
            "label": self.label,
            "signature": self.signature,
            "higher_is_better": self.higher_is_better,
            "system": {system: float(value) for system, value in self.system.items()},
            "interval": {system: [each.low, each.high] for system, each in self.interval.items()},
        }

    def p_value(self, system: str) -> float | None:
        """Return the p-value of the paired test against its baseline; None for the baseline itself."""
        base, place = self.test.baseline, self.systems.index(system)
        return None if place == base else float(self.test.p_value[base, place])

    def record(self, system: str, *, segments: bool = False, ids: Sequence[str] | None = None) -> dict[str, object]:
        """Return what JSON has of one system's score. segments: also the scores of segments, with their ids."""
        label, _, signature = self.signature.partition("|")
        totals = self.totals.get(system)
        found: dict[str, Any] = {
            "system": system,
            "metric": self.metric.spec,
            "name": label,
            "score": self.system[system],
            "signature": signature,
            "verbose_score": "" if totals is None else self.metric.verbose(totals),
            "n_segments": self.n_segments,
            "references": list(self.provenance.get("references", ())),
            "higher_is_better": self.higher_is_better,
            "details": {} if totals is None else self.metric.details(totals),
        }
        items = (item.partition(":") for item in signature.split("|") if item)
        found |= {key: value for key, _, value in items if key not in found}  # as sacreBLEU has them
        if self.interval:
            interval = self.interval[system]
            found |= {"ci_low": interval.low, "ci_high": interval.high, "confidence": interval.confidence}
            # A half-width; the name is sacreBLEU's.
            found |= {"confidence_mean": interval.mean, "confidence_var": interval.half_width}
        if self.test is not None:
            base = self.systems[self.test.baseline]
            found |= {"p_value": self.p_value(system), "baseline": base, "test": self.test.test}
        if segments:
            found["segments"] = self.segment[system].tolist()
            if ids:
                found["ids"] = list(ids)
            if extras := self.metric.extras(self.counts[system]):
                found["extras"] = {name: column.tolist() for name, column in extras.items()}
        if self.by:
            found["documents" if self.by == "document" else "groups"] = dict(self.group[system])
        return found

    def __repr__(self) -> str:
        shown = [f"{system}={value}" for system, value in self._cells()[:5]]
        more = f", … {len(self.system) - 5} more" if len(self.system) > 5 else ""
        return (
            f"Scores({self.label}: {', '.join(shown)}{more}; {self.n_segments} segment{'s' * (self.n_segments != 1)})"
        )

    def _repr_html_(self) -> str:
        return html_table(["system", self.label], self._cells(), self.signature)

    def _cells(self) -> list[tuple[str, str]]:
        """Return each system's score, with its interval where there is one, as `tercet score` prints it."""
        places = self.metric.decimals
        bounds = {s: f" ({each.low:.{places}f} to {each.high:.{places}f})" for s, each in self.interval.items()}
        return [(system, f"{value:.{places}f}{bounds.get(system, '')}") for system, value in self.system.items()]


class ScoreList(Tabular, Sequence[Scores]):
    """The scores by several metrics, in the order asked for, and indexed by the string asked for."""

    def __init__(self, scores: Sequence[Scores]) -> None:
        self._scores = list(scores)

    @overload
    def __getitem__(self, key: int | str) -> Scores: ...
    @overload
    def __getitem__(self, key: slice) -> list[Scores]: ...
    def __getitem__(self, key: int | str | slice) -> Scores | list[Scores]:
        if isinstance(key, str):
            return self._scores[find_metric(key, [item.metric for item in self._scores])]
        return self._scores[key]

    def __len__(self) -> int:
        return len(self._scores)

    def rows(self) -> list[dict[str, object]]:
        return [row for item in self._scores for row in item.rows()]

    def records(self, *, segments: bool = False, ids: Sequence[str] | None = None) -> list[dict[str, Any]]:
        """Return one record per system and metric; the options are those of `Scores.record`."""
        systems = self._scores[0].systems
        return [item.record(system, segments=segments, ids=ids) for system in systems for item in self._scores]

    def record_rows(self, *, segments: bool = False, ids: Sequence[str] | None = None) -> list[dict[str, Any]]:
        """Return the records as `tercet score -f tsv` prints them: a row per system, metric, and segment or group."""
        rows, by = [], self._scores[0].by
        for found in self.records(segments=segments):
            first = {name: found[name] for name in ("system", "metric")}
            last = {"signature": f"{found['name']}|{found['signature']}".rstrip("|")}
            if "segments" in found:
                unit, values = "segment", dict(zip(ids or count(1), found["segments"], strict=bool(ids)))
            elif by:
                unit, values = by, found.get("documents") or found["groups"]
            else:
                numbers = {name: found.get(name) for name in ("score", "ci_low", "ci_high", "p_value")}
                rows.append({**first, **numbers, **last})
                continue
            rows += [{**first, unit: name, "score": value, **last} for name, value in values.items()]
        return rows

    def to_dict(self) -> dict[str, object]:
        """Return the scores of systems by metric, under the strings that were asked for."""
        return {item.metric.names[0]: item.to_dict() for item in self._scores}

    def __repr__(self) -> str:
        return "\n".join(map(repr, self._scores))

    def _repr_html_(self) -> str:
        systems = dict.fromkeys(system for item in self._scores for system in item.systems)
        cells = [dict(item._cells()) for item in self._scores]
        rows = [[system, *(column.get(system) for column in cells)] for system in systems]
        return html_table(["system", *(item.label for item in self._scores)], rows)


def find_metric(name: str, metrics: Sequence[MetricRecord]) -> int:
    """Return the position of the metric that `name` means: the string asked for, spec, name, label or signature."""
    label, *items = name.split("|")
    without_facts = "|".join([label, *(item for item in items if item.partition(":")[0] not in OF_THE_RUN)])
    wanted = {name.lower(), without_facts.lower()}
    for level in zip(*(metric.names for metric in metrics), strict=True):
        found = [i for i, known in enumerate(level) if known.lower() in wanted]
        if len({metrics[i].spec for i in found}) > 1:
            raise UsageError(
                f"{name} may be any of {', '.join(metrics[i].names[0] for i in found)}: name one of these."
            )
        if found:
            return found[0]
    raise UnknownName("metric in these results", name, {metric.names[0] for metric in metrics})


def with_facts(signature: str, facts: Mapping[str, object]) -> str:
    """Return a metric's signature with facts of a run (nrefs, bs, seed, …) after the name."""
    label, *items = signature.split("|")
    return "|".join([label, *(f"{key}:{value}" for key, value in facts.items()), *items])
