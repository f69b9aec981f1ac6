"""`judge_pairs`, the function of `tercet meta`: it collects judgements and scores, and evaluates the metrics."""

import logging
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from ..data.catalogue import locate
from ..data.display import listed
from ..data.evidence import Evidence, evidence_of, evidence_pairs, open_evidence, with_human
from ..data.formats.columns import parse_judged
from ..data.formats.format import Request as FileRequest
from ..data.formats.reading import pairs_of_judgements, pairs_of_scores, read_human, read_scores
from ..data.judgements import Judgements
from ..data.scores import Scores
from ..data.stream import chosen_texts
from ..data.testset import TestSet
from ..errors import DataError, MissingFile, UnknownName, UsageError
from ..human.control import passing_bad_items
from ..metrics import create
from ..metrics._seen import seen_by
from ..metrics.bases.learned_model import hash_references
from ..options.judging import JudgingSources
from ..scoring import score
from .joining import has_only_segments, only_segments_note, references_among
from .judging import Request, judge
from .results import MetaEvaluation, Verdicts

log = logging.getLogger(__name__)

FEW = 4  # systems; a correlation over fewer says nothing
USUAL = ("bleu", "chrf", "ter")  # metrics for texts that come without scores


@dataclass(frozen=True, kw_only=True)
class Sources(JudgingSources):
    """Where scores and further judgements come from, checked."""

    def check(self) -> None:
        """Raise UsageError for options that are wrong whatever the data are. Reads and computes nothing."""
        super().check()
        if (self.kind or self.system_prefix or self.columns) and not self.judgements:
            raise UsageError("`kind`, `system_prefix` and `columns` apply to the files of `judgements`; none is given.")
        object.__setattr__(self, "columns", parse_judged(self.columns))
        if self.references and not self.metrics:
            raise UsageError("`references` applies to metrics that are computed here. Name some in `metrics`.")
        for spec in self.metrics:
            create(spec)

    def check_files(self, pairs: Sequence[str | None]) -> None:
        """Raise an error if a file of scores or judgements has other language pairs, or does not name its pair."""
        for file in map(Path, (*self.scores, *self.judgements)):
            if not file.is_file():
                raise UsageError(f"{file} is a folder; a file is needed.") if file.is_dir() else MissingFile(file)
        for path, stated in (
            *((path, pairs_of_scores(path)) for path in self.scores),
            *((path, pairs_of_judgements(path)) for path in self.judgements),
        ):
            if stated is None and len(pairs) > 1:
                raise UsageError(f"{path} does not name its language pair. Give it in `pairs`.")
            if stated and pairs != [None] and not set(stated) & set(pairs):
                raise DataError(f"{path} is for {', '.join(stated)}, not for {', '.join(map(str, pairs))}.")


def judge_pairs(
    dataset: str | Path | TestSet, pairs: Sequence[str], data: str | Path | None, sources: Sources, asked: Request
) -> MetaEvaluation:
    """Evaluate metrics for each language pair of a data set. The arguments are the options of `tercet meta`."""
    if asked.level is None and not (isinstance(dataset, TestSet) and len(dataset.systems) < FEW):
        asked = replace(asked, level="sys")
    if asked.level is not None and (asked.statistic or asked.level == "sys"):
        asked.parse()
    place = dataset if isinstance(dataset, TestSet) else _find_dataset(dataset, data)
    if isinstance(place, TestSet) and not sources.metrics and not sources.scores:
        sources = replace(sources, metrics=USUAL)
    results = _judge_all(place, pairs, sources, asked)
    if not results:
        hint = "" if sources.judgements else " Give them in `judgements`."
        raise UsageError(
            f"{dataset.name if isinstance(dataset, TestSet) else dataset} has no language pair with judgements.{hint}"
        )
    return MetaEvaluation(tuple(results))


def _find_dataset(dataset: str | Path, folder: str | Path | None) -> Path:
    """Return the path of a data set: a path that exists, a name inside `folder`, or a name that `tercet data` has."""
    if folder is None:
        return locate(dataset)
    for path in (Path(folder) / dataset, Path(folder)):
        if path.exists() and (path.name == str(dataset) or path != Path(folder)):
            return path
    raise UsageError(f"There is no {dataset} in {folder}.")


def _judge_all(place: Path | TestSet, pairs: Sequence[str], sources: Sources, asked: Request) -> list[Verdicts]:
    """Return the verdicts for the given pairs, or for all pairs with judgements that can be evaluated."""
    known = [place.pair] if isinstance(place, TestSet) else evidence_pairs(place)
    wanted: Sequence[str | None] = pairs or known or [None]
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
        if asked.level is None:  # few systems: segments tell more, if they were judged
            asked = replace(asked, level="seg" if evidence.judgements else "sys")
        with attempting(evidence.pair):
            asked.check_data(evidence)
            ready.append((evidence, _texts(evidence, sources)))
    for evidence, texts in ready:
        with attempting(evidence.pair):
            scores, notes = _gather(evidence, texts, sources, asked)
            result = judge(evidence, scores, **asked.python())
            results.append(replace(result, notes=(*notes, *result.notes), about=evidence.about))
    if problems and not results:
        raise next(iter(problems.values()))
    for pair, problem in problems.items():
        log.warning("Left out %s: %s", pair, problem)
    return results


