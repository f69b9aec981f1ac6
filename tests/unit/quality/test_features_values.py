"""The values of features, by hand for small sentences or from the models that they are read from."""

import random
import re
from typing import Any

import numpy as np
import pytest

from tercet.language.frequencies import Frequencies
from tercet.language.ngram_models import Scored
from tercet.quality.features import extract
from tercet.quality.features.constructions import _addresses, is_number
from tercet.quality.features.fluency import _spread
from tercet.quality.features.surface import mismatched_brackets, mismatched_quotes
from tercet.quality.resources import AXES, Corpora, Resources

from ..language.lookups import translations
from .corpus import SOURCES, TARGETS


def words(**shares: float) -> Frequencies:
    values = np.array(list(shares.values()))
    return Frequencies(tuple(shares), (np.arange(len(shares), dtype=np.int64),), (values,), lowercase=True)


BARE = Resources(
    "en",
    "es",
    source_function_words=frozenset({"the", "of"}),
    target_function_words=frozenset({"la", "de"}),
    source_words=words(house=1e-4, the=1e-2, of=1e-2),
    target_words=words(casa=1e-4, la=1e-2, the=1e-6),
)


@pytest.fixture(scope="module")
def estimated() -> Resources:
    return Corpora(("en", "es"), parallel=(SOURCES, TARGETS)).estimate()


def value(name: str, source: str, output: str, resources: Resources = BARE) -> float:
    return float(extract([source], [output], resources, names=[name]).values[0, 0])


@pytest.mark.parametrize(
    ("name", "source", "output", "expected"),
    [
        ("source_tokens", "Yes , it is .", "Sí .", 5),
        ("target_source_ratio", "a b", "a b c", 1.5),
        ("token_difference", "a b c d", "a", 0.75),
        ("target_source_characters", "abcd", "abcdef", 1.5),
        ("source_word_length", "a bbb .", "x", 5 / 3),
        ("target_type_token", "x", "La casa la", 2 / 3),
        ("target_occurrences", "x", "La casa la", 1.5),
        ("source_numbers", "In 1,000 of 3 .", "x", 0.4),
        ("source_not_latin", "Año 3 abc", "x", 2 / 3),
        ("latin_ratio", "a b", "a 1", (1 + 1e-3) / (0.5 + 1e-3)),
        ("latin_ratio", "a b", "1 2", 10),
        ("source_content", "The house of 3 .", "x", 0.2),
        ("target_function", "x", "La casa de .", 0.5),
        ("source_marks", 'Well , " yes " ( no ) ; good : . ! ?', "x", 6),
        ("target_marks", "x", "¿ Qué ?", 2),
        ("commas_difference", "a , b , c", "a , b", 1),
        ("commas_difference_share", "a , b , c", "a b", 1),
        ("quotes_difference", '" a "', "a", 2),
        ("brackets_difference", "( a )", "( a", 1),
        ("numbers_difference", "3 4", "3", 1),
        ("source_mark_share", "a , ( +", "x", 0.75),
        ("source_content", "we ❤\ufe0f it", "x", 0.5),  # Moses makes four tokens of it
        ("target_open_brackets", "x", "( a ] )", 1),
        ("copied_words", "Das Parlament in Europa", "in Europa the parliament", 0.5),
        ("copied_lower_words", "Das Parlament in Europa", "in Europa the parliament", 1 / 3),
        ("shared_numbers", "1,000.50 and 3", "1.000,50 y 4", 0.5),
        ("shared_numbers", "none", "ninguno", 1),
        ("kept_names", "Yesterday Obama met Merkel .", "Ayer Obama se reunió .", 0.5),
        ("kept_addresses", "See www.example.org and a@b.org", "Vea www.example.org", 0.5),
        ("source_capitalised", "Mr Obama spoke .", "x", 0.5),
        ("capitals_difference", "NATO is big", "la OTAN", abs(1 / 3 - 1 / 2)),
        ("same_first_case", "Why ?", "¿ Por qué ?", 1),
        ("same_first_case", "Why ?", "¿ por qué ?", 0),
        ("same_last_mark", "Why ?", "Por qué .", 0),
        ("same_last_mark", "Why ?", "Por qué？", 1),
        ("same_last_mark", "Well ...", "Bueno…", 1),
        ("periods_difference", "Well ...", "Bueno…", 0),
        ("source_least_log_frequency", "3 , 4", "x", -4),
        ("quotes_difference", "「a」", "《a》", 0),
        ("brackets_difference", "「a」", "a", 0),
        ("target_is_source", "Same text", "Same text", 1),
        ("target_stutters", "x", "el el perro de de", 2),
        ("target_repeated_bigrams", "x", "a b a b", 1 / 3),
        ("source_log_frequency", "The house .", "x", -3),
        ("source_least_log_frequency", "The house .", "x", -4),
        ("source_unlisted_share", "The unheardof house .", "x", 1 / 3),
        ("target_foreign_share", "x", "the casa", 0.5),
        ("log_frequency_difference", "house", "la", 2),
    ],
)
def test_values_by_hand(name: str, source: str, output: str, expected: float) -> None:
    assert value(name, source, output) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("text", "brackets", "quotes"),
    [
        ("( [ ] )", 0, 0), ("( [ ) ]", 2, 0), (") (", 2, 0), ('"a" "', 0, 1), ("«a» «b", 0, 1), ("“a”", 0, 0),
        ("„a“", 0, 0), ("„a”", 0, 0), ("„a", 0, 1), ("a”", 0, 1), ("（a）", 0, 0), ("", 0, 0),
        ("”a” b”", 0, 1), ("”a”", 0, 0), ("“a” b”", 0, 1), ("「a」「b", 0, 1), ("『a", 0, 1),
    ],
)  # fmt: skip
def test_brackets_and_quotes_without_a_partner(text: str, brackets: int, quotes: int) -> None:
    assert mismatched_brackets(text) == brackets
    assert mismatched_quotes(text) == quotes


