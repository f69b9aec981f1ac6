"""Word vectors: the distributional similarity of two words is the cosine of their vectors.

Mikolov, Chen, Corrado and Dean (2013), "Efficient Estimation of Word Representations in Vector Space" (word2vec);
Pennington, Socher and Manning (2014), "GloVe"; Bojanowski, Grave, Joulin and Mikolov (2017), "Enriching Word Vectors
with Subword Information" (fastText). Files are memory-mapped: opening one finds the position of each word's numbers,
and only the numbers of requested words are read. Processes share the pages.
"""

import math
import mmap
import struct
from abc import ABC, abstractmethod
from collections.abc import Iterator
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path

import numpy as np

from ..data.files import file_state
from ..errors import DataError, UsageError, optional
from ..types import Floats32

KEPT = 20_000  # maximum number of cached unit vectors
FASTTEXT_MAGIC = 793712314
GZIP = b"\x1f\x8b"
BOM = b"\xef\xbb\xbf"
BLOCK = 1 << 20  # bytes read at once


class WordVectors(ABC):
    """Vectors of words, looked up in lower case too. version: of the model that has them; a file has a checksum."""

    version = ""

    def __init__(self, name: str, dimensions: int) -> None:
        self.name, self.dimensions = name, dimensions
        self.unit = lru_cache(maxsize=KEPT)(self._unit)

    @abstractmethod
    def _stored(self, word: str) -> Floats32 | None:
        """Return the vector of exactly this word, without lower-casing."""

    def vector(self, word: str) -> Floats32 | None:
        found = self._stored(word)
        return found if found is not None or word == word.lower() else self._stored(word.lower())

    def similarity(self, first: str, second: str) -> float:
        """Return the cosine of two words' vectors; NaN if a word is unknown or has a zero vector."""
        one, other = self.unit(first), self.unit(second)
        return math.nan if one is None or other is None else float(one @ other)

    def _unit(self, word: str) -> Floats32 | None:
        """Return the unit vector of a word; None if the word is unknown or has a zero vector."""
        if (found := self.vector(word)) is None:
            return None
        with np.errstate(over="ignore", invalid="ignore"):
            length = float(np.linalg.norm(found))
        if not math.isfinite(length):
            raise DataError(f"{self.name}: the vector of {word!r} is not finite (NaN or infinity).")
        return found / np.float32(length) if length else None

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle the name only: another process maps the same file."""
        return open_vectors, (self.name,)


def is_model(name: str) -> bool:
    """Return whether word vectors are named by the model that contains them, not by a file."""
    return name == "natasha" or name.startswith("spacy:")


def open_vectors(name: str) -> WordVectors:
    """Open a file of vectors (word2vec, GloVe, fastText) or a model's (spacy:MODEL, natasha), once per process."""
    return _opened(name, None if is_model(name) else file_state(name))


@lru_cache(maxsize=4)
def _opened(name: str, state: object) -> WordVectors:
    if name.startswith("spacy:"):
        return SpacyVectors(name)
    if name == "natasha":
        return NatashaVectors(name)
    path = Path(name)
    try:
        with path.open("rb") as stream:
            if not path.stat().st_size:
                raise DataError(f"{path} is empty. A file of word vectors is needed.")
            data = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
    except OSError as error:
        raise UsageError(f"Cannot read the word vectors {name!r}: {error.strerror or error}.") from None
    if data[:2] == GZIP:
        raise UsageError(f"{path} is compressed and cannot be memory-mapped. Unpack it: gunzip -k '{path}'")
    if len(data) >= 8 and struct.unpack_from("<i", data)[0] == FASTTEXT_MAGIC:
        return FastTextModel(name, data)
    return MappedVectors(name, data)


class MappedVectors(WordVectors):
    """A file of words with their numbers: text, with or without a header, or word2vec's binary format."""

    def __init__(self, name: str, data: mmap.mmap) -> None:
        begin = len(BOM) if data[: len(BOM)] == BOM else 0
        end = _line_end(data, begin)
        fields = data[begin:end].split()
        self.header = len(fields) == 2 and all(field.isdigit() and len(field) < 10 for field in fields)
        self.data, start = data, end + 1 if self.header else begin
        dimensions = int(fields[1]) if self.header else len(fields) - 1
        if dimensions < 1 or not (self.header or all(map(_is_number, fields[1:]))):
            raise DataError(f"{name}, line 1: expected a header (e.g. '400000 300') or a word with its numbers.")
        super().__init__(name, dimensions)
        first = data[start : _line_end(data, start)].split()
        is_text = len(first) > dimensions and all(map(_is_number, first[-dimensions:]))
        self.binary = self.header and not is_text
        scan = self._scan_binary if self.binary else self._scan_text
        self.places: dict[str, int] = {}
        rows = 0
        for word, place in scan(start):
            rows += 1
            self.places.setdefault(word.decode("utf-8", "replace"), place)
        if not rows:
            raise DataError(f"{name} has no words with numbers.")
        if self.header and rows != int(fields[0]):
            raise DataError(f"{name} should have {int(fields[0])} words but has {rows}. It may be truncated.")

    def _scan_text(self, start: int) -> Iterator[tuple[bytes, int]]:
        """Yield words and the position after them. Of an entry with spaces, only the first part is its word."""
        data, size = self.data, len(self.data)
        number = 1 + self.header
        while start < size:
            end = _line_end(data, start)
            space = data.find(b" ", start, end)
            if space < 0:
                space = data.find(b"\t", start, end)
            if space < 0 and data[start:end].strip():
                raise DataError(f"{self.name}, line {number}: a word without numbers.")
            if space >= 0:
                yield data[start:space], space + 1
            start, number = end + 1, number + 1

    def _scan_binary(self, start: int) -> Iterator[tuple[bytes, int]]:
        data, size, width = self.data, len(self.data), 4 * self.dimensions
        while start < size:
            space = data.find(b" ", start)
            if space < 0:
                if data[start:].strip():
                    raise DataError(f"{self.name} is damaged at byte {start}: a word without numbers.")
                return
            if space + 1 + width > size:
                raise DataError(f"{self.name} is truncated at byte {size}, within the numbers of a word.")
            yield data[start:space].lstrip(b"\n"), space + 1
            start = space + 1 + width

    def _stored(self, word: str) -> Floats32 | None:
        place = self.places.get(word)
        if place is None:
            return None
        if self.binary:
            return np.frombuffer(self.data[place : place + 4 * self.dimensions], dtype="<f4")
        fields = self.data[place : _line_end(self.data, place)].split()
        more, numbers = fields[: -self.dimensions], fields[-self.dimensions :]  # more: further words of the entry
        if len(numbers) != self.dimensions or not all(map(_is_number, numbers)) or (more and _is_number(more[-1])):
            blocks = (self.data[first : min(first + BLOCK, place)] for first in range(0, place, BLOCK))
            line = 1 + sum(block.count(b"\n") for block in blocks)
            raise DataError(f"{self.name}, line {line}: the word {word!r} does not have {self.dimensions} numbers.")
        return np.array([float(number) for number in numbers], dtype=np.float32)


