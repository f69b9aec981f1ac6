"""Words in their morphemes: what was planted is found, and nothing is lost."""

import random
from collections import Counter
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercet.errors import DataError
from tercet.language.morphemes import LONGEST, learn_morphemes

STEMS = ["walk", "jump", "talk", "play", "paint", "climb", "shout", "clean", "watch", "plant", "crawl", "knock"]
ENDINGS = ["ed", "ing", "er"]


def planted(stems, endings, *, bare):
    words = ["".join(parts) for parts in product(stems, endings)]
    return Counter(words + (list(stems) if bare else []))


@pytest.mark.parametrize("bare", [True, False])
def test_planted_endings_are_found_even_where_no_stem_stands_alone(bare):
    found = learn_morphemes(planted(STEMS, ENDINGS, bare=bare))
    right = sum(found.split(stem + ending) == (stem, ending) for stem, ending in product(STEMS, ENDINGS))
    assert right >= 0.9 * len(STEMS) * len(ENDINGS)


def test_planted_prefixes_stems_and_endings_are_found():
    draw = random.Random(7)
    stems = ["".join(draw.choices("abcdefghijklmnopqrstuvwxyz", k=6)) for _ in range(150)]
    combined = list(product(["", "un", "over"], stems, ["", "ness", "ful", "est"]))
    seen = [parts for parts in combined if draw.random() < 0.4]
    found = learn_morphemes(Counter("".join(parts) for parts in seen))
    for some, least in ((seen, 0.9), (set(combined) - set(seen), 0.8)):
        right = sum(found.split("".join(parts)) == tuple(filter(None, parts)) for parts in some)
        assert right > least * len(some)


def test_unseen_words_are_split_at_known_morphemes():
    found = learn_morphemes(planted(STEMS, ENDINGS, bare=True))
    assert found.split("walkings")[0] == "walk"
    assert found.split("blinking")[-1] == "ing"
    assert found.split("zzzqqq") == ("zzzqqq",)


def test_words_that_share_nothing_stay_whole():
    found = learn_morphemes({"cat": 5, "dug": 3, "hymn": 2})
    assert [found.split(word) for word in ("cat", "dug", "hymn")] == [("cat",), ("dug",), ("hymn",)]


def test_numbers_marks_and_what_is_too_long_stay_whole():
    found = learn_morphemes({**planted(STEMS, ENDINGS, bare=True), "2018": 4, "--": 9, "walk" * LONGEST: 1})
    for word in ("2018", "20182018", "--", "walk" * LONGEST, "a", ""):
        assert found.split(word) == (word,)


def test_no_word_is_split_before_a_combining_mark():
    stems = ["cafe\u0301", "the\u0301", "ble\u0301", "cle\u0301", "dome\u0301"]
    found = learn_morphemes(planted(stems, ["\u0301x", "s", ""], bare=False))
    parts = [part for word in found.words for part in found.split(word)]
    assert parts
    assert not any(part.startswith("\u0301") for part in parts)


def test_the_order_of_the_words_does_not_matter():
    counts = planted(STEMS, ENDINGS, bare=True)
    backwards = dict(reversed(counts.items()))
    one, other = learn_morphemes(counts), learn_morphemes(backwards)
    assert one.words == other.words and one.counts == other.counts and one.nats == other.nats


def test_counts_are_those_of_the_morphemes_in_the_words():
    counts = dict.fromkeys(planted(STEMS, ENDINGS, bare=True), 1)
    found = learn_morphemes(counts)
    assert found.counts == Counter(part for word in counts for part in found.split(word))


@given(st.dictionaries(st.text(min_size=1, max_size=12), st.integers(1, 100), max_size=30), st.text(max_size=50))
def test_the_parts_of_a_word_joined_are_the_word(counts, unseen):
    found = learn_morphemes(counts)
    for word in [*counts, unseen]:
        parts = found.split(word)
        assert "".join(parts) == word
        assert all(parts) or not word


@pytest.mark.parametrize("counts", [{"": 1}, {"a": 0}])
def test_empty_words_and_counts_of_nothing_are_refused(counts):
    with pytest.raises(DataError, match="Words must not be empty, counts at least 1"):
        learn_morphemes(counts)


def test_no_words_teach_nothing():
    assert learn_morphemes({}).split("walking") == ("walking",)
