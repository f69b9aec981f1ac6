"""What there is on one language pair for judging metrics: texts, judgements, human scores and metric scores.

A folder may hold any of these; a data set may also be spread over folders side by side that begin with its name
(wmt19, wmt19_sys, wmt19_darr). From these only files are taken that say that they are of the pair asked for, in their
name or in a column, and never texts: wmt12_qe, whose files name no pair, is another set than wmt12. The table in
`_FORMS` lists what is recognised, by header and not by name; the rest is left alone, exports of annotation campaigns
too (`campaigns` reads them; they number segments in their own way).
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from glob import escape
from pathlib import Path
from typing import NamedTuple

from ..errors import DataError, UnknownName, UsageError
from . import assessments, evalset, layouts, rankings, tsv
from .assessments import Found
from .judgements import Judgements
from .lines import read_lines
from .scores import Scores
from .tables import HUMAN, Published, first_lines, is_number, merged, read_table, separator_of
from .testset import TestSet

SUBFOLDERS = ("segscores", "DA", "system-level", "seglevel_allsys")  # of WMT's metrics tasks
_PAIR_IN_NAME = re.compile(r"(?:^|\.|-scores-)([a-z]{2,3}-[a-z]{2,3})(?=\.)")
_COMPACT_PAIR = re.compile(r"([a-z]{2})([a-z]{2})\.darr_agree\.")

Segments = Mapping[str, int]
Reader = Callable[[Path, "str | None", "Segments | None"], Found]


@dataclass(frozen=True, eq=False)
class Evidence:
    """All that was found. Segment arrays in `gold` and `scores` are in the order of `segments`.

    pair: empty where the data do not say it and nobody else did.
    gold: human scores as published (already averaged), one `Scores` per kind; level sys, seg or both.
    scores: metric scores as published. Where only segment scores were published, system scores are NaN.
    segments: the names of the segments ("1", "2", … where there are texts; the label "seg" where texts have it).
    Judged or scored systems need not have an output, nor outputs judgements.
    """

    pair: str
    name: str
    segments: Sequence[str] = ()
    testset: TestSet | None = None
    judgements: Sequence[Judgements] = ()
    gold: Sequence[Scores] = ()
    scores: Sequence[Scores] = ()


def open_evidence(path: str | Path, pair: str | None = None, *, cache: Path | None = None) -> Evidence:
    """What a folder or file holds on one language pair.

    cache: a folder with data sets of the catalogue; then `path` may also be the name of one.
    """
    place = layouts.resolved(path, cache)
    sources = _Sources.of(place)
    chosen = sources.choose(pair)
    testset = sources.texts(chosen)
    named = _numbered(testset)
    found = [file.read(chosen or None, named) for file in sources.files_of(chosen)]
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
        _check_segments(table, named, place)
    gold, scores = merged(published, named)
    return Evidence(chosen, _name(place), tuple(named), testset, judgements, gold, scores)


def _under_first_name(table: Published, systems: Collection[str]) -> Published:
    """WMT17 judged equal outputs once, as "A+B"; such a judgement counts for the first of them, so as to count once."""

    def first(name: str) -> str:
        parts = name.split("+")
        return parts[0] if name not in systems and len(parts) > 1 and set(parts) <= set(systems) else name

    return replace(table, systems=[first(name) for name in table.systems])


def evidence_pairs(path: str | Path, *, cache: Path | None = None) -> list[str]:
    """The language pairs of a folder or file; none where there is evidence that does not say its pair."""
    return _Sources.of(layouts.resolved(path, cache)).pairs()


class _File(NamedTuple):
    """A file that is recognised. pair: as its name says, or None; then `inside` finds those that it holds."""

    path: Path
    pair: str | None
    testset: str
    inside: Callable[[], list[str]]
    reader: Reader

    def pairs(self) -> list[str]:
        return [self.pair] if self.pair else self.inside()

    def read(self, pair: str | None, segments: Segments | None) -> Found:
        return self.reader(self.path, pair, segments)


@dataclass(frozen=True)
class _Sources:
    """What evidence may be taken from: texts by language pair, files of the place itself, files of those beside it."""

    place: Path
    text_pairs: Collection[str]
    own: Sequence[_File]
    beside: Sequence[_File]

    @classmethod
    def of(cls, place: Path) -> _Sources:
        if place.is_file():
            file = recognised(place)
            if file is not None:
                return cls(place, (), [file], [])
            _refuse_campaign(place)
            pair = layouts.open_testset(place).pair  # also says what is wrong with a file of no known kind
            return cls(place, (pair or "",), [_scored_texts(place, pair)] if _is_jsonl(place) else [], [])
        texts = _text_pairs(place)
        if evalset.is_evalset(place):
            own = [_File(place, pair, "", list, _evalset) for pair in texts]
        else:
            own = [*_files(place), *_scored(place, texts)]
        beside = [file for folder in _beside(place.resolve()) for file in _files(folder)]
        if not texts and not own:
            raise DataError(f"Nothing to judge metrics by was recognised in {place}. Looked for: {_looked_for()}.")
        return cls(place, texts, own, beside)

    def pairs(self) -> list[str]:
        own = {pair for file in self.own for pair in file.pairs()} | {pair for pair in self.text_pairs if pair}
        # What is beside a place that names no pair cannot say of which pair that place is.
        return sorted(own | {pair for file in self.beside for pair in file.pairs()}) if own else []

    def choose(self, pair: str | None) -> str:
        """The pair asked for, or the only one; empty where nothing here says one."""
        if pair is not None and (pair in self.text_pairs or any(pair in file.pairs() for file in self.own)):
            return pair
        known = self.pairs()
        if pair is None:
            if len(known) > 1:
                raise UsageError(f"{self.place} has several language pairs. Choose one with -l: {', '.join(known)}.")
            return known[0] if known else ""
        if known and pair not in known:
            raise UnknownName(f"language pair in {self.place}", pair, known)
        return pair

    def texts(self, pair: str) -> TestSet | None:
        known = pair in self.text_pairs or "" in self.text_pairs  # the texts of a file may not say their pair
        return layouts.open_testset(self.place, pair or None) if known else None

    def files_of(self, pair: str) -> list[_File]:
        """The files of a pair. Those that name none are of it only where nothing in the same place names one."""
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


def _files(folder: Path) -> Iterator[_File]:
    """The recognised files of a folder and of the known subfolders."""
    seen: dict[tuple[Path, str], Path] = {}
    for place in (folder, *(folder / name for name in SUBFOLDERS)):
        try:
            paths = sorted(place.iterdir()) if place.is_dir() else []
        except PermissionError:
            raise UsageError(f"{place} cannot be read: permission denied.") from None
        for path in paths:
            file = recognised(path) if path.is_file() else None
            if file is None:
                continue
            other = seen.setdefault((place, _bare(path)), path)
            if other != path:
                raise DataError(f"{place} has both {other.name} and {path.name}. Remove one.")
            yield file


def recognised(path: Path) -> _File | None:
    """What a file is by its name and first lines, if it is anything that metrics can be judged by."""
    bare = _bare(path)
    if bare.endswith((tsv.SEGMENTS, tsv.OUTPUTS)):
        return None
    if bare.endswith((".seg.rating", ".mqm_ratings.tsv")):
        return _as_file(path, _ratings)
    if bare.endswith(".jsonl"):
        return _judged_jsonl(path)
    if not bare.endswith((".tsv", ".csv")):
        return None
    lines = first_lines(path)
    if not lines:
        return None
    if rankings.is_ranking_csv(lines[0]):
        return _as_file(path, _ranking_csv, partial(rankings.csv_pairs, path))
    separator = separator_of(lines[0])
    if separator == ",":
        header, first = csv.reader([lines[0], lines[-1]])
    else:
        header, first = (line.replace("\t", separator).split(separator) for line in (lines[0], lines[-1]))
    for _, needed, reader in _FORMS:
        if set(needed.split()) <= set(header):
            return _as_file(path, reader, _inside(path, header, separator))
    if _has_scores(header, first, path):
        return _as_file(path, _published, _inside(path, header, separator))
    return None


def _as_file(path: Path, reader: Reader, inside: Callable[[], list[str]] = list) -> _File:
    """The file with the pair and the test set that its name holds (TESTSET.PAIR.….tsv)."""
    bare = _bare(path)
    compact = _COMPACT_PAIR.match(bare)
    named = list(_PAIR_IN_NAME.finditer(bare))
    if compact:
        return _File(path, f"{compact[1]}-{compact[2]}", "", inside, reader)
    if len(named) != 1:
        return _File(path, None, "", inside, reader)
    testset = "" if named[0][0].startswith("-") else bare[: named[0].start()]
    return _File(path, rankings.short_pair(named[0][1]), testset, inside, reader)


def _inside(path: Path, header: Sequence[str], separator: str) -> Callable[[], list[str]]:
    column = assessments.has_pairs(header)
    if column is not None and separator == ",":
        return lambda: sorted(set(read_table(path).column(column)))
    if column is not None:
        return partial(_column_values, path, header.index(column), separator)
    if "file_name" in header:
        return partial(assessments.post_edited_pairs, path)
    return list


def _column_values(path: Path, place: int, separator: str) -> list[str]:
    rows = (line.split(separator, place + 1) for line in read_lines(path)[1:])
    return sorted({row[place] for row in rows if len(row) > place})


def _has_scores(header: Sequence[str], first: Sequence[str], path: Path) -> bool:
    """Whether a table is one that `read_published` reads: the fields of its first row tell scores from texts."""
    fields = dict(zip(header, first, strict=False))
    system = [name for name in assessments.SYSTEM if fields.pop(name, "")]
    keys = {*assessments.SEGMENT, *assessments.NO_SCORES, *assessments.MOLTEN, assessments.has_pairs(header), ""}
    numeric = [is_number(text) for name, text in fields.items() if name not in keys]
    if system and not HUMAN.keys().isdisjoint(header):
        return True  # whatever is wrong in its rows is then said, and not taken for a table of another kind
    if not numeric or not all(numeric):
        return False
    return bool(system) or (header[0] == "seg" and bool(_PAIR_IN_NAME.match(_bare(path))))


def _preferences(path: Path, pair: str | None, segments: Segments | None) -> Found:
    name = "rr" if ".rr." in path.name else "darr" if ".darr" in path.name else None
    return Found([rankings.read_preferences(path, pair=pair, name=name, segments=segments)])


def _rankings(path: Path, pair: str | None, segments: Segments | None) -> Found:
    return Found([rankings.read_rankings(path, pair, segments=segments)])


def _ranking_csv(path: Path, pair: str | None, segments: Segments | None) -> Found:
    return Found([rankings.read_ranking_csv(path, pair, segments=segments)])


def _published(path: Path, pair: str | None, _: Segments | None) -> Found:
    return Found(published=assessments.read_published(path, pair))


def _mqm(path: Path, pair: str | None, _: Segments | None) -> Found:
    from .mqm import read_mqm

    return Found([read_mqm(path, pair=pair)])


def _ratings(path: Path, pair: str | None, segments: Segments | None) -> Found:
    from .mqm import read_ratings

    name = _bare(path).removesuffix(".tsv").removesuffix(".seg.rating").removeprefix(f"{pair}.")
    return Found([read_ratings(path, pair=pair, name=name, n_segments=len(segments or ()))])


def _evalset(folder: Path, pair: str | None, segments: Segments | None) -> Found:
    files = sorted((folder / "human-scores").glob("*.seg.rating"))
    ratings = [_ratings(path, pair, segments) for path in files if path.name.startswith(f"{pair}.")]
    published = assessments.read_evalset_scores(folder, pair or "", list(segments or ()))
    return Found([table for found in ratings for table in found.judgements], published)


def _rated(path: Path, pair: str | None, _: Segments | None) -> Found:
    from .ratings import read_ratings_table

    return Found([read_ratings_table(path, pair=pair)])


def _judged(path: Path, pair: str | None, _: Segments | None) -> Found:
    from .judged_jsonl import read_judgements

    return Found([read_judgements(path, pair=pair)])


def _unchecked(reader: Callable[[Path, str | None], Found]) -> Reader:
    """A reader of tables that bring their own segments."""
    return lambda path, pair, _: reader(path, pair)


# What is recognised by the columns of a header; tables of scores after these (`_has_scores`).
_FORMS: Sequence[tuple[str, str, Reader]] = (
    ("preferences", "seg better worse", _preferences),
    ("rankings", "lp seg judge systems ranks", _rankings),
    ("ratings", "rater item segment system kind value", _rated),
    ("marked errors", "system doc doc_id seg_id rater category severity", _mqm),
    ("ratings by reference shown", "judge segment_id batch rating", _unchecked(assessments.read_ratings_by_reference)),
    ("direct assessments", "index original translation scores", _unchecked(assessments.read_direct_assessments)),
    ("effort scores", "seg source mt effort score1 weight1", _unchecked(assessments.read_effort_scores)),
    ("post-editing", "file_name line_in_file who HTER time keystrokes", _unchecked(assessments.read_post_editing)),
)


def _looked_for() -> str:
    tables = "; ".join(f"{what} ({columns})" for what, columns, _ in _FORMS)
    return (
        f"tables with a header, .tsv or .csv: {tables}; scores (system, perhaps lp and seg, one column per metric); "
        "WMT's ranking CSV; PAIR.seg.rating; judgements as .jsonl; an EvalSet; texts in a known layout"
    )


def _judged_jsonl(path: Path) -> _File | None:
    """Judgements as JSON lines; texts in the interchange format are the business of `layouts`."""
    import json

    lines = first_lines(path, 1)
    try:
        item = json.loads(lines[0]) if lines else None
    except (ValueError, RecursionError):
        return None
    if not isinstance(item, dict) or not {"kind", "segment", "system"} <= item.keys():
        return None
    pair = item.get("pair")
    file = _as_file(path, _judged)
    return file._replace(pair=str(pair)) if pair else file


def _text_pairs(folder: Path) -> list[str]:
    """The pairs that have texts, as `layouts.open_testset` finds them; none is no error here."""
    found: dict[str, None] = {}
    try:
        # A table of scores or judgements may be called PAIR.tsv or PAIR.jsonl too.
        taken = {_bare(path) for path in folder.iterdir() if path.is_file() and recognised(path)}
        for layout, find in layouts.LAYOUTS.items():
            if find is layouts.find_sgm and found:
                continue  # as in layouts: SGM files are looked for in all subfolders
            found |= {pair: None for pair in find(folder) if layout.replace("PAIR", pair) not in taken}
    except PermissionError as error:
        raise UsageError(f"{error.filename} cannot be read: permission denied.") from None
    return list(found)


def _scored(folder: Path, text_pairs: Collection[str]) -> Iterator[_File]:
    """The scores in PAIR.jsonl beside its texts."""
    for path in sorted(folder.iterdir()):
        if _is_jsonl(path) and _stem(path) in text_pairs and _judged_jsonl(path) is None:
            yield _scored_texts(path, _stem(path))


def _scored_texts(path: Path, pair: str | None) -> _File:
    return _File(path, pair, "", list, _unchecked(assessments.read_item_scores))


def _is_jsonl(path: Path) -> bool:
    return _bare(path).endswith(".jsonl") and path.is_file()


def _stem(path: Path) -> str:
    return _bare(path).removesuffix(".jsonl")


def _refuse_campaign(path: Path) -> None:
    """Exports of campaigns say neither how people judged nor which segment of a test set an item is."""
    from .judgement_files import is_appraise

    if is_appraise(path):
        raise UsageError(
            f"{path} is an export of Appraise, which does not say how people judged. Give it as --judgements with "
            "--kind da, esa or mqm."
        )


def _numbered(testset: TestSet | None) -> Segments | None:
    """The places of the segments by their names."""
    if testset is None:
        return None
    names = assessments.segment_names(testset)
    places = {name: place for place, name in enumerate(names)}
    if len(places) != len(names):
        raise DataError(f"Test set {testset.name!r}: two segments have the same number in the label 'seg'.")
    return places


def _all_segments(judgements: Iterable[Judgements], published: Iterable[Published]) -> list[str]:
    names = {name for table in judgements for name in table.segments}
    names |= {name for table in published for name in table.segments or ()}
    return sorted(names, key=_natural)


def _natural(name: str) -> list[tuple[int, int, str]]:
    """A key that puts "2" before "10", also inside names."""
    parts = re.split(r"([0-9]+)", name)
    return [(0, int(part), part) if part.isdecimal() else (1, 0, part) for part in parts if part]


def _check_segments(table: Judgements, segments: Collection[str], place: Path) -> None:
    unknown = [name for name in table.segments if name not in segments]
    if unknown:
        raise DataError(
            f"{place}: judgements {table.name!r} are about segments that the test set does not have: "
            f"{', '.join(unknown[:5])}{' and others' if len(unknown) > 5 else ''}. It has {len(segments)}."
        )


def _beside(place: Path) -> list[Path]:
    """The folders beside a data set whose names begin with its name."""
    home = _home(place)
    found = sorted(home.parent.glob(f"{escape(home.name)}_*"))
    return [inner for inner in (folder / place.relative_to(home) for folder in found) if inner.is_dir()]


def _home(place: Path) -> Path:
    """The folder that has the name of a data set: of a copy that `tercet data` keeps, the one above data/."""
    return place.parent if place.name == "data" and (place.parent / "record.json").is_file() else place


def _name(place: Path) -> str:
    return _home(place.resolve()).name if place.is_dir() else _bare(place)


def _bare(path: Path) -> str:
    return path.name.removesuffix(".gz")
