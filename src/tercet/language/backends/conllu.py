"""The backend `conllu:FILE`: parses read from a CoNLL-U file or a folder of such files. No parser is needed."""

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
    """Parses read from files, looked up by their text. White space is ignored."""

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
            if stored is None or (parse := stored.over(text)) is None:
                raise DataError(
                    f"{self.name.partition(':')[2]} has no parse of {shown(text)}; it has parses of "
                    f"{len(self.sentences)} other texts. Parse the outputs and references with 'tercet parse'."
                )
            found.append(parse)
        return found


def file_states(path: str) -> tuple[tuple[str, int, int, int] | None, ...]:
    """Return the state (path, size, times) of each file of parses."""
    return tuple(map(file_state, _files(path)))


def _files(path: str) -> list[Path]:
    try:
        if not Path(path).is_dir():
            return [Path(path)]
        return sorted(each for each in Path(path).iterdir() if each.name.endswith((".conllu", ".conllu.gz")))
    except OSError as error:
        raise UsageError(f"{path[:200]!r} cannot be read: {error.strerror}.") from None


def checksum(*paths: str | Path) -> str:
    """Return a checksum of the files' contents, which is the version of the backend."""
    digest = sha256()
    for path in paths:
        with open_bytes(path) as stream:
            while block := stream.read(1 << 20):
                digest.update(block)
    return digest.hexdigest()[:16]


def open_backend(path: str, language: str) -> StoredParses:
    """Read the parses of a file or of all files of a folder. If a text occurs twice, its first parse is used."""
    if path in ("", "-"):  # standard input can be read only once, by one process
        raise UsageError("conllu needs a file or a folder: conllu:FILE.")
    paths = _files(path)
    if not paths:
        raise UsageError(f"The folder {path} has no files *.conllu or *.conllu.gz.")
    sentences = chain.from_iterable(map(conllu.read, paths))
    return StoredParses(f"conllu:{path}", checksum(*paths), sentences)
