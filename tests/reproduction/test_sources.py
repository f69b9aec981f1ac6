"""Data sets are found by their content, wherever they are, and messages name the files that are missing."""

import gzip
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from tercet import reproduce
from tercet.data.testset import TestSet
from tercet.errors import DataError
from tercet.tasks.reproduce import sources
from tercet.tasks.reproduce.sources import SOURCES, DataSets, Source, alternatives, numbers, read_table
from tercet.tasks.reproduce.tables import PAPERS, tables


def write(path: Path, *rows: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(rows) + "\n", "utf-8")
    return path


def test_files_with_their_columns_identify_a_data_set_in_any_folder(tmp_path):
    write(tmp_path / "mine" / "deep" / "wmt19_sys_scores.tsv", "lp\tsystem\tDA\tBLEU", "de-en\ta\t1\t2")
    assert DataSets.under(tmp_path)("wmt19_sys") == tmp_path / "mine" / "deep"
    write(tmp_path / "mine" / "deep" / "wmt19_sys_scores.tsv", "lp\tsystem\tBLEU", "de-en\ta\t2")
    assert DataSets.under(tmp_path)("wmt19_sys") is None


def test_texts_need_a_folder_whose_name_says_of_which_year(tmp_path):
    for name in ("segments", "outputs", "rr"):
        header = {"segments": "seg\tsource\treference", "outputs": "seg\ta", "rr": "seg\tbetter\tworse"}[name]
        write(tmp_path / "my-wmt14-copy" / f"cs-en.{name}.tsv", header)
        write(tmp_path / "other" / f"cs-en.{name}.tsv", header)
    found = DataSets.under(tmp_path)
    assert found("wmt14") == tmp_path / "my-wmt14-copy" and found("wmt16") is None


def test_all_files_must_be_of_one_language_pair(tmp_path):
    source = Source("x", "texts", {"{pair}.a.tsv": "seg", "{pair}.b.tsv": "seg"})
    write(tmp_path / "de-en.a.tsv", "seg")
    write(tmp_path / "fr-en.b.tsv", "seg")
    assert not source.is_in(tmp_path)
    (tmp_path / "de-en.b.tsv.gz").write_bytes(gzip.compress(b"seg\tother\n"))
    assert source.is_in(tmp_path)


def test_several_folders_and_those_of_tercet_data_are_searched(tmp_path):
    write(tmp_path / "one" / "wmt19_sys_scores.tsv", "lp\tsystem\tDA")
    write(tmp_path / "two" / "de-en.darr.tsv", "seg\tbetter\tworse")
    data = DataSets.under(tmp_path / "one", tmp_path / "two")
    assert data("wmt19_sys") == tmp_path / "one" and data("wmt19_darr") == tmp_path / "two"


def test_a_message_names_the_files_and_columns_of_each_data_set():
    data = DataSets(lambda source: None)
    assert data.missing(["wmt16_da or wmt17"]) == (
        "The data set wmt16_da or wmt17 was not found: direct assessment of segments of WMT16, with texts: "
        "wmt16.tsv (lp, z, source, reference, mt); or texts and direct assessment of segments of WMT17: "
        "{pair}.segments.tsv (seg, source, reference); {pair}.outputs.tsv (seg); DA-seglevel.tsv (lp, system, seg, "
        "DA_z). "
        "Give the folder that contains it with --data, or add it: tercet data add FOLDER wmt16_da."
    )
    assert "Available from the Linguistic Data Consortium (LDC2006T04)" in data.missing(["mtc_p4"])


def test_every_source_is_needed_and_says_what_it_is():
    needed = {
        name for paper in PAPERS for one in tables(paper).values() for need in one.needs for name in alternatives(need)
    }
    optional = {"lexical", "kobe_annotations", "kobe_ruen", "beer_model"}  # these make a table better
    assert SOURCES.keys() - needed == optional
    assert all(one.what and one.files for one in SOURCES.values())


@pytest.mark.parametrize("paper", PAPERS)
def test_without_data_each_table_names_a_file_or_the_reason(paper):
    for one in reproduce(paper, data=DataSets(lambda source: None)):
        reasons = {item.reason for item in one.unchecked} | {
            note for note in one.notes if note.startswith("Not recomp")
        }
        made = one.cells or one.derived or one.drawings
        assert reasons or made
        table = tables(paper)[one.table]
        if table.make is not None and table.needs:
            assert all(".tsv" in reason or ".jsonl" in reason for reason in reasons), one.title


def test_a_table_without_a_file_or_column_is_refused(tmp_path):
    with pytest.raises(DataError, match=r"has no x\.tsv\."):
        read_table(tmp_path, "x.tsv", ["a"])
    path = write(tmp_path / "x.tsv", "a\tb", "1\t2")
    assert read_table(tmp_path, "x.tsv", ["b"]) == {"b": ["2"]}
    with pytest.raises(DataError, match=r"x\.tsv, line 1: no column 'c'\. Columns: a, b\."):
        read_table(tmp_path, "x.tsv", ["a", "c"])
    write(path, "a\tb", "1")
    with pytest.raises(DataError, match=r"line 2: 1 tab-separated fields, but line 1 has 2\."):
        read_table(tmp_path, "x.tsv", ["a"])
    with pytest.raises(DataError, match="scores: could not convert"):
        numbers(["1", "x"], "scores")


def test_published_tables_and_weights_are_used_where_the_user_has_them(tmp_path, monkeypatch):
    texts = TestSet({"a": ["x"]}, {"r": ["x"]}, pair="de-en")
    data = DataSets.under(tmp_path)
    monkeypatch.setattr(sources, "find_spec", lambda name: None)
    assert [data.as_published(name, texts) for name in ("meteor", "beer", "chrf")] == ["meteor", "beer", "chrf"]
    table = write(tmp_path / "package" / "meteor" / "data" / "paraphrase-en.gz", "")
    package = SimpleNamespace(submodule_search_locations=[str(tmp_path / "package")])
    monkeypatch.setattr(sources, "find_spec", lambda name: package if name == "pycocoevalcap" else None)
    for name in ("feature_names_mapping", "feature_values_scaling", "core_model", "output_scaling"):
        write(tmp_path / "beer" / name, "")
    data = DataSets.under(tmp_path)
    assert data.as_published("meteor", texts) == f"meteor:variant=original,paraphrases={table}"
    assert data.as_published("beer", texts) == f"beer:model={tmp_path / 'beer'}"
    assert data.as_published("meteor:task=li", texts) == "meteor:task=li"  # a row that says what it wants
    assert data.as_published("meteor", replace(texts, pair="en-de")) == "meteor"
