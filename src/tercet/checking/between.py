"""What only several files together show: unequal lines, drift, copies, wrong or swapped languages."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from ..text import drift, scripts
from ..text.anomalies import ERROR, WARNING
from .report import Finding, Text, finding

MANY_COPIES = 0.1  # share of copied lines from which a score is spoilt
MOSTLY = 0.5
_KANA_AND_HAN = {"Hiragana": "Han", "Katakana": "Han"}


def compare(texts: Sequence[Text], languages: Mapping[str, str]) -> Iterator[Finding]:
    """Findings between files; `languages` gives the language of a role, where known."""
    base = next(
        (text for role in ("reference", "text", "source", "output") for text in texts if text.role == role), None
    )
    if base is None:
        return
    others = [text for text in texts if text is not base]
    yield from _drifts(base, others)
    parallel = [text for text in texts if len(text.lines) == len(base.lines)]
    yield from _blank_lines(parallel)
    yield from _identical_files(texts)
    source = next((text for text in parallel if text.role == "source"), None)
    for text in parallel:
        if text.role == "output":
            yield from _copies(text, source, [other for other in parallel if other.role == "reference"])
            yield from _repeated(text, source or (base if base is not text else None))
    yield from _languages(texts, languages)


def _drifts(base: Text, others: Sequence[Text]) -> Iterator[Finding]:
    """Unequal numbers of lines, and where files stop following the first one."""
    breaks = {id(text): drift.find_breaks(base.lines, text.lines) for text in others}
    first = {(found[0].base_line, found[0].change) if found else None for found in breaks.values()}
    # Where all others leave the base at the same line, it is the base that lost or gained lines.
    blamed = len(others) > 1 and len(first) == 1 and None not in first
    if blamed:
        place = breaks[id(others[0])][0]
        message = f"From line {place.base_line} on, all other files are {_ahead(place.offset)} this one."
        advice = _advice(-place.change, place.base_line, base.name, others[0].name, place.line)
        kind = "drift" if all(len(text.lines) == len(base.lines) for text in others) else "unequal-lines"
        if kind == "unequal-lines":
            message = f"{len(base.lines)} lines, where {others[0].name} has {len(others[0].lines)}. {message}"
        yield finding(kind, ERROR, base.name, [place.base_line], message, advice, abs(place.change))
        return
    for text in others:
        yield from _drift(base, text, breaks[id(text)])


def _drift(base: Text, text: Text, breaks: Sequence[drift.Break]) -> Iterator[Finding]:
    surplus = len(text.lines) - len(base.lines)
    if not breaks and not surplus:
        return
    message = f"{len(text.lines)} lines, where {base.name} has {len(base.lines)}." if surplus else ""
    if breaks:
        place = breaks[0]
        message += f" From line {place.line} on, the text is {_ahead(place.offset)} {base.name}."
        advice = _advice(place.change, place.line, text.name, base.name, place.base_line)
        if len(breaks) > 1:
            message += f" There are {len(breaks)} such places."
        lines = [place.line for place in breaks]
    else:
        shorter = min(len(text.lines), len(base.lines))
        lines = [shorter + 1]
        message += f" The texts agree up to line {shorter}, where the shorter one ends."
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
    """Segments that are blank in one file and not in the others, and those that are blank in all."""
    if not texts or not texts[0].lines:
        return
    blank = np.array([[not line.strip() for line in text.lines] for text in texts])
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
            message = f"The file is identical to {first.name}."
            yield finding(
                "identical-files", ERROR, text.name, [], message, "Look whether one was given twice.", len(key)
            )


def _substantial(line: str) -> bool:
    """More than a name or a number, which may well be the same in two languages or twice in a text."""
    return len(line.split()) > 3 or len(line) > 30


def _same(line: str, other: str) -> bool:
    return bool(line.strip()) and line.strip().casefold() == other.strip().casefold()


def _copies(text: Text, source: Text | None, references: Sequence[Text]) -> Iterator[Finding]:
    """Segments left untranslated, and outputs suspiciously close to a reference."""
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
    """The same output for different sources."""
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
        message = "The same line stands for different segments."
        advice = "Look whether lines were written twice, or whether the system repeats itself."
        yield finding("repeated-lines", WARNING, text.name, sorted(lines), message, advice)


# Scripts and languages ----------------------------------------------------------------------------------------------


def _script(lines: Sequence[str]) -> str | None:
    found = scripts.dominant([line[:1000] for line in lines[:2000]])
    return _KANA_AND_HAN.get(found, found) if found else None


def _languages(texts: Sequence[Text], languages: Mapping[str, str]) -> Iterator[Finding]:
    seen = {id(text): (_script(text.lines), scripts.guess_language(text.lines)) for text in texts}
    swapped = _swapped(texts, languages, seen)
    if swapped is not None:
        yield swapped
        return
    reference = next((text for text in texts if text.role == "reference"), None)
    for text in texts:
        script, guess = seen[id(text)]
        language = languages.get(text.role)
        if language is not None:
            expected = {_KANA_AND_HAN.get(name, name) for name in scripts.scripts_of(language)}
            spoken = scripts.base_code(language) if scripts.knows_words_of(language) else None
            whose = f"{language}"
        elif reference is not None and text.role == "output":
            other_script, spoken = seen[id(reference)]
            expected = {other_script} if other_script else set()
            whose = f"{reference.name}"
        else:
            continue
        if script is not None and expected and script not in expected:
            message = f"Most letters are {script}; {whose} is written in {' or '.join(sorted(expected))}."
            yield finding("wrong-script", ERROR, text.name, [], message, _WRONG_FILE, len(text.lines))
        elif spoken is not None and guess is not None and guess != spoken:
            message = f"The text looks like '{guess}', not like {'' if language else 'the language of '}{whose}."
            yield finding("wrong-language", ERROR, text.name, [], message, _WRONG_FILE, len(text.lines))
        else:
            yield from _lines_in_other_scripts(text, expected, whose)


_WRONG_FILE = "Look whether the right file was given, and whether the language pair (-l) is right."


def _lines_in_other_scripts(text: Text, expected: set[str], whose: str) -> Iterator[Finding]:
    if not expected:
        return
    names = scripts.script_names()
    fitting = np.array([_KANA_AND_HAN.get(name, name) in expected for name in names])
    counts = scripts.count_scripts([line[:1000] for line in text.lines])
    foreign = counts[:, ~fitting].sum(1)
    lines = (np.flatnonzero((foreign >= 5) & (foreign > MOSTLY * counts.sum(1))) + 1).tolist()
    if lines:
        message = f"Lines mostly in another script than {whose} ({', '.join(sorted(expected))})."
        advice = "Look whether these segments were left untranslated or belong to another file."
        yield finding("lines-in-other-script", WARNING, text.name, lines, message, advice)


def _swapped(
    texts: Sequence[Text], languages: Mapping[str, str], seen: Mapping[int, tuple[str | None, str | None]]
) -> Finding | None:
    """The source in the place of the reference: by the language pair, or because the outputs side with the source."""
    source = next((text for text in texts if text.role == "source"), None)
    reference = next((text for text in texts if text.role == "reference"), None)
    if source is None or reference is None:
        return None
    of_source, of_reference = seen[id(source)], seen[id(reference)]
    outputs = [seen[id(text)] for text in texts if text.role == "output"]
    wanted = languages.get("source"), languages.get("reference")
    for place in (0, 1):  # script, language
        here, there = of_source[place], of_reference[place]
        if here is None or there is None or here == there:
            continue
        if wanted[0] and wanted[1]:
            crossed = _is(there, wanted[0], place) and _is(here, wanted[1], place)
        else:
            crossed = bool(outputs) and all(output[place] == here for output in outputs)
        if crossed:
            message = f"Source and reference seem to be swapped: this file looks like the source of {source.name}."
            advice = f"Give {reference.name} as source and {source.name} as reference."
            return finding("swapped-files", ERROR, reference.name, [], message, advice, len(reference.lines))
    return None


def _is(found: str, language: str, place: int) -> bool:
    if place:
        return found == scripts.base_code(language)
    return found in {_KANA_AND_HAN.get(name, name) for name in scripts.scripts_of(language)}
