"""Word vectors from every kind of file."""

import math
import pickle
import struct
from importlib.util import find_spec

import numpy as np
import pytest

from tercet.errors import DataError, UsageError
from tercet.language import vectors
from tercet.language.vectors import open_vectors

WORDS = {
    "cat": [1.0, 0.5, 0.0],
    "dog": [0.5, 1.0, 0.0],
    "stone": [0.0, 0.0, -2.5],
    "été": [-1.0, -0.5, 0.25],
    "nil": [0.0] * 3,
}
COSINE = 1.0 / 1.25


@pytest.fixture(autouse=True)
def fresh():
    vectors._opened.cache_clear()
    yield
    vectors._opened.cache_clear()


def as_text(header, separator=" "):
    lines = [f"{len(WORDS)} 3"] if header else []
    return "\n".join([*lines, *(separator.join([word, *map(str, row)]) for word, row in WORDS.items()), ""]).encode()


def as_binary(newline):
    rows = (f"{word} ".encode() + struct.pack("<3f", *row) + newline for word, row in WORDS.items())
    return f"{len(WORDS)} 3\n".encode() + b"".join(rows)


FILES = {
    "word2vec text": as_text(True),
    "fastText text, with spaces at line ends": as_text(True).replace(b"\n", b" \n").replace(b"5 3 \n", b"5 3\n"),
    "GloVe": as_text(False),
    "GloVe with an entry of several words": as_text(False) + b". . . 1 2 3\n",
    "tabs": as_text(False, "\t"),
    "a byte order mark": vectors.BOM + as_text(True),
    "a byte order mark and no sizes": vectors.BOM + as_text(False),
    "line ends of Windows": as_text(True).replace(b"\n", b"\r\n"),
    "word2vec binary": as_binary(b""),
    "word2vec binary with line ends": as_binary(b"\n"),
}


@pytest.mark.parametrize("data", FILES.values(), ids=FILES)
def test_every_kind_of_file_gives_the_same(data, tmp_path):
    path = tmp_path / "vectors"
    path.write_bytes(data)
    found = open_vectors(str(path))
    assert found.dimensions == 3
    for word, row in WORDS.items():
        assert found.vector(word).tolist() == row
    assert found.similarity("cat", "dog") == pytest.approx(COSINE, abs=1e-6)
    assert found.similarity("Cat", "DOG") == pytest.approx(COSINE, abs=1e-6)
    assert found.similarity("cat", "stone") == 0.0
    assert found.similarity("cat", "cat") == pytest.approx(1.0, abs=1e-6)
    assert math.isnan(found.similarity("cat", "mouse")) and math.isnan(found.similarity("cat", "nil"))
    assert found.unit("été") is not None and found.unit("mouse") is None


def test_vectors_travel_by_name_and_are_opened_once(tmp_path):
    path = tmp_path / "vectors"
    path.write_bytes(FILES["GloVe"])
    found = open_vectors(str(path))
    assert pickle.loads(pickle.dumps(found)) is found


def test_no_more_words_are_kept_than_allowed(tmp_path, monkeypatch):
    monkeypatch.setattr(vectors, "KEPT", 2)
    path = tmp_path / "vectors"
    path.write_bytes(FILES["GloVe"])
    found = open_vectors(str(path))
    assert [found.similarity(word, "dog") for word in ("cat", "stone", "cat")] == pytest.approx([COSINE, 0, COSINE])
    assert found.unit.cache_info().currsize <= 2


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "is empty"),
        (b"\x1f\x8b12345678", "is compressed.*gunzip -k"),
        (b"word\n", "line 1: expected a header"),
        (as_text(True).replace(b"5 3", b"7 3"), "should have 7 words but has 5"),
        (as_text(False) + b"alone\n", "line 6: a word without numbers"),
        (b"the cat sat\non the mat\n", "line 1: expected a header"),
        ("cat 1 2\n".encode("utf-16"), "line 1: expected a header"),
        (b"0 3\n", "has no words with numbers"),
        (as_binary(b"")[:-2], "is truncated at byte"),
        (struct.pack("<2i", 793712314, 12) + b"\0" * 40, "is not a complete fastText model"),
    ],
)
def test_bad_files_are_refused(data, message, tmp_path):
    path = tmp_path / "vectors"
    path.write_bytes(data)
    with pytest.raises((DataError, UsageError), match=message):
        open_vectors(str(path))


def test_a_line_with_other_than_numbers_is_refused_when_it_is_asked_for(tmp_path):
    path = tmp_path / "vectors"
    path.write_bytes(b"a 1 2 3\nb 1 x 3\nc 1 nan 2\nd 1 2 3 4\ne 1\n")
    found = open_vectors(str(path))
    assert found.vector("a").tolist() == [1, 2, 3]
    for line, word in enumerate("bcde", 2):
        with pytest.raises(DataError, match=f"vectors, line {line}: the word '{word}' does not have 3 numbers"):
            found.vector(word)


