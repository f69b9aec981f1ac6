import gzip
import hashlib
import io
import json
import logging
import re
import zipfile
from email.message import Message
from pathlib import Path
from urllib.error import URLError

import pytest

from tercet.data import TestSet, catalogue
from tercet.data.catalogue import (
    Entry,
    add,
    checksum_of,
    entries,
    find,
    get,
    https_opener,
    installed,
    is_name,
    remove,
    where,
)
from tercet.data.jsonl import write_jsonl
from tercet.data.layouts import pairs
from tercet.errors import DataError, UnknownName, UsageError


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "here"
    (folder / "sub").mkdir(parents=True)
    (folder / "a.txt").write_text("one\n")
    (folder / "sub" / "b.txt").write_text("two\n")
    return folder


def zipped(files: dict[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return stream.getvalue()


class Response(io.BytesIO):
    """What urllib gives back, as far as it is used."""

    def __init__(self, content: bytes, length: int | None = None) -> None:
        super().__init__(content)
        self.headers = Message()
        self.headers["Content-Length"] = str(len(content) if length is None else length)


def test_every_entry_says_where_it_comes_from() -> None:
    assert len(entries()) >= 15
    for entry in entries():
        assert entry.description
        assert entry.licence
        assert entry.citation
        assert entry.source
        assert re.match(r"https?://", entry.address)
        assert entry.archive is None or entry.archive.startswith(entry.address)
        assert entry.sha256 is None or re.fullmatch("[0-9a-f]{64}", entry.sha256)


def test_an_unknown_name_has_a_hint() -> None:
    assert find("wmt23").inside == "data/mt-metrics-eval-v2/wmt23"
    with pytest.raises(UnknownName, match=r"There is no data set called 'wmt32'\. Did you mean wmt23"):
        find("wmt32")


def test_a_folder_is_copied_and_recorded(tmp_path: Path, data: Path) -> None:
    cache = tmp_path / "deep" / "cache"
    copy = add(data, "mine", cache)
    assert (copy.name, copy.files, copy.bytes, copy.origin) == ("mine", 2, 8, str(data))
    assert where("mine", cache) == copy.path == cache / "mine" / "data"
    assert (copy.path / "sub" / "b.txt").read_text() == "two\n"
    assert [found.name for found in installed(cache)] == ["mine"]
    assert is_name("mine", cache)
    assert not is_name("yours", cache)
    digest = hashlib.sha256()
    for name, content in (("data/a.txt", b"one\n"), ("data/sub/b.txt", b"two\n")):
        digest.update(f"{name}\n{hashlib.sha256(content).hexdigest()}\n".encode())
    assert copy.sha256 == digest.hexdigest()
    assert [path.name for path in cache.iterdir()] == ["mine"]


def test_an_archive_is_unpacked_without_its_outer_folder(tmp_path: Path) -> None:
    archive = tmp_path / "a.zip"
    archive.write_bytes(zipped({"repo-123/x/y.txt": b"y"}))
    copy = add(archive, "mine", tmp_path / "cache")
    assert (copy.path / "x" / "y.txt").read_bytes() == b"y"
    assert copy.archive_sha256 == hashlib.sha256(archive.read_bytes()).hexdigest()
    archive.write_bytes(zipped({"x.txt": b"x", "y/z.txt": b"z"}))
    copy = add(archive, "mine", tmp_path / "cache", replace=True)
    assert sorted(path.name for path in copy.path.iterdir()) == ["x.txt", "y"]
    assert [path.name for path in (tmp_path / "cache").iterdir()] == ["mine"]


def test_what_cannot_be_added_is_refused_and_leaves_nothing(tmp_path: Path, data: Path) -> None:
    cache = tmp_path / "cache"
    cache.mkdir()
    (tmp_path / "plain.txt").write_text("x")
    (tmp_path / "empty").mkdir()
    (tmp_path / "bad.zip").write_bytes(zipped({"../x": b"x"}))
    (tmp_path / "dangling").mkdir()
    (tmp_path / "dangling" / "link").symlink_to(tmp_path / "nowhere")
    for path, name, message in (
        (data, "../evil", "cannot be the name of a data set"),
        (data, ".hidden", "cannot be the name of a data set"),
        (data, "a/b", "cannot be the name of a data set"),
        (tmp_path / "none", "x", "none does not exist"),
        (tmp_path / "plain.txt", "x", "is neither a folder nor an archive"),
        (tmp_path / "empty", "x", "holds no files. Nothing was added"),
        (tmp_path / "bad.zip", "x", "was refused and nothing was kept"),
        (tmp_path / "dangling", "x", "cannot be copied"),
        (tmp_path, "x", "contains the data folder .* itself"),
    ):
        with pytest.raises((UsageError, DataError), match=message):
            add(path, name, cache)
    assert list(cache.iterdir()) == []


def test_a_data_folder_that_cannot_be_made_is_a_wrong_use(tmp_path: Path, data: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(UsageError, match=r"Cannot make the folder .*: "):
        add(data, "mine", tmp_path / "file" / "cache")
    with pytest.raises(UsageError, match=r"Cannot make the folder .*: "):
        get("mqm", tmp_path / "file" / "cache", opener=fails)


def test_a_name_is_used_once_unless_replaced(tmp_path: Path, data: Path) -> None:
    add(data, "mine", tmp_path / "cache")
    with pytest.raises(UsageError, match=r"already has a data set 'mine'\. Choose another name, or replace"):
        add(data, "mine", tmp_path / "cache")
    (data / "a.txt").write_text("new\n")
    copy = add(data, "mine", tmp_path / "cache", replace=True)
    assert (copy.path / "a.txt").read_text() == "new\n"


def test_a_failed_replacement_keeps_the_old_copy(tmp_path: Path, data: Path) -> None:
    add(data, "mine", tmp_path / "cache")
    (tmp_path / "bad.zip").write_bytes(zipped({"../x": b"x"}))
    with pytest.raises(DataError):
        add(tmp_path / "bad.zip", "mine", tmp_path / "cache", replace=True)
    assert (where("mine", tmp_path / "cache") / "a.txt").read_text() == "one\n"
    assert [path.name for path in (tmp_path / "cache").iterdir()] == ["mine"]


def test_the_old_copy_comes_back_when_the_new_one_cannot_take_its_place(
    tmp_path: Path, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache, moves = tmp_path / "cache", []
    add(data, "mine", cache)
    rename = Path.rename

    def failing(self: Path, target: Path) -> Path:
        moves.append(target)
        if len(moves) == 2:
            raise OSError("the disk is gone")
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", failing)
    with pytest.raises(OSError, match="the disk is gone"):
        add(data, "mine", cache, replace=True)
    assert [path.name for path in cache.iterdir()] == ["mine"]
    assert (where("mine", cache) / "a.txt").read_text() == "one\n"


@pytest.mark.parametrize("name", ["ru-en.jsonl", "ru-en.jsonl.gz"])
def test_a_single_file_of_a_known_layout_is_added_as_a_folder(tmp_path: Path, name: str) -> None:
    write_jsonl(TestSet({"x": ["a"]}, {"A": ["r"]}, pair="ru-en"), tmp_path / name)
    copy = add(tmp_path / name, "mine", tmp_path / "cache")
    assert (copy.files, [path.name for path in copy.path.iterdir()]) == (1, [name])
    assert copy.archive_sha256 is None
    assert pairs(where("mine", tmp_path / "cache")) == ["ru-en"]


@pytest.mark.parametrize("name", ["news.jsonl", "ru-en.segments.tsv", "news.xml"])
def test_a_single_file_whose_name_says_nothing_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("")
    with pytest.raises(UsageError, match=r"Nothing was added\. Name it after its language pair, as en-de\.jsonl"):
        add(tmp_path / name, "mine", tmp_path / "cache")
    assert list((tmp_path / "cache").iterdir()) == []


TABLES = {
    "meteor": "0.5\na dog\nthe cat\n",
    "pairs.tsv": "a dog\tthe cat\n",
    "ppdb.txt.gz": "[NP] ||| a dog ||| the cat ||| p=0.1\n",
}


@pytest.mark.parametrize("name", TABLES)
def test_a_table_of_paraphrases_is_added_whatever_its_name(tmp_path: Path, name: str) -> None:
    text = TABLES[name].encode()
    (tmp_path / name).write_bytes(gzip.compress(text) if name.endswith(".gz") else text)
    copy = add(tmp_path / name, "mine", tmp_path / "cache")
    assert [path.name for path in copy.path.iterdir()] == [name]
    assert (copy.path / name).read_bytes() == (tmp_path / name).read_bytes()


@pytest.mark.parametrize(
    "text", ["source\tsys:x\na\tb\n", "seg\tonline\n1\tb\n", "x\trefA\na\tb\n", "words\n", "", "\0\t"]
)
def test_what_begins_no_table_of_paraphrases_is_not_added_as_one(tmp_path: Path, text: str) -> None:
    for name in ("news.tsv", "news.txt"):
        (tmp_path / name).write_text(text)
        with pytest.raises(UsageError, match=r"Nothing was added|nor a table of paraphrases"):
            add(tmp_path / name, "mine", tmp_path / "cache")
    (tmp_path / "news.jsonl").write_text('{"tgt": {"x": "a ||| b"}}\n')  # a test set without its language pair
    with pytest.raises(UsageError, match="Nothing was added"):
        add(tmp_path / "news.jsonl", "mine", tmp_path / "cache")


def test_a_data_set_is_removed_and_nothing_else(tmp_path: Path, data: Path) -> None:
    cache = tmp_path / "cache"
    add(data, "mine", cache)
    add(data, "other", cache)
    assert remove("mine", cache) == cache / "mine"
    assert [path.name for path in cache.iterdir()] == ["other"]
    assert (data / "a.txt").exists()
    with pytest.raises(UnknownName, match=r"There is no data set in .* called 'othr'\. Did you mean other\?"):
        remove("othr", cache)
    with pytest.raises(UsageError, match=r"Data set 'wmt23' is not in .*, so there is nothing to remove"):
        remove("wmt23", cache)
    for name in ("../here", ".", "", "other/data"):
        with pytest.raises(UnknownName):
            remove(name, cache)
    (cache / "linked").symlink_to(cache / "other")
    remove("linked", cache)
    assert (where("other", cache) / "a.txt").exists()
    (cache / "other" / "record.json").write_text("{")  # damaged ones can be removed too
    remove("other", cache)
    assert list(cache.iterdir()) == []


def test_where_says_how_to_get_what_is_missing(tmp_path: Path) -> None:
    with pytest.raises(
        UsageError, match=r"Fetch it: tercet data get wmt23\. Or add a copy .*tercet data add FOLDER wmt23"
    ):
        where("wmt23", tmp_path)
    with pytest.raises(UnknownName, match="There is no data set called 'nope'. 'tercet data list' lists them."):
        where("nope", tmp_path)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "record.json").write_text("{")
    with pytest.raises(DataError, match=r"record\.json is damaged\. Remove the data set \(tercet data remove mine\)"):
        where("mine", tmp_path)


def test_get_downloads_checks_and_unpacks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    content = zipped({"repo-e7f8/data/mt-metrics-eval-v2/wmt23/sources/en-de.txt": b"s\n"})
    asked: list[str] = []
    seen: list[tuple[int, int | None]] = []

    def opener(address: str) -> Response:
        asked.append(address)
        return Response(content)

    with caplog.at_level(logging.WARNING):
        copy = get("wmt23", tmp_path, opener=opener, progress=lambda done, total: seen.append((done, total)))
    assert asked == ["https://github.com/wmt-conference/ErrorSpanAnnotation/archive/e7f88b51a5d3.zip"]
    assert seen == [(len(content), len(content))]
    assert copy.origin == asked[0]
    assert copy.archive_sha256 == hashlib.sha256(content).hexdigest()
    assert f"no checksum is published; sha256 {copy.archive_sha256} is recorded" in caplog.text
    assert where("wmt23", tmp_path) == copy.path / "data" / "mt-metrics-eval-v2" / "wmt23"
    assert get("wmt23", tmp_path, opener=opener) == copy
    assert len(asked) == 1  # what is there is not fetched again
    get("wmt23", tmp_path, opener=opener, replace=True)
    assert len(asked) == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == [".wmt23.sha256", "wmt23"]


def some_entry(monkeypatch: pytest.MonkeyPatch, **fields: str) -> None:
    entry = Entry("x", "d", "https://example.org", "s", "l", "c", archive="https://example.org/x.zip")
    changed = Entry(**{**catalogue.as_json(entry), **fields})
    monkeypatch.setattr(catalogue, "_catalogue", lambda: {"x": changed})


def test_a_wrong_checksum_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    content = zipped({"a": b"a"})
    some_entry(monkeypatch, sha256="0" * 64)
    with pytest.raises(
        DataError, match=r"the catalogue 0{64}\. The file was changed at its origin or on the way\. Nothing"
    ):
        get("x", tmp_path, opener=lambda _: Response(content))
    assert list(tmp_path.iterdir()) == []
    some_entry(monkeypatch, sha256=hashlib.sha256(content).hexdigest())
    assert get("x", tmp_path, opener=lambda _: Response(content)).files == 1


def test_later_downloads_are_checked_against_the_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    first, other = zipped({"a": b"a"}), zipped({"a": b"b"})
    some_entry(monkeypatch)
    assert checksum_of("x", tmp_path) is None
    get("x", tmp_path, opener=lambda _: Response(first))
    assert checksum_of("x", tmp_path) == "recorded"
    digest = hashlib.sha256(first).hexdigest()
    assert (tmp_path / ".x.sha256").read_text() == f"{digest}  https://example.org/x.zip\n"
    remove("x", tmp_path)  # the checksum outlives the copy
    with pytest.raises(DataError, match=rf"the first download had {digest}\. .*Nothing was kept.*remove .*\.x\.sha256"):
        get("x", tmp_path, opener=lambda _: Response(other))
    assert [path.name for path in tmp_path.iterdir()] == [".x.sha256"]
    caplog.clear()
    assert get("x", tmp_path, opener=lambda _: Response(first)).files == 1
    assert not caplog.records
    with pytest.raises(DataError, match="the first download had"):
        get("x", tmp_path, opener=lambda _: Response(other), replace=True)
    assert (where("x", tmp_path) / "a").read_bytes() == b"a"
    some_entry(monkeypatch, archive="https://example.org/y.zip")  # another address is another file
    get("x", tmp_path, opener=lambda _: Response(other), replace=True)
    some_entry(monkeypatch, sha256=digest)
    assert checksum_of("x", tmp_path) == "published"
    (tmp_path / ".x.sha256").write_text("?")
    some_entry(monkeypatch)
    with pytest.raises(DataError, match=r"\.x\.sha256 is damaged"):
        checksum_of("x", tmp_path)


def fails(address: str) -> Response:
    raise URLError("no route to host")


@pytest.mark.parametrize(
    ("opener", "message"),
    [
        (fails, r"x could not be downloaded: no route to host\. Download https://example\.org/x\.zip by other means"),
        (lambda _: Response(b"PK12", length=10), r"x: only 4 of 10 bytes arrived\. Try again"),
        (lambda _: Response(b"<html>not found</html>"), "damaged or not an archive"),
        (lambda _: Response(bytes(2000)), "was refused: it is larger than 1000 bytes"),
    ],
)
def test_a_failed_download_says_what_to_do_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, opener: catalogue.Opener, message: str
) -> None:
    some_entry(monkeypatch)
    with pytest.raises(DataError, match=message):
        get("x", tmp_path, opener=opener, max_bytes=1000)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("address", ["http://example.org/x.zip", "file:///etc/passwd", None])
def test_only_https_is_fetched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    some_entry(monkeypatch, archive=address)
    with pytest.raises(
        UsageError, match=r"no address that can be fetched safely \(HTTPS\)\. Get it from .*tercet data add"
    ):
        get("x", tmp_path, opener=fails)


@pytest.mark.parametrize("address", ["http://127.0.0.1/x", "file:///etc/passwd", "ftp://127.0.0.1/x"])
def test_the_opener_knows_no_other_scheme(address: str) -> None:
    with pytest.raises(URLError, match="unknown url type"):
        https_opener()(address)


def test_records_are_plain_json(tmp_path: Path, data: Path) -> None:
    add(data, "mine", tmp_path / "cache")
    record = json.loads((tmp_path / "cache" / "mine" / "record.json").read_text())
    assert record.keys() == {"name", "origin", "added", "files", "bytes", "sha256", "archive_sha256"}


def test_links_that_never_end_are_refused(tmp_path):
    (tmp_path / "self").symlink_to("self")
    with pytest.raises(UsageError, match="self does not exist"):
        add(tmp_path / "self", "x", tmp_path / "data")
    folder = tmp_path / "texts" / "inner"
    folder.mkdir(parents=True)
    (folder / "a.txt").write_text("a\n")
    (folder / "loop").symlink_to("..")
    with pytest.raises(UsageError, match="loop is a link to a folder that contains it"):
        add(tmp_path / "texts", "x", tmp_path / "data")
