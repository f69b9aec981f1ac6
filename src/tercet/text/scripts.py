"""Which scripts texts are written in, which ones a language uses, and which tokeniser fits them.

Scripts follow the blocks of the Unicode Standard. Texts of many lines are counted at once, as arrays of code points.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .coding import code_points

ENOUGH_LINES = 200  # lines that settle the question of the script
ENOUGH_CHARACTERS = 400  # of one line
_WORD = re.compile(r"[^\W\d_]+")


@cache
def _data() -> dict[str, Any]:
    return tomllib.loads(files(__package__).joinpath("scripts.toml").read_text("utf-8"))


@cache
def script_names() -> tuple[str, ...]:
    """The scripts that are told apart, in the order of the columns of `count_scripts`."""
    return tuple(_data()["ranges"])


@cache
def _table() -> NDArray[np.uint8]:
    """The number of the script of every code point, from 1 on; 0 for what belongs to none."""
    table = np.zeros(0x110000, dtype=np.uint8)
    for number, spans in enumerate(_data()["ranges"].values(), 1):
        for span in spans.split():
            first, _, last = span.partition("-")
            table[int(first, 16) : int(last or first, 16) + 1] = number
    return table


def count_scripts(texts: Sequence[str]) -> NDArray[np.int64]:
    """How many letters of each script every text has, shape (texts, scripts)."""
    points, offsets = code_points(texts)
    columns = len(script_names()) + 1
    rows = np.repeat(np.arange(len(texts)), np.diff(offsets))
    counts = np.bincount(rows * columns + _table()[points], minlength=len(texts) * columns)
    return counts.reshape(len(texts), columns)[:, 1:].astype(np.int64)


def shares(texts: Sequence[str]) -> dict[str, float]:
    """The share of each script among the letters of all texts, largest first; empty where there are no letters."""
    totals = count_scripts(texts).sum(0)
    letters = int(totals.sum())
    found = {name: int(count) / letters for name, count in zip(script_names(), totals, strict=True) if count}
    return dict(sorted(found.items(), key=lambda item: -item[1]))


def dominant(texts: Sequence[str]) -> str | None:
    """The script of most letters; None where there are no letters."""
    return next(iter(shares(texts)), None)


def base_code(language: str) -> str:
    """The language alone: zh for zh-CN, zh_Hant or ZH."""
    return re.split("[-_]", language.strip().lower())[0]


@cache
def scripts_of(language: str) -> frozenset[str]:
    """The scripts in which a language (ISO 639 code) is written; empty for a language that is not known here."""
    code = base_code(language)
    return frozenset(script for script, codes in _data()["languages"].items() if code in codes.split())


@cache
def _frequent_words() -> dict[str, frozenset[str]]:
    return {language: frozenset(words.split()) for language, words in _data()["words"].items()}


def guess_language(texts: Sequence[str]) -> str | None:
    """The language whose most frequent words the texts use, if it stands out; only languages with such a list."""
    words = Counter(word for text in _beginning(texts) for word in _WORD.findall(text.lower()))
    if words.total() < 50:
        return None
    scores = {language: sum(words[word] for word in known) for language, known in _frequent_words().items()}
    (best, most), (_, second) = Counter(scores).most_common(2)
    return best if most >= 0.1 * words.total() and most >= 1.5 * second else None


def knows_words_of(language: str) -> bool:
    """Whether `guess_language` can name this language."""
    return base_code(language) in _frequent_words()


def _beginning(texts: Sequence[str]) -> list[str]:
    return [text[:ENOUGH_CHARACTERS] for text in texts[:ENOUGH_LINES]]


# What is wrong and what fits: these scripts put no spaces between words.
_UNSPACED = {"Thai": "Thai", "Lao": "Lao", "Khmer": "Khmer", "Myanmar": "Burmese"}
_FITTING = {"Chinese": ("zh", "char"), "Japanese": ("ja-mecab", "char"), "Korean": ("ko-mecab", "char")}
_A_THIRD = 0.3  # of the letters; a Chinese character says as much as a Latin word, so this is most of the text


def advise_tokeniser(texts: Sequence[str], tokeniser: str, language: str | None = None) -> str | None:
    """A warning that names the right tokeniser where the texts' script does not fit; None where all is well.

    Only the beginning of the texts is looked at. Korean puts spaces between words, so it is mentioned only if
    `language` says Korean.
    """
    if tokeniser == "char":
        return None
    found = _unspaced_language(_beginning(texts), base_code(language) if language else None)
    if found is None or tokeniser in _FITTING.get(found, ("char",)):
        return None
    right, *others = _FITTING.get(found, ("char",))
    alternative = f" (or {others[0]})" if others else ""
    if found == "Korean":
        return (
            f"The text is Korean, whose words carry endings, and is split by the tokeniser {tokeniser!r}. "
            f"Published scores use {right}: consider tokenize={right}{alternative}."
        )
    return (
        f"The text looks {found}, which puts no spaces between words, and is split by the tokeniser {tokeniser!r}: "
        f"whole clauses count as single words. Use tokenize={right}{alternative}."
    )


def _unspaced_language(texts: Sequence[str], language: str | None) -> str | None:
    found = shares(texts)
    kana = found.get("Hiragana", 0.0) + found.get("Katakana", 0.0)
    chinese = found.get("Han", 0.0) + kana
    for script, name in _UNSPACED.items():
        if found.get(script, 0.0) > _A_THIRD:
            return name
    if chinese > _A_THIRD and language != "ko":
        # Chinese texts hold kana only in names; a tenth of a Japanese text and more is kana.
        return "Japanese" if language == "ja" or (language not in ("zh", "yue") and kana > 0.1 * chinese) else "Chinese"
    return "Korean" if language == "ko" and found.get("Hangul", 0.0) > _A_THIRD else None
