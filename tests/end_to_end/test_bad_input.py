"""What users do wrong: every case ends in one clear message and the right exit code, 2 for misuse, 1 for bad data."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercet.data.lines import read_lines
from tercet.errors import TercetError

from .command import tercet, tercet_process

GOOD = b"One line.\nAnother line.\n"
BAD_FILES = {
    "utf16": (GOOD.decode().encode("utf-16"), 1, "UTF-16"),
    "utf16 without mark": (GOOD.decode().encode("utf-16-le"), 1, "NUL"),
    "latin1": ("Eine Zeile.\nNoch eine für dich.\n".encode("latin-1"), 1, "line 2"),
    "nul": (b"One\x00line.\nAnother line.\n", 1, "line 1: a NUL byte"),
    "short": (b"One line.\n", 1, "not parallel"),
    "empty": (b"", 1, "not parallel"),
    "damaged gzip": (b"\x1f\x8b\x08\x00garbage", 1, "damaged gzip"),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "ref").write_bytes(GOOD)
    (tmp_path / "out").write_bytes(GOOD)
    (tmp_path / "nothing").write_bytes(b"")
    (tmp_path / "directory").mkdir()
    for name, (content, _, _) in BAD_FILES.items():
        (tmp_path / name).write_bytes(content)
    return tmp_path


@pytest.mark.parametrize("name", BAD_FILES)
@pytest.mark.parametrize("place", ["output", "reference"])
def test_a_bad_file_is_named_with_what_is_wrong(folder: Path, name: str, place: str) -> None:
    files = ["ref", "-i", name] if place == "output" else [name, "-i", "out"]
    result = tercet("score", *files, cwd=folder)
    _, code, message = BAD_FILES[name]
    assert result.code == code
    assert message in result.err
    assert name in result.err
    assert result.out == ""


def test_a_hyphen_as_output_is_standard_output(folder: Path) -> None:
    words = ("score", "ref", "-i", "out", "-b")
    assert tercet(*words, "-o", "-", cwd=folder).out == tercet(*words, cwd=folder).out != ""
    assert not (folder / "-").exists()


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["absent", "-i", "out"], 2, "There is no file absent"),
        (["ref", "-i", "absent"], 2, "There is no file absent"),
        (["directory", "-i", "out"], 2, "is a directory"),
        (["nothing", "-i", "nothing"], 1, "empty"),
        (["-i", "out"], 2, "No reference is given"),
        (["ref", "-i", "out", "-m", "blue"], 2, "Did you mean bleu"),
        (["ref", "-i", "out", "-m", "chrf++"], 2, "There is no metric called 'chrf++'. Write chrf:word_order=2."),
        (["ref", "-i", "out", "-m", "bleu,chrf"], 2, "Metrics are separated by blanks, not by commas: bleu chrf"),
        (["ref", "-i", "out", "-m", "chrf:word_oder=2"], 2, "Did you mean word_order?"),
        (["ref", "-i", "out", "-m", "chrf:beta=-1"], 2, "beta must be above 0"),
        (["ref", "-i", "out", "-m", "bleu:max_ngram_order=0"], 2, "max_ngram_order must be 1 to 100"),
        (["ref", "-i", "out", "-tok", "13b"], 2, "Did you mean 13a?"),
        (["ref", "-i", "out", "-f", "yaml"], 2, "yaml"),
        (["ref", "-i", "out", "--paired-bs"], 2, "two systems"),
        (["ref", "-i", "out", "out", "--paired-bs", "--paired-ar"], 2, "Choose"),
        (["ref", "-i", "out", "-l", "ende"], 2, "SRC-TGT"),
        (["ref", "-i", "out", "-t", "somewhere"], 2, "somewhere"),
        (["-t", "no-such-set", "-l", "en-de"], 2, "no-such-set"),
        (["ref", "-i", "out", "--no-such-option"], 2, "--no-such-option"),
        (["ref", "-i", "out", "--save", "no/such/folder/x"], 2, "cannot be written"),
        (["ref", "-i", "out", "-j", "-3"], 2, "jobs must be"),
        (["-", "-i", "-"], 2, "only once"),
        (["--merge", "ref"], 1, "Error: ref is not a file written by 'tercet score --save'.\n"),
        (["ref", "-i", "out", "--by", "length", "-b"], 2, "-b prints scores of systems alone"),
        (["ref", "-i", "out", "--confidence", "-cin", "0"], 2, "resamples"),
        (["ref", "-i", "out", "-w", "-1"], 2, "-w"),
        (["ref", "-i", "out", "--save", "directory"], 2, "is a directory"),
        (["ref", "-i", "out", "--save", ""], 2, "a file's name"),
        (["ref", "-i", "out", "-m", "chrf:beta=1e308"], 2, "beta must be at most 1,000,000, not 1e+308"),
        (["ref", "-i", "out", "-sl", "--confidence"], 2, "only -f json shows both"),
        (["ref", "-i", "out", "out", "--paired-bs", "-b"], 2, "-b prints scores alone"),
        (["ref", "-i", "out", "-m", "BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp", "-lc"], 2, "--lowercase"),
        (["ref", "-i", "out", "-e", "latin-1"], 2, "iconv"),
        (["--merge", "ref", "-r", "ref"], 2, "cannot be given with it"),
    ],
)
def test_misuse_says_what_to_do(folder: Path, arguments: list[str], code: int, message: str) -> None:
    result = tercet("score", *arguments, cwd=folder)
    assert (result.code, result.out) == (code, "")
    assert message in result.err


def test_an_unknown_command_suggests_the_nearest(folder: Path) -> None:
    result = tercet("scor", cwd=folder)
    assert result.code == 2
    assert "Did you mean score?" in result.err


def test_a_byte_order_mark_and_carriage_returns_are_left_out_and_said(folder: Path) -> None:
    plain = tercet("score", "ref", "-i", "out", "-f", "json", "-m", "bleu", "chrf:whitespace=true", cwd=folder)
    (folder / "windows").write_bytes(b"\xef\xbb\xbf" + GOOD.replace(b"\n", b"\r\n"))
    result = tercet("score", "ref", "-i", "windows", "-f", "json", "-m", "bleu", "chrf:whitespace=true", cwd=folder)
    assert [entry["score"] for entry in result.json] == [entry["score"] for entry in plain.json]
    assert "byte order mark" in result.err
    assert "2 lines that end in CR LF" in result.err
    assert tercet("score", "ref", "-i", "windows", "-q", cwd=folder).err == ""


def test_only_line_feeds_end_lines(folder: Path) -> None:
    (folder / "ref").write_bytes("one\u2028two\n three\x0bfour\x85five\n".encode())
    (folder / "out").write_bytes(b"one two\nthree four five\n")
    result = tercet("score", "ref", "-i", "out", "-f", "json", cwd=folder)
    assert (result.code, result.json[0]["n_segments"]) == (0, 2)


def test_a_line_of_ten_megabytes_is_scored(folder: Path) -> None:
    line = ("The quick brown fox jumps over the lazy dog and runs away. " * 180_000).encode()
    assert len(line) > 10_000_000
    (folder / "ref").write_bytes(line + b"\n")
    (folder / "out").write_bytes(line[: len(line) // 2] + b"\n")
    result = tercet("score", "ref", "-i", "out", "-m", "bleu", "chrf:word_order=2", "-f", "json", cwd=folder)
    assert result.code == 0
    assert result.json[0]["details"]["precisions"] == [100.0] * 4


@given(st.binary(max_size=200) | st.text(max_size=60).map(str.encode))
def test_any_bytes_are_read_or_refused(content: bytes) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file"
        path.write_bytes(content)
        try:
            lines = read_lines(path)
        except TercetError as error:
            assert "file" in str(error)
        else:
            assert "\n".join(lines).encode().count(b"\n") + bool(lines) == len(lines)
            kept = content.removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n").removesuffix(b"\n")
            if lines:
                assert "\n".join(lines).encode().removesuffix(b"\r") == kept.removesuffix(b"\r")


@given(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=12) | st.sampled_from(
    ["score", "compare", "check", "-i", "-m", "bleu", "chrf:", "-f", "json", "-w", "-t", "--", "-l", "en-de", "-nr"]
), max_size=6))  # fmt: skip
def test_any_words_end_in_an_exit_code(words: list[str]) -> None:
    """In this process, for speed: whatever is typed, `main` leaves by SystemExit and nothing else."""
    import contextlib
    import io

    from tercet.cli import main

    with (
        contextlib.redirect_stdout(io.StringIO()),
        contextlib.redirect_stderr(io.StringIO()),
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"one\ntwo\n")))
        try:
            main(["score", *words] if words[:1] != ["score"] else words)
        except SystemExit as leaving:
            assert leaving.code in (0, 1, 2)


@pytest.mark.parametrize("words", [["score", "ref", "-i", "no\x1b[2Jfile"], ["score", "ref", "--no\x1b[2Joption"]])
def test_messages_hold_nothing_that_a_terminal_would_obey(folder: Path, words: list[str]) -> None:
    refused = tercet(*words, cwd=folder)
    assert refused.code == 2
    assert "\x1b" not in refused.err and r"no\x1b[2J" in refused.err


METRIC = '''
import sys
from dataclasses import dataclass
from typing import ClassVar
from tercet.metrics import MeanMetric


def recurse():
    return recurse()


@dataclass(frozen=True)
class Mine(MeanMetric):
    """A metric that does harm."""

    paper: ClassVar[str] = "none"

    def score_segment(self, output, references, source):
        return {harm}
'''
EIGHT = b"".join(b"one line %d\n" % number for number in range(8))


@pytest.mark.parametrize(
    ("harm", "message"),
    [
        ("sys.exit(0)", "it called sys.exit (mine.py, line 19)"),
        ("recurse()", "RecursionError: maximum recursion depth exceeded (mine.py, line 9)"),
        ("(_ for _ in ()).throw(BaseException('x'))", "BaseException: x (mine.py, line 19)"),
        ("1e308", "'out' has a number beyond 1e+300 in segment 1: too large to be added up"),
    ],
)
@pytest.mark.parametrize("jobs", [1, 2])
def test_code_of_a_user_that_ends_the_program_lets_no_gate_pass(
    folder: Path, harm: str, message: str, jobs: int
) -> None:
    for name in ("ref", "out"):
        (folder / name).write_bytes(EIGHT)
    (folder / "mine.py").write_text(METRIC.format(harm=harm))
    words = ("compare", "ref", "-i", "a=ref", "out", "-m", "mine.py", "--fail-if", "any worsens", "-j", jobs)
    result = tercet_process(*words, cwd=folder)
    assert result.code in (1, 2)
    assert message in result.err.replace(f"{folder}/", "").replace("'a' has", "'out' has")
    assert "Warning" not in result.err and result.out == ""


def test_a_file_that_exits_when_it_is_imported_is_no_success(folder: Path) -> None:
    (folder / "mine.py").write_text("import sys\nsys.exit(0)\n")
    result = tercet("score", "ref", "-i", "out", "-m", "mine.py", cwd=folder)
    assert result.code == 2
    assert "mine.py cannot be loaded: SystemExit: 0" in result.err


def test_a_column_that_is_there_twice_is_said(folder: Path) -> None:
    (folder / "twice.csv").write_text("source,output,output,reference\na,b,c,d\n")
    result = tercet("score", "-t", "twice.csv", cwd=folder)
    assert result.code == 1
    assert "two columns are called 'output'. Rename one." in result.err
    (folder / "twice.csv").write_text("rater,segment,system,score,score\nann,1,s,2,3\n")
    result = tercet("agree", "twice.csv", cwd=folder)
    assert result.code == 1
    assert "twice.csv, line 1: two columns are called 'score'." in result.err


def test_a_field_of_a_table_may_be_as_long_as_a_line(folder: Path) -> None:
    (folder / "long.csv").write_text(f"source,output,reference\na,{'b ' * 100_000},{'b ' * 100_000}\n")
    result = tercet("score", "-t", "long.csv", "-m", "chrf", "-b", cwd=folder)
    assert (result.code, result.out) == (0, "100.0\n")


def test_names_that_are_too_long_for_a_file_are_named(folder: Path) -> None:
    name = "n" * 300
    for words in (("ref", "-i", name), (name, "-i", "out"), ("ref", "-i", "out", "-m", name)):
        result = tercet("score", *words, cwd=folder)
        assert result.code in (1, 2)
        assert "nnn" in result.err and "cannot be written" not in result.err
