"""Recognise files of judgements and scores by their name and first lines, and choose their reader.

`_FORMS` lists the headers that are recognised. Other files are ignored, also exports of annotation campaigns, which
number segments in their own way (`campaigns` reads them).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from . import assessments, rankings, tsv
from .assessments import FoundColumns
from .files import bare_name as bare_name
from .judged_jsonl import read_judgements
from .judgements import Judgements
from .lines import read_lines
from .mqm import read_mqm, read_ratings
from .ratings import read_ratings_table
from .tables import HUMAN, fields_of, first_lines, is_number, read_table, separator_of

_PAIR_IN_NAME = re.compile(r"(?:^|\.|-scores-)([a-z]{2,3}-[a-z]{2,3})(?=\.)")
_COMPACT_PAIR = re.compile(r"([a-z]{2})([a-z]{2})\.darr_agree\.")

REQUIRED = ("kind", "segment", "system")  # keys of a judgement as JSON
Segments = Mapping[str, int]
Reader = Callable[[Path, "str | None", "Segments | None"], FoundColumns]


class File(NamedTuple):
    """A recognised file. pair: the pair in its name, or None; `inside` then returns the pairs of its contents."""

    path: Path
    pair: str | None
    testset: str
    inside: Callable[[], list[str]]
    reader: Reader

    def pairs(self) -> list[str]:
        return [self.pair] if self.pair else self.inside()

    def read(self, pair: str | None, segments: Segments | None) -> FoundColumns:
        return self.reader(self.path, pair, segments)


def recognised(path: Path) -> File | None:
    """Recognise a file by its name and first lines. Returns None if it holds neither judgements nor scores."""
    bare = bare_name(path)
    if bare.endswith((tsv.SEGMENTS, tsv.OUTPUTS)):
        return None
    if bare.endswith((".seg.rating", ".mqm_ratings.tsv")):
        return _as_file(path, _ratings)
    if bare.endswith(".jsonl"):
        return judged_jsonl(path)
    if not bare.endswith((".tsv", ".csv")):
        return None
    lines = first_lines(path)
    if not lines:
        return None
    if rankings.is_ranking_csv(lines[0]):
        reader = _judgements(rankings.read_ranking_csv, checked=True)
        return _as_file(path, reader, partial(rankings.csv_pairs, path))
    separator = separator_of(lines[0])
    header, first = (fields_of(line, separator) for line in (lines[0], lines[-1]))
    for needed, reader in _FORMS:
        if set(needed.split()) <= set(header):
            return _as_file(path, reader, _inside(path, header, separator))
    if _has_scores(header, first, path):
        return _as_file(path, _published, _inside(path, header, separator))
    return None


def _as_file(path: Path, reader: Reader, inside: Callable[[], list[str]] = list) -> File:
    """Return the file with the language pair and the test set in its name (TESTSET.PAIR.….tsv)."""
    bare = bare_name(path)
    compact = _COMPACT_PAIR.match(bare)
    named = list(_PAIR_IN_NAME.finditer(bare))
    if compact:
        return File(path, f"{compact[1]}-{compact[2]}", "", inside, reader)
    if len(named) != 1:
        return File(path, None, "", inside, reader)
    testset = "" if named[0][0].startswith("-") else bare[: named[0].start()]
    return File(path, rankings.short_pair(named[0][1]), testset, inside, reader)


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
    """Return whether `read_published` can read a table. The first row shows whether it holds scores or texts."""
    fields = dict(zip(header, first, strict=False))
    system = [name for name in assessments.SYSTEM if fields.pop(name, "")]
    keys = {*assessments.SEGMENT, *assessments.NO_SCORES, *assessments.MOLTEN, assessments.has_pairs(header), ""}
    numeric = [is_number(text) for name, text in fields.items() if name not in keys]
    if system and not HUMAN.keys().isdisjoint(header):
        return True  # certainly scores: an error in the rows must be reported, not ignored
    if not numeric or not all(numeric):
        return False
    return bool(system) or (header[0] == "seg" and bool(_PAIR_IN_NAME.match(bare_name(path))))


def _preferences(path: Path, pair: str | None, segments: Segments | None) -> FoundColumns:
    name = "rr" if ".rr." in path.name else "darr" if ".darr" in path.name else None
    return FoundColumns([rankings.read_preferences(path, pair=pair, name=name, segments=segments)])


def _published(path: Path, pair: str | None, _: Segments | None) -> FoundColumns:
    return FoundColumns(published=assessments.read_published(path, pair))


def _ratings(path: Path, pair: str | None, segments: Segments | None) -> FoundColumns:
    name = bare_name(path).removesuffix(".tsv").removesuffix(".seg.rating").removeprefix(f"{pair}.")
    return FoundColumns([read_ratings(path, pair=pair, name=name, n_segments=len(segments or ()))])


def read_evalset(folder: Path, pair: str | None, segments: Segments | None) -> FoundColumns:
    """Read the marked errors and the scores of an EvalSet."""
    files = sorted((folder / "human-scores").glob("*.seg.rating"))
    ratings = [_ratings(path, pair, segments) for path in files if path.name.startswith(f"{pair}.")]
    published = assessments.read_evalset_scores(folder, pair or "", list(segments or ()))
    return FoundColumns([table for found in ratings for table in found.judgements], published)


def _judgements(reader: Callable[..., Judgements], *, checked: bool = False) -> Reader:
    """Wrap a reader of judgements. checked: whether it compares their segments with those of the test set."""
    return lambda path, pair, segments: FoundColumns(
        [reader(path, pair=pair, segments=segments) if checked else reader(path, pair=pair)]
    )


def _unchecked(reader: Callable[[Path, str | None], FoundColumns]) -> Reader:
    """Wrap a reader of tables that define their own segments and so need not check them."""
    return lambda path, pair, _: reader(path, pair)


# Columns by which a file is recognised. Tables of scores come after these (`_has_scores`).
_FORMS: Sequence[tuple[str, Reader]] = (
    ("seg better worse", _preferences),
    ("lp seg judge systems ranks", _judgements(rankings.read_rankings, checked=True)),
    ("rater item segment system kind value", _judgements(read_ratings_table)),
    ("system doc doc_id seg_id rater category severity", _judgements(read_mqm)),
    ("judge segment_id batch rating", _unchecked(assessments.read_ratings_by_reference)),
    ("index original translation scores", _unchecked(assessments.read_direct_assessments)),
    ("seg source mt effort score1 weight1", _unchecked(assessments.read_effort_scores)),
    ("file_name line_in_file who HTER time keystrokes", _unchecked(assessments.read_post_editing)),
)


def judged_jsonl(path: Path) -> File | None:
    """Return a file of judgements as JSON lines, or None. Texts in the interchange format are read by `layouts`."""
    lines = first_lines(path, 1)
    try:
        item = json.loads(lines[0]) if lines else None
    except (ValueError, RecursionError):
        return None
    if not isinstance(item, dict) or not set(REQUIRED) <= item.keys():
        return None
    pair = item.get("pair")
    file = _as_file(path, _judgements(read_judgements))
    return file._replace(pair=str(pair)) if pair else file


def scored_texts(path: Path, pair: str | None) -> File:
    """Return a file of texts in the interchange format, to read the scores in it."""
    return File(path, pair, "", list, _unchecked(assessments.read_item_scores))
