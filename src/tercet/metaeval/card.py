"""The reliability card of a metric: its agreement with people in all available data, by set, pair and level."""

import logging
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from ..data.evidence import Evidence, evidence_pairs, open_evidence
from ..errors import DataError, TercetError, UsageError
from ..metrics import create
from ..scoring import score
from .gold import gold_names, has_preferences
from .judging import judge
from .results import Verdicts

log = logging.getLogger(__name__)

Progress = Callable[[str], None]


def make_card(metric: str, folders: Sequence[Path], *, progress: Progress | None = None) -> list[Verdicts]:
    """Return verdicts on one metric for every language pair in the folders that has both texts and judgements.

    They are Pearson's r of systems and outputs, and tau of preferences. UsageError if nothing can be evaluated.
    """
    found: list[Verdicts] = []
    for folder in folders:
        for evidence in _usable(folder):
            if progress:
                progress(f"{evidence.name} {evidence.pair}")
            found += _verdicts(metric, evidence)
    if not found:
        places = ", ".join(map(str, folders)) or "the folder of data sets"
        raise UsageError(f"No texts with judgements in {places}. Give a folder by `data`, or 'tercet data add' one.")
    return found


def sets_in(place: Path) -> list[Path]:
    """Return the place itself if it has texts and judgements, else the folders in it."""
    if place.is_file() or any(evidence.testset is not None for evidence in _usable(place)):
        return [place]
    return sorted(path for path in place.iterdir() if path.is_dir())


def _usable(folder: Path) -> Iterator[Evidence]:
    """Yield the evidence of each language pair of a folder. What cannot be opened is skipped with a warning."""
    try:
        pairs = evidence_pairs(folder)
    except DataError:  # no judgements
        return
    chosen: Sequence[str | None] = pairs or [None]  # the data may not name their pair
    for pair in chosen:
        try:
            evidence = open_evidence(folder, pair)
        except TercetError as error:
            log.warning("Left out of the card: %s", error)
            continue
        if evidence.gold or evidence.judgements:
            yield evidence


def _verdicts(metric: str, evidence: Evidence) -> Iterator[Verdicts]:
    testset = evidence.testset
    if testset is None or ("reference" in (needs := create(metric).needs) and not testset.references):
        return
    if needs - {"reference"} and testset.source is None:
        return
    scores = score(testset, [metric])
    for level, statistic in (("sys", "pearson"), ("seg", "tau"), ("seg", "pearson")):
        names = gold_names(evidence, level=level, wants_pairs=statistic == "tau")
        for name in names:
            if statistic == "tau" and not has_preferences(evidence, name):
                continue  # preferences derived from scores repeat what the correlation shows
            try:
                yield judge(evidence, scores, level=level, statistic=statistic, gold=name, significance=None)
            except DataError as error:
                log.warning("Left out of the card: %s: %s", f"{evidence.name} {evidence.pair}".strip(), error)
