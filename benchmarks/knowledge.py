"""The knowledge base's promises: building from a Wikidata dump, opening, and finding names in sentences.

The dump is made up: 300,000 entities with the shape, the size and the mixture of Wikidata's (a third are articles with
a name in one or two languages and long lists of statements; people, places, works; classes; pages of Wikimedia).
"""

from __future__ import annotations

import gzip
import json
import os
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from .common import Row, measured

LANGUAGES = "cs de en es fi fr gu kk lt ru zh".split()
OTHERS = "ar bg ca da el he hu it ja ko nl pl pt sv tr uk".split()
ENTITIES, ALIASES, SENTENCES = 300_000, 5_000_000, 100_000
_LATIN = "ba be bi bo da de di do ga ka ke ki ko la le li lo lu ma mi mo na ne ni no ra re ri ro sa se ta vi".split()
_CYRILLIC = "ба бе би бо да де ди до ка ке ки ко ла ле ли ма ми мо на не ни но ра ре ри ро са се си та те ти".split()
_HAN = list("中国人大学北京市上海南方东西山河海湖城州县天地安平和新华文化长江黄金银龙马牛羊")
_GUJARATI = "કા કે કો ગા ગી જા જો તા તિ દા દે ના ની નો પા પી બા મા મિ રા રી લા લી વા સા સી હા".split()
SYLLABLES = {
    "ru": _CYRILLIC,
    "kk": _CYRILLIC,
    "bg": _CYRILLIC,
    "uk": _CYRILLIC,
    "zh": _HAN,
    "ja": _HAN,
    "gu": _GUJARATI,
}

# Kind, share, instance-of, words of a name, number of languages (mean), statements (mean), sitelinks (mean).
KINDS = (
    ("article", 0.35, 13442814, 9, 1.3, 14, 0),
    ("person", 0.17, 5, 2, 8, 12, 3),
    ("place", 0.22, 990001, 1, 9, 9, 4),
    ("organisation", 0.06, 990002, 3, 6, 9, 2),
    ("work", 0.08, 11424, 3, 6, 12, 3),
    ("species", 0.06, 16521, 2, 12, 9, 4),
    ("disambiguation", 0.03, 990003, 1, 6, 1, 3),
    ("class", 0.03, 0, 2, 9, 5, 10),
)
SUBCLASSES = {990001: 486972, 990002: 990004, 990004: 43229, 990003: 4167410}


