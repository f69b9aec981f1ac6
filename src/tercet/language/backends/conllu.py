"""Parses that exist: a CoNLL-U file, or a folder of them, as a backend: `conllu:FILE`. No parser is needed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import sha256
from itertools import chain
from pathlib import Path

from ...data.files import file_state
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
                    "texts. Parse the same files that are evaluated, outputs and references, as 'tercet parse' does."
                )
            found.append(parse)
        return found


def file_states(path: str) -> tuple[tuple[str, int, int, int] | None, ...]:
    """The state of each of the files of parses."""
    return tuple(map(file_state, _files(path)))


def _files(path: str) -> list[Path]:
    """The files of parses: one, or all of a folder, in the order of their names."""
    try:
        if not Path(path).is_dir():
            return [Path(path)]
        return sorted(each for each in Path(path).iterdir() if each.name.endswith((".conllu", ".conllu.gz")))
    except OSError as error:
        raise UsageError(f"{path[:200]!r} cannot be read: {error.strerror}.") from None


def checksum(*paths: str | Path) -> str:
    """The version of files of parses: what is in them."""
    digest = sha256()
    for path in paths:
        with open_bytes(path) as stream:
            while block := stream.read(1 << 20):
                digest.update(block)
    return digest.hexdigest()[:16]


def open_backend(path: str, language: str) -> StoredParses:
    """The parses of a file, or of all files of a folder; of a text that is there twice, the first."""
    if path in ("", "-"):  # standard input could be read once only, by one process
        raise UsageError("conllu needs a file or a folder: conllu:FILE.")
    paths = _files(path)
    if not paths:
        raise UsageError(f"The folder {path} has no files *.conllu or *.conllu.gz.")
    sentences = chain.from_iterable(map(conllu.read, paths))
    return StoredParses(f"conllu:{path}", checksum(*paths), sentences)
