"""Checks that compare files: unequal numbers of lines, drift, texts in another order, copies, repetitions."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from ..text import drift
from ..text.anomalies import ERROR, WARNING
from .line_matching import LineMatch, align
from .report import Finding, Text

MANY_COPIES = 0.1  # share of copied lines that makes copies an error
MOSTLY = 0.5
Lines = list[set[str]]  # the words of every line
FEWEST_REPEATED = 3  # fewer equal lines may be a coincidence
WRONG_FILES = "Look whether the files are of the same test set."


def compare(texts: Sequence[Text]) -> Iterator[Finding]:
    """Yield the findings from comparing files."""
    roles = ("reference", "text", "source", "output")
    base = next((text for role in roles for text in texts if text.role == role), None)
    if base is None:
        return
    repeating = [found for text in texts for found in _mostly_one_line(text, texts)]
    yield from repeating
    parallel = [text for text in texts if len(text.lines) == len(base.lines)]
    broken = {found.file for found in repeating}  # already reported; they cannot be compared with others
    yield from _drifts(
        base, [text for text in texts if text is not base and not (text in parallel and text.name in broken)]
    )
    yield from _blank_lines(parallel)
    yield from _identical_files(texts)
    source = next((text for text in parallel if text.role == "source"), None)
    for text in parallel:
        if text.role == "output":
            yield from _copies(text, source, [other for other in parallel if other.role == "reference"])
            yield from _repeated(text, source or (base if base is not text else None))


class _Relation(NamedTuple):
    """The comparison of a text with the base."""

    text: Text
    breaks: Sequence[drift.Break]
    match: LineMatch


def _relate(base: Text, text: Text, known: Lines) -> _Relation:
    """Compare a text with the base. known: the words of the base's lines."""
    words = _words(text)
    breaks = drift.find_breaks(base.lines, text.lines, [known, words])
    return _Relation(text, breaks, align(known, words, breaks))


def _words(text: Text) -> Lines:
    return [drift.words_of(line) for line in text.lines[: drift.MOST_LINES + drift.WIDEST]]


def _drifts(base: Text, others: Sequence[Text]) -> Iterator[Finding]:
    """Report unequal numbers of lines, the places where texts leave the base, and texts unrelated to the base."""
    known = _words(base)
    relations = [_relate(base, text, known) for text in others]
    following = [relation for relation in relations if relation.match.parallel is not False]
    if len(others) > 1 and not following:
        first, *rest = others
        words = _words(first)
        if all(_relate(first, text, words).match.parallel for text in rest):
            yield _not_parallel(base, align(words, known), first, "the other files")
            return
    first_breaks = {(each.breaks[0].base_line, each.breaks[0].change) if each.breaks else None for each in following}
    # If all others leave the base at the same line, the base itself lost or gained lines.
    if len(following) > 1 and len(first_breaks) == 1 and None not in first_breaks:
        first, place = following[0].text, following[0].breaks[0]
        message = f"From line {place.base_line} on, all other files are {_ahead(place.offset)} this one."
        advice = _advice(-place.change, place.base_line, base.name, first.name, place.line)
        is_unequal = any(len(each.text.lines) != len(base.lines) for each in following)
        if is_unequal:
            message = f"{_lines(len(base.lines))}, but {first.name} has {len(first.lines)}. {message}"
        kind = "unequal-lines" if is_unequal else "drift"
        yield base.finding(kind, ERROR, [place.base_line], message, advice, abs(place.change))
    else:
        for relation in following:
            yield from _drift(base, relation)
    for relation in relations:
        if relation.match.parallel is False:
            yield _not_parallel(relation.text, relation.match, base)


def _lines(count: int) -> str:
    return f"{count} line{'s' * (count != 1)}"


