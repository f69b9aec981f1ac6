"""The features of fluency of the thesis: how well language models of words and of tags know the output.

Fomicheva (2017), section 5.1.2 and Table B.2. Sixteen simple features are of the sentence: its length, probability and
perplexity, numbers of parts of speech. The refined ones are of the back-off levels of its words, 1 to 7 (Raybaud et
al., 2011): mean, median, mode, least, largest, and how many are low, by models that read forwards and backwards, over
words and over tags; again for the words that are not aligned with the reference. Names are those of the table, in which
`backoff` is a model of words, `pos_backoff` one of tags and `back` one that reads backwards; Table B.2 lists some of
the combinations, here are all.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from statistics import fmean, median

import numpy as np
from numpy.typing import NDArray

from ...language.sentence import Sentence, Token
from ...quality.fluency_models import FluencyModels

LOW = 5  # back-off levels below this are low: not even the last two words are in the model
MODELS = {
    "words": "backoff",
    "words_backward": "backoff_back",
    "tags": "pos_backoff",
    "tags_backward": "pos_backoff_back",
}
STATISTICS = ("avg", "median", "mode", "min", "max", "low_count", "low_prop")
CLASSES = {"adjectives": ("ADJ",), "nouns": ("NOUN", "PROPN"), "verbs": ("VERB", "AUX")}
_FINITE = ("VBD", "VBP", "VBZ", "MD")
SIMPLE = (
    "count_content_tgt", "count_function_tgt", "count_words_tgt", "lang_mod_perplex", "lang_mod_perplex2",
    "lang_mod_prob", "pos_lang_mod_perplex", "pos_lang_mod_prob", "prop_adjectives", "prop_nouns", "prop_verbs",
    "prop_verbs_flex", "count_adjectives", "count_nouns", "count_verbs", "count_verbs_flex",
)  # fmt: skip
_MASKS = ("", "_non_aligned")
REFINED = (
    *(f"{model}{mask}_{name}" for model in MODELS.values() for mask in _MASKS for name in STATISTICS),
    *(f"{kind}{mask}_oov" for mask in _MASKS for kind in ("count", "prop")),
    *(
        f"prop_{name}_non_aligned_{side}"
        for name in ("adjectives", "nouns", "verbs", "verbs_flex")
        for side in ("tgt", "ref")
    ),
)
NAMES = (*SIMPLE, *REFINED)
WORDS = tuple(name for name in NAMES if name.startswith(("backoff", "lang_mod")) or name.endswith("oov"))
TAGS = tuple(name for name in NAMES if name.startswith("pos_"))

Levels = Mapping[str, Sequence[NDArray[np.int8]]]  # of each sentence, by model


class OutputFluency:
    """What language models say of outputs, computed for many at once."""

    def __init__(self, models: FluencyModels, sentences: Sequence[Sentence]) -> None:
        scored = {name: models.score(name, sentences) for name in MODELS}
        self._levels: dict[str, list[NDArray[np.int8]]] = {}
        for name, found in scored.items():
            cuts = found.offsets.tolist()
            parts = [found.backoff_levels[i : j - 1] for i, j in pairwise(cuts)]
            self._levels[name] = [part[::-1] for part in parts] if name.endswith("backward") else parts
        words, tags = scored["words"], scored["tags"]
        self._sentence = np.stack(
            [
                words.perplexities(), np.nan_to_num(words.perplexities(end=False)), words.totals(),
                tags.perplexities(), tags.totals(),
            ], axis=1,
        )  # fmt: skip

    def features(
        self,
        place: int,
        output: Sentence,
        reference: Sentence,
        functions: Sequence[bool],
        aligned: tuple[set[int], set[int]],
    ) -> dict[str, float]:
        """Return the features of one output. aligned: numbers of the aligned words, of output and reference."""
        found = dict(zip(SIMPLE[3:8], self._sentence[place].tolist(), strict=True))
        found |= {
            "count_words_tgt": float(len(functions)),
            "count_function_tgt": float(sum(functions)),
            "count_content_tgt": float(len(functions) - sum(functions)),
        }
        alone = np.array([number not in aligned[0] for number in range(1, len(output.tokens) + 1)], dtype=np.bool_)
        for model, prefix in MODELS.items():
            levels = self._levels[model][place]
            for mask, some in (("", levels), ("_non_aligned", levels[alone])):
                values = _statistics(some.tolist())
                found |= {f"{prefix}{mask}_{name}": value for name, value in zip(STATISTICS, values, strict=True)}
        known = self._levels["words"][place]
        for mask, some in (("", known), ("_non_aligned", known[alone])):
            unknown = float((some == 1).sum())
            found[f"count{mask}_oov"], found[f"prop{mask}_oov"] = unknown, unknown / len(some) if len(some) else 0.0
        for side, tokens, linked in (("tgt", output.tokens, aligned[0]), ("ref", reference.tokens, aligned[1])):
            found |= _word_classes(side, tokens, linked)
        return {name: found[name] for name in NAMES}


def _statistics(levels: Sequence[int]) -> tuple[float, ...]:
    if not levels:
        return (0.0,) * len(STATISTICS)
    low = sum(level < LOW for level in levels)
    common = max(Counter(levels).items(), key=lambda pair: (pair[1], -pair[0]))[0]
    numbers = fmean(levels), median(levels), common, min(levels), max(levels), low, low / len(levels)
    return tuple(map(float, numbers))


def _word_classes(side: str, tokens: Sequence[Token], aligned: set[int]) -> dict[str, float]:
    """Return numbers and shares of word classes of the output, and for both sides the share that is not aligned."""
    found: dict[str, float] = {}
    members = {name: [i for i, token in enumerate(tokens, 1) if token.upos in tags] for name, tags in CLASSES.items()}
    members["verbs_flex"] = [i for i, token in enumerate(tokens, 1) if _is_finite(token)]
    for name, places in members.items():
        if side == "tgt":
            found |= {f"count_{name}": float(len(places)), f"prop_{name}": len(places) / max(len(tokens), 1)}
        alone = sum(place not in aligned for place in places)
        found[f"prop_{name}_non_aligned_{side}"] = alone / len(places) if places else 0.0
    return found


def _is_finite(token: Token) -> bool:
    return token.xpos in _FINITE or "VerbForm=Fin" in token.features
