"""Invariants of the contextual aligner on random and hostile sentences."""

import random
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercet.language.contexts import compare_contexts
from tercet.language.contextual_alignment import ContextAligner
from tercet.language.lexical_similarity import LEVELS, Similarity
from tercet.language.sentence import Dependency, Sentence, Token

STAGES = ("sequence", "entity", "content", "function")  # of the thesis, section 4.3.1

WORDS = (
    "the", "of", "to", "house", "houses", "home", "car", "automobile", "was", "is", "n't", "not", "3", "4", "three",
    ",", ".", "long-term", "-", "--", "EU", "European", "Union", "US", "us", "", " ", "ß", "𝔘",
)  # fmt: skip
LABELS = ("nsubj", "dobj", "nsubjpass", "agent", "det", "nn", "prep_of", "conj_and", "rcmod", "xsubj")
TAGS = ("NOUN", "PROPN", "VERB", "ADJ", "ADV", "PRON", "DET", "PUNCT", "NUM", "")
PENN = {"NOUN": "NN", "PROPN": "NNP", "VERB": "VBD", "ADJ": "JJ", "ADV": "RB", "PRON": "PRP", "NUM": "CD"}


@cache
def aligner(published: bool) -> ContextAligner:
    return ContextAligner(Similarity(published=published), published=published)


def sentence(words: list[str], tags: list[str], edges: list[tuple[int, str, int]], entities: list[str]) -> Sentence:
    tokens, place = [], 0
    for word, tag, entity in zip(words, tags, entities, strict=True):
        tokens.append(Token(word, place, place + len(word), word.lower(), tag, PENN.get(tag, ""), entity=entity))
        place += len(word) + 1
    graph = sorted({Dependency(*edge) for edge in edges if edge[0] != edge[2]}, key=lambda edge: edge[::-1])
    return Sentence(" ".join(words), tuple(tokens), "stanford", tuple(graph))


@st.composite
def sentences(draw: st.DrawFn) -> Sentence:
    words = draw(st.lists(st.sampled_from([word for word in WORDS if word.strip()]), max_size=14))
    size = len(words)
    numbers = st.integers(1, max(size, 1))
    edges = st.lists(st.tuples(st.integers(0, size), st.sampled_from(LABELS), numbers), max_size=2 * size)
    entity = st.sampled_from(["", "", "B-PERSON", "I-PERSON", "B-ORG", "I-ORG"])
    return sentence(
        words,
        draw(st.lists(st.sampled_from(TAGS), min_size=size, max_size=size)),
        draw(edges) if size else [],
        draw(st.lists(entity, min_size=size, max_size=size)),
    )


@given(output=sentences(), reference=sentences())
def test_each_word_is_aligned_once_and_links_are_sorted(output, reference):
    found = aligner(False).align(output, reference)
    assert len({first for first, _ in found.pairs}) == len({second for _, second in found.pairs}) == len(found.links)
    assert found.pairs == sorted(found.pairs)
    for link in found.links:
        assert 1 <= link.output <= len(output) and 1 <= link.reference <= len(reference)
        assert link.level in LEVELS and link.stage in STAGES and link.evidence >= 0
        if link.stage == "function":
            assert link.dependencies + link.neighbours >= 1


@given(output=sentences(), reference=sentences(), published=st.booleans())
def test_any_sentences_are_aligned_and_compared_always_the_same(output, reference, published):
    found = aligner(published).align(output, reference)
    again = ContextAligner(Similarity(published=published), published=published).align(output, reference)
    assert found == again
    assert len(set(found.pairs)) == len(found.pairs)
    differences = compare_contexts(output, reference, found.pairs, published=published)
    for difference in differences:
        assert len(difference.output_different) <= len(difference.output_context)
        assert len(difference.reference_different) <= len(difference.reference_context)
    assert str(found) or not (output.tokens or reference.tokens)


@given(output=sentences(), published=st.booleans())
def test_a_sentence_is_aligned_with_itself_in_order(output, published):
    found = aligner(published).align(output, output)
    words = aligner(published).similarity.lexicon().lexis(output.tokens).words
    content = any(not word.is_function and not word.is_punctuation for word in words)
    if not published or (len(output) > 1 and content):
        assert {(number, number) for number in range(1, len(output) + 1)} <= set(found.pairs)
    if not published:
        for difference in compare_contexts(output, output, [(n, n) for n in range(1, len(output) + 1)]):
            assert difference.output_different == difference.reference_different == ()


@given(output=sentences(), reference=sentences())
def test_equivalence_only_removes_differences(output, reference):
    pairs = aligner(False).align(output, reference).pairs
    strict = compare_contexts(output, reference, pairs, equivalence=False)
    for with_table, without in zip(compare_contexts(output, reference, pairs), strict, strict=True):
        assert with_table.output_context == without.output_context
        assert len(with_table.output_different) <= len(without.output_different)
        assert len(with_table.reference_different) <= len(without.reference_different)


def hostile(kind: str, size: int) -> tuple[list[str], list[str]]:
    draw = random.Random(12345)
    if kind == "one word":
        return ["house"] * size, ["house"] * size
    if kind == "two words":
        return [draw.choice(("house", "tree")) for _ in range(size)], [
            draw.choice(("house", "tree")) for _ in range(size)
        ]
    if kind == "no sequence":
        return [w for i in range(size // 2) for w in ("house", f"x{i}")], [
            w for i in range(size // 2) for w in ("house", f"y{i}")
        ]
    if kind == "stop words":
        return ["the", "of"] * (size // 2), ["of", "the"] * (size // 2)
    if kind == "synonyms":
        return ["take", "occupy", "use", "accept"] * (size // 4), ["contain", "lead", "carry", "get"] * (size // 4)
    return [",", ".", "!", ";"] * (size // 4), [";", ",", ".", "?"] * (size // 4)


@pytest.mark.parametrize("published", [False, True])
@pytest.mark.parametrize("shape", ["star", "chain"])
@pytest.mark.parametrize("kind", ["one word", "two words", "no sequence", "stop words", "synonyms", "marks"])
def test_three_hundred_repeated_words_are_answered(kind, shape, published):
    pair = []
    for words in hostile(kind, 300):
        heads = [0] + [1 if shape == "star" else number for number in range(1, len(words))]
        edges = [(head, "nn" if head else "root", number) for number, head in enumerate(heads, 1)]
        pair.append(sentence(words, ["NOUN"] * len(words), edges, [""] * len(words)))
    found = aligner(published).align(*pair)
    compared = compare_contexts(*pair, found.pairs, published=published)
    assert len(found.pairs) == len(compared)
