"""English words that WordNet 3.0 relates without calling them synonyms: "dog" and "animal", "decide" and "decision".

Fellbaum (1998), "WordNet: An Electronic Lexical Database", MIT Press. The table in data/ is made by
scripts/build_related_words.py, which says what relations it has, from WordNet 3.0 Copyright 2006 by Princeton
University; its licence lies beside it. Where no table of paraphrases is at hand, these pairs take its place.
"""

from __future__ import annotations

from collections import defaultdict
from functools import cache
from importlib.resources import files

_NONE: frozenset[str] = frozenset()


class RelatedWords:
    """The words that each word is related to. Loaded once per process."""

    def __init__(self, table: bytes) -> None:
        import lzma

        related: dict[str, set[str]] = defaultdict(set)
        for line in lzma.decompress(table).decode("utf-8").split("\n"):
            word, *others = line.split(" ")
            related[word].update(others)
            for other in others:
                related[other].add(word)
        self._related = {word: frozenset(others) for word, others in related.items()}

    def of(self, word: str) -> frozenset[str]:
        """The words that a word in lower case, a base form, is related to; none for one that WordNet lacks."""
        return self._related.get(word, _NONE)


@cache
def english_related_words() -> RelatedWords:
    """WordNet 3.0, loaded once per process."""
    return RelatedWords(files(__package__).joinpath("data", "wordnet_related.xz").read_bytes())
