"""Writing files whole, into what is no file, and into folders that others want, too."""

import gzip
import os
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest

from tercet.data import lines
from tercet.data.files import held, writing, writing_bytes
from tercet.errors import DataError, UsageError


def test_what_was_there_stays_until_all_is_written(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("old")
    with pytest.raises(KeyboardInterrupt), writing(tmp_path / "x") as stream:
        stream.write("new")
        raise KeyboardInterrupt
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"x": "old"}
    with writing(tmp_path / "x") as stream:
        stream.write("new")
        assert (tmp_path / "x").read_text() == "old"
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"x": "new"}


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
def test_a_pipe_is_written_to_and_stays_a_pipe(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with ThreadPoolExecutor(1) as pool:
        read = pool.submit((tmp_path / "pipe").read_text)
        with writing(tmp_path / "pipe") as stream:
            stream.write("through")
        assert read.result() == "through"
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)
    assert [path.name for path in tmp_path.iterdir()] == ["pipe"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
def test_an_archive_goes_through_a_pipe_though_it_is_written_by_seeking(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with ThreadPoolExecutor(1) as pool:
        read = pool.submit((tmp_path / "pipe").read_bytes)
        with writing_bytes(tmp_path / "pipe") as stream:
            np.savez_compressed(stream, numbers=np.arange(3))
        with np.load(BytesIO(read.result())) as archive:
            assert archive["numbers"].tolist() == [0, 1, 2]
    with writing_bytes("/dev/null") as stream:
        np.savez_compressed(stream, numbers=np.arange(3))


def test_a_folder_is_held_by_one_at_a_time(tmp_path: Path) -> None:
    pytest.importorskip("fcntl", reason="there are no such locks here")
    with (
        held(tmp_path),
        pytest.raises(UsageError, match=r"^Another process is using .*\. Wait until"),
        held(tmp_path),
    ):
        pass
    with held(tmp_path):
        pass


def test_the_checksum_of_a_folder_covers_names_and_contents(tmp_path):
    from tercet.data.files import file_checksum

    folder = tmp_path / "model"
    (folder / "inner").mkdir(parents=True)
    (folder / "weights").write_bytes(b"1")
    (folder / "inner" / "words").write_bytes(b"2")
    first = file_checksum(folder)
    assert file_checksum(folder) == first
    (folder / "inner" / "words").write_bytes(b"33")
    second = file_checksum(folder)
    (folder / "weights").rename(folder / "other")
    assert len({first, second, file_checksum(folder)}) == 3


def test_a_line_without_end_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(lines, "MAX_LINE", 3000)
    monkeypatch.setattr(lines, "BLOCK", 1000)
    path = tmp_path / "long.gz"
    path.write_bytes(gzip.compress(b"a\n" + b"b" * 3000 + b"\n"))
    with pytest.raises(DataError, match="line 2: longer than 3000 bytes. One segment per line .*--max-line"):
        lines.read_lines(path)
    path.write_bytes(gzip.compress(b"a\n" + b"b" * 2990 + b"\n"))
    assert [len(line) for line in lines.read_lines(path)] == [1, 2990]


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="no endless file here")
def test_an_endless_file_is_refused():
    with pytest.raises(DataError, match="a NUL byte"):
        lines.read_lines("/dev/zero")


def test_a_file_that_is_replaced_keeps_its_mode(tmp_path: Path) -> None:
    for mode in (0o600, 0o640, 0o755):
        (tmp_path / "x").write_text("old")
        (tmp_path / "x").chmod(mode)
        with writing(tmp_path / "x") as stream:
            stream.write("new")
        assert stat.S_IMODE((tmp_path / "x").stat().st_mode) == mode
    with writing_bytes(tmp_path / "copy", like=tmp_path / "x") as bytes_:
        bytes_.write(b"y")
    assert stat.S_IMODE((tmp_path / "copy").stat().st_mode) == 0o755


def test_a_link_is_followed(tmp_path: Path) -> None:
    (tmp_path / "inside").mkdir()
    for target in ("inside/there", "inside/not yet"):
        link = tmp_path / f"link to {Path(target).name}"
        link.symlink_to(tmp_path / target)
        (tmp_path / "inside" / "there").write_text("old")
        with writing(link) as stream:
            stream.write("new")
        assert link.is_symlink() and (tmp_path / target).read_text() == "new"


@pytest.mark.parametrize("signal", ["SIGKILL", "SIGTERM"])
@pytest.mark.skipif(not hasattr(os, "O_TMPFILE"), reason="files without names are Linux's")
def test_a_program_that_is_killed_while_it_writes_leaves_nothing(tmp_path: Path, signal: str) -> None:
    program = f"""
import os, signal
from tercet.data.files import writing
with writing({str(tmp_path / "x")!r}) as stream:
    stream.write("half")
    stream.flush()
    os.kill(os.getpid(), signal.{signal})
"""
    subprocess.run([sys.executable, "-c", program], check=False)
    assert not list(tmp_path.iterdir())


def test_without_files_that_have_no_name_a_failure_leaves_nothing_either(tmp_path, monkeypatch) -> None:
    monkeypatch.delattr(os, "O_TMPFILE", raising=False)
    with pytest.raises(ValueError), writing(tmp_path / "x") as stream:
        stream.write("half")
        raise ValueError
    assert not list(tmp_path.iterdir())
    with writing(tmp_path / "x") as stream:
        stream.write("whole")
    assert [path.name for path in tmp_path.iterdir()] == ["x"]
