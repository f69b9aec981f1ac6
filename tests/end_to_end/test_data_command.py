"""`tercet data` as people run it: output whole, exit codes, JSON, where data are kept."""

import io
import json
import re
import sys
import zipfile
from pathlib import Path
from types import SimpleNamespace

import pytest

from tercet.cli import group
from tercet.data import TestSet
from tercet.data.catalogue import data_folder
from tercet.data.jsonl import write_jsonl
from tercet.data.tsv import write_pair
from tests.docs.running import run


def tercet(*arguments: str, cwd: Path, **environment: str) -> tuple[int, str, str]:
    kept = {"TERCET_DATA": str(cwd / "cache"), "XDG_CACHE_HOME": "", **environment}
    ran = run(["data", *map(str, arguments)], folder=cwd, environment=kept)
    return ran.code, ran.out, ran.err


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "news").mkdir()
    for pair in ("ru-en", "zh-en"):
        write_pair(TestSet({"x": ["a"]}, {"A": ["r"]}, ["s"], pair=pair), tmp_path / "news")
    return tmp_path


def test_a_folder_is_added_found_and_listed(folder: Path) -> None:
    copy = folder / "cache" / "news" / "data"
    size = sum(path.stat().st_size for path in (folder / "news").iterdir())
    assert tercet("add", "news", cwd=folder) == (0, f"Added news: 4 files, {size} bytes, in {copy}\n", "")
    assert tercet("where", "news", cwd=folder) == (0, f"{copy}\n", "")
    assert tercet("pairs", "news", cwd=folder) == (0, "ru-en\nzh-en\n", "")
    code, listed, _ = tercet("list", cwd=folder)
    assert code == 0
    assert f"* news                   added from {folder / 'news'}\n" in listed
    assert "  wmt23                  WMT23 texts" in listed
    assert listed.endswith(
        f"* is in {folder / 'cache'}. Get another: tercet data get NAME, or tercet data add PATH NAME.\n"
    )


def test_a_name_opens_the_cached_copy_when_there_is_no_such_folder_here(folder: Path) -> None:
    tercet("add", "news", "mine", cwd=folder)
    assert tercet("pairs", "mine", "-f", "json", cwd=folder) == (0, '[\n "ru-en",\n "zh-en"\n]\n', "")


def test_json_holds_what_the_library_returns(folder: Path) -> None:
    code, out, _ = tercet("add", "news", "mine", "-f", "json", cwd=folder)
    added = json.loads(out)
    assert code == 0
    assert added.pop("options") == {"command": "data add", "path": "news", "name": "mine", "form": "json"}
    assert added["name"] == "mine"
    assert added["files"] == 4
    _, out, _ = tercet("list", "-f", "json", cwd=folder)
    rows = {row["name"]: row for row in json.loads(out)}
    assert rows["mine"] == {**added, "installed": True}
    assert rows["wmt23"]["installed"] is False
    assert rows["wmt23"]["sha256"] is None
    _, out, _ = tercet("where", "mine", "-f", "json", cwd=folder)
    assert json.loads(out).items() >= {"name": "mine", "path": added["path"]}.items()


def test_an_archive_is_added_under_its_own_name(folder: Path) -> None:
    with zipfile.ZipFile(folder / "set.zip", "w") as archive:
        archive.write(folder / "news" / "ru-en.segments.tsv.gz", "top/ru-en.segments.tsv.gz")
        archive.write(folder / "news" / "ru-en.outputs.tsv.gz", "top/ru-en.outputs.tsv.gz")
    assert tercet("add", "set.zip", cwd=folder)[0] == 0
    assert tercet("pairs", "set", cwd=folder)[1] == "ru-en\n"
    assert tercet("add", "set.zip", cwd=folder)[0] == 2
    assert tercet("add", "set.zip", "--replace", cwd=folder)[0] == 0


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("where", "wmt32"), 2, "Error: There is no data set called 'wmt32'. Did you mean wmt23 or"),
        (("where", "wmt23"), 2, "Error: Data set 'wmt23' is not in"),
        (("get", "wmt32"), 2, "Error: There is no data set called 'wmt32'."),
        (
            ("get", "wmt19-metrics"),
            2,
            "Error: Data set 'wmt19-metrics' has no address that can be fetched safely (HTTPS).",
        ),
        (("add", "nowhere"), 2, "Error: nowhere does not exist."),
        (
            ("add", "bad.zip"),
            1,
            "Error: bad.zip was refused and nothing was kept: the member '../x' would be outside",
        ),
        (("pairs", "nowhere"), 2, "Error: There is no file or folder nowhere."),
        (("pairs", "."), 1, "Error: No test set was recognised in .."),
        (("pairs",), 2, "Usage: "),
        (("fetch",), 2, "Error: There is no command of data called 'fetch'."),
    ],
)
def test_mistakes_end_in_a_message(folder: Path, arguments: tuple[str, ...], code: int, message: str) -> None:
    with zipfile.ZipFile(folder / "bad.zip", "w") as archive:
        archive.writestr("../x", b"x")
    returned, out, err = tercet(*arguments, cwd=folder)
    assert (returned, out) == (code, "")
    assert err.startswith(message)
    assert "Traceback" not in err
    assert not (folder / "cache").exists() or not list((folder / "cache").iterdir())


