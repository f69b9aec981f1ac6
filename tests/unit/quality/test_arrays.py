"""Arrays and members of zip files that may come from anybody: what is written comes back, and nothing else is read."""

import io
import zipfile

import numpy as np
import pytest

from tercet.quality.arrays import array_bytes, array_from, member_info, read_member


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
    ],
)
def test_an_array_comes_back_as_it_was(array):
    again = array_from(array_bytes(array))
    assert np.array_equal(again, array)
    assert again.dtype == array.dtype.newbyteorder("=")
    assert again.flags.writeable
    assert np.array_equal(np.load(io.BytesIO(array_bytes(array)), allow_pickle=False), array)  # it is numpy's form


def header(shape: str, descr: str = "<f8", order: str = "False") -> bytes:
    text = f"{{'descr': '{descr}', 'fortran_order': {order}, 'shape': ({shape}), }}\n".encode()
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"PK\x03\x04",
        header("2,")[:-1],
        header("1000000000000,") + bytes(16),  # would take 8 terabytes
        header("9" * 90) + bytes(16),
        header("2,") + bytes(8),
        header("2,") + bytes(24),
        header("2 1,") + bytes(16),
        header("2,", "|O") + bytes(16),
        header("2,", "<U2") + bytes(16),
        header("2, 1", order="True") + bytes(16),
        header("-2,") + bytes(16),
        header("(" * 5000),
    ],
)
def test_what_is_no_array_of_numbers_or_not_whole_is_refused(content):
    with pytest.raises(ValueError, match=r"an array|invalid literal"):
        array_from(content)


def archive_of(content: bytes, method: int) -> zipfile.ZipFile:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr(member_info("x"), content, method)
    return zipfile.ZipFile(stream)


def test_a_member_is_read_whole():
    for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        with archive_of(b"abc" * 100, method) as archive:
            assert read_member(archive, archive.getinfo("x"), compressed=True) == b"abc" * 100


def test_a_member_that_expands_to_more_than_it_claims_is_refused():
    with archive_of(bytes(10**6), zipfile.ZIP_DEFLATED) as archive:
        info = archive.getinfo("x")
        info.file_size = 10
        with pytest.raises(zipfile.BadZipFile):
            read_member(archive, info, compressed=True)


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_compression_that_is_not_used_here_is_refused(method):
    with (
        archive_of(b"abc" * 100, method) as archive,
        pytest.raises(zipfile.BadZipFile, match="compressed in a way that is not used here"),
    ):
        read_member(archive, archive.getinfo("x"), compressed=False)
