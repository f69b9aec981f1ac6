"""Options of evaluating metrics against people: what is measured, and where scores and judgements come from."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import option, python_option
from .groups import Cache, Exports, Intervals, Jobs

LEVELS = {"system": "sys", "segment": "seg"}


@dataclass(frozen=True, kw_only=True)
class JudgingSources(Cache, Jobs, Exports):
    """Where scores of metrics and further judgements come from."""

    metrics: Sequence[str] = option(
        (), "-m", "--metrics", "--metric", metavar="METRIC", several=True,
        help="Metrics to compute from the texts, such as chrf sentbleu.",
    )  # fmt: skip
    references: Sequence[str] = option(
        (), "-r", "--reference", metavar="REFERENCE", several=True,
        help="References for metrics: names in the test set, or files. [default: all of the test set]",
    )  # fmt: skip
    scores: Sequence[str | Path] = option(
        (), "--scores", metavar="FILE", several=True, help="Files of metric scores (see the docs)."
    )
    published: bool | None = option(
        None, "--published/--no-published",
        help="Include the metric scores that come with the data. [default: if neither -m nor --scores is given]",
        about="Whether to include the metric scores that come with the data. Default: only without `metrics` and "
        "`scores`.",
    )  # fmt: skip
    judgements: Sequence[str | Path] = option(
        (), "--judgements", metavar="FILE", several=True,
        help="Judgements of people: a table with system, segment, rater and score, or another known file.",
    )  # fmt: skip
    passing_raters: bool = option(
        False, "--passing-raters",
        help="Leave out raters who did not score damaged outputs lower (paired t-test, p <= .05).",
    )  # fmt: skip
    progress: Callable[[str], AbstractContextManager[Any]] | None = python_option(
        None,
        "Called with a language pair. Returns a context manager whose value is the `progress` argument of `score`.",
    )


@dataclass(frozen=True, kw_only=True)
class Judging(Intervals):
    """What is measured."""

    level: str | None = option(
        None, "--level", choices=("sys", "seg", "system", "segment"), metavar="sys|seg",
        help="Systems or segments. [default: sys; seg for files of fewer than four systems whose segments were judged]",
        about='Compare scores of systems ("sys") or of segments ("seg"). Default: systems; segments for a `TestSet` of '
        "fewer than four systems whose segments were judged.",
    )  # fmt: skip
    statistic: str | None = option(
        None, "--stat", metavar="STATISTIC",
        help="pearson, spearman, kendall, kendall-c, accuracy, accuracy-calibrated, soft-accuracy, tau:wmt12|wmt13|"
        "wmt14|hties or a table such as 'tau:1,0,-1;X,X,X;-1,0,1'. [default: pearson; tau for preferences]",
        about='"pearson", "spearman", "kendall", "kendall-c", "accuracy", "accuracy-calibrated", "soft-accuracy", '
        '"tau" or "tau:VARIANT", where VARIANT is "wmt12", "wmt13", "wmt14", "hties" or a table such as '
        '"1,0,-1;X,X,X;-1,0,1". Default: tau at segment level if people ranked outputs, else Pearson\'s r.',
    )  # fmt: skip
    gold: str | None = option(
        None, "-g", "--gold", metavar="NAME", help="The gold standard, if there are several: da, mqm, darr, …",
        about='The name of the human standard, such as "mqm". Required if the data have several.',
    )  # fmt: skip
    systems: Sequence[str] = option(
        (), "--systems", metavar="SYSTEM", several=True,
        help="Only these systems. [default: all judged systems that are not references]",
    )  # fmt: skip
    common: bool = option(
        False, "--common", help="Leave out for all what one metric lacks, instead of giving it no value."
    )
    absolute: bool = option(False, "--absolute", help="Use absolute values of correlations, as WMT19 does.")
    average: str = option(
        "none", "--average", "--avg", choices=("none", "item", "system"),
        help="Correlate all segments at once, or take the mean of correlations by item (segment) or system.",
        about='At segment level, compute the statistic over all outputs at once, or the mean of the statistic within '
        'each segment ("item") or system.',
    )  # fmt: skip
    margin: float | None = option(
        None, "--margin", help="Two scores that differ by more are a preference. [default: 25 for raw DA, else 0]"
    )
    inclusive: bool = option(False, "--inclusive", help="A difference equal to the margin is a preference too.")
    unit: str | None = option(
        None, "--unit", metavar="UNIT",
        help="What is resampled for intervals: systems, segments, judgements, pairs or outputs. [default: as in "
        "papers]",
        about='What is resampled for confidence intervals: "systems", "segments" or "judgements" at system level, '
        '"outputs" or "segments" at segment level, "pairs", "segments" or "judgements" for tau. Default: the first.',
    )  # fmt: skip
    significance: str | None = option(
        "auto", "--significance", metavar="TEST",
        help="williams, bootstrap, overlap, perm-inputs, perm-systems, perm-both or none. auto: williams for "
        "Pearson's r, bootstrap otherwise.",
        about='"williams", "bootstrap", "overlap", "perm-inputs", "perm-systems", "perm-both" or None. "auto" is '
        "Williams' test for Pearson's r and the paired bootstrap otherwise.",
    )  # fmt: skip
    alpha: float = option(0.05, "--alpha", help="Significance level.")
    top: bool = option(False, "--top-n", help="Also show values over the N best systems, for every N down to 4.")
    by_quality: bool = option(
        False, "--by-quality", help="Also show values by quarters of the human scores, worst to best."
    )
    mean_of_segments: bool = option(
        False, "--mean-of-segments",
        help="At system level, use the mean of its segment scores as the system score of every metric that has them.",
        about="At system level, replace the system scores of every metric that has segment scores by the mean of its "
        "segment scores over the judged segments (over all segments if the human scores are of systems only).",
    )  # fmt: skip

    def check(self) -> None:
        super().check()
        object.__setattr__(self, "level", LEVELS.get(self.level or "", self.level))


@dataclass(frozen=True, kw_only=True)
class Agreeing(Intervals):
    """How the agreement of raters is measured."""

    complete: bool = option(False, "--complete", help="Use only raters who judged every output.")
    identical: str = option(
        "once", "--identical", choices=("once", "each"),
        help="In rankings, count outputs with the same text once, or each (as in WMT's files of comparisons).",
    )  # fmt: skip
    level: Sequence[str] = option(
        (), "--level", choices=("nominal", "ordinal", "interval", "ratio"),
        help="Level of measurement of Krippendorff's alpha; repeat for more. [default: those that fit]",
    )  # fmt: skip
    weights: Mapping[str, float] | str | None = option(
        None, "--weights", metavar="TEXT", help="Weights of errors (MQM): 'Major:5 Minor:1'. [default: Google's]"
    )
    slices: int = option(
        5, "--slices", low=1, high=1000, help="Parts of the work to compare.",
        about="The number of parts into which the work of each rater is divided, in the order of the judgements.",
    )  # fmt: skip