class Maker:
    """Draws entities; the same for the same seed."""

    def __init__(self, seed: int = 1) -> None:
        self.rng = np.random.default_rng(seed)
        self.words = {code: self._words(SYLLABLES.get(code, _LATIN)) for code in (*LANGUAGES, *OTHERS)}
        self.statements = [self._statement(number) for number in range(400)]

    def _words(self, syllables: Sequence[str]) -> list[str]:
        lengths = self.rng.integers(1, 5, 40_000)
        drawn = self.rng.integers(0, len(syllables), (40_000, 4))
        rows = zip(drawn.tolist(), lengths.tolist(), strict=True)
        return ["".join(syllables[i] for i in row[:length]).capitalize() for row, length in rows]

    def _statement(self, number: int) -> str:
        """A statement with a qualifier and a reference, as the dump writes it."""
        hashes = [self.rng.bytes(20).hex() for _ in range(4)]
        item = {"entity-type": "item", "numeric-id": number, "id": f"Q{number}"}
        data = {"value": item, "type": "wikibase-entityid"}
        value = {"snaktype": "value", "property": f"P{number + 400}", "datavalue": data, "datatype": "wikibase-item"}
        calendar = "http://www.wikidata.org/entity/Q1985727"
        day = {"time": "+2013-10-28T00:00:00Z", "timezone": 0, "before": 0, "after": 0, "precision": 11}
        date = {"value": {**day, "calendarmodel": calendar}, "type": "time"}
        seen = {"snaktype": "value", "property": "P813", "hash": hashes[0], "datavalue": date, "datatype": "time"}
        snaks = {"P813": [seen], "P248": [{**value, "property": "P248", "hash": hashes[2]}]}
        reference = {"hash": hashes[1], "snaks": snaks, "snaks-order": ["P248", "P813"]}
        identity = f"Q{number}${hashes[3][:8]}-1111-2222-3333-{hashes[3][:12]}"
        statement = {"mainsnak": value, "type": "statement", "id": identity, "rank": "normal"}
        if number % 3:
            statement["references"] = [reference]
        return f'"P{number + 400}":[{json.dumps(statement, separators=(",", ":"))}]'

    def entities(self, count: int) -> Iterator[str]:
        """Lines of a dump, without the comma; the table's intermediate classes come last."""
        shares = np.array([kind[1] for kind in KINDS])
        for number, kind in enumerate(self.rng.choice(len(KINDS), count, p=shares / shares.sum()).tolist()):
            yield self.entity(1_000_000 + number, *KINDS[kind])
        for number, parent in SUBCLASSES.items():
            yield self.line(number, {"en": "a class", "de": "eine Klasse"}, {}, [_statement_of("P279", parent)], 3)

    def entity(
        self, number: int, kind: str, _: float, instance: int, words: int, languages: float, statements: int, links: int
    ) -> str:
        rng = self.rng
        codes = [*LANGUAGES, *OTHERS]
        chosen = ["en", *rng.choice(codes, min(len(codes), rng.poisson(languages)), replace=False).tolist()]
        size = max(1, int(rng.poisson(words)))
        drawn = rng.integers(0, 40_000, size).tolist()
        latin = self.named("en", drawn)
        # Languages of one script mostly share a name, as they do in Wikidata.
        own = {code for place, code in enumerate(chosen) if code in SYLLABLES or place % 7 == 0}
        labels = {code: self.named(code, drawn) if code in own else latin for code in chosen}
        others = [code for code in chosen if rng.random() < 0.3]
        aliases = {code: [self.named(code, rng.integers(0, 40_000, size).tolist())] for code in others}
        claims = [self.statements[i] for i in rng.integers(0, 400, rng.poisson(statements)).tolist()]
        claims.append(_statement_of("P31", instance) if instance else _statement_of("P279", 2424752))
        return self.line(number, labels, aliases, claims, int(rng.poisson(links)))

    def named(self, code: str, drawn: Sequence[int]) -> str:
        return " ".join(self.words[code][i] for i in drawn)

    def line(
        self, number: int, labels: dict[str, str], aliases: dict[str, list[str]], claims: Sequence[str], links: int
    ) -> str:
        dumps = json.dumps
        label_text = {code: {"language": code, "value": value} for code, value in labels.items()}
        described = {code: {"language": code, "value": f"described in {code} by some words"} for code in labels}
        alias_text = {code: [{"language": code, "value": v} for v in values] for code, values in aliases.items()}
        linked = list(labels.items())[:links]
        sites = {f"{code}wiki": {"site": f"{code}wiki", "title": value, "badges": []} for code, value in linked}
        return (
            f'{{"type":"item","id":"Q{number}","labels":{dumps(label_text)},"descriptions":{dumps(described)},'
            f'"aliases":{dumps(alias_text)},"claims":{{{",".join(claims)}}},"sitelinks":{dumps(sites)},'
            f'"pageid":{number},"ns":0,"title":"Q{number}","lastrevid":{number},"modified":"2024-01-01T00:00:00Z"}}'
        )


def _statement_of(name: str, parent: int) -> str:
    item = {"entity-type": "item", "numeric-id": parent, "id": f"Q{parent}"}
    value = {"snaktype": "value", "property": name, "datavalue": {"value": item, "type": "wikibase-entityid"}}
    return f'"{name}":[{json.dumps({"mainsnak": value, "type": "statement", "id": "x", "rank": "normal"})}]'


def make_dump(path: Path, entities: int, seed: int = 1) -> None:
    """A gzipped dump of made-up entities."""
    with gzip.open(path, "wt", compresslevel=1, encoding="utf-8") as stream:
        stream.write("[\n")
        for number, line in enumerate(Maker(seed).entities(entities)):
            stream.write(",\n" * (number > 0) + line)
        stream.write("\n]\n")


BUILD = """
import json, sys
from tercet.knowledge.building import build
languages, dump, out = json.loads(sys.argv[1])
build([], out, name="bench", languages=languages, wikidata_dump=dump)
"""
OPEN = """
import sys, time
from tercet.knowledge.store import KnowledgeBase
start = time.perf_counter()
KnowledgeBase.open(sys.argv[1])
print(time.perf_counter() - start)
"""


