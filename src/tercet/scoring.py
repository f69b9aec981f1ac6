"""`score`: texts in, `Scores` out, one per metric."""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from . import __version__
from .data.scores import Scores
from .data.testset import TestSet
from .engine import SHARD, Progress, count, open_executor
from .errors import UsageError
from .kernels import warn_if_slow
from .metrics import Floats, Metric, create

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from .data.stream import TextFiles

log = logging.getLogger(__name__)
# Thai to Burmese, Khmer, Chinese to Korean: only where these occur is it worth asking for the script.
UNSPACED = re.compile("[\u0e00-\u109f\u1780-\u17ff\u2e80-\ufaff\uff66-\uffdc]")


def score(
    testset: TestSet | TextFiles,
    metrics: Sequence[str | Metric] | str = ("bleu",),
    *,
    jobs: int = 1,
    cluster: str | None = None,
    executor: Executor | None = None,
    cache: str | Path | None = None,
    keep_counts: bool = True,
    by: str | None = None,
    confidence: bool = False,
    confidence_n: int = 1000,
    confidence_method: str = "percentile",
    seed: int = 12345,
    progress: Progress | None = None,
) -> list[Scores]:
    """Scores of every system by every metric, in the order of the metrics.

    jobs, cluster, executor: where to count (see `engine`); the numbers are the same wherever. cache: a folder for
    finished counts. keep_counts=False keeps sums only, for inputs larger than memory: no segment scores then.
    by adds scores of groups of segments: "document", "length", or a label of the test set such as "domain".
    confidence adds bootstrap intervals (confidence_n resamples).
    """
    if isinstance(metrics, str):
        raise UsageError(f'metrics must be a list of names, as ["{metrics}"], not a single text.')
    if not testset.outputs:
        raise UsageError(f"Test set {testset.name!r} has no outputs to score.")
    warn_if_slow()
    made = [create(metric, language=testset.target_language) for metric in metrics]
    for metric in made:
        metric.check_needs(testset)
    if by not in (None, "document") and not isinstance(testset, TestSet):
        testset = testset.read()  # grouping needs the texts
    made = [metric.fitted(testset) for metric in made]
    keep_counts = keep_counts or confidence or by is not None
    if executor is not None:
        tallies = _tally(testset, made, executor, cache, keep_counts, progress)
    else:
        with open_executor(jobs, cluster) as opened:
            tallies = _tally(testset, made, opened, cache, keep_counts, progress)
    return [
        tally.scores(
            testset,
            by=by,
            interval={"resamples": confidence_n, "method": confidence_method, "seed": seed} if confidence else None,
        )
        for tally in tallies
    ]


def score_each_reference(
    testset: TestSet | TextFiles, metrics: Sequence[str | Metric] = ("bleu",), **options: Any
) -> dict[str, list[Scores]]:
    """Scores against each reference alone, by its name; options are those of `score`.

    With a post-edit of the output as a reference these are HTER, HBLEU and the like (Snover et al. 2006; thesis of
    Fomicheva 2017, section 3.3). Segments that lack a reference are left out of its scores.
    """
    if len(testset.references) < 2:
        raise UsageError(f"Test set {testset.name!r} has {len(testset.references)} reference: two or more are needed.")
    return {name: score(_only_reference(testset, name), metrics, **options) for name in testset.references}


def _only_reference(testset: TestSet | TextFiles, name: str) -> Any:
    """The test set with one of its references, and with the segments that have it."""
    if isinstance(testset, TestSet):
        rows = [i for i, text in enumerate(testset.references[name]) if text is not None]
        if not rows:
            raise UsageError(f"Reference {name!r} has no text at all.")
        testset = testset.take(rows) if len(rows) < len(testset) else testset
    return replace(testset, references={name: testset.references[name]})


def sum_counts(counts: Floats) -> Floats:
    """The sum over segments, shard by shard, so that it is the same to the last bit however counts were gathered."""
    total = np.zeros(counts.shape[-1])
    for start in range(0, len(counts), SHARD):
        total = total + counts[start : start + SHARD].sum(0)
    return total


def _tally(
    testset: Any,
    metrics: Sequence[Metric],
    executor: Executor | None,
    cache: str | Path | None,
    keep_counts: bool,
    progress: Progress | None,
) -> list[_Tally]:
    tallies = [_Tally(metric, keep_counts) for metric in metrics]
    first: TestSet | None = None
    for index, shard, counts in count(testset, metrics, executor=executor, cache=cache, progress=progress):
        if first is None:
            first = shard
            for metric in metrics:
                _warn_of_script(metric, shard)
        tallies[index].add(shard, counts)
    return tallies


def _warn_of_script(metric: Metric, shard: TestSet) -> None:
    tokeniser = getattr(metric, "tokenize", None)
    if tokeniser is None or not shard.references:
        return
    sample = [text for text in next(iter(shard.references.values()))[:200] if text]
    if not UNSPACED.search("".join(sample)):
        return
    from .text.scripts import advise_tokeniser

    advice = advise_tokeniser(sample, tokeniser, language=shard.target_language)
    if advice:
        log.warning("%s: %s", metric.name, advice)


