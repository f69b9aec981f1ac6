"""Tables of paraphrases that are added as data sets, and METEOR that takes them by name."""

import re
from pathlib import Path

import pytest

from .command import Ran, tercet, tercet_process


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "ref").write_text("Trees jumped high today .\n", "utf-8")
    (tmp_path / "out").write_text("Trees leapt today .\n", "utf-8")
    (tmp_path / "table.tsv").write_text("leapt\tjumped high\n", "utf-8")
    return tmp_path


def run(folder: Path, *arguments: object, **environment: str) -> Ran:
    return tercet(*arguments, cwd=folder, **{"TERCET_DATA": str(folder / "cache"), **environment})


def score(folder: Path, table: str, *more: str, **environment: str) -> tuple[float, str]:
    """Score and signature."""
    spec = f"meteor:paraphrases={table}" if table else "meteor"
    done = run(folder, "score", "ref", "-i", "out", "-m", spec, "-f", "json", *more, **environment)
    assert done.code == 0, done.err
    (entry,) = done.json
    return entry["score"], entry["signature"]


def test_a_table_is_added_and_then_used_by_its_name(folder: Path) -> None:
    assert run(folder, "data", "add", "table.tsv", "leaps").out == (
        f"Added leaps: 1 file, 18 bytes, in {folder / 'cache' / 'leaps' / 'data'}\n"
    )
    by_file, by_name = score(folder, "table.tsv"), score(folder, "leaps")
    assert by_name[0] == by_file[0] > score(folder, "")[0]
    assert by_name[1] == by_file[1].replace("paraphrases:table.tsv", "paraphrases:leaps")
    assert re.search(r"\|paraphrases:leaps\|.*\|table:[0-9a-f]{16}\|", by_name[1])
    arguments = ("score", "ref", "-i", "out", "-m", "meteor:paraphrases=leaps", "-f", "json", "-j", "2")
    done = tercet_process(*arguments, cwd=folder, TERCET_DATA=str(folder / "cache"))
    assert [(entry["score"], entry["signature"]) for entry in done.json] == [by_name]
    explained = run(folder, "explain", "meteor:paraphrases=leaps", "ref", "-i", "out")
    assert "paraphrase  leapt = jumped high" in explained.out


def test_another_table_of_the_same_name_has_another_signature(folder: Path) -> None:
    run(folder, "data", "add", "table.tsv", "leaps")
    before = score(folder, "leaps")
    (folder / "table.tsv").write_text("one\ttwo\n", "utf-8")
    assert run(folder, "data", "add", "table.tsv", "leaps", "--replace").code == 0
    after = score(folder, "leaps")
    assert before[0] > after[0]
    assert before[1] != after[1]


def test_the_usual_folder_is_that_of_the_data_command(folder: Path) -> None:
    usual = {"TERCET_DATA": "", "XDG_CACHE_HOME": str(folder / "caches")}
    run(folder, "data", "add", "table.tsv", "leaps", **usual)
    assert (folder / "caches" / "tercet" / "data" / "leaps").is_dir()
    assert score(folder, "leaps", **usual)[0] == score(folder, "table.tsv")[0]


def test_an_unknown_name_says_how_to_add_it(folder: Path) -> None:
    done = run(folder, "score", "ref", "-i", "out", "-m", "meteor:paraphrases=leaps")
    assert (done.code, done.out) == (2, "")
    assert done.err == (
        "Error: There is no paraphrase table leaps, neither a file nor a data set. "
        "Add a table that you have: tercet data add FILE leaps.\n"
    )


def test_words_of_ppdb_match_by_a_data_set_of_several_files(folder: Path, shared: Path) -> None:
    (folder / "ref").write_text("His returnee came .\n", "utf-8")
    (folder / "out").write_text("His return came .\n", "utf-8")
    assert run(folder, "data", "add", shared / "data" / "lexical").code == 0
    done = run(folder, "score", "ref", "-i", "out", "-m", "meteor:paraphrases=lexical")
    assert "has 3 files. Name the one with paraphrases: lexical/README.md" in done.err
    assert score(folder, "lexical/ppdb-1.0-xxxl-lexical.pairs.gz")[0] > score(folder, "")[0]
    run(folder, "data", "add", shared / "data" / "lexical" / "ppdb-1.0-xxxl-lexical.pairs.gz", "ppdb")
    assert score(folder, "ppdb")[0] == score(folder, "lexical/ppdb-1.0-xxxl-lexical.pairs.gz")[0]
