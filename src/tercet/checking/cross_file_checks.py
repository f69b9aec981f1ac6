"""Checks that compare files: unequal numbers of lines, drift, texts in another order, copies, repetitions."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ..text import drift
from ..text.anomalies import ERROR, WARNING
from .line_matching import LineMatch, align
from .report import Finding, Text, finding

MANY_COPIES = 0.1  # share of copied lines that makes copies an error
MOSTLY = 0.5
Lines = list[set[str]]  # the words of every line
FEWEST_REPEATED = 3  # fewer equal lines may be a coincidence


def compare(texts: Sequence[Text]) -> Iterator[Finding]:
    """Yield the findings from comparing files."""
    base = next(
        (text for role in ("reference", "text", "source", "output") for text in texts if text.role == role), None
    )
    if base is None:
        return
    repeating = [found for text in texts for found in _mostly_one_line(text, texts)]
    yield from repeating
    parallel = [text for text in texts if len(text.lines) == len(base.lines)]
    broken = {found.file for found in repeating}  # already reported; they cannot be compared with others
    others = [text for text in texts if text is not base and not (text in parallel and text.name in broken)]
    yield from _drifts(base, others)
    yield from _blank_lines(parallel)
    yield from _identical_files(texts)
    source = next((text for text in parallel if text.role == "source"), None)
    for text in parallel:
        if text.role == "output":
            yield from _copies(text, source, [other for other in parallel if other.role == "reference"])
            yield from _repeated(text, source or (base if base is not text else None))


@dataclass(frozen=True)
class _Relation:
    """The comparison of a text with the base."""

    base: Text
    text: Text
    breaks: Sequence[drift.Break]
    alignment: LineMatch

    @property
    def strange(self) -> bool:
        """Return whether the two seem unrelated. Texts in two languages may share too little to decide."""
        found = self.alignment
        in_one_language = {self.base.role, self.text.role} <= {"reference", "output"}
        return found.parallel is False or (found.parallel is None and not found.own and in_one_language)


def _relate(base: Text, text: Text, known: Lines) -> _Relation:
    """Compare a text with the base. known: the words of the base's lines."""
    words = _words(text)
    breaks = drift.find_breaks(base.lines, text.lines, [known, words])
    return _Relation(base, text, breaks, align(known, words, breaks))


def _words(text: Text) -> Lines:
    return [drift.words_of(line) for line in text.lines[: drift.MOST_LINES + drift.WIDEST]]


def _drifts(base: Text, others: Sequence[Text]) -> Iterator[Finding]:
    """Report unequal numbers of lines, the places where texts leave the base, and texts unrelated to the base."""
    known = _words(base)
    relations = [_relate(base, text, known) for text in others]
    if len(others) > 1 and all(relation.alignment.parallel is False for relation in relations):
        first, *rest = others
        words = _words(first)
        if all(_relate(first, text, words).alignment.parallel for text in rest):
            yield _not_parallel(base, align(words, known), first, "the other files")
            return
    following = [relation for relation in relations if relation.alignment.parallel is not False]
    first_breaks = {
        (relation.breaks[0].base_line, relation.breaks[0].change) if relation.breaks else None for relation in following
    }
    # If all others leave the base at the same line, the base itself lost or gained lines.
    if len(following) > 1 and len(first_breaks) == 1 and None not in first_breaks:
        yield _base_drifts(base, following)
    else:
        for relation in following:
            yield from _drift(relation)
    for relation in relations:
        if relation.alignment.parallel is False:
            yield _not_parallel(relation.text, relation.alignment, base)


def _base_drifts(base: Text, others: Sequence[_Relation]) -> Finding:
    first = others[0].text
    place = others[0].breaks[0]
    message = f"From line {place.base_line} on, all other files are {_ahead(place.offset)} this one."
    advice = _advice(-place.change, place.base_line, base.name, first.name, place.line)
    kind = "drift"
    if any(len(relation.text.lines) != len(base.lines) for relation in others):
        kind = "unequal-lines"
        message = f"{_lines(base)}, but {first.name} has {len(first.lines)}. {message}"
    return finding(kind, ERROR, base.name, [place.base_line], message, advice, abs(place.change))


def _lines(text: Text) -> str:
    return "1 line" if len(text.lines) == 1 else f"{len(text.lines)} lines"


def _not_parallel(text: Text, found: LineMatch, base: Text, others: str = "") -> Finding:
    """Report a text in another order than the base (or than all `others`, which agree), or of another test set."""
    message = "" if len(text.lines) == len(base.lines) else f"{_lines(text)}, but {base.name} has {len(base.lines)}. "
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
        advice = "Look whether the files are of the same test set."
    return finding("not-parallel", ERROR, text.name, [], message, advice, len(text.lines))


def _drift(relation: _Relation) -> Iterator[Finding]:
    base, text, breaks = relation.base, relation.text, relation.breaks
    surplus = len(text.lines) - len(base.lines)
    if not surplus and (not breaks or relation.strange):
        return
    message = f"{_lines(text)}, but {base.name} has {len(base.lines)}." if surplus else ""
    shorter = min(len(text.lines), len(base.lines))
    lines = [shorter + 1]
    if relation.strange:
        message += f" The text and {base.name} do not seem to belong together."
        advice = "Look whether the files are of the same test set."
    elif breaks:
        place = breaks[0]
        message += f" From line {place.line} on, the text is {_ahead(place.offset)} {base.name}."
        advice = _advice(place.change, place.line, text.name, base.name, place.base_line)
        if len(breaks) > 1:
            message += f" There are {len(breaks)} such places."
        lines = [place.line for place in breaks]
    else:
        if relation.alignment.parallel:
            message += f" The texts go together up to line {shorter}, where the shorter one ends."
        advice = "Complete the shorter file or cut the longer one, if its last lines are no segments."
    kind = "unequal-lines" if surplus else "drift"
    yield finding(kind, ERROR, text.name, lines, message.strip(), advice, abs(surplus) or len(breaks))


