"""Write the words of a draft as a text: spaces, capitals, and words that are written together."""

from .inflection import Morphology
from .tree import Draft, Word

_NO_SPACE_BEFORE = frozenset(",.;:?!)]}»”’…%")
_OPENING = frozenset([".", "?", "!", "…", "...", ":", "“", "«", '"', "‘", "¿", "¡"])  # a capital may follow
_CLITICS = frozenset(["n't", "'s", "'re", "'ve", "'ll", "'d", "'m", "n’t", "’s", "’re", "’ve", "’ll", "’d", "’m"])
_NO_SPACE_AFTER = frozenset("([{«“¿¡‘")


def write_text(draft: Draft, morphology: Morphology) -> str:
    """Return the text of a draft. Words that were neighbours keep the white space between them."""
    order = draft.order
    words = _capitals(draft)
    parts: list[str] = []
    skip = False
    for place, (number, word) in enumerate(zip(order, words, strict=True)):
        gap = _gap(draft, order[place - 1] if place else None, number)
        if skip:
            skip = False
            continue
        if place + 1 < len(words) and not _as_before(draft, number, order[place + 1]):
            first, second, skip = morphology.join(word, words[place + 1])
            word = word._replace(form=first)
            if second:
                words[place + 1] = words[place + 1]._replace(form=second)
        parts += [gap if place else "", word.form]
    start = draft.tree.words[0].gap or "" if draft.tree.words else ""
    end = draft.tree.text[len(draft.tree.text.rstrip()) :]
    return start + "".join(parts) + end


def _as_before(draft: Draft, number: int, following: int) -> bool:
    """Return whether two words are unchanged neighbours in the text, so that they are written as there."""
    changed = number in draft.words or following in draft.words
    return following == number + 1 and not changed and draft[following].gap is not None


def _gap(draft: Draft, before: int | None, number: int) -> str:
    word = draft[number]
    own = word.gap
    if word.form in _CLITICS:
        return ""
    if number in draft.words and number < len(draft.tree.words) and draft.tree.words[number].form in _CLITICS:
        return " "  # n't became not
    if before is not None and before + 1 == number and own is not None:
        return own
    if word.upos == "PUNCT" and own is not None and number < len(draft.tree.words):
        return own
    if word.form[:1] in _NO_SPACE_BEFORE:
        return ""
    if before is not None and draft[before].form[-1:] in _NO_SPACE_AFTER:
        return ""
    if before is not None and before + 1 < len(draft.tree.words) and draft[before].upos == "PUNCT":
        return draft.tree.words[before + 1].gap or ""  # after a quotation mark nothing, after a comma a space
    return " "


def _capitals(draft: Draft) -> list[Word]:
    """Return the words of the draft; capitals at the beginnings of sentences and quotations stay there."""
    words = list(draft)
    places = {number: place for place, number in enumerate(draft.order)}
    before: int | None = None
    for number, word in enumerate(draft.tree.words):
        opens = before is None or draft.tree.words[before].form in _OPENING
        if opens and word.upos != "PUNCT" and word.form[:1].isupper():
            first = _following(draft, words, places, before)
            if first is not None and draft.order[first] != number:
                words[first] = words[first]._replace(form=words[first].form[:1].upper() + words[first].form[1:])
                place = places.get(number)
                if place is not None and word.upos != "PROPN" and not _is_name(word):
                    words[place] = words[place]._replace(form=words[place].form[:1].lower() + words[place].form[1:])
        if word.upos != "PUNCT" or word.form in _OPENING:
            before = number
    return words


def _following(draft: Draft, words: list[Word], places: dict[int, int], before: int | None) -> int | None:
    """Return the place of the first word after a mark; None if the mark is gone or at the end."""
    if before is not None and before not in places:
        return None
    start = 0 if before is None else places[before] + 1
    return next((place for place in range(start, len(words)) if words[place].upos != "PUNCT"), None)


def _is_name(word: Word) -> bool:
    """Return whether a word has capitals wherever it stands: acronyms, names, English "I"."""
    return (len(word.form) > 1 and word.form[1:2].isupper()) or word.lemma[:1].isupper() or word.form == "I"
