"""Features of word classes, and of differences in marks and numbers between source and target."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np

from ...types import Floats
from .defining import Compute, Feature, feature, ratio
from .pairs import SentencePairs
from .surface import BRACKETS, QUOTES

_NUMBER = re.compile(r"[^\W\d_]?[.,:/%+-]*\d[\d.,:/%+-]*")
_LATIN = re.compile("[a-z]+")
# Marks as QuEst counts them, with their forms in other scripts. Three dots are not among them.
_MARKS = {
    "periods": (".。۔।", 1062), "commas": (",，、،", 1064), "colons": (":：", 1066), "semicolons": (";；؛", 1068),
    "question_marks": ("?？؟", 1070), "exclamation_marks": ("!！", 1072),
}  # fmt: skip
MARK_KINDS = {  # the kind of each mark
    **{character: kind for kind, (characters, _) in _MARKS.items() for character in characters},
    **dict.fromkeys("¿¡", "openings"),
    **dict.fromkeys(("...", "…"), "dots"),
    **dict.fromkeys((*BRACKETS, *BRACKETS.values()), "brackets"),
    **dict.fromkeys((*QUOTES, *QUOTES.values(), *"\"'„‘’‚"), "quotes"),
}
_NUMBERS = {kind: number for number, kind in enumerate(dict.fromkeys(MARK_KINDS.values()))}


def is_number(token: str) -> bool:
    """Return whether a token is a number: digits, perhaps with marks among them or after one letter as in A4."""
    return _NUMBER.fullmatch(token) is not None


def is_mark(token: str) -> bool:
    """Return whether a token has no letters and digits: only punctuation, symbols and invisible characters."""
    return not any(map(str.isalnum, token))


def is_latin(token: str) -> bool:
    """Return whether a token has only the letters a to z."""
    return _LATIN.fullmatch(token.lower()) is not None


def _which(pairs: SentencePairs, name: str, test: Callable[[str], bool]) -> Floats:
    """Return 1 for each token of a side that passes a test, 0 for others."""
    return pairs.kept(f"{name} {test.__name__}", lambda: pairs.side(name).values(test))


def _share(test: Callable[[str], bool], name: str) -> Compute:
    """Return a function for the share of a side's tokens that pass a test."""
    return lambda p: p.side(name).means(_which(p, name, test))


_source_latin, _target_latin = _share(is_latin, "source"), _share(is_latin, "target")


def _functional(pairs: SentencePairs, name: str) -> Floats:
    """Return 1 for each function word of a side, 0 for other tokens."""
    function: frozenset[str] = pairs.resources.given(f"{name}_function_words", frozenset)
    return pairs.kept(f"{name} function words", lambda: pairs.side(name).values(function.__contains__, cased=False))


def _content(pairs: SentencePairs, name: str) -> Floats:
    """Return the share of content words, which are not marks, numbers or function words."""
    others = (_which(pairs, name, is_mark), _which(pairs, name, is_number), _functional(pairs, name))
    return pairs.side(name).means(np.prod([1 - each for each in others], axis=0))


def _share_ratio(first: Floats, second: Floats) -> Floats:
    """Return the ratio of two shares, with 0.001 added to both so that it is defined, and at most 10."""
    quotient: Floats = (first + 1e-3) / (second + 1e-3)
    return np.minimum(quotient, 10.0)


def _count(*kinds: str) -> Callable[[SentencePairs, str], Floats]:
    """Return a function that counts the marks of some kinds in each sentence of a side."""

    def count(pairs: SentencePairs, name: str) -> Floats:
        side = pairs.side(name)
        found = pairs.kept(
            f"{name} kinds of marks", lambda: side.values(lambda token: _NUMBERS.get(MARK_KINDS.get(token, ""), -1))
        )
        return side.add(np.isin(found, [_NUMBERS[kind] for kind in kinds]).astype(np.float64))

    return count


_dividing = _count(*_MARKS, "openings")  # neither brackets, quotation marks nor symbols


