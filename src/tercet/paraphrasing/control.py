"""Quality control: drop variants that do not parse back to the structure their rules intend, or are improbable."""

from collections.abc import Sequence

from ..language.kneser_ney import estimate
from ..language.ngram_models import KenlmModel, NgramModel
from ..language.sentence import Sentence
from ..text.tokenisers import tokenise
from .inflection import Morphology
from .tree import build_tree
from .variants import Variant

_SAME = {"AUX": "VERB", "PROPN": "NOUN", "SCONJ": "ADP"}  # parts of speech that parsers confuse without harm
_PARTICIPLE = frozenset({"ADJ", "VERB"})


def parses_back(variant: Variant, sentence: Sentence, morphology: Morphology) -> bool:
    """Return whether the parse of a variant has the structure that its rules intend."""
    draft, found = variant.draft, build_tree(sentence, morphology.split)
    words = [number for number in draft.order if draft[number].form]
    pieces = [part for number in words for part in draft[number].form.split(" ")]
    if len(pieces) != len(found.words):
        return len(pieces) > len(found.words)  # several words in one token are no sign of a mistake
    places = {number: place for place, number in enumerate(words)}
    reordered = all(word.upos == "PUNCT" for word in draft.words.values())  # nothing but the order has changed
    for number in draft.altered:
        if number not in places or " " in draft[number].form:
            continue
        intended, got = draft[number], found.words[places[number]]
        moved = reordered and intended.upos != "PUNCT"
        same_relation = intended.relation.partition(":")[0] == got.relation.partition(":")[0]
        if not _is_same(intended.upos, got.upos) or (moved and not same_relation):
            return False
    return True


def _is_same(one: str, other: str) -> bool:
    one, other = _SAME.get(one, one), _SAME.get(other, other)
    return one == other or {one, other} <= _PARTICIPLE or "X" in (one, other)


def probable(
    model: NgramModel | KenlmModel, references: Sequence[str], variants: Sequence[str], threshold: float
) -> list[bool]:
    """Return for each variant whether its log10 probability per word is at most `threshold` below the reference's."""
    scored = (model.score(_tokenised(texts)) for texts in (references, variants))
    old, new = (each.totals() / (each.words + 1) for each in scored)
    return [bool(keep) for keep in old - new <= threshold]


def estimate_model(texts: Sequence[str]) -> NgramModel:
    """Return a trigram model of texts, tokenised as `probable` does it."""
    return estimate(_tokenised(texts), order=3)


def _tokenised(texts: Sequence[str]) -> list[str]:
    return [" ".join(words).lower() for words in tokenise(texts, "13a").strings()]
