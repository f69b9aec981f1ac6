"""`read_external`: scores that other programs computed, to be shown, tested and compared beside ours."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from .data.formats.reading import read_scores
from .data.names import same_name
from .data.scores import Scores
from .errors import DataError, UsageError
from .metrics._external import external_record, external_scores

if TYPE_CHECKING:
    from .data.testset import TestSet


def read_external(
    path: str | Path, testset: TestSet | None = None, *, name: str | None = None, lower_is_better: Collection[str] = ()
) -> list[Scores]:
    """Read segment or system scores of metrics that were computed elsewhere.

    Parameters
    ----------
    path : a file of scores: COMET's JSON or printed lines, a WMT score file, a table with a header, one number per
        line, or what `tercet score --save` wrote.
    testset : the test set that the scores are of; systems and number of segments must fit.
    name : the metric's name, if the file does not say it or if it should have another; for files with one metric.
    lower_is_better : names of metrics whose lower scores are better. TER, WER, MetricX and the like are known.

    Returns
    -------
    list of Scores : one per metric. A metric's system score is the mean of its segment scores, unless the file has
        system scores only.

    Examples
    --------
    >>> import tercet, tempfile, pathlib
    >>> testset = tercet.TestSet({"a": ["one", "two"]}, {"ref": ["one", "too"]})
    >>> file = pathlib.Path(tempfile.mkdtemp(), "comet.txt")
    >>> _ = file.write_text("0.9\\n0.7\\n")
    >>> comet = tercet.read_external(file, testset, name="COMET")
    >>> tercet.score(testset, "chrf", scores=comet)
    Scores(chrF2: a=61.1; 2 segments)
    Scores(COMET: a=0.800; 2 segments)
    """
    systems = None if testset is None else list(testset.outputs)
    segments = [str(number) for number in range(1, len(testset) + 1)] if testset is not None else []
    only = systems[0] if systems is not None and len(systems) == 1 else None
    found = read_scores(path, pair=None if testset is None else testset.pair, segments=segments, system=only)
    if name is not None and len(found) != 1:
        labels = ", ".join(item.label for item in found)
        raise UsageError(f"{path} has scores of {len(found)} metrics ({labels}): no single name fits them.")
    return [_taken(item, systems, name or item.label, lower_is_better, path) for item in found]


def _taken(
    item: Scores, systems: list[str] | None, label: str, lower_is_better: Collection[str], path: str | Path
) -> Scores:
    """Return scores read from a file as those of an external metric, for the systems of the test set."""
    said = label.lower() in {name.lower() for name in lower_is_better} or item.higher_is_better is False
    record = external_record(label, lower_is_better=said or None)
    provenance = {**item.provenance, "files": [str(path)]}
    names = _matched(item.system, systems, label, path)
    if item.segment:
        return external_scores(record, {ours: item.segment[theirs] for ours, theirs in names.items()}, provenance)
    return Scores(record, {ours: item.system[theirs] for ours, theirs in names.items()}, provenance=provenance)


def _matched(have: Mapping[str, float], systems: list[str] | None, label: str, path: str | Path) -> dict[str, str]:
    """Return for each system of the test set its name in the file: the same, or a path that ends in it."""
    if systems is None:
        return {name: name for name in have}
    if len(have) == 1 and len(systems) == 1:
        return {systems[0]: next(iter(have))}
    matched = {}
    for system in systems:
        if (found := same_name(system, have)) is None:
            raise DataError(
                f"{path}: no {label} scores for system {system!r} alone. It has scores for: {', '.join(have)}."
            )
        matched[system] = found
    return matched