def test_a_copy_is_a_copy_whatever_the_tokens_of_the_two_languages() -> None:
    for languages, text in ((("en", "fr"), "L'eau n'est pas là"), (("zh", "en"), "你好，世界。")):
        table = extract([text, text], [f" {text} ", text + "."], Resources(*languages), names=["target_is_source"])
        assert table.values.tolist() == [[1.0], [0.0]]


def test_equally_probable_words_have_no_spread() -> None:
    logs = np.array([-0.1] * 7 + [-3.0, -5.0])  # seven words and the end; no word and the end
    scored = Scored(logs, np.ones(9, dtype=np.int32), np.zeros(9, dtype=np.bool_), np.array([0, 8, 9]))
    assert _spread(scored).tolist() == pytest.approx([0, np.nan], abs=1e-15, nan_ok=True)


def test_probabilities_are_those_of_the_model(estimated: Resources) -> None:
    source, output = "The dog sees an alien .", "El perro ve un alien ."
    assert estimated.target_lm is not None and estimated.target_lm_backward is not None
    scored = estimated.target_lm.score([output.lower()])
    row = dict(zip(*_row(source, output, estimated), strict=True))
    assert row["target_log_probability"] == scored.totals()[0]
    assert row["target_perplexity"] == pytest.approx(scored.perplexities()[0])
    assert row["target_perplexity_without_end"] == pytest.approx(scored.perplexities(end=False)[0])
    assert row["target_log_probability_per_word"] == pytest.approx(-np.log10(scored.perplexities()[0]))
    levels = scored.backoff_levels[:-1]
    assert row["target_backoff_mean"] == pytest.approx(levels.mean())
    assert row["target_backoff_least"] == levels.min() == 1
    assert row["target_backoff_low_words"] == (levels < 5).sum()
    assert row["target_unknown_words"] == 1 and row["target_unknown_share"] == pytest.approx(1 / 6)
    assert row["target_least_probable_word"] == scored.log10[:-1].min()
    assert row["target_probability_spread"] == pytest.approx(scored.log10[:-1].std())
    backward = estimated.target_lm_backward.score([". alien un ve perro el"])
    expected = backward.totals(end=False)[0] / 6
    assert row["target_backward_log_probability_per_word"] == pytest.approx(expected)


