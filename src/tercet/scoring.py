"""`score`: texts in, `Scores` out, one per metric."""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from . import __version__
from .data.names import find_name
from .data.scores import MetricRecord, ScoreList, Scores
from .data.testset import TestSet, name_references
from .engine import SHARD, Progress, count, open_executor
from .errors import UnknownName, UsageError
from .kernels import warn_if_slow
from .metrics import Metric, Ready, create, restore, take_apart
from .metrics._ready import warn_of_guess
from .options import takes
from .options.groups import Scoring
from .types import Floats

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from .data.stream import TextFiles
    from .stats import Comparisons

log = logging.getLogger(__name__)
# Thai to Burmese, Khmer, Chinese to Korean: only where these occur is it worth asking for the script.
UNSPACED = re.compile("[\u0e00-\u109f\u1780-\u17ff\u2e80-\ufaff\uff66-\uffdc]")


@takes(Scoring)
def score(
    testset: TestSet | TextFiles,
    metrics: Sequence[str | Metric] | str | Metric = ("bleu",),
    *,
    options: Scoring,
) -> ScoreList:
    """Score every system of a test set by every metric.

    Parameters
    ----------
    testset : TestSet or TextFiles
        The texts: a `TestSet`, or files that are read piece by piece.
    metrics : sequence of str or Metric
        One or more metrics: strings such as "bleu" or "chrf:word_order=2", or `Metric` objects.

    Returns
    -------
    ScoreList : one `Scores` per metric, in their order; indexed by number, or by the string asked for.

    Examples
    --------
    >>> import tercet
    >>> testset = tercet.TestSet({"a": ["the cat sat"]}, {"ref": ["the cat sat down"]})
    >>> round(tercet.score(testset, "chrf")["chrf"].system["a"], 2)
    66.02
    """
    check_texts(testset)
    if not testset.outputs:
        raise UsageError(f"Test set {testset.name!r} has no outputs to score.")
    warn_if_slow()
    by, confidence = options.by, options.confidence
    if by not in (None, "document") and not isinstance(testset, TestSet):
        testset = testset.read()  # grouping needs the texts
    ready = make_ready(testset, metrics)
    if not ready and not options.scores:
        raise UsageError("No metric is asked for.")
    keep_counts = options.keep_counts or confidence is not False or by is not None
    with open_executor(options.jobs, options.cluster, options.executor) as opened:
        tallies = _tally(testset, ready, opened, options.cache, keep_counts, options.progress)
    found = [*(tally.scores(testset) for tally in tallies), *options.scores]
    if by is not None:
        found = add_groups(found, by, testset=testset if isinstance(testset, TestSet) else None)
    if confidence is not False:
        found = add_intervals(
            found, resamples=options.confidence_n, confidence=0.95 if confidence is True else confidence,
            method=options.confidence_method, seed=options.seed,
        )  # fmt: skip
    return ScoreList(found)


def corpus(
    metric: str | Metric,
    outputs: Sequence[str],
    references: object = None,
    source: Sequence[str] | None = None,
    *,
    language_pair: str | None = None,
) -> float:
    """Return the corpus score of one system, for people who have lists of sentences.

    Parameters
    ----------
    metric : a string such as "bleu", or a `Metric`.
    outputs : one output per segment.
    references : one reference per segment; or several, as a list of such lists, a list for each segment, or a mapping
        of names.
    source : the source texts, for metrics that read them.
    language_pair : such as "en-de", for metrics that depend on it.

    Returns
    -------
    float

    Examples
    --------
    >>> import tercet
    >>> round(tercet.corpus("bleu", ["the cat sat on the mat"], ["the cat sat on the mat"]), 2)
    100.0
    """
    if not isinstance(metric, str | Metric):
        raise UsageError(f'corpus computes one metric, as "bleu", not {metric!r}. For several use score.')
    named = {} if references is None else references
    if not isinstance(named, Mapping):
        named = name_references(references, len(outputs), square="references")
    testset = TestSet({"output": outputs}, dict(named), source, pair=language_pair)
    return score(testset, metric, keep_counts=False)[0].system["output"]