def _evidence(
    place: Path | TestSet, pairs: Sequence[str | None], sources: Sources, *, everything: bool
) -> Iterator[Evidence]:
    """Yield the evidence of each pair; unless `everything`, only of pairs that have judgements."""
    more = [(path, pairs_of_judgements(path)) for path in sources.judgements]
    for pair in pairs:
        found = evidence_of(place) if isinstance(place, TestSet) else open_evidence(place, pair)
        systems = found.testset.systems if found.testset else ()
        asked = FileRequest(
            found.pair or None, kind=sources.kind, system_prefix=sources.system_prefix, outputs=systems,
            columns=parse_judged(sources.columns),
        )  # fmt: skip
        for path, stated in more:
            if not found.pair or not stated or found.pair in stated:
                found = with_human(found, read_human(path, asked))
        if sources.passing_raters:
            found = replace(found, judgements=[_passing(table) for table in found.judgements])
        if everything or found.gold or found.judgements:
            yield found


def _passing(judgements: Judgements) -> Judgements:
    """Return the judgements without raters who fail on damaged outputs. A warning names these raters."""
    if not any(row.check == "bad" for row in judgements.rows):
        log.warning("Judgements %r: nobody rated damaged outputs; `passing_raters` keeps all raters.", judgements.name)
        return judgements
    kept, report = passing_bad_items(judgements)
    for rater, why in report.dropped.items():
        log.warning("Judgements %r: left out rater %s: %s", judgements.name, rater, why)
    return kept


def _texts(evidence: Evidence, sources: Sources) -> TestSet | None:
    """Return the texts with the chosen references, or None if no metrics are to be computed."""
    texts = evidence.testset
    if not sources.metrics:
        return None
    if texts is None or not texts.outputs:
        raise DataError(
            f"{evidence.name} has no texts for {evidence.pair}, so metrics cannot be computed. Give `scores`."
        )
    if sources.references:
        texts = replace(texts, references=chosen_texts("reference", sources.references, texts.references))
    for spec in sources.metrics:
        try:
            create(spec).resolved(texts.target_language).check_needs(texts)
        except UsageError as error:  # the data are at fault, not the options
            raise DataError(str(error)) from None
    return texts


def _gather(
    evidence: Evidence, texts: TestSet | None, sources: Sources, asked: Request
) -> tuple[list[Scores], list[str]]:
    """Return the metric scores (computed, read from files, published with the data), and notes on them."""
    read: list[Scores] = []
    for path in sources.scores:
        stated = pairs_of_scores(path)
        if stated and evidence.pair and evidence.pair not in stated:
            raise DataError(f"{path} is for {', '.join(stated)}, not for {evidence.pair}.")
        read += read_scores(path, pair=evidence.pair, segments=evidence.segments)
    computed, notes = ([], []) if texts is None else _computed(evidence, texts, sources, asked.systems)
    found = computed + read
    if sources.published or (sources.published is None and not sources.metrics and not sources.scores):
        taken = {item.label for item in found}
        published = [item for item in evidence.scores if item.label not in taken]
        by_segment = asked.level == "seg" or asked.statistic == "soft-accuracy" or asked.unit == "segments"
        if by_segment or str(asked.significance).startswith("perm-"):
            found += [item for item in published if item.segment]
        else:
            usable = [item for item in published if asked.mean_of_segments or not has_only_segments(item)]
            found += usable
            notes += only_segments_note([item.label for item in published if item not in usable])
    if not found:
        missing = "There are no metrics to evaluate. Name some in `metrics`, or give files in `scores`."
        raise UsageError(" ".join([missing, *notes]))
    return found, notes


def _computed(
    evidence: Evidence, texts: TestSet, sources: Sources, systems: Collection[str] | None
) -> tuple[list[Scores], list[str]]:
    """Return scores computed from the texts, and notes. An output that is also a reference is not scored."""
    copies: list[str] = []
    if any("reference" in create(spec).needs for spec in sources.metrics):
        copies = references_among(texts, texts.outputs)
    # `judge` reports the test set's own references, unless `systems` names them.
    reported = [] if systems else references_among(evidence.testset, copies)
    named = [name for name in copies if name not in reported and name in (systems or copies)]
    notes = [f"Not scored by `metrics`, because they are references: {listed(named)}."] if named else []
    if len(copies) == len(texts.outputs):
        raise DataError(f"{evidence.name} {evidence.pair}: all outputs are references, so none can be scored.")
    texts = texts.only([name for name in texts.systems if name not in copies])
    notes += [note for spec in sources.metrics if (note := _seen_note(spec, texts, evidence))]
    with sources.progress(evidence.pair) if sources.progress else nullcontext() as progress:
        found = score(texts, sources.metrics, jobs=sources.jobs, cache=sources.cache, progress=progress)
    # Metrics that differ only in parameters have their full strings as labels.
    alike = Counter(item.label for item in found)
    return [item.relabelled(item.label if alike[item.label] == 1 else item.metric.names[0]) for item in found], notes


def _seen_note(spec: str, texts: TestSet, evidence: Evidence) -> str | None:
    """Return a warning if the model behind a metric, or a model among its features, was trained on these segments."""
    seen = seen_by(create(spec))
    if not seen.sets:
        return None
    if seen.names(evidence.name, evidence.pair):
        return f"{spec} was trained on {evidence.name} {evidence.pair}: its value says nothing about unseen texts."
    own = hash_references(text for lines in texts.references.values() for text in lines)
    common = int(np.isin(own, seen.hashes).sum())
    # Hashes are short, and a headline may occur in two years: a few common ones are chance.
    if common <= max(2, len(own) // 100):
        return None
    names = listed([one.name for one in seen.sets])
    return (
        f"{spec} was trained on {common} of the {len(own)} references here ({names}): its value says nothing about "
        "unseen texts."
    )
