"""Features of language models and of frequencies: probability, back-off levels, unknown, rare and repeated words.

Raybaud, Langlois and Smaïli (2011), "This sentence is wrong. Detecting errors in machine-translated sentences"; by word
as in equation 5.5 of Fomicheva (2017).
"""

from collections import Counter
from collections.abc import Callable
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ...language.frequencies import Frequencies
from ...language.ngram_models import Scored
from ...types import Floats
from .defining import SIDES, Compute, Feature, feature, of_sides, ratio
from .pairs import SentencePairs, TextSide

MOST = 1e4  # the highest perplexity: a short sentence of unknown words would have a far higher one than all others
LOW_LEVEL = 5  # back-off levels below this are low: not even the last two words are in the model
RAREST = -9.0  # log10 of the frequency of a word that wordfreq does not know; its lists end at -8
_FOREIGN = 1.0  # log10: a word belongs to the other language if it is ten times as frequent there
# Models, with the names and texts of their features, the group, QuEst's numbers and the place in the WMT baseline.
_NONE = (None, None, None)
_PROBABLE = {
    "source_lm": ("lm_word", "source", "the source", (1009, 1010, 1011), 4),
    "target_lm": ("lm_word", "target", "the target", (1012, 1013, 1014), 5),
    "target_tags_lm": ("lm_pos", "target_tags", "the target's order of word classes", (1086, 1087, None), None),
    "source_tags_lm": ("lm_pos", "source_tags", "the source's order of word classes", _NONE, None),
}
_KNOWN = {
    "source_lm": ("source", "of the source"),
    "target_lm": ("target", "of the target"),
    "target_lm_backward": ("target_backward", "of the target, read from its end,"),
}


def _per_word(pairs: SentencePairs, model: str) -> Floats:
    scored = pairs.scored(model)
    per_word: Floats = scored.totals() / (scored.words + 1)
    return np.where(scored.words > 0, per_word, np.nan)


def _perplexities(pairs: SentencePairs, model: str, *, end: bool) -> Floats:
    scored = pairs.scored(model)
    found = np.minimum(scored.perplexities(end=end), MOST)
    return np.where(scored.words > 0, found, np.nan)


def _probability(model: str) -> list[Feature]:
    """Return features for log probability, perplexities with and without the end, and log probability per word."""
    group, name, text, numbers, baseline = _PROBABLE[model]
    surprise = f"how much {text} surprises a language model (perplexity"
    return [
        feature(group, f"{name}_log_probability", f"how probable {text} is by a language model (log10)",
                lambda p: p.scored(model).totals(), needs=model, quest=numbers[0], baseline=baseline),
        feature(group, f"{name}_perplexity", f"{surprise}, at most 10,000)",
                lambda p: _perplexities(p, model, end=True), needs=model, quest=numbers[1]),
        feature(group, f"{name}_perplexity_without_end",
                f"{surprise} without the end of the sentence, at most 10,000)",
                lambda p: _perplexities(p, model, end=False), needs=model, quest=numbers[2]),
        feature(group, f"{name}_log_probability_per_word",
                f"how probable {text} is by a language model (log10), per word and end of the sentence",
                lambda p: _per_word(p, model), needs=model),
    ]  # fmt: skip


def _means(scored: Scored, values: NDArray[np.generic]) -> Floats:
    """Return the mean over the words of each sentence, without its end; NaN for no words."""
    sums = np.add.reduceat(np.where(scored.is_word, values, 0), scored.offsets[:-1], dtype=np.float64)
    return ratio(sums, scored.words.astype(np.float64))


def _worst(scored: Scored, values: Floats) -> Floats:
    worst = np.minimum.reduceat(np.where(scored.is_word, values, np.inf), scored.offsets[:-1])
    return np.where(np.isinf(worst), np.nan, worst)


def _spread(scored: Scored) -> Floats:
    mean = np.repeat(_means(scored, scored.log10), np.diff(scored.offsets))
    return np.sqrt(_means(scored, (scored.log10 - mean) ** 2))


_OF_MODEL: tuple[tuple[str, str, Callable[[Scored], Floats], float], ...] = (
    ("backoff_mean", "how well a language model knows the words {where} with those before them, on average (back-off "
     "levels, 1 unknown to 7 well known)", lambda s: _means(s, s.backoff_levels), 7.0),
    ("backoff_least", "how well a language model knows the least known word {where} with those before it (back-off "
     "level, 1 unknown to 7 well known)",
     lambda s: _worst(s, s.backoff_levels.astype(np.float64)), 7.0),
    ("backoff_low", "share of words {where} that a language model does not know together with the one before (back-off "
     "level below 5)", lambda s: _means(s, s.backoff_levels < LOW_LEVEL), 0.0),
    ("backoff_low_words", "how many words {where} a language model does not know together with the one before "
     "(back-off level below 5)",
     lambda s: _means(s, s.backoff_levels < LOW_LEVEL) * s.words, 0.0),
    ("trigrams_matched", "share of words {where} that a language model knows together with the two before (trigrams)",
     lambda s: _means(s, s.matched >= 3), 0.0),
    ("least_probable_word", "how probable the least probable word {where} is by a language model (log10)",
     lambda s: _worst(s, s.log10), 0.0),
    ("probability_spread", "how unevenly probable the words {where} are by a language model (standard deviation of "
     "log10)", _spread, 0.0),
)  # fmt: skip


def _known(model: str) -> list[Feature]:
    """Return features of how well a model knows the words."""

    def applied(function: Callable[[Scored], Floats]) -> Compute:
        return lambda p: function(p.scored(model))

    prefix, where = _KNOWN[model]
    return [
        feature("more", f"{prefix}_{name}", text.format(where=where), applied(function), needs=model, neutral=neutral)
        for name, text, function, neutral in _OF_MODEL
    ]