def make_ready(testset: TestSet | TextFiles, metrics: Sequence[str | Metric] | str | Metric) -> list[Ready]:
    """Return the metrics asked for, made ready for a test set; each is asked for once or several times."""
    if isinstance(metrics, str | Metric):
        metrics = [metrics]
    if not isinstance(metrics, Sequence):
        raise UsageError(f'metrics must be a list of names, as ["bleu"], not {metrics!r}.')
    given = [create(metric) for metric in metrics]
    for metric in given:  # all, before the first of them learns
        metric.adapted(testset).resolved(testset.target_language).check_needs(testset)
    ready = []
    for asked, metric in zip(metrics, given, strict=True):
        ready.append(metric.ready(testset, asked=asked if isinstance(asked, str) else ""))
        warn_of_language(metric, ready[-1], testset.target_language)
    return ready


def warn_of_language(given: Metric, ready: Ready, known: str | None) -> None:
    """Warn if a metric that depends on the language of the outputs is English by accident."""
    if known is None and getattr(given, "language", "") is None:
        warn_of_guess(ready.label, getattr(ready.metric, "language", ""))


def check_texts(testset: object) -> None:
    """Refuse what is no test set."""
    from .data.stream import TextFiles

    if not isinstance(testset, TestSet | TextFiles):
        raise UsageError(
            f"A TestSet is needed, as TestSet(outputs={{…}}, references={{…}}) or tercet.read(FILE), not "
            f"{type(testset).__name__}."
        )


def score_each_reference(
    testset: TestSet | TextFiles, metrics: Sequence[str | Metric] = ("bleu",), **options: object
) -> dict[str, ScoreList]:
    """Return scores against each reference alone, by its name; options are those of `score`.

    With a post-edit as a reference these are HTER, HBLEU and the like (Snover et al. 2006; Fomicheva 2017, section
    3.3). Segments that lack a reference are left out of its scores.
    """
    if len(testset.references) < 2:
        raise UsageError(f"Test set {testset.name!r} has {len(testset.references)} reference: two or more are needed.")
    return {name: score(_only_reference(testset, name), metrics, **options) for name in testset.references}


def _only_reference(testset: TestSet | TextFiles, name: str) -> TestSet | TextFiles:
    """Return the test set with one of its references, and with the segments that have it."""
    if isinstance(testset, TestSet):
        rows = [i for i, text in enumerate(testset.references[name]) if text is not None]
        if not rows:
            raise UsageError(f"Reference {name!r} has no text at all.")
        testset = testset.take(rows) if len(rows) < len(testset) else testset
        return replace(testset, references={name: testset.references[name]})
    return replace(testset, references={name: testset.references[name]})


def load(
    path: str | Path, data: bytes | None = None, *, trust_features: bool = False, allow_network: bool = False
) -> list[Scores]:
    """Read scores that `tercet score --save` wrote, with their metrics where these are found here.

    data: the contents of the file, if they are elsewhere; the path is then a name for messages.
    trust_features: import metrics from the Python files that the scores name; otherwise such scores are refused.
    allow_network: restore models that use a service. Scores of a service itself are read, and it is not asked again.
    """
    from .data.score_archive import load_scores
    from .metrics import create_from_file

    def find(spec: str) -> Metric:
        allowed = allow_network or take_apart(spec).name == "judge"
        found = create_from_file(spec, str(path), trust_features=trust_features, allow_network=allowed)
        return found if allow_network else found.offline()

    return [replace(item, metric=restore(item.metric, find)) for item in load_scores(path, data)]


