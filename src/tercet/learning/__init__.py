"""Learn a metric from people's judgements: `learn`, the function of `tercet learn`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from itertools import product
from math import isnan
from pathlib import Path
from typing import Any

from ..engine import Progress, open_executor
from ..errors import UsageError
from ..metrics._seen import seen_by
from ..metrics.bases.learned_model import LearnedModel, join_hashes
from ..metrics.bases.members import find_members, warn_of_trust
from ..quality.learner_base import on_one_thread
from ..stats.resampling import check_draws
from .computing import FeatureTable, compute_features
from .examples import Examples, gather, refuse_seen, target_language
from .learners import find_learner
from .training import (
    Ablation,
    HeldOut,
    Part,
    Weight,
    ablate,
    balanced,
    check_parts,
    choose,
    figure,
    fit,
    hold_out,
    measure,
    weigh,
)

SEED = 12345
MOST_ACROSS = 1000  # pairs per output


@dataclass(frozen=True, eq=False)
class LearnedMetric:
    """A model, and what is known of it.

    held_out: figures of models that had not seen what they are judged by (each language pair left out in turn, or
    fifths of the segments); single: the same of each feature alone, by its name; tests: the model's on judgements that
    it was not trained on (`leave_out`, `test`).
    """

    model: LearnedModel
    learner: str
    setting: float
    seed: int
    held_out: tuple[HeldOut, ...]
    single: Mapping[str, float]
    tests: tuple[HeldOut, ...]
    weights: tuple[Weight, ...]
    ablation: tuple[Ablation, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return a dictionary for JSON."""
        return {
            "learner": self.learner,
            "setting": self.setting,
            "seed": self.seed,
            "language": self.model.language,
            "checksum": self.model.checksum,
            "trained_on": [asdict(one) for one in self.model.trained_on],
            "held_out": [_plain(one) for one in self.held_out],
            "single": dict(self.single),
            "tests": [_plain(one) for one in self.tests],
            "weights": [asdict(one) for one in self.weights],
            "ablation": [asdict(one) for one in self.ablation],
        }


def _plain(one: HeldOut) -> dict[str, Any]:
    return {key: None if isinstance(value, float) and isnan(value) else value for key, value in asdict(one).items()}


