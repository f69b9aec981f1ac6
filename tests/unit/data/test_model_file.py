"""Model files: what is written is read back, equal models give equal bytes, and everything else is refused."""

import io
import json
import struct
import zipfile
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tercet.data import model_file
from tercet.data.model_file import Dataset, ModelFile, array_bytes, array_from_bytes, member_info, read_member
from tercet.errors import DataError, UsageError

MODEL = ModelFile(
    "test",
    {"range": [0.1, 1 / 3], "title": "Tõlge", "nothing": None},
    {"weights": np.array([[1.0, 2.0], [3.0, 4.0]]), "head.0-bias": np.arange(3)},
    {"source_lm": b"\\data\\\n", "words.txt": b"a\t1\n"},
    languages=("et", "en"),
    trained_on=(Dataset("ratings", "12ab", 200), Dataset("texts", "34cd", 7)),
    figures={"ridge": {"rmse": 0.25, "pearson": None}},
    needs={"encoder": "use 1.0"},
)


def write(path: Path, model: ModelFile = MODEL) -> None:
    model_file.write_model(model, path)


def read(path: Path) -> ModelFile:
    return model_file.read_model(path, "test", made_by="tercet test train")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    write(tmp_path / "model")
    return tmp_path / "model"


def test_what_is_written_is_read_back(path: Path) -> None:
    found = read(path)
    for name in ("kind", "manifest", "blobs", "languages", "trained_on", "figures", "needs", "checksum"):
        assert getattr(found, name) == getattr(MODEL, name)
    assert {name: array.tolist() for name, array in found.arrays.items()} == {
        name: array.tolist() for name, array in MODEL.arrays.items()
    }
    assert ModelFile(**{name: getattr(found, name) for name in MODEL.__dataclass_fields__}).checksum == found.checksum


def test_only_kind_and_manifest_are_needed(tmp_path: Path) -> None:
    write(tmp_path / "m", ModelFile("test", {}))
    found = read(tmp_path / "m")
    assert (found.manifest, found.arrays, found.languages, found.trained_on) == ({}, {}, None, ())


def test_equal_models_give_equal_bytes_whatever_the_order(path: Path, tmp_path: Path) -> None:
    turned = {name: dict(reversed(getattr(MODEL, name).items())) for name in ("arrays", "blobs")}
    write(tmp_path / "again", replace(MODEL, **turned))
    assert (tmp_path / "again").read_bytes() == path.read_bytes()


@pytest.mark.parametrize(
    "change",
    [
        {"kind": "other"},
        {"manifest": {}},
        {"arrays": {**MODEL.arrays, "weights": np.ones((2, 2))}},
        {"blobs": {**MODEL.blobs, "source_lm": b""}},
        {"languages": ("en", "et")},
        {"trained_on": MODEL.trained_on[:1]},
        {"figures": {}},
        {"needs": {"encoder": "use 1.1"}},
    ],
)
def test_every_part_counts_in_the_checksum(change: dict[str, Any]) -> None:
    assert replace(MODEL, **change).checksum != MODEL.checksum


def test_a_file_holds_no_objects_and_no_odd_names(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="Object arrays cannot be saved"):
        write(tmp_path / "m", ModelFile("test", {}, {"objects": np.array([{}], dtype=object)}))
    for name in ("", "../up", "a/b", ".hidden", "ä"):
        with pytest.raises(ValueError, match="cannot be the name of a member"):
            write(tmp_path / "m", ModelFile("test", {}, {}, {name: b""}))
    with pytest.raises(ValueError, match="Out of range float"):
        write(tmp_path / "m", ModelFile("test", {"x": float("nan")}))
    assert list(tmp_path.iterdir()) == []


