"""Segment and system scores from judgements on a scale: direct assessment, ESA, MQM, Likert, post-editing effort.

As in Graham et al. (2017), "Can machine translation systems be evaluated by the crowd alone", and the WMT news tasks:
scores are standardised by rater and averaged by segment and system; a system's score is the mean over its segments.
"""

import logging
import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..data.judgements import KINDS, Codes, Judgement, Judgements
from ..data.scores import MetricRecord, Scores
from ..errors import DataError, UsageError
from ..types import Floats

log = logging.getLogger(__name__)


LABELS = {
    "da": "DA", "z": "DA z", "adequacy": "Adequacy", "fluency": "Fluency", "likert": "Likert", "mqm": "MQM",
    "esa": "ESA", "hter": "HTER", "seconds": "Seconds", "keystrokes": "Keystrokes",
}  # fmt: skip


class Means(NamedTuple):
    """Mean judgements, shape (segments, systems), NaN where there are none. counts: the numbers of judgements."""

    segments: tuple[str, ...]
    systems: tuple[str, ...]
    values: Floats
    counts: NDArray[np.int64]


def ratio(part: NDArray[Any], whole: NDArray[Any]) -> Floats:
    """Return part / whole, NaN where the whole is 0."""
    found: Floats = np.divide(part, whole, out=np.full(whole.shape, np.nan), where=whole > 0)
    return found


def mean_of(values: Sequence[float]) -> float:
    """Return the mean of the values that are known, NaN if there is none."""
    known = [value for value in values if not math.isnan(value)]
    return math.fsum(known) / len(known) if known else math.nan


def means_by(codes: Codes, values: Floats, size: int) -> Floats:
    """Return the mean of the values of each code from 0 to size - 1, NaN for a code without values."""
    return ratio(np.bincount(codes, values, minlength=size), np.bincount(codes, minlength=size))


def standardise(judgements: Judgements) -> Judgements:
    """Return z scores (kind "z"): subtract the rater's mean and divide by the rater's standard deviation.

    As at WMT, the divisor is n - 1 (R's `sd`), and all judgements of a rater count, control items too. Therefore
    standardise before leaving out control items. Raters who always gave the same score have no z scores: they are left
    out with a warning, as by WMT's scripts.
    """
    kind = one_kind(judgements)
    if not KINDS[kind].higher_is_better:
        raise UsageError(
            f"Judgements {judgements.name!r} of kind {kind} cannot be standardised: lower values are better."
        )
    check_raters(judgements, "Standardising")
    raters, codes = judgements.codes("rater")
    values = judgements.values
    counts = np.bincount(codes, minlength=len(raters))
    means = means_by(codes, values, len(raters))
    deviations = np.bincount(codes, (values - means[codes]) ** 2, minlength=len(raters))
    spread = np.sqrt(np.divide(deviations, counts - 1, out=np.zeros(len(raters)), where=counts > 1))
    flat = spread == 0
    if flat.any():
        named = ", ".join(f"{raters[i]} ({counts[i]} judgements)" for i in np.flatnonzero(flat))
        message = f"Judgements {judgements.name!r}: raters whose scores are all the same: {named}."
        if flat.all():
            raise DataError(f"{message} They cannot be standardised.")
        log.warning("%s They are left out.", message)
    z = (values - means[codes]) / np.where(flat, 1, spread)[codes]
    rows = [
        row._replace(kind="z", value=float(value))
        for row, value, code in zip(judgements.rows, z, codes, strict=True)
        if not flat[code]
    ]
    return Judgements(rows, judgements.pair, judgements.name)


