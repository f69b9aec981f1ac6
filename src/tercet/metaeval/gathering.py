"""`judge_pairs`, the function of `tercet meta`: for every language pair of a data set what people said, metric scores
from the texts, from files and as published, and the verdicts on them.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from math import isnan
from pathlib import Path
from typing import Any

from ..data.evidence import Evidence, evidence_pairs, open_evidence
from ..data.judgement_files import pairs_of_judgements, read_judgement_file
from ..data.judgements import Judgements
from ..data.scorefiles import pairs_of_scores, read_scores
from ..data.scores import Scores
from ..data.stream import chosen_texts
from ..data.testset import TestSet
from ..engine import Progress
from ..errors import DataError, UnknownName, UsageError
from ..human.control import passing_bad_items
from ..metrics import create
from ..scoring import score
from .joining import listed, references_among
from .judging import check_question, judge, parse_question
from .results import Verdicts

log = logging.getLogger(__name__)

# Arguments of `judge`: those that nothing has to check, and of the rest those that data are needed to check.
UNCHECKED = frozenset({"common", "resamples", "seed"})
OF_DATA = frozenset({"level", "statistic", "gold", "systems"})


@dataclass(frozen=True)
class Sources:
    """Where scores and further judgements come from.

    metrics: computed from the texts, with these references of theirs (names or files; none: all). files: of scores.
    published: also the scores that came with the data; None: if there are neither metrics nor files.
    judgements: more files, of this kind and with this prefix of systems if they are exports of campaigns.
    passing_raters: without raters who failed on damaged outputs. jobs, cache: as for `score`. progress: what, for a
    language pair, is told of finished work while its metrics are computed.
    """

    metrics: Sequence[str] = ()
    references: Sequence[str] = ()
    files: Sequence[str | Path] = ()
    published: bool | None = None
    judgements: Sequence[str | Path] = ()
    kind: str | None = None
    system_prefix: str = ""
    passing_raters: bool = False
    jobs: int = 1
    cache: str | Path | None = None
    progress: Callable[[str], AbstractContextManager[Progress]] | None = None

    def check(self) -> None:
        """Refuse what cannot be done with any data, before anything is read or counted."""
        if (self.kind or self.system_prefix) and not self.judgements:
            raise UsageError("--kind and --system-prefix are for the files of --judgements.")
        if self.references and not self.metrics:
            raise UsageError("--reference is for metrics that are computed here: name some with -m.")
        for spec in self.metrics:
            create(spec)

    def check_files(self, pairs: Sequence[str | None]) -> None:
        """Refuse files of scores and judgements that are of none of the pairs, or do not say of which of several."""
        for file in map(Path, (*self.files, *self.judgements)):
            if not file.is_file():
                raise UsageError(
                    f"{file} is a folder; a file is needed." if file.is_dir() else f"There is no file {file}."
                )
        for path, stated in (
            *((path, pairs_of_scores(path)) for path in self.files),
            *((path, pairs_of_judgements(path)) for path in self.judgements),
        ):
            if stated is None and len(pairs) > 1:
                raise UsageError(f"{path} names no language pair; give --pair.")
            if stated and pairs != [None] and not set(stated) & set(pairs):
                raise DataError(f"{path} is of {', '.join(stated)}, not of {', '.join(map(str, pairs))}.")


def judge_pairs(
    place: str | Path,
    pairs: Sequence[str] = (),
    sources: Sources | None = None,
    *,
    called: str | None = None,
    **asked: Any,
) -> list[Verdicts]:
    """Verdicts for each of the pairs of a data set, or for all that people judged; `asked` goes to `judge`.

    All that can be refused is refused before the first metric is computed. Pairs that nobody asked for and that cannot
    be judged so are named in a warning and left out. called: the data set in messages, if not by its place.
    """
    place, sources = Path(place), sources or Sources()
    question = {name: value for name, value in asked.items() if name not in UNCHECKED}
    statistic, level = asked.get("statistic"), asked.get("level", "sys")
    if statistic or level == "sys":
        formal = {name: value for name, value in question.items() if name not in OF_DATA}
        parse_question(statistic or "pearson", level, **formal)
    sources.check()
    wanted: Sequence[str | None] = list(pairs) or evidence_pairs(place) or [None]
    sources.check_files(wanted)
    problems: dict[str, DataError | UnknownName] = {}

    @contextmanager
    def attempting(pair: str) -> Iterator[None]:
        try:
            yield
        except (DataError, UnknownName) as error:
            if pairs:
                raise
            problems[pair] = error

    ready: list[tuple[Evidence, TestSet | None]] = []
    results: list[Verdicts] = []
    for evidence in _evidence(place, wanted, sources, everything=bool(pairs)):
        with attempting(evidence.pair):
            check_question(evidence, **question)
            ready.append((evidence, _texts(evidence, sources)))
    for evidence, texts in ready:
        with attempting(evidence.pair):
            scores, notes = _gather(evidence, texts, sources, asked)
            result = judge(evidence, scores, **asked)
            results.append(replace(result, notes=(*notes, *result.notes)))
    if not results:
        for problem in problems.values():
            raise problem
        raise UsageError(f"{called or place} has no language pair with judgements.")
    for pair, problem in problems.items():
        log.warning("Left out %s: %s", pair, problem)
    return results


def _evidence(place: Path, pairs: Sequence[str | None], sources: Sources, *, everything: bool) -> Iterator[Evidence]:
    """What there is for each pair; unless `everything` was asked for, for those that people judged."""
    more = [(path, pairs_of_judgements(path)) for path in sources.judgements]
    for pair in pairs:
        found = open_evidence(place, pair)
        judgements = [*found.judgements]
        for path, stated in more:
            if found.pair and stated and found.pair not in stated:
                continue
            judgements += read_judgement_file(
                path, pair=found.pair or None, kind=sources.kind, system_prefix=sources.system_prefix
            )
        if sources.passing_raters:
            judgements = [_passing(table) for table in judgements]
        found = replace(found, judgements=judgements)
        if everything or found.gold or found.judgements:
            yield found


def _passing(judgements: Judgements) -> Judgements:
    """Without the raters who fail on damaged outputs; they are named."""
    if not any(row.check == "bad" for row in judgements.rows):
        log.warning("Judgements %r: no rater saw damaged outputs, so that --passing-raters keeps all.", judgements.name)
        return judgements
    kept, report = passing_bad_items(judgements)
    for rater, why in report.dropped.items():
        log.warning("Judgements %r: left out rater %s: %s", judgements.name, rater, why)
    return kept


def _texts(evidence: Evidence, sources: Sources) -> TestSet | None:
    """The texts for the metrics that are to be computed, with the references that were chosen; None for no metrics."""
    texts = evidence.testset
    if not sources.metrics:
        return None
    if texts is None or not texts.outputs:
        raise DataError(
            f"{evidence.name} has no texts for {evidence.pair}, so that metrics cannot be computed. Give --scores."
        )
    if sources.references:
        texts = replace(texts, references=chosen_texts("reference", sources.references, texts.references))
    for spec in sources.metrics:
        try:
            create(spec).resolved(texts.target_language).check_needs(texts)
        except UsageError as error:  # of these data, not of what was asked
            raise DataError(str(error)) from None
    return texts


def _gather(
    evidence: Evidence, texts: TestSet | None, sources: Sources, asked: Mapping[str, Any]
) -> tuple[list[Scores], list[str]]:
    """The scores to judge, and notes: computed from the texts, read from files, published with the data."""
    read: list[Scores] = []
    for path in sources.files:
        stated = pairs_of_scores(path)
        if stated and evidence.pair and evidence.pair not in stated:
            raise DataError(f"{path} is of {', '.join(stated)}, not of {evidence.pair}.")
        read += read_scores(path, pair=evidence.pair, segments=evidence.segments)
    computed, notes = ([], []) if texts is None else _computed(evidence, texts, sources, asked.get("systems"))
    found = computed + read
    if sources.published or (sources.published is None and not sources.metrics and not sources.files):
        taken = {item.label for item in found}
        by_segment = _wants_segments(asked)
        found += [
            item
            for item in evidence.scores
            if item.label not in taken and (item.segment or not by_segment) and (by_segment or _has_system(item))
        ]
    if not found:
        raise UsageError("There are no metrics to judge: name some with -m, or give files with --scores.")
    return found, notes


def _wants_segments(asked: Mapping[str, Any]) -> bool:
    """Whether metrics are judged by their scores of segments."""
    return (
        asked.get("level") == "seg"
        or asked.get("statistic") == "soft-accuracy"
        or asked.get("unit") == "segments"
        or str(asked.get("significance")).startswith("perm-")
    )


def _computed(
    evidence: Evidence, texts: TestSet, sources: Sources, systems: Collection[str] | None
) -> tuple[list[Scores], list[str]]:
    """Scores by metrics from the texts. An output that is one of the references would be perfect, and is not scored."""
    copies: list[str] = []
    if any("reference" in create(spec).needs for spec in sources.metrics):
        copies = references_among(texts, texts.outputs)
    # `judge` says it of the test set's own references, unless they were asked for.
    said_later = [] if systems else references_among(evidence.testset, copies)
    named = [name for name in copies if name not in said_later and name in (systems or copies)]
    notes = [f"Not scored by -m, because they are among the references used: {listed(named)}."] if named else []
    if len(copies) == len(texts.outputs):
        raise DataError(f"{evidence.name} {evidence.pair}: all outputs are references, so that none can be scored.")
    texts = texts.only([name for name in texts.systems if name not in copies])
    with sources.progress(evidence.pair) if sources.progress else nullcontext() as progress:
        found = score(texts, sources.metrics, jobs=sources.jobs, cache=sources.cache, progress=progress)
    return [item.relabelled(_label(item, found)) for item in found], notes


def _label(item: Scores, others: Sequence[Scores]) -> str:
    """The metric's name; its whole string where two of them differ only in parameters."""
    alike = [other for other in others if other.label == item.label]
    return item.label if len(alike) == 1 else item.metric.names[0]


def _has_system(item: Scores) -> bool:
    return not all(isnan(value) for value in item.system.values())
