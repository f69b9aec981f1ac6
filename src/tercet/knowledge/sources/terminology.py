"""Read terminology files as entities: TBX, and tables or other bilingual files with a term and its translation."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from ...data.terminology import read_terms
from ...errors import UsageError
from ..spill import NameRecord

CATEGORY = "term"


def read_terminology(path: str | Path, languages: Sequence[str]) -> Iterator[NameRecord]:
    """Yield the terms of a file. An entity is a source term; the two languages are source and target of the file."""
    if len(languages) != 2:
        raise UsageError(f"--terms needs two languages, those of source and target, not {len(languages)}.")
    source, target = languages
    name = Path(path).name
    for number, (term, translations) in enumerate(read_terms(path, f"{source}-{target}").items(), 1):
        entity = f"{name}:{number}"
        yield NameRecord(entity, source, term, CATEGORY, 1.0)
        for translation in translations:
            yield NameRecord(entity, target, translation, CATEGORY, 1.0)
