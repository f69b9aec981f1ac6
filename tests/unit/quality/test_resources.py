"""Resources: what is estimated from which texts, and that bytes bring it back or are refused."""

import io
import json
import logging
from dataclasses import fields
from typing import Any

import numpy as np
import pytest

from tercet.errors import DataError, MissingDependency, UsageError
from tercet.language.bilingual_alignment import WordAligner
from tercet.language.kneser_ney import estimate
from tercet.language.sentence import Sentence
from tercet.quality import resources as module
from tercet.quality.features import extract
from tercet.quality.resources import AXES, HOW_TO_GIVE, Corpora, Resources, principal_axes
from tercet.quality.tokens import tags, tokenise

from .corpus import PAIRS, SOURCES, TARGETS


@pytest.fixture(scope="module")
def estimated() -> Resources:
    return Corpora(("en", "es"), parallel=(SOURCES, TARGETS)).estimate()


def test_parallel_texts_give_models_of_both_languages_and_an_aligner(estimated: Resources) -> None:
    assert estimated.source_lm is not None and estimated.target_lm is not None
    assert estimated.source_lm.order == 3
    assert estimated.source_frequencies is not None
    assert estimated.source_frequencies.count(["the", "house"]) == 5  # words are in lower case
    assert estimated.aligner is not None
    words = [["the", "cat", "is", "green"]], [["el", "gato", "es", "verde"]]
    assert estimated.aligner.align(*words) == [[(0, 0), (1, 1), (2, 2), (3, 3)]]
    assert estimated.source_tagger is None and estimated.embeddings is None


def test_texts_of_one_language_give_its_models_alone() -> None:
    one = Corpora(("en", "es"), target_texts=TARGETS).estimate()
    assert one.source_lm is None and one.source_frequencies is None and one.aligner is None
    assert one.target_lm is not None and one.target_frequencies is not None


def test_texts_of_one_or_two_words_give_all_but_frequencies_with_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    one = Corpora(("en", "es"), source_texts=["Open file", "Close"]).estimate()
    assert one.source_lm is not None and one.source_frequencies is None
    assert "the frequency of source n-grams are left out: The corpus, of 3 words, has no n-grams of 3" in caplog.text
    reasons = extract(["Open"], ["Abrir"], one).left_out
    assert reasons["source_trigrams_seen"].startswith("a resource is missing: source_frequencies")


def test_a_model_whose_longest_ngrams_are_all_pruned_comes_back() -> None:
    pruned = Resources("en", "es", target_lm=estimate(TARGETS, prune=(0, 0, 9)))
    assert pruned.target_lm is not None and pruned.target_lm.counts[2] == 0
    again = Resources.from_members(pruned.members())
    assert again.target_lm is not None and again.target_lm.checksum == pruned.target_lm.checksum


def test_backward_models_read_sentences_from_their_end(estimated: Resources) -> None:
    assert estimated.source_lm is not None and estimated.source_lm_backward is not None
    forward = estimated.source_lm.score(["the house is green ."]).totals()
    assert estimated.source_lm_backward.score([". green is house the"]).totals() != forward
    mirrored = Corpora(("en", "es"), source_texts=[" ".join(line.split()[::-1]) for line in SOURCES]).estimate()
    assert mirrored.source_lm is not None
    assert mirrored.source_lm.checksum == estimated.source_lm_backward.checksum


def test_bytes_bring_back_the_same_resources_and_features(estimated: Resources) -> None:
    members = estimated.members()
    again = Resources.from_members(members)
    assert again.checksums() == estimated.checksums()
    sources, outputs = ["The green fish ."], ["El pescado verde verde"]
    first, second = extract(sources, outputs, estimated), extract(sources, outputs, again)
    assert first.names == second.names
    assert np.array_equal(first.values, second.values)


def test_the_same_texts_give_the_same_bytes(estimated: Resources) -> None:
    again = Corpora(("en", "es"), parallel=(SOURCES, TARGETS)).estimate()
    assert again.checksums() == estimated.checksums()


@pytest.mark.parametrize("cut", [0, 10, 3000])
def test_a_cut_member_is_refused_by_name(estimated: Resources, cut: int) -> None:
    members = estimated.members()
    members["target_lm.npz"] = members["target_lm.npz"][:cut]
    with pytest.raises(DataError, match=r"The resource target_lm\.npz is damaged"):
        Resources.from_members(members)


