"""Scores of segments and systems from judgements on a scale: direct assessment, ESA, MQM, Likert, post-editing effort.

Graham et al. (2017), "Can machine translation systems be evaluated by the crowd alone", and the WMT news tasks:
scores are standardised by rater, averaged by segment and system, and the system's score is the mean of its segments.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..data.judgements import KINDS, Judgement, Judgements
from ..data.scores import MetricRecord, Scores
from ..errors import DataError, UnknownName, UsageError

log = logging.getLogger(__name__)

Floats = NDArray[np.float64]

LABELS = {
    "da": "DA", "z": "DA z", "adequacy": "Adequacy", "fluency": "Fluency", "likert": "Likert", "mqm": "MQM",
    "esa": "ESA", "hter": "HTER", "seconds": "Seconds", "keystrokes": "Keystrokes",
}  # fmt: skip
CONSTANT = ("drop", "refuse")


class Means(NamedTuple):
    """Mean judgements, shape (segments, systems); NaN where nobody judged. `counts`: how many judgements each has."""

    segments: tuple[str, ...]
    systems: tuple[str, ...]
    values: Floats
    counts: NDArray[np.int64]


def standardise(judgements: Judgements, *, constant: str = "drop") -> Judgements:
    """Judgements as kind "z": less their rater's mean, divided by their rater's standard deviation.

    As WMT does: with n - 1 below the sum of squares (R's `sd`), over all judgements of a rater, control items too, so
    standardise before control items are dropped. A rater who always gave the same score says nothing: such raters are
    left out and named in a warning ("drop", as WMT's scripts do), or named in an error (constant="refuse").
    """
    if constant not in CONSTANT:
        raise UnknownName("way with raters who always give the same score", constant, CONSTANT)
    kind = one_kind(judgements)
    if not KINDS[kind].higher_is_better:
        raise UsageError(
            f"Judgements {judgements.name!r} of kind {kind} are lower for better outputs; z scores are not."
        )
    for row in judgements.rows:
        if not row.rater:
            raise DataError(f"{place(row, judgements)}: no rater, without whom nothing can be standardised.")
    raters, codes = judgements.codes("rater")
    values = judgements.values
    counts = np.bincount(codes, minlength=len(raters))
    means = np.bincount(codes, values, minlength=len(raters)) / counts
    deviations = np.bincount(codes, (values - means[codes]) ** 2, minlength=len(raters))
    spread = np.sqrt(np.divide(deviations, counts - 1, out=np.zeros(len(raters)), where=counts > 1))
    flat = spread == 0
    if flat.any():
        named = ", ".join(f"{raters[i]} ({counts[i]} judgements)" for i in np.flatnonzero(flat))
        message = f"Judgements {judgements.name!r}: raters who gave a single score, or always the same one: {named}."
        if constant == "refuse" or flat.all():
            raise DataError(f"{message} They have no standard deviation.")
        log.warning("%s Left out.", message)
    z = (values - means[codes]) / np.where(flat, 1, spread)[codes]
    rows = [
        row._replace(kind="z", value=float(value))
        for row, value, code in zip(judgements.rows, z, codes, strict=True)
        if not flat[code]
    ]
    return Judgements(rows, judgements.pair, judgements.name)


def means(judgements: Judgements, segments: Sequence[str] | None = None) -> Means:
    """The mean of all judgements of every output. `segments`: their order; as they first appear, if not given."""
    one_kind(judgements)
    for row in judgements.rows:
        if row.check:
            raise DataError(
                f"{place(row, judgements)}: a control item ({row.check}). Leave control items out first: "
                "tercet.human.control.without_checks."
            )
    systems, columns = judgements.codes("system")
    found, codes = judgements.codes("segment")
    names = found if segments is None else tuple(segments)
    order = {name: number for number, name in enumerate(names)}
    if len(order) != len(names):
        raise DataError("The order of segments names a segment twice.")
    unknown = [name for name in found if name not in order]
    if unknown:
        listed = ", ".join(map(repr, unknown[:5])) + (", …" if len(unknown) > 5 else "")
        raise DataError(
            f"Judgements {judgements.name!r}: {len(unknown)} judged segments are not in the test set ({listed}), "
            f"which has {len(names)}."
        )
    cells = np.array([order[name] for name in found], dtype=np.intp)[codes] * len(systems) + columns
    size = len(names) * len(systems)
    counts = np.bincount(cells, minlength=size)
    sums = np.bincount(cells, judgements.values, minlength=size)
    values = np.divide(sums, counts, out=np.full(size, np.nan), where=counts > 0)
    shape = len(names), len(systems)
    return Means(names, systems, values.reshape(shape), counts.reshape(shape))


def segment_means(judgements: Judgements, segments: Sequence[str], *, label: str | None = None) -> Scores:
    """Human scores of every segment, NaN where nobody judged, in the order of `segments`; and of systems, as below."""
    return _scores(judgements, means(judgements, segments), label, keep_segments=True)


def system_means(judgements: Judgements, segments: Sequence[str] | None = None, *, label: str | None = None) -> Scores:
    """Human scores of systems: the mean, over the segments that were judged, of the mean of their judgements.

    A segment judged by many thus counts no more than one judged once, as at WMT. `segments`: all there are, if known.
    """
    return _scores(judgements, means(judgements, segments), label, keep_segments=False)


def _scores(judgements: Judgements, found: Means, label: str | None, *, keep_segments: bool) -> Scores:
    kind = one_kind(judgements)
    label = label or LABELS[kind]
    segment = {
        system: np.ascontiguousarray(column) for system, column in zip(found.systems, found.values.T, strict=True)
    }
    return Scores(
        MetricRecord(
            kind,
            label,
            f"{label}|judgements:{len(judgements)}|raters:{len(judgements.raters)}",
            KINDS[kind].higher_is_better,
        ),
        system={system: float(np.mean(values[~np.isnan(values)])) for system, values in segment.items()},
        segment=segment if keep_segments else {},
        n_segments=len(found.segments),
        provenance={"judgements": len(judgements), "raters": len(judgements.raters), "source": judgements.name},
    )


def one_kind(judgements: Judgements) -> str:
    """The kind of judgements that are all on one scale and all have values; refuses others."""
    if not judgements.rows:
        raise DataError(f"Judgements {judgements.name!r} are empty.")
    if len(judgements.kinds) > 1:
        kinds = ", ".join(f"{n} {kind}" for kind, n in judgements.kinds.items())
        raise DataError(f"Judgements {judgements.name!r} are of several kinds ({kinds}); choose one with .of(kind).")
    kind = next(iter(judgements.kinds))
    if kind == "rank":
        raise DataError(
            f"Judgements {judgements.name!r} are rankings, which have no mean. Use pairs_of_rankings, then win_rates, "
            "expected_wins or trueskill_means."
        )
    for number in np.flatnonzero(np.isnan(judgements.values))[:1]:
        where = place(judgements.rows[number], judgements)
        raise DataError(f"{where}: no value yet. Errors get weights with tercet.human.mqm.weigh.")
    return kind


def place(row: Judgement, judgements: Judgements) -> str:
    """Where a judgement stands, for messages."""
    rater = f", rater {row.rater!r}" if row.rater else ""
    return f"Judgements {judgements.name!r}, segment {row.segment!r}, system {row.system!r}{rater}"