def building(folder: Path, entities: int = ENTITIES) -> list[Row]:
    dump, kb = folder / "dump.json.gz", folder / "kb"
    make_dump(dump, entities)
    used = measured([sys.executable, "-c", BUILD, json.dumps([LANGUAGES, str(dump), str(kb)])])
    rows: list[Row] = [
        (f"KB of {entities:,} entities (limit 3,000 a second)", used.seconds, entities / 3000, 1.0),
        (f"KB of {entities:,} entities, memory in GB (limit 1.5)", used.megabytes / 1024, 1.5, 1.0),
    ]
    opened = min(float(measured([sys.executable, "-c", OPEN, kb]).printed) for _ in range(3))
    return [*rows, ("KB, opening (limit 10 ms)", opened, 0.010, 1.0)]


def sentences(count: int) -> list[str]:
    """English, real where it is here."""
    from .common import texts

    testset = texts("de-en", 16, 2000)
    lines = [line for output in testset.outputs.values() for line in output]
    return [lines[i % len(lines)] for i in range(count)]


def some_names(lines: Sequence[Sequence[str]], count: int) -> list[str]:
    """Distinct names: a tenth are n-grams of the sentences, the others words of the sentences in any order."""
    rng = np.random.default_rng(1)
    words, frequencies = np.unique([word for line in lines for word in line], return_counts=True)
    weights = frequencies**0.5
    found: dict[str, None] = {}
    for line in lines:
        for size in (1, 2, 3):
            place = int(rng.integers(0, max(1, len(line) - size)))
            found[" ".join(line[place : place + size])] = None
        if len(found) > count // 10:
            break
    while len(found) < count:
        sizes = rng.choice([1, 2, 3, 4, 5, 6], 200_000, p=[0.1, 0.4, 0.25, 0.15, 0.06, 0.04])
        drawn = rng.choice(words, sizes.sum(), p=weights / weights.sum()).tolist()
        starts = np.cumsum(sizes) - sizes
        for start, size in zip(starts.tolist(), sizes.tolist(), strict=True):
            found[" ".join(drawn[start : start + size])] = None
    found.pop("", None)
    return list(found)[:count]


def slow_find(names: dict[str, int], lines: Sequence[Sequence[str]], longest: int) -> list[tuple[int, ...]]:
    """What a dictionary of n-grams finds."""
    found = []
    for number, line in enumerate(lines):
        size = len(line)
        for i in range(size):
            for j in range(i + 1, min(size, i + longest) + 1):
                if (alias := names.get(" ".join(line[i:j]))) is not None:
                    found.append((number, i, j - 1, alias))
    return found


def linking(folder: Path, aliases: int = ALIASES, count: int = SENTENCES) -> list[Row]:
    from tercet.knowledge.building import NameRecord, build
    from tercet.knowledge.normalise import alias_key, spans, token_forms

    lines = sentences(count)
    forms = [token_forms(line, spans(line), "en") for line in lines]
    names = some_names([line.split() for line in dict.fromkeys(lines)], aliases)
    records = (NameRecord(f"e{number // 2}", "en", name) for number, name in enumerate(names))
    kb = build(records, folder / "names", name="bench", languages=["en"], min_languages=1)
    known = {" ".join(kb.alias(number)): number for number in range(kb.info()["aliases"]["en"])}
    longest = max(len(alias_key(name, "en")) for name in names[:100_000])
    kb.find(forms[:1000], "en")  # the first pages
    start = time.process_time()
    hits = kb.find(forms, "en")
    fast = time.process_time() - start
    part = forms[: max(1, count // 20)]
    start = time.process_time()
    expected = slow_find(known, part, longest)
    slow = (time.process_time() - start) * len(forms) / len(part)
    found = np.stack([hits.sentence, hits.first, hits.last, hits.alias], 1)[hits.sentence < len(part)]
    if found.tolist() != [list(row) for row in expected]:
        sys.exit("Finding names: the hits differ from those of a dictionary.")
    start = time.process_time()
    kb.find([token_forms(line, spans(line), "en") for line in lines], "en")
    whole = time.process_time() - start
    title = f"{len(lines):,} sentences, {kb.info()['aliases']['en']:,} names, {len(hits):,} hits"
    return [
        (f"{title} (limit 100,000 a second)", fast, len(lines) / 100_000, 1.0),
        ("the same against a dictionary of n-grams", fast, slow, 10.0),
        ("the same from strings (no promise)", whole, slow, 0.0),
    ]


def rows() -> list[Row]:
    """(name, our CPU seconds or gigabytes, those promised or the peer's, promised ratio)."""
    with tempfile.TemporaryDirectory() as name:
        return [*building(Path(name)), *linking(Path(name))]


if __name__ == "__main__":
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    for row in rows():
        print(*row)
