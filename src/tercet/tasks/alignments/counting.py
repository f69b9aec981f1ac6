"""Count how words are aligned, and their context penalties, by level: Fomicheva (2017), section 4.5."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

import numpy as np

from ...data.stream import TextFiles
from ...data.testset import TestSet
from ...engine import count, open_executor
from ...errors import UsageError
from ...language.contextual_alignment import ContextAlignment
from ...language.lexical_similarity import LEVELS
from ...language.meteor_alignment import MATCHERS
from ...language.sentence import Sentence
from ...metrics import create
from ...metrics.structure.cobalt import Cobalt
from ...scoring import check_texts, warn_of_language
from ...types import Floats
from . import AlignmentsOptions

ALL = "all systems"
_FACTS = 4  # columns per level: content words, function words, sum of raw penalties, words with a penalty
_METEOR = _FACTS * len(LEVELS)  # first column of METEOR: content and function words per matcher
_REST = _METEOR + 2 * len(MATCHERS)  # then output words, reference words, changed scores, segments


@dataclass(frozen=True)
class Matches:
    """The numbers of aligned content and function words of one level, classified by the output's word."""

    content: int
    function: int

    @property
    def total(self) -> int:
        return self.content + self.function


@dataclass(frozen=True)
class Penalties:
    """Context penalties of the aligned words of one level. mean: of CP, equation 4.5; NaN if there are none."""

    words: int
    mean: float
    penalised: int

    @property
    def share(self) -> float:
        return self.penalised / self.words if self.words else float("nan")


@dataclass(frozen=True)
class SystemAlignments:
    """Alignment statistics of one system, or of all together, with the best reference of each segment."""

    segments: int
    output_words: int
    reference_words: int
    matches: Mapping[str, Matches]
    meteor: Mapping[str, Matches]
    penalties: Mapping[str, Penalties]
    changed: int

    @property
    def aligned(self) -> int:
        return sum(found.total for found in self.matches.values())

    @property
    def meteor_aligned(self) -> int:
        return sum(found.total for found in self.meteor.values())


@dataclass(frozen=True)
class AlignmentReport:
    """Alignment statistics of a test set, for each system and for all systems together."""

    test_set: str
    signature: str
    systems: Mapping[str, SystemAlignments]
    total: SystemAlignments

    def to_dict(self) -> dict[str, object]:
        return asdict(self)


def count_alignments(testset: TestSet | TextFiles, options: AlignmentsOptions) -> AlignmentReport:
    """Count the alignments of every system."""
    check_texts(testset)
    if not testset.outputs:
        raise UsageError(f"Test set {testset.name!r} has no outputs.")
    made = create(options.metric)
    if not isinstance(made, Cobalt):
        raise UsageError(f"alignments needs the metric cobalt, not {made.name}.")
    settled = made.resolved(testset.target_language)
    counter = AlignmentCounts(**{f.name: getattr(settled, f.name) for f in fields(settled)}).ready(testset)
    ready = made.ready(testset)
    warn_of_language(made, ready, testset.target_language)
    totals: dict[str, Floats] = {}
    with open_executor(options.jobs, options.cluster, options.executor) as executor:
        how: dict[str, Any] = {"executor": executor, "cache": options.cache, "progress": options.progress}
        for _, _, counts in count(testset, [counter], **how):
            for system, rows in counts.items():
                totals[system] = totals.get(system, np.zeros(rows.shape[1])) + rows.sum(0)
    return AlignmentReport(
        test_set=testset.name,
        signature=ready.signature,
        systems={system: _described(total) for system, total in totals.items()},
        total=_described(np.sum(list(totals.values()), axis=0)),
    )


@dataclass(frozen=True)
class AlignmentCounts(Cobalt):
    """UPF-Cobalt with the statistics of `alignments` as counts. They are summed like the counts of any metric."""

    def count_parsed(self, output: Sentence, references: Sequence[Sentence]) -> Sequence[float]:
        aligned = [self.align(output, reference) for reference in references]
        compared = [self.assess(each) for each in aligned]
        best = max(compared, key=lambda comparison: comparison.score)
        counts = [0.0] * (_REST + 4)
        for link, word in zip(best.alignment.links, best.words, strict=True):
            place = _FACTS * LEVELS.index(link.level)
            counts[place + best.output_functions[link.output - 1]] += 1
            counts[place + 2] += word.raw
            counts[place + 3] += word.raw > 0
        other = replace(self, aligner="meteor", related=False, vectors=None).align(output, best.alignment.reference)
        for link in other.links:
            counts[_METEOR + 2 * MATCHERS.index(link.level) + best.output_functions[link.output - 1]] += 1
        counts[_REST:] = len(output), len(best.alignment.reference), self._changes(aligned), 1
        return counts

    def _changes(self, aligned: Sequence[ContextAlignment]) -> bool:
        """Return whether the segment's score changes if no relations are treated as equivalent."""
        with_it, without = replace(self, equivalence=True), replace(self, equivalence=False)
        first, second = (max(metric.assess(each).score for each in aligned) for metric in (with_it, without))
        return first != second


def _described(totals: Floats) -> SystemAlignments:
    def penalties(content: float, function: float, raw: float, penalised: float) -> Penalties:
        words = int(content + function)
        return Penalties(words, raw / words if words else float("nan"), int(penalised))

    levels = totals[:_METEOR].reshape(len(LEVELS), _FACTS).tolist()
    matchers = totals[_METEOR:_REST].reshape(len(MATCHERS), 2).tolist()
    output_words, reference_words, changed, segments = map(int, totals[_REST:])
    return SystemAlignments(
        segments=segments,
        output_words=output_words,
        reference_words=reference_words,
        matches={name: Matches(int(row[0]), int(row[1])) for name, row in zip(LEVELS, levels, strict=True)},
        meteor={name: Matches(int(row[0]), int(row[1])) for name, row in zip(MATCHERS, matchers, strict=True)},
        penalties={name: penalties(*row) for name, row in zip(LEVELS, levels, strict=True)},
        changed=changed,
    )