def means(judgements: Judgements, segments: Sequence[str] | None = None) -> Means:
    """Return the mean judgement of every output. segments: names in order; default: in order of appearance."""
    one_kind(judgements)
    for row in judgements.rows:
        if row.check:
            raise DataError(
                f"{locate(row, judgements)}: this is a control item ({row.check}). Leave out control items first, with "
                "tercet.human.control.without_checks."
            )
    systems, columns = judgements.codes("system")
    found, codes = judgements.codes("segment")
    names = found if segments is None else tuple(segments)
    order = {name: number for number, name in enumerate(names)}
    if len(order) != len(names):
        raise DataError("The list of segments names a segment twice.")
    unknown = [name for name in found if name not in order]
    if unknown:
        listed = ", ".join(map(repr, unknown[:5])) + (", …" if len(unknown) > 5 else "")
        raise DataError(
            f"Judgements {judgements.name!r}: {len(unknown)} judged segments are not in the test set ({listed}), "
            f"which has {len(names)}."
        )
    cells = np.array([order[name] for name in found], dtype=np.intp)[codes] * len(systems) + columns
    size = len(names) * len(systems)
    shape = len(names), len(systems)
    values = means_by(cells, judgements.values, size).reshape(shape)
    return Means(names, systems, values, np.bincount(cells, minlength=size).reshape(shape))


def segment_means(judgements: Judgements, segments: Sequence[str]) -> Scores:
    """Return mean judgements of every segment, in the order of `segments`, NaN if there are none; and system scores."""
    return _scores(judgements, means(judgements, segments), keep_segments=True)


def system_means(judgements: Judgements, segments: Sequence[str] | None = None) -> Scores:
    """Return the mean over judged segments of the segment's mean; as at WMT, each has the same weight."""
    return _scores(judgements, means(judgements, segments), keep_segments=False)


def _scores(judgements: Judgements, found: Means, *, keep_segments: bool) -> Scores:
    kind = one_kind(judgements)
    signature = f"{LABELS[kind]}|judgements:{len(judgements)}|raters:{len(judgements.raters)}"
    segment = {
        system: np.ascontiguousarray(column) for system, column in zip(found.systems, found.values.T, strict=True)
    }
    return Scores(
        MetricRecord(kind, LABELS[kind], signature, KINDS[kind].higher_is_better),
        system={system: float(np.mean(values[~np.isnan(values)])) for system, values in segment.items()},
        segment=segment if keep_segments else {},
        n_segments=len(found.segments),
        provenance={"judgements": len(judgements), "raters": len(judgements.raters), "source": judgements.name},
    )


def one_kind(judgements: Judgements) -> str:
    """Return the kind of judgements on a scale. Raises DataError if there are several kinds, ranks, or no values."""
    if not judgements.rows:
        raise DataError(f"Judgements {judgements.name!r} are empty.")
    if len(judgements.kinds) > 1:
        kinds = ", ".join(f"{n} {kind}" for kind, n in judgements.kinds.items())
        raise DataError(f"Judgements {judgements.name!r} are of several kinds ({kinds}). Choose one with .of(kind).")
    kind = next(iter(judgements.kinds))
    if kind == "rank":
        raise DataError(
            f"Judgements {judgements.name!r} are rankings, which have no mean. Use pairs_of_rankings, then win_rates, "
            "expected_wins or trueskill_means."
        )
    for number in np.flatnonzero(np.isnan(judgements.values))[:1]:
        where = locate(judgements.rows[number], judgements)
        raise DataError(f"{where}: there is no value. Convert marked errors to values with tercet.human.mqm.weigh.")
    return kind


def check_raters(judgements: Judgements, purpose: str) -> None:
    """Raise DataError if a judgement names no rater. purpose: what needs the raters, for the message."""
    for row in judgements.rows:
        if not row.rater:
            raise DataError(f"{locate(row, judgements)}: no rater is named. {purpose} needs the names of raters.")


def locate(row: Judgement, judgements: Judgements) -> str:
    """Describe a judgement in error messages: its table, segment, system and rater."""
    rater = f", rater {row.rater!r}" if row.rater else ""
    return f"Judgements {judgements.name!r}, segment {row.segment!r}, system {row.system!r}{rater}"
