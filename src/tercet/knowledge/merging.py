"""The steps that turn rows of names into the arrays of a knowledge base, one bucket at a time.

`merge_entities` merges the rows of all sources on an entity and decides whether it is kept. `merge_names` merges equal
names of a language. Both read files of sections, write a file of arrays, and run in any process. Memory is bounded by
the largest bucket. At the end the arrays are written piece by piece (`Arrays`).
"""

from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..data.files import writing_bytes
from ..data.grouping import grouped
from ..errors import DataError
from ..kernels import mentions
from ..text.coding import call, offsets_of
from .normalise import alias_key, lemma_key
from .sources.categories import LEFT_OUT, Classes
from .spill import Row, Settings, collector_paused, is_text, read_bucket, read_section, write_sections
from .store import ARRAYS, CAPITALISED, LOWERCASE, OWN_FORM

Bytes = NDArray[np.uint8]
Longs = NDArray[np.int64]
_COLUMNS: dict[str, Any] = {"lengths": np.int64, "entities": np.uint32, "weights": np.float32, "flags": np.uint8}
_Name = tuple[str, int, float, int]  # key, number of its entity within the bucket, weight, flags


class _Entity(NamedTuple):
    """An entity of one bucket. languages: those with a name, as bits; labels: by language number."""

    id: str
    category: str
    prior: float
    languages: int
    labels: dict[int, str]


def merge_entities(
    chunks: Sequence[Path], bucket: int, settings: Settings, classes: Path | None, out: Path
) -> dict[str, int]:
    """Merge the rows of one bucket. Writes OUT.npz (entities) and OUT.names (sections by language and part).

    Returns counts: entities kept, Wikimedia pages left out, entities left out because too few languages name them, and
    names without a form or with too many tokens.
    """
    with collector_paused():
        entities, names, counts = _joined(chunks, bucket, settings, Classes(classes) if classes is not None else None)
    _write_entities(out.with_suffix(".npz"), entities)
    sections = [section for listed in names for section in _sections(listed, settings.parts)]
    write_sections(out.with_suffix(".names"), sections)
    return dict(counts)


def _joined(
    chunks: Sequence[Path], bucket: int, settings: Settings, known: Classes | None
) -> tuple[list[_Entity], list[list[_Name]], Counter[str]]:
    rows = grouped((row[0], row) for path in chunks for row in read_bucket(path, bucket))
    entities: list[_Entity] = []
    names: list[list[_Name]] = [[] for _ in settings.languages]
    counts: Counter[str] = Counter()
    for entity_id in sorted(rows):
        category = _category(rows[entity_id], known)
        if category == LEFT_OUT:
            counts["wikimedia_pages"] += 1
            continue
        labels, entered = _entered(rows[entity_id], settings, counts)
        if len(labels) < settings.min_languages:
            counts["in_too_few_languages"] += 1
            continue
        counts["entities"] += 1
        for language, key, weight, flags in entered:
            names[language].append((key, len(entities), weight, flags))
        prior = max(weight for weight, _ in labels.values())
        shown = {language: labels[language][1] for language in sorted(labels)}
        entities.append(_Entity(entity_id, category, prior, sum(1 << language for language in labels), shown))
    return entities, names, counts


def _category(rows: list[Row], known: Classes | None) -> str:
    """Return the category by Wikidata's classes, or else the first one that a source gives."""
    given = ""
    for _, category, _ in rows:
        if isinstance(category, str):
            given = given or category
        elif known is not None:
            found = known.category([n for n in category if n > 0], [-n for n in category if n < 0])
            if found == LEFT_OUT:
                return found
            given = found if category or not given else given
    return given


def _entered(
    rows: list[Row], settings: Settings, counts: Counter[str]
) -> tuple[dict[int, tuple[float, str]], list[tuple[int, str, float, int]]]:
    """Return the label of an entity in each language, with its weight, and its names: language, key, weight, flags."""
    given = [name for row in rows for name in row[2]]
    entered: list[tuple[int, str, float, int]] = []
    labels: dict[int, tuple[float, str]] = {}
    if len({language for language, _, _ in given}) < settings.min_languages:
        return labels, entered
    for language, weight, name in given:
        code = settings.languages[language]
        key = alias_key(name, code)
        joined = mentions.SEPARATOR.join(key)
        if not key or len(key) > settings.max_tokens or not is_text(name) or not is_text(joined):
            counts["names_without_use"] += 1
            continue
        flags = LOWERCASE if name.islower() else CAPITALISED if name != name.lower() else 0
        entered.append((language, joined, weight, flags | OWN_FORM))
        if language not in labels or weight > labels[language][0]:
            labels[language] = (weight, name)
        if settings.lemmas and (base := lemma_key(name, code)) != key:
            entered.append((language, mentions.SEPARATOR.join(base), weight, flags))
    return labels, entered


