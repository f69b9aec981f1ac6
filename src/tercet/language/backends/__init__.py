"""Parsers behind one small interface, found by name: `spacy:MODEL`, `stanza:LANGUAGE`, `natasha`, `conllu:FILE`, …

A backend is a module of this package, called as the part of the name before the colon; its `open_backend` gets the
part after it and the language. Nothing is imported before it is asked for.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from functools import cache
from importlib import import_module
from importlib.resources import files
from importlib.util import find_spec
from typing import Any, Protocol

from ...errors import MissingDependency, UnknownName, UsageError
from ...text.scripts import base_code
from ..sentence import Sentence

KINDS = ("conllu", "corenlp", "natasha", "spacy", "stanza")
_SPACE = re.compile(r"\s+")


class Backend(Protocol):
    """Something that parses texts.

    name: what `open_backend` finds it by. version: changes whenever its parses may. stored: the parses exist already,
    so that neither a cache nor more processes would help.
    """

    name: str
    version: str
    stored: bool

    def parse(self, texts: Sequence[str]) -> list[Sentence]:
        """A sentence for each text, which is its `text`; none of the texts is empty."""
        ...


def open_backend(name: str | None, language: str) -> Backend:
    """The parser of that name, or the one for the language that is installed."""
    name = name or default_name(language)
    kind, _, argument = name.partition(":")
    if kind not in KINDS:
        raise UnknownName("parser", kind, KINDS)
    opened: Backend = import_module(f".{kind}", __name__).open_backend(argument, language)
    return opened


def default_name(language: str) -> str:
    """The name of the first parser for a language that is installed."""
    tables = _tables()
    code = base_code(language)
    for name in tables["default"].get(code, ()):
        kind, _, model = name.partition(":")
        if find_spec(kind) and (not model or find_spec(model)):
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


def clean(word: str) -> str:
    """A word or lemma without line ends and tabs, which no column of CoNLL-U can hold."""
    return _SPACE.sub(" ", word).strip()


@cache
def _tables() -> dict[str, Any]:
    return tomllib.loads(files(__package__.rpartition(".")[0]).joinpath("data", "parsers.toml").read_text("utf-8"))
