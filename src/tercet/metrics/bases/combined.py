"""The base of metrics that a learnt model makes of other metrics: `learned`, Metrics-F, `party`."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import ClassVar, NamedTuple

import numpy as np

from ...text.explanations import Seen
from ...types import Floats
from .._contract import Corpus, Learnt, Shard
from .._parameters import param
from .._ready import Ready
from .learned_model import LearnedModel, load_model
from .members import Member, MemberMetric, count_members, find_model_members, make_ready, what_computes
from .pairs import one_segment

log = logging.getLogger(__name__)
OWN = ("version:", "lms:")  # what changes in what computes a feature with the package, not with the computer


class Opened(NamedTuple):
    """The model, and the metrics that compute its features."""

    model: LearnedModel
    members: Sequence[Member]
    ready: Sequence[Ready]


@dataclass(frozen=True)
class CombinedMetric(MemberMetric):
    """A model of other metrics' scores and parts.

    lm: a file that `tercet lm` wrote, for features of fluency.
    parses: a folder that keeps parses for later runs.
    """

    lm: str | None = param(file=True, local=True)
    parses: str | None = param(local=True)

    model_file: ClassVar[str | Path] = ""

    def fitted_model(self) -> LearnedModel:
        return load_model(self.model_file)

    @property
    def languages(self) -> tuple[str, ...]:
        return self.fitted_model().languages

    def members(self) -> list[Member]:
        given = {"lm": self.lm, "parses": self.parses, "table": getattr(self, "table", None)}
        passed = {name: value for name, value in given.items() if value is not None}
        trusted = {name: getattr(self, name, False) for name in ("trust_features", "allow_network")}
        return find_model_members(self._place(), self.fitted_model().features, passed, trusted)

    def _place(self) -> str:
        return str(getattr(self, "model", None) or self.name)

    def learn(self, testset: Corpus) -> Learnt:
        """Make the members ready, and warn if they are not those of training."""
        model = self.fitted_model()
        members = self.members()
        ready = make_ready(members, testset)
        for member, metric in zip(members, ready, strict=True):
            then = model.needs.get(member.spec)
            if then and self._differ(then, now := what_computes(metric)):
                message = "%s: %s was %s when the model was trained, and is %s here; scores may differ."
                _warn_once(message, self._place(), member.spec, then, now)
        checksum = model.checksum[:16]
        return Learnt((checksum, tuple(ready)), {"checksum": checksum})

    def _differ(self, then: str, now: str) -> bool:
        """Return whether a member is not that of training; parts of the package may differ from its own models'."""
        if self.toml or getattr(self, "model", None) or self.lm:
            return then != now
        kept = [[item for item in each.split("|") if not item.startswith(OWN)] for each in (then, now)]
        return kept[0] != kept[1]

    def open(self, state: tuple[str, Sequence[Ready]] | None) -> Opened:
        members = self.members()
        ready = state[1] if state else [member.metric.ready() for member in members]
        return Opened(self.fitted_model(), members, ready)

    def count(self, shard: Shard, opened: Opened) -> dict[str, Floats]:
        found = {}
        for system, columns in count_members(opened.members, opened.ready, shard).items():
            table = _table(opened.model, columns, len(shard), self._place())
            found[system] = np.column_stack([opened.model.predict(table), np.ones(len(table)), table])
        return found

    @property
    def part_names(self) -> tuple[str, ...]:
        return self.fitted_model().features

    def explain_segment(self, opened: Opened, output: str, references: Sequence[str], source: str | None) -> Seen:
        counts = self.count(one_segment(output, references, source), opened)["output"]
        predictor = opened.model.predictor
        usual = np.zeros(len(opened.model.features))
        usual[predictor.inputs.columns] = predictor.inputs.means
        effects = counts[0, 0] - predictor.predict_with_usual(counts[:, 2:], usual)[0]
        rows = zip(opened.model.features, counts[0, 2:].tolist(), effects.tolist(), strict=True)
        features = [{"feature": name, "value": value, "effect": effect} for name, value, effect in rows]
        features.sort(key=lambda row: -abs(row["effect"]))
        return Seen(float(counts[0, 0]), values={"features": features})


def _table(model: LearnedModel, columns: Mapping[str, Floats], segments: int, place: str) -> Floats:
    """Return the features in the model's order; what a member does not give any more is usual, with a warning."""
    table = np.zeros((segments, len(model.features)))
    inputs = model.predictor.inputs
    table[:, inputs.columns] = inputs.means
    missing = [name for name in model.features if name not in columns]
    if missing:
        message = "%s: %d features are missing, such as %s; their usual values are taken."
        _warn_once(message, place, len(missing), missing[0])
    for number, name in enumerate(model.features):
        if name in columns:
            table[:, number] = np.nan_to_num(columns[name])
    return table


@lru_cache(maxsize=64)
def _warn_once(message: str, *values: object) -> None:
    log.warning(message, *values)