class _Tally:
    """What has been counted so far for one metric."""

    def __init__(self, metric: Metric, keep_counts: bool) -> None:
        self.metric = metric
        self.keep_counts = keep_counts
        self.totals: dict[str, Floats] = {}
        self.parts: dict[str, list[Floats]] = {}
        self.documents: list[str] = []
        self.reference_numbers: set[int] = set()
        self.segments = 0

    def add(self, shard: TestSet, counts: dict[str, Floats]) -> None:
        for system, array in counts.items():
            subtotal = sum_counts(array)
            self.totals[system] = self.totals[system] + subtotal if system in self.totals else subtotal
            if self.keep_counts:
                self.parts.setdefault(system, []).append(array)
        self.segments += len(shard)
        self.documents += shard.documents or []
        if shard.references:
            present = [[text is not None for text in lines] for lines in shard.references.values()]
            self.reference_numbers |= set(np.sum(present, axis=0).tolist())

    def scores(self, testset: Any, *, by: str | None, interval: dict[str, Any] | None) -> Scores:
        metric = self.metric
        counts = {system: np.concatenate(parts) for system, parts in self.parts.items()}
        self.parts = {}
        run: dict[str, object] = {}
        if "reference" in metric.needs and self.reference_numbers:
            run["nrefs"] = self.reference_numbers.copy().pop() if len(self.reference_numbers) == 1 else "var"
        if interval:
            run |= {"bs": interval["resamples"], "seed": interval["seed"]}
        return Scores(
            metric=metric.spec,
            label=metric.label,
            signature=metric.full_signature(run),
            higher_is_better=metric.higher_is_better,
            system={system: float(metric.score(total)) for system, total in self.totals.items()},
            segment={system: metric.segment_scores(array) for system, array in counts.items()},
            counts=counts,
            totals=self.totals,
            document_ids=self.documents or None,
            by=by,
            group=self._group_scores(testset, by, counts) if by else {},
            interval=self._intervals(counts, interval) if interval else {},
            n_segments=self.segments,
            provenance={"tercet": __version__, "test_set": testset.name, "pair": testset.pair},
        )

    def _group_scores(self, testset: Any, by: str, counts: dict[str, Floats]) -> dict[str, dict[str, float]]:
        from .slicing import segment_groups  # here, as it is slow to import and seldom needed

        texts = testset if isinstance(testset, TestSet) else None
        names, rows = segment_groups(by, texts, self.documents or None)
        result = {}
        for system, array in counts.items():
            sums = np.zeros((len(names), array.shape[1]))
            np.add.at(sums, rows, array)
            result[system] = dict(zip(names, map(float, self.metric.score(sums)), strict=True))
        return result

    def _intervals(self, counts: dict[str, Floats], interval: dict[str, Any]) -> dict[str, Any]:
        from .stats import bootstrap

        return {system: bootstrap(self.metric.score, array, **interval) for system, array in counts.items()}


def add_intervals(
    scores: Sequence[Scores], *, resamples: int = 1000, method: str = "percentile", seed: int = 12345
) -> list[Scores]:
    """The same scores with bootstrap intervals, from the counts that they keep."""
    from .stats import bootstrap

    return [
        replace(
            item,
            interval={
                system: bootstrap(create(item.metric).score, counts, resamples=resamples, method=method, seed=seed)
                for system, counts in item.counts.items()
            },
        )
        for item in scores
    ]


def merge(parts: Sequence[Sequence[Scores]]) -> list[Scores]:
    """Scores of shards put together, in the given order: the same as if the whole had been scored at once."""
    if len({len(part) for part in parts}) > 1:
        raise UsageError("These files do not belong together: they hold different numbers of metrics.")
    merged = []
    for same in zip(*parts, strict=True):
        metric = create(same[0].metric)
        if metric.whole:
            raise UsageError(f"{metric.spec} depends on neighbouring segments: its shards cannot be merged exactly.")
        for part in same[1:]:
            if part.signature != same[0].signature:
                raise UsageError(
                    "These files do not belong together: one was scored by "
                    f"{same[0].signature}, another by {part.signature}."
                )
            if set(part.system) != set(same[0].system):
                raise UsageError(
                    f"These files do not belong together: systems {', '.join(same[0].system)} "
                    f"and {', '.join(part.system)}."
                )
        counts = {system: np.concatenate([part.counts[system] for part in same]) for system in same[0].system}
        totals = {system: sum_counts(array) for system, array in counts.items()}
        documents = [name for part in same for name in part.document_ids or []]
        merged.append(
            Scores(
                metric=same[0].metric,
                label=same[0].label,
                signature=same[0].signature,
                higher_is_better=same[0].higher_is_better,
                system={system: float(metric.score(total)) for system, total in totals.items()},
                segment={system: metric.segment_scores(array) for system, array in counts.items()},
                counts=counts,
                totals=totals,
                document_ids=documents or None,
                n_segments=sum(part.n_segments for part in same),
                provenance=same[0].provenance,
            )
        )
    return merged
