"""The documents of `tercet qe`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..rendering.document import Column, Part, Table, grid, listing
from ..rendering.document import records as as_table
from ..rendering.tables import DASH, number
from .console import rendered

if TYPE_CHECKING:
    from ..quality.cross_system import Assessment
    from ..quality.features import FeatureTable
    from ..quality.model import Predictions, QualityModel
    from ..quality.resources import Resources

SHOWN = 15  # most important features that are listed
NAMED = 3  # features that are named of those left out for one reason
UNUSUAL = "unlike the training texts"
FIGURE = ("value", "low", "high")
NAMES = {"pearson": "Pearson", "spearman": "Spearman", "rmse": "RMSE", "mae": "MAE", "delta_avg": "DeltaAvg",
         "coverage": "coverage"}  # fmt: skip


def show_model(model: QualityModel, form: str, level: float | None = None) -> str:
    """Format a model: its training, figures and features. With the level of intervals, leave out its checksums."""
    return rendered(form, _model_parts(model, level), model.describe)


def _model_parts(model: QualityModel, level: float | None) -> Iterator[Part]:
    facts = model.provenance
    yield "\n".join(_training(model))
    names = {name: name for name in facts["held_out"]}
    if facts["learner"] == "best":
        names[model.learner] += " (chosen)"
    yield grid(
        names,
        {key: NAMES[key] for key in ("rmse", "mae", "pearson")},
        lambda name, key: facts["held_out"][name][key],
        corner="learner",
        caption="On held-out groups (cross-validation)",
    )
    yield from warnings_of(model)
    lines = [f"Features: {len(model.names)} used" + (f", {len(model.given)} of them given" if model.given else "")]
    lines += left_out_lines(dict.fromkeys(facts["constant"], "the same for all training examples") | facts["left_out"])
    yield "\n".join(lines)
    described = model.descriptions()
    yield listing(
        facts["importance"][:SHOWN],
        {
            "feature": "feature",
            "rise": lambda item: number(item["increase"], 4),
            "VIP": lambda item: number(item["vip"], 2),
            "what it is": lambda item: described[item["feature"]],
        },
        caption="Most important: rise of the RMSE on held-out groups when the feature is shuffled, and weight in PLS "
        "(VIP)",
    )
    half = model.conformal.usual_half_width(level or 0.9)
    varying = " for most segments, wider for those that are harder to predict" if model.conformal.difficulty else ""
    yield (
        f"Intervals of {100 * (level or 0.9):g} %: prediction ± {half:.3f}{varying}, by conformal prediction from the "
        "held-out groups"
    )
    if level is None:
        versions = ", ".join(f"{name} {value}" for name, value in facts["versions"].items())
        yield f"Checksum {model.checksum}\nTraining data {facts['training_checksum']}\nMade with {versions}"
        checksums = facts["resource_checksums"]
        yield listing(checksums, {"resource": str, "sha256": lambda name: checksums[name][:16]})


def _training(model: QualityModel) -> Iterator[str]:
    facts = model.provenance
    low, high = model.label_range
    yield (
        f"Model for {model.pair}: {model.learner}, trained on {facts['examples']:,} examples in {facts['groups']:,} "
        f"groups ({facts['grouped_by']}), seed {facts['seed']}"
    )
    yield (
        f"Labels from {low:g} to {high:g}, {'higher' if model.higher_is_better else 'lower'} is better; mean "
        f"{facts['label_mean']:.3f}, standard deviation {facts['label_spread']:.3f}"
    )
    if texts := facts["from_training_texts"]:
        yield (
            f"Estimated from the training texts, as there are no corpora: {', '.join(texts)}. The features of each "
            "training sentence came from models that had not seen it."
        )


def warnings_of(model: QualityModel) -> list[str]:
    """Return what a user must know: that a baseline has as low an error on held-out groups; nothing if none has."""
    errors = {name: values["rmse"] for name, values in model.provenance["held_out"].items()}
    own = errors.get(model.learner)
    baselines = [error for name, error in errors.items() if name == "mean" or name.startswith("linear:")]
    if own is None or not any(error is not None and error <= own for error in baselines):
        return []
    return [
        "This model is no better than a baseline, so it is of no use for new texts. More examples may help, or "
        "texts of the languages (--source-corpus, --target-corpus, --parallel)."
    ]


def left_out_lines(left_out: Mapping[str, str]) -> list[str]:
    """Return a line for each reason, with some of the features left out for it; JSON names all."""
    reasons: dict[str, list[str]] = {}
    for name, why in left_out.items():
        reasons.setdefault(why, []).append(name)
    return [
        f"Left out ({len(names)}): {', '.join(names[:NAMED])}{', …' if len(names) > NAMED else ''}: {why}"
        for why, names in reasons.items()
    ]


def show_predictions(model: QualityModel, found: Predictions, form: str, ids: Sequence[str] = ()) -> str:
    """Format the prediction of each segment, in the order of the files. ids: names of segments instead of numbers."""
    arrays = np.stack((found.values, found.lower, found.upper), axis=1)
    names = ids or range(1, len(arrays) + 1)
    records, shown = (
        [
            {"segment": name, "quality": row[0], "low": row[1], "high": row[2], "unusual": found.unusual.get(place)}
            for place, (name, row) in enumerate(zip(names, values.tolist(), strict=True))
        ]
        for values in (arrays, np.clip(arrays, *model.label_range))  # for programs, for people
    )
    head = {"model": model.checksum, "pair": model.pair, "level": found.level, "mean": float(found.values.mean())}
    columns: dict[str, Column] = {name: name for name in ("segment", "quality", "low", "high")}
    columns[UNUSUAL] = lambda row: f"yes: {row['unusual']}" if row["unusual"] else ""
    table = listing(shown, columns, optional=[UNUSUAL])
    mean = f"Mean {head['mean']:.3f} of {len(records)} segments; intervals of {100 * found.level:g} %"
    return rendered(form, [table, mean], lambda: {**head, "segments": records}, rows=lambda: records)


def show_features(features: FeatureTable, form: str) -> str:
    """Format the features of each segment."""
    records = [dict(zip(features.names, row, strict=True)) for row in features.values.tolist()]
    data = {"features": records, "left_out": features.left_out}
    return rendered(form, [as_table(records)], lambda: data, rows=lambda: records)


def show_list(resources: Resources | None, names: Sequence[str] | None, form: str) -> str:
    """Format the list of all features with their resources; with given resources, whether each is available."""
    from ..quality.features import GROUPS, all_features, choose_features

    left_out = {} if resources is None else choose_features(resources)[1]
    records: list[dict[str, Any]] = [
        {
            **{name: getattr(feature, name) for name in ("name", "group", "description")},
            "needs": sorted(feature.needs),
            "quest": feature.quest,
            "baseline": feature.baseline,
            "available": None if resources is None else feature.name not in left_out,
            "missing": left_out.get(feature.name),
        }
        for feature in all_features()
        if names is None or feature.name in names
    ]
    columns: dict[str, Column] = {
        "feature": "name",
        "group": "group",
        "QuEst": lambda each: each["quest"] or "",
        "WMT baseline": lambda each: each["baseline"] or "",
        "needs": lambda each: " ".join(each["needs"]),
        "there": lambda each: {None: "", True: "yes", False: "no"}[each["available"]],
        "what it is": "description",
    }
    groups = "\n".join(["Groups", *(f"{name}: {what}" for name, what in GROUPS.items())])
    return rendered(form, [listing(records, columns), *([groups] if form == "text" else [])], lambda: records)


def show_assessment(found: Assessment, form: str) -> str:
    """Format an evaluation: figures with intervals, comparison with metrics, systems."""
    figures = found.all.figures()

    def rows() -> list[dict[str, Any]]:
        return [{"": NAMES[name]} | {part: getattr(each, part) for part in FIGURE} for name, each in figures.items()]

    return rendered(form, _assessment_parts(found), found.to_dict, rows=rows)


def _assessment_parts(found: Assessment) -> Iterator[Part]:
    figures = found.all.figures()
    yield grid({name: NAMES[name] for name in figures}, FIGURE, lambda name, part: getattr(figures[name], part))
    undefined = ""
    if found.all.groups == 1:
        undefined = f" {DASH}: not defined, because all segments are in one group (source sentence, or --groups)."
    elif np.isnan(found.all.pearson.value):
        undefined = f" {DASH}: not defined, because labels or predictions are all the same."
    yield (
        f"{found.all.n} segments in {found.all.groups} groups. Intervals of {100 * found.all.level:g} %: "
        f"{found.all.resamples} resamples of groups, seed {found.all.seed}. Coverage: of the model's own intervals of "
        f"{100 * found.level:g} %.{undefined}"
    )
    if found.rivals:
        columns: dict[str, Column] = {"metric": "metric", "Pearson": "pearson", "qe - metric": "difference"}
        columns |= {"low": "low", "high": "high"}
        columns["qe is higher"] = lambda each: f"{number(100 * each.confidence, 1)} %".replace(f"{DASH} %", DASH)
        table = listing(found.rivals, columns)
        own = ["qe", number(found.all.pearson.value, 3), "", "", "", ""]
        yield Table(table.header, [own, *table.rows], caption="Compared with metrics, on the same segments")
    if found.across is None:
        return
    systems = {name: {"segments": one.n} | one.figures() for name, one in found.by_system.items()}
    shown = {"segments": "segments", **{key: title for key, title in NAMES.items() if key != "spearman"}}

    def figure(system: str, key: str) -> Any:
        value = systems[system][key]
        return getattr(value, "value", value)

    yield grid(systems.keys(), shown, figure, corner="system", caption="By system")
    places = dict(enumerate(found.across.systems))
    for what, values in (("Pearson", found.across.pearson), ("RMSE", found.across.rmse)):
        caption = f"{what} of models trained on one system (rows) and tested on each (columns), on other groups"
        yield grid(places, places, lambda *at, of=values: float(of[at]), corner="trained on", caption=caption)
    from ..quality.cross_system import untested

    if few := untested(found.across):
        yield f"Too few segments, or labels all the same, to train on: {', '.join(few)}"
