"""Features of the word alignment of source and target: scores, and shares of kinds of links."""

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from ...types import Floats
from .defining import Compute, Feature, feature, ratio
from .pairs import SentencePairs

NATURAL_TO_10 = 1 / np.log(10)


def _per_word(pairs: SentencePairs, scores: Floats, side: str) -> Floats:
    aligned = pairs.aligned
    offsets = aligned.target_offsets if side == "target" else aligned.source_offsets
    return ratio(scores * NATURAL_TO_10, np.diff(offsets).astype(np.float64))


def _kind(pairs: SentencePairs, *, sources: bool, targets: bool) -> Floats:
    """Return the share of links of one kind: of one or several source words to one or several target words."""
    aligned = pairs.aligned
    many_targets = aligned.degrees[0][aligned.links[:, 0]] > 1
    many_sources = aligned.degrees[1][aligned.links[:, 1]] > 1
    return aligned.mean((many_sources == sources) & (many_targets == targets), aligned.source_rows[aligned.links[:, 0]])


def _jump(test: Callable[[Floats], NDArray[np.generic]]) -> Compute:
    """Return a function for the mean over jumps of a test of them."""

    def compute(pairs: SentencePairs) -> Floats:
        rows, jumps = pairs.aligned.jumps
        return pairs.aligned.mean(test(jumps), rows)

    return compute


def _fertility(pairs: SentencePairs) -> Floats:
    aligned = pairs.aligned
    linked = aligned.forward[aligned.forward >= 0]
    counts = np.bincount(linked, minlength=int(aligned.source_offsets[-1])).astype(np.float64)
    found = np.zeros(len(aligned))
    np.maximum.at(found, aligned.source_rows, counts)
    return found


def _longest_gap(pairs: SentencePairs) -> Floats:
    """Return the length of the longest run of source words without any link, as a share of the source's words."""
    aligned = pairs.aligned
    free = aligned.degrees[0] == 0
    places = np.arange(len(free))
    starts = aligned.source_offsets[:-1][aligned.source_rows]
    last_linked = np.maximum.accumulate(np.where(free, -1, places)) if len(free) else places
    runs = places - np.maximum(last_linked, starts - 1)
    longest = np.zeros(len(aligned))
    np.maximum.at(longest, aligned.source_rows, runs.astype(np.float64))
    return ratio(longest, np.diff(aligned.source_offsets).astype(np.float64))


def _aligned(name: str, description: str, compute: Compute, neutral: float = 0.0) -> Feature:
    return feature("alignment", name, description, compute, needs="aligner", neutral=neutral)


def _scores(name: str, text: str, compute: Callable[[SentencePairs, int, str], Floats]) -> tuple[Feature, Feature]:
    """Return the feature of a score in both directions; the function gets the number of the direction and its side."""
    return (
        _aligned(name, text.format("target", "source"), lambda p: compute(p, 0, "target")),
        _aligned(f"{name}_back", text.format("source", "target"), lambda p: compute(p, 1, "source")),
    )


FEATURES = (
    *_scores("alignment_log_probability",
             "how probable the {0} is as a translation of the {1}, by a word alignment model (log10)",
             lambda p, direction, _: p.aligned.log_probabilities[direction] * NATURAL_TO_10),
    *_scores("alignment_score", "how probable the {0} is as a translation of the {1}, per {0} word (log10)",
             lambda p, direction, side: _per_word(p, p.aligned.log_probabilities[direction], side)),
    *_scores("lexical_score",
             "how probable {0} words are as translations of the {1}'s, whatever their order (IBM Model 1, log10)",
             lambda p, direction, side: _per_word(p, p.aligned.lexical[direction], side)),
    _aligned("links_one_to_one", "share of links between source and target words that are one to one",
             partial(_kind, sources=False, targets=False)),
    _aligned("links_one_to_many",
             "share of links between source and target words that are of one source word to several target words",
             partial(_kind, sources=False, targets=True)),
    _aligned("links_many_to_one",
             "share of links between source and target words that are of several source words to one target word",
             partial(_kind, sources=True, targets=False)),
    _aligned("links_many_to_many",
             "share of links between source and target words that are of several words to several",
             partial(_kind, sources=True, targets=True)),
    _aligned("links_agreed",
             "share of target words with a source word that word alignment finds in both directions",
             lambda p: p.aligned.mean(p.aligned.agreed, p.aligned.target_rows)),
    _aligned("source_unaligned", "share of source words without a counterpart in the target",
             lambda p: p.aligned.mean(p.aligned.degrees[0] == 0, p.aligned.source_rows)),
    _aligned("target_unaligned", "share of target words without a counterpart in the source",
             lambda p: p.aligned.mean(p.aligned.degrees[1] == 0, p.aligned.target_rows)),
    _aligned("target_from_nothing",
             "share of target words that come from no source word, by word alignment from the source alone",
             lambda p: p.aligned.mean(p.aligned.forward < 0, p.aligned.target_rows)),
    _aligned("source_to_nothing",
             "share of source words that come from no target word, by word alignment from the target alone",
             lambda p: p.aligned.mean(p.aligned.backward < 0, p.aligned.source_rows)),
    _aligned("source_longest_gap",
             "longest run of source words without a counterpart in the target, as a share of the source", _longest_gap),
    _aligned("links_forward",
             "share of target words in the source's order: the source word follows that of the target word before",
             _jump(lambda jumps: jumps == 1), 1.0),
    _aligned("links_crossing",
             "share of target words in another order: the source word is before that of the target word before",
             _jump(lambda jumps: jumps < 0)),
    _aligned("links_jump",
             "how far the source words of neighbouring target words are from following each other, on average",
             _jump(lambda jumps: np.abs(jumps - 1))),
    _aligned("largest_fertility", "how many target words come from one source word, at most", _fertility),
)  # fmt: skip
