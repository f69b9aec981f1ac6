"""Collect the data of one language pair for judging metrics: texts, judgements, human scores and metric scores.

A folder may hold any of these. A data set may also be spread over neighbouring folders whose names begin with its name
(wmt19, wmt19_sys, wmt19_darr). From neighbouring folders, only files are used that name the language pair, in the file
name or in a column, and never texts: wmt12_qe, whose files name no pair, is a different set from wmt12. `formats`
recognises the files.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from glob import escape
from pathlib import Path

from ..errors import DataError, TercetError, UsageError
from . import assessments, evalset, layouts, tsv
from .display import listed
from .field_checks import choose_pair
from .formats import JUDGEMENTS, SCORES, recognise
from .formats.format import Contents, Head, Recognised, Request
from .formats.published import EVALSET
from .formats.registry import candidates
from .formats.scores import SCORED_TEXTS
from .judgements import Judgements
from .names import bare_name, same_name
from .scores import Scores
from .tables import Published, merged
from .testset import TestSet

SUBFOLDERS = ("segscores", "DA", "system-level", "seglevel_allsys")  # of WMT's metrics tasks


@dataclass(frozen=True, eq=False)
class Evidence:
    """The data of one language pair. Segment arrays in `gold` and `scores` have the order of `segments`.

    pair: empty if neither the data nor the caller name it.
    gold: published human scores (already averaged), one `Scores` per kind; level sys, seg or both.
    scores: published metric scores. If only segment scores were published, system scores are NaN.
    segments: the names of the segments (the label "seg" if texts have it, else "1", "2", … for texts).
    Systems may have judgements or scores without outputs, and outputs without judgements.
    """

    pair: str
    name: str
    segments: Sequence[str] = ()
    testset: TestSet | None = None
    judgements: Sequence[Judgements] = ()
    gold: Sequence[Scores] = ()
    scores: Sequence[Scores] = ()
    about: tuple[str, ...] = ()


def evidence_of(testset: TestSet) -> Evidence:
    """Return texts as evidence without judgements."""
    return Evidence(testset.pair or "", testset.name, tuple(_numbered(testset) or ()), testset)


def with_human(evidence: Evidence, read: Contents) -> Evidence:
    """Return evidence with further judgements and human scores.

    Systems are called as the texts call them: "a" is also a.txt if no other text has that name. Segments that are
    counted from 0 get the names of those that are counted from 1.
    """
    tables, published, known = [*read.judgements], [*read.published], evidence.segments
    about = [read.about] if read.about else []
    if evidence.testset is not None:
        systems = evidence.testset.systems
        published = [
            replace(each, systems=[same_name(name, systems) or name for name in each.systems]) for each in published
        ]
        is_counted = bool(read.about) and list(known) == [str(number) for number in range(1, len(known) + 1)]
        for place, table in enumerate(tables):
            rows = table.for_systems(systems).rows
            if is_counted and "0" in table.segments and set(table.segments) <= set(map(str, range(len(known)))):
                rows = [row._replace(segment=str(int(row.segment) + 1)) for row in rows]
                about.append("Segments are counted from 0 there: segment 0 is the first one of the texts.")
            tables[place] = replace(table, rows=rows)
    named = known or _all_segments(tables, published)
    gold = merged(published, {name: place for place, name in enumerate(named)})[0] if published else []
    return replace(
        evidence, segments=tuple(named), judgements=[*evidence.judgements, *tables], gold=[*evidence.gold, *gold],
        about=(*evidence.about, *about),
    )  # fmt: skip


def open_evidence(path: str | Path, pair: str | None = None) -> Evidence:
    """Read all data of one language pair from a folder or file."""
    place = layouts.resolved(path)
    sources = _Sources.of(place)
    chosen = sources.choose(pair)
    testset = sources.texts(chosen)
    named = _numbered(testset)
    request = Request(pair=chosen or None, segments=named)
    found: list[Contents] = [file.read(request) for file in sources.files_of(chosen)]
    if testset is None:
        testset = assessments.joined([item.testset for item in found if item.testset is not None])
        named = _numbered(testset)
    judgements = [table for item in found for table in item.judgements if len(table)]
    published = [table for item in found for table in item.published]
    if testset is not None:
        published = [_under_first_name(table, set(testset.systems)) for table in published]
    if named is None:
        named = {name: number for number, name in enumerate(_all_segments(judgements, published))}
    for table in judgements:
        if unknown := [name for name in table.segments if name not in named]:
            raise DataError(
                f"{place}: judgements {table.name!r} name segments that the test set does not have: "
                f"{', '.join(unknown[:5])}{' and others' if len(unknown) > 5 else ''}. It has {len(named)}."
            )
    gold, scores = merged(published, named)
    name = _home(place.resolve()).name if place.is_dir() else bare_name(place)
    return Evidence(chosen, name, tuple(named), testset, judgements, gold, scores)


def _under_first_name(table: Published, systems: Collection[str]) -> Published:
    """Rename systems like "A+B" to "A": WMT17 judged identical outputs once, and they must not count twice."""

    def first(name: str) -> str:
        parts = name.split("+")
        return parts[0] if name not in systems and len(parts) > 1 and set(parts) <= set(systems) else name

    return replace(table, systems=[first(name) for name in table.systems])


def evidence_pairs(path: str | Path) -> list[str]:
    """Return the language pairs of a folder or file. Empty if its data do not name their pair."""
    return _Sources.of(layouts.resolved(path)).pairs()


@dataclass(frozen=True)
class _Sources:
    """The sources of evidence: language pairs with texts, the place's own files, and files of neighbouring folders."""

    place: Path
    text_pairs: Collection[str]
    own: Sequence[Recognised]
    beside: Sequence[Recognised] = ()

    @classmethod
    def of(cls, place: Path) -> "_Sources":
        if place.is_file():
            return cls._of_file(place)
        texts = _text_pairs(place)
        if evalset.is_evalset(place):
            own = [Recognised(place, EVALSET, 1.0, "", Head(place), pair) for pair in texts]
        else:
            scored = [path for path in sorted(place.iterdir()) if bare_name(path, ".jsonl") in texts]
            own = list(_files(place))
            for path in scored:
                own += [] if recognised(path) else _scored_texts(path, bare_name(path, ".jsonl"))
        home = _home(place.resolve())
        neighbours = sorted(home.parent.glob(f"{escape(home.name)}_*"))
        folders = [each / place.resolve().relative_to(home) for each in neighbours]
        beside = [file for folder in folders if folder.is_dir() for file in _files(folder)]
        if not texts and not own:
            raise DataError(_nothing_in(place))
        return cls(place, texts, own, beside)

    @classmethod
    def _of_file(cls, path: Path) -> "_Sources":
        if (file := recognised(path)) is not None:
            return cls(path, (), [file])
        found = recognise(path, (JUDGEMENTS,))
        if found is not None and found.format.name == "appraise":
            raise UsageError(
                f"{path} is an export of Appraise, which does not state the kind of judgement. Pass it as `judgements` "
                "with `kind` da, esa or mqm."
            )
        pair = layouts.open_testset(path).pair  # raises an error for a file of unknown format
        return cls(path, (pair or "",), _scored_texts(path, pair))

    def pairs(self) -> list[str]:
        own = {pair for file in self.own for pair in file.pairs()} | {pair for pair in self.text_pairs if pair}
        # If a place names no pair, its neighbours cannot tell which pair it has.
        return sorted(own | {pair for file in self.beside for pair in file.pairs()}) if own else []

    def choose(self, pair: str | None) -> str:
        """Return the requested pair, or the only one; empty if no data name one."""
        if pair is not None and (pair in self.text_pairs or any(pair in file.pairs() for file in self.own)):
            return pair
        known = self.pairs()
        return choose_pair(known, pair, self.place, " with `pair`") if known else pair or ""

    def texts(self, pair: str) -> TestSet | None:
        known = pair in self.text_pairs or "" in self.text_pairs  # "": texts of a file that does not name its pair
        return layouts.open_testset(self.place, pair or None) if known else None

    def files_of(self, pair: str) -> list[Recognised]:
        """Return the files of a pair. Files that name no pair are used only if nothing in the place names one."""
        own = [(file, file.pairs()) for file in self.own]
        if not any(self.text_pairs) and not any(pairs for _, pairs in own):
            return [file for file, _ in own]
        chosen = [file for file, pairs in own if pair in pairs]
        sets = sorted({file.testset for file in chosen if file.testset})
        if len(sets) > 1:
            raise DataError(
                f"{self.place} holds several test sets of {pair}: {', '.join(sets)}. Give one of the files, as "
                f"{chosen[0].path}."
            )
        return chosen + [file for file in self.beside if pair in file.pairs()]


