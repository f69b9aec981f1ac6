"""Human judgements as segment scores of a test set."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan
from pathlib import Path

from ..data.assessments import segment_names
from ..data.judgements import Judgements
from ..data.scores import Scores
from ..data.testset import TestSet
from ..errors import DataError
from ..human.agreement_files import load
from ..human.control import without_checks
from ..human.gold import segment_means
from ..human.mqm import weigh
from ..metrics._external import external_record, external_scores


def read_judged(paths: Sequence[str | Path], testset: TestSet) -> list[Judgements]:
    """Return the judgements of these files, one `Judgements` per kind. Errors without a value get the usual weights."""
    if not paths:
        return []
    found = [without_checks(loaded.judgements).kept for loaded in load(paths, pair=testset.pair)]
    return [weigh(each) if any(isnan(row.value) for row in each.rows) else each for each in found]


def human_scores(judged: Sequence[Judgements], testset: TestSet) -> list[Scores]:
    """Return the mean judgement of every output, one `Scores` per kind of judgement."""
    found = []
    for judgements in judged:
        means = segment_means(judgements, segment_names(testset))
        missing = [system for system in testset.systems if system not in means.segment]
        if missing:
            raise DataError(f"There are no judgements ({means.label}) of {', '.join(missing)}.")
        record = external_record(means.label, lower_is_better=means.higher_is_better is False)
        segment = {system: means.segment[system] for system in testset.systems}
        found.append(external_scores(record, segment, means.provenance))
    return found
