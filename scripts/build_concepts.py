"""Builds the concepts of the default knowledge base, as src/tercet/knowledge/data/concepts.xz has them.

    python scripts/build_concepts.py WIKDICT PARALLEL

WIKDICT is the unpacked source package freedict-wikdict 2024.11.01 of Debian (apt-get source freedict-wikdict; CC BY-SA
3.0). PARALLEL has tables of an origin, an English text and its translation: LANGUAGE.tsv.xz. Of them those origins are
read whose licence lets the words be distributed with the package (ORIGINS). Words of synsets of the default knowledge
base that share an English word are added. The same input always gives the same bytes.

The file that is in the package was put together step by step from the same functions and filters, before this script:
it has no words of alignments for Spanish, and counted by lemma how common a word is. A run gives another file, for
which the figures of docs/metrics/kobe.md and of the judged names must be computed again.
"""

from __future__ import annotations

import json
import lzma
import re
import sys
from collections import Counter, defaultdict
from pathlib import Path

from default_kb_sources import compress

from tercet.knowledge.default import open_default
from tercet.knowledge.normalise import alias_key
from tercet.knowledge.sources.concepts import aligned_words, read_dictionary
from tercet.knowledge.spill import NameRecord

OUT = Path(__file__).resolve().parents[1] / "src" / "tercet" / "knowledge" / "data" / "concepts.xz"
LANGUAGES = "cs de es fi fr gu kk lt ru zh".split()
DICTIONARIES = "eng-fin fin-eng eng-rus rus-eng eng-spa eng-zho".split()
ORIGINS = frozenset("tat tatp tico py kaz lo ff".split())
COMMON = 15  # times in a million words: a word that occurs as often is no concept for KoBE, only a translation
SYNSET = 0.1  # the weight of a word of a synset, over its English words

Words = dict[str, dict[str, dict[str, float]]]  # entity, language, word


def add(words: Words, record: NameRecord) -> None:
    """Add a word; of two weights the larger counts."""
    names = words[record.id][record.language]
    names[record.name] = max(record.weight, names.get(record.name, 0.0))


def add_synsets(words: Words, language: str) -> None:
    """Add the words of a language that share a synset with English ones."""
    kb = open_default()
    concepts = [number for number in range(len(kb)) if kb.category(number) == "concept"]
    english, other = kb.names(concepts, "en"), kb.names(concepts, language)
    for number in concepts:
        for name in other.get(number, ()):
            for called in english.get(number, ()):
                if len(called) == 1 and len(name) < 3:
                    weight = SYNSET / len(english[number])
                    written = ("" if language == "zh" else " ").join(name)
                    add(words, NameRecord(f"word:{called[0]}", language, written, "concept", round(weight, 3)))
                    add(words, NameRecord(f"word:{called[0]}", "en", called[0], "concept", 1.0))


def main(wikdict: Path, parallel: Path) -> None:
    """Build the table; prints what it holds."""
    words: Words = defaultdict(lambda: defaultdict(dict))
    for name in DICTIONARIES:
        for record in read_dictionary(wikdict / name / f"{name}.tei", ["en", *LANGUAGES]):
            add(words, record)
    for language in LANGUAGES:
        add_synsets(words, language)
    chinese = {"".join(alias_key(name, "zh")) for names in words.values() for name in names.get("zh", ())}
    english: Counter[str] = Counter()
    for language in LANGUAGES:
        with lzma.open(parallel / f"{language}.tsv.xz", "rt", encoding="utf-8", newline="\n") as stream:
            rows = [line.rstrip("\n").split("\t") for line in stream]
        pairs = [(row[2], row[1]) for row in rows if row[0] in ORIGINS]
        english.update(word for _, text in pairs for word in re.findall(r"\w+", text.lower()))
        for record in aligned_words(pairs, (language, "en"), vocabulary=chinese):
            add(words, record)
        print(language, len(pairs), sum(len(names.get(language, ())) for names in words.values()), flush=True)
    lines = []
    for entity, names in sorted(words.items()):
        shown = {
            language: [[name, weight] for name, weight in sorted(found.items(), key=lambda item: (-item[1], item[0]))]
            for language, found in sorted(names.items())
        }
        if len(shown) > 1:
            often = english[entity.removeprefix("word:")] >= COMMON * english.total() / 1e6
            lines.append(
                json.dumps(
                    [entity, "common" if often else "concept", 1.0, shown], ensure_ascii=False, separators=(",", ":")
                )
            )
    text = "\n".join(lines) + "\n"
    OUT.write_bytes(compress(text))
    print(f"{len(lines)} concepts, {len(text)} characters, {OUT.stat().st_size} bytes")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:3]))
