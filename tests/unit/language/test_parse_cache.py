"""Parses that are kept and found again."""

import sqlite3
import zlib

import pytest

from tercet.engine import open_executor
from tercet.errors import DataError, UsageError
from tercet.language.parse_cache import ParseCache
from tercet.language.sentence import Sentence, Token

ONE = Sentence("a\tb", (Token("a", 0, 1, "a", head=2, relation="x"), Token("b", 2, 3, head=0)), "clearnlp")
TWO = Sentence("ü", (Token("ü", 0, 1, entity="B-PER"),))


def test_parses_are_found_by_text_parser_and_version(tmp_path):
    cache = ParseCache(tmp_path / "new" / "folder", "spacy:x", "1")
    assert cache.load(["a\tb", "ü"]) == {}
    cache.save([ONE])
    cache.save([TWO, ONE])
    assert cache.load(["ü", "missing", "a\tb"]) == {"a\tb": ONE, "ü": TWO}
    assert ParseCache(tmp_path / "new" / "folder", "spacy:x", "1").load(["ü"]) == {"ü": TWO}
    assert ParseCache(tmp_path / "new" / "folder", "spacy:x", "2").load(["ü"]) == {}
    assert ParseCache(tmp_path / "new" / "folder", "spacy:y", "1").load(["ü"]) == {}


def test_more_texts_than_one_question_may_have(tmp_path):
    cache = ParseCache(tmp_path, "x", "1")
    many = [Sentence(str(i), (Token(str(i), 0, len(str(i))),)) for i in range(1200)]
    cache.save(many)
    assert cache.load([str(i) for i in range(1300)]) == {sentence.text: sentence for sentence in many}


def test_a_damaged_cache_is_named(tmp_path):
    cache = ParseCache(tmp_path, "x", "1")
    cache.save([ONE])
    with sqlite3.connect(cache.path) as connection:
        connection.execute("UPDATE parses SET parse = ?", (b"nonsense",))
    connection.close()
    with pytest.raises(DataError, match=r"The cache .*parses.sqlite is damaged: .* Delete it"):
        cache.load([ONE.text])
    for parse in (None, "text", 5, zlib.compress(b""), zlib.compress(b"# text = x\n1\tx")):
        with sqlite3.connect(cache.path) as connection:
            connection.execute("UPDATE parses SET parse = ?", (parse,))
        connection.close()
        with pytest.raises(DataError, match=r"The cache .*parses.sqlite is damaged: .+ Delete it"):
            cache.load([ONE.text])
    cache.path.write_bytes(b"this is no database at all" * 100)
    with pytest.raises(DataError, match=r"parses.sqlite cannot be used: file is not a database.*delete it"):
        ParseCache(tmp_path, "x", "1")


def test_a_cache_that_cannot_be_written_is_read_and_not_to_be_deleted(tmp_path, monkeypatch):
    ParseCache(tmp_path, "x", "1").save([ONE])
    connect = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", lambda path, **_: connect(f"file:{path}?mode=ro", uri=True))
    cache = ParseCache(tmp_path, "x", "1")
    assert cache.load([ONE.text]) == {ONE.text: ONE}
    with pytest.raises(DataError, match=r"cannot be used: attempt to write a readonly database. Use a folder that"):
        cache.save([TWO])


def test_two_processes_write_at_the_same_time(tmp_path):
    ParseCache(tmp_path, "x", "1")
    with open_executor(2) as pool:
        assert pool is not None
        list(pool.map(_write, [tmp_path] * 2, range(2)))
    found = ParseCache(tmp_path, "x", "1").load([f"{part} {i}" for part in range(2) for i in range(200)])
    assert len(found) == 400


def _write(folder, part):
    for i in range(0, 200, 10):
        texts = [f"{part} {i + k}" for k in range(10)]
        ParseCache(folder, "x", "1").save([Sentence(text, (Token(text, 0, len(text)),)) for text in texts])


def test_a_batch_that_fails_leaves_nothing_behind(tmp_path, monkeypatch):
    cache = ParseCache(tmp_path, "x", "1")
    monkeypatch.setattr(ParseCache, "key", lambda self, text: b"k" if text == TWO.text else object())
    with pytest.raises(DataError, match="cannot be used"):
        cache.save([TWO, ONE])
    monkeypatch.undo()
    with sqlite3.connect(cache.path) as connection:
        assert connection.execute("SELECT count(*) FROM parses").fetchone() == (0,)
    connection.close()


def test_a_folder_that_cannot_be_made_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="Cannot create the cache folder .*: "):
        ParseCache(tmp_path / "file" / "x", "x", "1")
    for name in ("x" * 5000, "x\0y"):
        with pytest.raises(UsageError, match="Cannot create the cache folder '.*x.*: "):
            ParseCache(tmp_path / name, "x", "1")
