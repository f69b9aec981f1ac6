"""The documents of `tercet qe`."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from math import isnan

from ...cli.console import rendered
from ...quality.changed import table_of_changed
from ...quality.cross_system import Assessment
from ...quality.features import GROUPS, FeatureTable
from ...quality.model import Predictions, QualityModel
from ...rendering.document import Column, Part, Table, grid, listing, records
from ...rendering.tables import DASH, number
from .inputs import left_out_lines

SHOWN = 15  # most important features that are listed
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
        names, {key: NAMES[key] for key in ("rmse", "mae", "pearson")}, lambda name, key: facts["held_out"][name][key],
        corner="learner", caption="On held-out groups (cross-validation)",
    )  # fmt: skip
    if changed := table_of_changed(model.checksum):
        caption, rows = changed
        yield Table(["from", "outputs", "changed of 100"], rows, caption=caption)
    if model.warning:
        yield model.warning
    lines = [f"Features: {len(model.names)} used" + (f", {len(model.given)} of them given" if model.given else "")]
    lines += left_out_lines(dict.fromkeys(facts["constant"], "the same for all training examples") | facts["left_out"])
    yield "\n".join(lines)
    described = model.descriptions()
    columns: dict[str, Column] = {
        "feature": "feature",
        "rise": lambda item: number(item["increase"], 4),
        "VIP": lambda item: number(item["vip"], 2),
        "what it is": lambda item: described[item["feature"]],
    }
    caption = (
        "Most important: rise of the RMSE on held-out groups when the feature is shuffled, and weight in PLS (VIP)"
    )
    yield listing(facts["importance"][:SHOWN], columns, caption=caption)
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


def show_predictions(model: QualityModel, found: Predictions, form: str, ids: Sequence[str] = ()) -> str:
    """Format the prediction of each segment, in the order of the files. ids: names of segments instead of numbers."""
    head = {"model": model.checksum, "pair": model.pair, "level": found.level, "mean": float(found.values.mean())}
    columns: dict[str, Column] = {name: name for name in ("segment", "quality", "low", "high")}
    columns["unlike the training texts"] = lambda row: f"yes: {row['unusual']}" if row["unusual"] else ""
    table = listing(found.rows(ids, model.label_range), columns, optional=["unlike the training texts"])
    mean = f"Mean {head['mean']:.3f} of {len(found.values)} segments; intervals of {100 * found.level:g} %"
    rows = partial(found.rows, ids)
    return rendered(form, [table, mean], lambda: {**head, "segments": rows()}, rows=rows)


def show_features(features: FeatureTable, form: str) -> str:
    """Format the features of each segment."""
    return rendered(form, [records(features.rows())], features.to_dict, rows=features.rows)


def show_list(features: Sequence[Mapping[str, object]], form: str) -> str:
    """Format the list of features (`describe_features`)."""
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
    return rendered(form, [listing(features, columns), *([groups] if form == "text" else [])], lambda: features)


def show_assessment(found: Assessment, form: str) -> str:
    """Format an evaluation: figures with intervals, comparison with metrics, systems."""
    figures = found.all.figures().items()
    rows = [{"": NAMES[name]} | {part: getattr(each, part) for part in FIGURE} for name, each in figures]
    table = listing(rows, {name: name for name in ("", *FIGURE)})
    return rendered(form, [table, *_assessment_parts(found)], found.to_dict, rows=lambda: rows)


def _assessment_parts(found: Assessment) -> Iterator[Part]:
    undefined = ""
    if found.all.groups == 1:
        undefined = f" {DASH}: not defined, because all segments are in one group (source sentence, or --groups)."
    elif isnan(found.all.pearson.value):
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
    systems = [
        {"system": name, "segments": one.n} | {NAMES[key]: each.value for key, each in one.figures().items()}
        for name, one in found.by_system.items()
    ]
    yield listing(systems, {name: name for name in systems[0] if name != "Spearman"}, caption="By system")
    places = dict(enumerate(found.across.systems))
    for what, values in (("Pearson", found.across.pearson), ("RMSE", found.across.rmse)):
        caption = f"{what} of models trained on one system (rows) and tested on each (columns), on other groups"
        yield grid(places, places, lambda *at, of=values: float(of[at]), corner="trained on", caption=caption)
    if few := found.across.untested:
        yield f"Too few segments, or labels all the same, to train on: {', '.join(few)}"
