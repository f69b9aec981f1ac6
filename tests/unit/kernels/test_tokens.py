"""The word kernels against regular expressions, str.split and dictionaries."""

import re
import string
from itertools import chain

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tercet.language import paraphrases
from tercet.text import coding
from tercet.text.coding import Vocabulary, characters, code_points, split_words, utf8_bytes
from tercet.text.rules import RULES

from .conftest import PLAIN

shared_fixture = settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
alphabet = st.one_of(
    st.sampled_from(list("aZ09 .,-&;<>/()[\\~$½٣\t\x1c\x85\u00a0\u2028\u3000。中（★👍\u0301«")),
    st.characters(codec="utf-8", exclude_characters="\n", exclude_categories=["Cn", "Cs"]),
)
texts = st.lists(st.text(alphabet, max_size=15), max_size=5)


def test_the_source_runs_uncompiled():
    assert all(str(module.__file__).endswith(".py") for module in PLAIN.values())


def by_expressions_13a(text):
    text = f" {text} "
    text = re.sub(r"([\{-\~\[-\` -\&\(-\+\:-\@\/])", r" \1 ", text)
    text = re.sub(r"([^0-9])([\.,])", r"\1 \2 ", text)
    text = re.sub(r"([\.,])([^0-9])", r" \1 \2", text)
    return re.sub(r"([0-9])(-)", r"\1 \2 ", text)


def by_expressions_char(text):
    return re.sub("(.)", r" \1 ", text, flags=re.DOTALL)


@pytest.mark.parametrize(("name", "slow"), [("13a", by_expressions_13a), ("char", by_expressions_char), ("none", str)])
@shared_fixture
@given(texts=texts)
def test_rules_equal_their_regular_expressions(form, name, slow, texts):
    texts = [text.replace("&", "") for text in texts]  # entities are undone before the rules, and tested elsewhere
    assert RULES[name].words(texts).strings() == [slow(text.rstrip()).split() for text in texts]


@pytest.mark.parametrize("name", sorted(RULES))
@pytest.mark.parametrize(
    "text", ["", " ", ".", ",.,.", "0-", "-", "中", "$", "$.,$", "1.1.", "((((", "★★", "！！", "  a  "]
)
def test_no_rule_writes_beyond_its_arrays(form, name, text):
    """One short text at a time leaves no slack from others; plain Python raises IndexError."""
    assert "".join(RULES[name].words([text]).strings()[0]) == "".join(text.split())


@shared_fixture
@given(texts=texts)
def test_words_are_those_of_str_split(form, texts):
    assert split_words(*code_points(texts)).strings() == [text.split() for text in texts]


@shared_fixture
@given(texts=texts)
def test_words_of_bytes_are_those_of_bytes_split(form, texts):
    words = split_words(*utf8_bytes(texts), ascii_blanks=True).strings()
    assert words == [[word.decode("latin-1") for word in text.encode().split()] for text in texts]


def separate(word):
    """The rule of chrF++: a mark at the end, else at the beginning, of a word is a word of its own."""
    if len(word) == 1:
        return [word]
    if word[-1] in string.punctuation:
        return [word[:-1], word[-1]]
    return [word[0], word[1:]] if word[0] in string.punctuation else [word]


@shared_fixture
@given(texts=texts)
def test_punctuation_is_separated_as_in_chrf(form, texts):
    words = split_words(*code_points(texts), punctuation=True).strings()
    assert words == [[part for word in text.split() for part in separate(word)] for text in texts]


@pytest.mark.parametrize(
    ("drop", "slow"),
    [("unicode", lambda text: "".join(text.split())), ("space", lambda text: text.replace(" ", "")), ("none", str)],
)
@shared_fixture
@given(texts=texts)
def test_blanks_are_dropped(form, drop, slow, texts):
    units = characters(*code_points(texts), drop=drop)
    kept = ["".join(map(chr, units.ids[a:b])) for a, b in zip(units.offsets[:-1], units.offsets[1:], strict=True)]
    assert kept == [slow(text) for text in texts]


@shared_fixture
@given(known=texts, others=texts)
def test_equal_words_have_equal_numbers(form, known, others):
    words, asked = split_words(*code_points(known)), split_words(*code_points(others))
    vocabulary = Vocabulary(words)
    numbers: dict[str, int] = {}
    for word, number in zip(chain.from_iterable(words.strings()), vocabulary.units.ids.tolist(), strict=True):
        assert numbers.setdefault(word, number) == number
    assert len(set(numbers.values())) == len(numbers)
    assert vocabulary.find(asked).ids.tolist() == [
        numbers.get(word, -1) for word in chain.from_iterable(asked.strings())
    ]


@pytest.mark.parametrize(
    "words",
    [
        ["bÿ", "a\u0200"],  # the same number in base 257, but only one of them has digits
        ["\u012c\u0400", "\u012d\u02ff"],  # the same hash
        ["\0", "\0\0", "\0a", "a"],
        ["ÿÿÿÿÿÿÿ", "ÿÿÿÿÿÿÿÿ", "ÿÿÿÿÿÿĀ", "ÿÿÿÿÿÿÿa", "aÿÿÿÿÿÿÿ"],  # seven characters fit a key
    ],
)
def test_words_with_like_keys_are_told_apart(form, words):
    vocabulary = Vocabulary(split_words(*code_points([" ".join([*words, *words])])))
    assert vocabulary.units.ids.tolist() == [*range(len(words)), *range(len(words))]
    for number, word in enumerate(words):
        assert vocabulary.find(split_words(*code_points([word]))).ids.tolist() == [number]
        others = Vocabulary(split_words(*code_points([" ".join({*words} - {word})])))
        assert others.find(split_words(*code_points([word]))).ids.tolist() == [-1]


def test_the_table_of_words_grows(form, monkeypatch):
    monkeypatch.setattr(coding, "SLOTS", 4)
    words = [f"w{number}" for number in range(50)]
    vocabulary = Vocabulary(split_words(*code_points([" ".join(words), " ".join(reversed(words))])))
    assert vocabulary.units.ids.tolist() == [*range(50), *reversed(range(50))]
    assert vocabulary.find(split_words(*code_points(["w49 w0 x"]))).ids.tolist() == [49, 0, -1]


def test_different_texts_have_different_hashes(form):
    texts = [f"{a} {b}" for a in range(40) for b in ("x", "y", "xy", "")]
    assert len(set(paraphrases._hashes(texts).tolist())) == len(texts)
    assert paraphrases._hashes(["leapt", ""]).tolist() == [14387773699419087946, 0]


@shared_fixture
@given(texts=st.lists(st.text(alphabet, max_size=12), max_size=4))
def test_words_are_joined_by_any_character(form, texts):
    assert split_words(*code_points(texts)).joined("\n") == ["\n".join(text.split()) for text in texts]
