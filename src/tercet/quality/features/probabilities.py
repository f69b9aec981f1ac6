"""Features of language models of words and tags: probability and perplexity."""

from __future__ import annotations

import numpy as np

from ...types import Floats
from .defining import Feature, feature
from .pairs import SentencePairs

MOST = 1e4  # the highest perplexity: a short sentence of unknown words would have a far higher one than all others


def _per_word(pairs: SentencePairs, model: str) -> Floats:
    scored = pairs.scored(model)
    per_word: Floats = scored.totals() / (scored.words + 1)
    return np.where(scored.words > 0, per_word, np.nan)


def _perplexities(pairs: SentencePairs, model: str, *, end: bool) -> Floats:
    scored = pairs.scored(model)
    found = np.minimum(scored.perplexities(end=end), MOST)
    return np.where(scored.words > 0, found, np.nan)


def _of_model(group: str, model: str, name: str, text: str, quest: int | None, baseline: int | None) -> list[Feature]:
    """Return features for log probability, perplexities with and without the end, and log probability per word."""
    surprise = f"how much {text} surprises a language model (perplexity"
    numbers = (None, None, None) if quest is None else (quest, quest + 1, quest + 2 if quest < 1086 else None)
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


WORDS = (
    *_of_model("lm_word", "source_lm", "source", "the source", 1009, 4),
    *_of_model("lm_word", "target_lm", "target", "the target", 1012, 5),
    feature("lm_word", "log_probability_difference",
            "how much more probable the target is than the source, per word, by language models (log10)",
            lambda p: _per_word(p, "target_lm") - _per_word(p, "source_lm"), needs="source_lm target_lm"),
)  # fmt: skip

TAGS = (
    *_of_model("lm_pos", "target_tags_lm", "target_tags", "the target's order of word classes", 1086, None),
    *_of_model("lm_pos", "source_tags_lm", "source_tags", "the source's order of word classes", None, None),
)