class FastTextModel(WordVectors):
    """A fastText model (.bin): unknown words get the mean of the vectors of their character n-grams."""

    def __init__(self, name: str, data: mmap.mmap) -> None:
        try:
            _, version, dimensions, *_, self.bucket, self.shortest, self.longest, _ = struct.unpack_from("<2i12i", data)
            place = 4 * 14 + 8
            size, self.words, _, _, pruned = struct.unpack_from("<3i2q", data, place)
            place += struct.calcsize("<3i2q")
            self.ids: dict[str, int] = {}
            for number in range(size):
                end = data.find(b"\0", place)
                if end < 0:
                    raise ValueError
                if number < self.words:
                    self.ids.setdefault(data[place:end].decode("utf-8", "replace"), number)
                place = end + 1 + 9
            place += 8 * max(pruned, 0)
            quantised = data[place]
            rows, columns = struct.unpack_from("<2q", data, place + 1)
        except (struct.error, ValueError, IndexError):
            raise DataError(f"{name} is not a complete fastText model.") from None
        if version > 12 or quantised or pruned > 0:
            raise UsageError(f"{name} is a compressed fastText model (.ftz) or of an unsupported version.")
        place += 1 + 16
        is_whole = min(dimensions, size, self.words + 1, self.bucket + 1) > 0 and self.words + self.bucket <= rows
        if not is_whole or columns != dimensions or place + 4 * rows * columns > len(data):
            raise DataError(f"{name} is not a complete fastText model.")
        super().__init__(name, dimensions)
        self.data, self.place = data, place

    def vector(self, word: str) -> Floats32 | None:
        """Return the vector of a word without trying lower case: its n-grams give one for any word."""
        return self._stored(word)

    def _stored(self, word: str) -> Floats32 | None:
        rows = [self.ids[word]] if word in self.ids else []
        rows += [self.words + _hash(part) % self.bucket for part in self._parts(word)]
        if not rows:
            return None
        total, width = np.zeros(self.dimensions, dtype=np.float32), 4 * self.dimensions
        for start in (self.place + row * width for row in rows):  # not aligned in the file, so rows are copied
            total += np.frombuffer(self.data[start : start + width], dtype="<f4")
        return total / np.float32(len(rows))

    def _parts(self, word: str) -> Iterator[bytes]:
        """Yield the character n-grams of a word between angle brackets, as fastText does."""
        text = f"<{word}>"
        if self.longest <= 0 or not self.bucket or word == "</s>":
            return
        for start in range(len(text)):
            for length in range(max(self.shortest, 1), min(self.longest, len(text) - start) + 1):
                if length > 1 or 0 < start < len(text) - 1:
                    yield text[start : start + length].encode()


class SpacyVectors(WordVectors):
    """The vectors inside a spaCy model."""

    def __init__(self, name: str) -> None:
        from .backends.spacy import load

        model = load(name.partition(":")[2])
        self.vocabulary, self.version = model.vocab, str(model.meta["version"])
        if not self.vocabulary.vectors_length:
            raise UsageError(f"The model {name} has no word vectors. Use a model whose name ends in md or lg.")
        super().__init__(name, int(self.vocabulary.vectors_length))

    def _stored(self, word: str) -> Floats32 | None:
        return np.asarray(self.vocabulary.get_vector(word)) if self.vocabulary.has_vector(word) else None


class NatashaVectors(WordVectors):
    """The vectors of Russian words inside natasha (navec)."""

    def __init__(self, name: str) -> None:
        natasha = optional("natasha", "The word vectors of natasha", "ru")
        self.table, self.version = natasha.NewsEmbedding(), version("natasha")
        super().__init__(name, int(self.table.pq.dim))

    def _stored(self, word: str) -> Floats32 | None:
        return np.asarray(self.table[word], dtype=np.float32) if word in self.table else None


def _line_end(data: mmap.mmap, start: int) -> int:
    end = data.find(b"\n", start)
    return len(data) if end < 0 else end


def _is_number(field: bytes) -> bool:
    try:
        return math.isfinite(float(field))
    except ValueError:
        return False


def _hash(part: bytes) -> int:
    """Return the 32-bit FNV-1a hash over signed bytes, as fastText computes it."""
    value = 2166136261
    for byte in part:
        value ^= byte if byte < 128 else byte | 0xFFFFFF00
        value = value * 16777619 & 0xFFFFFFFF
    return value
