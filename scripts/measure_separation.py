"""How well entities tell true translations from wrong ones: the table of docs/knowledge.md.

    python scripts/measure_separation.py NTREX.tsv [KB]

NTREX.tsv(.gz) has a column per language (NTREX-128, 1,997 sentences of newstest2019; Federmann et al., 2022). For every
language of the knowledge base: the share of the entities found in its sentences, of those that English can name, that
are also found in the English sentence, and in another sentence drawn at random (seed 12345).
"""

from __future__ import annotations

import gzip
import random
import sys
from collections.abc import Sequence
from pathlib import Path

from tercet.knowledge.default import LANGUAGES, resolve
from tercet.knowledge.linking import KBLinker
from tercet.knowledge.mentions import Mention

CODES = {"cs": "ces", "de": "deu", "en": "eng", "es": "spa", "fi": "fin", "fr": "fra", "gu": "guj", "kk": "kaz",
         "lt": "lit", "ru": "rus", "zh": "zho-CN"}  # fmt: skip


def read(path: Path) -> dict[str, list[str]]:
    """The columns of the table by language."""
    data = path.read_bytes()
    text = (gzip.decompress(data) if path.suffix == ".gz" else data).decode("utf-8")
    header, *rows = [line.split("\t") for line in text.rstrip("\n").split("\n")]
    return {language: [row[header.index(code)] for row in rows] for language, code in CODES.items()}


def share(
    source: Sequence[Sequence[tuple[str, ...]]], english: Sequence[Sequence[Mention]], order: Sequence[int]
) -> float:
    """The share of the source's mentions that share a candidate with a mention of the English sentence."""
    kept = total = 0
    for mentions, place in zip(source, order, strict=True):
        there = {entity for mention in english[place] for entity in mention.entities}
        kept += sum(not there.isdisjoint(entities) for entities in mentions)
        total += len(mentions)
    return kept / max(total, 1)


def main(path: Path, kb: str = "default") -> None:
    """Print the table in Markdown."""
    texts = read(path)
    opened = resolve(kb)
    names = "+".join(category for category in opened.categories if category != "concept")
    order = list(range(len(texts["en"])))
    shuffled = random.Random(12345).sample(order, len(order))
    found: dict[str, list[str]] = {language: [] for language in LANGUAGES if language != "en"}
    for categories in (names, ""):
        for senses in ("best", "all"):
            linker = KBLinker(opened, categories=categories, senses=senses)
            english, can_name = linker.link(texts["en"], "en"), linker.nameable("en")
            for language, cells in found.items():
                linked = linker.link(texts[language], language)
                source = [[tuple(filter(can_name, m.entities)) for m in mentions] for mentions in linked]
                source = [[entities for entities in mentions if entities] for mentions in source]
                if senses == "best":
                    cells.append(f"{sum(map(len, source)) / len(source):.2f}")
                true, wrong = share(source, english, order), share(source, english, shuffled)
                cells.append(f"{true:.3f} / {wrong:.3f}".replace("0.", "."))
    for language, cells in found.items():
        print(f"| {language} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:3])
