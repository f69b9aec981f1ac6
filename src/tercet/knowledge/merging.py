"""The two steps that turn rows of names into the arrays of a knowledge base, one bucket at a time.

`merge_entities` merges the rows of all sources on an entity and decides whether it is kept. `merge_names` merges equal
names of a language. Both read files of sections, write a file of arrays, and run in any process. Memory is bounded by
the largest bucket.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data.files import writing_bytes
from ..kernels import mentions
from ..text.coding import offsets_of
from .normalise import alias_key, lemma_key
from .sources.categories import LEFT_OUT, Classes
from .spill import Row, Settings, collector_paused, is_text, read_bucket, read_section, write_sections
from .store import CAPITALISED, LOWERCASE, OWN_FORM

Bytes = NDArray[np.uint8]
Longs = NDArray[np.int64]
_COLUMNS: dict[str, Any] = {"lengths": np.int64, "entities": np.uint32, "weights": np.float32, "flags": np.uint8}


@dataclass
class _Names:
    """Names of one language: keys, numbers of their entities within the bucket, weights, flags."""

    keys: list[str] = field(default_factory=list)
    entities: list[int] = field(default_factory=list)
    weights: list[float] = field(default_factory=list)
    flags: list[int] = field(default_factory=list)


@dataclass
class _Entities:
    """The entities of one bucket, as columns; labels by language number."""

    ids: list[str] = field(default_factory=list)
    categories: list[str] = field(default_factory=list)
    priors: list[float] = field(default_factory=list)
    languages: list[int] = field(default_factory=list)
    labels: list[dict[int, str]] = field(default_factory=list)


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
    sections = [section for columns in names for section in _sections(columns, settings.parts)]
    write_sections(out.with_suffix(".names"), sections)
    return dict(counts)


def _joined(
    chunks: Sequence[Path], bucket: int, settings: Settings, known: Classes | None
) -> tuple[_Entities, list[_Names], Counter[str]]:
    rows: dict[str, list[Row]] = {}
    for path in chunks:
        for row in read_bucket(path, bucket):
            rows.setdefault(row[0], []).append(row)
    entities = _Entities()
    names = [_Names() for _ in settings.languages]
    counts: Counter[str] = Counter()
    for entity_id in sorted(rows):
        category = _category(rows[entity_id], known)
        if category == LEFT_OUT:
            counts["wikimedia_pages"] += 1
        elif _add(entity_id, category, rows[entity_id], settings, entities, names, counts):
            counts["entities"] += 1
        else:
            counts["in_too_few_languages"] += 1
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


def _add(
    entity_id: str,
    category: str,
    rows: list[Row],
    settings: Settings,
    entities: _Entities,
    names: list[_Names],
    counts: Counter[str],
) -> bool:
    """Add an entity with its names if enough languages have one. Returns whether it was added."""
    given = [name for row in rows for name in row[2]]
    if len({language for language, _, _ in given}) < settings.min_languages:
        return False
    entered: list[tuple[int, str, float, int]] = []
    labels: dict[int, tuple[float, str]] = {}
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
    if len(labels) < settings.min_languages:
        return False
    number = len(entities.ids)
    for language, joined, weight, flags in entered:
        columns = names[language]
        columns.keys.append(joined)
        columns.entities.append(number)
        columns.weights.append(weight)
        columns.flags.append(flags)
    entities.ids.append(entity_id)
    entities.categories.append(category)
    entities.priors.append(max(weight for weight, _ in labels.values()))
    entities.languages.append(sum(1 << language for language in labels))
    entities.labels.append({language: labels[language][1] for language in sorted(labels)})
    return True


def _blob(texts: Sequence[str]) -> tuple[Bytes, Longs]:
    """Return texts as concatenated bytes, and the length of each."""
    encoded = [text.encode() for text in texts]
    return np.frombuffer(b"".join(encoded), np.uint8), np.fromiter(map(len, encoded), np.int64, len(encoded))


def _write_entities(path: Path, entities: _Entities) -> None:
    categories = sorted(set(entities.categories))
    codes = {name: code for code, name in enumerate(categories)}
    id_text, id_lengths = _blob(entities.ids)
    labels = [(language, name) for labels in entities.labels for language, name in labels.items()]
    label_text, label_lengths = _blob([name for _, name in labels])
    with writing_bytes(path) as stream:
        np.savez(
            stream,
            id_text=id_text,
            id_lengths=id_lengths,
            category_names=np.array(categories, np.str_),
            category=np.array([codes[name] for name in entities.categories], np.int64),
            prior=np.array(entities.priors, np.float32),
            languages=np.array(entities.languages, np.uint64),
            label_counts=np.array([len(labels) for labels in entities.labels], np.int64),
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
    mentions.fingerprints(text.data, starts.data, prints.data, sizes.data)
    return prints, sizes


def _sections(names: _Names, parts: int) -> list[bytes]:
    """Return a language's names in parts by fingerprint. A part is its columns and then the text of its keys."""
    text, lengths = _blob(names.keys)
    starts = offsets_of(lengths)
    prints, _ = fingerprints(text, starts)
    # By the upper bits, so that consecutive parts are in the order of fingerprints.
    part_of = (prints >> np.uint64(40)).astype(np.int64) * parts >> 24
    columns: dict[str, NDArray[Any]] = {
        "entities": np.array(names.entities, np.uint32),
        "weights": np.array(names.weights, np.float32),
        "flags": np.array(names.flags, np.uint8),
    }
    sections = []
    for part in range(parts):
        rows = np.flatnonzero(part_of == part)
        piece, piece_lengths = taken(text, starts, rows)
        arrays = {"lengths": piece_lengths, **{name: array[rows] for name, array in columns.items()}}
        head = np.array([len(rows)], np.int64).tobytes()
        sections.append(b"".join([head, *(arrays[name].tobytes() for name in _COLUMNS), piece.tobytes()]))
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
    used = mentions.group(text.data, starts.data, prints.data, order.data, groups.data, heads.data)
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
    mentions.beginnings(alias_text.data, offsets_of(alias_lengths).data, begun.data)
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