def _blob(texts: Sequence[str]) -> tuple[Bytes, Longs]:
    """Return texts as concatenated bytes, and the length of each."""
    encoded = [text.encode() for text in texts]
    return np.frombuffer(b"".join(encoded), np.uint8), np.fromiter(map(len, encoded), np.int64, len(encoded))


def _write_entities(path: Path, entities: list[_Entity]) -> None:
    categories = sorted({entity.category for entity in entities})
    id_text, id_lengths = _blob([entity.id for entity in entities])
    labels = [label for entity in entities for label in entity.labels.items()]
    label_text, label_lengths = _blob([name for _, name in labels])
    with writing_bytes(path) as stream:
        np.savez(
            stream,
            id_text=id_text,
            id_lengths=id_lengths,
            category_names=np.array(categories, np.str_),
            category=np.array([categories.index(entity.category) for entity in entities], np.int64),
            prior=np.array([entity.prior for entity in entities], np.float32),
            languages=np.array([entity.languages for entity in entities], np.uint64),
            label_counts=np.array([len(entity.labels) for entity in entities], np.int64),
            label_language=np.array([language for language, _ in labels], np.uint8),
            label_text=label_text,
            label_lengths=label_lengths,
        )


def taken(text: Bytes, starts: Longs, order: Longs) -> tuple[Bytes, Longs]:
    """Return the pieces of a text in another order, and their lengths."""
    lengths = starts[order + 1] - starts[order]
    shift = starts[order] - offsets_of(lengths)[:-1]
    return text[np.repeat(shift, lengths) + np.arange(lengths.sum())], lengths


def fingerprints(text: Bytes, starts: Longs) -> tuple[NDArray[np.uint64], Longs]:
    """Return the fingerprints of keys and their numbers of tokens."""
    prints = np.empty(len(starts) - 1, np.uint64)
    sizes = np.empty(len(starts) - 1, np.int64)
    call(mentions.fingerprints, text, starts, prints, sizes)
    return prints, sizes


def _sections(names: list[_Name], parts: int) -> list[bytes]:
    """Return a language's names in parts by fingerprint. A part is its columns and then the text of its keys."""
    text, lengths = _blob([key for key, *_ in names])
    starts = offsets_of(lengths)
    prints, _ = fingerprints(text, starts)
    # By the upper bits, so that consecutive parts are in the order of fingerprints.
    part_of = (prints >> np.uint64(40)).astype(np.int64) * parts >> 24
    kinds = list(_COLUMNS.values())[1:]
    columns = [np.array([name[place] for name in names], kind) for place, kind in enumerate(kinds, 1)]
    sections = []
    for part in range(parts):
        rows = np.flatnonzero(part_of == part)
        piece, piece_lengths = taken(text, starts, rows)
        arrays = np.array([len(rows)], np.int64), piece_lengths, *(column[rows] for column in columns), piece
        sections.append(b"".join(array.tobytes() for array in arrays))
    return sections


def _read_names(section: bytes) -> dict[str, NDArray[Any]]:
    count = int(np.frombuffer(section, np.int64, 1)[0])
    place, arrays = 8, {}
    for name, kind in _COLUMNS.items():
        arrays[name] = np.frombuffer(section, kind, count, place)
        place += arrays[name].nbytes
    return {**arrays, "text": np.frombuffer(section, np.uint8, -1, place) if count else np.empty(0, np.uint8)}


def merge_names(files: Sequence[Path], section: int, first_entities: Sequence[int], out: Path) -> dict[str, int]:
    """Merge one part of a language's names from all buckets. Writes arrays in the order of fingerprints.

    first_entities: the number of each bucket's first entity. Returns the counts of aliases and candidates.
    """
    pieces = [_read_names(read_section(path, section)) for path in files]
    joined = {name: np.concatenate([piece[name] for piece in pieces]) for name in pieces[0]}
    numbers = [piece["entities"].astype(np.int64) + first for piece, first in zip(pieces, first_entities, strict=True)]
    entities, text, starts = np.concatenate(numbers), joined["text"], offsets_of(joined["lengths"])
    prints, sizes = fingerprints(text, starts)
    order = np.argsort(prints, kind="stable")
    groups = np.empty(len(prints), np.int64)
    heads = np.empty(len(prints), np.int64)
    used = call(mentions.group, text, starts, prints, order, groups, heads)
    heads = heads[:used]
    # One candidate per name and entity, with the largest weight and all flags.
    order = np.lexsort((-joined["weights"], entities, groups))
    new = np.ones(len(order), bool)
    new[1:] = (np.diff(groups[order]) != 0) | (np.diff(entities[order]) != 0)
    flags = np.bitwise_or.reduceat(joined["flags"][order], np.flatnonzero(new)) if used else joined["flags"]
    kept = order[new]
    best = np.lexsort((entities[kept], -joined["weights"][kept], groups[kept]))
    alias_text, alias_lengths = taken(text, starts, heads)
    begun = np.empty(int((sizes[heads] - 1).sum()), np.uint64)
    call(mentions.beginnings, alias_text, offsets_of(alias_lengths), begun)
    with writing_bytes(out) as stream:
        np.savez(
            stream,
            alias_text=alias_text,
            alias_lengths=alias_lengths,
            prints=prints[heads],
            beginnings=np.unique(begun),
            longest=np.array(sizes[heads].max(initial=0), np.int64),
            candidate_counts=np.bincount(groups[kept], minlength=used),
            candidate_entity=entities[kept][best].astype(np.uint32),
            candidate_weight=joined["weights"][kept][best],
            candidate_flags=flags[best],
        )
    return {"aliases": used, "candidates": len(kept)}


