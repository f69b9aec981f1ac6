"""Train a quality estimation model: resources, features, cross-validation, intervals, importance of features.

Specia, Cancedda and Dymetman (2010), "A Dataset for Assessing Machine Translation Evaluation Metrics". Groups (source
sentences, documents) are never on both sides of a split. If language and translation models are estimated from the
training texts themselves, the features of each training sentence come from models that have not seen its group, because
a model gives higher probabilities to sentences that it was trained on than to new ones.
"""

from collections.abc import Hashable, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import suppress
from dataclasses import asdict, dataclass, fields, replace
from difflib import get_close_matches
from functools import partial
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import __version__
from ..data.display import json_able
from ..data.model_file import Dataset
from ..data.testset import checksum
from ..errors import DataError, UsageError
from ..learning import SEED
from ..learning.diagnosis import CurvePoint, curve_splits, learning_curve, permutation_importance
from ..learning.examples import FOLDS, Rows, check_examples, folds, number_groups, scikit_learn
from ..learning.fitting import cross_fit
from ..learning.learners import create, learnt_by
from ..learning.predictors import LinearPredictor, Predictor
from ..options import takes
from ..options.quality import Training
from ..stats.correlation import is_constant_series
from ..types import Floats
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
    paper_features,
)  # fmt: skip
from .inputs import GivenFeatures, Range, check_labels, check_languages, check_range, same_languages
from .model import QualityModel, with_given
from .resources import Corpora, Progress, Resources, principal_axes, tag_texts

# The mean label, and linear regressions on the length and on the language model's probability.
BASELINES = ("mean", "linear:source_tokens", "linear:target_log_probability")
UNUSUAL = 0.01  # share of usual texts that may be called unusual
MOST_FOR_IMPORTANCE = 1000  # examples for the importance of features, if the model predicts slowly


@dataclass(frozen=True, eq=False)
class LabelledTexts:
    """Texts with labels, and the group of each example; groups are not split."""

    sources: tuple[str, ...]
    outputs: tuple[str, ...]
    labels: Floats
    groups: tuple[Hashable, ...]

    def checksum(self) -> str:
        digest = sha256("\n".join(map(checksum, (self.sources, self.outputs, [str(g) for g in self.groups]))).encode())
        digest.update(self.labels.tobytes())
        return digest.hexdigest()


@dataclass(frozen=True, eq=False)
class Featurised:
    """The features of training examples, and the resources for new texts."""

    table: FeatureTable
    resources: Resources
    constant: tuple[str, ...]
    from_training: tuple[str, ...]
    given: tuple[str, ...] = ()  # names of the user's own features


@takes(Training)
def train(
    sources: Sequence[str], outputs: Sequence[str], labels: ArrayLike, languages: str | Sequence[str], *,
    options: Training,
) -> QualityModel:  # fmt: skip
    """Train a model that predicts labels from sources and outputs; its figures on unseen groups are in its provenance.

    The same seed gives the same model for any number of processes.

    Parameters
    ----------
    sources, outputs : the texts, one per segment.
    labels : a number for each segment.
    languages : the language pair, such as "et-en".
    """
    given, asked, seed = options.given, options.features or None, options.seed
    label_range = None if options.label_range is None else check_range(options.label_range)
    texts = check_training(sources, outputs, labels, options.groups, label_range)
    scikit_learn("base")  # before any work
    features_named(asked or ())
    if given is not None:
        given.check_rows(len(texts.labels))
    create(options.learner, [feature.name for feature in all_features()] + list(given.names if given else ()))
    if options.curve:
        curve_splits(number_groups(texts.groups, len(texts.labels), "examples"), seed=seed)
    corpora = Corpora(
        check_languages(languages), options.source_texts, options.target_texts, options.parallel, options.tags,
        options.embeddings, network=options.network,
    )  # fmt: skip
    resources = options.resources
    if resources is None:
        corpora = corpora.without(sources, outputs)
    elif not same_languages(resources.languages, corpora.languages):
        given_pair, pair = map("-".join, (resources.languages, corpora.languages))
        raise UsageError(f"The resources are for {given_pair}, and these texts are {pair}.")
    how: dict[str, Any] = {
        "seed": seed, "executor": options.executor, "say": options.progress or (lambda _: None)
    }  # fmt: skip
    made = featurise(texts, corpora, resources, asked, given, **how)
    return learn(
        texts, corpora, made, learner=options.learner, label_range=label_range,
        higher_is_better=options.higher_is_better,
        grouped_by="source sentence" if options.groups is None else "given groups", curve=options.curve, **how,
    )  # fmt: skip


