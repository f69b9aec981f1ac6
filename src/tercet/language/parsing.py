"""Parsing texts: each distinct one once, from a cache where it is kept, by as many processes as there are."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache as once
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import DataError, UsageError
from ..text.coding import whole_characters
from ..workers import results_in_order
from .backends import Backend, default_name, open_backend
from .backends.conllu import file_states
from .relations import with_dependencies
from .sentence import Sentence, shown

if TYPE_CHECKING:
    from concurrent.futures import Executor

BATCH = 256  # texts of a unit of work; the same whatever runs it, so that parses are too

Progress = Callable[[int, int], None]


def parse(
    texts: Sequence[str],
    language: str,
    *,
    backend: str | Backend | None = None,
    cache: str | Path | None = None,
    executor: Executor | None = None,
    progress: Progress | None = None,
) -> list[Sentence]:
    """The parse of each text, with its graph of collapsed dependencies; an empty text has no words.

    backend: a parser by name (`spacy:MODEL`, `stanza:LANGUAGE`, `natasha`, `conllu:FILE` or `conllu:FOLDER`,
        `corenlp:FILE`) or an object with the interface of `backends.Backend`; without it, the one for the language
        that is installed.
    cache: a folder in which parses are kept and found again.
    executor: processes to parse in (`tercet.engine.open_executor`); a backend that is an object travels by pickle.
    progress: called with the number of distinct texts that are parsed, and of all.
    """
    texts = [whole_characters(text) for text in texts]
    if backend is None:
        backend = default_name(language)
    # Loading a model takes a second: where other processes parse, this one needs it only for the cache's key.
    elsewhere = executor is not None and not _is_stored(backend)
    known = None if elsewhere and cache is None else opened(backend, language)
    distinct = list(dict.fromkeys(texts))
    parses = {text: Sentence(text) for text in distinct if not text.strip()}
    missing = [text for text in distinct if text not in parses]
    store = None
    if cache is not None and known and not known.stored:
        from .parse_cache import ParseCache

        store = ParseCache(cache, known.name, known.version)
        parses |= {text: with_dependencies(kept) for text, kept in store.load(missing).items()}
        missing = [text for text in missing if text not in parses]
    if progress:
        progress(len(parses), len(distinct))
    if executor is not None and elsewhere:
        tasks = ((batch, backend, language, known.version if known else None) for batch in _batches(missing))
        advice = "; with a cache (--cache DIR) the run goes on where it stopped"
        parsed = results_in_order(executor, parse_batch, tasks, doing="parsing", advice=advice)
    else:
        parsed = (parse_batch(batch, known or backend, language) for batch in _batches(missing))
    for sentences in parsed:
        if store:
            store.save(sentences)
        parses |= {sentence.text: with_dependencies(sentence) for sentence in sentences}
        if progress:
            progress(len(parses), len(distinct))
    if lost := [text for text in distinct if text not in parses]:
        raise DataError(f"The parser {backend!r} gave back no sentence whose text is {shown(lost[0])}.")
    return [parses[text] for text in texts]


def _batches(texts: Sequence[str]) -> Iterator[Sequence[str]]:
    return (texts[first : first + BATCH] for first in range(0, len(texts), BATCH))


def parse_batch(
    texts: Sequence[str], backend: str | Backend, language: str, version: str | None = None
) -> list[Sentence]:
    """A unit of work: runs anywhere, and loads its parser once per process.

    version: the parser's where the parses are kept; on another computer it may be another.
    """
    parser = opened(backend, language)
    if version not in (None, parser.version):
        raise UsageError(
            f"The parser here is {parser.name} {parser.version}, but parses are kept of {version}. All computers that "
            "parse need the same one."
        )
    return parser.parse(texts)


def opened(backend: str | Backend | None, language: str) -> Backend:
    """A parser by its name, or the one for the language that is installed; each is loaded once per process.

    Parses that exist are read again when their files have changed.
    """
    if backend is None:
        backend = default_name(language)
    if not isinstance(backend, str):
        return backend
    if not _is_stored(backend):
        return _model(backend, language)
    return _stored(backend, language, file_states(backend.partition(":")[2]))


def _is_stored(backend: str | Backend) -> bool:
    return backend.startswith(("conllu:", "corenlp:")) if isinstance(backend, str) else backend.stored


@once
def _model(name: str, language: str) -> Backend:
    return open_backend(name, language)


@lru_cache(maxsize=2)  # a test set's parses are large; who compares two of them finds both
def _stored(name: str, language: str, states: object) -> Backend:
    return open_backend(name, language)
