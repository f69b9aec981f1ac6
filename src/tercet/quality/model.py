"""Trained quality estimation models: prediction with intervals, description, saving and loading."""

import logging
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from ..data.display import Tabular
from ..data.model_file import CONTROL, Dataset, ModelFile, has_form
from ..data.testset import check_several
from ..errors import DataError, UsageError
from ..learning.learners import learnt_by
from ..learning.predictors import Predictor, below, predictor_from_parts
from ..learning.stored import StoredModel
from ..stats.resampling import check_share
from ..types import Floats
from .conformal import Conformal
from .features import FeatureTable, all_features, extract
from .inputs import ANY_LANGUAGE, GivenFeatures, check_languages, check_range, same_languages
from .resources import Resources

log = logging.getLogger(__name__)

SEEN = " If the model was trained on these very texts, its language models have seen them: predict others."
LEVELS = (0.5, 0.8, 0.9, 0.95)  # of the intervals whose width `describe` reports
# The fields of a model in its file, as plain values and as arrays, the latter by their names there.
_PLAIN = ("label_range", "range_given", "higher_is_better", "most_outside", "features", "given")
_ARRAYS = {"means": "means", "bounds": "bounds", "predictions": "held_out_predictions", "labels": "held_out_labels"}
_FIGURE = float | None  # None if undefined
_FIGURES = dict.fromkeys(("rmse", "mae", "pearson"), _FIGURE)
_IMPORTANCE = {"feature": str} | dict.fromkeys(("increase", "standard_error", "vip", "coefficient"), _FIGURE)
_POINT = {"repeats": int} | dict.fromkeys(("examples", "rmse", "rmse_spread", "pearson", "pearson_spread"), _FIGURE)
PROVENANCE = {  # the form of `QualityModel.provenance`
    "learner": str, "seed": int, "grouped_by": str, "held_out": {str: _FIGURES}, "importance": [_IMPORTANCE],
    "curve": [_POINT], "examples": int, "groups": int, "label_mean": float, "label_spread": float,
    "left_out": {str: str}, "constant": [str], "from_training_texts": [str],
    "sentences": {"source": int, "target": int, "parallel": int}, "training_checksum": str,
    "resource_checksums": {str: str}, "versions": {str: str}, "needs": {str: str},
    "trained_on": [{"name": str, "checksum": str, "size": int}],
}  # fmt: skip
# Of the provenance, what every model file has in a place of its own.
_ON_THE_CARD = ("held_out", "needs", "trained_on")


@dataclass(frozen=True, eq=False)
class Predictions(Tabular):
    """Predicted quality of each segment, with an interval that contains the true label with probability `level`.

    Predictions and intervals are not clipped to the range of labels. features: the features of the segments. unusual:
    by row (from 0), why a segment is unlike the training texts, so that its prediction is not reliable. one_sided:
    whether either source or output is empty, but not both; the prediction is then the worst label.
    """

    values: Floats
    lower: Floats
    upper: Floats
    level: float
    features: FeatureTable
    unusual: Mapping[int, str]
    one_sided: NDArray[np.bool_]

    def rows(self, ids: Sequence[str] = (), within: tuple[float, float] | None = None) -> list[dict[str, object]]:
        """Return a row per segment: id or number, prediction, interval, and why it is unusual. within: clip to this."""
        values = np.stack((self.values, self.lower, self.upper), axis=1)
        values = values if within is None else np.clip(values, *within)
        names = ids or range(1, len(values) + 1)
        return [
            {"segment": name, "quality": value, "low": low, "high": high, "unusual": self.unusual.get(row)}
            for row, (name, (value, low, high)) in enumerate(zip(names, values.tolist(), strict=True))
        ]


