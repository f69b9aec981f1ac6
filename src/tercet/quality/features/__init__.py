"""Features of a sentence pair from which quality is estimated, chosen and computed chunk by chunk.

They are in the twelve groups of Specia, Cancedda and Dymetman (2010), "A Dataset for Assessing Machine Translation
Evaluation Metrics", LREC, section 3, and one of our own. The paper has 84 features and does not list them, so the list
is that of QuEst (Specia, Shah, de Souza and Cohn, 2013, "QuEst: A translation quality estimation framework", ACL). Its
numbers are other names of the features. The 17 features of the WMT12 to WMT14 baseline are among them. Those that the
paper's descriptions of its groups name are 84, too (`paper_features`).
"""

import pickle
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field, fields
from fnmatch import fnmatch
from functools import lru_cache
from typing import Any

import numpy as np

from ...data.display import Tabular
from ...errors import DataError, UnknownName, UsageError
from ...learning.examples import Rows, Split
from ...types import Floats
from ...workers import results_in_order
from ..resources import HOW_TO_GIVE, Resources
from ..tokens import NONE_TAGGED, Tagged
from . import alignments, constructions, corpus, embedded, fluency, surface
from .defining import GROUPS as GROUPS
from .defining import Feature as Feature
from .pairs import SentencePairs

CHUNK = 1024  # pairs per unit of work; always the same, so that values do not depend on the number of processes

_ALL = tuple(
    sorted(
        (
            *surface.FEATURES, *fluency.FEATURES, *corpus.FEATURES, *alignments.FEATURES, *constructions.FEATURES,
            *embedded.FEATURES,
        ),
        key=lambda feature: list(GROUPS).index(feature.group),
    )
)  # fmt: skip
# Features of groups 1 to 12 that the descriptions of the groups do not name: without them there are 84.
_NOT_NAMED = (
    "*_characters", "character_difference", "token_difference", "*_per_word", "log_probability_difference",
    "type_token_ratio", "source_log_count", "alignment_log_probability*", "lexical_score*", "links_agreed",
    "target_from_nothing", "source_to_nothing", "source_longest_gap", "links_[fcj]*", "largest_fertility", "*_latin",
    "latin_ratio", "content_ratio", "*_mark_share", "source_tags_*", "target_tags_perplexity_without_end",
)  # fmt: skip
_BY_NAME = {feature.name: feature for feature in _ALL}
_BY_NAME |= {str(feature.quest): feature for feature in _ALL if feature.quest is not None}


def all_features() -> tuple[Feature, ...]:
    """Return all features, always in the same order: the groups of the paper, then more."""
    return _ALL


def baseline_features() -> tuple[Feature, ...]:
    """Return the 17 features of the WMT12 to WMT14 baseline, in their order."""
    return tuple(sorted((each for each in _ALL if each.baseline is not None), key=lambda each: each.baseline or 0))


def paper_features() -> tuple[Feature, ...]:
    """Return the features of groups 1 to 12 that the paper's description names; they are 84, as in the paper."""
    own = (each for each in _ALL if each.group != "more")
    return tuple(each for each in own if not any(fnmatch(each.name, pattern) for pattern in _NOT_NAMED))


@dataclass(frozen=True, eq=False)
class FeatureTable(Tabular):
    """Finite values, shape (pairs, features). left_out: features that could not be computed, with the reason."""

    names: tuple[str, ...]
    values: Floats
    left_out: dict[str, str] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.values)

    def rows(self) -> list[dict[str, object]]:
        return [dict(zip(self.names, row, strict=True)) for row in self.values.tolist()]

    def to_dict(self) -> dict[str, object]:
        """Return the features of each pair and those left out, as `tercet qe features -f json` prints them."""
        return {"features": self.rows(), "left_out": self.left_out}


def find_feature(name: str) -> Feature:
    """Return a feature by its name, or by its number in QuEst such as 1001."""
    if name not in _BY_NAME:
        raise UnknownName("feature", name, _BY_NAME)
    return _BY_NAME[name]


def choose_features(
    resources: Resources, names: Sequence[str] | None = None
) -> tuple[tuple[Feature, ...], dict[str, str]]:
    """Return the named features, or all that the resources allow; and those left out, with the reason."""
    asked = _ALL if names is None else tuple(find_feature(name) for name in names)
    if len({feature.name for feature in asked}) < len(asked):
        raise UsageError("A feature is asked for twice.")
    chosen, left_out = [], {}
    for feature in asked:
        missing = sorted(need for need in feature.needs if getattr(resources, need) is None)
        if missing:
            how = "; ".join(f"{need} ({HOW_TO_GIVE[need]})" for need in missing)
            left_out[feature.name] = f"a resource is missing: {how}."
        else:
            chosen.append(feature)
    if names is not None and left_out:
        first, reason = next(iter(left_out.items()))
        raise UsageError(f"The feature {first} cannot be computed: {reason}")
    return tuple(chosen), left_out