def _row(source: str, output: str, resources: Resources) -> tuple[tuple[str, ...], list[float]]:
    table = extract([source], [output], resources)
    return table.names, table.values[0].tolist()


def test_shares_of_quartiles_are_those_of_the_frequencies(estimated: Resources) -> None:
    source = "The green cat sees an alien ."
    row = dict(zip(*_row(source, "x", estimated), strict=True))
    assert estimated.source_frequencies is not None
    for order, name in ((1, "unigrams"), (2, "bigrams"), (3, "trigrams")):
        shares = estimated.source_frequencies.shares([source.lower().split()], order=order)[0]
        assert [row[f"source_{name}_quartile_{q}"] for q in range(1, 5)] == shares[1:].tolist()
        assert row[f"source_{name}_seen"] == pytest.approx(1 - shares[0])
    counts = [estimated.source_frequencies.count([word]) for word in source.lower().split()]
    assert row["source_log_count"] == pytest.approx(np.mean(np.log10(1 + np.array(counts))))


def test_translations_are_counted_in_the_lexical_table(estimated: Resources) -> None:
    assert estimated.aligner is not None and estimated.source_frequencies is not None
    row = dict(zip(*_row("The alien dog", "x", estimated), strict=True))
    table, frequencies = estimated.aligner.forward.table, estimated.source_frequencies
    counts = np.array([len(translations(table, word, above=0.05)) for word in ("the", "alien", "dog")])
    shares = np.array([frequencies.count([word]) for word in ("the", "alien", "dog")]) / frequencies.counts[0].sum()
    assert counts[1] == shares[1] == 0
    assert row["translations_above_0.05"] == pytest.approx(counts.mean())
    assert row["translations_above_0.05_by_frequency"] == pytest.approx((counts * shares).mean())
    inverse = (counts[[0, 2]] / (1e6 * shares[[0, 2]])).sum() / 3
    assert row["translations_above_0.05_by_inverse_frequency"] == pytest.approx(inverse)


def test_an_alignment_word_by_word_has_only_one_to_one_links(estimated: Resources) -> None:
    row = dict(zip(*_row("The cat is green", "El gato es verde", estimated), strict=True))
    ones = ("links_one_to_one", "links_agreed", "links_forward", "largest_fertility")
    zeros = (
        "links_one_to_many", "links_many_to_one", "links_many_to_many", "source_unaligned", "target_unaligned",
        "target_from_nothing", "source_to_nothing", "source_longest_gap", "links_crossing", "links_jump",
    )  # fmt: skip
    assert [row[name] for name in ones] == [1.0] * 4
    assert [row[name] for name in zeros] == [0.0] * 10


def test_alignment_scores_are_those_of_the_models(estimated: Resources) -> None:
    source, target = "the green house", "la casa verde"
    row = dict(zip(*_row(source, target, estimated), strict=True))
    assert estimated.aligner is not None
    sides = [source.split()], [target.split()]
    forward = estimated.aligner.forward.log_probabilities(*sides)[0] / np.log(10)
    assert row["alignment_log_probability"] == pytest.approx(forward)
    assert row["alignment_score"] == pytest.approx(forward / 3)
    lexical = estimated.aligner.backward.table.log_probabilities(sides[1], sides[0])[0] / np.log(10)
    assert row["lexical_score_back"] == pytest.approx(lexical / 3)
    assert row["links_crossing"] == 0.5  # casa comes from house, then verde from green


def test_words_that_nobody_knows_stay_without_links_or_share_them(estimated: Resources) -> None:
    row = dict(zip(*_row("The cat", "El gato qwx qwy qwz", estimated), strict=True))
    assert row["alignment_score"] < -1
    assert row["links_agreed"] <= 0.4


def test_very_long_sentences_are_aligned_by_their_beginning(estimated: Resources) -> None:
    long, longer = "dog " * 250, "dog " * 1000
    names = ["alignment_score", "links_jump", "source_unaligned"]
    table = extract([long, longer], ["perro " * 250, "perro " * 1000], estimated, names=names)
    assert table.values[0].tolist() == table.values[1].tolist()


