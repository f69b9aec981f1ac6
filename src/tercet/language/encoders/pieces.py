"""Long texts in pieces: what a network reads at once is limited, so long texts are cut at ends of sentences."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ...text.coding import whole_characters
from .onnx import OnnxPairScorer

_SENTENCE_END = re.compile(r"(?<=[.!?…])[\"'”’)\]]*\s+")
_BLANK = re.compile(r"\s+")


def piecewise_scores(network: OnnxPairScorer, pairs: Sequence[tuple[str, str]], longest: int) -> NDArray[np.float64]:
    """Return the network's number for each pair; of a long pair the mean over its pieces, weighted by length.

    longest: the tokens of a text that the network reads at once. Both texts are cut into equally many pieces.
    """
    pairs = [(whole_characters(first), whole_characters(second)) for first, second in pairs]
    lengths = network.tokenizer.lengths([text for pair in pairs for text in pair])
    pieces: list[tuple[str, str]] = []
    owners: list[int] = []
    weights: list[int] = []
    for place, pair in enumerate(pairs):
        number = -(-max(lengths[2 * place], lengths[2 * place + 1], 1) // longest)
        found = [pair] if number == 1 else list(zip(*(cut(text, number) for text in pair), strict=True))
        pieces += found
        owners += [place] * len(found)
        weights += [max(len(first), len(second), 1) for first, second in found]
    scores = network.scores(pieces)
    sums = np.bincount(owners, scores * weights, len(pairs))
    means: NDArray[np.float64] = sums / np.bincount(owners, weights, len(pairs))
    return means


def cut(text: str, number: int) -> list[str]:
    """Cut a text into pieces of about equal length, at ends of sentences where these are near, otherwise at blanks."""
    pieces, start = [], 0
    for place in range(1, number):
        aim = len(text) * place // number
        reach = len(text) // (2 * number)
        ends = [match.end() for match in _SENTENCE_END.finditer(text, max(start, aim - reach), aim + reach)]
        blanks = ends or [match.end() for match in _BLANK.finditer(text, max(start, aim - reach), aim + reach)]
        end = min(blanks, key=lambda found: abs(found - aim), default=max(aim, start))
        pieces.append(text[start:end].strip())
        start = end
    return [*pieces, text[start:].strip()]
