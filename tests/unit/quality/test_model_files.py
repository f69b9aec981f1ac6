"""Files of models: what is written comes back, equal models are equal bytes, and anything else is refused."""

import hashlib
import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tercet.errors import DataError, UsageError
from tercet.quality import model_files
from tercet.quality.model_files import Parts, checksum_of, read_parts, write_parts

PARTS = Parts(
    {"languages": ["et", "en"], "range": [0.1, 1 / 3], "title": "Tõlge"},
    {"weights": np.array([[1.0, 2.0], [3.0, 4.0]]), "numbers": np.arange(3)},
    {"source_lm": b"\\data\\\n", "words": b"a\t1\n"},
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    write_parts(PARTS, tmp_path / "model.qe")
    return tmp_path / "model.qe"


def test_what_is_written_comes_back(path: Path) -> None:
    parts, checksum = read_parts(path)
    assert parts.facts == PARTS.facts
    assert parts.resources == PARTS.resources
    assert {name: array.tolist() for name, array in parts.arrays.items()} == {
        name: array.tolist() for name, array in PARTS.arrays.items()
    }
    assert checksum == checksum_of(PARTS) == checksum_of(parts)


def test_equal_models_are_equal_bytes_whatever_the_order(path: Path, tmp_path: Path) -> None:
    turned = Parts(PARTS.facts, dict(reversed(PARTS.arrays.items())), dict(reversed(PARTS.resources.items())))
    write_parts(turned, tmp_path / "again.qe")
    assert (tmp_path / "again.qe").read_bytes() == path.read_bytes()


def test_every_part_counts_in_the_checksum() -> None:
    others = [
        Parts({**PARTS.facts, "title": "X"}, PARTS.arrays, PARTS.resources),
        Parts(PARTS.facts, {**PARTS.arrays, "numbers": np.arange(1, 4)}, PARTS.resources),
        Parts(PARTS.facts, PARTS.arrays, {**PARTS.resources, "words": b"a\t2\n"}),
    ]
    assert len({checksum_of(parts) for parts in [PARTS, *others]}) == 4


def test_nothing_in_the_file_is_a_pickle(path: Path) -> None:
    with zipfile.ZipFile(path) as archive:
        assert {name.rpartition(".")[2] for name in archive.namelist() if name.startswith("arrays/")} == {"npy"}
    with pytest.raises(ValueError, match="Object arrays cannot be saved"):
        write_parts(Parts({}, {"objects": np.array([{}], dtype=object)}, {}), path)


def rewritten(path: Path, change: Callable[[dict[str, bytes]], Any]) -> None:
    """The same zip with changed members."""
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    change(members)
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)


def header(inside: dict[str, bytes], **values: Any) -> None:
    inside["model.json"] = json.dumps({**json.loads(inside["model.json"]), **values}).encode()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda m: m.update({"resources/words": b"a\t9\n"}), "was altered: resources/words is not what was written"),
        (lambda m: m.update({"arrays/numbers.npy": m["arrays/weights.npy"]}), "was altered: arrays/numbers.npy"),
        (lambda m: m.pop("resources/words"), "is incomplete: resources/words is missing"),
        (lambda m: m.update({"more.txt": b""}), "was altered: more.txt is no part of the model"),
        (lambda m: m.update({"model.json": m["model.json"].replace(b'"et"', b'"fi"')}), "altered: model.json"),
        (lambda m: m.update({"model.json": b"{"}), "altered: model.json"),
        (lambda m: m.update({"model.json": b"[]"}), "is not a model of 'tercet qe train'"),
        (lambda m: m.pop("model.json"), "is not a model of 'tercet qe train'"),
        (lambda m: header(m, format="other"), "is not a model of 'tercet qe train'"),
        (lambda m: header(m, version=2), "has format 2 of models.* reads formats up to 1. Update: pip install -U"),
        (lambda m: header(m, version="1"), "altered: model.json"),
        (lambda m: header(m, members={}), "altered: model.json"),
    ],
)
def test_an_altered_file_is_refused(path: Path, change: Callable[[dict[str, bytes]], Any], message: str) -> None:
    rewritten(path, change)
    with pytest.raises(DataError, match=message):
        read_parts(path)