class Arrays(ExitStack):
    """The array files of a knowledge base, open for writing, and the number of elements in each."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.lengths = dict.fromkeys(ARRAYS, 0)
        self._streams = {name: self.enter_context((folder / f"{name}.bin").open("wb")) for name in ARRAYS}
        self._ends = dict.fromkeys(ARRAYS, 0)

    def add(self, name: str, array: NDArray[Any]) -> None:
        self._streams[name].write(np.ascontiguousarray(array, ARRAYS[name]).data)
        self.lengths[name] += len(array)

    def add_starts(self, name: str, lengths: NDArray[np.int64]) -> None:
        """Append the offsets of pieces of these lengths, continuing after the pieces added before."""
        if not self.lengths[name]:
            self.add(name, np.zeros(1, np.int64))
        self.add(name, self._ends[name] + np.cumsum(lengths))
        self._ends[name] += int(lengths.sum())


def write_entities(arrays: Arrays, files: Sequence[Path]) -> dict[str, int]:
    """Write the arrays of entities. Returns the number of entities per category."""
    used: dict[str, int] = {}
    for path in files:
        with np.load(path, allow_pickle=False) as piece:
            names, codes = [str(name) for name in piece["category_names"]], piece["category"]
            for category, count in zip(names, np.bincount(codes, minlength=len(names)).tolist(), strict=True):
                used[category] = used.get(category, 0) + count
            if len(used) > 255:
                raise DataError(f"There are more than 255 categories ({', '.join(list(used)[:5])} …). Use fewer.")
            order = list(used)
            arrays.add("category", np.array([order.index(category) for category in names], np.uint8)[codes])
            arrays.add_starts("bucket_start", np.array([len(codes)], np.int64))
            arrays.add("entity_text", piece["id_text"])
            for name in ("prior", "languages", "label_language", "label_text"):
                arrays.add(name, piece[name])
            arrays.add_starts("entity_start", piece["id_lengths"])
            arrays.add_starts("label_start", piece["label_counts"])
            arrays.add_starts("label_text_start", piece["label_lengths"])
    return used


def write_names(arrays: Arrays, files: Sequence[Path], settings: Settings) -> dict[str, dict[str, int]]:
    """Write the arrays of names. Returns for each language the places of its names and slots in the arrays."""
    tables = {}
    for number, language in enumerate(settings.languages):
        first_alias, first_slot = max(0, arrays.lengths["alias_start"] - 1), arrays.lengths["slots"]
        prints, begun, longest = [], [], 0
        for path in files[number * settings.parts : (number + 1) * settings.parts]:
            with np.load(path, allow_pickle=False) as piece:
                prints.append(piece["prints"])
                begun.append(piece["beginnings"])
                longest = max(longest, int(piece["longest"]))
                for column in ("alias_text", "candidate_entity", "candidate_weight", "candidate_flags"):
                    arrays.add(column, piece[column])
                arrays.add_starts("alias_start", piece["alias_lengths"])
                arrays.add_starts("candidate_start", piece["candidate_counts"])
        names, beginnings = np.concatenate(prints), np.unique(np.concatenate(begun))
        # At most two thirds full, so that a failed search ends after a few slots, mostly within one cache line.
        slots = np.zeros(1 << (3 * (len(names) + len(beginnings)) // 2 + 1).bit_length(), np.uint64)
        call(mentions.fill, slots, names, beginnings)
        arrays.add("slots", slots)
        tables[language] = {
            "first_alias": first_alias, "aliases": len(names), "first_slot": first_slot, "slots": len(slots),
            "longest": longest,
        }  # fmt: skip
    return tables
