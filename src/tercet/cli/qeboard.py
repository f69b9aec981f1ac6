"""The documents of `tercet qe`, and its figures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import UsageError
from ..rendering.document import Part, Table
from ..rendering.tables import DASH, full, number, table
from .console import rendered

if TYPE_CHECKING:
    from ..quality.cross_system import Across, Assessment
    from ..quality.features import FeatureTable
    from ..quality.model import Predictions, QualityModel
    from ..quality.resources import Resources
    from ..rendering.figures import Figure

SHOWN = 15  # most important features that are listed
NAMED = 3  # features that are named of those left out for one reason
FIGURES = ("rmse", "mae", "pearson")
NAMES = {
    "pearson": "Pearson", "spearman": "Spearman", "rmse": "RMSE", "mae": "MAE", "delta_avg": "DeltaAvg",
    "coverage": "coverage",
}  # fmt: skip


def show_model(model: QualityModel, form: str, level: float | None = None) -> str:
    """Format a model: its training, figures and features. With the level of intervals, leave out its checksums."""
    return rendered(form, _model_parts(model, level), model.describe)


def _model_parts(model: QualityModel, level: float | None) -> Iterator[Part]:
    facts = model.provenance
    yield _training(model)
    rows = [
        [f"{name} (chosen)" if name == model.learner and facts["learner"] == "best" else name,
         *(number(values[figure], 3) for figure in FIGURES)]
        for name, values in facts["held_out"].items()
    ]  # fmt: skip
    yield Table(["learner", "RMSE", "MAE", "Pearson"], rows, caption="On held-out groups (cross-validation)")
    yield from warnings_of(model)
    lines = [f"Features: {len(model.names)} used" + (f", {len(model.given)} of them given" if model.given else "")]
    lines += left_out_lines(dict.fromkeys(facts["constant"], "the same for all training examples") | facts["left_out"])
    yield "\n".join(lines)
    described = model.descriptions()
    rows = [
        [item["feature"], number(item["increase"], 4), number(item["vip"], 2), described[item["feature"]]]
        for item in facts["importance"][:SHOWN]
    ]
    caption = (
        "Most important: rise of the RMSE on held-out groups when the feature is shuffled, and weight in PLS (VIP)"
    )
    yield Table(["feature", "rise", "VIP", "what it is"], rows, caption=caption)
    yield _intervals(model, level or 0.9)
    if level is None:
        versions = ", ".join(f"{name} {value}" for name, value in facts["versions"].items())
        yield f"Checksum {model.checksum}\nTraining data {facts['training_checksum']}\nMade with {versions}"
        yield Table(["resource", "sha256"], [[name, value[:16]] for name, value in facts["resource_checksums"].items()])


def _training(model: QualityModel) -> str:
    facts = model.provenance
    low, high = model.label_range
    better = "higher" if model.higher_is_better else "lower"
    lines = [
        f"Model for {model.pair}: {model.learner}, trained on {facts['examples']:,} examples in {facts['groups']:,} "
        f"groups ({facts['grouped_by']}), seed {facts['seed']}",
        f"Labels from {low:g} to {high:g}, {better} is better; mean {facts['label_mean']:.3f}, "
        f"standard deviation {facts['label_spread']:.3f}",
    ]
    if facts["from_training_texts"]:
        lines.append(
            "Estimated from the training texts, as there are no corpora: "
            + ", ".join(facts["from_training_texts"])
            + ". The features of each training sentence came from models that had not seen it."
        )
    return "\n".join(lines)


def warnings_of(model: QualityModel) -> list[str]:
    """Return what a user of the model must know: that it is no better than a baseline; nothing if it is."""
    if not _fails_baselines(model):
        return []
    return [
        "This model is no better than a baseline, so it is of no use for new texts. More examples may help, or "
        "texts of the languages (--source-corpus, --target-corpus, --parallel)."
    ]


def _fails_baselines(model: QualityModel) -> bool:
    """Return whether a baseline has an error that is as low on held-out groups, as far as errors are known."""
    errors = {name: values["rmse"] for name, values in model.provenance["held_out"].items()}
    baselines = [error for name, error in errors.items() if name == "mean" or name.startswith("linear:")]
    own = errors.get(model.learner)
    return own is not None and any(error is not None and error <= own for error in baselines)


def left_out_lines(left_out: Mapping[str, str]) -> list[str]:
    """Return a line for each reason, with some of the features left out for it; JSON names all."""
    reasons: dict[str, list[str]] = {}
    for name, why in left_out.items():
        reasons.setdefault(why, []).append(name)
    return [
        f"Left out ({len(names)}): {', '.join(names[:NAMED])}{', …' if len(names) > NAMED else ''}: {why}"
        for why, names in reasons.items()
    ]


def _intervals(model: QualityModel, level: float) -> str:
    half = model.conformal.usual_half_width(level)
    varying = " for most segments, wider for those that are harder to predict" if model.conformal.difficulty else ""
    return (
        f"Intervals of {100 * level:g} %: prediction ± {half:.3f}{varying}, by conformal prediction from the held-out "
        "groups"
    )


def show_predictions(model: QualityModel, found: Predictions, form: str, ids: Sequence[str] = ()) -> str:
    """Format the prediction of each segment, in the order of the files. ids: names of segments instead of numbers."""
    arrays = (found.values, found.lower, found.upper)
    records = [
        {
            "segment": ids[place - 1] if ids else place,
            "quality": quality,
            "low": low,
            "high": high,
            "unusual": found.unusual.get(place - 1),
        }
        for place, (quality, low, high) in enumerate(np.stack(arrays, axis=1).tolist(), 1)
    ]
    head = {"model": model.checksum, "pair": model.pair, "level": found.level, "mean": float(found.values.mean())}
    if form in ("tsv", "csv", "json", "jsonl"):
        return _records(records, form, {**head, "segments": records})
    values = np.clip(arrays, *model.label_range)  # for people
    rows = [[ids[i - 1] if ids else str(i), *(number(value, 3) for value in row)] for i, row in enumerate(values.T, 1)]
    header = ["segment", "quality", "low", "high"]
    if found.unusual:
        header.append("unlike the training texts")
        why = {place: f"yes: {reason}" for place, reason in found.unusual.items()}
        rows = [[*row, why.get(place, "")] for place, row in enumerate(rows)]
    mean = f"Mean {head['mean']:.3f} of {len(rows)} segments; intervals of {100 * found.level:g} %"
    return rendered(form, [Table(header, rows), mean], dict)


def _records(records: Sequence[Mapping[str, Any]], form: str, data: Any) -> str:
    """Format records as TSV or as JSON lines, or `data` as JSON."""
    rows = [Table(list(records[0]), [[full(value) for value in each.values()] for each in records])] if records else []
    return rendered(form, rows, lambda: records if form == "jsonl" else data)


def show_features(features: FeatureTable, form: str) -> str:
    """Format the features of each segment."""
    records = [dict(zip(features.names, row, strict=True)) for row in features.values.tolist()]
    table = Table(features.names, [[repr(value) for value in each.values()] for each in records])
    data = {"features": records, "left_out": features.left_out}
    return rendered(form, [table], lambda: records if form == "jsonl" else data)


def show_list(resources: Resources | None, names: Sequence[str] | None, form: str) -> str:
    """Format the list of all features with their resources; with given resources, whether each is available."""
    from ..quality.features import GROUPS, all_features, choose_features

    left_out = {} if resources is None else choose_features(resources)[1]
    records: list[dict[str, Any]] = [
        {
            "name": feature.name,
            "group": feature.group,
            "description": feature.description,
            "needs": sorted(feature.needs),
            "quest": feature.quest,
            "baseline": feature.baseline,
            "available": None if resources is None else feature.name not in left_out,
            "missing": left_out.get(feature.name),
        }
        for feature in all_features()
        if names is None or feature.name in names
    ]
    header = ["feature", "group", "QuEst", "WMT baseline", "needs", "there", "what it is"]
    rows = [
        [each["name"], each["group"], str(each["quest"] or ""), str(each["baseline"] or ""), " ".join(each["needs"]),
         {None: "", True: "yes", False: "no"}[each["available"]], each["description"]]
        for each in records
    ]  # fmt: skip
    groups = "\n".join(["Groups", *(f"{name}: {what}" for name, what in GROUPS.items())])
    parts: list[Part] = [Table(header, rows), *([groups] if form == "text" else [])]
    return rendered(form, parts, lambda: records)


def show_assessment(found: Assessment, form: str) -> str:
    """Format an evaluation: figures with intervals, comparison with metrics, systems."""
    return rendered(form, _assessment_parts(found), found.to_dict)


def _assessment_parts(found: Assessment) -> Iterator[Part]:
    rows = [
        [NAMES[name], number(each.value, 3), number(each.low, 3), number(each.high, 3)]
        for name, each in found.all.figures().items()
    ]
    yield Table(["", "value", "low", "high"], rows)
    undefined = ""
    if found.all.groups == 1:
        undefined = f" {DASH}: not defined, because all segments are in one group (source sentence, or --groups)."
    elif rows[0][1] == DASH:
        undefined = f" {DASH}: not defined, because labels or predictions are all the same."
    yield (
        f"{found.all.n} segments in {found.all.groups} groups. Intervals of {100 * found.all.level:g} %: "
        f"{found.all.resamples} resamples of groups, seed {found.all.seed}. Coverage: of the model's own intervals of "
        f"{100 * found.level:g} %.{undefined}"
    )
    if found.rivals:
        rows = [
            [each.metric, *(number(value, 3) for value in (each.pearson, each.difference, each.low, each.high)),
             DASH if np.isnan(each.confidence) else f"{100 * each.confidence:.1f} %"]
            for each in found.rivals
        ]  # fmt: skip
        own = ["qe", number(found.all.pearson.value, 3), "", "", "", ""]
        header = ["metric", "Pearson", "qe - metric", "low", "high", "qe is higher"]
        yield "Compared with metrics, on the same segments:\n" + table(header, [own, *rows])
    if found.across is not None:
        yield from _across_systems(found, found.across)


def _across_systems(found: Assessment, across: Across) -> Iterator[str]:
    from ..quality.cross_system import untested

    names = [name for name in NAMES if name != "spearman"]
    rows = [
        [system, str(each.n), *(number(each.figures()[name].value, 3) for name in names)]
        for system, each in found.by_system.items()
    ]
    yield "By system:\n" + table(["system", "segments", *(NAMES[name] for name in names)], rows)
    for what, values in (("Pearson", across.pearson), ("RMSE", across.rmse)):
        cells = [[name, *(number(value, 3) for value in row)] for name, row in zip(across.systems, values, strict=True)]
        title = f"{what} of models trained on one system (rows) and tested on each (columns), on other groups:\n"
        yield title + table(["trained on", *across.systems], cells)
    if few := untested(across):
        yield f"Too few segments, or labels all the same, to train on: {', '.join(few)}"


def check_figure(path: str) -> None:
    """Raise UsageError for a file that is not a figure by its name, or if a package for figures is missing."""
    from ..rendering.figures import ENDINGS, _altair, _package

    if Path(path).suffix.lower() not in ENDINGS:
        raise UsageError(f"{path}: a figure is written as {', '.join(ENDINGS)}; name the file accordingly.")
    _altair()
    if Path(path).suffix.lower() != ".json":
        _package("vl_convert")


def importance_figure(model: QualityModel) -> Figure:
    """Plot the importance of features, with two standard errors to either side."""
    from ..rendering.figures import interval_plot

    shown = model.provenance["importance"][: 2 * SHOWN]
    rows = []
    for each in shown:
        rise, error = (np.nan if each[name] is None else each[name] for name in ("increase", "standard_error"))
        rows.append((each["feature"], rise, rise - 2 * error, rise + 2 * error, False))
    return interval_plot(
        rows,
        label="rise of the RMSE when the feature is shuffled",
        title=f"Importance of features, {model.pair}, {model.learner}",
        subtitle="on held-out groups; two standard errors over folds to either side",
    )


def curve_figure(model: QualityModel) -> Figure:
    """Plot the error on held-out groups by the number of training examples."""
    from ..rendering.figures import BLUE, HOVER, Row, _altair, _data, _figure

    rows: list[Row] = [
        {
            "examples": point["examples"],
            "rmse": point["rmse"],
            "low": point["rmse"] - (point["rmse_spread"] or 0.0),
            "high": point["rmse"] + (point["rmse_spread"] or 0.0),
            "hover": f"{point['examples']:.0f} examples: RMSE {point['rmse']:.3f}, r {number(point['pearson'], 3)}",
        }
        for point in model.provenance["curve"]
    ]
    alt = _altair()
    base = alt.Chart(_data(rows)).encode(x=alt.X("examples:Q", title="training examples"))
    y = alt.Y("rmse:Q", title="RMSE on held-out groups", scale=alt.Scale(zero=False, padding=10))
    bars = base.mark_rule(color=BLUE).encode(y=alt.Y("low:Q", title="RMSE on held-out groups"), y2="high:Q")
    points = base.mark_point(color=BLUE, filled=True, size=60, opacity=1).encode(y=y, **HOVER)
    chart = alt.layer(base.mark_line(color=BLUE, aria=False).encode(y=y), bars, points).properties(
        width=460, height=280
    )
    note = "means over repeated splits, one standard deviation to either side"
    return _figure(chart, rows, f"Learning curve, {model.pair}, {model.learner}", [note], 460)
