"""Paraphrase tables given by the user: pairs of phrases of the same meaning, also with gaps.

Supported formats are METEOR's tables (three lines per entry: probability, phrase, paraphrase), the Paraphrase Database
(Ganitkevitch, Van Durme and Callison-Burch, 2013, "PPDB: The Paraphrase Database", NAACL: fields separated by |||), and
plain pairs (phrase, tab, paraphrase), gzipped or not. Probabilities and features are not used, as in METEOR 1.5.

A gap is written "..." or "…" in pairs and as a nonterminal ([NP,1]) in PPDB: protect ... from, protect ... against.
METEOR's tables have none; `with_gaps` derives some: where two phrases of a table have the same words inside, as in
protect them from, protect them against, what is around these words is a paraphrase with a gap. It counts if the table
has it with two different insides, and if both sides have a word that is not among the most frequent of the table. This
stands in for the syntactic paraphrases of Guo and Hu (2019), "Meteor++ 2.0", which come from PPDB.
"""

import logging
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache, partial
from itertools import chain
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from ..data.catalogue import find_file
from ..data.files import file_checksum, file_state
from ..data.grouping import grouped
from ..data.lines import read_blocks
from ..data.paraphrase_files import paraphrase_format
from ..errors import DataError
from ..kernels import vocabulary
from ..text.coding import call, code_points
from . import table_cache

log = logging.getLogger(__name__)

GAP = " … "
LEAST = 2  # insides
LONGEST = 3  # words before or after a gap; longer ones are rare, and slow to look for
FREQUENT = 100  # words that do not make a paraphrase by themselves
RULES = f"gaps-{LEAST}-{LONGEST}-{FREQUENT}"  # in the name under which derived paraphrases are kept
LARGE = 1 << 20  # bytes; smaller tables are read in no time
_MARK = re.compile(r"(?:^|(?<= ))(?:\.\.\.|…|\[[^\s\[\]]+,\d\])(?: |$)")
ARRAYS = ("keys", "targets", "gapped_keys", "gapped_targets")  # in a table that is kept
Rows = Iterator[tuple[list[str], list[str]]]
Hashes = NDArray[np.uint64]


class ParaphrasePairs:
    """Pairs of phrases as 64-bit hashes. With five million, a phrase collides with a probability below 10^-9."""

    def __init__(self, keys: Hashes, targets: Hashes) -> None:
        self.keys, self.targets = keys, targets

    @classmethod
    def of(cls, blocks: Sequence[Hashes]) -> Self:
        """Return the pairs of blocks, each of shape (2, pairs): hashes of phrases and of their paraphrases."""
        keys, targets = np.concatenate([np.empty((2, 0), dtype=np.uint64), *blocks], axis=1)
        order = np.argsort(keys, kind="stable")  # keeps the table's order of the rows of one phrase
        return cls(keys[order], targets[order])

    def __len__(self) -> int:
        return len(self.keys)

    def between(self, phrases: Sequence[str]) -> dict[str, list[str]]:
        """Return the paraphrases among these distinct phrases, by phrase, in the table's order."""
        if not len(self) or not phrases:
            return {}
        unsorted = _hashes(phrases)
        order = np.argsort(unsorted)
        hashes = unsorted[order]  # sorted look-ups use the processor's cache better
        left = np.searchsorted(self.keys, hashes, "left")
        known = np.flatnonzero(self.keys[np.minimum(left, len(self) - 1)] == hashes)
        left = left[known]
        counts = np.searchsorted(self.keys, hashes[known], "right") - left
        owners = np.repeat(known, counts)
        rows = np.arange(len(owners)) + np.repeat(left - (np.cumsum(counts) - counts), counts)
        targets = self.targets[rows]
        places = np.minimum(np.searchsorted(hashes, targets), len(phrases) - 1)
        hits = np.flatnonzero(hashes[places] == targets)
        pairs = zip(order[owners[hits]].tolist(), order[places[hits]].tolist(), strict=True)
        return grouped((phrases[owner], phrases[place]) for owner, place in pairs)


