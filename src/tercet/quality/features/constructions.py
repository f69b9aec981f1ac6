"""Features of word classes, of differences in marks and numbers, and of strings that source and target share."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import pairwise

import numpy as np

from ...types import Floats
from .defining import Compute, Feature, OfSide, feature, of_sides, ratio, share_ratio
from .pairs import SentencePairs
from .surface import BRACKETS, QUOTES, word_length

_NUMBER = re.compile(r"[^\W\d_]?[.,:/%+-]*\d[\d.,:/%+-]*")
_LATIN = re.compile("[a-z]+")
_WEB_ADDRESS = re.compile(r"(?:https?://|www\.).+")
_DIGITS = re.compile(r"\d+")
_OPENINGS = "¿¡"
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


TAGS = {  # kinds of words by universal tags, and the numbers of QuEst: of the source, the target, and the ratio
    "nouns": ("NOUN PROPN", (1088, 1090), 1092), "verbs": ("VERB AUX", (1089, 1091), 1093),
    "pronouns": ("PRON", (None, None), 1094), "adjectives": ("ADJ", (None, None), None),
    "adverbs": ("ADV", (None, None), None), "adpositions": ("ADP", (None, None), None),
    "determiners": ("DET", (None, None), None), "names": ("PROPN", (None, None), None),
}  # fmt: skip


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


def _share(test: Callable[[str], bool]) -> OfSide:
    """Return a function for the share of a side's tokens that pass a test."""
    return lambda p, name: p.side(name).means(_which(p, name, test))


_latin = _share(is_latin)


def _functional(pairs: SentencePairs, name: str) -> Floats:
    """Return 1 for each function word of a side, 0 for other tokens."""
    function: frozenset[str] = pairs.resources.given(f"{name}_function_words", frozenset)
    return pairs.kept(f"{name} function words", lambda: pairs.side(name).values(function.__contains__, cased=False))


def _content(pairs: SentencePairs, name: str) -> Floats:
    """Return the share of content words, which are not marks, numbers or function words."""
    others = (_which(pairs, name, is_mark), _which(pairs, name, is_number), _functional(pairs, name))
    return pairs.side(name).means(np.prod([1 - each for each in others], axis=0))


def _count(*kinds: str) -> OfSide:
    """Return a function that counts the marks of some kinds in each sentence of a side."""

    def count(pairs: SentencePairs, name: str) -> Floats:
        side = pairs.side(name)
        found = pairs.kept(
            f"{name} kinds of marks", lambda: side.values(lambda token: _NUMBERS.get(MARK_KINDS.get(token, ""), -1))
        )
        return side.add(np.isin(found, [_NUMBERS[kind] for kind in kinds]).astype(np.float64))

    return count


_dividing = _count(*_MARKS, "openings")  # neither brackets, quotation marks nor symbols

CLASSES = (
    *of_sides("word_classes", "{}_numbers", "share of numbers among the {}'s tokens", _share(is_number),
              quest=(1077, 1078)),
    *of_sides("word_classes", "{}_not_latin", "share of {} tokens with anything but the letters a to z",
              lambda p, side: 1 - _latin(p, side), quest=(1080, 1081)),
    feature("word_classes", "latin_ratio",
            "ratio of the share of tokens of letters a to z alone, source to target (.001 added to both, at most 10)",
            lambda p: share_ratio(_latin(p, "source"), _latin(p, "target"), 1e-3), neutral=1.0, quest=1082),
    *of_sides("word_classes", "{}_content",
              "share of content words in the {}: no marks, numbers or function words such as articles", _content,
              needs="{}_function_words", quest=(1083, 1084)),
    feature("word_classes", "content_ratio",
            "ratio of the share of content words, source to target (.001 added to both, at most 10)",
            lambda p: share_ratio(_content(p, "source"), _content(p, "target"), 1e-3),
            needs="source_function_words target_function_words", neutral=1.0, quest=1085),
    *of_sides("word_classes", "{}_function", "share of function words, such as articles and prepositions, in the {}",
              lambda p, side: p.side(side).means(_functional(p, side)), needs="{}_function_words"),
)  # fmt: skip


def _mismatch(
    what: str, text: str, count: OfSide, quest: tuple[int | None, int | None] = (None, None)
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
    *of_sides("construction_mismatch", "{}_marks", "how many marks . , : ; ? ! ¿ ¡ the {} has", _dividing,
              quest=(1074, 1075), baseline=(16, 17)),
    *of_sides("construction_mismatch", "{}_mark_share",
              "share of punctuation marks and symbols among the {}'s tokens", _share(is_mark)),
    *_mismatch("marks", "marks . , : ; ? ! ¿ ¡", _dividing, (None, 1076)),
    *(part for what, (_, quest) in _MARKS.items()
      for part in _mismatch(what, what.replace("_", " "), _count(what), (quest, quest + 1))),
    *_mismatch("brackets", "brackets", _count("brackets")),
    *_mismatch("quotes", "quotation marks", _count("quotes")),
    *_mismatch("numbers", "numbers", lambda p, side: p.side(side).add(_which(p, side, is_number))),
)  # fmt: skip


def _numbers_f1(source: Sequence[str], target: Sequence[str]) -> float:
    """Return the F1 of the digits of numbers (1,000.50 is 1.000,50), as multisets; NaN if neither side has any."""
    one, other = (["".join(_DIGITS.findall(token)) for token in side if is_number(token)] for side in (source, target))
    total = len(one) + len(other)
    return 2 * (Counter(one) & Counter(other)).total() / total if total else np.nan