def learn(
    texts: LabelledTexts,
    corpora: Corpora,
    made: Featurised,
    *,
    learner: str,
    label_range: Range | None,
    higher_is_better: bool,
    grouped_by: str,
    curve: bool = False,
    seed: int = SEED,
    executor: Executor | None = None,
    say: Progress = lambda _: None,
) -> QualityModel:
    """Return a model learnt from the features of examples, with figures on unseen groups and intervals."""
    say("learning")
    names = made.table.names
    data = check_examples(made.table.values, texts.labels, texts.groups, seed=seed, executor=executor)
    fitted = {
        name: cross_fit(create(name, names), data)
        for name in (*BASELINES, learner)
        if name == learner or name.partition(":")[2] in ("", *names)
    }
    predictor, held_out = fitted[learner]
    learnt = learnt_by(predictor, names)
    say("importance of features")
    if isinstance(predictor, LinearPredictor):
        importance = permutation_importance(*learnt, data, names=names)
    else:  # predicts slowly
        importance = permutation_importance(*learnt, data.sample(MOST_FOR_IMPORTANCE), names=names, repeats=1)
    points: tuple[CurvePoint, ...] = ()
    if curve:
        say("learning curve")
        points = learning_curve(*learnt, data)
    facts = {
        "learner": learner,
        "seed": seed,
        "grouped_by": grouped_by,
        "held_out": _figures(learner, {name: each for name, (each, _) in fitted.items()}),
        "importance": [asdict(each) for each in importance],
        "curve": [asdict(point) for point in points],
    }
    own = tuple(name for name in names if name not in made.given)
    return QualityModel(
        languages=corpora.languages,
        label_range=label_range or (float(texts.labels.min()), float(texts.labels.max())),
        range_given=label_range is not None,
        higher_is_better=higher_is_better,
        features=own,
        given=names[len(own) :],
        means=data.features.mean(0),
        bounds=np.stack([data.features.min(0), data.features.max(0)]),
        most_outside=most_outside(data.features, texts.groups, seed),
        predictor=predictor,
        conformal=calibrate(data.labels, held_out, texts.groups, features=data.features, seed=seed, executor=executor),
        held_out_predictions=held_out,
        held_out_labels=texts.labels,
        resources=made.resources,
        provenance=json_able(facts | _provenance(texts, corpora, made)),
    )


def _provenance(texts: LabelledTexts, corpora: Corpora, made: Featurised) -> dict[str, Any]:
    """Return what a model was trained on, for its provenance."""
    versions = {"tercet": __version__, "numpy": np.__version__}
    for package in ("scikit-learn", "wordfreq"):  # they can change the numbers
        with suppress(PackageNotFoundError):
            versions[package] = version(package)
    examples = Dataset("labelled segments", texts.checksum(), len(texts.labels))
    return {
        "examples": len(texts.labels),
        "groups": len(set(texts.groups)),
        "label_mean": float(texts.labels.mean()),
        "label_spread": float(texts.labels.std()),
        "left_out": made.table.left_out,
        "constant": list(made.constant),
        "from_training_texts": list(made.from_training),
        "sentences": {
            "source": len(corpora.source_texts),
            "target": len(corpora.target_texts),
            "parallel": 0 if corpora.parallel is None else len(corpora.parallel[0]),
        },
        "training_checksum": examples.checksum,
        "resource_checksums": made.resources.checksums(),
        "versions": versions,
        "needs": made.resources.needs(),
        "trained_on": [asdict(each) for each in (examples, *corpora.datasets())],
    }


def check_training(
    sources: Sequence[str],
    outputs: Sequence[str],
    labels: ArrayLike,
    groups: Sequence[Hashable] | None,
    label_range: Range | None,
) -> LabelledTexts:
    """Return the examples, or raise an error if nothing can be learnt from them."""
    values = np.asarray(labels, dtype=np.float64)
    if values.ndim != 1 or not len(sources) == len(outputs) == len(values):
        raise DataError(
            f"There are {len(sources)} sources, {len(outputs)} outputs and {values.size} labels: each segment needs "
            "one of each."
        )
    check_labels(values, label_range, lambda row: f"Example {row + 1}")
    texts = LabelledTexts(tuple(sources), tuple(outputs), values, tuple(sources if groups is None else groups))
    check_examples(np.empty((len(values), 0)), values, texts.groups)
    return texts