def _numbers(pairs: SentencePairs, name: str) -> Floats:
    return pairs.side(name).add(_which(pairs, name, is_number))


CLASSES = (
    feature("word_classes", "source_numbers", "share of numbers among the source's tokens",
            _share(is_number, "source"), quest=1077),
    feature("word_classes", "target_numbers", "share of numbers among the target's tokens",
            _share(is_number, "target"), quest=1078),
    feature("word_classes", "source_not_latin", "share of source tokens with anything but the letters a to z",
            lambda p: 1 - _source_latin(p), quest=1080),
    feature("word_classes", "target_not_latin", "share of target tokens with anything but the letters a to z",
            lambda p: 1 - _target_latin(p), quest=1081),
    feature("word_classes", "latin_ratio",
            "ratio of the share of tokens of letters a to z alone, source to target (.001 added to both, at most 10)",
            lambda p: _share_ratio(_source_latin(p), _target_latin(p)), neutral=1.0, quest=1082),
    feature("word_classes", "source_content",
            "share of content words in the source: no marks, numbers or function words such as articles",
            lambda p: _content(p, "source"), needs="source_function_words", quest=1083),
    feature("word_classes", "target_content",
            "share of content words in the target: no marks, numbers or function words such as articles",
            lambda p: _content(p, "target"), needs="target_function_words", quest=1084),
    feature("word_classes", "content_ratio",
            "ratio of the share of content words, source to target (.001 added to both, at most 10)",
            lambda p: _share_ratio(_content(p, "source"), _content(p, "target")),
            needs="source_function_words target_function_words", neutral=1.0, quest=1085),
    feature("word_classes", "source_function",
            "share of function words, such as articles and prepositions, in the source",
            lambda p: p.source.means(_functional(p, "source")), needs="source_function_words"),
    feature("word_classes", "target_function",
            "share of function words, such as articles and prepositions, in the target",
            lambda p: p.target.means(_functional(p, "target")), needs="target_function_words"),
)  # fmt: skip


def _mismatch(
    what: str,
    text: str,
    count: Callable[[SentencePairs, str], Floats],
    quest: tuple[int | None, int | None] = (None, None),
) -> tuple[Feature, Feature]:
    """Return two features: the difference in tokens of a kind, and that difference per target token."""

    def difference(pairs: SentencePairs) -> Floats:
        return pairs.kept(f"{what} difference", lambda: np.abs(count(pairs, "source") - count(pairs, "target")))

    return (
        feature("construction_mismatch", f"{what}_difference",
                f"difference in how many {text} source and target have", difference, quest=quest[0]),
        feature("construction_mismatch", f"{what}_difference_share",
                f"difference in how many {text} source and target have, per target token",
                lambda p: ratio(difference(p), p.target.lengths), quest=quest[1]),
    )  # fmt: skip


MISMATCHES = (
    feature("construction_mismatch", "source_marks", "how many marks . , : ; ? ! ¿ ¡ the source has",
            lambda p: _dividing(p, "source"), quest=1074, baseline=16),
    feature("construction_mismatch", "target_marks", "how many marks . , : ; ? ! ¿ ¡ the target has",
            lambda p: _dividing(p, "target"), quest=1075, baseline=17),
    feature("construction_mismatch", "source_mark_share",
            "share of punctuation marks and symbols among the source's tokens",
            _share(is_mark, "source")),
    feature("construction_mismatch", "target_mark_share",
            "share of punctuation marks and symbols among the target's tokens",
            _share(is_mark, "target")),
    *_mismatch("marks", "marks . , : ; ? ! ¿ ¡", _dividing, (None, 1076)),
    *(part for what, (_, quest) in _MARKS.items()
      for part in _mismatch(what, what.replace("_", " "), _count(what), (quest, quest + 1))),
    *_mismatch("brackets", "brackets", _count("brackets")),
    *_mismatch("quotes", "quotation marks", _count("quotes")),
    *_mismatch("numbers", "numbers", _numbers),
)  # fmt: skip
