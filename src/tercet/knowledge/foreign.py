"""Find texts and mentions that are not in the expected language.

Gekhman et al. (2020) ignore entities of the output that are not in the target language: otherwise systems that copy the
source would be rewarded. A mention is foreign if its sentence is in another script or language, or if its own span is:
judged by its script (names in Latin letters occur in all languages) and, if long enough, by its language. py3langid
(extra `kobe`) decides about languages. It is slower than linking and therefore only asked about sentences without
enough frequent words of the expected language.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from ..errors import optional
from ..language.function_words import function_words
from ..text.packaged import packaged
from ..text.scripts import base_code, count_scripts, script_names, scripts_of
from .mentions import Mention

SURE = 0.9  # a text is foreign if py3langid gives another language at least this probability
_SHARE_OF_TEXT = 0.25  # of letters in the language's own script; low, as a Chinese word has fewer than a Latin name
_LETTERS_OF_A_SPAN = 24  # shorter spans are more often names than words of a language
_OWN_WORDS = 0.12  # a text with a larger share of the language's frequent words is not foreign


@lru_cache(maxsize=64)
def stop_words(language: str) -> frozenset[str]:
    """Return words that are never a name by themselves, in the forms of `normalise.py`; empty without a list."""
    code = base_code(language)
    return frozenset(packaged(__package__, "data/stop_words.toml").get(code, "").split()) | function_words(code)


def without_foreign(
    texts: Sequence[str], mentions: Sequence[Sequence[Mention]], language: str, *, among: Sequence[str]
) -> list[list[Mention]]:
    """Return the mentions that are in the language. `among`: the other languages that a text may be in."""
    needs_identifier()
    among = tuple(among)
    scripts = scripts_of(language)
    own = [name in scripts or not scripts for name in script_names()]
    readable = [mine or name == "Latin" for mine, name in zip(own, script_names(), strict=True)]  # of Latin names
    kept: list[list[Mention]] = []
    for text, found, counts in zip(texts, mentions, count_scripts(texts).tolist(), strict=True):
        if not found or not _is_written_in(counts, own, _SHARE_OF_TEXT) or is_foreign(text, language, among=among):
            kept.append([])
        else:
            kept.append([m for m in found if not _span_is_foreign(m.text, language, readable, among)])
    return kept


def is_foreign(text: str, language: str, *, among: Sequence[str]) -> bool:
    """Return whether a text is certainly in another language."""
    words = text.lower().split()
    telling = _telling_words(language, tuple(among))
    if sum(word in telling for word in words) > _OWN_WORDS * len(words):
        return False
    identifier, own = _identifier((language, *among)), base_code(language)
    if own not in identifier.nb_classes:  # py3langid does not know the language, so every text would be foreign
        return False
    best, probability = identifier.classify(text)
    return bool(best != own and probability >= SURE)


@lru_cache(maxsize=64)
def _telling_words(language: str, among: tuple[str, ...]) -> frozenset[str]:
    """Return the frequent words of a language that none of the other languages has."""
    return stop_words(language).difference(*(stop_words(other) for other in among if other != language))


def _span_is_foreign(span: str, language: str, readable: list[bool], among: Sequence[str]) -> bool:
    if not span.isascii() and not _is_written_in(count_scripts([span])[0].tolist(), readable, 0.5):
        return True
    return len(span) >= _LETTERS_OF_A_SPAN and is_foreign(span, language, among=among)


def _is_written_in(counts: list[int], scripts: list[bool], share: float) -> bool:
    return sum(count for count, mine in zip(counts, scripts, strict=True) if mine) >= share * sum(counts)


def needs_identifier() -> Any:
    """Return py3langid, or raise MissingDependency if it is missing, so that the error comes before the work."""
    return optional("py3langid", "The language filter", "kobe").langid


@lru_cache(maxsize=8)
def _identifier(languages: tuple[str, ...]) -> Any:
    """Return py3langid's identifier, restricted to some languages."""
    langid = needs_identifier()
    identifier = langid.LanguageIdentifier.from_model_file(langid.MODEL_FILE, norm_probs=True)
    known = {base_code(language) for language in languages} & set(identifier.nb_classes)
    if known:
        identifier.set_languages(sorted(known))
    return identifier