def test_a_download_without_a_network_says_what_to_do(folder: Path) -> None:
    code, out, err = tercet("get", "mqm", cwd=folder, https_proxy="http://127.0.0.1:9")
    assert (code, out) == (1, "")
    assert err.startswith("Error: mqm could not be downloaded: ")
    assert err.endswith("by other means and add it: tercet data add FILE mqm.\n")
    assert list((folder / "cache").iterdir()) == []


def test_get_prints_where_the_data_are(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("top/a.txt", b"a\n")
    monkeypatch.setattr(
        "tercet.data.catalogue.https_opener", lambda proxies: lambda address: io.BytesIO(stream.getvalue())
    )
    group.main(["data", "get", "mqm", "--folder", str(folder / "cache")], standalone_mode=False)
    place = f"1 file, 2 bytes, in {folder / 'cache' / 'mqm' / 'data'}\n"
    assert capsys.readouterr().out == f"mqm: {place}"
    group.main(["data", "list", "--folder", str(folder / "cache")], standalone_mode=False)
    listed = capsys.readouterr().out
    assert re.search(r"^\* mqm .*\(checksum recorded\)$", listed, re.MULTILINE)
    assert re.search(r"^  wmt23 .*\(no checksum\)$", listed, re.MULTILINE)
    group.main(["data", "get", "mqm", "--folder", str(folder / "cache")], standalone_mode=False)
    assert re.fullmatch(r"mqm exists already, downloaded on [-0-9]{10}: " + re.escape(place), capsys.readouterr().out)


def test_get_says_what_was_added_by_hand(folder: Path) -> None:
    tercet("add", "news", "wmt23", cwd=folder)
    code, out, err = tercet("get", "wmt23", cwd=folder)
    assert (code, err) == (0, "")
    assert out.startswith(f"wmt23 was added by you from {folder / 'news'}, not downloaded: 4 files, ")
    assert out.endswith("To replace it by the catalogue's: tercet data get wmt23 --replace\n")
    assert f"(no checksum, added from {folder / 'news'})" in tercet("list", cwd=folder)[1]
    row = next(row for row in json.loads(tercet("list", "-f", "json", cwd=folder)[1]) if row["name"] == "wmt23")
    assert (row["installed"], row["origin"], row["checksum"]) == (True, str(folder / "news"), None)


def test_a_single_file_is_added_under_its_own_name_and_removed(folder: Path) -> None:
    write_jsonl(TestSet({"x": ["a"]}, {"A": ["r"]}, pair="ru-en"), folder / "ru-en.jsonl")
    copy = folder / "cache" / "ru-en"
    code, out, err = tercet("add", "ru-en.jsonl", cwd=folder)
    assert (code, err) == (0, "")
    assert re.fullmatch(rf"Added ru-en: 1 file, \d+ bytes, in {re.escape(str(copy))}/data\n", out)
    assert tercet("pairs", "ru-en", cwd=folder)[1] == "ru-en\n"
    code, out, err = tercet("remove", "ru-ne", cwd=folder)
    assert (code, out) == (2, "")
    assert err.endswith("called 'ru-ne'. Did you mean ru-en?\n")
    assert tercet("remove", "ru-en", cwd=folder) == (0, f"Removed {copy}\n", "")
    assert not copy.exists()
    assert (folder / "ru-en.jsonl").exists()


@pytest.mark.skipif(sys.platform != "linux", reason="other platforms have other folders for caches")
def test_the_folder_follows_the_platform(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("TERCET_DATA", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    assert data_folder() == tmp_path / ".cache" / "tercet" / "data"
    monkeypatch.setenv("XDG_CACHE_HOME", "/caches")
    assert data_folder() == Path("/caches/tercet/data")
    monkeypatch.setenv("TERCET_DATA", "elsewhere")
    assert data_folder() == Path("elsewhere")


def test_a_model_of_the_hub_is_downloaded_only_if_allowed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The hub is a stand-in: a module that writes a file where the model would be."""
    place = folder / "hub" / "model"

    class NotFound(OSError):
        pass

    def snapshot(name: str, *, local_files_only: bool = False, allow_patterns: object = None) -> str:
        if local_files_only and not place.exists():
            raise NotFound(name)
        place.mkdir(parents=True, exist_ok=True)
        (place / "model.safetensors").write_bytes(b"weights")
        return str(place)

    errors = SimpleNamespace(LocalEntryNotFoundError=NotFound, HFValidationError=NotFound, HfHubHTTPError=NotFound)
    for module, stand_in in {
        "huggingface_hub": SimpleNamespace(snapshot_download=snapshot, errors=errors),
        "huggingface_hub.errors": errors,
        "transformers": SimpleNamespace(),
        "torch": SimpleNamespace(),
    }.items():
        monkeypatch.setitem(sys.modules, module, stand_in)
    code, _, err = tercet("get", "hf:someone/model", cwd=folder)
    assert code == 2 and err.endswith("With --allow-download it is downloaded.\n") and not place.exists()
    expected = (0, f"hf:someone/model: 1 file, 7 bytes, in {place}\n", "")
    assert tercet("get", "hf:someone/model", "--allow-download", cwd=folder) == expected
    assert tercet("get", "hf:someone/model", cwd=folder) == expected  # it is here now