def _not_parallel(text: Text, found: LineMatch, base: Text, others: str = "") -> Finding:
    """Report a text in another order than the base (or than all `others`, which agree), or of another test set."""
    same = len(text.lines) == len(base.lines)
    message = "" if same else f"{_lines(len(text.lines))}, but {base.name} has {len(base.lines)}. "
    if len({place for _, place in found.displaced}) > MOSTLY * found.other:
        there, here = (", ".join(map(str, numbers)) for numbers in zip(*found.displaced[:3], strict=True))
        message += (
            f"The lines are not in the order of {others or base.name}: "
            f"lines {there} of {base.name} are like lines {here} of this file."
        )
        advice = "Look whether one of the files was sorted or shuffled, and put its lines back in order."
    else:
        message += (
            f"Line by line, the text has no more in common with {others or base.name} than random lines: "
            "they do not seem to belong together."
        )
        advice = WRONG_FILES
    return text.finding("not-parallel", ERROR, [], message, advice, len(text.lines))


def _drift(base: Text, relation: _Relation) -> Iterator[Finding]:
    text, breaks, match = relation
    surplus, shorter = len(text.lines) - len(base.lines), min(len(text.lines), len(base.lines))
    # Whether the two seem unrelated. Texts in two languages may share too little to decide.
    in_one_language = {base.role, text.role} <= {"reference", "output"}
    strange = match.parallel is False or (match.parallel is None and not match.own and in_one_language)
    if not surplus and (not breaks or strange):
        return
    message = f"{_lines(len(text.lines))}, but {base.name} has {len(base.lines)}." if surplus else ""
    lines = [shorter + 1]
    if strange:
        message += f" The text and {base.name} do not seem to belong together."
        advice = WRONG_FILES
    elif breaks:
        place, lines = breaks[0], [each.line for each in breaks]
        message += f" From line {place.line} on, the text is {_ahead(place.offset)} {base.name}."
        message += f" There are {len(breaks)} such places." if len(breaks) > 1 else ""
        advice = _advice(place.change, place.line, text.name, base.name, place.base_line)
    else:
        if match.parallel:
            message += f" The texts go together up to line {shorter}, where the shorter one ends."
        advice = "Complete the shorter file or cut the longer one, if its last lines are no segments."
    kind = "unequal-lines" if surplus else "drift"
    yield text.finding(kind, ERROR, lines, message.strip(), advice, abs(surplus) or len(breaks))


def _ahead(offset: int) -> str:
    return f"{_lines(abs(offset))} {'behind' if offset > 0 else 'ahead of'}" if offset else "level again with"


def _advice(change: int, line: int, name: str, other: str, other_line: int) -> str:
    many = "a line" if abs(change) == 1 else f"{abs(change)} lines"
    if change > 0:
        return f"Look for {many} too many in {name} near line {line}: added, or one segment broken in two."
    return f"Look for {many} lost from {name} near line {line}: compare with line {other_line} of {other}."


def _blank_lines(texts: Sequence[Text]) -> Iterator[Finding]:
    """Report segments that are blank in one file and not in others, and segments that are blank in all files."""
    if not texts or not texts[0].lines:
        return
    blank = np.array(
        [[not line.strip() and row not in text.missing for row, line in enumerate(text.lines)] for text in texts]
    )
    everywhere = blank.all(0)
    for text, row in zip(texts, blank, strict=True):
        if only_here := (np.flatnonzero(row & ~everywhere) + 1).tolist():
            message = f"Blank lines in {text.a_role} where other files have text."
            advice = "Look whether these segments were lost; a blank line is scored as an empty translation."
            yield text.finding("blank-lines", ERROR, only_here, message, advice)
    if lines := (np.flatnonzero(everywhere) + 1).tolist():
        message = f"Lines that are blank in {'all files' if len(texts) > 1 else 'the file'}."
        advice = "Remove them from every file: they are no segments, and they count in averages."
        yield texts[0].finding("blank-in-all", WARNING, lines, message, advice)