def paired_tests(
    scores: Sequence[Scores], *, test: str = "bootstrap", resamples: int | None = None, seed: int = 12345,
    baseline: str | None = None,
) -> list[Comparisons]:  # fmt: skip
    """Test every system against a baseline by a paired test, as sacreBLEU does: one result per metric.

    test: "bootstrap" or "randomisation"; resamples: by default 1,000 and 10,000. baseline: by default the first system.
    P-values are not corrected for the number of comparisons; `compare` does that. Below 50 segments the bootstrap finds
    differences too often, which is a warning here; `compare` then goes by randomisation.
    """
    from .stats import compare_all
    from .stats.paired import FEW_SEGMENTS, RESAMPLES

    if test not in RESAMPLES:
        raise UnknownName("test", test, RESAMPLES)
    systems = scores[0].systems
    if len(systems) < 2:
        raise UsageError("A paired test needs two systems or more; the first is the baseline.")
    if test == "bootstrap" and scores[0].n_segments < FEW_SEGMENTS:
        said = "Paired bootstrap: below %d segments its p-values are too small, and there are %d. Use randomisation."
        log.warning(said, FEW_SEGMENTS, scores[0].n_segments)
    how: dict[str, Any] = {"test": test, "resamples": resamples, "interval_resamples": 0, "seed": seed}
    first = 0 if baseline is None else systems.index(find_name(baseline, systems))
    return [compare_all(item.metric.score, item.cube, baseline=first, **how) for item in scores]


def add_tests(scores: Sequence[Scores], tests: Sequence[Comparisons]) -> list[Scores]:
    """Return the scores with their paired tests, whose resamples give intervals where there are no others."""
    return [
        replace(item, test=test)
        if item.interval or test.test != "bootstrap"
        else replace(item, test=test, interval=dict(zip(item.systems, test.intervals, strict=True)))
        for item, test in zip(scores, tests, strict=True)
    ]


def sum_counts(counts: Floats) -> Floats:
    """Return the sum over segments, shard by shard: it is the same to the last bit however counts were gathered."""
    total = np.zeros(counts.shape[-1])
    for start in range(0, len(counts), SHARD):
        total = total + counts[start : start + SHARD].sum(0)
    return total


def _tally(
    testset: TestSet | TextFiles, metrics: Sequence[Ready], executor: Executor | None, cache: str | Path | None,
    keep_counts: bool, progress: Progress | None,
) -> list[_Tally]:  # fmt: skip
    from .data.stream import EmptyReferences

    tallies = [_Tally(metric, keep_counts) for metric in metrics]
    first: TestSet | None = None
    references = EmptyReferences()
    watched = [i for i, metric in enumerate(metrics) if "reference" in metric.needs][:1]
    for index, shard, counts in count(testset, metrics, executor=executor, cache=cache, progress=progress):
        if index in watched:
            references.add(shard)
        if first is None:
            first = shard
            for system, outputs in shard.outputs.items():
                for name, lines in shard.references.items():
                    if len(lines) > 1 and outputs == lines:
                        log.warning("Output %r is identical to reference %r.", system, name)
            for metric in metrics:
                _warn_of_script(metric, shard)
        tallies[index].add(shard, counts)
    references.report()
    return tallies


def _warn_of_script(metric: Ready, shard: TestSet) -> None:
    tokeniser = getattr(metric.metric, "tokenize", None)
    if tokeniser is None or not shard.references:
        return
    sample = [text for text in next(iter(shard.references.values()))[:200] if text]
    if UNSPACED.search("".join(sample)):
        from .text.scripts import advise_tokeniser

        if advice := advise_tokeniser(sample, tokeniser, language=shard.target_language):
            log.warning("%s: %s", metric.name, advice)


class _Tally:
    """What has been counted so far for one metric."""

    def __init__(self, metric: Ready, keep_counts: bool) -> None:
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

    def scores(self, testset: TestSet | TextFiles) -> Scores:
        counts: dict[str, Floats] = {}
        if self.parts:
            # One array for all systems: `Scores.cube` needs no copy.
            columns = next(iter(self.parts.values()))[0].shape[1]
            cube = np.empty((len(self.parts), self.segments, columns))
            for row, system in enumerate(list(self.parts)):
                counts[system] = np.concatenate(self.parts.pop(system), out=cube[row])
        read = "reference" in self.metric.needs
        references = list(testset.references) if read else []
        facts = {"tercet": __version__, "test_set": testset.name, "pair": testset.pair, "references": references}
        found = build_scores(
            self.metric, self.totals, counts, n_segments=self.segments, document_ids=self.documents or None,
            reference_numbers=frozenset(self.reference_numbers if read else ()), provenance=facts,
        )  # fmt: skip
        if found.system and np.isnan(list(found.system.values())).all():
            log.warning("%s: the score of every system is NaN, not a number.", self.metric.label)
        return found


