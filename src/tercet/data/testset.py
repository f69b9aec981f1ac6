"""`TestSet`: the texts of an evaluation, checked once when built.

Outputs and references are named. Lists of references are named by their shape, and refused where it is ambiguous: the
transposed list has cost the field years of wrong scores.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import DataError, NotParallel, UnknownName, UsageError
from .display import html_table, listed, to_frame
from .names import find_name, unique_names

if TYPE_CHECKING:
    from pandas import DataFrame

Texts = tuple[str, ...]


@dataclass(frozen=True, repr=False)
class TestSet:
    """Named outputs and references, source, documents and labels, one entry per segment.

    A text is any sequence of strings: a list, a tuple, a pandas Series, a NumPy array, an Arrow column.

    Parameters
    ----------
    outputs : system name -> its output per segment.
    references : reference name -> text per segment; None where a segment has no such reference. A list of texts is one
        reference; a list of lists is read as `name_references` says.
    source : source text per segment.
    documents : document id per segment.
    labels : further facts per segment, by name: {"domain": [...]}.
    pair : language pair, such as "ru-en".
    name : the test set's name in messages.

    Examples
    --------
    >>> from tercet import TestSet
    >>> TestSet({"a": ["Hello world"]}, {"ref": ["Hello, world"]}, pair="de-en")
    TestSet('unnamed', de-en: 1 segment; outputs: a; references: ref)
    """

    __test__ = False  # not a test, whatever pytest thinks of the name

    outputs: Mapping[str, Sequence[str]]
    references: Mapping[str, Sequence[str | None]] = field(default_factory=dict)
    source: Sequence[str] | None = None
    documents: Sequence[str] | None = None
    labels: Mapping[str, Sequence[str]] = field(default_factory=dict)
    pair: str | None = None
    name: str = "unnamed"

    def __post_init__(self) -> None:
        put = object.__setattr__
        if not isinstance(self.name, str):
            raise UsageError(f"A test set's name must be a text, not {self.name!r}.")
        if self.pair is not None:
            put(self, "pair", one_hyphen(self.pair))
        put(self, "outputs", _named("outputs", "system", self.outputs))
        if not isinstance(self.references, Mapping):
            segments = len(next(iter(self.outputs.values()), self.source or ()))
            put(self, "references", name_references(self.references, segments))
        put(self, "references", _named("references", "reference", self.references, gaps=True))
        put(self, "labels", _named("labels", "label", self.labels))
        if self.source is not None:
            put(self, "source", _texts("source", self.source))
        if self.documents is not None:
            put(self, "documents", _texts("documents", self.documents))
        lengths = [(text, len(lines)) for text, lines in self._all_texts()]
        if len({length for _, length in lengths}) > 1:
            raise NotParallel(self.name, lengths)
        if not lengths or lengths[0][1] == 0:
            raise DataError(f"Test set {self.name!r} has no segments.")
        if self.references and all(None in lines for lines in self.references.values()):
            for i, row in enumerate(zip(*self.references.values(), strict=True), 1):
                if all(text is None for text in row):
                    raise DataError(f"Test set {self.name!r}, segment {i}: no reference at all. One is needed.")

    def _all_texts(self) -> Iterator[tuple[str, Sequence[object]]]:
        yield from ((f"output {name!r}", lines) for name, lines in self.outputs.items())
        yield from ((f"reference {name!r}", lines) for name, lines in self.references.items())
        if self.source is not None:
            yield "source", self.source
        if self.documents is not None:
            yield "documents", self.documents
        yield from ((f"label {name!r}", lines) for name, lines in self.labels.items())

    @classmethod
    def read(
        cls,
        outputs: Sequence[str | Path],
        references: Sequence[str | Path] = (),
        source: str | Path | None = None,
        *,
        documents: str | Path | None = None,
        pair: str | None = None,
    ) -> TestSet:
        """A test set from plain text files, one segment per line; texts are named by their files."""
        from .stream import TextFiles

        for what, paths in (("outputs", outputs), ("references", references)):
            if isinstance(paths, str | Path):
                raise UsageError(f'{what} must be a list of files, as ["{paths}"], not a single name.')
        return TextFiles(unique_names(outputs), unique_names(references), source, documents, pair).read()

    @classmethod
    def from_pandas(
        cls,
        frame: Any,
        *,
        outputs: Sequence[str] | Mapping[str, str],
        references: Sequence[str] | Mapping[str, str] = (),
        source: str | None = None,
        documents: str | None = None,
        labels: Sequence[str] = (),
        pair: str | None = None,
        name: str = "unnamed",
    ) -> TestSet:
        """Return a test set from the columns of a data frame, one row per segment.

        outputs, references: names of columns; a mapping gives the systems other names, {system: column}.
        """

        def columns(given: Sequence[str] | Mapping[str, str]) -> dict[str, Any]:
            if isinstance(given, str):
                given = [given]
            named = given if isinstance(given, Mapping) else {column: column for column in given}
            return {name: column_of(column) for name, column in named.items()}

        def column_of(column: str) -> Any:
            if column not in frame:
                raise UnknownName("column in the data frame", str(column), map(str, frame))
            return frame[column]

        text, ids = (None if column is None else column_of(column) for column in (source, documents))
        return cls(columns(outputs), columns(references), text, ids, columns(labels), pair, name)

    def to_pandas(self) -> DataFrame:
        return to_frame([dict(row) for row in self._rows()])

    def _rows(self, most: int | None = None) -> Iterator[list[tuple[str, Any]]]:
        """Yield the segments as pairs of column and text."""
        columns = {"source": self.source, "doc": self.documents, **self.references, **self.outputs, **self.labels}
        shown = {name: lines[:most] for name, lines in columns.items() if lines is not None}
        for row in zip(*shown.values(), strict=True):
            yield list(zip(shown, row, strict=True))

    def __repr__(self) -> str:
        known = [f"outputs: {listed([*map(_cut, self.outputs)])}"] if self.outputs else []
        known += [f"references: {listed([*map(_cut, self.references)])}"] if self.references else []
        known += ["source"] if self.source is not None else []
        known += [f"{len(set(self.documents))} documents"] if self.documents is not None else []
        known += [f"labels: {listed([*map(_cut, self.labels)])}"] if self.labels else []
        size = f"{len(self)} segment{'s' * (len(self) != 1)}"
        pair = f", {self.pair}" if self.pair else ""
        return f"TestSet({_cut(self.name)!r}{pair}: {'; '.join([size, *known])})"

    def _repr_html_(self) -> str:
        rows = [
            [str(number), *(_cut(text or "", 80) for _, text in row)] for number, row in enumerate(self._rows(5), 1)
        ]
        header = ["", *(name for name, _ in next(self._rows(1)))]
        return html_table(header, rows, repr(self))

    def __len__(self) -> int:
        return len(next(self._all_texts())[1])

    @property
    def systems(self) -> tuple[str, ...]:
        return tuple(self.outputs)

    @property
    def target_language(self) -> str | None:
        return self.pair.split("-")[-1] if self.pair else None

    def __getitem__(self, rows: slice) -> TestSet:
        """The same texts for some of the segments."""
        return self._mapped(lambda lines: lines[rows])

    def take(self, rows: Sequence[int]) -> TestSet:
        """The same texts for the segments with these numbers (from 0), in this order."""
        return self._mapped(lambda lines: [lines[row] for row in rows])

    def _mapped(self, choose: Callable[[Sequence[Any]], Sequence[Any]]) -> TestSet:
        return replace(
            self,
            outputs={name: choose(lines) for name, lines in self.outputs.items()},
            references={name: choose(lines) for name, lines in self.references.items()},
            source=None if self.source is None else choose(self.source),
            documents=None if self.documents is None else choose(self.documents),
            labels={name: choose(lines) for name, lines in self.labels.items()},
        )

    def only(self, systems: Sequence[str]) -> TestSet:
        """The same test set with these systems alone, in this order."""
        if isinstance(systems, str):
            raise UsageError(f'systems must be a list of names, as ["{systems}"], not a single text.')
        names = [find_name(system, self.outputs) for system in systems]
        return replace(self, outputs={name: self.outputs[name] for name in names})

    def shards(self, size: int) -> Iterator[TestSet]:
        """The test set in consecutive pieces of at most `size` segments."""
        if len(self) <= size:
            yield self
            return
        for start in range(0, len(self), size):
            yield self[start : start + size]

    def checksum(self) -> str:
        """Return a digest of what all systems share: references, source, documents, language pair."""
        digest = sha256()
        digest.update(f"{self.pair}\n".encode())
        shared = (*self.references.items(), ("source", self.source or ()), ("documents", self.documents or ()))
        for name, lines in shared:
            digest.update(f"{name}\n".encode())
            digest.update(checksum(lines).encode())
        return digest.hexdigest()[:16]


def one_hyphen(pair: object) -> str:
    """Return a language pair with one hyphen: "en-pt_BR" for "en-pt-BR". Raises UsageError for anything else."""
    found = pair if isinstance(pair, str) else ""
    if found.count("-") > 1:
        found = re.sub(r"-([A-Z]{2}|[A-Z][a-z]{3}|\d{3})(?=-|$)", r"_\1", found)
    if found.count("-") != 1 or not all(found.split("-")):
        raise UsageError(f"A language pair is SRC-TGT, as en-de or en-pt_BR, not {pair!r}.")
    return found


def checksum(lines: Sequence[str | None]) -> str:
    """A digest of a text; a missing line differs from an empty one."""
    digest = sha256()
    # The lengths make the join unambiguous, whatever characters the lines hold.
    digest.update(repr([-1 if line is None else len(line) for line in lines]).encode())
    digest.update("".join([line for line in lines if line is not None]).encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


def _named(what: str, kind: str, texts: object, *, gaps: bool = False) -> dict[str, tuple[object, ...]]:
    if not isinstance(texts, Mapping):
        raise UsageError(
            f"{what} must be named: a mapping of {kind} name to a list of texts, "
            f'as {{"{kind[:3]}A": [...]}}, not {type(texts).__name__}.'
        )
    for name in texts:
        if not isinstance(name, str) or not name:
            raise UsageError(f"{what}: {name!r} is not a name; a {kind} needs a name that is not empty.")
    return {name: _texts(f"{kind} {name!r}", lines, gaps=gaps) for name, lines in texts.items()}


def name_references(references: object, segments: int, *, square: str | None = None) -> dict[str, Any]:
    """Return references by name: of a list of texts, one per segment, or of a list of lists.

    Lists of lists have the references of each segment, as in Hugging Face evaluate, or the segments of each reference,
    as in sacreBLEU: the number of segments tells which. square: "segments" or "references", how as many references as
    segments are read; by default they are refused.
    """
    listed = as_list(references)
    if isinstance(listed, str) or not isinstance(listed, Sequence):
        raise UsageError(
            f"references must be a list of texts, or lists of texts by name, not {type(references).__name__}."
        )
    rows = [as_list(row) for row in listed]
    if all(isinstance(row, str) or is_missing(row) for row in rows):
        return {"ref": rows}
    if any(isinstance(row, str) or not isinstance(row, Sequence) for row in rows):
        raise UsageError("references are texts, or lists of texts, but not both.")
    by_reference = all(len(row) == segments for row in rows)
    if by_reference and len(rows) == segments > 1:
        if square is None:
            raise UsageError(
                f"references: {segments} lists of {segments} texts can be read in two ways. Name them: "
                '{"refA": [a text per segment], "refB": [...]}.'
            )
        by_reference = square == "references"
    if not by_reference and len(rows) != segments:
        lengths = " or ".join(map(str, sorted({len(row) for row in rows})))
        raise UsageError(
            f"references: {len(rows)} lists of {lengths} texts, and {segments} segments. A list for each segment is "
            "needed, or lists with a text for each segment."
        )
    if not by_reference:
        rows = [[row[i] if i < len(row) else None for row in rows] for i in range(max(map(len, rows), default=0))]
    return {f"ref{i}": row for i, row in enumerate(rows, 1)} if len(rows) > 1 else {"ref": rows[0]} if rows else {}


def check_several(texts: object) -> None:
    """Raise UsageError for a single text in place of a list, whose characters would be taken for texts."""
    if isinstance(texts, str):
        raise UsageError(f"A list of texts is needed, as [{_cut(texts)!r}], not a single text.")


def as_list(lines: object) -> Any:
    """Return texts from pandas, NumPy or Arrow as a list; anything else as it is."""
    for method in ("to_pylist", "tolist"):
        if hasattr(lines, method):
            return getattr(lines, method)()
    return lines


def _texts(what: str, lines: object, *, gaps: bool = False) -> tuple[Any, ...]:
    lines = as_list(lines)
    if isinstance(lines, str) or not isinstance(lines, Sequence):
        raise UsageError(f"{what} must be a list of texts, one per segment, not {type(lines).__name__}.")
    checked = tuple(lines)
    if set(map(type, checked)) <= {str}:
        return checked
    if gaps:
        checked = tuple(None if is_missing(line) else line for line in checked)
    for number, line in enumerate(checked, 1):
        if not isinstance(line, str) and not (gaps and line is None):
            raise UsageError(f"{what}, segment {number}: {_cut(repr(line))} where a text is needed.")
    return checked


def is_missing(text: object) -> bool:
    """Return whether a text is None, or the NaN or NA of pandas."""
    return text is None or (isinstance(text, float) and text != text) or type(text).__name__ == "NAType"


def _cut(text: str, most: int = 30) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"
