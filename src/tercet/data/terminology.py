"""Read terminology: TBX files, and tables or other bilingual files with a term and its translation in each segment."""

from collections.abc import Iterator
from itertools import product
from pathlib import Path

from ..errors import DataError, UsageError
from .bilingual import ENDINGS, format_of, open_bitext
from .grouping import grouped
from .markup import Parser
from .names import bare_name

TBX = (".tbx", ".xml")
_ENTRIES = ("termEntry", "conceptEntry")
_LANGUAGES = ("langSet", "langSec")

Terms = dict[str, tuple[str, ...]]  # a source term -> its translations


def read_terms(path: str | Path, pair: str | None = None) -> Terms:
    """Return the translations of each source term, in the file's order. pair: TBX needs it."""
    stripped = ((term.strip(), translation.strip()) for term, translation in _pairs(path, pair))
    found = grouped((term, translation) for term, translation in stripped if term and translation)
    if not found:
        raise DataError(f"{path} has no term with a translation{f' for {pair}' if pair else ''}.")
    return {term: tuple(dict.fromkeys(translations)) for term, translations in found.items()}


def _pairs(path: str | Path, pair: str | None) -> Iterator[tuple[str, str]]:
    if bare_name(path).lower().endswith(TBX):
        if not pair:
            raise UsageError(f"{path} may have many languages: give the language pair, as `pair` en-de.")
        source, _, target = pair.lower().replace("_", "-").partition("-")
        for entry in _Reader(str(path)).read():
            yield from product(entry.get(source, ()), entry.get(target.partition("-")[0], ()))
        return
    if format_of(path) is None:
        raise UsageError(f"{path} is not a terminology file: TBX, or one of {', '.join(ENDINGS)}, is needed.")
    bitext = open_bitext(path, pair=pair)
    if not bitext.segments[0].outputs or bitext.segments[0].source is None:
        raise DataError(
            f"{path} has one column with terms, and a glossary needs two columns: a term and its translation. Call "
            "them source and target."
        )
    yield from zip(bitext.source, bitext.output(), strict=True)


class _Reader(Parser[dict[str, list[str]]]):
    """Yields the terms of each entry by language, without regions. Deprecated terms are left out."""

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self._entry: dict[str, list[str]] | None = None
        self._language = ""
        self._term: list[str] | None = None
        self._note: str | None = None

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if not self.stack and name not in ("martif", "tbx", "TBX"):
            self.refuse(f"this is not TBX: the file begins with <{name}>")
        if name in _ENTRIES:
            self._entry = {}
        elif name in _LANGUAGES:
            self._language = attributes.get("xml:lang", "").lower().replace("_", "-").partition("-")[0]
        elif name == "term":
            self._term = []
        elif name == "termNote" and attributes.get("type") == "administrativeStatus":
            self._note = ""

    def end(self, name: str) -> None:
        if name == "term" and self._term is not None and self._entry is not None:
            self._entry.setdefault(self._language, []).append("".join(self._term))
            self._term = None
        elif name == "termNote" and self._note is not None:
            if ("deprecated" in self._note or "superseded" in self._note) and self._entry is not None:
                del self._entry.get(self._language, [])[-1:]  # the note follows its term
            self._note = None
        elif name in _ENTRIES and self._entry is not None:
            self.found.append(self._entry)
            self._entry = None

    def text(self, text: str) -> None:
        if self._term is not None:
            self._term.append(text)
        if self._note is not None:
            self._note += text
