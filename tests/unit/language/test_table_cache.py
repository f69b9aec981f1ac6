"""Large tables are kept for later runs; what is damaged is made again."""

import logging

import numpy as np
import pytest

from tercet.language import paraphrases, table_cache
from tercet.metrics import create

ARRAYS = {"keys": np.arange(5, dtype=np.uint64), "targets": np.arange(3, dtype=np.uint64)}


@pytest.fixture
def kept(tmp_path):
    table_cache.keep("abc", {"longest": 2}, ARRAYS, tmp_path)
    return tmp_path / "abc.table"


def test_what_is_kept_is_found_again(kept):
    facts, arrays = table_cache.load("abc", kept.parent)
    assert facts == {"longest": 2}
    assert {name: array.tolist() for name, array in arrays.items()} == {"keys": [0, 1, 2, 3, 4], "targets": [0, 1, 2]}
    assert all(isinstance(array, np.memmap) for array in arrays.values())
    assert table_cache.load("other", kept.parent) is None


@pytest.mark.parametrize("place", [0, 20, 100, -1])
def test_a_changed_byte_is_noticed(kept, caplog, place):
    content = bytearray(kept.read_bytes())
    content[place] ^= 1
    kept.write_bytes(content)
    with caplog.at_level(logging.WARNING):
        assert table_cache.load("abc", kept.parent) is None


@pytest.mark.parametrize("length", [0, 10, 64, 190])
def test_a_file_that_was_cut_is_noticed(kept, length):
    kept.write_bytes(kept.read_bytes()[:length])
    assert table_cache.load("abc", kept.parent) is None


def test_the_file_of_another_table_is_not_believed(kept):
    kept.rename(kept.with_name("other.table"))
    assert table_cache.load("other", kept.parent) is None


def test_a_folder_that_cannot_be_written_is_no_error(tmp_path):
    (tmp_path / "file").write_text("")
    table_cache.keep("abc", {}, ARRAYS, tmp_path / "file" / "folder")
    assert table_cache.load("abc", tmp_path / "file" / "folder") is None


def test_a_large_table_of_paraphrases_is_read_once(tmp_path, monkeypatch):
    monkeypatch.setenv("TERCET_DATA", str(tmp_path / "data"))
    monkeypatch.setattr(paraphrases, "LARGE", 0)
    (tmp_path / "table.tsv").write_text("leapt\tjumped high\nleapt ... over\tjumped ... across\n", "utf-8")
    spec = f"meteor:paraphrases={tmp_path / 'table.tsv'}"

    def scored(spec: str = spec) -> float:
        paraphrases._read.cache_clear()
        return create(spec).resolved("en").score_one("Trees leapt today .", ["Trees jumped high today ."])

    first = scored()
    (file,) = (tmp_path / "data" / ".tables").iterdir()
    with monkeypatch.context() as patch:
        patch.setattr(paraphrases.Paraphrases, "read", None)  # not called
        assert scored() == first
    file.write_bytes(file.read_bytes()[:-8])
    assert scored() == first > scored("meteor")
