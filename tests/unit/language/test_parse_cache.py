"""Parses that are kept and found again."""

import sqlite3

import pytest

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
    cache.path.write_bytes(b"this is no database at all" * 100)
    with pytest.raises(DataError, match=r"parses.sqlite cannot be used: file is not a database.*delete it"):
        ParseCache(tmp_path, "x", "1")


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
    with pytest.raises(UsageError, match="The cache folder .* cannot be made"):
        ParseCache(tmp_path / "file" / "x", "x", "1")
