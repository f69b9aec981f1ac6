"""`TextFiles`: a test set in plain text files, read piece by piece, so that it may be larger than memory."""

import logging
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Any

from ..errors import DataError, NotParallel, UnknownName
from .formats import is_bilingual
from .lines import read_blocks, read_lines, split_column
from .names import split_name, unique_names
from .testset import TestSet, one_hyphen

log = logging.getLogger(__name__)


@dataclass(frozen=True, eq=False, repr=False)
class TextFiles:
    """Files with one segment per line: outputs and references by name, source, document ids."""

    outputs: Mapping[str, str | Path]
    references: Mapping[str, str | Path]
    source: str | Path | None = None
    documents: str | Path | None = None
    pair: str | None = None
    name: str = "unnamed"

    def __post_init__(self) -> None:
        if self.pair is not None:
            object.__setattr__(self, "pair", one_hyphen(self.pair))

    @property
    def systems(self) -> tuple[str, ...]:
        return tuple(self.outputs)

    @property
    def target_language(self) -> str | None:
        return self.pair.split("-")[-1] if self.pair else None

    def rereadable(self) -> bool:
        """Whether every text is a regular file; standard input and pipes can be read only once."""
        try:
            return all((split_column(path) or (Path(path), None))[0].is_file() for path in self.paths().values())
        except OSError:
            return False  # a name that cannot be a file's: reading says so

    def read(self) -> TestSet:
        return next(self.shards(1 << 62))

    def paths(self) -> dict[tuple[str, str], str | Path]:
        """Every file by kind (output, reference, source, documents) and name."""
        paths = {("output", name): path for name, path in self.outputs.items()}
        paths |= {("reference", name): path for name, path in self.references.items()}
        paths |= {} if self.source is None else {("source", "source"): self.source}
        return paths if self.documents is None else paths | {("documents", "documents"): self.documents}

    def shards(self, size: int) -> Iterator[TestSet]:
        """Consecutive pieces of `size` segments; the last may be shorter. Refuses texts of different lengths."""
        paths = self.paths()
        blocks = {key: read_blocks(path) for key, path in paths.items()}
        lines = {key: chain.from_iterable(each) for key, each in blocks.items()}
        done = 0
        try:
            while True:
                taken = {key: list(islice(each, size)) for key, each in lines.items()}
                lengths = {len(each) for each in taken.values()}
                if len(lengths) > 1:
                    counts = {key: done + len(taken[key]) + sum(1 for _ in lines[key]) for key in taken}
                    raise NotParallel(self.name, [(f"{key[0]} {paths[key]}", count) for key, count in counts.items()])
                count = lengths.pop()
                if count:
                    done += count
                    outputs, references = (
                        {name: text for (kind, name), text in taken.items() if kind == wanted}
                        for wanted in ("output", "reference")
                    )
                    source, documents = (taken.get((kind, kind)) for kind in ("source", "documents"))
                    yield TestSet(outputs, references, source, documents, pair=self.pair, name=self.name)
                elif not done:
                    raise DataError(f"No segments: {', '.join(str(path) for path in paths.values())} are empty.")
                if count < size:
                    return
        finally:
            for each in blocks.values():
                each.close()


def chosen_texts(kind: str, asked: Sequence[str], present: Mapping[str, object]) -> dict[str, Any]:
    """Texts by name: those that are present (of a test set), and files that are read."""
    files = [name for name in asked if name not in present]
    for name in files:
        if not Path(split_name(name)[1]).exists() and name != "-":
            raise UnknownName(f"{kind} in this test set, nor a file,", name, present)
    role = "reference" if kind == "reference" else "output"
    kept = {name: present[name] for name in asked if name in present}
    read = {name: read_text(path, role) for name, path in unique_names(files, taken=kept).items()}
    return {**kept, **read}


def read_text(path: str | Path, role: str) -> Sequence[str | None]:
    """Return the lines of a text file, or of a bilingual file the texts for a role: source, reference or output."""
    if not is_bilingual(path):
        return read_lines(path)
    from .bilingual import open_bitext  # most commands read no such file

    return open_bitext(path).side(role)


class EmptyReferences:
    """Count the empty lines of each reference, shard by shard. A missing reference (None) is not an empty one."""

    def __init__(self) -> None:
        self.segments = 0
        self.empty: dict[str, list[int]] = defaultdict(list)  # segments, numbered from 1

    def add(self, shard: TestSet) -> None:
        for name, lines in shard.references.items():
            numbered = enumerate(lines, self.segments + 1)
            self.empty[name] += [row for row, text in numbered if text is not None and not text.strip()]
        self.segments += len(shard)

    def report(self) -> None:
        """Warn of references that are empty in some segments. Raise DataError if one is empty in all."""
        for name, rows in self.empty.items():
            if rows and len(rows) == self.segments:
                raise DataError(f"Reference {name!r} is empty in all segments: nothing can be scored against it.")
            if rows:
                message = "Reference %r is empty in %d of %d segments, first in segment %d."
                log.warning(message, name, len(rows), self.segments, rows[0])
