"""Build a knowledge base from names (`build`). Memory does not grow with the input.

Names are written to files by bucket of their entities (`spill.py`), buckets are merged one by one (`merging.py`), and
then the arrays are written. All files are in a hidden folder next to the target, which is renamed at the end. If a
build from a Wikidata dump is killed, the same call resumes it.
"""

import json
import logging
import shutil
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future, wait
from contextlib import contextmanager
from itertools import islice
from math import isfinite
from pathlib import Path
from typing import Any, NamedTuple, TypedDict, Unpack

import numpy as np
from numpy.typing import NDArray

from .. import __version__
from ..data.files import held, move_folder, writing
from ..errors import DataError, TercetError, UsageError
from ..text.scripts import scripts_of
from ..workers import result_of, submit
from .merging import Arrays, merge_entities, merge_names, write_entities, write_names
from .sources import categories, wikidata
from .spill import NameRecord, Row, Settings, collector_paused, is_text, read_bucket, write_chunk
from .store import ARRAYS, FORMAT, MANIFEST, KnowledgeBase
from .verification import checksum

__all__ = ["NameRecord", "Step", "build"]

log = logging.getLogger(__name__)
_BATCH = 200_000  # names of one file
_DUMP_BYTES_PER_BUCKET = 1 << 28  # of the compressed dump; a bucket of all Wikidata then has 100,000 entities
_BUCKETS_PER_PART = 8


class Step(NamedTuple):
    """The progress of a build: `done` of `total` bytes of the dump or pieces of work, and entities read so far."""

    stage: str
    done: int
    total: int
    entities: int = 0


Progress = Callable[[Step], None]


class Entered(TypedDict, total=False):
    """Which names a knowledge base has."""

    min_languages: int  # entities with names in fewer languages are left out; 2 by default
    max_tokens: int  # longer names are left out; 16 by default
    lemmas: bool  # names with base forms of their words are entered too


def build(
    records: Iterable[NameRecord],
    out: str | Path,
    *,
    name: str,
    languages: Sequence[str],
    sources: Sequence[Mapping[str, str]] = (),
    wikidata_dump: str | Path | None = None,
    ids: Mapping[str, str] | None = None,
    replace: bool = False,
    executor: Executor | None = None,
    progress: Progress | None = None,
    **chosen: Unpack[Entered],
) -> KnowledgeBase:
    """Write a knowledge base of all names in the chosen languages to the folder `out`, and open it.

    sources: its sources for the manifest, each with a name and a licence. wikidata_dump: a JSON dump. ids: ids that
    replace those of the records, as Wikidata's for Freebase's. replace: overwrite `out`. executor: runs the work; the
    result does not depend on it. Which names are entered: min_languages, max_tokens and lemmas, as in `Entered`.
    """
    place = Path(out)
    if place.name in ("", ".."):
        raise UsageError(f"{place} is not the name of a folder to write. Give one, as kb or ../kb.")
    dump = Path(wikidata_dump) if wikidata_dump is not None else None
    settings = _settings(languages, dump, **chosen)
    _check_free(place, replace=replace)
    if dump is not None:
        with wikidata.open_dump(dump):
            pass  # raises an error for a bad file before anything is written
    work = place.with_name(f".{place.name}.building")
    run = _Run(settings, work, executor, progress)
    with _work_folder(work, place, settings, dump):
        try:
            if dump is not None:
                run.read_dump(dump)
            with collector_paused():
                run.read_records(records, ids or {})
                run.merge(with_classes=dump is not None)
            built = run.write(name, sources)
        finally:
            run.settle()
        move_folder(built, place)
    return KnowledgeBase.open(place)