def featurise(
    texts: LabelledTexts,
    corpora: Corpora,
    resources: Resources | None = None,
    features: Sequence[str] | None = None,
    given: GivenFeatures | None = None,
    *,
    seed: int = SEED,
    executor: Executor | None = None,
    say: Progress = lambda _: None,
) -> Featurised:
    """Compute features of examples from resources that have not seen them; constant features are left out."""
    from_training: tuple[str, ...] = ()
    if resources is None and corpora.embeddings is not None:
        say("sentence embeddings")
        axes = principal_axes(corpora.embeddings, [*texts.sources, *texts.outputs], executor=executor)
        corpora = replace(corpora, embedding_axes=axes)
    if resources is not None or corpora.parallel is not None:
        complete = resources or corpora.estimate(say)
        names, left_out = chosen_features(features, complete)
        say("features")
        table = extract(texts.sources, texts.outputs, complete, names=names, executor=executor)
    else:
        if corpora.tags:  # once, for the models of all folds and for the features
            pairs = texts.sources, texts.outputs
            corpora = replace(corpora, tagged=tag_texts(corpora.languages, *pairs, executor=executor, say=say))
        outside = corpora.estimate(say)
        fill = partial(_filled, outside, texts, corpora)
        complete = fill(np.arange(len(texts.labels)))
        from_training = tuple(
            each.name for each in fields(Resources) if getattr(outside, each.name) is not getattr(complete, each.name)
        )
        names, left_out = chosen_features(features, complete)
        say("features from models that have not seen the sentence")
        splits = folds(texts.groups, FOLDS, seed)
        table = cross_fitted(
            texts.sources, texts.outputs, splits, fill, names, tagged=corpora.tagged, executor=executor
        )
    table = with_given(replace(table, left_out=left_out), given)
    varying = ~is_constant_series(table.values.T)
    kept, constant = (
        tuple(name for name, varies in zip(table.names, varying.tolist(), strict=True) if varies == wanted)
        for wanted in (True, False)
    )
    own = given.names if given else ()
    return Featurised(FeatureTable(kept, table.values[:, varying], left_out), complete, constant, from_training, own)


def _filled(outside: Resources, texts: LabelledTexts, corpora: Corpora, rows: Rows) -> Resources:
    """Return the resources of the corpora, and those that are missing there from the training texts."""
    sources, outputs = ([side[row] for row in rows] for side in (texts.sources, texts.outputs))
    inside = replace(corpora, source_texts=(), target_texts=(), parallel=(sources, outputs)).estimate()
    missing = {each.name for each in fields(Resources) if getattr(outside, each.name) is None}
    return replace(outside, **{name: getattr(inside, name) for name in missing})


def chosen_features(asked: Sequence[str] | None, resources: Resources) -> tuple[list[str], dict[str, str]]:
    """Return the features that the resources allow, and the others with the reason; names must be computable."""
    allowed, left_out = choose_features(resources)
    if asked is None:
        return [feature.name for feature in allowed], left_out
    members, groups = features_named(asked), named_groups()
    choose_features(resources, [find_feature(word).name for word in asked if word not in groups])
    missing = {name: left_out[name] for name in members if name in left_out}
    if len(missing) == len(members):
        raise UsageError(f"None of the features asked for can be computed: {next(iter(missing.values()))}")
    return [name for name in members if name not in missing], missing


def named_groups() -> dict[str, list[str]]:
    """Return the names of the features of each group, of the baseline, and of the paper's 84 (`specia2010`)."""
    groups = {group: [feature.name for feature in all_features() if feature.group == group] for group in GROUPS}
    presets = {"baseline": baseline_features(), "specia2010": paper_features()}
    return groups | {name: [feature.name for feature in chosen] for name, chosen in presets.items()}


def features_named(asked: Sequence[str]) -> list[str]:
    """Return the features of names and groups, each once. Raises UsageError for an unknown name."""
    groups, known = named_groups(), {feature.name for feature in all_features()}
    found: dict[str, None] = {}
    for word in asked:
        if word not in groups and word not in known and not word.isdecimal():
            near = get_close_matches(word, [*groups, *known])
            hint = f"Did you mean {' or '.join(near)}?" if near else "'tercet qe features --list' lists all."
            raise UsageError(f"There is no feature or group called {word!r}. {hint}")
        found |= dict.fromkeys(groups.get(word) or [find_feature(word).name])
    return list(found)


def most_outside(features: Floats, groups: Sequence[Hashable], seed: int) -> int:
    """Return the 99 % quantile of how many features of a held-out example are outside the range of the others."""
    counts = np.zeros(len(features))
    for train_rows, test_rows in folds(groups, 2 * FOLDS, seed):
        others, held_out = features[train_rows], features[test_rows]
        counts[test_rows] = ((held_out < others.min(0)) | (held_out > others.max(0))).sum(1)
    return int(np.ceil(np.quantile(counts, 1 - UNUSUAL)))


def _figures(learner: str, fitted: Mapping[str, Predictor]) -> dict[str, Any]:
    """Return errors and correlation on held-out groups, of the baselines and of the learners that were tried."""
    figures = {name: dict(fitted[name].training["held_out"]) for name in BASELINES if name in fitted}
    figures["mean"]["pearson"] = None  # it varies only between folds, which is no prediction
    training = fitted[learner].training
    return figures | (training["settings"]["figures"] if learner == "best" else {learner: training["held_out"]})
