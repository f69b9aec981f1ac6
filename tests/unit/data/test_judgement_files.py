"""Files of judgements of whatever form."""

import json
from pathlib import Path

import pytest

from tercet.data.formats.reading import read_judgement_file, recognise_judgements
from tercet.data.judgements import Judgement
from tercet.errors import DataError, UsageError


def write(path: Path, *lines: str) -> Path:
    path.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    return path


def test_judgements_of_our_own_format_are_read(tmp_path: Path) -> None:
    item = {"kind": "da", "segment": "1", "system": "A", "value": 70, "rater": "r", "set": "mine"}
    (found,) = read_judgement_file(write(tmp_path / "any.jsonl", json.dumps(item)), pair="en-de")
    assert (found.name, found.pair, found.rows) == ("mine", "en-de", (Judgement("da", "1", "A", 70.0, "r"),))


def test_preferences_and_rankings_are_read(tmp_path: Path) -> None:
    (darr,) = read_judgement_file(write(tmp_path / "en-de.darr.tsv", "seg\tbetter\tworse", "1\tA\tB"), pair="en-de")
    assert (darr.name, darr.kinds) == ("darr", {"rank": 2})
    ranking = write(tmp_path / "r.tsv", "lp\tseg\tjudge\tsystems\tranks", "en-de\t1\tj\tA|B|C\t1|2|2")
    (found,) = read_judgement_file(ranking, pair="en-de")
    assert [(row.system, row.value) for row in found.rows] == [("A", 1), ("B", 2), ("C", 2)]


def test_an_export_of_appraise_needs_to_be_told_how_people_judged(tmp_path: Path) -> None:
    path = write(tmp_path / "export.csv", "u,wmt.A,1,TGT,eng,deu,70,10,12", "u,wmt.B,1,TGT,eng,deu,40,12,19")
    found = recognise_judgements(path)
    assert found is not None and found.format.name == "appraise"
    (found,) = read_judgement_file(path, pair="en-de", kind="da", system_prefix="wmt.")
    assert [(row.kind, row.system, row.value) for row in found.rows] == [("da", "A", 70), ("da", "B", 40)]
    with pytest.raises(UsageError, match=r"does not state the kind of judgement\. Give `kind` da, esa or mqm\."):
        read_judgement_file(path, pair="en-de")


def test_a_kind_is_refused_where_the_file_says_it(tmp_path: Path) -> None:
    path = write(tmp_path / "en-de.darr.tsv", "seg\tbetter\tworse", "1\tA\tB")
    with pytest.raises(UsageError, match="states its kind of judgement"):
        read_judgement_file(path, pair="en-de", kind="da")


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("notes.txt", ["some text"]),
        ("table.csv", ["a,b,c", "1,2,3"]),
        ("scores.tsv", ["system\tBLEU", "A\t1"]),
    ],
)
def test_files_without_judgements_are_refused(tmp_path: Path, name: str, lines: list[str]) -> None:
    with pytest.raises(DataError, match=rf"{name} holds no judgements in a known form"):
        read_judgement_file(write(tmp_path / name, *lines), pair="en-de")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("x.tsv", b"", r"x\.tsv is empty; it should hold judgements\."),
        ("x.jsonl", b"\n\n", r"x\.jsonl is empty"),
        ("x.tsv", b"\x7fELF\x02\0\0\n", r"x\.tsv, line 1: a NUL byte"),
        ("x.tsv", b"seg\tbetter\n\xff\xfa\n", r"x\.tsv, line 2: .*UTF-8"),
        ("x.jsonl", b'{"kind: "da"}\n', r"x\.jsonl, line 1: not JSON: Expecting ':' delimiter"),
        ("x.jsonl", b'{"kind": "da"}\n', r"x\.jsonl, line 1: no 'segment' and no 'system', which a judgement needs"),
        ("x.jsonl", b"[1]\n", r"x\.jsonl, line 1: one JSON object per line is needed, not a list"),
    ],
)
def test_why_a_file_holds_no_judgements_is_said(tmp_path: Path, name: str, content: bytes, message: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(DataError, match=message):
        read_judgement_file(tmp_path / name, pair="en-de")


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="There is no file"):
        read_judgement_file(tmp_path / "none.jsonl")
    with pytest.raises(UsageError, match="is a folder; a file is needed"):
        read_judgement_file(tmp_path)