def _unknown(side: str) -> tuple[Feature, Feature]:
    model = f"{side}_lm"
    return (
        feature("more", f"{side}_unknown_words", f"how many {side} words the language model does not know",
                lambda p: p.scored(model).unknown_words.astype(np.float64), needs=model),
        feature("more", f"{side}_unknown_share", f"share of {side} words that the language model does not know",
                lambda p: _means(p.scored(model), p.scored(model).unknown), needs=model),
    )  # fmt: skip


def _log_shares(pairs: SentencePairs, side: str, table: str) -> Floats:
    """Return the log10 frequency of each word of a side that has letters; NaN for the others."""

    def look_up() -> Floats:
        frequencies = pairs.resources.given(table, Frequencies)
        find, counts = frequencies.numbers.get, np.append(frequencies.counts[0], 10.0**RAREST)
        texts = pairs.side(side)
        places = texts.values(lambda word: find(word, -1), cased=False).astype(np.int64)
        has_letter = texts.values(lambda word: any(map(str.isalpha, word)), cased=False)
        logs: Floats = np.where(has_letter, np.log10(counts[places]), np.nan)
        return logs

    return pairs.kept(f"{side} {table}", look_up)


def _mean(side: TextSide, values: Floats) -> Floats:
    """Return the mean over the words of each sentence whose value is not NaN."""
    return ratio(side.add(np.nan_to_num(values)), side.add((~np.isnan(values)).astype(np.float64)))


def _frequency(pairs: SentencePairs, side: str) -> Floats:
    return _mean(pairs.side(side), _log_shares(pairs, side, f"{side}_words"))


def _share_below(pairs: SentencePairs, side: str, limit: float) -> Floats:
    """Return the share of a side's words whose log10 frequency is below a limit."""
    values = _log_shares(pairs, side, f"{side}_words")
    return _mean(pairs.side(side), np.where(np.isnan(values), np.nan, values < limit))


def _rarity(side: str) -> tuple[Feature, ...]:
    table = f"{side}_words"
    return (
        feature("more", f"{side}_log_frequency",
                f"how frequent the {side}'s words are in their language, on average (log10 of their share of texts)",
                lambda p: _frequency(p, side), needs=table, neutral=-4.0),
        feature("more", f"{side}_least_log_frequency",
                f"how frequent the rarest word of the {side} is in its language (log10 of its share of texts)",
                lambda p: p.side(side).least(_log_shares(p, side, table)), needs=table, neutral=-4.0),
        feature("more", f"{side}_rare_share",
                f"share of {side} words that are rare in their language (less than one in a million)",
                lambda p: _share_below(p, side, -6.0), needs=table),
        feature("more", f"{side}_unlisted_share",
                f"share of {side} words that a list of words of their language does not have (wordfreq)",
                lambda p: _share_below(p, side, RAREST + 0.5), needs=table),
    )  # fmt: skip


def _foreign(pairs: SentencePairs) -> Floats:
    """Return the share of target words that belong to the source language."""
    own, other = _log_shares(pairs, "target", "target_words"), _log_shares(pairs, "target", "source_words")
    return _mean(pairs.target, np.where(np.isnan(own), np.nan, other > own + _FOREIGN))


def _repeated(order: int) -> Compute:
    """Return a function for the share of the target's n-grams that occurred in it before."""

    def share(words: list[str]) -> float:
        grams = Counter(zip(*(words[n:] for n in range(order)), strict=False))
        total = grams.total()
        return 1 - len(grams) / total if total else 0.0

    return lambda p: np.array([share(words) for words in p.target.words], dtype=np.float64)


def _stutters(pairs: SentencePairs) -> Floats:
    counts = [sum(one == two and one.isalpha() for one, two in pairwise(words)) for words in pairs.target.words]
    return np.array(counts, dtype=np.float64)


FEATURES = (
    *_probability("source_lm"),
    *_probability("target_lm"),
    feature("lm_word", "log_probability_difference",
            "how much more probable the target is than the source, per word, by language models (log10)",
            lambda p: _per_word(p, "target_lm") - _per_word(p, "source_lm"), needs="source_lm target_lm"),
    *_probability("target_tags_lm"),
    *_probability("source_tags_lm"),
    *(each for model in _KNOWN for each in _known(model)),
    *(each for side in SIDES for each in _unknown(side)),
    *of_sides("more", "{}_backward_log_probability_per_word",
              "how probable the {} is by a language model that reads it from its end, per word (log10)",
              lambda p, side: _means(scored := p.scored(f"{side}_lm_backward"), scored.log10),
              needs="{}_lm_backward"),
    *(each for side in SIDES for each in _rarity(side)),
    feature("more", "log_frequency_difference",
            "how much more frequent the target's words are in their language than the source's in theirs, on average "
            "(log10)",
            lambda p: _frequency(p, "target") - _frequency(p, "source"), needs="source_words target_words"),
    feature("more", "target_foreign_share",
            "share of target words that look untranslated: they are ten times as frequent in the source language",
            _foreign, needs="source_words target_words"),
    feature("more", "target_repeated_bigrams",
            "share of pairs of neighbouring words in the target that occurred in it before (bigrams)", _repeated(2)),
    feature("more", "target_repeated_trigrams",
            "share of runs of three words in the target that occurred in it before (trigrams)", _repeated(3)),
    feature("more", "target_stutters", "how many target words occur twice in a row", _stutters),
)  # fmt: skip
