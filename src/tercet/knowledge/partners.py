"""Look in a text for words that mean what a name of another text means, by vectors of the encoder `multilingual`."""

from functools import lru_cache

import numpy as np

from ..language.encoders import Encoder, open_encoder
from ..text.scripts import base_code
from ..types import Floats32
from .normalise import SPACELESS

LONGEST = 3  # words of a partner
SHORTEST = 3  # letters of a partner; a character of Chinese is enough


def has_partner(name: str, language: str, text: str, other: str, *, least: float) -> bool:
    """Return whether up to three neighbouring words of a text are near a name; False for unknown languages.

    least: the cosine of the name and its partner.
    """
    known = _encoder().languages
    if known is not None and not {base_code(language), base_code(other)} <= known:
        return False
    words, _ = _words(name)
    vectors, letters = _words(text)
    if not len(words):
        return False
    shortest = 1 if other in SPACELESS else SHORTEST
    sums, sizes = vectors, letters
    for more in range(1, LONGEST + 1):
        lengths = np.linalg.norm(sums, axis=1) * np.linalg.norm(words.sum(0))
        near = sums @ words.sum(0) > least * np.maximum(lengths, 1e-9)
        if (near & (sizes >= shortest)).any():
            return True
        sums, sizes = sums[:-1] + vectors[more:], sizes[:-1] + letters[more:]
        if not len(sums):
            break
    return False


def length_ratio(text: str, other_text: str) -> float:
    """Return how long a text is beside another, in pieces of words."""
    own, other = (len(pieces) for pieces in _encoder().split([text, other_text]))
    return own / max(other, 1)


@lru_cache(maxsize=4096)
def _words(text: str) -> tuple[Floats32, np.ndarray[tuple[int], np.dtype[np.int64]]]:
    """Return a vector of each word, the sum of its pieces', and its number of letters."""
    [tokens] = _encoder().tokens([text], 0)
    words = tokens.by_word
    return words.vectors, np.array([sum(map(str.isalpha, word)) for word in words.tokens], dtype=np.int64)


@lru_cache(maxsize=1)
def _encoder() -> Encoder:
    return open_encoder("multilingual")