def altered(content: bytes, **changes: Any) -> bytes:
    arrays = dict(np.load(io.BytesIO(content)))
    for name, change in changes.items():
        arrays[name] = change(arrays[name])
    stream = io.BytesIO()
    np.savez(stream, **arrays)
    return stream.getvalue()


@pytest.mark.parametrize(
    ("member", "changes"),
    [
        ("source_lm.npz", {"last": lambda a: a + 1000}),
        ("source_lm.npz", {"parents": lambda a: a[::-1].copy()}),
        ("source_lm.npz", {"bounds": lambda a: a * 2}),
        ("source_lm.npz", {"logs": lambda a: a * np.nan}),
        ("source_frequencies.npz", {"keys2": lambda a: a[::-1].copy()}),
        ("source_frequencies.npz", {"counts1": lambda a: -a}),
        ("aligner.npz", {"forward_pairs": lambda a: a + 1000}),
        ("aligner.npz", {"backward_starts": lambda a: a * 5}),
        ("aligner.npz", {"forward_jumps": lambda a: a[1:]}),
        ("aligner.npz", {"forward_pairs": lambda a: a[::-1].copy()}),
        ("aligner.npz", {"forward_probabilities": lambda a: a + 1e308}),
        ("aligner.npz", {"backward_settings": lambda a: a + 1}),
        ("source_lm.npz", {"logs": lambda a: -a}),
    ],
)
def test_numbers_that_would_lead_outside_are_refused(
    estimated: Resources, member: str, changes: dict[str, Any]
) -> None:
    members = estimated.members()
    members[member] = altered(members[member], **changes)
    with pytest.raises(DataError, match="is damaged"):
        Resources.from_members(members)


def test_unknown_and_missing_members_are_refused(estimated: Resources) -> None:
    with pytest.raises(DataError, match=r"The resource 'weather\.npz' is unknown: a newer version"):
        Resources.from_members({**estimated.members(), "weather.npz": b""})
    with pytest.raises(DataError, match=r"resources\.json is missing or damaged"):
        Resources.from_members({})
    with pytest.raises(DataError, match="lacks the target_language"):
        Resources.from_members({"resources.json": b'{"source_language": "en"}'})
    for wrong in ({"source_lm": "x"}, {"colour": "x"}, {"embeddings": 3}, {"source_function_words": [1]}, []):
        with pytest.raises(DataError, match=r"resources\.json is missing or damaged"):
            Resources.from_members({"resources.json": json.dumps(wrong).encode()})


def test_parallel_texts_must_have_as_many_sentences() -> None:
    with pytest.raises(DataError, match="12 source and 11 target sentences"):
        Corpora(("en", "es"), parallel=(SOURCES, TARGETS[1:])).estimate()


