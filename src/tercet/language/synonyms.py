"""English synonyms (words that share a synset of WordNet 3.0) and related words: "dog" and "animal", "decide" and
"decision".

Fellbaum (1998), "WordNet: An Electronic Lexical Database", MIT Press. The tables in data/ are made by
scripts/build_synonyms.py and scripts/build_related_words.py, which lists the relations, from WordNet 3.0 Copyright 2006
by Princeton University; its licence is in the same folder. Related words can be used instead of a table of paraphrases.
Inflected words are also looked up by their base forms, which WordNet's detachment rules give.
"""

from collections import defaultdict
from functools import cache, lru_cache
from importlib.resources import files
from itertools import accumulate

KEPT = 50_000  # maximum number of words in the cache
# Endings of inflected words and their replacements in the base form, in the order in which METEOR 1.5 tries them: the
# first that gives a word of WordNet is used, whatever its part of speech.
ENDINGS = (
    ("s", ""), ("ses", "s"), ("xes", "x"), ("zes", "z"), ("ches", "ch"), ("shes", "sh"), ("men", "man"), ("ies", "y"),
    ("es", "e"), ("es", ""), ("ed", "e"), ("ed", ""), ("ing", "e"), ("ing", ""),
    ("er", ""), ("est", ""), ("er", "e"), ("est", "e"),
)  # fmt: skip


class Synonyms:
    """The synsets of words. original: confuse 282 pairs with the same offset in different files, as METEOR 1.5."""

    def __init__(self, table: bytes, *, original: bool = False) -> None:
        import lzma

        lemmas, synsets, exceptions, taken_for_one = lzma.decompress(table).decode("utf-8").split("\f")
        self._lemmas = dict(zip(lemmas.split("\n"), synsets.split("\n"), strict=True))
        self._exceptions = {form: bases for form, *bases in map(str.split, exceptions.split("\n"))}
        self._same: dict[int, int] = {}
        if original:
            for line in taken_for_one.split("\n"):
                first, *others = (int(number, 36) for number in line.split())
                self._same.update(dict.fromkeys(others, first))
        self.of = lru_cache(maxsize=KEPT)(self._of)

    def _of(self, word: str) -> tuple[int, ...]:
        """Return the sorted synsets of a word in lower case and of its base form; none if it is not in WordNet."""
        return tuple(sorted({number for base in self.base_forms(word) for number in self._synsets(base)}))

    def base_forms(self, word: str) -> list[str]:
        """Return the lemmas that a word may be a form of, including itself."""
        bases = [word] if word in self._lemmas else []
        if word in self._exceptions:
            return bases + [base for base in self._exceptions[word] if base != word]
        if len(word) > 2 and not word.endswith("ss"):
            for ending, instead in ENDINGS:
                if word.endswith(ending) and (base := word.removesuffix(ending) + instead) in self._lemmas:
                    return [*bases, base]
        return bases

    def _synsets(self, lemma: str) -> list[int]:
        differences = (int(difference, 36) for difference in self._lemmas.get(lemma, "").split())
        return [self._same.get(number, number) for number in accumulate(differences)]


@cache
def english_synonyms(*, original: bool = False) -> Synonyms:
    """Return the synonyms of WordNet 3.0, which are loaded once per process."""
    return Synonyms(files(__package__).joinpath("data", "wordnet.xz").read_bytes(), original=original)


class RelatedWords:
    """The words that WordNet relates to each word, without its synonyms."""

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
        return self._related.get(word, frozenset())


@cache
def english_related_words() -> RelatedWords:
    """Return the related words of WordNet 3.0, which are loaded once per process."""
    return RelatedWords(files(__package__).joinpath("data", "wordnet_related.xz").read_bytes())