def _settings(
    languages: Sequence[str], dump: Path | None, *, min_languages: int = 2, max_tokens: int = 16, lemmas: bool = False
) -> Settings:
    chosen = tuple(dict.fromkeys(languages))
    if not chosen:
        raise UsageError("No language is chosen: name at least two, as en de.")
    if unknown := [language for language in chosen if not scripts_of(language)]:
        raise UsageError(f"Tercet does not know the language {unknown[0]!r}. Use ISO 639 codes, as en, de, zh.")
    if len(chosen) > 64:
        raise UsageError(f"A knowledge base holds at most 64 languages, not {len(chosen)}.")
    if not 1 <= min_languages <= len(chosen):
        raise UsageError(
            f"min_languages is {min_languages}, but the number of languages is {len(chosen)} ({' '.join(chosen)}). "
            "Choose more languages or a smaller min_languages."
        )
    if max_tokens < 1:
        raise UsageError(f"max_tokens must be 1 or more, not {max_tokens}.")
    size = dump.stat().st_size if dump is not None and dump.is_file() else 0
    buckets = max(4, -(-size // _DUMP_BYTES_PER_BUCKET))
    return Settings(chosen, min_languages, max_tokens, lemmas, buckets, max(1, buckets // _BUCKETS_PER_PART))


def _check_free(place: Path, *, replace: bool) -> None:
    if place.exists() and not replace:
        raise UsageError(f"{place} exists already. Choose another place, or replace it (`replace`).")
    if place.exists() and not (place / MANIFEST).is_file() and (not place.is_dir() or any(place.iterdir())):
        raise UsageError(f"{place} is not a knowledge base and was not replaced. Choose another place.")


@contextmanager
def _work_folder(work: Path, place: Path, settings: Settings, dump: Path | None) -> Iterator[None]:
    """Make the hidden folder of a build. It is removed at the end, unless it can help to resume reading a dump."""
    state = [str(dump.resolve()), dump.stat().st_size, dump.stat().st_mtime_ns] if dump else []
    chosen = [settings.languages, settings.min_languages, settings.buckets]
    job = json.dumps(
        {"format": FORMAT, "tercet": __version__, "settings": chosen, "dump": state, "chunk": wikidata.CHUNK}
    )
    try:
        work.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _unwritable(place, error) from None
    with held(work):
        keep = False
        try:
            _clear_of_others(work, job)
            keep = dump is not None
            yield
            keep = False
        except DataError:
            keep = False
            raise
        except (OSError, UsageError) as error:
            kept = f" What was read of {dump} is kept: give the same command again to resume." if keep else ""
            said = error if isinstance(error, UsageError) else _unwritable(place, error)
            raise UsageError(f"{said}{kept}") from None
        finally:
            if not keep:
                shutil.rmtree(work, ignore_errors=True)


def _unwritable(place: Path, error: OSError) -> UsageError:
    return UsageError(f"Cannot write the knowledge base {place}: {error.strerror or error}. Nothing was written.")


def _clear_of_others(work: Path, job: str) -> None:
    """Name the job of a work folder. What another job left there is removed."""
    note = work / "job.json"
    left = list(work.iterdir())
    if left and not (note.is_file() and note.read_text("utf-8", "replace") == job):
        log.warning("Removed %s, which was left from another build.", work)
        for path in left:
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink()
    note.write_text(job, "utf-8")


class _Run:
    """One build: its work folder, its results so far, and its executor."""

    def __init__(self, settings: Settings, work: Path, executor: Executor | None, progress: Progress | None) -> None:
        self.settings, self.work, self.executor = settings, work, executor
        self.report: Progress = progress or (lambda step: None)
        self.chunks: list[Path] = []
        self.edges: list[NDArray[np.int64]] = []
        self.counts: Counter[str] = Counter()
        self.pieces: list[list[Path]] = []
        self.waiting: deque[Future[Any]] = deque()

    def read_dump(self, dump: Path) -> None:
        """Write a file for every chunk of the dump, except those that an earlier run wrote."""
        total, bad = dump.stat().st_size, list[str]()

        def tasks() -> Iterator[tuple[Any, ...]]:
            for number, (block, line, at) in enumerate(wikidata.chunks(dump)):
                path = self.work / f"wikidata-{number:06}"
                self.chunks.append(path)
                notes = _notes_of(path, self.settings) if path.exists() else None
                yield (at, notes) if notes else (at, None, block, line, self.settings, path)

        for at, notes in self._in_order(_parse, tasks()):
            if not self.counts["entities_read"] and not notes["entities"]:
                raise DataError(
                    f"{dump} is not a Wikidata dump: no line of its first {wikidata.CHUNK >> 20} MB is an entity"
                    + (f"; {', '.join(notes['bad'])}." if notes["bad"] else ".")
                )
            self.counts["entities_read"] += notes["entities"]
            self.counts["bad_lines"] += notes["bad_lines"]
            bad += notes["bad"][: wikidata.NAMED_BAD - len(bad)]
            self.edges.append(np.array(notes["edges"], np.int64).reshape(-1, 2))
            self.report(Step("Reading", at, total, self.counts["entities_read"]))
        if bad:
            more = self.counts["bad_lines"] - len(bad)
            log.warning("%s: %d bad lines were skipped: %s%s.", dump, self.counts["bad_lines"], ", ".join(bad),
                        f" and {more} more" if more else "")  # fmt: skip

    def read_records(self, records: Iterable[NameRecord], ids: Mapping[str, str]) -> None:
        """Write files of names from other sources."""
        for old in self.work.glob("records-*"):
            old.unlink()
        numbers = {language: number for number, language in enumerate(self.settings.languages)}
        rows = (_row(record, numbers[record.language], ids) for record in records if record.language in numbers)
        for number, batch in enumerate(iter(lambda: list(islice(rows, _BATCH)), [])):
            self.chunks.append(self.work / f"records-{number:06}")
            write_chunk(self.chunks[-1], batch, self.settings, {})

    def merge(self, *, with_classes: bool) -> None:
        """Merge entities, then names."""
        settings, classes = self.settings, None
        if with_classes:
            classes = self.work / "classes.npz"
            categories.write_classes(classes, np.concatenate([np.empty((0, 2), np.int64), *self.edges]))
            self.edges.clear()
        buckets = [self.work / f"entities-{bucket:06}" for bucket in range(settings.buckets)]
        tasks = ((self.chunks, bucket, settings, classes, path) for bucket, path in enumerate(buckets))
        first = [0]
        for done, counts in enumerate(self._in_order(merge_entities, tasks), 1):
            self.counts.update(counts)
            first.append(first[-1] + counts.get("entities", 0))
            self.report(Step("Joining entities", done, settings.buckets, self.counts["entities_read"]))
        if not first[-1]:
            raise DataError(
                f"No entity has names in {settings.min_languages} of the languages {' '.join(settings.languages)}, "
                "so the knowledge base would be empty. Nothing was written."
            )
        files = [path.with_suffix(".names") for path in buckets]
        outs = [self.work / f"names-{part:06}.npz" for part in range(len(settings.languages) * settings.parts)]
        parts = ((files, section, first[:-1], path) for section, path in enumerate(outs))
        for done, _ in enumerate(self._in_order(merge_names, parts), 1):
            self.report(Step("Joining names", done, len(outs), self.counts["entities_read"]))
        self.pieces = [[path.with_suffix(".npz") for path in buckets], outs]

    def write(self, name: str, sources: Sequence[Mapping[str, str]]) -> Path:
        """Write the arrays and the manifest into a folder inside the work folder. Returns that folder."""
        folder = self.work / "built"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        with Arrays(folder) as arrays:
            used = write_entities(arrays, self.pieces[0])
            tables = write_names(arrays, self.pieces[1], self.settings)
        if silent := [language for language, table in tables.items() if not table["aliases"]]:
            log.warning("%s: no source has a name in %s.", name, ", ".join(silent))
        manifest = {
            "format": FORMAT,
            "name": name,
            "tercet": __version__,
            "sources": [dict(source) for source in sources],
            "languages": list(self.settings.languages),
            "categories": list(used),
            "entities": arrays.lengths["category"],
            "entities_by_category": used,
            "aliases": {language: table["aliases"] for language, table in tables.items()},
            "candidates": arrays.lengths["candidate_entity"],
            "min_languages": self.settings.min_languages,
            "max_tokens": self.settings.max_tokens,
            "lemmas": self.settings.lemmas,
            "left_out": {key: self.counts[key] for key in sorted(self.counts.keys() - {"entities", "entities_read"})},
            "checksum": checksum(folder, ARRAYS),
            "tables": tables,
            "arrays": arrays.lengths,
        }
        with writing(folder / MANIFEST) as stream:
            stream.write(json.dumps(manifest, ensure_ascii=False, indent=1) + "\n")
        return folder

    def settle(self) -> None:
        """Wait for running tasks. After an error they would write into a folder that is being removed."""
        for future in self.waiting:
            future.cancel()
        wait(self.waiting)

    def _in_order(self, function: Callable[..., Any], tasks: Iterable[tuple[Any, ...]]) -> Iterator[Any]:
        """Yield the results of a function in the order of the tasks. Only a few tasks run at once."""
        if self.executor is None:
            for task in tasks:
                yield function(*task)
            return
        ahead = 2 + int(getattr(self.executor, "_max_workers", 0) or getattr(self.executor, "workers", 4))
        try:
            for task in tasks:
                self.waiting.append(submit(self.executor, function, *task))
                if len(self.waiting) >= ahead:
                    yield result_of(self.waiting.popleft())
            while self.waiting:
                yield result_of(self.waiting.popleft())
        except BrokenExecutor:
            raise TercetError(
                "A worker process died, perhaps because memory ran out: use fewer jobs. What was read of a Wikidata "
                "dump is kept: give the same command again to resume."
            ) from None


def _parse(at: int, notes: dict[str, Any] | None, *task: Any) -> tuple[int, dict[str, Any]]:
    """Return a chunk's position in the dump and its notes, from an earlier run or from parsing it now."""
    return at, notes or wikidata.parse_chunk(*task)


def _notes_of(path: Path, settings: Settings) -> dict[str, Any] | None:
    try:
        notes: dict[str, Any] = read_bucket(path, settings.buckets)
    except DataError:
        return None
    return notes


def _row(record: NameRecord, language: int, ids: Mapping[str, str]) -> Row:
    weight = float(record.weight)
    if not record.id or not record.name or not isfinite(weight) or weight < 0:
        raise DataError(f"{record} cannot be entered: it needs an id, a name, and a weight of 0 or more.")
    if not is_text(record.id) or not is_text(record.category):
        raise DataError(f"{record} cannot be entered: its id or category contains half a surrogate pair.")
    return ids.get(record.id, record.id), record.category, [(language, weight, record.name)]