def _identical_files(texts: Sequence[Text]) -> Iterator[Finding]:
    seen: dict[tuple[str, ...], Text] = {}
    for text in texts:
        first = seen.setdefault(tuple(text.lines), text)
        kind, advice = "identical-files", "Look whether one was given twice."
        message = f"The text is identical to {first.name}."
        if {first.role, text.role} == {"reference", "output"}:
            kind, message = (
                "output-is-reference",
                f"The output is identical to the reference {first.name}, line by line.",
            )
            advice = "Give the system's own output: a reference was probably given in its place."
        if first is not text:
            yield text.finding(kind, ERROR, [], message, advice, len(text.lines))


def _substantial(line: str) -> bool:
    """Return whether a line is more than a name or a number, which may be the same in two languages or repeat."""
    return len(line.split()) > 3 or len(line) > 30


def _same(line: str, other: str) -> bool:
    return bool(line.strip()) and line.strip().casefold() == other.strip().casefold()


def _copies(text: Text, source: Text | None, references: Sequence[Text]) -> Iterator[Finding]:
    """Report segments that were left untranslated, and outputs that are suspiciously close to a reference."""
    if source is not None:
        rows = zip(text.lines, source.lines, *(reference.lines for reference in references), strict=True)
        copied = [
            number
            for number, (line, original, *others) in enumerate(rows, 1)
            if _same(line, original) and _substantial(line) and not any(_same(original, other) for other in others)
        ]
        if copied:
            share = len(copied) / len(text.lines)
            message = f"Copies of the source: {len(copied)} of {len(text.lines)} lines ({share:.1%})."
            advice = "Look whether these segments were translated at all; some metrics reward copies."
            severity = ERROR if share >= MANY_COPIES else WARNING
            yield text.finding("source-copied", severity, copied, message, advice)
    for reference in references:
        pairs = enumerate(zip(text.lines, reference.lines, strict=True), 1)
        equal = [number for number, (line, other) in pairs if _same(line, other) and _substantial(line)]
        share = len(equal) / max(len(text.lines), 1)
        if len(text.lines) >= 10 and share > MOSTLY and text.lines != reference.lines:
            message = f"{share:.1%} of the lines are identical to the reference {reference.name}."
            advice = "Look whether the file is an edited reference, or whether the system saw the test set."
            yield text.finding("close-to-reference", WARNING, equal, message, advice)


def _repeated(text: Text, source: Text | None) -> Iterator[Finding]:
    places: dict[str, list[int]] = defaultdict(list)
    for number, line in enumerate(text.lines, 1):
        if _substantial(line):
            places[line.strip()].append(number)
    lines = []
    for numbers in places.values():
        originals = {number if source is None else source.lines[number - 1].strip() for number in numbers}
        lines += numbers if len(originals) > 1 else []
    if lines:
        message = "The same line is the output of different segments."
        advice = "Look whether lines were written twice, or whether the system repeats itself."
        yield text.finding("repeated-lines", WARNING, sorted(lines), message, advice)


def _mostly_one_line(text: Text, texts: Sequence[Text]) -> Iterator[Finding]:
    """Report one line for most segments, as from a system that failed, if the other texts have different lines."""
    counts = Counter(stripped for line in text.lines if (stripped := line.strip()))
    line, count = counts.most_common(1)[0] if counts else ("", 0)
    if count < FEWEST_REPEATED or count <= MOSTLY * len(text.lines):
        return
    rows = [row for row, here in enumerate(text.lines) if here.strip() == line]
    parallel = [other for other in texts if other is not text and len(other.lines) == len(text.lines)]
    if any(len({other.lines[row].strip() for row in rows}) == 1 for other in parallel):
        return
    shown = line if len(line) <= 40 else f"{line[:40]}…"
    message = f"{count} of {len(text.lines)} segments ({count / len(text.lines):.1%}) are one line: {shown!r}."
    advice = "Look at the program that wrote the file: this is hardly a translation."
    yield text.finding("repeated-lines", ERROR, [row + 1 for row in rows], message, advice)
