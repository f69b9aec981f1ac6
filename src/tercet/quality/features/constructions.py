"""Classes of words, and how marks and numbers differ between source and target."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

import numpy as np

from .defining import Feature, Floats, feature, ratio
from .pairs import Pairs, Side

_NUMBER = re.compile(r"[^\W\d_]?[.,:/%+-]*\d[\d.,:/%+-]*")
_LATIN = re.compile("[a-z]+")
_BRACKETS = frozenset("()[]{}（）【】")
_QUOTES = frozenset("\"'«»“”„‘’‚‹›「」『』")
# Marks as QuEst counts them, and the forms of other scripts and of Spanish that stand for them.
_MARKS = {
    "periods": (".。۔।…", 1062), "commas": (",，、،", 1064), "colons": (":：", 1066), "semicolons": (";；؛", 1068),
    "question_marks": ("?？؟", 1070), "exclamation_marks": ("!！", 1072),
}  # fmt: skip
_DIVIDING = "¿¡" + "".join(characters for characters, _ in _MARKS.values())


def is_number(token: str) -> bool:
    """Whether a token is a number: digits with marks among them."""
    return _NUMBER.fullmatch(token) is not None


def is_mark(token: str) -> bool:
    """Whether a token has only punctuation marks and symbols."""
    return all(unicodedata.category(character)[0] in "PS" for character in token)


def is_latin(token: str) -> bool:
    """Whether a token has only the letters a to z."""
    return _LATIN.fullmatch(token.lower()) is not None


def marks(side: Side) -> Floats:
    """Marks that divide sentences, of each sentence: neither brackets, quotation marks nor symbols."""
    return side.sums(_counted(_DIVIDING))


def _counted(characters: str) -> Callable[[str], float]:
    return lambda token: float(len(token) == 1 and token in characters)


def _any_of(characters: frozenset[str]) -> Callable[[str], float]:
    return lambda token: float(token in characters)


def content(pairs: Pairs, name: str) -> Floats:
    """The share of content words: neither marks, numbers nor function words."""
    side: Side = getattr(pairs, name)
    function: frozenset[str] = pairs.resources.given(f"{name}_function_words", frozenset)
    return side.shares(lambda token: not is_mark(token) and not is_number(token) and token.lower() not in function)


def _function(pairs: Pairs, name: str) -> Floats:
    side: Side = getattr(pairs, name)
    function: frozenset[str] = pairs.resources.given(f"{name}_function_words", frozenset)
    return side.shares(lambda token: token.lower() in function)


def _share_ratio(first: Floats, second: Floats) -> Floats:
    """Of two shares, with a thousandth added so that it is defined and stays small."""
    quotient: Floats = (first + 1e-3) / (second + 1e-3)
    return np.minimum(quotient, 10.0)


CLASSES = (
    feature("word_classes", "source_numbers", "share of numbers among the source's tokens",
            lambda p: p.source.shares(is_number), quest=1077),
    feature("word_classes", "target_numbers", "share of numbers among the target's tokens",
            lambda p: p.target.shares(is_number), quest=1078),
    feature("word_classes", "source_not_latin", "share of source tokens with anything but the letters a to z",
            lambda p: 1 - p.source.shares(is_latin), quest=1080),
    feature("word_classes", "target_not_latin", "share of target tokens with anything but the letters a to z",
            lambda p: 1 - p.target.shares(is_latin), quest=1081),
    feature("word_classes", "latin_ratio",
            "ratio of the share of tokens of the letters a to z alone, source to target (at most 10)",
            lambda p: _share_ratio(p.source.shares(is_latin), p.target.shares(is_latin)), neutral=1.0, quest=1082),
    feature("word_classes", "source_content",
            "share of content words in the source: no marks, numbers or function words such as articles",
            lambda p: content(p, "source"), needs="source_function_words", quest=1083),
    feature("word_classes", "target_content",
            "share of content words in the target: no marks, numbers or function words such as articles",
            lambda p: content(p, "target"), needs="target_function_words", quest=1084),
    feature("word_classes", "content_ratio",
            "ratio of the share of content words, source to target (at most 10)",
            lambda p: _share_ratio(content(p, "source"), content(p, "target")),
            needs="source_function_words target_function_words", neutral=1.0, quest=1085),
    feature("word_classes", "source_function",
            "share of function words, such as articles and prepositions, in the source",
            lambda p: _function(p, "source"), needs="source_function_words"),
    feature("word_classes", "target_function",
            "share of function words, such as articles and prepositions, in the target",
            lambda p: _function(p, "target"), needs="target_function_words"),
)  # fmt: skip


def _mismatch(what: str, text: str, token: Callable[[str], float], quest: int | None = None) -> tuple[Feature, Feature]:
    """The difference in tokens of a kind, and its share of the target's tokens."""

    def difference(pairs: Pairs) -> Floats:
        return np.abs(pairs.source.sums(token) - pairs.target.sums(token))

    return (
        feature("construction_mismatch", f"{what}_difference",
                f"difference in how many {text} source and target have", difference, quest=quest),
        feature("construction_mismatch", f"{what}_difference_share",
                f"difference in how many {text} source and target have, per target token",
                lambda p: ratio(difference(p), p.target.lengths), quest=quest and quest + 1),
    )  # fmt: skip


MISMATCHES = (
    feature("construction_mismatch", "source_marks", "how many marks . , : ; ? ! the source has",
            lambda p: marks(p.source), quest=1074, baseline=16),
    feature("construction_mismatch", "target_marks", "how many marks . , : ; ? ! the target has",
            lambda p: marks(p.target), quest=1075, baseline=17),
    feature("construction_mismatch", "source_mark_share",
            "share of punctuation marks and symbols among the source's tokens",
            lambda p: p.source.shares(is_mark)),
    feature("construction_mismatch", "target_mark_share",
            "share of punctuation marks and symbols among the target's tokens",
            lambda p: p.target.shares(is_mark)),
    feature("construction_mismatch", "marks_difference",
            "difference in how many marks . , : ; ? ! source and target have",
            lambda p: np.abs(marks(p.source) - marks(p.target))),
    feature("construction_mismatch", "marks_difference_share",
            "difference in how many marks . , : ; ? ! source and target have, per target token",
            lambda p: ratio(np.abs(marks(p.source) - marks(p.target)), p.target.lengths), quest=1076),
    *(part for what, (characters, quest) in _MARKS.items()
      for part in _mismatch(what, what.replace("_", " "), _counted(characters), quest)),
    *_mismatch("brackets", "brackets", _any_of(_BRACKETS)),
    *_mismatch("quotes", "quotation marks", _any_of(_QUOTES)),
    *_mismatch("numbers", "numbers", lambda token: float(is_number(token)), None),
)  # fmt: skip
