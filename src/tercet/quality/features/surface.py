"""Features that need no resources: lengths, types, word lengths, repetitions, open brackets."""

import re

import numpy as np

from ...types import Floats
from .defining import feature, of_sides, ratio
from .pairs import TextSide

BRACKETS = {")": "(", "]": "[", "}": "{", "）": "（", "】": "【"}
QUOTES = {"»": "«", "”": "“", "›": "‹", "」": "「", "』": "『", "》": "《"}  # those with two forms
_ANY_BRACKET = re.compile("[" + re.escape("".join((*BRACKETS, *BRACKETS.values()))) + "]")


def mismatched_brackets(text: str) -> int:
    """Count brackets that are opened and not closed, or closed and not opened."""
    waiting: list[str] = []
    wrong = 0
    for character in _ANY_BRACKET.findall(text):
        if character not in BRACKETS:
            waiting.append(character)
        elif waiting and waiting[-1] == BRACKETS[character]:
            waiting.pop()
        else:
            wrong += 1
    return wrong + len(waiting)


def mismatched_quotes(text: str) -> int:
    """Count quotation marks without a partner: by pairs of forms, and 1 for an odd number of straight ones."""
    wrong = text.count('"') % 2
    low = text.count("„")
    for closing, opening in QUOTES.items():
        opened, closed = text.count(opening), text.count(closing)
        if opening == "“":  # in German it closes what „ opens; in English it opens
            opened, closed = (low, opened + closed) if low else (opened, closed)
        if closing == "”" and not opened:  # in Swedish and Finnish it is at both ends
            closed %= 2
        wrong += abs(opened - closed)
    return wrong


def _type_token(side: TextSide) -> Floats:
    return ratio(side.types, side.lengths)


def word_length(side: TextSide) -> Floats:
    """Return the average length of tokens in characters."""
    return ratio(side.characters, side.lengths)


def _difference(first: Floats, second: Floats) -> Floats:
    """Return the difference divided by the first."""
    return ratio(np.abs(first - second), first)


FEATURES = (
    *of_sides("lengths", "{}_tokens", "length of the {} in tokens (words and marks)",
              lambda p, side: p.side(side).lengths, quest=(1001, 1002), baseline=(1, 2)),
    feature("lengths", "source_target_ratio", "length of the source divided by that of the target, in tokens",
            lambda p: ratio(p.source.lengths, p.target.lengths), neutral=1.0, quest=1003),
    feature("lengths", "target_source_ratio", "length of the target divided by that of the source, in tokens",
            lambda p: ratio(p.target.lengths, p.source.lengths), neutral=1.0, quest=1004),
    feature("lengths", "token_difference",
            "difference in length between source and target, in tokens, divided by the source's length",
            lambda p: _difference(p.source.lengths, p.target.lengths), quest=1005),
    *of_sides("lengths", "{}_characters", "length of the {} in characters, without blanks",
              lambda p, side: p.side(side).characters),
    feature("lengths", "target_source_characters",
            "length of the target divided by that of the source, in characters",
            lambda p: ratio(p.target.characters, p.source.characters), neutral=1.0),
    feature("lengths", "character_difference",
            "difference in length between source and target, in characters, divided by the source's length",
            lambda p: _difference(p.source.characters, p.target.characters)),
    *of_sides("ttr", "{}_type_token", "share of different words among those of the {} (type/token ratio)",
              lambda p, side: _type_token(p.side(side)), neutral=1.0),
    feature("ttr", "type_token_ratio",
            "ratio of the share of different words, target to source (type/token ratios)",
            lambda p: ratio(_type_token(p.target), _type_token(p.source)), neutral=1.0),
    feature("src_word_len", "source_word_length", "average length of source words in characters",
            lambda p: word_length(p.source), quest=1006, baseline=3),
    feature("tgt_repetition", "target_occurrences",
            "how often each different word of the target occurs in it, on average",
            lambda p: ratio(p.target.lengths, p.target.types), neutral=1.0, quest=1015, baseline=6),
    feature("tgt_mismatched_brackets", "target_open_brackets", "brackets in the target without a partner",
            lambda p: p.target.strings(mismatched_brackets), quest=1007),
    feature("tgt_mismatched_brackets", "target_open_quotes", "quotation marks in the target without a partner",
            lambda p: p.target.strings(mismatched_quotes), quest=1008),
)  # fmt: skip
