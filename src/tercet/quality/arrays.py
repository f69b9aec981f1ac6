"""Arrays as bytes and back, in numpy's own form (.npy), and members of zip files: for files that may come from anybody.

What is read is only what is written here: numbers and truth values, whole, in the order of rows. numpy's own reader
takes more: it makes room for as many numbers as a header claims before it looks whether they are there.
"""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

TIME = (1980, 1, 1, 0, 0, 0)  # the earliest that a zip can say
# What reading a member raises where the zip is damaged, encrypted, or compressed in a way that Python does not know.
DAMAGE = (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, ValueError)
CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")  # characters that a terminal obeys
_HEADER = re.compile(
    rb"\x93NUMPY\x01\x00..\{'descr': '([<|][biuf][1248])', 'fortran_order': False, 'shape': \(([\d, ]{,99})\), \} *\n",
    re.DOTALL,
)


def array_bytes(array: NDArray[Any]) -> bytes:
    """An array of numbers; the same bytes on every platform."""
    stream = io.BytesIO()
    little = np.ascontiguousarray(array).astype(array.dtype.newbyteorder("<"), copy=False)
    np.lib.format.write_array(stream, little, version=(1, 0), allow_pickle=False)
    return stream.getvalue()


def array_from(content: bytes) -> NDArray[Any]:
    """The array whose `array_bytes` these are; anything else is a ValueError."""
    header = _HEADER.match(content)
    if header is None:
        raise ValueError("an array does not begin as one of numbers does")
    dtype = np.dtype(header[1].decode())
    shape = tuple(int(size) for size in header[2].split(b",") if size.strip())
    if prod(shape) * dtype.itemsize != len(content) - header.end():
        raise ValueError(f"an array of the shape {shape} has not as many numbers")
    array: NDArray[Any] = np.frombuffer(content, dtype, offset=header.end()).reshape(shape)
    return array.astype(dtype.newbyteorder("="))  # a copy: that of bytes cannot be written to


def member_info(name: str) -> zipfile.ZipInfo:
    """Of a member that is the same whoever writes it, and when and where."""
    info = zipfile.ZipInfo(name, TIME)
    info.external_attr = 0o644 << 16
    info.create_system = 3
    return info


def read_member(archive: zipfile.ZipFile, info: zipfile.ZipInfo, *, compressed: bool) -> bytes:
    """The bytes of a member: no more than it claims to have, whatever it expands to."""
    if info.compress_type not in ((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) if compressed else (zipfile.ZIP_STORED,)):
        raise zipfile.BadZipFile(f"{info.filename!r} is compressed in a way that is not used here")
    with archive.open(info) as stream:
        return stream.read(info.file_size + 1)


def shown(text: str) -> str:
    """What a file of anybody's says, without what a terminal would obey."""
    return ascii(text) if CONTROL.search(text) else text
