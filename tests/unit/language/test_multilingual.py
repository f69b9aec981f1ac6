"""The encoder multilingual: its tokenizer by hand, vectors of its layers, and a transformer above them."""

from pathlib import Path

import numpy as np
import pytest

from tercet.data.model_file import ModelFile, write_model
from tercet.errors import DataError, UsageError
from tercet.language.encoders import open_encoder
from tercet.language.encoders.multilingual import KIND, open_multilingual
from tercet.language.encoders.unigram import UnigramTokenizer, read_scores

WORDS = "<unk>\t0\n▁dog\t-2\n▁do\t-3\ng\t-3\n▁\t-4\ns\t-3\n1\t-3\n,\t-3\n我\t-3\n去\t-4\n我去\t-5"
MANIFEST = {"layers": 0, "heads": 0, "longest": 8, "languages": ["de", "en"], "spelling": 0.5, "neighbours": 0.5}


def tiny(path: Path, *, without: str = "", **changes) -> Path:
    """Write a file with vectors of four numbers and, if there are layers, random weights."""
    random = np.random.default_rng(0)
    rows = len(read_scores(WORDS))
    arrays = {"pieces": random.integers(-127, 128, (rows, 4)).astype(np.int8), "pieces.scale": np.ones(rows, "f4")}
    arrays["pieces"][0] = 0
    shapes = {"attention": (12, 4), "mixed": (4, 4), "inner": (8, 4), "outer": (4, 8)}
    for layer in range(changes.get("layers", 0)):
        for name, shape in shapes.items():
            arrays[f"layer{layer}.{name}"] = random.standard_normal(shape).astype("f4")
            arrays[f"layer{layer}.{name}.bias"] = random.standard_normal(shape[0]).astype("f4")
        for name in ("norm1", "norm2"):
            arrays[f"layer{layer}.{name}"] = np.array([np.full(4, 2.0), np.full(4, 0.1)], "f4")
    if changes.get("layers"):
        arrays["positions"], arrays["first"] = random.standard_normal((8, 4)).astype("f4"), np.ones((2, 4), "f4")
    arrays.pop(without, None)
    write_model(ModelFile(KIND, MANIFEST | changes, arrays, {"vocabulary": WORDS.encode()}), path)
    return path


@pytest.fixture(scope="module")
def encoder():
    return open_encoder("multilingual")


def test_the_likeliest_pieces_are_taken_and_words_and_places_are_known():
    found = UnigramTokenizer(read_scores(WORDS)).pieces("Dogs, ﹐ dög 1 我去我")
    text = "Dogs, ﹐ dög 1 我去我"
    assert [(each.text, text[each.start : each.end], each.begins) for each in found] == [
        ("▁dog", "Dog", True), ("s", "s", False), (",", ",", True), (",", "﹐", True), ("dö", "dö", True),
        ("g", "g", False), ("1", "1", True), ("我去", "我去", True), ("我", "我", True),
    ]  # fmt: skip


def test_characters_that_normalising_joins_have_the_place_of_their_word():
    found = UnigramTokenizer({"<unk>": 0.0, "▁caf\u00e9": -1.0}).pieces("a cafe\u0301")
    assert [(each.text, each.start, each.end) for each in found] == [("▁a", 0, 1), ("▁caf\u00e9", 2, 7)]


def test_translations_are_near_each_other(encoder):
    texts = ["The dog sleeps.", "Der Hund schläft.", "狗在睡觉。", "Koira nukkuu.", "Shares fell on Monday."]
    vectors = encoder.sentences(texts)
    assert (vectors[0] @ vectors[1:4].T > 0.5).all() and vectors[0] @ vectors[4] < 0.4
    first, second = (each.by_word for each in encoder.tokens(["The government fell.", "Die Regierung stürzte."], 0))
    assert second.tokens[(first.vectors[1] @ second.vectors.T).argmax()] == "Regierung"