def test_without_word_frequencies_the_commonest_words_of_the_texts_are_function_words(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def missing(language: str) -> None:
        raise MissingDependency("Word frequencies without a corpus", "qe")

    monkeypatch.setattr(module, "word_frequencies", missing)
    monkeypatch.setattr(module, "MOST_FREQUENT", 2)
    found = Corpora(("en", "tlh"), target_texts=TARGETS).estimate()
    assert found.source_words is None and found.target_words is None
    assert found.target_function_words == {"el", "casa"}  # casa as often as la, and before it
    assert found.source_function_words is not None and "the" in found.source_function_words


def test_tags_without_a_parser_are_left_out_with_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        found = Corpora(("tlh", "tlh"), source_texts=SOURCES, tags=True).estimate()
    assert found.source_tagger is None and found.source_tags_lm is None
    assert "Features of source tags are left out" in caplog.text


def test_tags_of_texts_give_a_model_of_tags(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tercet.language.backends.default_name", lambda language: "fake")
    monkeypatch.setattr("tercet.quality.resources.tags", lambda texts, *_, **__: [["DET", "NOUN"]] * len(texts))
    found = Corpora(("en", "es"), source_texts=SOURCES, tags=True).estimate()
    assert found.source_tagger == "fake" and found.target_tagger == "fake"
    assert found.source_tags_lm is not None and found.target_tags_lm is None
    assert set(found.source_tags_lm.words) >= {"DET", "NOUN"}


def test_a_missing_resource_says_how_to_give_it() -> None:
    with pytest.raises(UsageError, match="The resource aligner is missing: give parallel texts"):
        Resources("en", "es").given("aligner", WordAligner)
    assert {field.name for field in fields(Resources)} == {"source_language", "target_language", *HOW_TO_GIVE}


class FakeEncoder:
    def encode(self, texts: list[str], executor: Any = None) -> Any:
        rows = [[len(text), text.count("e"), text.count("o"), 1.0] for text in texts]
        return np.array(rows, dtype=np.float32)


def test_principal_axes_are_those_along_which_texts_differ_most(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tercet.language.embeddings.open_encoder", lambda name: FakeEncoder())
    axes = principal_axes("fake", SOURCES)
    assert axes.shape == (1 + AXES, 4)
    vectors = FakeEncoder().encode(SOURCES).astype(float)
    assert axes[0] == pytest.approx(vectors.mean(axis=0))
    spread = ((vectors - axes[0]) @ axes[1:4].T).std(axis=0)
    assert (np.diff(spread) < 0).all()
    assert axes[1:4] @ axes[1:4].T == pytest.approx(np.eye(3), abs=1e-6)
    assert not axes[4:].any()  # the fourth number is the same in all texts
    again = principal_axes("fake", SOURCES)
    assert np.array_equal(again, axes)
    resources = Resources.from_members(Corpora(("en", "es"), embedding_axes=axes).estimate().members())
    assert resources.embedding_axes is not None and np.array_equal(resources.embedding_axes, axes)


@pytest.mark.parametrize(
    ("text", "language", "tokens"),
    [
        ('He said: "AT&T [sic] isn\'t it."', "en",
         ["He", "said", ":", '"', "AT", "&", "T", "[", "sic", "]", "isn", "'t", "it", ".", '"']),
        ("¿Qué? 1.5 &lt; 2", "es", ["¿", "Qué", "?", "1.5", "&", "lt", ";", "2"]),
        ("我喜歡 Python。", "zh", ["我", "喜", "歡", "Python", "。"]),
        ("", "en", []),
    ],
)  # fmt: skip
def test_tokens_are_moses_without_escapes(text: str, language: str, tokens: list[str]) -> None:
    assert tokenise([text], language) == [tokens]


def test_the_corpus_is_parallel() -> None:
    assert len(PAIRS) == len(set(PAIRS)) == 12


@pytest.mark.parametrize("parser", ["conllu:/etc/passwd", "corenlp:http://example.org", "spacy:../model", "x", ""])
def test_resources_cannot_name_files_or_servers_as_parsers(parser):
    settings = {"source_language": "en", "target_language": "es", "target_tagger": parser}
    with pytest.raises(DataError, match=r"resources\.json is missing or damaged: .* is not a parser of an installed"):
        Resources.from_members({"resources.json": json.dumps(settings).encode()})
    settings["target_tagger"] = "spacy:es_core_news_sm"
    again = Resources.from_members({"resources.json": json.dumps(settings).encode()})
    assert (again.languages, again.target_tagger) == (("en", "es"), "spacy:es_core_news_sm")


def test_settings_nested_too_deeply_are_refused():
    with pytest.raises(DataError, match=r"resources\.json is missing or damaged"):
        Resources.from_members({"resources.json": b"[" * 100_000})


def test_function_words_with_half_a_character_are_kept():
    resources = Resources("xx", "yy", source_function_words=frozenset({"\ud800"}))
    assert Resources.from_members(resources.members()).source_function_words == {"\ud800"}


def test_a_resource_that_expands_is_refused():
    stream = io.BytesIO()
    np.savez_compressed(stream, matrix=np.zeros((2, 10**6)))
    members = {**Resources("en", "es").members(), "embedding_axes.npz": stream.getvalue()}
    with pytest.raises(DataError, match=r"embedding_axes\.npz is damaged: .*not used here"):
        Resources.from_members(members)


def test_texts_whose_tags_are_known_are_not_parsed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[str] = []

    def parse(texts: list[str], language: str, **_: Any) -> list[Sentence]:
        parsed.extend(texts)
        return [Sentence(text) for text in texts]

    monkeypatch.setattr("tercet.language.parsing.parse", parse)
    known = {"a": ["NOUN"], "b": ["VERB"]}
    assert tags(["b", "a", "b"], "en", "fake", known=known) == [["VERB"], ["NOUN"], ["VERB"]]
    assert parsed == []
    assert tags(["b", "c", "c"], "en", "fake", known=known) == [["VERB"], [], []]
    assert parsed == ["c"]
