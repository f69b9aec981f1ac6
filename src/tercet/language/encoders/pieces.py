"""Long texts in pieces: what a network reads at once is limited, so long texts are cut at ends of sentences."""

import re
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from ...text.coding import whole_characters
from ...types import Floats

_SENTENCE_END = re.compile(r"(?<=[.!?…])[\"'”’)\]]*\s+")
_BLANK = re.compile(r"\s+")


class Network(Protocol):
    """What gives rows of texts numbers."""

    def lengths(self, texts: Sequence[str]) -> Sequence[int]:
        """Return how many tokens each text has."""

    def scores(self, rows: list[Any]) -> Floats:
        """Return one number for each row of texts."""


def piecewise_scores(network: Network, rows: Sequence[tuple[str, ...]], longest: int) -> Floats:
    """Return the network's number for each row of texts; of long texts the mean over their pieces, weighted by length.

    longest: the tokens of a text that the network reads at once. All texts of a row are cut into equally many pieces.
    """
    rows = [tuple(map(whole_characters, row)) for row in rows]
    lengths = iter(network.lengths([text for row in rows for text in row]))
    pieces: list[tuple[str, ...]] = []
    owners: list[int] = []
    weights: list[int] = []
    for place, row in enumerate(rows):
        number = -(-max(1, *(next(lengths) for _ in row)) // longest)
        found = [row] if number == 1 else list(zip(*(cut(text, number) for text in row), strict=True))
        pieces += found
        owners += [place] * len(found)
        weights += [max(1, *map(len, piece)) for piece in found]
    scores = network.scores(pieces)
    sums = np.bincount(owners, scores * weights, len(rows))
    means: Floats = sums / np.bincount(owners, weights, len(rows))
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
