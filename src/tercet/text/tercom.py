"""The normalisation of TER: text as tercom changes it before counting edits.

Snover et al. (2006), "A Study of Translation Edit Rate with Targeted Human Annotation", AMTA. The four parameters are
those of tercom 0.7 and 0.10 (-N, -P, -A, -s) and of sacreBLEU's TER; the strings equal those of sacreBLEU 2.6.
"""

from __future__ import annotations

import re

_SYMBOLS = re.compile(r"([{-~\[-` -&(-+:-@/])")
_STOP_AFTER_OTHER = re.compile(r"([^0-9])([.,])")
_STOP_BEFORE_OTHER = re.compile(r"([.,])([^0-9])")
_DASH_AFTER_DIGIT = re.compile(r"([0-9])(-)")
_PUNCTUATION = re.compile(r'[.,?:;!"()]')
_ASIAN_MARKS = (
    "\u3001\u3002\u3008-\u3011\u3014-\u301f\uff61-\uff65\u30fb\uff0e\uff0c\uff1f\uff1a\uff1b\uff01\uff02\uff08\uff09"
)
_ASIAN_PUNCTUATION = re.compile(f"[{_ASIAN_MARKS}]")
# The range from U+3200 ends at U+3F22 in sacreBLEU (an error for U+32FF), which overlaps the ideographs from U+3400.
# tercom's rules for kana need a line that begins with kana; lines are padded with blanks, so they never apply.
_ASIAN = re.compile(
    "([\u4e00-\u9fff\u3400-\u4dbf\u31c0-\u31ef\u2e80-\u2eff\u3300-\u33ff\uf900-\ufaff\ufe30-\ufe4f\u3200-\u3f22"
    f"{_ASIAN_MARKS}])"
)


def tokenise(text: str) -> str:
    """Return text with tercom's spaces around punctuation (normalised, with case)."""
    return normalise(text, normalised=True, case_sensitive=True)


def normalise(
    text: str,
    *,
    normalised: bool = False,
    no_punct: bool = False,
    asian_support: bool = False,
    case_sensitive: bool = False,
) -> str:
    """Return text as TER compares it, with words separated by one space.

    normalised: undo XML escapes and put spaces around punctuation; with asian_support also around every ideograph.
    no_punct: remove punctuation; with asian_support also that of Chinese and Japanese.
    case_sensitive: keep capitals; otherwise all is lower-cased.
    """
    if not case_sensitive:
        text = text.lower()
    if normalised:
        text = _space_western(text)
        if asian_support:
            text = _ASIAN.sub(r" \1 ", text)
    if no_punct:
        text = _PUNCTUATION.sub("", text)
        if asian_support:
            text = _ASIAN_PUNCTUATION.sub("", text)
    return " ".join(text.split())


def _space_western(text: str) -> str:
    text = text.replace("\n-", "").replace("\n", " ")
    if "&" in text:
        text = text.replace("&quot;", '"').replace("&amp;", "&").replace("&lt;", "<").replace("&gt;", ">")
    text = _SYMBOLS.sub(r" \1 ", f" {text} ").replace("'s ", " 's ")
    text = _STOP_AFTER_OTHER.sub(r"\1 \2 ", text)
    text = _STOP_BEFORE_OTHER.sub(r" \1 \2", text)
    return _DASH_AFTER_DIGIT.sub(r"\1 \2 ", text)
