"""A cache of parses by text, parser and version. Collapsed dependencies are computed again after loading."""

import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from ..errors import DataError
from . import conllu
from .sentence import Sentence
from .text_cache import TextCache

FORMAT = 1  # increased when parses stored in an earlier format must not be read


class ParseCache(TextCache[Sentence]):
    """The cached parses of one parser in a folder."""

    kind: ClassVar[str] = "parse"
    done_again: ClassVar[str] = "Texts are then parsed again."

    def __init__(self, folder: str | Path, backend: str, version: str) -> None:
        super().__init__(folder, f"{FORMAT}\n{backend}\n{version}\n")

    def save(self, sentences: Sequence[Sentence]) -> None:
        self.keep({sentence.text: sentence for sentence in sentences})

    def pack(self, value: Sentence) -> bytes:
        return zlib.compress(conllu.format_sentence(value).encode(), 1)

    def unpack(self, text: str, data: bytes) -> Sentence | None:
        try:
            lines = zlib.decompress(data).decode("utf-8").split("\n")
            sentence = next(conllu.parse_lines(lines, "a parse in it"))
        except (zlib.error, UnicodeDecodeError, TypeError, StopIteration, DataError) as error:
            why = str(error).rstrip(".") or "a parse in it is empty"
            raise DataError(f"The cache {self.path} is damaged: {why}. Delete it.") from None
        return sentence if sentence.text == text else None