class Paraphrases:
    """A paraphrase table: `plain` phrases, and `gapped` phrases, written with GAP between their two parts."""

    def __init__(self, plain: ParaphrasePairs, gapped: ParaphrasePairs, longest: int, longest_part: int) -> None:
        self.plain, self.gapped, self.longest, self.longest_part = plain, gapped, longest, longest_part

    @classmethod
    def read(cls, path: str | Path) -> Self:
        blocks: dict[bool, list[Hashes]] = {False: [], True: []}
        longest = {False: 0, True: 0}
        for is_gapped, first, second in _kinds(path):
            blocks[is_gapped].append(np.stack([_hashes(first), _hashes(second)]))
            longest[is_gapped] = max(longest[is_gapped], _longest_part([*first, *second]))
        plain, gapped = (ParaphrasePairs.of(blocks[is_gapped]) for is_gapped in (False, True))
        table = cls(plain, gapped, longest[False], longest[True])
        if not len(table):
            raise DataError(f"{path} contains no paraphrases.")
        log.debug("%s: %d paraphrases, %d of them with a gap", path, len(table), len(table.gapped))
        return table

    def __len__(self) -> int:
        return len(self.plain) + len(self.gapped)


def find_table(given: str, folder: str | Path | None = None) -> Path:
    """Return the path of a table, given as a path or as a data set NAME, or NAME/FILE."""
    return find_file(given, what="paraphrase table", content="paraphrases", folder=folder)


def paraphrases(given: str) -> Paraphrases:
    """Return the table in a file or data set (see `find_table`). It is read again only if the file changes."""
    path = find_table(given)
    return _read(path, file_state(path))


def with_gaps(given: str) -> Paraphrases:
    """Return the table, with gapped phrases derived from the plain ones if it has none of its own."""
    path = find_table(given)
    return _with_gaps(path, file_state(path))


@lru_cache(maxsize=2)
def _with_gaps(path: Path, state: object) -> Paraphrases:
    table = _read(path, state)
    if len(table.gapped):
        return table
    origin = f"{file_checksum(path)}-{RULES}"
    kept = table_cache.load(origin)
    if kept is None:
        log.info("Deriving paraphrases with gaps from %s, which takes a while; they are kept for later runs.", path)
        derived = derive(pair for _, *sides in _kinds(path) for pair in zip(*sides, strict=True))
        gapped = ParaphrasePairs.of([np.stack([_hashes([a for a, _ in derived]), _hashes([b for _, b in derived])])])
        facts = {"longest_part": max(map(_longest_part, derived), default=0)}
        kept = facts, {"keys": gapped.keys, "targets": gapped.targets}
        table_cache.keep(origin, *kept)
    facts, arrays = kept
    return Paraphrases(table.plain, ParaphrasePairs(**arrays), table.longest, facts["longest_part"])


def _longest_part(phrases: Sequence[str]) -> int:
    """Return the most words in a part of phrases, which have one part if they have no gap."""
    return 1 + max(part.count(" ") for phrase in phrases for part in phrase.split(GAP))


@lru_cache(maxsize=2)
def _read(path: Path, state: object) -> Paraphrases:
    """Return a table. A large one is kept for later runs in a form that is mapped into memory (`table_cache`)."""
    if path.stat().st_size < LARGE:
        return Paraphrases.read(path)
    origin = file_checksum(path)
    kept = table_cache.load(origin)
    if kept is not None:
        facts, found = kept
        keys, targets, gapped_keys, gapped_targets = (found[name] for name in ARRAYS)
        return Paraphrases(ParaphrasePairs(keys, targets), ParaphrasePairs(gapped_keys, gapped_targets), **facts)
    table = Paraphrases.read(path)
    arrays = table.plain.keys, table.plain.targets, table.gapped.keys, table.gapped.targets
    facts = {"longest": table.longest, "longest_part": table.longest_part}
    table_cache.keep(origin, facts, dict(zip(ARRAYS, arrays, strict=True)))
    return table


def _hashes(phrases: Sequence[str]) -> Hashes:
    """Return a hash of each phrase that is the same in every process."""
    points, offsets = code_points(phrases)
    hashes = np.empty(len(phrases), dtype=np.uint64)
    call(vocabulary.hash_texts, points, offsets, hashes)
    return hashes