def _nothing_in(folder: Path) -> str:
    inside = sorted(folder.iterdir())
    if not inside:
        return f"The folder {folder} is empty."
    if names := [place.name for place in inside if place.is_dir() and _holds_evidence(place)]:
        return (
            f"The folder {folder} holds data sets: {listed(names)}.\n"
            f"Give one of them, as {folder / names[0]}, or its name with `data` {folder}"
        )
    return (
        f"No texts, judgements or scores were recognised in the folder {folder}.\n"
        "For the formats see docs/formats.md, 'Judgements' and 'Folders to judge metrics by'."
    )


def _holds_evidence(folder: Path) -> bool:
    try:
        return next(_files(folder), None) is not None or bool(_text_pairs(folder))
    except TercetError:  # do not recommend a folder that cannot be read
        return False


def recognised(path: Path) -> Recognised | None:
    """Return the format of a file that is read as a part of its folder, None for another file."""
    if bare_name(path).endswith((tsv.SEGMENTS, tsv.OUTPUTS)):
        return None
    return next((each for each in candidates(path, (JUDGEMENTS, SCORES)) if each.format.in_folders), None)


def _scored_texts(path: Path, pair: str | None) -> list[Recognised]:
    """Return JSON lines as a file that may hold scores with the texts."""
    if not bare_name(path).endswith(".jsonl") or not path.is_file():
        return []
    return [Recognised(path, SCORED_TEXTS, 1.0, "", Head(path), pair)]


