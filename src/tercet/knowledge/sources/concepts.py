"""Read concepts, common words with their translations, from dictionaries of FreeDict and from sentences side by side.

A concept is a word of English (or of the second language, if none is English) with the words that translate it, so that
words of all languages that share a translation share an entity. The weight of a word says how often it is translated
so: the probability of the alignments of Model 1 (Brown et al. 1993), for a dictionary one over its translations.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from html import unescape
from pathlib import Path

import numpy as np

from ...data.lines import read_blocks, read_lines
from ...errors import DataError, UsageError
from ...language.lexical_tables import LexicalTable, train_table
from ..foreign import stop_words
from ..normalise import SPACELESS, alias_key, dictionary_forms, spans, token_forms
from ..spill import NameRecord
from .categories import codes_of

CATEGORY = "concept"
LEAST = 0.05  # probability of a translation
LEAST_BACK = 0.01  # probability in the other direction
LEAST_BOTH = 0.003  # their product
MOST_WORDS = 3
_QUOTE = re.compile(r'<cit type="trans"[^>]*>\s*<quote>([^<]*)</quote>')
_ORTH = re.compile(r"<orth>([^<]*)</orth>")


def read_dictionary(path: str | Path, languages: Sequence[str]) -> Iterator[NameRecord]:
    """Yield the words of a dictionary in TEI, as FreeDict has them; its file is named fin-eng.tei."""
    first, _, second = Path(path).name.partition(".")[0].partition("-")
    codes = [codes_of(tuple(languages))[code] for code in (first, second)]
    if not all(codes):
        raise UsageError(
            f"{Path(path).name}: the name of a dictionary tells its languages, as fin-eng.tei, and both must be chosen."
        )
    source, target = (languages[numbers[0]] for numbers in codes)
    entries = 0
    for headword, translations in _entries(path):
        entries += 1
        for translation in translations:
            yield from _records(source, headword, target, translation, 1 / len(translations))
    if not entries:
        raise DataError(f"{path} is not a dictionary in TEI: it has no <entry> with <orth> and <quote>.")


def _entries(path: str | Path) -> Iterator[tuple[str, list[str]]]:
    """Yield headwords with their translations. A file is read line by line: the largest have 100 MB."""
    lines: list[str] = []
    for line in (line for block in read_blocks(path) for line in block):
        lines.append(line)
        if "</entry>" in line:
            entry, lines = "\n".join(lines), []
            headword = _ORTH.search(entry)
            translations = list(dict.fromkeys(filter(None, map(_plain, _QUOTE.findall(entry)))))
            if headword and translations:
                yield _plain(headword[1]), translations


def _plain(text: str) -> str:
    """Return a dictionary's word without what is in brackets, and without the particle of an infinitive."""
    return re.sub(r"^(?:to|an?|the) ", "", re.sub(r"\s*[(\[{][^)\]}]*[)\]}]", "", unescape(text)).strip())


def read_parallel(
    path: str | Path, languages: Sequence[str], *, vocabulary: Collection[str] = ()
) -> Iterator[NameRecord]:
    """Yield the words that translate each other in a table of a text and its translation, separated by a tab.

    vocabulary: the words of a language without spaces, to which its text is cut.
    """
    if len(languages) != 2:
        raise UsageError(f"`parallel` needs two languages, those of the two columns, not {len(languages)}.")
    pairs = []
    for number, line in enumerate(read_lines(path), 1):
        columns = line.split("\t")
        if len(columns) != 2:
            raise DataError(f"{path}, line {number}: a text, a tab and its translation are needed.")
        pairs.append((columns[0], columns[1]))
    yield from aligned_words(pairs, languages, vocabulary=vocabulary)


def aligned_words(
    pairs: Sequence[tuple[str, str]], languages: Sequence[str], *, vocabulary: Collection[str] = ()
) -> Iterator[NameRecord]:
    """Yield the words that translate each other in pairs of texts, with the probabilities of the translations."""
    first, second = (
        [base_words(text, language, vocabulary) for text in column]
        for language, column in zip(languages, zip(*pairs, strict=True), strict=True)
    )
    there, back = _probabilities(train_table(first, second)), _probabilities(train_table(second, first))
    counts = [Counter(word for text in column for word in text) for column in (first, second)]
    stopped = [stop_words(language) for language in languages]
    for (one, other), probability in sorted(there.items()):
        reverse = back.get((other, one), 0.0)
        if one in stopped[0] or other in stopped[1] or min(counts[0][one], counts[1][other]) < 2:
            continue
        if min(probability, reverse) < LEAST_BACK or probability * reverse < LEAST_BOTH:
            continue
        weight = reverse if languages[0] == "en" else probability
        if weight >= LEAST:
            yield from _records(languages[0], one, languages[1], other, weight)


def base_words(text: str, language: str, vocabulary: Collection[str] = ()) -> list[str]:
    """Return the base forms of a text's words. Without spaces it is cut to the longest words of a vocabulary."""
    forms = token_forms(text, spans(text), language)
    if language in SPACELESS:
        return [word for word in _cut(forms, vocabulary) if word[:1].isalpha()]
    return [(dictionary_forms(form, language) or (form,))[-1] for form in forms if form[:1].isalpha()]


def _cut(forms: Sequence[str], vocabulary: Collection[str]) -> Iterator[str]:
    place = 0
    while place < len(forms):
        ends = range(min(8, len(forms) - place), 1, -1)
        size = next((size for size in ends if "".join(forms[place : place + size]) in vocabulary), 1)
        yield "".join(forms[place : place + size])
        place += size


def _probabilities(trained: LexicalTable) -> dict[tuple[str, str], float]:
    """Return the translations of a lexical table with at least LEAST_BACK, without those of NULL."""
    rows = np.repeat(np.arange(len(trained.source_words)), np.diff(trained.starts))
    kept = np.flatnonzero((trained.probabilities >= LEAST_BACK) & (rows > 0))
    found = zip(rows[kept].tolist(), trained.targets[kept].tolist(), trained.probabilities[kept].tolist(), strict=True)
    return {(trained.source_words[one], trained.target_words[other]): value for one, other, value in found}


def _records(first: str, one: str, second: str, other: str, weight: float) -> Iterator[NameRecord]:
    """Yield the two words as names of one concept, which is called after the English one."""
    if first == "en":
        first, one, second, other = second, other, first, one
    key = " ".join(base_words(other, second) or alias_key(other, second))
    if key and len(key.split()) <= MOST_WORDS and len(one.split()) <= MOST_WORDS:
        entity = f"word:{key}" if second == "en" else f"word:{second}:{key}"
        yield NameRecord(entity, first, one, CATEGORY, round(weight, 3))
        yield NameRecord(entity, second, other, CATEGORY, 1.0)
