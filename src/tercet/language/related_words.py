"""English words that are related in WordNet 3.0 but not synonyms: "dog" and "animal", "decide" and "decision".

Fellbaum (1998), "WordNet: An Electronic Lexical Database", MIT Press. The table in data/ is made by
scripts/build_related_words.py, which lists the relations, from WordNet 3.0 Copyright 2006 by Princeton University; its
licence is in the same folder. These pairs can be used instead of a table of paraphrases.
"""

from __future__ import annotations

from collections import defaultdict
from functools import cache
from importlib.resources import files

_NONE: frozenset[str] = frozenset()


class RelatedWords:
    """The related words of each word."""

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
        """Return the words related to a base form in lower case; none if it is not in WordNet."""
        return self._related.get(word, _NONE)


@cache
def english_related_words() -> RelatedWords:
    """Return the related words of WordNet 3.0, which are loaded once per process."""
    return RelatedWords(files(__package__).joinpath("data", "wordnet_related.xz").read_bytes())