def test_layers_and_languages(encoder):
    assert len(encoder.languages) == 28 and {"cs", "gu", "kk", "lt", "zh"} < encoder.languages
    alone, last = (encoder.tokens(["house house houses"], layer)[0] for layer in (0, -1))
    assert encoder.layers == 2 and alone.vectors.shape == (4, 256) and last.vectors.shape == (4, 384)
    assert np.array_equal(alone.vectors[0], alone.vectors[1])
    assert 0.9 < last.vectors[0] @ last.vectors[1] < 0.999  # neighbours differ
    assert list(last.words) == [0, 1, 2, 2] and np.allclose(np.linalg.norm(last.vectors, axis=1), 1, atol=1e-6)
    with pytest.raises(UsageError, match="has no layer 2; it has 0 to 1"):
        encoder.tokens(["a"], 2)


def test_any_text_can_be_encoded_and_neighbours_in_a_batch_do_not_count(encoder):
    texts = ["", " ", "\u2028", "ᚠᚢᚦ \ud83d", "a" * 3000, "Ⅷ ½ ﬁ", "પરીક્ષા", "x " * 600]
    together = encoder.tokens(texts)
    for text, found in zip(texts, together, strict=True):
        assert np.array_equal(encoder.tokens([text])[0].vectors, found.vectors)
        assert ((found.spans[:, 0] < found.spans[:, 1]) & (found.spans[:, 1] <= len(text))).all()
    assert np.isfinite(encoder.sentences(texts)).all()


def test_long_texts_are_truncated_and_counted(encoder, caplog):
    assert len(encoder.tokens(["word " * 600])[0]) == 512
    assert "multilingual: 1 text is too long; only the first 512 tokens are encoded." in caplog.text


def test_a_transformer_is_what_its_formulas_say(tmp_path):
    opened = open_multilingual(tiny(tmp_path / "m", layers=2, heads=2))
    arrays = opened.arrays

    def normal(x, name):
        return arrays[name][0] * (x - x.mean()) / np.sqrt(x.var() + 1e-12) + arrays[name][1]

    def linear(x, name):
        return arrays[name].astype(float) @ x + arrays[f"{name}.bias"]

    rows = [arrays["pieces"][number] + arrays["positions"][at] for at, number in enumerate((1, 5, 6))]  # ▁dog s 1
    rows = [normal(row, "first") for row in rows]
    for layer in ("layer0", "layer1"):
        parts = [linear(row, f"{layer}.attention").reshape(3, 2, 2) for row in rows]
        made = []
        for row, (query, _, _) in zip(rows, parts, strict=True):
            heads = []
            for head in range(2):
                weights = np.exp([query[head] @ part[1][head] / np.sqrt(2) for part in parts])
                heads.append(sum(w * part[2][head] for w, part in zip(weights / weights.sum(), parts, strict=True)))
            hidden = normal(row + linear(np.concatenate(heads), f"{layer}.mixed"), f"{layer}.norm1")
            inner = linear(hidden, f"{layer}.inner")
            inner = inner * 0.5 * (1 + np.tanh(np.sqrt(2 / np.pi) * (inner + 0.044715 * inner**3)))
            made.append(normal(hidden + linear(inner, f"{layer}.outer"), f"{layer}.norm2"))
        rows = made
    wanted = np.stack(rows) / np.linalg.norm(rows, axis=1, keepdims=True)
    assert np.allclose(opened.tokens(["Dogs 1"])[0].vectors, wanted, atol=1e-5)
    assert np.allclose(opened.sentences(["Dogs 1"])[0], sum(rows) / np.linalg.norm(sum(rows)), atol=1e-5)
    assert opened.layers == 4 and opened.slow and opened.dimensions == 4


def test_a_file_without_its_parts_is_refused(tmp_path):
    with pytest.raises(DataError, match="parts of it are missing"):
        open_multilingual(tiny(tmp_path / "m", without="pieces.scale"))
    with pytest.raises(DataError, match="does not fit together"):
        open_multilingual(tiny(tmp_path / "n", layers=1, heads=1, without="positions"))
