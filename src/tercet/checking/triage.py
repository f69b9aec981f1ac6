"""Rank translations by what can be found wrong with them without a model: the order in which to review them."""

from array import array
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any

import numpy as np

from ..errors import UsageError
from ..options import takes
from ..options.quality import Top
from ..text import scripts
from .segment_findings import POINTS, Context, SegmentFinding, Sides, find, length_ratio

TRIAGE = "triage"  # its name in `tercet qe rank`, in place of a model
FEWEST = 10  # segments that are needed to know the usual length of outputs


@dataclass(frozen=True)
class TriagedSegment:
    """A segment, numbered from 1 as in the file, with its findings. points: of their kinds together, or 0."""

    segment: int
    id: str
    file: str
    source: str
    output: str
    points: int
    findings: tuple[SegmentFinding, ...]


@dataclass(frozen=True)
class Triage:
    """Segments by need of review, all or the first `top`. n: of all segments. kinds: segments by kind of finding."""

    segments: tuple[TriagedSegment, ...]
    n: int
    with_findings: int
    kinds: Mapping[str, int]
    pair: str | None = None

    def to_dict(self) -> dict[str, object]:
        return asdict(self)


@takes(Top)
def triage(
    sources: Sequence[str],
    outputs: Sequence[str],
    *,
    pair: str | None = None,
    terms: Mapping[str, Sequence[str]] | None = None,
    source_tags: Sequence[Sequence[str]] | None = None,
    output_tags: Sequence[Sequence[str]] | None = None,
    ids: Sequence[str] | None = None,
    files: Sequence[str] | None = None,
    options: Top,
) -> Triage:
    """Rank segments by findings, without a model: numbers, tags, names, copied text, length and so on.

    Parameters
    ----------
    sources, outputs : the texts, one per segment.
    pair : the language pair, such as "en-de"; without it, languages and months are not checked.
    terms : translations of each source term (`data.terminology.read_terms`).
    source_tags, output_tags : the inline tags of each segment.
    ids, files : the id and the file of each segment, for the result.

    Returns
    -------
    Triage : the segments, those with most points first; equal ones in the order of the file.

    Examples
    --------
    >>> import tercet
    >>> found = tercet.qe.triage(["Pay 120 euros.", "Hello."], ["Zahlen Sie 210 Euro.", "Hallo."], pair="en-de")
    >>> found.segments[0].findings[0].message
    'a number is missing: 120'
    """
    n = len(sources)
    given = {"outputs": outputs, "source_tags": source_tags, "output_tags": output_tags, "ids": ids, "files": files}
    for name, values in given.items():
        if values is not None and len(values) != n:
            raise UsageError(f"There are {n} sources, but {len(values)} {name}.")
    usual = Usual(pair, terms)
    usual.add(sources, outputs)
    context = usual.context()
    found = []
    for row in range(n):
        tags = (source_tags[row] if source_tags else (), output_tags[row] if output_tags else ())
        findings = tuple(find(Sides(sources[row], outputs[row], *tags), context))
        points = sum(POINTS[kind] for kind in {each.kind for each in findings})
        id, file = ids[row] if ids else str(row + 1), files[row] if files else ""
        found.append(TriagedSegment(row + 1, id, file, sources[row], outputs[row], points, findings))
    ranked = sorted(found, key=lambda each: -each.points)
    kinds = Counter(kind for each in found for kind in {finding.kind for finding in each.findings})
    return Triage(
        tuple(ranked[: options.top]), n, sum(bool(each.findings) for each in found), dict(kinds.most_common()), pair
    )


class Usual:
    """Collects, piece by piece, what checks know of all segments: languages, scripts, the usual length of outputs."""

    def __init__(self, pair: str | None, terms: Mapping[str, Sequence[str]] | None = None) -> None:
        source, _, target = (pair or "").partition("-")
        self._languages = (source or None, target or None)
        self._terms = terms or {}
        self._ratios = array("d")
        known = [scripts.scripts_of(language) if language else frozenset() for language in (source, target)]
        self._known = [next(iter(each)) if len(each) == 1 else None for each in known]  # the script of each side
        self._letters: list[Any] = [0, 0]  # letters by script, where the language does not tell the script

    def add(self, sources: Sequence[str], outputs: Sequence[str]) -> None:
        for texts in zip(sources, outputs, strict=True):
            if (ratio := length_ratio(*texts)) is not None:
                self._ratios.append(ratio)
        for side, column in enumerate((sources, outputs)):
            if self._known[side] is None:
                self._letters[side] = self._letters[side] + scripts.count_scripts(column).sum(0)

    def context(self) -> Context:
        """Return what the checks know beside the two texts of a segment."""
        middle = median(self._ratios) if self._ratios else 0.0
        enough = len(self._ratios) >= FEWEST
        spread = 1.4826 * median(abs(ratio - middle) for ratio in self._ratios) if enough else 0.0
        source, output = (self._script(side) for side in (0, 1))
        return Context(self._languages, self._terms, output, source, middle, max(spread, 0.05) if enough else 0.0)

    def _script(self, side: int) -> str | None:
        """Return the script of a language that has only one, or else of most letters in the texts."""
        letters = self._letters[side]
        if self._known[side] is not None or not np.any(letters):
            return self._known[side]
        return scripts.script_names()[int(letters.argmax())]
