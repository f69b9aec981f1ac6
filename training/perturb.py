"""Ways to damage a translation, for training. The tests of robustness use other generators (`probes.py`)."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

NEGATED = {
    "is": "is not",
    "are": "are not",
    "was": "was not",
    "were": "were not",
    "has": "has not",
    "have": "have not",
    "will": "will not",
    "can": "cannot",
    "could": "could not",
    "should": "should not",
    "would": "would not",
    "did": "did not",
    "does": "does not",
}
NEGATIONS = {"not", "never", "no"}


@dataclass
class Around:
    """What a generator may take from elsewhere: the source, other references and sources, names and words."""

    source: str
    references: Sequence[str]
    sources: Sequence[str]
    names: Sequence[str]
    words: Sequence[str]


def drop(words: list[str], random: Random, around: Around) -> str | None:
    """Leave out one word to a third of the words."""
    count = random.randint(1, max(1, len(words) // 3))
    gone = set(random.sample(range(len(words)), count)) if len(words) > 3 else set()
    return " ".join(word for place, word in enumerate(words) if place not in gone) if gone else None


def repeat(words: list[str], random: Random, around: Around) -> str | None:
    """Say one to four words twice."""
    start, length = random.randrange(len(words)), random.randint(1, 4)
    return " ".join(words[: start + length] + words[start : start + length] + words[start + length :])


def swap(words: list[str], random: Random, around: Around) -> str | None:
    """Exchange some words with others."""
    if len(words) < 4:
        return None
    changed = list(words)
    for _ in range(random.randint(1, max(1, len(words) // 5))):
        a, b = random.sample(range(len(words)), 2)
        changed[a], changed[b] = changed[b], changed[a]
    return " ".join(changed) if changed != words else None


def number(words: list[str], random: Random, around: Around) -> str | None:
    """Change the digits of a number."""
    places = [place for place, word in enumerate(words) if re.search(r"\d", word)]
    if not places:
        return None
    place = random.choice(places)
    changed = re.sub(r"\d", lambda digit: str((int(digit[0]) + random.randint(1, 9)) % 10), words[place])
    return " ".join([*words[:place], changed, *words[place + 1 :]])


def name(words: list[str], random: Random, around: Around) -> str | None:
    """Put another name in the place of one."""
    places = [
        place
        for place, word in enumerate(words)
        if place and word[:1].isupper() and word[1:].islower() and len(word) > 3
    ]
    if not places or not around.names:
        return None
    place, other = random.choice(places), random.choice(around.names)
    return " ".join([*words[:place], other, *words[place + 1 :]]) if other != words[place] else None


def negation(words: list[str], random: Random, around: Around) -> str | None:
    """Negate a verb, or take a negation away."""
    negations = [place for place, word in enumerate(words) if word.lower() in NEGATIONS]
    if negations:
        place = random.choice(negations)
        return " ".join(words[:place] + words[place + 1 :])
    verbs = [place for place, word in enumerate(words) if word.lower() in NEGATED]
    if not verbs:
        return None
    place = random.choice(verbs)
    return " ".join([*words[:place], NEGATED[words[place].lower()], *words[place + 1 :]])


def truncate(words: list[str], random: Random, around: Around) -> str | None:
    """Stop after 20 to 85 % of the words."""
    kept = int(len(words) * random.uniform(0.2, 0.85))
    return " ".join(words[:kept]) if 0 < kept < len(words) else None


def replace(words: list[str], random: Random, around: Around) -> str | None:
    """Put other words in the place of some."""
    changed = list(words)
    for _ in range(random.randint(1, max(1, len(words) // 5))):
        changed[random.randrange(len(words))] = random.choice(around.words)
    return " ".join(changed) if changed != words else None


def add(words: list[str], random: Random, around: Around) -> str | None:
    """Add a piece of another sentence."""
    other = random.choice(around.references).split()
    start = random.randrange(max(1, len(other)))
    piece = other[start : start + random.randint(2, 8)]
    place = random.choice([0, len(words), random.randrange(len(words))])
    return " ".join(words[:place] + piece + words[place:])


def source(words: list[str], random: Random, around: Around) -> str | None:
    """Leave the source untranslated, wholly or in its second half."""
    if random.random() < 0.6:
        return around.source
    untranslated = around.source.split()
    return " ".join(words[: len(words) // 2] + untranslated[len(untranslated) // 2 :])


def foreign(words: list[str], random: Random, around: Around) -> str | None:
    """Give a sentence of another language."""
    return random.choice(around.sources)


def unrelated(words: list[str], random: Random, around: Around) -> str | None:
    """Give a good sentence that has nothing to do with it."""
    return random.choice(around.references)


def empty(words: list[str], random: Random, around: Around) -> str | None:
    """Give nothing, or next to nothing."""
    return random.choice(["", "", ".", "...", random.choice(around.words)])


Generator = Callable[[list[str], Random, Around], "str | None"]
GENERATORS: dict[str, tuple[Generator, float]] = {  # with how often it is drawn
    "drop": (drop, 2),
    "repeat": (repeat, 1),
    "swap": (swap, 2),
    "number": (number, 2),
    "name": (name, 2),
    "negation": (negation, 3),
    "truncate": (truncate, 1.5),
    "replace": (replace, 2),
    "add": (add, 1),
    "source": (source, 0.7),
    "foreign": (foreign, 0.5),
    "unrelated": (unrelated, 0.7),
    "empty": (empty, 0.3),
}


def damage(text: str, random: Random, around: Around) -> str | None:
    """Damage a text in one way drawn at random; None when that way does not apply or changes nothing."""
    words = text.split()
    if not words:
        return None
    names = list(GENERATORS)
    chosen = random.choices(names, [GENERATORS[one][1] for one in names])[0]
    changed = GENERATORS[chosen][0](words, random, around)
    return None if changed is None or changed.split() == words else changed