def learn(
    judgements: Sequence[str | Path] | str | Path,
    features: Sequence[str] | str,
    *,
    texts: str | Path | None = None,
    pairs: Sequence[str] | str = (),
    gold: str | None = None,
    learner: str = "logistic",
    leave_out: Sequence[str] | str = (),
    test: Sequence[str | Path] | str | Path = (),
    margin: float | None = None,
    across: int = 0,
    balance: bool = False,
    ablation: bool = False,
    label: str = "Learned",
    lm: str | None = None,
    parses: str | None = None,
    table: str | None = None,
    seed: int = SEED,
    jobs: int = 1,
    cache: str | Path | None = None,
    progress: Callable[[str], AbstractContextManager[Progress]] | None = None,
) -> LearnedMetric:
    """Learn weights of features from people's judgements, so that outputs they prefer score higher.

    Parameters
    ----------
    judgements : folders or data sets with texts and judgements; with `texts`, files of judgements.
    features : metrics ("chrf"), their parts ("meteor@recall", "beer@*"), or both.
    texts : the folder or file with the texts, if `judgements` are files without them.
    pairs : language pairs to learn from; all by default. Their outputs must be in one language.
    gold : which judgements, if there are several kinds.
    learner : "logistic", "ridge", "lambdamart" or "svr".
    leave_out : language pairs that are not trained on; the model is tested on them.
    test : further judgements with texts to test the model on. Segments that were trained on are refused.
    margin : scores that differ by more make a pair; 25 for raw direct assessment by default, else 0.
    across : where people gave scores, also draw this many pairs per output with outputs of other segments.
    balance : let every language pair of every data set weigh the same.
    ablation : also compute held-out figures without each metric, and with it alone.
    label : the name of the metric in tables.
    lm, parses, table : passed to the metrics that have these parameters.
    seed : of folds, drawn pairs and trees.
    jobs, cache, progress : as for `tercet.score`.

    Returns
    -------
    LearnedMetric : `model.save(path)` writes the file for "learned:model=FILE".

    Examples
    --------
    >>> from tempfile import mkdtemp
    >>> import tercet
    >>> from tercet import examples
    >>> folder = mkdtemp()
    >>> files = examples.write("en-de", folder)
    >>> found = tercet.learn(folder, ["chrf", "ter"], learner="ridge")
    >>> sorted(row.feature for row in found.weights)
    ['chrf', 'ter']
    """
    check_draws(1, seed)
    if not 0 <= across <= MOST_ACROSS:
        raise UsageError(f"The number of pairs per output (across) must be from 0 to {MOST_ACROSS}, not {across}.")
    chosen, left = find_learner(learner), _as_list(leave_out)
    if not _as_list(features):
        raise UsageError("Name at least one feature: a metric, as chrf, or parts of one, as beer@*.")
    given = {name: value for name, value in (("lm", lm), ("parses", parses), ("table", table)) if value is not None}
    members = find_members(_as_list(features), given)
    warn_of_trust(members)
    options: dict[str, Any] = {"gold": gold, "margin": margin, "across": across, "seed": seed}
    found = gather(_as_list(judgements), texts, pairs=_as_list(pairs), **options)
    training, held = _divide(found, left)
    others = gather(_as_list(test), **options) if _as_list(test) else []
    seen = join_hashes([*(one.hashes for one in training), *(seen_by(member.metric).hashes for member in members)])
    refuse_seen([*held, *others], seen)
    for one, member in product([*held, *others], members):
        if seen_by(member.metric).names(one.name, one.pair):
            raise UsageError(f"{one.name} {one.pair} cannot be a test set: {member.spec} was trained on it.")

    def compute(some: Sequence[Examples]) -> list[FeatureTable]:
        return [compute_features(one, members, executor=executor, cache=cache, progress=progress) for one in some]

    with open_executor(jobs) as executor:
        tables, tested = compute(training), compute([*held, *others])
    names = tables[0].names
    parts = [Part(one, each.values) for one, each in zip(training, tables, strict=True)]
    check_parts(chosen, parts, names)
    parts = balanced(parts) if balance else parts

    def train() -> LearnedMetric:
        setting, figures = choose(chosen, parts, seed)
        predictor = fit(chosen, parts, setting, seed)
        alone = {
            name: figure(hold_out(chosen, parts, setting, seed, [column]), chosen) for column, name in enumerate(names)
        } if len(names) <= SHOWN else {}  # fmt: skip
        model = LearnedModel(
            names, predictor, target_language(training), label,
            (*(one.dataset for one in training), *(set_ for member in members for set_ in seen_by(member.metric).sets)),
            seen, {one.name: {"tau": _number(one.tau), "pearson": _number(one.pearson)} for one in figures},
            tables[0].needs,
        )  # fmt: skip
        tests = tuple(
            measure(f"{one.name} {one.pair}", [Part(one, each.values)], model.predict)
            for one, each in zip([*held, *others], tested, strict=True)
        )
        lost = ablate(chosen, parts, setting, names, seed) if ablation else []
        return LearnedMetric(
            model, learner, setting, seed, tuple(figures), alone, tests, tuple(weigh(predictor, parts, names)),
            tuple(lost),
        )  # fmt: skip

    return on_one_thread(train)


SHOWN = 20  # features of which single figures are computed


def _number(value: float) -> float | None:
    return None if isnan(value) else value


def _as_list(values: Any) -> list[Any]:
    return [values] if isinstance(values, str | Path) else list(values)


def _divide(examples: Sequence[Examples], leave_out: Sequence[str]) -> tuple[list[Examples], list[Examples]]:
    """Return what to train on, and what is left out."""
    known = list(dict.fromkeys(one.pair for one in examples))
    for pair in leave_out:
        if pair not in known:
            raise UsageError(
                f"There are no judgements of {pair} to leave out. There are: {', '.join(known) or 'none'}."
            )
    training = [one for one in examples if one.pair not in leave_out]
    if not training:
        raise UsageError(
            f"Nothing is left to train on: the judgements are of {', '.join(known)} only. Without --leave-out, figures "
            "are computed on held-out segments."
        )
    return training, [one for one in examples if one.pair in leave_out]
