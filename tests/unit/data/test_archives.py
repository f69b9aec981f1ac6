import gzip
import io
import stat
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tercet.data import archives
from tercet.data.archives import extract
from tercet.errors import DataError, UsageError


def make_tar(path: Path, *members: tuple[str, bytes | str, bytes]) -> Path:
    """Members: name, type, content or link target."""
    with tarfile.open(path, "w:gz") as archive:
        for name, kind, content in members:
            info = tarfile.TarInfo(name)
            info.type = kind if isinstance(kind, bytes) else kind.encode()
            if info.issym() or info.islnk():
                info.linkname = content.decode()
                archive.addfile(info)
            else:
                info.size = len(content)
                archive.addfile(info, io.BytesIO(content))
    return path


def make_zip(path: Path, *members: tuple[str, int, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, mode, content in members:
            info = zipfile.ZipInfo(name)
            info.external_attr = mode << 16
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, content)
    return path


FILE, LINK, HARD, FIFO = tarfile.REGTYPE, tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE


@pytest.mark.parametrize("suffix", ["tar.gz", "zip"])
def test_files_folders_and_links_within_are_unpacked(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"a.{suffix}"
    if suffix == "zip":
        make_zip(path, ("r/", stat.S_IFDIR, b""), ("r/a.txt", 0, b"one"), ("r/s/b", stat.S_IFLNK, b"../a.txt"))
    else:
        make_tar(
            path,
            ("r", tarfile.DIRTYPE, b""),
            ("r/s/b", LINK, b"../a.txt"),
            ("r/a.txt", FILE, b"one"),
            ("c", HARD, b"r/a.txt"),
        )
    extract(path, tmp_path / "out")
    assert (tmp_path / "out/r/a.txt").read_bytes() == b"one"
    assert (tmp_path / "out/r/s/b").read_bytes() == b"one"
    assert not (tmp_path / "out/r/s/b").is_symlink()
    assert suffix == "zip" or (tmp_path / "out/c").read_bytes() == b"one"


def make_bytes(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path


def deep_gzip(path: Path) -> Path:
    """A tar whose extended header claims, and has, many megabytes of zeros."""
    header = tarfile.TarInfo("x")
    header.type = tarfile.XHDTYPE
    header.size = 1 << 26
    path.write_bytes(gzip.compress(header.tobuf() + bytes(1 << 26)))
    return path


REFUSED: dict[str, tuple[Callable[[Path], Path], str]] = {
    "tar absolute": (lambda p: make_tar(p, ("/tmp/x", FILE, b"x")), "'/tmp/x' would be outside of its folder"),
    "tar parent": (lambda p: make_tar(p, ("a/../../x", FILE, b"x")), "'a/../../x' would be outside"),
    "tar drive": (lambda p: make_tar(p, ("C:/x", FILE, b"x")), "'C:/x' would be outside"),
    "tar backslash": (lambda p: make_tar(p, ("..\\x", FILE, b"x")), "would be outside"),
    "tar link out": (lambda p: make_tar(p, ("a", LINK, b"../../etc/passwd")), "is a link out of the archive"),
    "tar absolute link": (lambda p: make_tar(p, ("a", LINK, b"/etc/passwd")), "is a link out of the archive"),
    "tar hard link out": (lambda p: make_tar(p, ("a", HARD, b"/etc/passwd")), "is a link out of the archive"),
    "tar link nowhere": (lambda p: make_tar(p, ("a", LINK, b"b")), "which is not a file of the archive"),
    "tar link to itself": (lambda p: make_tar(p, ("a", LINK, b"a")), "which is not a file of the archive"),
    "tar through a link": (
        lambda p: make_tar(p, ("a", LINK, b"/tmp"), ("a/x", FILE, b"x")),
        "a member cannot be written|is a link out of the archive",
    ),
    "tar device": (lambda p: make_tar(p, ("a", tarfile.CHRTYPE, b"")), "is neither a file nor a folder"),
    "tar pipe": (lambda p: make_tar(p, ("a", FIFO, b"")), "is neither a file nor a folder"),
    "tar twice": (lambda p: make_tar(p, ("a", FILE, b"x"), ("a", FILE, b"y")), "'a' occurs twice"),
    "tar file and folder": (
        lambda p: make_tar(p, ("a", FILE, b"x"), ("a/b", FILE, b"y")),
        "a member cannot be written",
    ),
    "tar too many": (
        lambda p: make_tar(p, *((str(i), FILE, b"") for i in range(11))),
        "more than 10 files \\(`max_files`\\)",
    ),
    "tar too large": (lambda p: make_tar(p, ("a", FILE, bytes(2000))), "more than 1000 bytes \\(`max_bytes`\\)"),
    "tar huge header": (deep_gzip, "a header that is too long"),
    "zip parent": (lambda p: make_zip(p, ("../x", 0, b"x")), "'../x' would be outside of its folder"),
    "zip link out": (lambda p: make_zip(p, ("a", stat.S_IFLNK, b"../../x")), "is a link out of the archive"),
    "zip device": (lambda p: make_zip(p, ("a", stat.S_IFCHR, b"")), "is neither a file nor a folder"),
    "zip too large": (lambda p: make_zip(p, ("a", 0, bytes(2000))), "more than 1000 bytes \\(`max_bytes`\\)"),
    "zip link bytes": (lambda p: make_zip(p, ("a", stat.S_IFLNK, b"\xff")), "cannot be read"),
    "no archive": (lambda p: make_bytes(p, b"text"), "damaged or not an archive"),
    "cut": (lambda p: make_bytes(p, gzip.compress(bytes(5000))[:20]), "damaged or not an archive"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_harmful_or_damaged_archive_is_refused_and_leaves_nothing(tmp_path: Path, case: str) -> None:
    make, message = REFUSED[case]
    path = make(tmp_path / "bad.archive")
    with pytest.raises(DataError, match=message) as caught:
        extract(path, tmp_path / "out", max_files=10, max_bytes=1000)
    assert str(caught.value).startswith(f"{path} was refused and nothing was kept: ")
    assert sorted(child.name for child in tmp_path.iterdir()) == ["bad.archive"]


def test_a_zip_that_lies_about_its_sizes_is_cut_off(tmp_path: Path) -> None:
    path = make_zip(tmp_path / "a.zip", ("a", 0, bytes(100_000)))
    content = path.read_bytes()
    path.write_bytes(content.replace((100_000).to_bytes(4, "little"), (10).to_bytes(4, "little")))
    with pytest.raises(DataError):
        extract(path, tmp_path / "out", max_bytes=1000)
    assert not (tmp_path / "out").exists()


def test_a_missing_archive_is_a_wrong_use(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="There is no file"):
        extract(tmp_path / "none.zip", tmp_path / "out")


def test_an_archive_that_unpacks_to_many_times_its_size_is_refused_unless_allowed(tmp_path, monkeypatch):
    monkeypatch.setattr(archives, "RATIO_FROM", 1 << 20)
    path = tmp_path / "bomb.zip"
    make_zip(path, ("a", 0, bytes(5 << 20)))
    assert path.stat().st_size < 10_000
    with pytest.raises(DataError, match=r"it unpacks to more than \d+ bytes \(`max_bytes`\)"):
        extract(path, tmp_path / "out")
    extract(path, tmp_path / "out", max_bytes=6 << 20)
    assert (tmp_path / "out" / "a").stat().st_size == 5 << 20
