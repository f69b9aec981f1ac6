"""Training a model of quality: resources, features, cross-validation, intervals, what was important.

Specia, Cancedda and Dymetman (2010), "A Dataset for Assessing Machine Translation Evaluation Metrics". Groups (source
sentences, documents) are never on both sides of a split. Where language and translation models are estimated from the
training texts themselves, the features of every training sentence come from models that have not seen its group: a
sentence that a model was trained on looks better to it than any new one will.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import asdict, dataclass, fields, replace
from difflib import get_close_matches
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import __version__
from ..errors import DataError, UsageError
from ..stats.correlation import is_constant_series
from .conformal import calibrate
from .features import (
    GROUPS,
    FeatureTable,
    all_features,
    baseline_features,
    choose_features,
    cross_fitted,
    extract,
    find_feature,
)
from .importance import Importance, permutation_importance
from .inputs import GivenFeatures, Range, check_labels, check_languages, check_range, same_languages
from .learner_base import FOLDS, check_examples, draw_some
from .learners import CrossFitted, create, cross_fit, learnt_by
from .learning_curves import CurvePoint, curve_splits, learning_curve
from .model import QualityModel, check_rows, with_given
from .predictors import LinearPredictor
from .resources import Resources, principal_axes, tag_texts
from .splits import SEED, Rows, folds, number_groups, scikit_learn
from .training_data import Corpora, Examples

if TYPE_CHECKING:
    from concurrent.futures import Executor

Floats = NDArray[np.float64]
Progress = Callable[[str], None]

# What a model must beat: the mean label, and lines through the length and through the language model's probability.
BASELINES = ("mean", "linear:source_tokens", "linear:target_log_probability")
UNUSUAL = 0.01  # of texts like those of training that may be called unlike them
MOST_FOR_IMPORTANCE = 1000  # examples from which the importance of features is found, for models that predict slowly


def train(
    sources: Sequence[str],
    outputs: Sequence[str],
    labels: ArrayLike,
    languages: str | Sequence[str],
    *,
    learner: str = "best",
    groups: Sequence[Hashable] | None = None,
    resources: Resources | None = None,
    source_texts: Sequence[str] = (),
    target_texts: Sequence[str] = (),
    parallel: tuple[Sequence[str], Sequence[str]] | None = None,
    tags: bool = False,
    embeddings: str | None = None,
    given: GivenFeatures | None = None,
    features: Sequence[str] | None = None,
    label_range: Range | None = None,
    higher_is_better: bool = True,
    curve: bool = False,
    seed: int = SEED,
    executor: Executor | None = None,
    progress: Progress | None = None,
) -> QualityModel:
    """A model that predicts labels from sources and outputs; what it does on unseen groups is in its provenance.

    learner: pls, ridge, svr, gbm, or best of these in cross-validation. groups: what must not be split, by default the
    source sentence. resources: what features rest on; without them they are estimated from source_texts, target_texts
    and parallel, and what these do not give from the training texts. given: features of one's own. features: only
    these, by name or group. label_range: the lowest and highest label that there can be, by default those there are.
    curve: find out too how the error falls with more examples. The same seed gives the same model, for any number of
    processes.
    """
    say = progress or (lambda _: None)
    label_range = None if label_range is None else check_range(label_range)
    examples = check_training(sources, outputs, labels, groups, label_range)
    _check_asked(learner, features, given, len(examples.labels))
    if curve:
        curve_splits(number_groups(examples.groups), seed=seed)
    corpora = Corpora(check_languages(languages), source_texts, target_texts, parallel, tags, embeddings)
    if resources is None:
        corpora = corpora.without(examples)
    elif not same_languages(resources.languages, corpora.languages):
        given_pair, pair = map("-".join, (resources.languages, corpora.languages))
        raise UsageError(f"The resources are for {given_pair}, and these texts are {pair}.")
    made = featurise(examples, corpora, resources, features, given, seed=seed, executor=executor, say=say)
    say("learning")
    fit = partial(_fitted, made.table, examples, seed=seed, executor=executor)
    fitted = fit(learner)
    figures = _figures(fitted, [fit(name) for name in BASELINES if name.partition(":")[2] in ("", *made.table.names)])
    how: Any = {"seed": seed, "executor": executor}
    say("importance of features")
    importance = _importance(fitted, made.table, examples, **how)
    if curve:
        say("learning curve")
    points = _curve(fitted, made.table, examples, **how) if curve else ()
    facts = {
        "learner": learner,
        "seed": seed,
        "grouped_by": "source sentence" if groups is None else "given groups",
        "held_out": figures,
        "importance": [asdict(each) for each in importance],
        "curve": [asdict(point) for point in points],
    }
    own = tuple(name for name in made.table.names if given is None or name not in given.names)
    return QualityModel(
        languages=corpora.languages,
        label_range=label_range or (float(examples.labels.min()), float(examples.labels.max())),
        range_given=label_range is not None,
        higher_is_better=higher_is_better,
        features=own,
        given=made.table.names[len(own) :],
        means=made.table.values.mean(0),
        bounds=np.stack([made.table.values.min(0), made.table.values.max(0)]),
        most_outside=most_outside(made.table.values, examples.groups, seed),
        predictor=fitted.predictor,
        conformal=calibrate(examples.labels, fitted.held_out, examples.groups, features=made.table.values, **how),
        held_out_predictions=fitted.held_out,
        held_out_labels=examples.labels,
        resources=made.resources,
        provenance=json_able(facts | _provenance(examples, corpora, made)),
    )


def _check_asked(learner: str, features: Sequence[str] | None, given: GivenFeatures | None, segments: int) -> None:
    """Raise an error, before any work, for unknown names, features of other segments, or missing scikit-learn."""
    scikit_learn("base")
    features_named(features or ())
    if given is not None:
        check_rows(given, segments)
    create(learner, [feature.name for feature in all_features()] + list(given.names if given else ()))


def _provenance(examples: Examples, corpora: Corpora, made: Featurised) -> dict[str, Any]:
    """What a model was made from."""
    return {
        "examples": len(examples.labels),
        "groups": len(set(examples.groups)),
        "label_mean": float(examples.labels.mean()),
        "label_spread": float(examples.labels.std()),
        "left_out": made.table.left_out,
        "constant": list(made.constant),
        "from_training_texts": list(made.from_training),
        "sentences": {
            "source": len(corpora.source_texts),
            "target": len(corpora.target_texts),
            "parallel": 0 if corpora.parallel is None else len(corpora.parallel[0]),
        },
        "training_checksum": examples.checksum(),
        "resource_checksums": made.resources.checksums(),
        "versions": _versions(),
        "needs": made.resources.needs(),
        "trained_on": [asdict(each) for each in (examples.dataset(), *corpora.datasets())],
    }


def check_training(
    sources: Sequence[str],
    outputs: Sequence[str],
    labels: ArrayLike,
    groups: Sequence[Hashable] | None,
    label_range: Range | None,
) -> Examples:
    """The examples, if something can be learnt from them."""
    values = np.asarray(labels, dtype=np.float64)
    if values.ndim != 1 or not len(sources) == len(outputs) == len(values):
        raise DataError(
            f"There are {len(sources)} sources, {len(outputs)} outputs and {values.size} labels: each segment needs "
            "one of each."
        )
    check_labels(values, label_range, lambda row: f"Example {row + 1}")
    examples = Examples(tuple(sources), tuple(outputs), values, tuple(sources if groups is None else groups))
    check_examples(np.empty((len(values), 0)), values, examples.groups)
    return examples


@dataclass(frozen=True, eq=False)
class Featurised:
    """The features of training examples, and the resources for new texts."""

    table: FeatureTable
    resources: Resources
    constant: tuple[str, ...]
    from_training: tuple[str, ...]


def featurise(
    examples: Examples,
    corpora: Corpora,
    resources: Resources | None = None,
    features: Sequence[str] | None = None,
    given: GivenFeatures | None = None,
    *,
    seed: int = SEED,
    executor: Executor | None = None,
    say: Progress = lambda _: None,
) -> Featurised:
    """Features of examples from resources that have not seen them; those that are the same everywhere are left out."""
    from_training: tuple[str, ...] = ()
    if resources is None and corpora.embeddings is not None:
        say("sentence embeddings")
        axes = principal_axes(corpora.embeddings, [*examples.sources, *examples.outputs], executor=executor)
        corpora = replace(corpora, embedding_axes=axes)
    if resources is not None or corpora.parallel is not None:
        complete = resources or corpora.estimate(say)
        names, left_out = chosen_features(features, complete)
        say("features")
        table = extract(examples.sources, examples.outputs, complete, names=names, executor=executor)
    else:
        if corpora.tags:  # once, for the models of all folds and for the features
            pairs = examples.sources, examples.outputs
            corpora = replace(corpora, tagged=tag_texts(corpora.languages, *pairs, executor=executor, progress=say))
        outside = corpora.estimate(say)
        fill = partial(_filled, outside, examples, corpora)
        complete = fill(np.arange(len(examples.labels)))
        from_training = tuple(
            each.name for each in fields(Resources) if getattr(outside, each.name) is not getattr(complete, each.name)
        )
        names, left_out = chosen_features(features, complete)
        say("features from models that have not seen the sentence")
        table = cross_fitted(
            examples.sources, examples.outputs, examples.groups, fill, seed=seed, names=names, tagged=corpora.tagged,
            executor=executor,
        )  # fmt: skip
    table = with_given(replace(table, left_out=left_out), given)
    varying = ~is_constant_series(table.values.T)
    constant = tuple(name for name, varies in zip(table.names, varying, strict=True) if not varies)
    kept = tuple(name for name in table.names if name not in constant)
    return Featurised(FeatureTable(kept, table.values[:, varying], left_out), complete, constant, from_training)


def _filled(outside: Resources, examples: Examples, corpora: Corpora, rows: Rows) -> Resources:
    """The resources of corpora, and what they lack from training texts."""
    sources, outputs = ([texts[row] for row in rows] for texts in (examples.sources, examples.outputs))
    inside = replace(corpora, source_texts=(), target_texts=(), parallel=(sources, outputs)).estimate()
    missing = {each.name for each in fields(Resources) if getattr(outside, each.name) is None}
    return replace(outside, **{name: getattr(inside, name) for name in missing})


def chosen_features(asked: Sequence[str] | None, resources: Resources) -> tuple[list[str], dict[str, str]]:
    """Names of features that resources allow, and those left out with the reason.

    asked: names, numbers of QuEst, groups, or `baseline`, the 17 of WMT; None is all. Of groups, what cannot be
    computed is left out; of names, it is an error.
    """
    allowed, left_out = choose_features(resources)
    if asked is None:
        return [feature.name for feature in allowed], left_out
    members = features_named(asked)
    groups = named_groups()
    choose_features(resources, [find_feature(word).name for word in asked if word not in groups])
    chosen = [name for name in members if name not in left_out]
    missing = {name: left_out[name] for name in members if name in left_out}
    if not chosen:
        raise UsageError(f"Of the features asked for none can be computed: {next(iter(missing.values()))}")
    return chosen, missing


def named_groups() -> dict[str, list[str]]:
    """The names of the features of each group, and of the baseline."""
    groups = {group: [feature.name for feature in all_features() if feature.group == group] for group in GROUPS}
    return groups | {"baseline": [feature.name for feature in baseline_features()]}


def features_named(asked: Sequence[str]) -> list[str]:
    """The features that words name, each once; refuses a word that is neither a feature nor a group."""
    groups = named_groups()
    known = {feature.name for feature in all_features()}
    found: dict[str, None] = {}
    for word in asked:
        if word not in groups and word not in known and not word.isdecimal():
            near = get_close_matches(word, [*groups, *known])
            hint = f"Did you mean {' or '.join(near)}?" if near else "'tercet qe features --list' shows all."
            raise UsageError(f"There is no feature or group called {word!r}. {hint}")
        found |= dict.fromkeys(groups.get(word) or [find_feature(word).name])
    return list(found)


def _fitted(
    table: FeatureTable, examples: Examples, learner: str, *, seed: int, executor: Executor | None
) -> CrossFitted:
    return cross_fit(
        create(learner, table.names), table.values, examples.labels, examples.groups, seed=seed, executor=executor
    )


def _importance(fitted: CrossFitted, table: FeatureTable, examples: Examples, **how: Any) -> tuple[Importance, ...]:
    """Of all features; for models that predict slowly from some of the examples, each feature shuffled once."""
    learner, settings = learnt_by(fitted.predictor, table.names)
    values, labels, groups = table.values, examples.labels, examples.groups
    repeats = 5
    if not isinstance(fitted.predictor, LinearPredictor):
        rows = draw_some(labels, groups, MOST_FOR_IMPORTANCE, how["seed"])
        values, labels, groups = values[rows], labels[rows], tuple(groups[row] for row in rows)
        repeats = 1
    return permutation_importance(learner, settings, values, labels, groups, names=table.names, repeats=repeats, **how)


def _curve(fitted: CrossFitted, table: FeatureTable, examples: Examples, **how: Any) -> tuple[CurvePoint, ...]:
    learner, settings = learnt_by(fitted.predictor, table.names)
    return learning_curve(learner, table.values, examples.labels, examples.groups, settings, **how)


def most_outside(features: Floats, groups: Sequence[Hashable], seed: int) -> int:
    """So many features of a held-out example, but for one in a hundred, are outside the range of the others."""
    counts = np.zeros(len(features))
    for train_rows, test_rows in folds(groups, 2 * FOLDS, seed):
        others, held_out = features[train_rows], features[test_rows]
        counts[test_rows] = ((held_out < others.min(0)) | (held_out > others.max(0))).sum(1)
    return int(np.ceil(np.quantile(counts, 1 - UNUSUAL)))


def json_able(value: Any) -> Any:
    """The same with None for numbers that are not finite, which JSON cannot hold."""
    if isinstance(value, dict):
        return {key: json_able(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [json_able(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _figures(fitted: CrossFitted, baselines: Sequence[CrossFitted]) -> dict[str, Any]:
    """Errors and correlation on held-out groups, of baselines and of the learners that were tried."""
    figures: dict[str, Any] = {}
    for each in baselines:
        training = each.predictor.training
        figures[training["learner"]] = dict(training["held_out"])
    figures["mean"]["pearson"] = None  # it differs by fold alone, which is no prediction
    training = fitted.predictor.training
    if training["learner"] == "best":
        return {**figures, **training["settings"]["figures"]}
    return {**figures, training["learner"]: training["held_out"]}


def _versions() -> dict[str, str]:
    """Of what can change the numbers."""
    from importlib.metadata import PackageNotFoundError, version

    found = {"tercet": __version__, "numpy": np.__version__}
    for package in ("scikit-learn", "wordfreq"):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found
