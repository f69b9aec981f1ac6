"""`agree`: measure how well raters agree, the effect of the reference shown, changes over time, and each rater.

Follows Fomicheva (2017), "The Role of Human Reference Translation in Machine Translation Evaluation", chapter 6, with
the usual coefficients: Krippendorff's alpha, intraclass correlations, P(A) and P(E) of rankings (equations 2.10 to
2.12). Confidence intervals come from resampling raters, not pairs of raters: see `tercet.stats.raters`.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from ..data.display import Tabular
from ..data.judgements import KINDS, Judgements
from ..data.rankings import SAME
from ..data.scores import Scores
from ..errors import DataError, UsageError
from ..options import takes
from ..options.judging import Agreeing
from ..stats.resampling import check_draws, check_share
from . import mqm
from .agreement_measures import (
    AgreementSlice,
    Gap,
    MeasuredAgreement,
    RaterResamples,
    measure_rankings,
    measure_scores,
    pair_coefficient,
    pair_measures,
    ratio_measures,
    time_slices,
)
from .agreement_panel import ALL, Panel, last_answers, paired_values, panel_of_rankings, panel_of_scores
from .rater_report import RaterReport, report_rankings, report_scores, seconds_by_slice
from .reference_effect import Average, Contrast, Correlation, averages, contrasts, correlations
from .span_agreement import span_panel

CATEGORIES = ("adequacy", "fluency", "likert")  # kinds with few values, in steps of 1
COLUMNS = ("name", "pair", "kind", *(each.name for each in fields(MeasuredAgreement)))  # of `Agreement.rows`


@dataclass(frozen=True)
class Agreement(Tabular):
    """The result of `agree`. judgements, raters, outputs: their numbers, without control items.

    measures: coefficients by group of raters. gaps: agreement with the same reference minus agreement with different
    references. averages, contrasts: mean judgements by what was shown. correlations: with metrics, if scores were
    given. slices: agreement over time. people: one report per rater. notes: what was left out, and why.
    """

    name: str
    pair: str | None
    kind: str
    judgements: int
    raters: int
    outputs: int
    shown: tuple[str, ...]
    measures: Sequence[MeasuredAgreement]
    gaps: Sequence[Gap]
    averages: Sequence[Average]
    contrasts: Sequence[Contrast]
    correlations: Sequence[Correlation]
    slices: Sequence[AgreementSlice]
    people: Sequence[RaterReport]
    notes: Sequence[str]
    resamples: int
    confidence: float
    seed: int

    def value(self, measure: str, group: str = "all") -> float:
        """Return one coefficient, NaN if it is not defined."""
        return next((item.value for item in self.measures if (item.measure, item.group) == (measure, group)), math.nan)

    def rows(self) -> list[dict[str, object]]:
        facts = {"name": self.name, "pair": self.pair, "kind": self.kind}
        return [facts | asdict(item) for item in self.measures]

    def to_dict(self) -> dict[str, object]:
        return asdict(self)


@takes(Agreeing)
def agree(
    judgements: Judgements | str | Path,
    *,
    kind: str | None = None,
    source: Collection[str] = ("",),
    scores: Mapping[str, Sequence[Scores]] | None = None,
    segments: Mapping[str, Sequence[str]] | None = None,
    options: Agreeing,
) -> Agreement:
    """Measure how well raters agree in judgements of one kind.

    If a rater judged an output several times, the last judgement counts. Control items are used only in the reports on
    raters.

    Parameters
    ----------
    judgements : the judgements, or a file of them, or a campaign.
    kind : the kind of judgement, if there are several.
    source : values of `reference` in the judgements that mean the source, or nothing, was shown instead of a reference.
    scores, segments : metric scores to correlate with the judgements; see `reference_effect.correlations`.

    Returns
    -------
    Agreement : coefficients with intervals, reports on raters, and notes.

    Examples
    --------
    >>> import tempfile, tercet
    >>> from tercet import examples
    >>> folder = tempfile.mkdtemp()
    >>> _ = examples.write("en-de", folder)
    >>> found = tercet.agree(f"{folder}/judgements.jsonl", resamples=100)
    >>> found.raters
    3
    """
    check_draws(options.resamples, options.seed)
    check_share("The confidence", options.confidence)
    if isinstance(judgements, str | Path):
        judgements, found = _read_one(judgements, kind)
        source = found if tuple(source) == ("",) else source
    own, notes = _select_kind(judgements, kind), list[str]()
    plain = own.where(lambda row: not row.check or row.check.startswith(SAME))
    if not len(plain):
        raise DataError(f"Judgements {judgements.name!r}: there are only control items.")
    if own.kinds.keys() == {"rank"}:
        if scores:
            raise UsageError("Metrics cannot be correlated with rankings, which have no scores of single outputs.")
        parts = _agree_rankings(own, plain, notes, frozenset(source), options)
    else:
        parts = _agree_scores(own, plain, notes, frozenset(source), scores or {}, segments or {}, options)
    parts |= {name: getattr(options, name) for name in ("resamples", "confidence", "seed")} | {"notes": notes}
    known: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in parts.items()}
    return Agreement(name=plain.name, pair=plain.pair, kind=next(iter(own.kinds)), **known)


def _read_one(path: str | Path, kind: str | None) -> tuple[Judgements, frozenset[str]]:
    """Return the judgements of a file, and what was shown in it that is not a reference."""
    from .agreement_files import load

    found = [part for part in load([path]) if kind is None or kind in part.judgements.kinds]
    if len(found) != 1:
        present = ", ".join(f"{part.judgements.pair or '?'} {'+'.join(part.judgements.kinds)}" for part in found)
        raise UsageError(
            f"{path}: judgements of one language pair and kind are needed, and it has {present or 'none'}."
        )
    return found[0].judgements, found[0].source


def _select_kind(judgements: Judgements, kind: str | None) -> Judgements:
    if not len(judgements):
        raise DataError(f"Judgements {judgements.name!r} are empty.")
    if kind is not None:
        judgements = judgements.of(kind)
    elif len(judgements.kinds) > 1:
        kinds = ", ".join(judgements.kinds)
        raise UsageError(f"Judgements {judgements.name!r} are of several kinds. Choose one: {kinds}.")
    return last_answers(judgements.where(lambda row: row.check != "tutorial"))


def _agree_rankings(
    own: Judgements, plain: Judgements, notes: list[str], source: frozenset[str], options: Agreeing
) -> dict[str, object]:
    controls = own.where(lambda row: bool(row.check) and not row.check.startswith(SAME))
    panel = panel_of_rankings(plain, source, identical=options.identical)
    if options.complete:
        raise UsageError("`complete` cannot be used with rankings; it is for judgements of single outputs.")
    if options.identical == "once" and any(row.check for row in plain.rows):
        left_out = sum(bool(row.check) for row in plain.rows)
        notes.append(f"Left out: {left_out} ranks of outputs that have the same text as another system's output.")
    measures = measure_rankings(_resample(panel, options))
    notes += _missing(measures)
    seconds = seconds_by_slice(plain, options.slices)
    return _facts(plain, panel, len(plain)) | {
        "measures": measures,
        **dict.fromkeys(("gaps", "averages", "contrasts", "correlations"), ()),
        "slices": time_slices(panel, options.slices, categories=True, rankings=True, seconds=seconds),
        "people": report_rankings(plain, panel, controls),
    }


def _agree_scores(
    own: Judgements,
    plain: Judgements,
    notes: list[str],
    source: frozenset[str],
    scores: Mapping[str, Sequence[Scores]],
    segments: Mapping[str, Sequence[str]],
    options: Agreeing,
) -> dict[str, object]:
    kind = next(iter(own.kinds))
    if kind == "mqm" and any(row.spans is not None and math.isnan(row.value) for row in own.rows):
        weights = options.weights or mqm.GOOGLE
        own, plain = mqm.weigh(own, weights), mqm.weigh(plain, weights)
    panel = panel_of_scores(plain, source)
    if len(panel.value) < len(plain):
        notes.append(f"Left out: {len(plain) - len(panel.value)} judgements that the same rater replaced later.")
    if options.complete:
        everybody = panel.rows
        panel = panel.complete()
        gone = [row.rater for row in everybody if row not in panel.rows]
        if gone:
            notes.append(f"Left out: raters who did not judge every output: {', '.join(gone)}.")
            own, plain = (part.where(lambda row: row.rater in panel.raters) for part in (own, plain))
    categories = kind in CATEGORIES and not (panel.value % 1).any()
    if kind in CATEGORIES and not categories:
        notes.append("There is no kappa, because some judgements are not whole numbers.")
    resampled = _resample(panel, options)
    measures, gaps = measure_scores(resampled, categories=categories, levels=options.level)
    if any(row.spans is not None for row in plain.rows):
        measures += _spans(plain, source, options)
    notes += _missing(measures)
    if any(item.measure.startswith("ICC") and math.isnan(item.low) and not math.isnan(item.value) for item in measures):
        notes.append("ICC has no intervals: they need a residual variance.")
    values = paired_values(panel, pair_coefficient(categories=categories))
    higher, seconds = KINDS[kind].higher_is_better, seconds_by_slice(plain, options.slices)
    return _facts(plain, panel, len(panel.value)) | {
        "measures": measures,
        "gaps": gaps,
        "averages": averages(panel),
        "contrasts": contrasts(resampled, seed=options.seed),
        "correlations": correlations(panel, scores, segments, higher_is_better=higher),
        "slices": time_slices(panel, options.slices, categories=categories, rankings=False, seconds=seconds),
        "people": report_scores(own, panel, values),
    }


def _spans(plain: Judgements, source: frozenset[str], options: Agreeing) -> list[MeasuredAgreement]:
    panel, counts = span_panel(plain, source)
    resampled = _resample(panel, options)
    found = [
        item
        for name, (part, whole) in counts.items()
        for item in ratio_measures(resampled, f"spans, {name}", part, whole)[0]
    ]
    return found + pair_measures(resampled, "kappa, any error", pair_coefficient(categories=True))[0]


def _resample(panel: Panel, options: Agreeing) -> RaterResamples:
    return RaterResamples(panel, resamples=options.resamples, seed=options.seed, confidence=options.confidence)


def _missing(measures: Sequence[MeasuredAgreement]) -> Iterator[str]:
    if not any(item.group == ALL for item in measures):
        yield "There is no agreement to measure: no two raters judged the same output."
    elif all(math.isnan(item.low) for item in measures if not item.measure.startswith("ICC")):
        yield "There are no intervals: five raters, or three in each group, must judge the same outputs."


def _facts(plain: Judgements, panel: Panel, judgements: int) -> dict[str, object]:
    outputs = len({(row.segment, row.system) for row in plain.rows})
    return {"judgements": judgements, "raters": len(panel.raters), "outputs": outputs, "shown": panel.shown}
