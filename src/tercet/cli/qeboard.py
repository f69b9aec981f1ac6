"""Format the results of `tercet qe`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import UsageError
from ..report.tables import DASH, json_able, number, table, to_json

if TYPE_CHECKING:
    from ..quality.cross_system import Assessment
    from ..quality.features import FeatureTable
    from ..quality.model import Predictions, QualityModel
    from ..quality.resources import Resources
    from ..report.figures import Figure

SHOWN = 15  # most important features that are listed
NAMED = 3  # features that are named of those left out for one reason
FIGURES = ("rmse", "mae", "pearson")


def show_training(model: QualityModel, form: str, level: float) -> str:
    """Format the result of training: figures of learners and baselines on held-out groups, features, intervals."""
    if form == "json":
        return to_json(model.describe())
    return "\n\n".join([*_about(model), *_features(model), _intervals(model, level)])


def show_model(model: QualityModel, form: str) -> str:
    """Format the full description of a model."""
    if form == "json":
        return to_json(model.describe())
    checksums = model.provenance["resource_checksums"]
    rows = [[name, value[:16]] for name, value in checksums.items()]
    versions = ", ".join(f"{name} {value}" for name, value in model.provenance["versions"].items())
    ends = [
        f"Checksum {model.checksum}\nTraining data {model.provenance['training_checksum']}\nMade with {versions}",
        table(["resource", "sha256"], rows),
    ]
    return "\n\n".join([*_about(model), *_features(model), _intervals(model, 0.9), *ends])


def _about(model: QualityModel) -> list[str]:
    facts = model.provenance
    low, high = model.label_range
    better = "higher" if model.higher_is_better else "lower"
    learnt = model.learner
    lines = [
        f"Model for {model.pair}: {learnt}, trained on {facts['examples']:,} examples in {facts['groups']:,} groups "
        f"({facts['grouped_by']}), seed {facts['seed']}",
        f"Labels from {low:g} to {high:g}, {better} is better; mean {facts['label_mean']:.3f}, "
        f"standard deviation {facts['label_spread']:.3f}",
    ]
    if facts["from_training_texts"]:
        lines.append(
            "Estimated from the training texts, as there are no corpora: "
            + ", ".join(facts["from_training_texts"])
            + ". The features of each training sentence came from models that had not seen it."
        )
    rows = [
        [f"{name} (chosen)" if name == learnt and facts["learner"] == "best" else name,
         *(number(values[figure], 3) for figure in FIGURES)]
        for name, values in facts["held_out"].items()
    ]  # fmt: skip
    heading = "On held-out groups (cross-validation):"
    parts = ["\n".join(lines), f"{heading}\n" + table(["learner", "RMSE", "MAE", "Pearson"], rows)]
    if _fails_baselines(model):
        parts.append(
            "This model is no better than a baseline, so it is of no use for new texts. More examples may help, or "
            "texts of the languages (--source-corpus, --target-corpus, --parallel)."
        )
    return parts


def _fails_baselines(model: QualityModel) -> bool:
    """Return whether a baseline has an error that is as low on held-out groups, as far as errors are known."""
    errors = {name: values["rmse"] for name, values in model.provenance["held_out"].items()}
    baselines = [error for name, error in errors.items() if name == "mean" or name.startswith("linear:")]
    own = errors.get(model.learner)
    return own is not None and any(error is not None and error <= own for error in baselines)


def _features(model: QualityModel) -> list[str]:
    facts = model.provenance
    lines = [f"Features: {len(model.names)} used" + (f", {len(model.given)} of them given" if model.given else "")]
    lines += left_out_lines(dict.fromkeys(facts["constant"], "the same for all training examples") | facts["left_out"])
    described = model.descriptions()
    rows = [
        [item["feature"], number(item["increase"], 4), number(item["vip"], 2), described[item["feature"]]]
        for item in facts["importance"][:SHOWN]
    ]
    heading = (
        "Most important: rise of the RMSE on held-out groups when the feature is shuffled, and weight in PLS (VIP)"
    )
    return ["\n".join(lines), f"{heading}\n" + table(["feature", "rise", "VIP", "what it is"], rows)]


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


def show_predictions(model: QualityModel, found: Predictions, form: str) -> str:
    """Format the prediction of each segment, in the order of the files."""
    if form == "text":
        values = np.clip((found.values, found.lower, found.upper), *model.label_range)  # for people
        rows = [[str(i), *(number(value, 3) for value in row)] for i, row in enumerate(values.T, 1)]
        header = ["segment", "quality", "low", "high"]
        if found.unusual:
            header.append("unlike the training texts")
            why = {place: f"yes: {reason}" for place, reason in found.unusual.items()}
            rows = [[*row, why.get(place, "")] for place, row in enumerate(rows)]
        mean = f"Mean {found.values.mean():.3f} of {len(rows)} segments; intervals of {100 * found.level:g} %"
        return f"{table(header, rows)}\n\n{mean}"
    names = ("segment", "quality", "low", "high", "unusual")
    numbers = range(1, len(found.values) + 1)
    columns = (
        numbers,
        *(part.tolist() for part in (found.values, found.lower, found.upper)),
        [found.unusual.get(number - 1) for number in numbers],
    )
    records = [dict(zip(names, values, strict=True)) for values in zip(*columns, strict=True)]
    if form == "tsv":
        rows = [["" if value is None else str(value) for value in record.values()] for record in records]
        return table(names, rows, "tsv")
    if form == "jsonl":
        return "\n".join(json.dumps(json_able(record)) for record in records)
    head = {"model": model.checksum, "pair": model.pair, "level": found.level, "mean": float(found.values.mean())}
    return to_json({**head, "segments": records})


def show_features(features: FeatureTable, form: str) -> str:
    """Format the features of each segment."""
    rows = features.values.tolist()
    if form == "tsv":
        return table(features.names, [[repr(value) for value in row] for row in rows], "tsv")
    records = [dict(zip(features.names, row, strict=True)) for row in rows]
    if form == "jsonl":
        return "\n".join(json.dumps(record, ensure_ascii=False) for record in records)
    return to_json({"features": records, "left_out": features.left_out})


def show_list(resources: Resources | None, names: Sequence[str] | None, form: str) -> str:
    """Format the list of all features with their resources; with given resources, whether each is available."""
    from ..quality.features import GROUPS, all_features, choose_features

    wanted = [feature for feature in all_features() if names is None or feature.name in names]
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
        for feature in wanted
    ]
    if form in ("json", "jsonl"):
        return to_json(records) if form == "json" else "\n".join(json.dumps(each) for each in records)
    header = ["feature", "group", "QuEst", "WMT baseline", "needs", "there", "what it is"]
    rows = [
        [each["name"], each["group"], str(each["quest"] or ""), str(each["baseline"] or ""), " ".join(each["needs"]),
         {None: "", True: "yes", False: "no"}[each["available"]], each["description"]]
        for each in records
    ]  # fmt: skip
    if form == "tsv":
        return table(header, rows, "tsv")
    groups = "\n".join(f"{name}: {what}" for name, what in GROUPS.items())
    return f"{table(header, rows)}\n\nGroups\n{groups}"


def show_assessment(found: Assessment, form: str) -> str:
    """Format an evaluation: figures with intervals, comparison with metrics, systems."""
    if form == "json":
        return to_json(found.to_dict())
    parts = [_evaluation(found)]
    if found.rivals:
        parts.append(_rivals(found))
    if found.across is not None:
        parts += _systems(found)
    return "\n\n".join(parts)


NAMES = {
    "pearson": "Pearson", "spearman": "Spearman", "rmse": "RMSE", "mae": "MAE", "delta_avg": "DeltaAvg",
    "coverage": "coverage",
}  # fmt: skip


def _evaluation(found: Assessment) -> str:
    rows = [
        [NAMES[name], number(each.value, 3), number(each.low, 3), number(each.high, 3)]
        for name, each in found.all.figures().items()
    ]
    undefined = ""
    if found.all.groups == 1:
        undefined = f" {DASH}: not defined, because all segments are in one group (source sentence, or --groups)."
    elif rows[0][1] == DASH:
        undefined = f" {DASH}: not defined, because labels or predictions are all the same."
    note = (
        f"{found.all.n} segments in {found.all.groups} groups. Intervals of {100 * found.all.level:g} %: "
        f"{found.all.resamples} resamples of groups, seed {found.all.seed}. Coverage: of the model's own intervals of "
        f"{100 * found.level:g} %.{undefined}"
    )
    return table(["", "value", "low", "high"], rows) + f"\n\n{note}"


def _rivals(found: Assessment) -> str:
    own = [["qe", number(found.all.pearson.value, 3), "", "", "", ""]]
    rows = [
        [each.metric, *(number(value, 3) for value in (each.pearson, each.difference, each.low, each.high)),
         DASH if np.isnan(each.confidence) else f"{100 * each.confidence:.1f} %"]
        for each in found.rivals
    ]  # fmt: skip
    header = ["metric", "Pearson", "qe - metric", "low", "high", "qe is higher"]
    return "Compared with metrics, on the same segments:\n" + table(header, [*own, *rows])


def _systems(found: Assessment) -> list[str]:
    from ..quality.cross_system import untested

    across = found.across
    if across is None:
        return []
    names = tuple(name for name in NAMES if name != "spearman")
    rows = [
        [system, str(each.n), *(number(each.figures()[name].value, 3) for name in names)]
        for system, each in found.by_system.items()
    ]
    parts = ["By system:\n" + table(["system", "segments", *(NAMES[name] for name in names)], rows)]
    for what, values in (("Pearson", across.pearson), ("RMSE", across.rmse)):
        cells = [[name, *(number(value, 3) for value in row)] for name, row in zip(across.systems, values, strict=True)]
        title = f"{what} of models trained on one system (rows) and tested on each (columns), on other groups:\n"
        parts.append(title + table(["trained on", *across.systems], cells))
    if few := untested(across):
        parts.append(f"Too few segments, or labels all the same, to train on: {', '.join(few)}")
    return parts


def check_figure(path: str) -> None:
    """Raise UsageError for a file that is not a figure by its name, or if a package for figures is missing."""
    from ..report.figures import ENDINGS, _altair, _package

    if Path(path).suffix.lower() not in ENDINGS:
        raise UsageError(f"{path}: a figure is written as {', '.join(ENDINGS)}; name the file accordingly.")
    _altair()
    if Path(path).suffix.lower() != ".json":
        _package("vl_convert")


def importance_figure(model: QualityModel) -> Figure:
    """Plot the importance of features, with two standard errors to either side."""
    from ..report.figures import interval_plot

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
    from ..report.figures import BLUE, HOVER, Row, _altair, _data, _figure

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
