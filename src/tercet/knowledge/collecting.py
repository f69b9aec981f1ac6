"""Build a knowledge base from files: the function of `tercet kb build`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import UsageError
from .building import NameRecord, Progress, build

if TYPE_CHECKING:
    from .store import KnowledgeBase

OWN = "of the file's owner"
LICENCES = {
    "Wikidata": "CC0 1.0",
    "GeoNames": "CC BY 4.0",
    "CLDR": "Unicode-3.0",
    "WordNets": "WordNet License, and the licence of each wordnet",
}


def build_from_files(
    out: str | Path,
    *,
    languages: Sequence[str],
    wikidata: str | Path | None = None,
    jsonl: Sequence[str | Path] = (),
    tsv: Sequence[str | Path] = (),
    terms: Sequence[str | Path] = (),
    wordnet: Sequence[str | Path] = (),
    geonames: Sequence[str | Path] = (),
    cldr: bool = False,
    map_ids: Sequence[str | Path] = (),
    name: str | None = None,
    min_languages: int = 2,
    max_tokens: int = 16,
    lemmas: bool = False,
    replace: bool = False,
    executor: Executor | None = None,
    progress: Progress | None = None,
) -> KnowledgeBase:
    """Build a knowledge base from these sources and open it. See `building.build` for the other parameters.

    map_ids: files that replace ids by others, as Freebase's by Wikidata's; the first file that has an id is used.
    """
    from .sources.cldr import read_cldr
    from .sources.geonames import read_geonames
    from .sources.tables import read_ids, read_jsonl, read_tsv
    from .sources.terminology import read_terminology
    from .sources.wordnet import read_wordnet

    given = {"Wikidata": [wikidata] if wikidata else [], "JSON lines": jsonl, "TSV": tsv, "Terminology": terms,
             "WordNets": wordnet, "GeoNames": geonames, "CLDR": ["Babel"] if cldr else []}  # fmt: skip
    if not any(given.values()):
        raise UsageError(
            "No source is given. Use one or more of --wikidata, --jsonl, --tsv, --terms, --omw, --geonames and --cldr."
        )
    ids: dict[str, str] = {}
    for path in map_ids:
        ids = read_ids(path) | ids

    def records() -> Iterator[NameRecord]:
        for path in jsonl:
            yield from read_jsonl(path, languages)
        for path in tsv:
            yield from read_tsv(path, languages)
        for path in terms:
            yield from read_terminology(path, languages)
        for path in wordnet:
            yield from read_wordnet(path, languages)
        if geonames:
            yield from read_geonames(geonames, languages)
        if cldr:
            yield from read_cldr(languages)

    sources = [
        {"name": kind, "licence": LICENCES.get(kind, OWN), "file": Path(path).name}
        for kind, paths in given.items()
        for path in paths
    ]
    return build(
        records(),
        out,
        name=name or Path(out).name,
        languages=languages,
        sources=sources,
        wikidata_dump=wikidata,
        ids=ids,
        min_languages=min_languages,
        max_tokens=max_tokens,
        lemmas=lemmas,
        replace=replace,
        executor=executor,
        progress=progress,
    )