def forged(path: Path, change: Callable[[dict[str, bytes], dict[str, Any]], Any]) -> None:
    """A file with other members or another header, with checksums that are right: a checksum is no signature."""
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    content = json.loads(members.pop("model.json"))
    change(members, content)
    if isinstance(content["members"], dict):
        content["members"] = {name: hashlib.sha256(each).hexdigest() for name, each in members.items()}
    del content["checksum"]
    content["checksum"] = model_files._sum_of(content)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, each in {"model.json": json.dumps(content).encode(), **members}.items():
            archive.writestr(name, each)


def npy(array: Any) -> bytes:
    stream = io.BytesIO()
    np.save(stream, array)
    return stream.getvalue()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda m, c: c.update(members=[]), "was altered: model.json"),
        (lambda m, c: c.update(model=[]), "was altered: model.json"),
        (lambda m, c: m.update({"arrays/x.npy": b"no array"}), "damaged: an array does not begin"),
        (lambda m, c: m.update({"../../home/x": b""}), r"was altered: \.\./\.\./home/x is no part of a model"),
        (lambda m, c: m.update({"arrays/weights": m["arrays/weights.npy"]}), "arrays/weights is no part of a model"),
        (
            lambda m, c: m.update({"arrays/x.npy": npy(np.array([{}], dtype=object))}),
            "damaged: an array does not begin",
        ),
        (
            lambda m, c: m.update({"arrays/x.npy": npy(np.arange(9))[:-8]}),
            r"an array of the shape \(9,\) has not as many",
        ),
    ],
)
def test_a_forged_file_is_refused(path: Path, change: Callable[..., Any], message: str) -> None:
    forged(path, change)
    with pytest.raises(DataError, match=message):
        read_parts(path)


def test_a_file_that_would_fill_the_memory_is_refused_before_it_does(path: Path) -> None:
    forged(path, lambda m, c: m.update({"resources/zeros": bytes(model_files.SMALL)}))
    assert path.stat().st_size < 200_000
    with pytest.raises(DataError, match="is not a model of 'tercet qe train': it would expand to 67,1"):
        read_parts(path)


def test_a_header_nested_too_deeply_is_refused(path: Path) -> None:
    rewritten(path, lambda m: m.update({"model.json": b"[" * 100_000}))
    with pytest.raises(DataError, match="was altered: model.json"):
        read_parts(path)


def test_the_name_of_a_member_cannot_command_the_terminal(path: Path) -> None:
    rewritten(path, lambda m: m.update({"\x1b[2J": b""}))
    with pytest.raises(DataError, match=r"was altered: '\\x1b\[2J' is no part of the model"):
        read_parts(path)


def test_other_ways_to_compress_are_refused(path: Path) -> None:
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_LZMA) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    with pytest.raises(DataError, match="'model.json' is compressed in a way that is not used here"):
        read_parts(path)


def test_a_member_twice_is_refused(path: Path) -> None:
    with zipfile.ZipFile(path, "a") as archive, pytest.warns(UserWarning, match="Duplicate"):
        archive.writestr("resources/words", b"a\t1\n")
    with pytest.raises(DataError, match="altered: it has a member twice"):
        read_parts(path)


def test_a_file_that_ends_anywhere_is_refused(path: Path) -> None:
    whole = path.read_bytes()
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        with pytest.raises(DataError, match=r"truncated or damaged|is not a model"):
            read_parts(path)


def test_a_single_wrong_byte_is_refused_or_changes_nothing(path: Path) -> None:
    whole = path.read_bytes()
    for place in range(len(whole)):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0x5A]) + whole[place + 1 :])
        try:
            parts, checksum = read_parts(path)
        except DataError:
            continue
        assert checksum == checksum_of(parts) == checksum_of(PARTS)


@pytest.mark.parametrize("content", [b"", b"text\n", b"\x80\x04\x95pickle", b"PK\x05\x06" + b"\0" * 18])
def test_a_foreign_file_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "x").write_bytes(content)
    with pytest.raises(DataError, match="x is not a model of 'tercet qe train'"):
        read_parts(tmp_path / "x")


def test_a_missing_file_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"There is no model .*none\.qe. Make one: tercet qe train"):
        read_parts(tmp_path / "none.qe")
    with pytest.raises(UsageError, match="is a directory"):
        read_parts(tmp_path)


def test_a_failed_write_leaves_what_was_there(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = path.read_bytes()

    def failing(name: str) -> zipfile.ZipInfo:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(model_files, "member_info", failing)
    with pytest.raises(UsageError, match="cannot be written: No space left"):
        write_parts(PARTS, path)
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]