def _files(folder: Path) -> Iterator[Recognised]:
    """Yield the recognised files of a folder and of its known subfolders."""
    seen: dict[tuple[Path, str], Path] = {}
    for place in (folder, *(folder / name for name in SUBFOLDERS)):
        try:
            paths = sorted(place.iterdir()) if place.is_dir() else []
        except PermissionError:
            raise UsageError(f"{place} cannot be read: permission denied.") from None
        for path in paths:
            if path.is_file() and (file := recognised(path)) is not None:
                other = seen.setdefault((place, bare_name(path)), path)
                if other != path:
                    raise DataError(f"{place} has both {other.name} and {path.name}. Remove one.")
                yield file


def _text_pairs(folder: Path) -> list[str]:
    """Return the language pairs for which the folder has texts. Empty if there are none."""
    found: dict[str, None] = {}
    try:
        # A table of scores or judgements may be called PAIR.tsv or PAIR.jsonl too.
        taken = {bare_name(path) for path in folder.iterdir() if path.is_file() and recognised(path)}
        for layout, find in layouts.LAYOUTS.items():
            if find is layouts.find_sgm and found:
                continue  # SGM files are searched in all subfolders, which is slow
            found |= {pair: None for pair in find(folder) if layout.replace("PAIR", pair) not in taken}
    except PermissionError as error:
        raise UsageError(f"{error.filename} cannot be read: permission denied.") from None
    return list(found)


def _numbered(testset: TestSet | None) -> Mapping[str, int] | None:
    """Return the position of each segment by its name."""
    if testset is None:
        return None
    names = assessments.segment_names(testset)
    places = {name: place for place, name in enumerate(names)}
    if len(places) != len(names):
        raise DataError(f"Test set {testset.name!r}: two segments have the same number in the label 'seg'.")
    return places


def _all_segments(judgements: Iterable[Judgements], published: Iterable[Published]) -> list[str]:
    """Return the names of all segments, sorted so that "2" comes before "10", also inside names."""

    def natural(name: str) -> list[tuple[int, int, str]]:
        parts = re.split(r"([0-9]+)", name)
        return [(0, int(part), part) if part.isdecimal() else (1, 0, part) for part in parts if part]

    names = {name for table in judgements for name in table.segments}
    return sorted(names | {name for table in published for name in table.segments or ()}, key=natural)


def _home(place: Path) -> Path:
    """Return the folder with the name of a data set: for a copy kept by `tercet data`, the parent of data/."""
    return place.parent if place.name == "data" and (place.parent / "record.json").is_file() else place