def _ahead(offset: int) -> str:
    if not offset:
        return "level again with"
    lines = "1 line" if abs(offset) == 1 else f"{abs(offset)} lines"
    return f"{lines} {'behind' if offset > 0 else 'ahead of'}"


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
        only_here = (np.flatnonzero(row & ~everywhere) + 1).tolist()
        if only_here:
            message = f"Blank lines in {text.a_role} where other files have text."
            advice = "Look whether these segments were lost; a blank line is scored as an empty translation."
            yield finding("blank-lines", ERROR, text.name, only_here, message, advice)
    if everywhere.any():
        lines = (np.flatnonzero(everywhere) + 1).tolist()
        where = "all files" if len(texts) > 1 else "the file"
        advice = "Remove them from every file: they are no segments, and they count in averages."
        yield finding("blank-in-all", WARNING, texts[0].name, lines, f"Lines that are blank in {where}.", advice)


def _identical_files(texts: Sequence[Text]) -> Iterator[Finding]:
    seen: dict[tuple[str, ...], Text] = {}
    for text in texts:
        key = tuple(text.lines)
        if key not in seen:
            seen[key] = text
            continue
        first = seen[key]
        if {first.role, text.role} == {"reference", "output"}:
            message = f"The output is identical to the reference {first.name}, line by line."
            advice = "Give the system's own output: a reference was probably given in its place."
            yield finding("output-is-reference", ERROR, text.name, [], message, advice, len(key))
        else:
            message = f"The text is identical to {first.name}."
            yield finding(
                "identical-files", ERROR, text.name, [], message, "Look whether one was given twice.", len(key)
            )


def _substantial(line: str) -> bool:
    """Return whether a line is more than a name or a number, which may be the same in two languages or repeat."""
    return len(line.split()) > 3 or len(line) > 30


def _same(line: str, other: str) -> bool:
    return bool(line.strip()) and line.strip().casefold() == other.strip().casefold()


def _copies(text: Text, source: Text | None, references: Sequence[Text]) -> Iterator[Finding]:
    """Report segments that were left untranslated, and outputs that are suspiciously close to a reference."""
    if source is not None:
        copied = [
            number
            for number, (line, original, *others) in enumerate(
                zip(text.lines, source.lines, *(reference.lines for reference in references), strict=True), 1
            )
            if _same(line, original) and _substantial(line) and not any(_same(original, other) for other in others)
        ]
        if copied:
            share = len(copied) / len(text.lines)
            message = f"Copies of the source: {len(copied)} of {len(text.lines)} lines ({share:.1%})."
            advice = "Look whether these segments were translated at all; some metrics reward copies."
            severity = ERROR if share >= MANY_COPIES else WARNING
            yield finding("source-copied", severity, text.name, copied, message, advice)
    for reference in references:
        pairs = enumerate(zip(text.lines, reference.lines, strict=True), 1)
        equal = [number for number, (line, other) in pairs if _same(line, other) and _substantial(line)]
        if len(text.lines) >= 10 and MOSTLY * len(text.lines) < len(equal) and text.lines != reference.lines:
            message = (
                f"{len(equal) / len(text.lines):.1%} of the lines are identical to the reference {reference.name}."
            )
            advice = "Look whether the file is an edited reference, or whether the system saw the test set."
            yield finding("close-to-reference", WARNING, text.name, equal, message, advice)


def _repeated(text: Text, source: Text | None) -> Iterator[Finding]:
    """Report identical outputs for different sources."""
    places: dict[str, list[int]] = defaultdict(list)
    for number, line in enumerate(text.lines, 1):
        if _substantial(line):
            places[line.strip()].append(number)
    lines = []
    for numbers in places.values():
        originals = {number if source is None else source.lines[number - 1].strip() for number in numbers}
        if len(originals) > 1:
            lines += numbers
    if lines:
        message = "The same line is the output of different segments."
        advice = "Look whether lines were written twice, or whether the system repeats itself."
        yield finding("repeated-lines", WARNING, text.name, sorted(lines), message, advice)


def _mostly_one_line(text: Text, texts: Sequence[Text]) -> Iterator[Finding]:
    """Report one line for most segments, as from a system that failed, if the other texts have different lines."""
    counts = Counter(stripped for line in text.lines if (stripped := line.strip()))
    if not counts:
        return
    line, count = counts.most_common(1)[0]
    if count < FEWEST_REPEATED or count <= MOSTLY * len(text.lines):
        return
    rows = [row for row, here in enumerate(text.lines) if here.strip() == line]
    parallel = [other for other in texts if other is not text and len(other.lines) == len(text.lines)]
    if any(len({other.lines[row].strip() for row in rows}) == 1 for other in parallel):
        return
    shown = line if len(line) <= 40 else f"{line[:40]}…"
    message = f"{count} of {len(text.lines)} segments ({count / len(text.lines):.1%}) are one line: {shown!r}."
    advice = "Look at the program that wrote the file: this is hardly a translation."
    yield finding("repeated-lines", ERROR, text.name, [row + 1 for row in rows], message, advice)
