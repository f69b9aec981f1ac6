"""Parse texts: each distinct text once, with an optional cache and several processes."""

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from functools import lru_cache
from pathlib import Path

from ..data.testset import check_several
from ..errors import DataError, UsageError
from ..text.coding import whole_characters
from ..workers import results_in_order
from .backends import Backend, default_name, open_backend
from .backends.conllu import file_states
from .relations import with_dependencies
from .sentence import Sentence, shown

BATCH = 256  # texts per unit of work; fixed, so that parses do not depend on where the work runs

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
    """Parse texts with a parser, by name or as an object; see `tercet.parse`. Each distinct text is parsed once."""
    check_several(texts)
    texts = [whole_characters(text) for text in texts]
    if backend is None:
        backend = default_name(language)
    # Loading a model takes a second. If other processes parse, this one needs it only for the cache's key.
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
    batches = (missing[first : first + BATCH] for first in range(0, len(missing), BATCH))
    if executor is not None and elsewhere:
        tasks = ((batch, backend, language, known.version if known else None) for batch in batches)
        advice = "; with `cache` the next run continues where this one stopped"
        parsed = results_in_order(executor, parse_batch, tasks, doing="parsing", advice=advice)
    else:
        parsed = (parse_batch(batch, known or backend, language) for batch in batches)
    for sentences in parsed:
        if store:
            store.save(sentences)
        parses |= {sentence.text: with_dependencies(sentence) for sentence in sentences}
        if progress:
            progress(len(parses), len(distinct))
    if lost := [text for text in distinct if text not in parses]:
        raise DataError(f"The parser {backend!r} returned no sentence with the text {shown(lost[0])}.")
    return [parses[text] for text in texts]


def parse_batch(
    texts: Sequence[str], backend: str | Backend, language: str, version: str | None = None
) -> list[Sentence]:
    """Parse one batch: a unit of work. version: that of the parser in the process that stores the parses."""
    parser = opened(backend, language)
    if version not in (None, parser.version):
        raise UsageError(
            f"The parser on this computer is {parser.name} {parser.version}, but the cache is for version {version}. "
            "Install the same version on all computers."
        )
    return parser.parse(texts)


def opened(backend: str | Backend | None, language: str) -> Backend:
    """Return a parser by name, or the installed one: loaded once per process, and again if files of parses change."""
    if backend is None:
        backend = default_name(language)
    if not isinstance(backend, str):
        return backend
    if not _is_stored(backend):
        return _model(backend, language)
    return _stored(backend, language, file_states(backend.partition(":")[2]))


def _is_stored(backend: str | Backend) -> bool:
    return backend.startswith(("conllu:", "corenlp:")) if isinstance(backend, str) else backend.stored


_model = lru_cache(maxsize=4)(open_backend)


@lru_cache(maxsize=2)  # the parses of a test set are large; two are kept for comparisons
def _stored(name: str, language: str, states: object) -> Backend:
    return open_backend(name, language)
