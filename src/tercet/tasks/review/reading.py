"""What `tercet review` reads: bilingual files segment by segment, or two plain texts."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ...data.bilingual import ENDINGS, BilingualFile, format_of, language_pair, open_bilingual, po
from ...data.bilingual.segments import OUTPUT, Segment
from ...errors import UsageError
from ..shared.texts import read_columns


@dataclass(frozen=True)
class TextPair:
    """A source and its translation, one segment per line."""

    source: str
    path: Path
    pair: str | None = None

    def read(self) -> Iterator[Segment]:
        from ...quality.inputs import read_texts

        for number, (source, output) in enumerate(zip(*read_texts(self.source, str(self.path)), strict=True), 1):
            yield Segment(str(number), number, source, {OUTPUT: output})

    def meaning_of(self, state: str) -> str | None:
        """Return nothing: plain texts have no states."""
        return ""


def open_files(paths: Sequence[str | Path], columns: Sequence[str], pair: str | None) -> list[BilingualFile | TextPair]:
    """Open bilingual files, or a source and a translation."""
    from ...quality.inputs import check_languages

    pair = "-".join(check_languages(pair)) if pair else None
    bilingual = [path for path in paths if format_of(path) is not None]
    if len(bilingual) == len(paths):
        return [open_bilingual(path, columns=read_columns(columns), pair=pair) for path in paths]
    if bilingual or len(paths) != 2:
        raise UsageError(
            f"Give files with sources and translations ({', '.join(ENDINGS)}), or two plain texts: the source and "
            "the translation."
        )
    if columns:
        raise UsageError("`columns` is for tables with sources and translations.")
    return [TextPair(str(paths[0]), Path(paths[1]), pair)]


def pair_of(file: BilingualFile | TextPair) -> str | None:
    """Return the language pair of a file; of a PO file that names its language, a pair without a source."""
    if file.pair or isinstance(file, TextPair):
        return file.pair
    target = po.target_language(file.path) if file.format is po else None
    return f"-{target.split('_')[0]}" if target else language_pair(file.path)