def members_of(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def pack(path: Path, members: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> None:
    """Write a zip of any members with the right digest at its end."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
        archive.comment = bytes(64)
    content = stream.getvalue()[:-64]
    path.write_bytes(content + sha256(content).hexdigest().encode())


def header(inside: dict[str, bytes], **values: Any) -> None:
    inside["model.json"] = json.dumps({**json.loads(inside["model.json"]), **values}).encode()


def swap(inside: dict[str, bytes], first: str, second: str) -> None:
    inside[first], inside[second] = inside[second], inside[first]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda m: m.update({"bytes/words.txt": b"a\t9\n"}), "was changed: bytes/words.txt does not have its checksum"),
        (lambda m: swap(m, "bytes/words.txt", "bytes/source_lm"), "was changed: bytes/source_lm does not have"),
        (lambda m: swap(m, "arrays/weights.npy", "arrays/head.0-bias.npy"), "was changed: arrays/head.0-bias.npy"),
        (
            lambda m: m.pop("bytes/words.txt"),
            "incomplete: bytes/words.txt is missing. Copy the file again, or train",
        ),
        (lambda m: m.pop("arrays/weights.npy"), "is incomplete: arrays/weights.npy is missing"),
        (lambda m: m.update({"more.txt": b""}), "was changed: more.txt does not belong to the model"),
        (lambda m: m.update({"\x1b[2J": b""}), r"was changed: '\\x1b\[2J' does not belong to the model"),
        (lambda m: m.update({"model.json": m["model.json"].replace(b'"et"', b'"fi"')}), "changed: model.json is not"),
        (lambda m: m.update({"model.json": b"{"}), "was changed: model.json is not as it was written"),
        (lambda m: m.update({"model.json": b"[" * 100_000}), "was changed: model.json is not as it was written"),
        (lambda m: m.update({"model.json": b"[]"}), "is not a model file of Tercet. Make one with 'tercet test train'"),
        (lambda m: m.pop("model.json"), "is not a model file of Tercet"),
        (lambda m: header(m, format="other"), "is not a model file of Tercet"),
        (lambda m: header(m, format="tercet-qe"), "by an earlier version of Tercet.* again with 'tercet test train'"),
        (lambda m: header(m, version=2), "has version 2 of the model format.* up to 1. Update: pip install -U tercet"),
        (lambda m: header(m, version="1"), "was changed: model.json"),
        (lambda m: header(m, members={}), "was changed: model.json"),
        (lambda m: header(m, kind="other"), "was changed: model.json"),
        (lambda m: header(m, checksum=None), "was changed: model.json"),
    ],
)
def test_a_changed_file_is_refused(path: Path, change: Callable[[dict[str, bytes]], Any], message: str) -> None:
    members = members_of(path)
    change(members)
    pack(path, members)
    with pytest.raises(DataError, match=message):
        read(path)


def forge(path: Path, change: Callable[[dict[str, bytes], dict[str, Any]], Any]) -> None:
    """Change a file and make all its checksums right again."""
    members = members_of(path)
    content = json.loads(members.pop("model.json"))
    del content["checksum"]
    change(members, content)
    if isinstance(content.get("members"), dict):
        content["members"] = {name: sha256(each).hexdigest() for name, each in members.items()}
    content["checksum"] = sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
    pack(path, {"model.json": json.dumps(content).encode(), **members})


def npy(array: Any) -> bytes:
    stream = io.BytesIO()
    np.save(stream, array)
    return stream.getvalue()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        *((lambda m, c, name=name: c.pop(name), "was changed: model.json is not") for name in
          ("version", "kind", "languages", "trained_on", "figures", "needs", "manifest", "members")),
        (lambda m, c: c.update(members=[]), "was changed: model.json"),
        (lambda m, c: c.update(manifest=[]), "was changed: model.json"),
        (lambda m, c: c.update(manifest={"x": float("nan")}), "was changed: model.json"),
        (lambda m, c: c.update(languages=["et"]), "was changed: model.json"),
        (lambda m, c: c.update(languages="et"), "was changed: model.json"),
        (lambda m, c: c.update(trained_on=[{"name": "x"}]), "was changed: model.json"),
        (lambda m, c: c.update(figures={"ridge": 1.0}), "was changed: model.json"),
        (lambda m, c: c.update(needs={"encoder": "\x1b[2J"}), "was changed: model.json"),
        (lambda m, c: c.update(version=0), "was changed: model.json"),
        (lambda m, c: c.update(version=True), "was changed: model.json"),
        (lambda m, c: c.update(kind="head"), "kind 'head', and one of the kind 'test' is needed. Make one with 'te"),
        (lambda m, c: c.update(kind=3), "was changed: model.json"),
        (lambda m, c: m.update({"arrays/x.npy": b"no array"}), "damaged: an array does not begin"),
        (lambda m, c: m.update({"../../home/x": b""}), r"changed: \.\./\.\./home/x is not a member of a model file"),
        (lambda m, c: m.update({"bytes/../x": b""}), r"bytes/\.\./x is not a member of a model file"),
        (lambda m, c: m.update({"arrays/weights": b""}), "arrays/weights is not a member of a model file"),
        (lambda m, c: m.update({"arrays/x.npy": npy(np.array([{}], dtype=object))}), "an array does not begin"),
        (lambda m, c: m.update({"arrays/x.npy": npy(np.arange(9))[:-8]}), r"\(9,\) has the wrong number of bytes"),
    ],
)  # fmt: skip
def test_a_forged_file_is_refused(path: Path, change: Callable[..., Any], message: str) -> None:
    forge(path, change)
    with pytest.raises(DataError, match=message):
        read(path)


def test_the_forger_of_these_tests_makes_files_that_can_be_read(path: Path) -> None:
    forge(path, lambda m, c: None)
    assert read(path).checksum == MODEL.checksum


def test_a_zip_bomb_is_refused_before_it_fills_the_memory(path: Path) -> None:
    forge(path, lambda m, c: m.update({"bytes/zeros": bytes(model_file.SMALL)}))
    assert path.stat().st_size < 200_000
    with pytest.raises(DataError, match="is not a model: it would expand to 67,1"):
        read(path)


def test_a_member_that_expands_to_more_than_the_directory_says_is_refused(path: Path) -> None:
    forge(path, lambda m, c: m.update({"bytes/zeros": bytes(1 << 20)}))
    content = path.read_bytes()[:-64].replace(struct.pack("<I", 1 << 20), struct.pack("<I", 9))
    path.write_bytes(content + sha256(content).hexdigest().encode())
    with pytest.raises(DataError, match="truncated or damaged: Bad CRC-32|does not have its checksum"):
        read(path)


def test_other_methods_of_compression_are_refused(path: Path) -> None:
    pack(path, members_of(path), zipfile.ZIP_LZMA)
    with pytest.raises(DataError, match=r"'model\.json' is compressed by a method that is not used here"):
        read(path)


def test_a_member_twice_is_refused(path: Path) -> None:
    with zipfile.ZipFile(path, "a") as archive, pytest.warns(UserWarning, match="Duplicate"):
        archive.writestr("bytes/words.txt", b"a\t1\n")
    with pytest.raises(DataError, match="was changed: it has a member twice"):
        read(path)


def test_a_file_that_another_program_has_packed_is_refused(path: Path) -> None:
    members = members_of(path)
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    with pytest.raises(DataError, match="was changed: the file does not have the checksum at its end"):
        read(path)


def test_a_file_that_ends_anywhere_is_refused(path: Path) -> None:
    whole = path.read_bytes()
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        with pytest.raises(DataError, match=r"truncated or damaged|is not a model file|was changed"):
            read(path)


def test_bytes_before_or_after_the_model_are_refused(path: Path) -> None:
    whole = path.read_bytes()
    for changed in (whole + b"\n", whole + whole, whole[:4] + whole, b"\n" + whole):
        path.write_bytes(changed)
        with pytest.raises(DataError, match="model"):
            read(path)


@pytest.mark.parametrize("mask", [0x01, 0x5A, 0x80])
def test_every_flipped_byte_is_detected(path: Path, mask: int) -> None:
    whole = path.read_bytes()
    for place in range(len(whole)):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ mask]) + whole[place + 1 :])
        with pytest.raises(DataError, match=str(path)):
            read(path)


@pytest.mark.parametrize("content", [b"", b"text\n", b"\x80\x04\x95pickle", b"PK\x05\x06" + b"\0" * 18])
def test_a_foreign_file_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "x").write_bytes(content)
    with pytest.raises(DataError, match="x is not a model file of Tercet. Make one with 'tercet test train'"):
        read(tmp_path / "x")


def test_a_missing_file_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"There is no model .*none\. Make one with 'tercet test train'\."):
        read(tmp_path / "none")
    with pytest.raises(UsageError, match="is a directory; a file is needed"):
        read(tmp_path)


def test_a_failed_write_leaves_what_was_there(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = path.read_bytes()
    for error in (OSError(28, "No space left on device"), KeyboardInterrupt()):

        def failing(name: str, error: BaseException = error) -> zipfile.ZipInfo:
            raise error

        monkeypatch.setattr(model_file, "member_info", failing)
        with pytest.raises(type(error)):
            write(path)
        assert path.read_bytes() == before
        assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize(
    "array",
    [
        np.arange(3),
        np.arange(6.0).reshape(2, 3),
        np.zeros((0, 4)),
        np.array([], dtype=np.uint8),
        np.array([True, False]),
        np.arange(4, dtype=np.int32),
        np.arange(6.0).reshape(2, 3).T,
        np.arange(3, dtype=">i8"),
        np.arange(3, dtype=np.float16),
        np.array(2.5),
    ],
)
def test_an_array_is_read_back_as_it_was(array: Any) -> None:
    again = array_from_bytes(array_bytes(array))
    assert np.array_equal(again, array)
    assert again.dtype == array.dtype.newbyteorder("=")
    assert again.flags.writeable
    assert np.array_equal(np.load(io.BytesIO(array_bytes(array)), allow_pickle=False), array)  # it is numpy's format


def npy_header(shape: str, descr: str = "<f8", order: str = "False") -> bytes:
    text = f"{{'descr': '{descr}', 'fortran_order': {order}, 'shape': ({shape}), }}\n".encode()
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"PK\x03\x04",
        npy_header("2,")[:-1],
        npy_header("1000000000000,") + bytes(16),  # would take 8 terabytes
        npy_header("9" * 90) + bytes(16),
        npy_header("2,") + bytes(8),
        npy_header("2,") + bytes(24),
        npy_header("2 1,") + bytes(16),
        npy_header("2,", "|O") + bytes(16),
        npy_header("2,", "<U2") + bytes(16),
        npy_header("2, 1", order="True") + bytes(16),
        npy_header("-2,") + bytes(16),
        npy_header("(" * 5000),
    ],
)
def test_what_is_not_a_whole_array_of_numbers_is_refused(content: bytes) -> None:
    with pytest.raises(ValueError, match=r"an array|invalid literal"):
        array_from_bytes(content)


def archive_of(content: bytes, method: int) -> zipfile.ZipFile:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr(member_info("x"), content, method)
    return zipfile.ZipFile(stream)


def test_a_member_is_read_whole() -> None:
    for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        with archive_of(b"abc" * 100, method) as archive:
            assert read_member(archive, archive.getinfo("x"), compressed=True) == b"abc" * 100


def test_a_member_that_expands_to_more_than_it_claims_is_refused() -> None:
    with archive_of(bytes(10**6), zipfile.ZIP_DEFLATED) as archive:
        info = archive.getinfo("x")
        info.file_size = 10
        with pytest.raises(zipfile.BadZipFile):
            read_member(archive, info, compressed=True)


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_compression_where_none_is_used_is_refused(method: int) -> None:
    with (
        archive_of(b"abc" * 100, method) as archive,
        pytest.raises(zipfile.BadZipFile, match="compressed by a method that is not used here"),
    ):
        read_member(archive, archive.getinfo("x"), compressed=False)