def describe_features(resources: Resources | None = None, names: Sequence[str] | None = None) -> list[dict[str, Any]]:
    """Return one dictionary per feature, or per named feature. With resources, also whether it is available."""
    left_out = {} if resources is None else choose_features(resources)[1]
    return [
        {
            "name": feature.name, "group": feature.group, "description": feature.description,
            "needs": sorted(feature.needs), "quest": feature.quest, "baseline": feature.baseline,
            "available": None if resources is None else feature.name not in left_out,
            "missing": left_out.get(feature.name),
        }
        for feature in _ALL
        if names is None or feature.name in names
    ]  # fmt: skip


def extract(
    sources: Sequence[str],
    outputs: Sequence[str],
    resources: Resources,
    *,
    names: Sequence[str] | None = None,
    tagged: Tagged = NONE_TAGGED,
    executor: Executor | None = None,
) -> FeatureTable:
    """Compute the features of sentence pairs. names: names, or numbers in QuEst. tagged: known tags of texts."""
    if len(sources) != len(outputs):
        raise DataError(
            f"There are {len(sources)} sources and {len(outputs)} outputs; the numbers must be equal. "
            "Run 'tercet check' on the files to see where they drift apart."
        )
    chosen, left_out = choose_features(resources, names)
    wanted = tuple(feature.name for feature in chosen)
    chunks = [
        ([*sources[first : first + CHUNK]], [*outputs[first : first + CHUNK]])
        for first in range(0, len(sources), CHUNK)
    ]
    parts: Iterable[Floats]
    if executor is None or len(chunks) == 1:
        parts = [compute(*chunk, resources, wanted, tagged) for chunk in chunks]
    else:
        packed = pickle.dumps(_needed(resources, chosen))  # once, whatever the number of chunks
        tasks = ((*chunk, packed, wanted, _known(chunk, tagged)) for chunk in chunks)
        parts = results_in_order(executor, compute_elsewhere, tasks, doing="computing features")
    return FeatureTable(wanted, np.concatenate([np.empty((0, len(wanted))), *parts]), left_out)


def cross_fitted(
    sources: Sequence[str],
    outputs: Sequence[str],
    splits: Sequence[Split],
    make: Callable[[Rows], Resources],
    names: Sequence[str],
    *,
    tagged: Tagged = NONE_TAGGED,
    executor: Executor | None = None,
) -> FeatureTable:
    """Return these features of each pair from resources that `make` estimates from pairs of other folds only.

    A language model gives higher probabilities to the sentences that it was estimated from, so a predictor trained on
    such features would be misled. splits: from `folds`. make: estimates resources from the given rows.
    """
    values = np.empty((len(sources), len(names)))
    for others, rows in splits:
        source, output = ([side[row] for row in rows] for side in (sources, outputs))
        values[rows] = extract(source, output, make(others), names=names, tagged=tagged, executor=executor).values
    return FeatureTable(tuple(find_feature(name).name for name in names), values)


def _needed(resources: Resources, features: Sequence[Feature]) -> Resources:
    """Return the resources that the features need, so that less is sent to other processes."""
    needed = {"source_language", "target_language"}.union(*(feature.needs for feature in features))
    needed |= {f"{name.partition('_')[0]}_tagger" for name in needed if name.endswith("_tags_lm")}
    return Resources(**{item.name: getattr(resources, item.name) for item in fields(Resources) if item.name in needed})


def _known(chunk: tuple[list[str], list[str]], tagged: Tagged) -> Tagged:
    """Return the known tags of a chunk's texts."""
    sources, outputs = (
        {text: known[text] for text in texts if text in known} for texts, known in zip(chunk, tagged, strict=True)
    )
    return sources, outputs


def compute_elsewhere(
    sources: list[str], outputs: list[str], packed: bytes, names: tuple[str, ...], tagged: Tagged
) -> Floats:
    """Compute one chunk in another process, which decodes the resources once."""
    return compute(sources, outputs, _opened(packed), names, tagged)


@lru_cache(maxsize=1)
def _opened(packed: bytes) -> Resources:
    resources: Resources = pickle.loads(packed)
    return resources


def compute(
    sources: list[str], outputs: list[str], resources: Resources, names: tuple[str, ...], tagged: Tagged = NONE_TAGGED
) -> Floats:
    """Compute the features of one chunk, shape (pairs, features)."""
    pairs = SentencePairs(sources, outputs, resources, tagged)
    values = np.empty((len(sources), len(names)))
    for place, name in enumerate(names):
        feature = _BY_NAME[name]
        column = feature.compute(pairs)
        values[:, place] = np.where(np.isnan(column), feature.neutral, column)
    return values
