"""Judgements as examples to learn from: judged outputs, their features, and what people said of them.

Rankings give pairs of outputs of a segment. Scores (direct assessment, MQM, …) give a number for each output, and pairs
that differ by more than a margin. Only judged outputs are kept: a test set with one row per judged output.
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ...data.catalogue import locate
from ...data.evidence import Evidence, evidence_pairs, open_evidence
from ...data.formats.reading import pairs_of_judgements, read_judgement_file
from ...data.judgements import Judgements
from ...data.model_file import Dataset
from ...data.testset import TestSet
from ...engine import Progress, count
from ...errors import DataError, UsageError
from ...human.pairs import pairs_of_scores
from ...learning import SEED
from ...learning.examples import Examples, Rows
from ...metaeval.gold import Gold, find_gold, has_preferences, margin_of
from ...metaeval.joining import references_among
from ...metrics.bases.learned_model import Hashes, hash_references
from ...metrics.bases.members import Member, make_ready, named_columns, what_computes
from ...text.scripts import base_code
from ...types import Floats

log = logging.getLogger(__name__)
OUTPUT = "output"  # the system of the test set of judged outputs


class Part(NamedTuple):
    """Judged outputs of a pair as examples, grouped by segment, with what computed their features, by metric."""

    pair: str
    examples: Examples
    names: tuple[str, ...] = ()
    needs: Mapping[str, str] = {}


@dataclass(frozen=True, eq=False)
class JudgedOutputs:
    """The judged outputs of one language pair of a data set.

    texts: the judged segments of all systems. rows: the judged outputs, as one system with a row for each.
    segment: the segment of each row, by its place in `texts`. better, worse: rows of the two outputs of each pair.
    scores: what people said of each row, higher is better; None for rankings.
    """

    name: str
    pair: str
    texts: TestSet
    rows: TestSet
    segment: Rows
    better: Rows
    worse: Rows
    scores: Floats | None = None

    @property
    def dataset(self) -> Dataset:
        """Name, checksum and number of the judgements."""
        digest = sha256(self.rows.checksum().encode())
        for column in (self.segment, self.better, self.worse, self.scores):
            if column is not None:
                digest.update(column.tobytes())
        size = len(self.better) if self.scores is None else len(self.rows)
        return Dataset(f"{self.name} {self.pair}", digest.hexdigest(), size)

    @property
    def hashes(self) -> Hashes:
        """Hashes of the references of the judged segments."""
        return hash_references(text for lines in self.rows.references.values() for text in lines)

    def part(self, features: Floats, seed: int = SEED) -> Part:
        """Return the outputs as examples with these features, shape (rows, k)."""
        labels = np.full(len(self.segment), np.nan) if self.scores is None else self.scores
        return Part(self.pair, Examples(features, labels, self.segment, self.better, self.worse, seed=seed))


def compute_features(
    judged: JudgedOutputs,
    members: Sequence[Member],
    *,
    seed: int = SEED,
    executor: Executor | None = None,
    cache: str | Path | None = None,
    progress: Callable[[str], AbstractContextManager[Progress]] | None = None,
) -> Part:
    """Compute the features of judged outputs.

    Metrics are made ready for the whole judged segments, and count judged outputs only: what they learn from references
    is not weighed by how many outputs of a segment were judged.
    """
    ready = make_ready(members, judged.texts)
    counts: list[list[Floats]] = [[] for _ in ready]
    what = f"{judged.name} {judged.pair}"
    with progress(what) if progress else nullcontext() as shown:
        for index, _, found in count(judged.rows, ready, executor=executor, cache=cache, progress=shown):
            counts[index].append(found[OUTPUT])
    columns: dict[str, Floats] = {}
    for member, metric, parts in zip(members, ready, counts, strict=True):
        columns |= named_columns(member, metric, np.concatenate(parts))
    names, values = tuple(columns), np.stack(list(columns.values()), axis=1)
    for row, column in np.argwhere(~np.isfinite(values)).tolist():
        raise DataError(
            f"{what}: the feature {names[column]} of judged output {row + 1} is {values[row, column]}. A feature must "
            "be a number for every output: leave it out."
        )
    needs = {member.spec: what_computes(metric) for member, metric in zip(members, ready, strict=True)}
    return judged.part(values, seed)._replace(names=names, needs=needs)


def gather(
    judgements: Sequence[str | Path],
    texts: str | Path | None = None,
    *,
    pairs: Sequence[str] = (),
    gold: str | None = None,
    margin: float | None = None,
    across: int = 0,
    seed: int = SEED,
) -> list[JudgedOutputs]:
    """Read judgements with their texts.

    judgements: folders or names of data sets with texts and judgements; with `texts`, files of judgements of that one.
    pairs: language pairs to read; all by default. gold: which judgements, where there are several kinds.
    margin, across, seed: see `tercet.learn`.
    """
    found: list[JudgedOutputs] = []
    for evidence in _evidence(judgements, texts, pairs):
        chosen = find_gold(evidence, name=gold, level="seg", wants_pairs=has_preferences(evidence, gold))
        if chosen.pairs is not None and margin is not None:
            log.info("%s are rankings: the margin does not apply to them.", chosen.label)
        wide = (margin_of(chosen) or 0.0) if margin is None else margin
        judged = _judged(evidence, chosen, wide)
        found.append(_with_pairs_across(judged, judged.scores, wide, across, seed) if across else judged)
    if not found:
        raise DataError(f"There are no judgements with texts in {', '.join(map(str, judgements))}.")
    languages = {base_code(one.texts.target_language) for one in found if one.texts.target_language}
    if len(languages) > 1:
        raise UsageError(
            f"The outputs are in several languages ({', '.join(sorted(languages))}). A metric is learnt for one: "
            "choose language pairs with -l."
        )
    return found


def _evidence(judgements: Sequence[str | Path], texts: str | Path | None, pairs: Sequence[str]) -> list[Evidence]:
    found: list[Evidence] = []
    known: set[str] = set()
    for place in judgements if texts is None else [texts]:
        path = locate(place)
        present: Sequence[str | None] = evidence_pairs(path) or [None]
        known.update(name for name in present if name)
        for pair in [name for name in pairs if name in present] if pairs else present:
            one = open_evidence(path, pair)
            if texts is not None:
                one = replace(one, judgements=_read(judgements, one.pair))
            if one.judgements or one.gold:
                found.append(one)
    if unknown := [name for name in pairs if name not in known]:
        raise UsageError(f"No judgements of {', '.join(unknown)}. There are: {', '.join(sorted(known)) or 'none'}.")
    for one in found:
        if one.testset is None or not one.testset.outputs:
            raise DataError(
                f"{one.name} has no texts for {one.pair}, so features cannot be computed. Give them with `texts`."
            )
    return found


def _read(files: Sequence[str | Path], pair: str) -> list[Judgements]:
    found: list[Judgements] = []
    for file in files:
        stated = pairs_of_judgements(file)
        if not stated or not pair or pair in stated:
            found += read_judgement_file(file, pair=pair or None)
    return found


def _judged(evidence: Evidence, gold: Gold, margin: float) -> JudgedOutputs:
    texts = evidence.testset
    assert texts is not None
    usable = texts.outputs.keys() - set(references_among(texts, gold.systems))
    place = {name: number for number, name in enumerate(evidence.segments)}
    if unknown := [name for name in gold.segments if name not in place]:
        raise DataError(f"{evidence.name} {evidence.pair}: the texts have no segment {unknown[0]!r}.")
    pairs = gold.pairs
    if pairs is None:
        if gold.segment is None:
            raise DataError(f"The judgements {gold.name!r} are of systems, not of segments.")
        pairs = pairs_of_scores(gold.segment, gold.systems, gold.segments, margin=margin)
    numbers: dict[tuple[int, str], int] = {}  # of each judged output
    used = np.array([system in usable for system in pairs.systems])
    pairs = pairs.take(np.flatnonzero(used[pairs.left] & used[pairs.right])).without_ties()
    sides = [
        [
            numbers.setdefault((place[pairs.segments[segment]], pairs.systems[system]), len(numbers))
            for segment, system in zip(pairs.segment.tolist(), side.tolist(), strict=True)
        ]
        for side in (pairs.left, pairs.right)
    ]
    first, second = np.array(sides, dtype=np.int64).reshape(2, -1)
    scores = None
    if gold.segment is not None and gold.pairs is None:
        values = {
            (place[segment], system): value
            for system, row in zip(gold.systems, gold.segment, strict=True)
            for segment, value in zip(gold.segments, row.tolist(), strict=True)
            if system in usable and not np.isnan(value)
        }
        for key in values:
            numbers.setdefault(key, len(numbers))
        scores = np.array([values[key] for key in numbers])
    if not numbers:
        raise DataError(
            f"{evidence.name} {evidence.pair}: there is nothing to learn from. No two outputs of a segment were judged "
            "differently: all are ties, or none has texts."
        )
    whole, rows, segment = _test_sets(texts, list(numbers))
    better = np.where(pairs.outcome > 0, first, second)
    return JudgedOutputs(
        evidence.name, evidence.pair, whole, rows, segment, better, np.where(better == first, second, first), scores
    )


def _test_sets(texts: TestSet, outputs: Sequence[tuple[int, str]]) -> tuple[TestSet, TestSet, Rows]:
    """Return the judged segments, the judged outputs as one system, and the segment of each of them."""
    judged = sorted({segment for segment, _ in outputs})
    systems = list(dict.fromkeys(system for _, system in outputs))
    whole = replace(texts.only(systems).take(judged), documents=None, labels={})
    segment = np.searchsorted(judged, [number for number, _ in outputs]).astype(np.int64)
    repeated = replace(whole, outputs={systems[0]: whole.outputs[systems[0]]}).take(segment.tolist())
    lines = [texts.outputs[system][number] for number, system in outputs]
    return whole, replace(repeated, outputs={OUTPUT: lines}), segment


def _with_pairs_across(
    judged: JudgedOutputs, scores: Floats | None, margin: float, across: int, seed: int
) -> JudgedOutputs:
    """Add pairs of outputs of different segments whose scores differ by more than the margin."""
    if scores is None:
        return judged
    first = np.repeat(np.arange(len(scores)), across)
    second = np.random.default_rng(seed).integers(0, len(scores), (len(scores), across)).ravel()
    difference = scores[first] - scores[second]
    first, second = (np.where(difference > 0, *sides) for sides in ((first, second), (second, first)))
    apart = np.abs(difference) > margin
    return replace(
        judged,
        better=np.concatenate([judged.better, first[apart]]),
        worse=np.concatenate([judged.worse, second[apart]]),
    )


def target_language(examples: Sequence[JudgedOutputs]) -> str:
    """Return the language of the outputs; empty if it is not known."""
    for one in examples:
        if language := one.texts.target_language:
            return base_code(language)
    return ""


def refuse_seen(examples: Sequence[JudgedOutputs], seen: Hashes) -> None:
    """Raise UsageError if judgements are about segments that were trained on."""
    for one in examples:
        common = np.intersect1d(one.hashes, seen).size
        if common > max(2, one.hashes.size // 100):  # a headline may occur in two years
            raise UsageError(
                f"{one.name} {one.pair} cannot be a test set: {common} of its {one.hashes.size} references were "
                "trained on. A figure on them would say nothing."
            )
