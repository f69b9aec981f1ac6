"""Checks of texts: oddities, those that only some files have, scripts and languages, swapped source and reference."""

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from ..text import scripts
from ..text.anomalies import ERROR, NOTE, WARNING, find_anomalies
from .report import Finding, Text

LONG = 2000  # characters, if that is also ten times the median length of the file's lines
TOO_LONG = 20_000  # whatever the median
_SPACED_STOP = re.compile(r"\w [.。]\s*\Z")
_SPACED_MARK = re.compile(r"\w [.,](?:\s|\Z)|\( \w|\w \)")
# Kinds of findings that become errors if only some files have them, and the largest number of such files (None: any).
# Tokenised or escaped text cannot match text that is not. Many systems write odd blanks and invisible characters, so
# these are errors only if a single file has them.
_UNEQUAL = {"tokenised": None, "html-entities": None, "odd-blanks": 1, "invisible-characters": 1}

MOSTLY = 0.5
_KANA_AND_HAN = {"Hiragana": "Han", "Katakana": "Han"}
_WRONG_FILE = "Look whether the right file was given, and whether the language pair is right."

Languages = Mapping[str, tuple[str, ...]]
Seen = tuple[str | None, str | None]  # the script and the language that a text seems to have


def check_lines(text: Text) -> Iterator[Finding]:
    """Yield the findings of one text."""
    for odd in find_anomalies(text.lines):
        yield text.finding(odd.kind, odd.severity, odd.lines, odd.message, odd.advice)
    usual = sorted(map(len, text.lines))[(len(text.lines) - 1) // 2] if text.lines else 0
    limit = min(TOO_LONG, max(LONG, 10 * usual))
    if long := text.numbers(lambda line: len(line) > limit):
        longest = max(map(len, text.lines))
        message = f"Very long lines, up to {longest} characters; the usual line here has {usual}."
        advice = "Look whether line ends were lost: one line must be one segment."
        yield text.finding("long-lines", WARNING, long, message, advice)
    marked = text.numbers(_SPACED_MARK.search)
    if len(marked) > 0.3 * len(text.lines):
        message = "The text looks tokenised: spaces before commas and full stops."
        advice = "Score the text as people read it: detokenise it (for Moses: detokenizer.perl)."
        yield text.finding("tokenised", WARNING, marked, message, advice)
    elif stops := text.numbers(lambda line: _SPACED_STOP.search(line[-8:])):
        message = "Lines end in a space and a full stop, as in tokenised text."
        advice = "Remove the space if it is left over from tokenising."
        yield text.finding("spaced-full-stop", WARNING, stops, message, advice)


def settle_between_files(findings: Sequence[Finding], texts: Sequence[Text]) -> list[Finding]:
    """Return as errors the findings that are harmless only if all files share them."""
    names = {text.name for text in texts if text.role != "source"}

    def found(kind: str) -> list[Finding]:
        return list({item.file: item for item in findings if item.kind == kind and item.file in names}.values())

    raised = []
    for kind, most in _UNEQUAL.items():
        odd = found(kind)
        if odd and len(odd) < len(names) and len(odd) <= (most or len(odd)):
            others = " The other files are not like this." if most is None else " No other text has any."
            raised += [replace(item, severity=ERROR, message=item.message + others) for item in odd]
    # If some texts compose accents (NFD would decompose them) and others do not, equal words count as different.
    if any(not unicodedata.is_normalized("NFD", line) for text in texts if text.name in names for line in text.lines):
        raised += [replace(item, severity=ERROR) for item in found("normalisation")]
    return raised


def check_languages(texts: Sequence[Text], languages: Languages) -> Iterator[Finding]:
    """Yield findings on scripts and languages. `languages`: for each role, the languages its texts may have."""
    yield from _unknown(texts, languages)
    seen = {id(text): (_script(text.lines), scripts.guess_language(text.lines)) for text in texts}
    swapped = _swapped(texts, languages, seen)
    if swapped is not None:
        yield swapped
        return
    reference = next((text for text in texts if text.role == "reference"), None)
    for text in texts:
        allowed = languages.get(text.role)
        if allowed is not None:
            expected, spoken = set[str](), set[str]()
            if all(map(scripts.scripts_of, allowed)):
                expected = {script for language in allowed for script in _scripts_of(language)}
            if all(map(scripts.knows_words_of, allowed)):
                spoken = {scripts.base_code(language) for language in allowed}
            whose = like = " or ".join(allowed)
        elif reference is not None and text.role == "output":
            expected, spoken = ({found} if found else set() for found in seen[id(reference)])
            whose, like = reference.name, f"the language of {reference.name}"
        else:
            continue
        script, guess = seen[id(text)]
        if script is not None and expected and script not in expected:
            message = f"Most letters are {script}; {whose} is written in {' or '.join(sorted(expected))}."
            yield text.finding("wrong-script", ERROR, [], message, _WRONG_FILE, len(text.lines))
        elif spoken and guess is not None and guess not in spoken:
            message = f"The text looks like '{guess}', not like {like}."
            yield text.finding("wrong-language", ERROR, [], message, _WRONG_FILE, len(text.lines))
        elif expected:
            yield from _lines_in_other_scripts(text, expected, whose)


def _unknown(texts: Sequence[Text], languages: Languages) -> Iterator[Finding]:
    """Report languages of the pair that Tercet does not know, so that their texts are not checked."""
    first: dict[str, Text] = {}
    for text in texts:
        for language in languages.get(text.role, ()):
            first.setdefault(language, text)
    for language, text in first.items():
        if not scripts.scripts_of(language):
            message = f"Tercet does not know the language {language!r}, so the language of the text was not checked."
            advice = "Look whether the code is right (ISO 639, as de or zh). If it is, ignore this note."
            yield text.finding("unknown-language", NOTE, [], message, advice, len(text.lines))


def _script(lines: Sequence[str]) -> str | None:
    found = scripts.dominant([line[:1000] for line in lines[:2000]])
    return _KANA_AND_HAN.get(found, found) if found else None


def _scripts_of(language: str) -> set[str]:
    return {_KANA_AND_HAN.get(name, name) for name in scripts.scripts_of(language)}


def _lines_in_other_scripts(text: Text, expected: set[str], whose: str) -> Iterator[Finding]:
    fitting = np.array([_KANA_AND_HAN.get(name, name) in expected for name in scripts.script_names()])
    counts = scripts.count_scripts([line[:1000] for line in text.lines])
    foreign = counts[:, ~fitting].sum(1)
    if lines := (np.flatnonzero((foreign >= 5) & (foreign > MOSTLY * counts.sum(1))) + 1).tolist():
        message = f"Most letters of these lines are in another script than {whose} ({', '.join(sorted(expected))})."
        advice = "Look whether these segments were left untranslated or belong to another file."
        yield text.finding("lines-in-other-script", WARNING, lines, message, advice)


def _swapped(texts: Sequence[Text], languages: Languages, seen: Mapping[int, Seen]) -> Finding | None:
    """Report swapped source and reference: judged by the language pair, or because outputs are like the source."""
    source, reference = (next((text for text in texts if text.role == role), None) for role in ("source", "reference"))
    if source is None or reference is None:
        return None
    outputs = [seen[id(text)] for text in texts if text.role == "output"]
    for place in (0, 1):  # script, language
        here, there = seen[id(source)][place], seen[id(reference)][place]
        if here is None or there is None or here == there:
            continue
        if languages:
            crossed = _is(there, languages["source"][0], place) and _is(here, languages["reference"][0], place)
        else:
            crossed = bool(outputs) and all(output[place] == here for output in outputs)
        if crossed:
            message = (
                f"Source and reference seem to be swapped: {source.name} is in the target language, this text is not."
            )
            advice = f"Give {reference.name} as source and {source.name} as reference."
            return reference.finding("swapped-files", ERROR, [], message, advice, len(reference.lines))
    return None


def _is(found: str, language: str, place: int) -> bool:
    return found == scripts.base_code(language) if place else found in _scripts_of(language)
