"""Parses that exist: a CoNLL-U file as a backend, `conllu:FILE`. No parser needs to be installed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import sha256

from ...data.lines import open_bytes
from ...errors import DataError, UsageError
from .. import conllu
from ..sentence import Sentence, shown


class StoredParses:
    """Parses from a file, found by their text; white space does not matter."""

    stored = True

    def __init__(self, name: str, version: str, sentences: Iterable[Sentence]) -> None:
        self.name, self.version = name, version
        self.sentences: dict[str, Sentence] = {}
        for sentence in sentences:
            self.sentences.setdefault("".join(sentence.text.split()), sentence)

    def parse(self, texts: Sequence[str]) -> list[Sentence]:
        found = []
        for text in texts:
            stored = self.sentences.get("".join(text.split()))
            parse = stored and stored.over(text)
            if parse is None:
                raise DataError(
                    f"{self.name.partition(':')[2]} has no parse of {shown(text)}, only of {len(self.sentences)} other "
                    "texts. Parse the same file that is evaluated, for example with 'tercet parse'."
                )
            found.append(parse)
        return found


def checksum(path: str) -> str:
    """The version of a file of parses: what is in it."""
    digest = sha256()
    with open_bytes(path) as stream:
        while block := stream.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()[:16]


def open_backend(path: str, language: str) -> StoredParses:
    """The parses of a file."""
    if not path:
        raise UsageError("conllu needs a file: conllu:FILE.")
    return StoredParses(f"conllu:{path}", checksum(path), conllu.read(path))
