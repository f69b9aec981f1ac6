"""The backend `corenlp:FILE`: parses in the text output of Stanford CoreNLP, which the UPF-Cobalt program also reads.

Manning et al. (2014), "The Stanford CoreNLP Natural Language Processing Toolkit", ACL. A sentence looks like this:

    Sentence #1 (7 tokens):
    The government has discussed the document.
    [Text=The CharacterOffsetBegin=0 CharacterOffsetEnd=3 PartOfSpeech=DT Lemma=the NamedEntityTag=O] [Text=…
    (ROOT (S (NP …
    root(ROOT-0, discussed-4)
    det(government-2, The-1)

Up to version 3.5 the dependencies are collapsed Stanford dependencies and are used unchanged. Later versions write
Universal Dependencies, which are collapsed by our table.
"""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from ...data.grouping import grouped
from ...data.lines import read_blocks
from ...errors import DataError, UsageError
from ..relations import universal_tag
from ..sentence import Dependency, Sentence, Token, iob
from .conllu import StoredParses, checksum

_HEADER = re.compile(r"Sentence #\d+ \((\d{1,9}) tokens?(?:, sentiment: [^)]*)?\):")
_TOKEN = re.compile(
    r"\[Text=(?P<form>.*?) CharacterOffsetBegin=(?P<start>\d{1,18}) CharacterOffsetEnd=(?P<end>\d{1,18})"
    r"(?: PartOfSpeech=(?P<tag>\S+?))?(?: Lemma=(?P<lemma>.*?))?"
    r"(?: NamedEntityTag=(?P<entity>[^\s\]]+)[^\]]*)?\]\s*"
)
_BETWEEN = re.compile(r"(?<=\])\s+(?=\[Text=)")  # tokens on one line
_DEPENDENCY = re.compile(r"([^\s(]+)\((.+)-(\d+)'*, (.+)-(\d+)'*\)")  # a prime marks a copy of a word
_UNIVERSAL = re.compile(r"Dependency Parse \(")  # the heading in the output of later versions


def read(path: str | Path) -> Iterator[Sentence]:
    """Yield the sentences of a file of CoreNLP's text output."""
    yield from parse_lines((line for block in read_blocks(path) for line in block), str(path))


def parse_lines(lines: Iterable[str], name: str) -> Iterator[Sentence]:
    """Yield the sentences in lines of CoreNLP's text output. `name` is the file name for error messages."""
    block: list[str] = []
    first = 0
    for number, line in enumerate(lines, 1):
        if _HEADER.match(line):
            if block:
                yield _sentence(block, first, name)
            block, first = [line], number
        elif block:
            block.append(line)
        elif line.strip() and not line.startswith(("Document:", "Coreference")):
            raise DataError(f"{name}, line {number}: CoreNLP's output must begin with 'Sentence #1 (7 tokens):'.")
    if block:
        yield _sentence(block, first, name)


def _sentence(block: list[str], first: int, name: str) -> Sentence:
    header = _HEADER.match(block[0])
    begin = next((i for i, line in enumerate(block) if i and line.startswith("[Text=")), None)
    if header is None or begin is None:
        raise DataError(f"{name}, line {first}: no '[Text=' line follows. The sentence may be truncated.")
    heading = begin - 1 if block[begin - 1].startswith("Tokens:") else begin
    text = "\n".join(block[1:heading]).strip()
    pieces = (piece for line in block[begin:] if line.startswith("[Text=") for piece in _BETWEEN.split(line))
    rows = [found for piece in pieces if (found := _TOKEN.fullmatch(piece))]
    if len(rows) != int(header[1]):
        raise DataError(f"{name}, line {first}: the sentence should have {header[1]} tokens, but has {len(rows)}.")
    dependencies = list(_dependencies(block, first, len(rows), name))
    universal = any(_UNIVERSAL.match(line) for line in block)
    heads = _tree(dependencies)
    places = _places(text, rows)
    if places is None:
        raise DataError(f"{name}, line {first + begin}: the character offsets do not match the text {text[:60]!r}.")
    entities = iob("" if row["entity"] in (None, "O") else row["entity"] for row in rows)
    tokens = []
    for i, (row, place, entity) in enumerate(zip(rows, places, entities, strict=True), 1):
        tags = universal_tag(row["tag"] or ""), row["tag"] or "", ""
        head, relation = heads.get(i, (None, ""))
        tokens.append(Token(row["form"], *place, row["lemma"] or "", *tags, head, relation, entity))
    graph = () if universal else tuple(sorted(dependencies, key=lambda edge: (edge.dependent, edge.governor)))
    return Sentence(text, tuple(tokens), "ud" if universal else "stanford", graph)


def _dependencies(block: list[str], first: int, words: int, name: str) -> Iterator[Dependency]:
    seen = set()
    for number, line in enumerate(block, first):
        found = _DEPENDENCY.fullmatch(line.strip()) if number > first + 1 else None
        if found is None:
            continue
        edge = Dependency(int(found[3][:10]), found[1], int(found[5][:10]))  # no sentence has more words than that
        if not (edge.governor <= words and 1 <= edge.dependent <= words):
            raise DataError(
                f"{name}, line {number}: {line.strip()[:200]} refers to a word outside its sentence of {words} words."
            )
        if edge not in seen and edge.governor != edge.dependent:
            seen.add(edge)
            yield edge


def _tree(dependencies: list[Dependency]) -> dict[int, tuple[int, str]]:
    """Return one head and relation per word, on the shortest path from the root: a graph may give a word several."""
    below = grouped((edge.governor, edge) for edge in dependencies)
    heads: dict[int, tuple[int, str]] = {}
    nodes = [0]
    for node in nodes:  # breadth first: the list grows
        for edge in below.get(node, ()):
            if edge.dependent not in heads:
                heads[edge.dependent] = edge.governor, edge.relation
                nodes.append(edge.dependent)
    return heads


def _places(text: str, rows: list[re.Match[str]]) -> list[tuple[int, int]] | None:
    """Return the words' places in the text, from CoreNLP's UTF-16 units of the document; None if they do not fit."""
    units = [place for place, character in enumerate(text) for _ in range(1 + (ord(character) > 0xFFFF))] + [len(text)]
    base = int(rows[0]["start"]) if rows else 0
    places = [(int(row["start"]) - base, int(row["end"]) - base) for row in rows]
    if any(not 0 <= start <= end < len(units) for start, end in places):
        return None
    return [(units[start], units[end]) for start, end in places]


def open_backend(path: str, language: str) -> StoredParses:
    """Read the parses of a file."""
    if not path:
        raise UsageError("corenlp needs a file: corenlp:FILE.")
    return StoredParses(f"corenlp:{path}", checksum(path), read(path))
