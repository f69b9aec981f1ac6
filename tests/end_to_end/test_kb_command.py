"""`tercet kb` as a user runs it."""

import gzip
import json
import os
import pty
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest
from benchmarks.knowledge import make_dump

from tercet.kb import build
from tercet.knowledge.building import Step
from tercet.tasks.kb import progress_line

from .command import TERCET, tercet

TABLE = "Q64\tde\tBerlin\tplace\t300\nQ64\tru\tБерлин\tplace\t300\nQ1\tde\tnur\n"


@pytest.fixture
def table(tmp_path) -> Path:
    (tmp_path / "x.tsv").write_text(TABLE, "utf-8")
    return tmp_path / "x.tsv"


@pytest.fixture(scope="module")
def dump(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("dump") / "dump.json.gz"
    make_dump(path, 3000)
    return path


def test_build_and_info_say_the_same_and_equal_the_function(tmp_path, table) -> None:
    built = tercet("kb", "build", "--tsv", table, "--languages", "de", "ru", "--out", "kb", cwd=tmp_path)
    shown = tercet("kb", "info", "kb", "--verify", cwd=tmp_path)
    assert (built.code, shown.code, built.err, shown.err) == (0, 0, "", "")
    lines = built.out.splitlines()
    assert lines[0] == f"kb: 1 entities, 2 names, 0.0 MB, in {tmp_path / 'kb'}"
    assert lines[1:3] == ["From TSV (x.tsv), licence: of the file's owner", "Left out: 1 in too few languages"]
    assert built.out == shown.out
    other = build(tmp_path / "other", languages=["de", "ru"], tsv=[table], name="kb")
    printed = tercet("kb", "info", "kb", "-f", "json", cwd=tmp_path).json
    assert printed == {**other.info(), "path": str(tmp_path / "kb")}


def test_a_wikidata_dump_with_two_jobs(tmp_path, dump) -> None:
    words = ["kb", "build", "--wikidata", dump, "-l", "cs,de", "en", "ru", "-o", "kb", "-j", "2", "-f", "json"]
    result = tercet(*words, cwd=tmp_path)
    assert (result.code, result.err) == (0, "")
    assert result.json["languages"] == ["cs", "de", "en", "ru"]
    assert result.json["sources"] == [{"name": "Wikidata", "licence": "CC0 1.0", "file": "dump.json.gz"}]
    assert result.json["entities"] > 1000
    assert [path.name for path in tmp_path.iterdir()] == ["kb"]


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["--languages", "de", "ru"], 2, "No source is given"),
        (["--tsv", "none.tsv", "--languages", "de", "ru"], 2, "There is no file none.tsv"),
        (["--wikidata", "none.gz", "--languages", "de", "ru"], 2, "There is no file none.gz"),
        (["--tsv", "x.tsv", "--languages", "de", "qq"], 2, "Tercet does not know the language 'qq'"),
        (["--tsv", "x.tsv", "--languages", "de", "en"], 1, "No entity has names in 2 of the languages de en"),
        (["--jsonl", "x.tsv", "--languages", "de", "ru"], 1, "x.tsv, line 1: not JSON"),
        (["--wikidata", "x.tsv", "--languages", "de", "ru"], 1, "x.tsv is not a Wikidata dump"),
        (["--wikidata", "cut.gz", "--languages", "de", "ru"], 1, "cut.gz is damaged or truncated"),
        (["--tsv", "x.tsv", "--languages", "de", "ru", "-j", "-1"], 2, "jobs must be 0"),
    ],
)
def test_what_cannot_be_built_leaves_nothing(tmp_path, table, words, code, message) -> None:
    (tmp_path / "cut.gz").write_bytes(gzip.compress(b"[\n{}\n]\n")[:-9])
    result = tercet("kb", "build", *words, "--out", "kb", cwd=tmp_path)
    assert result.code == code
    assert message in result.err
    assert result.err.startswith("Error: ")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cut.gz", "x.tsv"]


def test_what_is_no_knowledge_base_is_said(tmp_path, table) -> None:
    assert tercet("kb", "info", "none", cwd=tmp_path).err.startswith("Error: There is no knowledge base none.")
    tercet("kb", "build", "--tsv", table, "--languages", "de", "ru", "--out", "kb", cwd=tmp_path)
    manifest = json.loads((tmp_path / "kb" / "manifest.json").read_text())
    (tmp_path / "kb" / "manifest.json").write_text(json.dumps({**manifest, "format": 2}))
    result = tercet("kb", "info", "kb", cwd=tmp_path)
    assert (result.code, result.err[:52]) == (1, "Error: The knowledge base kb has format version 2; t")


def test_a_folder_that_may_not_be_written_is_said(tmp_path, table) -> None:
    (tmp_path / "locked").mkdir(mode=0o500)
    if os.access(tmp_path / "locked", os.W_OK):
        pytest.skip("this user may write everywhere")
    words = ["kb", "build", "--tsv", table, "--languages", "de", "ru", "--out", "locked/kb"]
    result = tercet(*words, cwd=tmp_path)
    assert (result.code, "cannot be written: Permission denied" in result.err) == (2, True)


def test_ctrl_c_stops_and_the_same_command_goes_on(tmp_path, dump) -> None:
    words = [str(TERCET), "kb", "build", "--wikidata", str(dump), "-l", "de", "en", "-o", "kb", "-j", "2"]
    process = subprocess.Popen(words, cwd=tmp_path, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    while not (tmp_path / ".kb.building").exists() and process.poll() is None:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert "Traceback" not in err
    if process.returncode == 0:
        pytest.skip("it was done before it could be stopped")
    assert (process.returncode, err.strip()) == (130, "Stopped.")
    assert not (tmp_path / "kb").exists()
    assert tercet("kb", "build", "--wikidata", dump, "-l", "de", "en", "-o", "kb", cwd=tmp_path).code == 0
    assert [path.name for path in tmp_path.iterdir()] == ["kb"]


def test_progress_tells_rate_and_remaining_time() -> None:
    assert progress_line(Step("Reading", 0, 100), 0.0) == "Reading: 0.0%"
    step = Step("Reading", 25, 100, 30_000)
    assert progress_line(step, 10.0) == "Reading: 25.0%, 30,000 entities, 3,000 per second, 0:00:30 left"
    assert progress_line(step, 3600.0, 5, 10_000).endswith("30,000 entities, 6 per second, 3:45:00 left")


def test_progress_is_shown_on_a_terminal_alone(tmp_path, dump) -> None:
    controller, terminal = pty.openpty()
    words = [str(TERCET), "kb", "build", "--wikidata", str(dump), "-l", "de", "en", "-o", "kb"]
    with subprocess.Popen(words, cwd=tmp_path, stderr=terminal, stdout=subprocess.DEVNULL) as process:
        assert process.wait(60) == 0
    os.close(terminal)
    shown = os.read(controller, 100_000).decode()
    os.close(controller)
    assert re.search(r"Reading: \d+\.\d%, [\d,]+ entities", shown)
    assert "Joining names: 100.0%" in shown
