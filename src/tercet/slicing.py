"""Slices of a test set: groups of segments by length, document or label, and by what their texts contain."""

import re
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from .data.lines import read_lines
from .data.testset import TestSet
from .errors import DataError, UnknownName, UsageError
from .text.scripts import dominant

UNSPACED = ("Han", "Hiragana", "Katakana", "Thai", "Lao", "Khmer", "Myanmar")  # lengths are in characters, not words
_LETTER_OF_WORD = re.compile(r"[^\W_]")
_UNSPACED_LETTER = re.compile("[\u0e00-\u109f\u1780-\u17ff\u2e80-\ua4cf\uf900-\ufaff\uff66-\uff9f]")

Groups = tuple[list[str], NDArray[np.int64]]


def segment_groups(by: str, testset: TestSet | None, documents: Sequence[str] | None) -> Groups:
    """Return the names of the slices, and the index of each segment's slice.

    by: "length", "document", a label of the test set, or a kind of content (`CONTENTS`): "numbers", "duplicates",
    "terms:FILE", "entities" or "entities:PARSER". Content gives two slices, "with …" and "without …".
    """
    labels = testset.labels if testset is not None else {}
    kind, _, argument = by.partition(":")
    if by in labels:
        values = labels[by]
    elif by == "length" and testset is not None:
        return _length_groups(testset)
    elif by == "document" and documents is not None:
        values = documents
    elif by == "document":
        raise UsageError(
            "Slices by document need document ids, but this test set has none. Give them as its documents (`docs`)."
        )
    elif kind in CONTENTS and testset is not None:
        if argument and kind in ("numbers", "duplicates"):
            raise UsageError(f"{by!r}: write {kind!r} alone.")
        found = CONTENTS[kind](testset, argument)
        values = [f"with {kind}" if each else f"without {kind}" for each in found]
        names = [name for name in (f"with {kind}", f"without {kind}") if name in values]
        return names, np.array([names.index(value) for value in values])
    else:
        known = [*labels, *(["document"] if documents else [])]
        known += ["length", *CONTENTS] if testset is not None else []
        raise UnknownName("slice", by, known)
    numbers = {name: i for i, name in enumerate(dict.fromkeys(values))}
    return list(numbers), np.array([numbers[value] for value in values])


def select_segments(condition: str, testset: TestSet) -> list[int]:
    """Return the numbers of the segments with a content ("numbers", "no-terms:FILE") or label ("domain=news")."""
    by, equals, value = condition.partition("=")
    kind = by.removeprefix("no-").partition(":")[0]
    if not equals and kind in CONTENTS and by not in testset.labels:
        value = f"without {kind}" if by.startswith("no-") else f"with {kind}"
        names, rows = segment_groups(by.removeprefix("no-"), testset, testset.documents)
    elif equals:
        names, rows = segment_groups(by, testset, testset.documents)
        if value not in names:
            raise UnknownName(f"slice by {by}", value, names)
    else:
        kinds = ", ".join(f"{name}:FILE" if name == "terms" else name for name in CONTENTS)
        raise UsageError(f"{condition!r} names no segments. Write one of {kinds}, or SLICE=VALUE as domain=news.")
    if value not in names:
        raise DataError(f"No segment of the test set is {value}.")
    return [int(row) + 1 for row in np.flatnonzero(rows == names.index(value))]


def length_of(texts: Sequence[str]) -> tuple[str, Callable[[str], int]]:
    """Return the unit in which texts of this script are measured, and the function that measures one."""
    if dominant(texts) in UNSPACED:
        return "characters", lambda text: len("".join(text.split()))
    return "words", lambda text: len(text.split())


def first_references(testset: TestSet) -> list[str]:
    """Return the first reference of every segment; the source where there are no references."""
    if testset.references:
        rows = zip(*testset.references.values(), strict=True)
        return [next(text for text in row if text is not None) for row in rows]
    if testset.source is not None:
        return list(testset.source)
    raise UsageError(f"Slices of texts need references or a source, but test set {testset.name!r} has neither.")


def _length_groups(testset: TestSet) -> Groups:
    """Group segments by the length of their first reference, or of the source if there are no references."""
    texts = first_references(testset)
    unit, length = length_of(texts)
    step = 20 if unit == "characters" else 10
    buckets = np.clip((np.array([length(text) for text in texts]) - 1) // step, 0, 6)
    present, rows_of = np.unique(buckets, return_inverse=True)
    names = [f"up to {step} {unit}", *(f"{i * step + 1} to {(i + 1) * step} {unit}" for i in range(1, 6))]
    names.append(f"over {6 * step} {unit}")
    return [names[i] for i in present], rows_of


def _numbers(testset: TestSet, _: str) -> list[bool]:
    """Return whether the source (or the reference, without a source) has a digit."""
    texts = testset.source if testset.source is not None else first_references(testset)
    return [any(map(str.isdecimal, text)) for text in texts]


def _duplicates(testset: TestSet, _: str) -> list[bool]:
    """Return whether the source (or the reference, without a source) has occurred before."""
    seen: set[str] = set()
    found = []
    for text in testset.source if testset.source is not None else first_references(testset):
        plain = " ".join(text.split())
        found.append(plain in seen)
        seen.add(plain)
    return found


def _terms(testset: TestSet, path: str) -> list[bool]:
    """Return whether the source or a reference has a term of the file: one per line, translations after tabs."""
    if not path:
        raise UsageError("Name the file of terms: terms:FILE, one term per line.")
    terms = {term.strip() for line in read_lines(path) for term in line.split("\t")} - {""}
    if not terms:
        raise DataError(f"{path} has no terms.")
    pattern = re.compile("|".join(map(_whole_term, sorted(terms, key=len, reverse=True))), re.IGNORECASE)
    texts = [*testset.references.values(), *([testset.source] if testset.source is not None else [])]
    return [any(pattern.search(text) for text in row if text) for row in zip(*texts, strict=True)]


def _whole_term(term: str) -> str:
    """Return a pattern for a term that is not part of a longer word; scripts without spaces have no such limits."""
    ends = [
        bool(_LETTER_OF_WORD.match(letter)) and not _UNSPACED_LETTER.match(letter) for letter in (term[0], term[-1])
    ]
    return (r"(?<!\w)" if ends[0] else "") + re.escape(term) + (r"(?!\w)" if ends[1] else "")


def _entities(testset: TestSet, parser: str) -> list[bool]:
    """Return whether the parser finds a named entity in the first reference (the source, without references)."""
    from .language.parsing import parse

    if testset.pair is None:
        raise UsageError("Entities are found by a parser, which needs the language: set `pair`, as en-de.")
    language = testset.pair.split("-")[-1 if testset.references else 0]
    sentences = parse(first_references(testset), language, backend=parser or None)
    return [any(token.entity not in ("", "O") for token in sentence.tokens) for sentence in sentences]


# What a segment may contain. Each function takes the test set and what stands after the colon.
CONTENTS: dict[str, Callable[[TestSet, str], list[bool]]] = {
    "numbers": _numbers,
    "duplicates": _duplicates,
    "terms": _terms,
    "entities": _entities,
}