def _names(tokens: Sequence[str]) -> list[str]:
    """Return capitalised tokens that are not at the beginning of the sentence or after a mark."""
    return [
        token for before, token in pairwise(tokens) if token[0].isupper() and len(token) > 1 and not is_mark(before)
    ]


def _found(items: Sequence[str], others: Iterable[str]) -> float:
    """Return the share of items that are among others (as multisets); NaN for no items."""
    return (Counter(items) & Counter(others)).total() / len(items) if items else np.nan


def _of_tokens(function: Callable[[list[str], list[str]], float]) -> Compute:
    """Return a function that computes a value from the tokens of each source and target."""
    return lambda p: np.array([*map(function, p.source.tokens, p.target.tokens)], dtype=np.float64)


def _of_texts(function: Callable[[str, str], float]) -> Compute:
    """Return a function that computes a value from the text of each source and target."""
    return lambda p: np.array([*map(function, p.source.texts, p.target.texts)], dtype=np.float64)


def _addresses(text: str) -> list[str]:
    """Return web addresses, and words such as a@b.c. (One expression for both takes minutes for long words.)"""
    found = []
    for word in text.split():
        is_mail = 0 <= word.find("@", 1) < word.rfind(".", 0, -1) - 1
        web = _WEB_ADDRESS.search(word)
        if is_mail and not (web and web.start() == 0):
            found.append(word)
        elif web:
            found.append(web.group())
    return found


def _copied(source: Sequence[str], target: Sequence[str], *, lower: bool) -> float:
    """Return the share of target words that the source has, too. lower: of words in lower case only."""
    known = set(source)
    words = [token for token in target if token.isalpha() and (not lower or token.islower())]
    return sum(token in known for token in words) / len(words) if words else 0.0


def _is_capitals(token: str) -> bool:
    return len(token) > 1 and token.isupper()


def _last_mark(tokens: Sequence[str]) -> str:
    """Return the kind of the final mark, in any script: 。 is a period; an empty string if there is none."""
    return MARK_KINDS.get(tokens[-1], tokens[-1]) if tokens and is_mark(tokens[-1]) else ""


def _begins_with_capital(tokens: Sequence[str]) -> bool:
    return next((token[0].isupper() for token in tokens if token not in _OPENINGS), False)


SHARED = (
    feature("more", "target_word_length", "average length of target words in characters",
            lambda p: word_length(p.target)),
    feature("more", "word_length_ratio", "average length of target words divided by that of source words",
            lambda p: ratio(word_length(p.target), word_length(p.source)), neutral=1.0),
    feature("more", "copied_words", "share of target words that the source has too, as they are written",
            _of_tokens(partial(_copied, lower=False))),
    feature("more", "copied_lower_words",
            "share of target words in lower case, which are not names, that the source has too",
            _of_tokens(partial(_copied, lower=True))),
    feature("more", "shared_numbers",
            "how far source and target have the same numbers: 1 for all, or where there are none (F1 by digits)",
            _of_tokens(_numbers_f1), neutral=1.0),
    feature("more", "kept_names",
            "share of the source's names (words with a capital inside the sentence, not after a mark) that the target "
            "has",
            _of_tokens(lambda s, t: _found(_names(s), t)), neutral=1.0),
    feature("more", "kept_addresses", "share of the source's web and mail addresses that the target has",
            _of_texts(lambda s, t: _found(_addresses(s), _addresses(t))), neutral=1.0),
    *of_sides("more", "{}_capitalised", "share of {} words that begin with a capital",
              lambda p, side: p.side(side).shares(lambda token: token[0].isupper())),
    feature("more", "capitals_difference",
            "difference between source and target in the share of words all in capitals",
            lambda p: np.abs(p.source.shares(_is_capitals) - p.target.shares(_is_capitals))),
    feature("more", "same_first_case", "whether source and target both begin with a capital or neither does (1 or 0)",
            _of_tokens(lambda s, t: _begins_with_capital(s) == _begins_with_capital(t))),
    feature("more", "same_last_mark", "whether source and target end with the same mark, or both with none (1 or 0)",
            _of_tokens(lambda s, t: _last_mark(s) == _last_mark(t))),
    feature("more", "target_is_source", "whether the target is the source unchanged (1 or 0)",
            _of_texts(lambda s, t: s.split() == t.split())),  # words between spaces: tokens may differ, by language
)  # fmt: skip


def _tag_share(tags: frozenset[str]) -> OfSide:
    """Return a function for the share of a side's words that have one of the tags."""

    def compute(pairs: SentencePairs, name: str) -> Floats:
        rows = [(sum(tag in tags for tag in line), len(line)) for line in pairs.side(name).tags]
        return np.array([count / total if total else np.nan for count, total in rows], dtype=np.float64)

    return compute


def _of_tags(kind: str) -> list[Feature]:
    tags, quest, number = TAGS[kind]
    share = _tag_share(frozenset(tags.split()))
    return [
        *of_sides("more", f"{{}}_{kind}", f"share of {kind} in the {{}} (by part-of-speech tags)", share,
                  needs="{}_tagger", quest=quest),
        feature("more", f"{kind}_ratio",
                f"ratio of the share of {kind}, target to source (.01 added to both, at most 10)",
                lambda p: share_ratio(share(p, "target"), share(p, "source"), 0.01),
                needs="source_tagger target_tagger", neutral=1.0, quest=number),
    ]  # fmt: skip


FEATURES = (*CLASSES, *MISMATCHES, *SHARED, *(each for kind in TAGS for each in _of_tags(kind)))
