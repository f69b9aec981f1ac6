"""Find the scripts (Unicode blocks) of texts and languages, and a suitable tokeniser."""

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .coding import code_points
from .packaged import packaged

ENOUGH_LINES = 200  # lines that are enough to find the script
ENOUGH_CHARACTERS = 400  # characters per line
_WORD = re.compile(r"[^\W\d_]+")


def _data() -> dict[str, Any]:
    return packaged(__package__, "scripts.toml")


def script_names() -> tuple[str, ...]:
    """Return the names of the scripts, in the order of the columns of `count_scripts`."""
    return tuple(_data()["ranges"])


@cache
def _table() -> NDArray[np.uint8]:
    table = np.zeros(0x110000, dtype=np.uint8)
    for number, spans in enumerate(_data()["ranges"].values(), 1):
        for span in spans.split():
            first, _, last = span.partition("-")
            table[int(first, 16) : int(last or first, 16) + 1] = number
    return table


def count_scripts(texts: Sequence[str]) -> NDArray[np.int64]:
    """Return the number of letters of each script in every text, shape (texts, scripts)."""
    points, offsets = code_points(texts)
    columns = len(script_names()) + 1
    rows = np.repeat(np.arange(len(texts)), np.diff(offsets))
    counts = np.bincount(rows * columns + _table()[points], minlength=len(texts) * columns)
    return counts.reshape(len(texts), columns)[:, 1:].astype(np.int64)


def shares(texts: Sequence[str]) -> dict[str, float]:
    """Return the share of each script among the letters of all texts, largest first; empty if there are no letters."""
    totals = count_scripts(texts).sum(0)
    letters = int(totals.sum())
    found = {name: int(count) / letters for name, count in zip(script_names(), totals, strict=True) if count}
    return dict(sorted(found.items(), key=lambda item: -item[1]))


def dominant(texts: Sequence[str]) -> str | None:
    """Return the script of most letters; None if there are no letters."""
    return next(iter(shares(texts)), None)


def base_code(language: str) -> str:
    """Return the language without region or script, in two letters where it has them: zh for zh-CN, ZH or zho_Hans."""
    code = re.split("[-_]", language.strip().lower())[0]
    return _short_codes().get(code, code) if len(code) == 3 else code


@cache
def _short_codes() -> dict[str, str]:
    entries = [entry.split() for entry in _data()["codes"]["equal"].split(",")]
    return {long: short for short, *longs in entries for long in longs}


@lru_cache(maxsize=1024)
def scripts_of(language: str) -> frozenset[str]:
    """Return the scripts of a language (ISO 639 code); empty for an unknown language."""
    code = base_code(language)
    return frozenset(script for script, codes in _data()["languages"].items() if code in codes.split())


@cache
def _frequent_words() -> dict[str, frozenset[str]]:
    return {language: frozenset(words.split()) for language, words in _data()["words"].items()}


def guess_language(texts: Sequence[str]) -> str | None:
    """Return the language whose most frequent words the texts use; None if no language with a list is clearly best."""
    words = Counter(word for text in _beginning(texts) for word in _WORD.findall(text.lower()))
    if words.total() < 50:
        return None
    scores = {language: sum(words[word] for word in known) for language, known in _frequent_words().items()}
    (best, most), (_, second) = Counter(scores).most_common(2)
    return best if most >= 0.1 * words.total() and most >= 1.5 * second else None


def count_frequent(words: Sequence[str], language: str) -> int:
    """Return how many of these words, in lower case, are among the most frequent of a language; 0 without a list."""
    known = _frequent_words().get(base_code(language), frozenset())
    return sum(word in known for word in words)


def knows_words_of(language: str) -> bool:
    """Return whether `guess_language` can recognise this language."""
    return base_code(language) in _frequent_words()


def _beginning(texts: Sequence[str]) -> list[str]:
    return [text[:ENOUGH_CHARACTERS] for text in texts[:ENOUGH_LINES]]


# Scripts without spaces between words, and suitable tokenisers.
_UNSPACED = {"Thai": "Thai", "Lao": "Lao", "Khmer": "Khmer", "Myanmar": "Burmese"}
_FITTING = {"Chinese": ("zh", "char"), "Japanese": ("ja-mecab", "char"), "Korean": ("ko-mecab", "char")}
_A_THIRD = 0.3  # of the letters; a Chinese character is like a Latin word, so this is most of the text


def advise_tokeniser(texts: Sequence[str], tokeniser: str, language: str | None = None) -> str | None:
    """Return a warning with a better tokeniser if this one does not suit the texts' script; otherwise None."""
    if tokeniser == "char":
        return None
    found = _unspaced_language(_beginning(texts), base_code(language) if language else None)
    if found is None or tokeniser in _FITTING.get(found, ("char",)):
        return None
    right, *others = _FITTING.get(found, ("char",))
    alternative = f" (or {others[0]})" if others else ""
    if found == "Korean":
        return (
            f"The text is Korean, whose words carry endings, but the tokeniser is {tokeniser!r}. "
            f"Published scores use {right}: consider tokenize={right}{alternative}."
        )
    return (
        f"The text looks {found}, which has no spaces between words, but the tokeniser is {tokeniser!r}: "
        f"whole clauses count as single words. Use tokenize={right}{alternative}."
    )


def _unspaced_language(texts: Sequence[str], language: str | None) -> str | None:
    found = defaultdict(float, shares(texts))
    kana = found["Hiragana"] + found["Katakana"]
    chinese = found["Han"] + kana
    for script, name in _UNSPACED.items():
        if found[script] > _A_THIRD:
            return name
    if chinese > _A_THIRD and language != "ko":
        # Chinese texts contain kana only in names; at least a tenth of a Japanese text is kana.
        return "Japanese" if language == "ja" or (language not in ("zh", "yue") and kana > 0.1 * chinese) else "Chinese"
    return "Korean" if language == "ko" and found["Hangul"] > _A_THIRD else None
