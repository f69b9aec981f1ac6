"""Parsers with a common interface, opened by name. A backend is a module here, called as the name before the colon."""

import re
from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Protocol

from ...errors import MissingDependency, UnknownName, UsageError
from ...text.packaged import packaged
from ...text.scripts import base_code
from ..sentence import Sentence, Token

KINDS = ("conllu", "corenlp", "natasha", "spacy", "stanza")
_PACKAGE = re.compile(r"[\w-]*(?::[\w-]+)?")


class Backend(Protocol):
    """A parser. name: what `open_backend` takes. version: changes when parses may. stored: parses come from files."""

    name: str
    version: str
    stored: bool

    def parse(self, texts: Sequence[str]) -> list[Sentence]:
        """Return a Sentence for each text, with that text as its `text`. No text is empty."""
        ...


def open_backend(name: str | None, language: str) -> Backend:
    """Return the parser of that name; without a name, the installed parser for the language."""
    name = name or default_name(language)
    kind, _, argument = name.partition(":")
    if kind not in KINDS:
        raise UnknownName("parser", kind, KINDS)
    opened: Backend = import_module(f".{kind}", __name__).open_backend(argument, language)
    return opened


def default_name(language: str) -> str:
    """Return the name of the first installed parser for a language."""
    tables, code = packaged("tercet.language", "data/parsers.toml"), base_code(language)
    for name in tables["default"].get(code, ()):
        kind, _, model = name.partition(":")
        if find_spec(kind) and (not model or find_model(model)):
            return str(name)
    if find_spec("stanza"):
        return f"stanza:{code}"
    if code in tables["extra"]:
        raise MissingDependency(f"Parsing {language!r} without naming a parser", tables["extra"][code])
    stanza = f"pip install stanza, and its model: python -c \"import stanza; stanza.download('{code}')\""
    install = tables["install"].get(code, stanza)
    raise UsageError(
        f"No parser for {language!r} is installed. Install one: {install}; or name one with its model "
        "(spacy:MODEL, stanza:LANGUAGE), or a file of parses (conllu:FILE)."
    )


def find_model(model: str) -> str | None:
    """Return what loads an installed model: the name of its package, or the folder of PACKAGE/FOLDER; else None."""
    package, _, folder = model.partition("/")
    found = find_spec(package) if package.isidentifier() else None
    if not found or not folder:
        return model if found else None
    places = (Path(place) / folder for place in found.submodule_search_locations or ())
    return next((str(place) for place in places if place.is_dir()), None)


def loads_folder(name: str) -> bool:
    """Return whether a parser's name is that of a folder, from which code could be loaded, not of a package."""
    kind, _, model = name.partition(":")
    return kind in ("spacy", "stanza") and (not _PACKAGE.fullmatch(model) or Path(model or "?").exists())


def token(form: str, start: int, end: int, lemma: str | None, *rest: *tuple[str, str, str, int, str, str]) -> Token:
    """Return a Token; line ends and tabs in form and lemma, which a column of CoNLL-U cannot contain, become spaces."""
    return Token(" ".join(form.split()) or "_", start, end, " ".join((lemma or "").split()), *rest)
