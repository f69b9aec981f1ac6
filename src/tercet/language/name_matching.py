"""Match named entities in two texts of one language: whole names, parts of names, and acronyms.

Sultan, Bethard and Sumner (2014), "Back to Basics for Monolingual Alignment", section 3.2.2. Here each word is linked
once, so an acronym is linked with the last word of its name. The author's program (`published`) links it with all words
of the name, and it links the words of a long name that the short name lacks with all words of the short name.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Self

from .lexical_similarity import published_marks
from .relations import entity_types
from .sentence import Sentence

TYPES = frozenset({"PERSON", "ORGANIZATION", "LOCATION"})
LONGEST = 50  # words; a longer "name" is bad output, whose words would all be linked with each other
MOST = 150  # `learn` adds names only up to this number per sentence, because all pairs are compared

Link = tuple[int, int]


@dataclass(slots=True)
class Name:
    """A name in a sentence: the numbers of its words from 1, their forms, and its type."""

    numbers: list[int]
    forms: list[str]
    type: str

    def is_acronym_of(self, other: Self) -> bool:
        return len(self.forms) == 1 and is_acronym(self.forms[0], other.forms)


def names(sentence: Sentence) -> list[Name]:
    """Return the named entities of a sentence with the type names of Stanford CoreNLP."""
    return [
        Name(
            list(range(entity.first, entity.last + 1)),
            [token.form for token in sentence.tokens[entity.first - 1 : entity.last]],
            entity.type,
        )
        for entity in entity_types(sentence)
        if entity.last - entity.first < LONGEST
    ]


def is_acronym(word: str, forms: Sequence[str]) -> bool:
    """Return whether a word in capitals consists of the initials of a name; "A" and "I" are not acronyms."""
    letters = word.replace(".", "")
    return (
        letters.isupper()
        and len(letters) == len(forms)
        and letters not in ("A", "I")
        and all(letter == form[0] for letter, form in zip(letters, forms, strict=True))
    )


def learn(sentence: Sentence, own: list[Name], other: list[Name], *, published: bool = False) -> None:
    """Add capitalised words that occur in the other sentence's names, because the recogniser may have missed them."""
    known = {number for name in own for number in name.numbers}
    for number, token in enumerate(sentence.tokens, 1):
        if number in known or not token.form[:1].isupper() or len(own) >= MOST:
            continue
        having = [name for name in other if token.form in name.forms or is_acronym(token.form, name.forms)]
        for name in having if published else having[:1]:
            new = Name([number], [token.form], name.type)
            longer = [mine for mine in own if token.form in name.forms and mine.numbers[-1] == number - 1]
            for mine in longer:
                mine.numbers.append(number)
                mine.forms.append(token.form)
            if not longer and (token.form in name.forms or new not in own):
                own.append(new)


def name_links(output: Sentence, reference: Sentence) -> Iterator[Link]:
    """Yield links between the words of names, most certain first. The caller skips words that are already linked."""
    ours, theirs = names(output), names(reference)
    if not ours and not theirs:
        return
    learn(output, ours, theirs)
    learn(reference, theirs, ours)
    pairs = list(product(_unique(ours), _unique(theirs)))
    for mine, other in pairs:
        if _canonical(mine) == _canonical(other):
            yield from zip(mine.numbers, other.numbers, strict=True)
    for mine, other in pairs:
        if mine.is_acronym_of(other) or other.is_acronym_of(mine):
            yield mine.numbers[-1], other.numbers[-1]
    for mine, other in pairs:
        if mine.type == other.type and (set(mine.forms) <= set(other.forms) or set(other.forms) <= set(mine.forms)):
            yield from _same_words(mine, other)


def _unique(found: Sequence[Name]) -> list[Name]:
    """Return the names of people, organisations and places that occur once."""
    times = Counter(tuple(name.forms) for name in found)
    return [name for name in found if name.type in TYPES and times[tuple(name.forms)] == 1]


def _canonical(name: Name) -> list[str]:
    return [form.replace(".", "").replace("-", "") for form in name.forms]


def _same_words(mine: Name, other: Name) -> Iterator[Link]:
    return (
        (first, second)
        for first, form in zip(mine.numbers, mine.forms, strict=True)
        for second, same in zip(other.numbers, other.forms, strict=True)
        if form == same
    )


def published_name_links(
    output: Sentence, reference: Sentence, used_output: frozenset[int], used_reference: frozenset[int]
) -> list[Link]:
    """Return the links of the author's program with its errors, which may link a word several times."""
    ours, theirs = names(output), names(reference)
    learn(output, ours, theirs, published=True)
    learn(reference, theirs, ours, published=True)
    mine = [name for name in ours if name.type in TYPES]
    others = [name for name in theirs if name.type in TYPES]
    found: dict[Link, None] = {}
    done_output: list[Name] = []
    done_reference: list[Name] = []
    single = list(product(_unique(ours), _unique(theirs)))
    for a, b in single:
        if [form.replace("-", "") for form in a.forms] == [form.replace("-", "") for form in b.forms]:
            found.update(dict.fromkeys(zip(a.numbers, b.numbers, strict=True)))
            done_output.append(a)
            done_reference.append(b)
    for a, b in product(mine, others):
        if a.is_acronym_of(b) or b.is_acronym_of(a):
            found.update(dict.fromkeys(product(a.numbers, b.numbers)))
    forms_output = {form for name in mine for form in name.forms}
    forms_reference = {form for name in others for form in name.forms}
    for a, b in single:
        if a in done_output or b in done_reference or a.type != b.type:
            continue
        if set(a.forms) <= set(b.forms):
            barred = {number for number, form in zip(b.numbers, b.forms, strict=True) if form in forms_output}
            barred |= used_reference
            _published_parts(a, b, found, barred, set(), flipped=False)
        elif set(b.forms) <= set(a.forms):
            lost = {
                k for k, (number, form) in enumerate(zip(a.numbers, a.forms, strict=True))
                if number in used_output or form in forms_reference
            }  # fmt: skip
            _published_parts(b, a, found, set(), lost, flipped=True)
    return list(found)


def _published_parts(
    short: Name, long: Name, found: dict[Link, None], barred: set[int], lost: set[int], *, flipped: bool
) -> None:
    """Link the common words of two names, then all other words of the long name with all of the short one."""
    open_words = set(long.numbers)
    for first, second in list(_same_words(short, long)):
        pair = (second, first) if flipped else (first, second)
        if pair not in found:
            found[pair] = None
            open_words.discard(second)
    marks = published_marks()
    for k, (first, form) in enumerate(zip(short.numbers, short.forms, strict=True)):
        for second, other in zip(long.numbers, long.forms, strict=True):
            if k in lost or second in barred or second not in open_words or form in marks or other in marks:
                continue
            found.setdefault((second, first) if flipped else (first, second))