def build_scores(
    metric: MetricRecord, totals: dict[str, Floats], counts: dict[str, Floats], *, n_segments: int,
    document_ids: Sequence[str] | None, reference_numbers: frozenset[int], provenance: Mapping[str, object],
) -> Scores:  # fmt: skip
    """Return scores from counts: sums by system, and counts by segment where they were kept."""
    return Scores(
        metric=metric, system={system: float(metric.score(total)) for system, total in totals.items()},
        segment={system: metric.segment_scores(array) for system, array in counts.items()}, counts=counts,
        totals=totals, n_segments=n_segments, document_ids=document_ids, reference_numbers=reference_numbers,
        provenance=provenance,
    )  # fmt: skip


def add_groups(scores: Sequence[Scores], by: str, *, testset: TestSet | None = None) -> list[Scores]:
    """Return the scores with those of groups of segments: documents, or (with `testset`) lengths and labels."""
    from .slicing import segment_groups  # slow to import and seldom needed

    names, rows = segment_groups(by, testset, scores[0].document_ids)
    added = []
    for item in scores:
        group = {}
        for system, counts in item.counts.items():
            sums = np.zeros((len(names), counts.shape[1]))
            np.add.at(sums, rows, counts)
            group[system] = dict(zip(names, map(float, item.metric.score(sums)), strict=True))
        added.append(replace(item, by=by, group=group))
    return added


def add_intervals(scores: Sequence[Scores], **options: Any) -> list[Scores]:
    """Return the scores with bootstrap intervals; options are those of `tercet.stats.bootstrap_all`."""
    from .stats import bootstrap_all

    added = []
    for item in scores:
        found = bootstrap_all(item.metric.score, item.cube, **options)
        # The resampler adds up in another order: the last digit of its value may differ from the score shown.
        intervals = {
            system: replace(interval, value=item.system[system])
            for system, interval in zip(item.systems, found, strict=True)
        }
        added.append(replace(item, interval=intervals))
    return added


def merge(parts: Sequence[Sequence[Scores]]) -> list[Scores]:
    """Return the scores of shards put together, as if all had been scored at once; without intervals and groups."""
    if len({len(part) for part in parts}) > 1:
        raise UsageError("These files do not belong together: they hold different numbers of metrics.")
    return [_merged(same) for same in zip(*parts, strict=True)]


def _merged(same: Sequence[Scores]) -> Scores:
    """Return the scores of one metric for shards put together."""
    first, metric = same[0], same[0].metric
    if metric.whole:
        raise UsageError(f"{metric.spec} depends on neighbouring segments: its shards cannot be merged exactly.")
    for part in same[1:]:
        for what, one, other in (
            ("metrics", metric.signature, part.metric.signature),
            ("systems", ", ".join(sorted(first.system)), ", ".join(sorted(part.system))),
            ("documents", *("unknown" if each.document_ids is None else "known" for each in (first, part))),
        ):
            if one != other:
                raise UsageError(f"These files do not belong together: their {what} are {one} and {other}.")
    counts = {system: np.concatenate([part.counts[system] for part in same]) for system in first.system}
    return build_scores(
        metric,
        {system: sum_counts(array) for system, array in counts.items()},
        counts,
        n_segments=sum(part.n_segments for part in same),
        document_ids=[name for part in same for name in part.document_ids or []] or None,
        reference_numbers=frozenset().union(*(part.reference_numbers for part in same)),
        provenance=first.provenance,
    )
