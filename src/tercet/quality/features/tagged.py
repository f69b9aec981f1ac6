"""Features from part-of-speech tags: shares of nouns, verbs and other classes on both sides, and their ratios."""

from __future__ import annotations

import numpy as np

from ...types import Floats
from .defining import Compute, Feature, feature
from .pairs import SentencePairs, TextSide

_CLASSES = {  # universal tags, and the numbers of QuEst: source, target, ratio
    "nouns": ("NOUN PROPN", (1088, 1090, 1092)),
    "verbs": ("VERB AUX", (1089, 1091, 1093)),
    "pronouns": ("PRON", (None, None, 1094)),
    "adjectives": ("ADJ", (None, None, None)),
    "adverbs": ("ADV", (None, None, None)),
    "adpositions": ("ADP", (None, None, None)),
    "determiners": ("DET", (None, None, None)),
    "names": ("PROPN", (None, None, None)),
}


def _shares(side: TextSide, tags: frozenset[str]) -> Floats:
    rows = [(sum(tag in tags for tag in line), len(line)) for line in side.tags]
    return np.array([count / total if total else np.nan for count, total in rows], dtype=np.float64)


def _share(side: str, tags: frozenset[str]) -> Compute:
    return lambda p: _shares(p.side(side), tags)


def _ratio(tags: frozenset[str]) -> Compute:
    def compute(pairs: SentencePairs) -> Floats:
        source, target = _shares(pairs.source, tags), _shares(pairs.target, tags)
        return np.minimum((target + 0.01) / (source + 0.01), 10.0)

    return compute


def _features() -> list[Feature]:
    found = []
    for name, (tags, (source, target, both)) in _CLASSES.items():
        wanted = frozenset(tags.split())
        for side, quest in (("source", source), ("target", target)):
            found.append(
                feature("more", f"{side}_{name}", f"share of {name} in the {side} (by part-of-speech tags)",
                        _share(side, wanted), needs=f"{side}_tagger", quest=quest)
            )  # fmt: skip
        found.append(
            feature("more", f"{name}_ratio",
                    f"ratio of the share of {name}, target to source (.01 added to both, at most 10)",
                    _ratio(wanted), needs="source_tagger target_tagger", neutral=1.0, quest=both)
        )  # fmt: skip
    return found


TAG_SHARES = tuple(_features())
