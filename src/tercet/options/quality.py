"""Options of quality estimation: what a model is trained on, how it is judged, and how segments are ranked."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from . import Options, option, python_option, shell_option
from .groups import Intervals, Seed

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from ..quality.inputs import GivenFeatures, ParallelTexts
    from ..quality.resources import Resources


@dataclass(frozen=True, kw_only=True)
class Level(Options):
    """The level of intervals around predictions."""

    level: float = option(
        0.9, "--level", help="The probability that an interval around a prediction contains the label."
    )


@dataclass(frozen=True, kw_only=True)
class Top(Options):
    """How many segments are listed."""

    top: int | None = option(None, "--top", low=1, help="Only this many segments.")


@dataclass(frozen=True, kw_only=True)
class FeatureChoice(Options):
    """Which features are used."""

    features: Sequence[str] = option(
        (), "--features", metavar="NAME", several=True,
        help="Use only these features or groups; see 'tercet qe features --list'.",
    )  # fmt: skip

    def check(self) -> None:
        super().check()
        words = tuple(word for text in self.features or () for word in text.replace(",", " ").split())
        object.__setattr__(self, "features", words)


@dataclass(frozen=True, kw_only=True)
class CorpusChoice(Options):
    """Corpora and networks that features need."""

    source_corpora: Sequence[str] = shell_option(
        (), "--source-corpus", metavar="FILE", several=True,
        help="Texts in the source language, for language models and frequencies.",
    )  # fmt: skip
    target_corpora: Sequence[str] = shell_option(
        (), "--target-corpus", metavar="FILE", several=True,
        help="Texts in the target language, for language models and frequencies.",
    )  # fmt: skip
    parallel_files: tuple[str, str] | None = shell_option(
        None, "--parallel", nargs=2, metavar="SRC TGT", help="Parallel texts, for translation models."
    )
    tags: bool = option(False, "--tags", help="Also use features of word classes; needs a parser for the languages.")
    with_embeddings: bool = shell_option(
        False, "--embeddings", help="Also use features of sentence embeddings (extra 'embed')."
    )
    with_network: bool = shell_option(
        False, "--network", help="Also use a network that reads outputs (28 languages, extra 'neural')."
    )


@dataclass(frozen=True, kw_only=True)
class Training(Seed, FeatureChoice, CorpusChoice):
    """How a model is trained."""

    learner: str = option(
        "best", "--learner", metavar="[best|pls|ridge|svr|gbm]",
        help="The learner; best: the one with the lowest error in cross-validation.",
        about='"pls", "ridge", "svr", "gbm", or "best": the one with the lowest error in cross-validation.',
    )  # fmt: skip
    label_range: tuple[float, float] | None = option(
        None, "--range", nargs=2, metavar="MIN MAX",
        help="The lowest and highest possible label; other labels are errors. [default: those of LABELS]",
        about="The lowest and highest possible label; other labels are errors. Default: those of the labels.",
    )  # fmt: skip
    groups: Sequence[Hashable] | None = python_option(
        None, "The group of each example, which is not split between training and test; by default its source sentence."
    )
    resources: Resources | None = python_option(
        None, "Resources of features. By default they are estimated from the texts below and the training texts."
    )
    source_texts: Sequence[str] = python_option((), "Texts in the source language.")
    target_texts: Sequence[str] = python_option((), "Texts in the target language.")
    parallel: ParallelTexts | None = python_option(None, "Parallel texts: source and target sentences.")
    embeddings: str | None = python_option(None, "A sentence encoder (`language.embeddings`).")
    network: str | None = python_option(None, "A network that reads outputs alone (`language.output_network`).")
    given: GivenFeatures | None = python_option(None, "Features of your own.")
    higher_is_better: bool = python_option(True, "Whether higher labels are better.")
    curve: bool = python_option(False, "Compute the learning curve, too.")
    executor: Executor | None = python_option(None, "For other processes; the model is the same.")
    progress: Callable[[str], None] | None = python_option(None, "Called with what is being done.")


@dataclass(frozen=True, kw_only=True)
class Ranking(Level, Top):
    """How segments are ranked."""

    target: float | None = option(
        None, "--target", metavar="QUALITY",
        help="The mean quality of the segments to keep without review: decide for each segment whether to review it.",
    )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Assessing(Level, Intervals):
    """How a model is judged."""