@dataclass(frozen=True, eq=False)
class QualityModel(StoredModel):
    """A model that predicts the label that a person would give a translation, from source and output alone.

    languages: source and target. label_range: lowest and highest label; range_given: whether the user gave the range,
    otherwise it is that of the training labels. features: those extracted from texts; given: the user's own, in the
    columns after them. means, bounds: of all features over the training texts, shapes (k,) and (2, k). most_outside:
    how many features of a usual text may be outside the bounds. held_out_predictions, held_out_labels: of the training
    texts, each predicted by a model that had not seen its group. provenance: training data, figures, importance of
    features and versions, for JSON (`PROVENANCE`).
    """

    languages: tuple[str, str]
    label_range: tuple[float, float]
    range_given: bool
    higher_is_better: bool
    features: tuple[str, ...]
    given: tuple[str, ...]
    means: Floats
    bounds: Floats
    most_outside: int
    predictor: Predictor
    conformal: Conformal
    held_out_predictions: Floats
    held_out_labels: Floats
    resources: Resources
    provenance: Mapping[str, Any]

    kind: ClassVar[str] = "quality-estimation"
    made_by: ClassVar[str] = "tercet qe train"

    @property
    def pair(self) -> str:
        """The language pair, such as et-en; any-en for a model that takes any source language."""
        source, target = self.languages
        return f"{'any' if source == ANY_LANGUAGE else source}-{target}"

    @property
    def names(self) -> tuple[str, ...]:
        return self.features + self.given

    @property
    def learner(self) -> str:
        """The name of the learner; for `best`, of the one that was chosen."""
        return learnt_by(self.predictor, self.names)[0].name

    @property
    def settings(self) -> Mapping[str, Any]:
        """The settings of the learner that cross-validation chose."""
        return dict(learnt_by(self.predictor, self.names)[1])

    @property
    def warning(self) -> str:
        """What a user must know: that a baseline has as low an error on held-out groups; empty if none has."""
        errors = {name: values["rmse"] for name, values in self.provenance["held_out"].items()}
        own = errors.get(self.learner)
        baselines = [error for name, error in errors.items() if name.partition(":")[0] in ("mean", "linear")]
        if own is None or not any(error is not None and error <= own for error in baselines):
            return ""
        return (
            "This model is no better than a baseline, so it is of no use for new texts. More examples may help, or "
            "texts of the two languages, also parallel ones."
        )

    def describe(self) -> dict[str, object]:
        return {
            "pair": self.pair,
            "checksum": self.checksum,
            "label_range": list(self.label_range),
            "range_given": self.range_given,
            "higher_is_better": self.higher_is_better,
            "chosen": self.learner,
            "settings": self.settings,
            "features": list(self.features),
            "given": list(self.given),
            "half_width": {
                str(level): width if (width := self.conformal.usual_half_width(level)) < float("inf") else None
                for level in LEVELS
            },
            "half_width_varies": self.conformal.difficulty is not None,
            **self.provenance,
        }

    def descriptions(self) -> dict[str, str]:
        known = {feature.name: feature.description for feature in all_features()}
        return {name: known.get(name, name) for name in self.features} | {name: name for name in self.given}

    def check_languages(self, languages: Sequence[str]) -> None:
        if not same_languages(languages, self.languages):
            raise UsageError(f"The model is for {self.pair}, and these texts are {'-'.join(languages)}.")

    def featurise(
        self,
        sources: Sequence[str],
        outputs: Sequence[str],
        *,
        given: GivenFeatures | None = None,
        executor: Executor | None = None,
    ) -> FeatureTable:
        check_several(sources)
        check_several(outputs)
        self._warn_of_changed_needs()
        table = extract(sources, outputs, self.resources, names=self.features, executor=executor)
        if self.given and given is None:
            named = ", ".join(self.given)
            raise UsageError(f"The model uses features of your own: give {named} with `extra_features`.")
        if given is not None and not self.given:
            raise UsageError("The model was trained without features of your own: leave out `extra_features`.")
        return with_given(table, None if given is None else given.only(self.given))

    def predict(
        self,
        sources: Sequence[str],
        outputs: Sequence[str],
        *,
        level: float = 0.9,
        given: GivenFeatures | None = None,
        executor: Executor | None = None,
    ) -> Predictions:
        """Predict quality, with intervals, within the range of labels if the user gave one.

        Where one side is empty, quality is the worst label by rule.
        """
        check_share("The level of intervals", level)  # before any work
        table = self.featurise(sources, outputs, given=given, executor=executor)
        values = self.predictor.predict(table.values)
        lower, upper = self.conformal.interval(values, level, table.values)
        if self.range_given:
            values, lower, upper = (np.clip(each, *self.label_range) for each in (values, lower, upper))
        without_source, without_output = (
            np.array([not text.strip() for text in texts], dtype=np.bool_) for texts in (sources, outputs)
        )
        one_sided = without_source != without_output
        worst, best = self.label_range if self.higher_is_better else self.label_range[::-1]
        values[one_sided] = worst
        lower[one_sided], upper[one_sided] = sorted((worst, best))
        unusual = self._unusual(without_source, without_output, table.values)
        return Predictions(values, lower, upper, level, table, unusual, one_sided)

    def _warn_of_changed_needs(self) -> None:
        """Warn once if a parser or the encoder has another version than in training."""
        if "_warned" in self.__dict__ or not self.provenance["needs"]:
            return
        self.__dict__["_warned"] = True
        here = self.resources.needs()
        for name, trained_with in self.provenance["needs"].items():
            if here.get(name) != trained_with:
                log.warning(
                    "The model was trained with %s (its %s), and here is %s: predictions may differ. Install that "
                    "version, or train the model again.", trained_with, name, here.get(name),
                )  # fmt: skip

    def _unusual(
        self, without_source: NDArray[np.bool_], without_output: NDArray[np.bool_], features: Floats
    ) -> dict[int, str]:
        """Return by row why a segment is unlike the training texts, and warn if there are any."""
        outside = ((features < self.bounds[0]) | (features > self.bounds[1])).sum(1)
        found = {}
        for row in np.flatnonzero(without_source | without_output | (outside > self.most_outside)).tolist():
            if without_source[row]:
                found[row] = "source and output are empty" if without_output[row] else "the source is empty"
            elif without_output[row]:
                found[row] = "the output is empty"
            else:
                counted = f"{outside[row]} of {features.shape[1]} features"
                found[row] = f"{counted} are outside the range of the training texts"
        if found:
            log.warning(
                "%d of %d segments are unlike the training texts, so their predictions are not reliable; the first is "
                "segment %d: %s.%s",
                len(found), len(features), min(found) + 1, found[min(found)],
                SEEN if 2 * len(found) > len(features) else "",
            )  # fmt: skip
        return found

    def to_file(self) -> ModelFile:
        facts, arrays = self.predictor.to_parts()
        calibration, scores = self.conformal.to_parts()
        provenance = {name: fact for name, fact in self.provenance.items() if name not in _ON_THE_CARD}
        own = {name: getattr(self, name) for name in _PLAIN}
        own |= {"predictor": facts, "conformal": calibration, "provenance": provenance}
        tables = {name: getattr(self, field) for name, field in _ARRAYS.items()}
        tables |= {f"predictor.{name}": array for name, array in arrays.items()}
        tables |= {f"conformal.{name}": array for name, array in scores.items()}
        figures, needs, trained_on = (self.provenance.get(name, {}) for name in _ON_THE_CARD)
        datasets = tuple(Dataset(**dataset) for dataset in trained_on)
        return ModelFile(self.kind, own, tables, self.resources.members(), self.languages, datasets, figures, needs)

    @classmethod
    def from_file(cls, content: ModelFile) -> Self:
        facts, arrays = content.manifest, content.arrays
        trained_on = [asdict(each) for each in content.trained_on]
        card = {"held_out": content.figures, "needs": content.needs, "trained_on": trained_on}
        provenance = facts["provenance"] | card
        unknown = set(facts["features"]) - {feature.name for feature in all_features()}
        if unknown:
            raise ValueError(f"it uses features that are not known here: {', '.join(sorted(unknown))}")
        strange = {name for name in arrays if not name.startswith(("predictor.", "conformal."))} - _ARRAYS.keys()
        if strange:
            raise ValueError(f"it has arrays that are not known here: {', '.join(sorted(strange))}")
        own: dict[str, Any] = {name: facts[name] for name in _PLAIN}
        own |= {name: tuple(facts[name]) for name in ("features", "given")}
        own |= {"label_range": check_range(facts["label_range"])}
        own |= {field: arrays[name] for name, field in _ARRAYS.items()}
        model = cls(
            **own,
            languages=check_languages(content.languages or ()),
            predictor=predictor_from_parts(facts["predictor"], below("predictor.", arrays)),
            conformal=Conformal.from_parts(facts["conformal"], below("conformal.", arrays)),
            resources=Resources.from_members(content.blobs),
            provenance={name: provenance[name] for name in PROVENANCE},
        )
        if fault := model._fault():
            raise ValueError(fault)
        return model

    def _fault(self) -> str | None:
        """Return what is inconsistent in a model from a file, or None."""
        width, examples = len(self.names), (self.held_out_labels.size,)
        shapes = {"means": (width,), "bounds": (2, width)}
        shapes |= dict.fromkeys(("held_out_predictions", "held_out_labels"), examples)
        for name, shape in shapes.items():
            array = getattr(self, name)
            if array.dtype != np.float64 or array.shape != shape or not np.isfinite(array).all():
                return f"{name} is not an array of numbers of the shape {shape}"
        if len(set(self.names)) < width or not has_form(list(self.names), [str]):
            return "a feature is there twice, or has a name with control characters"
        learnt_by(self.predictor, self.names)
        difficulty = self.conformal.difficulty
        if any(part is not None and part.inputs.width != width for part in (self.predictor, difficulty)):
            return f"its predictor does not use {width} features"
        if not isinstance(self.range_given, bool) or not isinstance(self.higher_is_better, bool):
            return "it does not say whether higher is better, or whether the range of labels was given"
        if not isinstance(self.most_outside, int):
            return f"most_outside is {self.most_outside!r}"
        if not same_languages(self.languages, self.resources.languages):
            return "its resources are of other languages"
        for name, form in PROVENANCE.items():
            if not has_form(self.provenance[name], form):
                return f"{name} in its provenance has the wrong form"
        if not {each["feature"] for each in self.provenance["importance"]} <= set(self.names):
            return "it has the importance of features that it does not use"
        return None


def with_given(table: FeatureTable, given: GivenFeatures | None) -> FeatureTable:
    """Return the table with the user's own features after the extracted ones."""
    if given is None:
        return table
    given.check_rows(len(table))
    for name in given.names:
        if name in table.names:
            raise DataError(f"Your feature {name!r} has the name of one of Tercet's. Rename it.")
        if CONTROL.search(name):
            raise DataError(f"The name of your feature {name!r} has control characters. Rename it.")
    return FeatureTable(table.names + given.names, np.hstack([table.values, given.values]), table.left_out)
