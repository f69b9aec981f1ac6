"""Find characters that are usually unintended and change scores, with their lines and advice for each kind.

All searches take time linear in the text: they use character classes and plain string searches.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

ERROR, WARNING, NOTE = "error", "warning", "note"


@dataclass(frozen=True)
class Anomaly:
    """One kind of unusual character in one text; lines are numbered from 1."""

    kind: str
    severity: str
    lines: tuple[int, ...]
    message: str
    advice: str


# Letters after which joiners are part of the spelling: Arabic, Syriac, N'Ko, scripts of South and Southeast Asia.
_JOINING = "\u0600-\u08ff\u0900-\u109f\u1780-\u18af\ufb50-\ufdff\ufe70-\ufefc"
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_LINE_LIKE = re.compile("[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
_CONTROLS = re.compile("[\x01-\x08\x0e-\x1b\x1f\x7f-\x84\x86-\x9f]")
_BLANKS = re.compile("[\xa0\u1680\u2000-\u200a\u202f\u205f]|(?<![\u2e80-\u9fff\uff00-\uffef])\u3000")
# A zero width joiner connects emoji; both joiners are part of the spelling in many Asian scripts.
_INVISIBLE = re.compile(
    "[\xad\u034f\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff]"
    f"|(?<![{_JOINING}])\u200c|(?<![{_JOINING}\u2600-\u27bf\ufe0f\U0001f000-\U0001faff])\u200d"
)
_DIRECTIONS = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_ENTITIES = re.compile(
    r"&(?:amp|lt|gt|quot|apos|nbsp|shy|hellip|[mn]dash|[lr][sd]?a?quo|copy|reg|euro|deg|[A-Za-z](?:uml|acute|grave|circ"
    r"|tilde|cedil|ring|slash)|szlig|[ao]elig|#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6});"
)
_SUBWORDS = re.compile("@@(?: |$)|\u2581|(?:^| )##\\w")

# UTF-8 that was read as Windows-1252 and written as UTF-8 again: a lead byte and its continuation bytes as characters.
_CP1252 = "€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ"
_MOJIBAKE = re.compile(f"[\xc2-\xdf][\x80-\xbf{_CP1252}]|[\xe0-\xf4][\x80-\xbf{_CP1252}]{{1,3}}")
_QUOTES = frozenset("«»‹›“”„‘’‚–—…")
_AS_BYTE = {ord(c): c.encode("cp1252")[0] for c in _CP1252}


def find_anomalies(lines: Sequence[str]) -> list[Anomaly]:
    """Return all kinds of unusual characters in the lines of a text."""
    text = "\n".join(lines)
    found = [anomaly for search in _SEARCHES if (anomaly := search(text, lines)) is not None]
    return [anomaly for anomaly in found if anomaly.lines]


def _where(lines: Iterable[str], test: Callable[[str], object]) -> tuple[int, ...]:
    return tuple(number for number, line in enumerate(lines, 1) if test(line))


def _names(text: str, pattern: re.Pattern[str], skip: frozenset[str] = frozenset()) -> str:
    counts = Counter(c for c in pattern.findall(text) if c not in skip)
    named = [f"U+{ord(c):04X} {unicodedata.name(c, 'control').lower()} ({n})" for c, n in counts.most_common(4)]
    return ", ".join(named) + (", and others" if len(counts) > 4 else "")


def _line_like(text: str, lines: Sequence[str]) -> Anomaly | None:
    if not _LINE_LIKE.search(text):
        return None
    return Anomaly(
        "line-separators",
        ERROR,
        _where(lines, _LINE_LIKE.search),
        f"Characters that some programs treat as line ends: {_names(text, _LINE_LIKE)}.",
        "Replace them by spaces. A program that splits lines there shifts all later segments.",
    )


def _controls(text: str, lines: Sequence[str]) -> Anomaly | None:
    if not _CONTROLS.search(text):
        return None
    return Anomaly(
        "control-characters",
        ERROR,
        _where(lines, _CONTROLS.search),
        f"Control characters: {_names(text, _CONTROLS)}.",
        "Remove them, and check the program that wrote the file: they come from damaged or wrongly decoded text.",
    )


def _replacement(text: str, lines: Sequence[str]) -> Anomaly | None:
    if "\ufffd" not in text:
        return None
    return Anomaly(
        "replacement-character",
        ERROR,
        _where(lines, lambda line: "\ufffd" in line),
        "U+FFFD, which replaces characters that an earlier program could not decode.",
        "Decode the original file with the right encoding. The lost characters cannot be restored from this file.",
    )


def _mojibake(text: str, lines: Sequence[str]) -> Anomaly | None:
    if not _MOJIBAKE.search(text):
        return None
    return Anomaly(
        "double-encoded",
        ERROR,
        _where(lines, _is_mojibake),
        "Text encoded twice, such as 'Ã©' for 'é' or 'â€™' for an apostrophe.",
        "Undo it: read the file as UTF-8, encode it as Windows-1252, and decode the result as UTF-8.",
    )


def _is_mojibake(line: str) -> bool:
    """Return whether a line has sequences that decode to UTF-8 again: typical ones, or two in a row.

    One capital followed by a quote (É») is not enough.
    """
    end = -1
    for run in _MOJIBAKE.finditer(line):
        length = _twice_encoded(run[0])
        if length:
            lead, following = run[0][0], run[0][1]
            if lead in "ÂÃâ" or run.start() == end or (lead in "ÄÅÐÑ" and following not in _QUOTES):
                return True
            end = run.start() + length
    return False


def _twice_encoded(run: str) -> int:
    """Return the number of characters at the beginning that are one character encoded twice; 0 if they are not."""
    data = bytes(_AS_BYTE.get(ord(c), ord(c)) for c in run)
    length = 2 if data[0] < 0xE0 else 3 if data[0] < 0xF0 else 4
    try:
        data[:length].decode("utf-8")
    except UnicodeDecodeError:
        return 0
    return length if len(data) >= length else 0


def _entities(text: str, lines: Sequence[str]) -> Anomaly | None:
    if not _ENTITIES.search(text):
        return None
    common = ", ".join(entity for entity, _ in Counter(_ENTITIES.findall(text)).most_common(4))
    return Anomaly(
        "html-entities",
        WARNING,
        _where(lines, _ENTITIES.search),
        f"Escaped characters: {common}.",
        "Unescape them (python3 -c 'import html,sys; [print(html.unescape(l),end=\"\") for l in sys.stdin]'), "
        "or make sure that all files are escaped in the same way.",
    )


def _subwords(text: str, lines: Sequence[str]) -> Anomaly | None:
    if not ("@@" in text or "\u2581" in text or "##" in text):
        return None
    return Anomaly(
        "subword-units",
        ERROR,
        _where(lines, _SUBWORDS.search),
        "Words are still split into subword units (@@, ▁ or ##).",
        "Join them with the model's own tool, for example: sed -r 's/(@@ )|(@@ ?$)//g'",
    )


def _blanks(text: str, lines: Sequence[str]) -> Anomaly | None:
    if not _BLANKS.search(text):
        return None
    return Anomaly(
        "odd-blanks",
        WARNING,
        _where(lines, _BLANKS.search),
        f"Blanks other than the space: {_names(text, _BLANKS)}.",
        "Some metrics split words there and others do not. Replace them by spaces in all files, or in none.",
    )


def _tabs(text: str, lines: Sequence[str]) -> Anomaly | None:
    if "\t" not in text:
        return None
    return Anomaly(
        "tabs",
        WARNING,
        _where(lines, lambda line: "\t" in line),
        "Tab characters within lines.",
        "Replace them by spaces. If the file is a table, extract the column with the text (cut -f).",
    )


def _invisible(text: str, lines: Sequence[str]) -> Anomaly | None:
    if not _INVISIBLE.search(text):
        return None
    return Anomaly(
        "invisible-characters",
        WARNING,
        _where(lines, _has_invisible),
        f"Invisible characters: {_names(text, _INVISIBLE)}.",
        "Remove them where they have no meaning: words that look equal do not match.",
    )


def _has_invisible(line: str) -> bool:
    found = set(_INVISIBLE.findall(line))
    # Direction marks are normal in lines with right-to-left letters.
    return bool(found - _DIRECTIONS) or bool(found and not _RIGHT_TO_LEFT.search(line))


def _not_composed(text: str, lines: Sequence[str]) -> Anomaly | None:
    if unicodedata.is_normalized("NFC", text):
        return None
    return Anomaly(
        "normalisation",
        WARNING,
        _where(lines, lambda line: not unicodedata.is_normalized("NFC", line)),
        "Letters and their accents are separate characters (not in Unicode's composed form, NFC).",
        "Convert all files to one form: uconv -x nfc, or unicodedata.normalize('NFC', text) in Python.",
    )


_SEARCHES = (
    _line_like,
    _controls,
    _replacement,
    _mojibake,
    _entities,
    _subwords,
    _blanks,
    _tabs,
    _invisible,
    _not_composed,
)
