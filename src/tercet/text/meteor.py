"""Text as METEOR compares it: the tokens of its option -norm, before case is lowered.

Denkowski and Lavie (2014), "Meteor Universal: Language Specific Translation Evaluation for Any Target Language", WMT.
The rules were found by asking METEOR 1.5 what it makes of texts; they are those of an early Moses tokeniser with three
more: hyphens between letters divide words, dots inside abbreviations vanish (U.S. is US), and typographic quotation
marks and dashes become plain ones. Letters are Latin and Cyrillic; any other character is a word of its own.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from ..errors import UsageError
from .moses import _prefixes

LANGUAGES = ("cs", "de", "en", "es", "fr", "ru")  # those that METEOR normalises

_LETTERS = "A-Za-zÀ-ÖØ-öø-\u017e\u0400-\u0527\u1d00-\u1d7f\ua640-\ua66e\ua67e-\ua697"
_BLANKS = "\xa0\u2000-\u200a\u202f\u205f\u3000"
_PLAIN = {ord(c): "'" for c in "‘’`"} | {ord(c): '"' for c in "“”"} | {ord("–"): " - "}
_PLAIN |= {ord("\xa0"): " ", 0x202F: " ", 0x205F: " ", 0x3000: " ", **dict.fromkeys(range(0x2000, 0x200B), " ")}
_SYMBOLS = re.compile(rf"([^{_LETTERS}0-9 \t-\r.',\-])")
_DOTS = re.compile(r"\.\.+")
# One after the other over the whole text: a rule never sees a character that its last match has used.
_COMMAS = tuple((re.compile(f"({before}),({after})"), r"\1 , \2") for before, after in
                (("[^0-9]", "[^0-9]"), ("[0-9]", "[^0-9]"), ("[^0-9]", "[0-9]")))  # fmt: skip
_HYPHEN = re.compile(f"([{_LETTERS}0-9.])-([{_LETTERS}0-9])")
_LETTER = re.compile(f"[{_LETTERS}]")
_NO_WORD = re.compile(f"[^{_LETTERS}0-9]")

# Apostrophes: what stands before and after (A letter), and where the spaces go; see text.moses.
_RIGHT = (("[^A]", "[^A]", r"\1 ' \2"), ("[^A0-9]", "[A]", r"\1 ' \2"), ("[A]", "[^A]", r"\1 ' \2"),
          ("[A]", "[A]", r"\1 '\2"), ("[0-9]", "s", r"\1 '\2"))  # fmt: skip
_LEFT = (("[^A]", "[^A]", r"\1 ' \2"), ("[^A]", "[A]", r"\1 ' \2"), ("[A]", "[^A]", r"\1 ' \2"),
         ("[A]", "[A]", r"\1' \2"))  # fmt: skip
_APOSTROPHES = {"en": _RIGHT, "fr": _LEFT}
_HIDDEN = "\0"


def normalise(text, language="en", punct=True):
    text = text.translate(_PLAIN).replace("''", ' " ').replace("--", "-")
    text = _SYMBOLS.sub(r" \1 ", f" {text} ")
    if ".." in text:
        text = _DOTS.sub(lambda m: " " + _HIDDEN * len(m[0]) + " ", text)
    if "," in text:
        for p, r in _COMMAS: text = p.sub(r, text)
    if "'" in text:
        for b, a, r in _APOSTROPHES.get(language, (("", "", r" ' "),)):
            text = re.sub(f"({b.replace('A',_LETTERS)})'({a.replace('A',_LETTERS)})", r, text)
    if "-" in text:
        text = _HYPHEN.sub(r"\1 \2", text)
    words = re.split(r"[ \t\n\r\f]+", text.strip(" \t\n\r\f"))
    always, num = _prefixes(language)
    out=[]
    for i,w in enumerate(words):
        if w.endswith(".") and len(w)>1:
            pre=w[:-1]; nxt=words[i+1] if i+1<len(words) else ""
            if "." in pre and _LETTER.search(pre): out.append(w.replace(".",""))
            elif pre in always or nxt[:1] in set("abcdefghijklmnopqrstuvwxyz") or (pre in num and nxt[:1] in set("0123456789")): out.append(w)
            else: out += [pre,"."]
        else: out.append(w)
    text=" ".join(out).replace(_HIDDEN,".")
    if not punct:
        text=" ".join(_NO_WORD.sub(" ",text).split())
    return text
