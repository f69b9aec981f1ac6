"""`tercet check` as people run it: output whole, exit codes, JSON."""

import json

import pytest

from tests.docs.running import run, without_options

REFERENCE = [
    "The cat sat on the mat.",
    "It rained all day in London.",
    "We met Anna in 1999.",
    "Nobody came to the party.",
]
OUTPUT = [
    "The cat was on the mat.",
    "It rained the whole day in London.",
    "We met Anna in 1999!",
    "None came to the party.",
]


def tercet(*arguments, cwd):
    ran = run(list(map(str, arguments)), folder=cwd)
    return ran.code, ran.out, ran.err


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "ref.txt").write_text("".join(f"{line}\n" for line in REFERENCE))
    (tmp_path / "out.txt").write_text("".join(f"{line}\n" for line in OUTPUT))
    (tmp_path / "nbsp.txt").write_text("".join(f"{line}\n" for line in OUTPUT).replace("Anna in", "Anna\xa0in"))
    (tmp_path / "crlf.txt").write_bytes("".join(f"{line}\r\n" for line in OUTPUT).encode())
    return tmp_path


@pytest.mark.parametrize(
    "arguments", [("ref.txt", "-i", "out.txt"), ("-i", "out.txt", "-l", "de-en", "ref.txt"), ("ref.txt", "out.txt")]
)
def test_clean_files_give_one_line_and_zero(folder, arguments):
    assert tercet("check", *arguments, cwd=folder) == (0, "No problems found in 2 files (4 segments).\n", "")


def test_an_error_is_printed_whole_and_exits_with_one(folder):
    code, out, err = tercet("check", "ref.txt", "-i", "crlf.txt", cwd=folder)
    assert (code, err) == (1, "")
    assert out == (
        "error    crlf.txt, lines 1, 2, 3, 4: The lines end in CR LF, as on Windows. Tercet removes the carriage "
        "returns with a warning; other programs keep them as part of the text. [crlf]\n"
        "         Remove them: sed -i 's/\\r$//' crlf.txt\n"
        "1 error in 2 files (4 segments).\n"
    )


def test_warnings_exit_with_zero_unless_strict(folder):
    code, out, _ = tercet("check", "nbsp.txt", cwd=folder)
    assert code == 0
    assert out.startswith(
        "nbsp.txt: plain text, one segment per line: no known ending or header.\nwarning  nbsp.txt, line 3: "
    )
    assert out.endswith("1 warning in 1 file (4 segments).\n")
    assert tercet("check", "nbsp.txt", "--strict", cwd=folder)[0] == 1
    assert tercet("check", "ref.txt", "-i", "nbsp.txt", cwd=folder)[0] == 1  # the reference has none


def test_references_can_follow_the_outputs(folder):
    clean = (0, "No problems found in 2 files (4 segments).\n", "")
    assert tercet("check", "-i", "out.txt", "-r", "ref.txt", "-q", cwd=folder) == clean
    assert tercet("check", "-i", "out.txt", "--reference", "ref.txt", "--quiet", cwd=folder) == clean


def test_a_test_set_is_checked_by_its_folder_or_name(folder):
    rows = enumerate(zip(REFERENCE, OUTPUT, strict=True))
    lines = [json.dumps({"i": i, "ref": {"A": ref}, "tgt": {"x": out, "y": f"{out}\u200b"}}) for i, (ref, out) in rows]
    (folder / "de-en.jsonl").write_text("".join(f"{line}\n" for line in lines))
    code, out, err = tercet("check", "-t", ".", "-l", "de-en", cwd=folder)
    assert (code, err) == (1, "")
    assert out.startswith("error    output y, lines 1, 2, 3, 4: Invisible characters: ")
    assert out.endswith("1 error in 3 texts (4 segments).\n")
    assert tercet("check", "-t", "de-en.jsonl", "-i", "out.txt", cwd=folder) == (
        0, "No problems found in 2 texts (4 segments).\n", "",
    )  # fmt: skip
    code, _, err = tercet("check", "-t", ".", "-l", "de-en", "ref.txt", cwd=folder)
    assert (code, err) == (2, "Error: Give references and source, or a test set, not both.\n")
    assert tercet("check", "-t", "nowhere", cwd=folder)[0] == 2


def test_json_is_the_report_of_the_library(folder):
    from tercet.checking import check

    code, out, err = tercet("check", "ref.txt", "-i", "out.txt", "crlf.txt", "nbsp.txt", "-f", "json", cwd=folder)
    assert (code, err) == (1, "")
    records = without_options(out)
    outputs = [folder / name for name in ("out.txt", "crlf.txt", "nbsp.txt")]
    expected = check([folder / "ref.txt"], outputs).as_records()
    for record in expected:
        record["file"] = record["file"].rpartition("/")[2]
        for key in ("message", "advice"):
            record[key] = record[key].replace(f"{folder}/", "")
    assert records == expected
    assert {record["kind"] for record in records} >= {"crlf", "odd-blanks"}
    assert set(records[0]) == {"kind", "severity", "file", "lines", "count", "message", "advice"}


def test_no_findings_are_an_empty_json_list(folder):
    assert tercet("check", "ref.txt", "-i", "out.txt", "-f", "json", cwd=folder)[:2] == (0, "[]\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("missing.txt",), "There is no file missing.txt."),
        ((".",), ". is a directory; a file is needed."),
        ((), "There is nothing to check. Give one file or more."),
        (("ref.txt", "-l", "english"), "A language pair is SRC-TGT, as en-de or en-pt_BR, not 'english'."),
    ],
)
def test_misuse_exits_with_two(folder, arguments, message):
    code, out, err = tercet("check", *arguments, cwd=folder)
    assert (code, out) == (2, "")
    assert err.startswith(f"Error: {message}")