def _kinds(path: str | Path) -> Iterator[tuple[bool, list[str], list[str]]]:
    """Yield blocks of phrases and paraphrases with a flag; those with gaps are in separate blocks."""
    blocks = read_blocks(path)
    try:
        first = next(blocks, [])
        line = next(iter(first), "")
        if (known := paraphrase_format(line)) is None:
            raise DataError(
                f"{path}, line 1: {line[:60]!r} is not the start of a paraphrase table. Supported formats: METEOR "
                "(probability, phrase and paraphrase on three lines), PPDB (fields separated by |||), and pairs "
                "separated by a tab."
            )
        read = _READERS[known]
        for left, right in read(chain([first], blocks), path):
            if read is _triples:  # in METEOR's tables "..." is a word
                yield from ([(False, left, right)] if left else [])
                continue
            pairs: dict[bool, list[tuple[str, str]]] = {False: [], True: []}
            for a, b in zip(left, right, strict=True):
                if not _MARK.search(a) and not _MARK.search(b):
                    pairs[False].append((a, b))
                elif (gapped_a := _with_gap(a)) and (gapped_b := _with_gap(b)):
                    pairs[True].append((gapped_a, gapped_b))
            for is_gapped, some in pairs.items():
                if some:
                    yield is_gapped, [a for a, _ in some], [b for _, b in some]
    finally:
        blocks.close()


def _with_gap(phrase: str) -> str | None:
    """Return the phrase with its gap written as GAP; None unless it has one gap with words on both sides."""
    parts = [part.strip() for part in _MARK.split(phrase)]
    return GAP.join(parts) if len(parts) == 2 and all(parts) else None


def _triples(blocks: Iterator[list[str]], path: str | Path) -> Rows:
    rest: list[str] = []
    done = 0
    for block in blocks:
        lines = rest + block
        whole = len(lines) // 3 * 3
        for number in (0, whole - 3) if whole else ():  # a missing line shifts all later ones in the block
            if paraphrase_format(lines[number]) != "meteor":
                raise DataError(f"{path}, line {done + number + 1}: {lines[number][:60]!r} is not a probability.")
        yield lines[1:whole:3], lines[2:whole:3]
        rest, done = lines[whole:], done + whole
    if any(rest):
        raise DataError(f"{path} ends in the middle of an entry: {len(rest)} of 3 lines after line {done}.")


def _fields(blocks: Iterator[list[str]], path: str | Path, *, divider: str, at: int, name: str) -> Rows:
    """Yield two fields of each line, starting with field `at`."""
    done = 0
    for block in blocks:
        left, right = [], []
        for number, line in enumerate(block, done + 1):
            fields = line.split(divider)
            if len(fields) < at + 2:
                if not line.strip():
                    continue
                raise DataError(f"{path}, line {number}: {line[:60]!r} has no paraphrase. Separate fields by {name}.")
            left.append(" ".join(fields[at].split()))
            right.append(" ".join(fields[at + 1].split()))
        done += len(block)
        yield left, right


_READERS: dict[str, Callable[[Iterator[list[str]], str | Path], Rows]] = {
    "ppdb": partial(_fields, divider=" ||| ", at=1, name="' ||| '"),
    "pairs": partial(_fields, divider="\t", at=0, name="a tab"),
    "meteor": _triples,
}


def derive(pairs: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return the pairs of phrases with a gap that these pairs of phrases show, sorted."""
    words: Counter[str] = Counter()
    found: Counter[tuple[str, str]] = Counter()
    for first, second in pairs:
        left, right = first.split(), second.split()
        words.update(left + right)
        if len(left) > 2 and len(right) > 2 and (pair := _around(left, right)):
            found[pair] += 1
    frequent = {word for word, _ in words.most_common(FREQUENT)} | {GAP.strip()}

    def is_telling(side: str) -> bool:
        return not frequent.issuperset(side.split()) and all(part.count(" ") < LONGEST for part in side.split(GAP))

    return sorted(pair for pair, number in found.items() if number >= LEAST and all(map(is_telling, pair)))


def _around(left: list[str], right: list[str]) -> tuple[str, str] | None:
    """Return what is around the longest run of words inside both phrases; None if there is none, or it is the same."""
    longest, place, other = 0, 0, 0
    for i in range(1, len(left) - 1):
        for j in range(1, len(right) - 1):
            length = 0
            while i + length < len(left) - 1 and j + length < len(right) - 1 and left[i + length] == right[j + length]:
                length += 1
            if length > longest:
                longest, place, other = length, i, j
    first, second = (
        " ".join(words[:begin]) + GAP + " ".join(words[begin + longest :])
        for words, begin in ((left, place), (right, other))
    )
    return (first, second) if longest and first != second else None