def test_tags_are_counted_and_scored(monkeypatch: pytest.MonkeyPatch) -> None:
    known = {"dog": "NOUN", "perro": "NOUN", "the": "DET", "eats": "VERB", "come": "VERB", "el": "DET"}

    def tags(texts: list[str], language: str, parser: str | None, **_: Any) -> list[list[str]]:
        assert parser == f"fake:{language}"
        return [[known.get(word.lower(), "X") for word in text.split()] for text in texts]

    monkeypatch.setattr("tercet.quality.features.pairs.tags", tags)
    model = Corpora(("en", "es"), target_texts=["DET NOUN VERB"] * 3).estimate().target_lm
    assert model is not None
    resources = Resources("en", "es", source_tagger="fake:en", target_tagger="fake:es", target_tags_lm=model)
    row = dict(zip(*_row("The dog eats dog", "El perro", resources), strict=True))
    assert row["source_nouns"] == 0.5 and row["target_nouns"] == 0.5 and row["target_verbs"] == 0
    assert row["nouns_ratio"] == 1 and row["verbs_ratio"] == pytest.approx(0.01 / 0.26)
    assert row["target_tags_log_probability"] == model.score(["DET NOUN"]).totals()[0]
    assert dict(zip(*_row("", "", resources), strict=True))["target_nouns"] == 0


class FakeEncoder:
    def encode(self, texts: list[str]) -> Any:
        rows = np.array([[text.count("a"), text.count("b"), 1.0] for text in texts], dtype=np.float32)
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def test_embeddings_give_cosines_and_places_on_axes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tercet.language.embeddings.open_encoder", lambda name: FakeEncoder())
    axes = np.zeros((1 + AXES, 3))
    axes[1:4] = np.eye(3)
    resources = Resources("en", "es", embeddings="fake", embedding_axes=axes)
    row = dict(zip(*_row("aa b", "a bb", resources), strict=True))
    first, second = np.array([2, 1, 1]) / 6**0.5, np.array([1, 2, 1]) / 6**0.5
    assert row["embedding_cosine"] == pytest.approx(5 / 6)
    assert row["embedding_difference"] == pytest.approx(np.abs(first - second).sum())
    assert row["embedding_largest_difference"] == pytest.approx(1 / 6**0.5)
    places = [row[f"embedding_axis_{number:02}"] for number in range(1, 5)]
    assert places == pytest.approx([*((first + second) / 2), 0])
    from tercet.errors import UsageError

    wrong = Resources("en", "es", embeddings="fake", embedding_axes=axes[:5])
    with pytest.raises(UsageError, match=r"The embedding axes have the shape \(5, 3\), not \(65, 3\)"):
        extract(["a"], ["b"], wrong)


def test_addresses_are_what_two_regular_expressions_find() -> None:
    pattern = re.compile(r"(?:https?://|www\.)\S+|\S+@\S+\.\S+")
    draw = random.Random(1)
    pieces = ["http://", "https://", "www.", "@", ".", "a", "b", " ", "\n", "\u3000"]
    for _ in range(5000):
        text = "".join(draw.choices(pieces, k=draw.randrange(10)))
        assert _addresses(text) == pattern.findall(text), text


@pytest.mark.parametrize(
    "text",
    [
        "a" * 50_000,
        ".,;:!?()[]{}\"'«»" * 500,
        "a\0b \0",
        "👨\u200d👩\u200d👧 ❤️",
        "a \ud800",
        "\t\x1c\u2028",
        "<s> <UNK>",
    ],
)
def test_features_of_strange_texts_are_numbers(text: str, estimated: Resources) -> None:
    table = extract([text, "A dog ."], ["Un perro .", text], estimated)
    assert np.isfinite(table.values).all()


@pytest.mark.parametrize("unit", ["a", "@", "a.", "1", "1,"])
def test_a_word_of_a_million_characters_is_answered(unit: str) -> None:
    word = unit * (1_000_000 // len(unit)) + "x"  # hours, if the time grew with the square of the length
    assert not is_number(word)
    assert not _addresses(word)