def test_a_missing_file_is_named():
    with pytest.raises(UsageError, match="Cannot read the word vectors 'missing.vec': No such file"):
        open_vectors("missing.vec")


# fastText's binary: words 'ab' and 'é', n-grams of 2 to 3 characters in 5 buckets.

BUCKETS = 5


def fasttext_file(*, quantised=0, longest=3, words=2, buckets=BUCKETS, dimensions=2):
    rows = np.arange(2 * (2 + BUCKETS), dtype="<f4").reshape(-1, 2) ** 2
    data = struct.pack("<2i", 793712314, 12) + struct.pack(
        "<12i", dimensions, 5, 5, 1, 5, 1, 2, 2, buckets, 2, longest, 100
    )
    data += struct.pack("<d", 1e-4) + struct.pack("<3i2q", 2, words, 0, 9, -1)
    for word in ("ab", "é"):
        data += word.encode() + b"\0" + struct.pack("<qb", 3, 0)
    return data + struct.pack("<?2q", quantised, *rows.shape) + rows.tobytes(), rows


def fnv(text):
    """The reference: signed bytes in 32-bit arithmetic by numpy."""
    value = np.uint32(2166136261)
    with np.errstate(over="ignore"):
        for byte in np.frombuffer(text.encode(), dtype=np.int8):
            value = (value ^ np.uint32(np.int64(byte) & 0xFFFFFFFF)) * np.uint32(16777619)
    return int(value)


def test_fasttext_adds_the_parts_of_words(tmp_path):
    data, rows = fasttext_file()
    path = tmp_path / "model.bin"
    path.write_bytes(data)
    found = open_vectors(str(path))
    for word, own, parts in [
        ("ab", [0], ["<a", "<ab", "ab", "ab>", "b>"]),
        ("é", [1], ["<é", "<é>", "é>"]),
        ("zé", [], ["<z", "<zé", "zé", "zé>", "é>"]),
    ]:
        expected = rows[[*own, *(2 + fnv(part) % BUCKETS for part in parts)]].astype(np.float64).mean(0)
        assert found.vector(word) == pytest.approx(expected, rel=1e-6)
    assert found.unit("never seen") is not None


def test_fasttext_without_parts_knows_its_words_alone(tmp_path):
    data, rows = fasttext_file(longest=0)
    path = tmp_path / "model.bin"
    path.write_bytes(data)
    found = open_vectors(str(path))
    assert found.vector("ab").tolist() == rows[0].tolist() and found.vector("zz") is None


@pytest.mark.parametrize("wrong", [{"words": 200}, {"words": -1}, {"buckets": -5}, {"buckets": 6}, {"dimensions": -2}])
def test_a_model_whose_sizes_do_not_fit_is_refused(tmp_path, wrong):
    path = tmp_path / "model.bin"
    path.write_bytes(fasttext_file(**wrong)[0])
    with pytest.raises(DataError, match="is not a complete fastText model"):
        open_vectors(str(path))


def test_a_quantised_model_is_refused(tmp_path):
    path = tmp_path / "model.ftz"
    path.write_bytes(fasttext_file(quantised=1)[0])
    with pytest.raises(UsageError, match="compressed fastText model"):
        open_vectors(str(path))


def test_the_hash_is_that_of_fasttext():
    # FNV-1a of plain bytes is published: http://www.isthe.com/chongo/src/fnv/test_fnv.c
    assert (
        vectors._hash(b"") == 0x811C9DC5
        and vectors._hash(b"a") == 0xE40C292C
        and vectors._hash(b"foobar") == 0xBF9CF968
    )
    assert vectors._hash("éя".encode()) == fnv("éя")


@pytest.mark.skipif(not find_spec("spacy"), reason="spaCy is not here")
def test_vectors_of_a_spacy_model(tmp_path):
    import spacy

    model = spacy.blank("en")
    for word, row in WORDS.items():
        model.vocab.set_vector(word, np.array(row, dtype=np.float32))
    model.to_disk(tmp_path / "model")
    found = open_vectors(f"spacy:{tmp_path / 'model'}")
    assert found.dimensions == 3 and found.similarity("cat", "Dog") == pytest.approx(COSINE, abs=1e-6)
    assert math.isnan(found.similarity("cat", "mouse"))
    spacy.blank("en").to_disk(tmp_path / "none")
    with pytest.raises(UsageError, match="has no word vectors"):
        open_vectors(f"spacy:{tmp_path / 'none'}")


@pytest.mark.skipif(not find_spec("natasha"), reason="natasha is not here")
def test_vectors_of_natasha():
    found = open_vectors("natasha")
    assert found.dimensions == 300
    assert found.similarity("Кошка", "собака") > found.similarity("кошка", "парламент")
