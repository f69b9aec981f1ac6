"""Find characters that are usually unintended and change scores, with advice, in time linear in the text."""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .packaged import packaged

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
_REPLACEMENT, _TABS = re.compile("\ufffd"), re.compile("\t")
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
    found = []
    for kind, described in packaged(__package__, "anomalies.toml").items():
        in_text, in_line, pattern = _SEARCHES[kind]
        if in_text(text):
            numbers = tuple(number for number, line in enumerate(lines, 1) if in_line(line))
            if numbers:
                shown = _most_common(text, pattern) if pattern else ""
                message = described["message"].replace("{found}", shown)
                found.append(Anomaly(kind, described["severity"], numbers, message, described["advice"]))
    return found


def _most_common(text: str, pattern: re.Pattern[str]) -> str:
    counts = Counter(pattern.findall(text))
    if pattern is _ENTITIES:
        return ", ".join(entity for entity, _ in counts.most_common(4))
    named = [f"U+{ord(c):04X} {unicodedata.name(c, 'control').lower()} ({n})" for c, n in counts.most_common(4)]
    return ", ".join(named) + (", and others" if len(counts) > 4 else "")


def _is_mojibake(line: str) -> bool:
    """Return whether a line has typical sequences of UTF-8 decoded wrongly, or two in a row (not one as É»)."""
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


def _has_invisible(line: str) -> bool:
    found = set(_INVISIBLE.findall(line))
    # Direction marks are normal in lines with right-to-left letters.
    return bool(found - _DIRECTIONS) or bool(found and not _RIGHT_TO_LEFT.search(line))


def _is_not_composed(text: str) -> bool:
    return not unicodedata.is_normalized("NFC", text)


# How each kind is found: a fast test of the whole text, the test of a line, and the pattern of what is shown.
_SEARCHES: dict[str, tuple[Callable[[str], object], Callable[[str], object], re.Pattern[str] | None]] = {
    "line-separators": (_LINE_LIKE.search, _LINE_LIKE.search, _LINE_LIKE),
    "control-characters": (_CONTROLS.search, _CONTROLS.search, _CONTROLS),
    "replacement-character": (_REPLACEMENT.search, _REPLACEMENT.search, None),
    "double-encoded": (_MOJIBAKE.search, _is_mojibake, None),
    "html-entities": (_ENTITIES.search, _ENTITIES.search, _ENTITIES),
    "subword-units": (re.compile("@@|\u2581|##").search, _SUBWORDS.search, None),
    "odd-blanks": (_BLANKS.search, _BLANKS.search, _BLANKS),
    "tabs": (_TABS.search, _TABS.search, None),
    "invisible-characters": (_INVISIBLE.search, _has_invisible, _INVISIBLE),
    "normalisation": (_is_not_composed, _is_not_composed, None),
}
