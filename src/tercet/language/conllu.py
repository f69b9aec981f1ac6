"""Read and write CoNLL-U, the exchange format of parses, without loss of any field of a `Sentence`.

Nivre et al. (2016), "Universal Dependencies v1: A Multilingual Treebank Collection", LREC;
https://universaldependencies.org/format.html. Our conventions where the format leaves a choice:

- `# scheme = clearnlp` names the scheme of the tree's labels; the default is Universal Dependencies.
- `# deps = stanford` means that the DEPS column holds collapsed Stanford dependencies. Otherwise the column is not
  read: it would hold enhanced Universal Dependencies, which are different.
- MISC has the word's position in the text (`TokenRange=0:3`), `SpaceAfter=No`, and its entity (`NER=B-PER`).
- An empty segment is a block of comments without words, so that blocks and segments stay parallel.
- A text with line ends, which a comment line cannot contain, is written as JSON in `# text_json`.
"""

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from sys import intern

from ..data.files import writing
from ..data.grouping import grouped
from ..data.lines import read_blocks
from ..errors import DataError
from .sentence import Dependency, Sentence, Token, shown

COLUMNS = 10
_LINE_ENDS = re.compile(r"[\t\n\r]")
_OUTER_SPACE = re.compile(r"^\s|\s$")
_SINGLE = re.compile(r"[0-9]{1,9}")  # int() raises ValueError for thousands of digits
_RANGE = re.compile(r"([0-9]{1,9})-([0-9]{1,9})")
_EMPTY_NODE = re.compile(r"[0-9]+\.[0-9]+")


def format_sentence(sentence: Sentence, number: int | None = None) -> str:
    """Return a sentence as a block of CoNLL-U, including the blank line at its end."""
    lines = [] if number is None else [f"# sent_id = {number}"]
    if _LINE_ENDS.search(sentence.text) or _OUTER_SPACE.search(sentence.text):
        lines.append(f"# text_json = {json.dumps(sentence.text)}")
    else:
        lines.append(f"# text = {sentence.text}".rstrip(" "))
    if sentence.scheme != "ud":
        lines.append(f"# scheme = {sentence.scheme}")
    if sentence.dependencies:
        lines.append("# deps = stanford")
    governors = grouped((each.dependent, f"{each.governor}:{each.relation}") for each in sentence.dependencies or ())
    tokens, text = sentence.tokens, sentence.text
    for i, token in enumerate(tokens):
        past = _shared_place(tokens, i)
        if past > i + 1:
            span = [f"{i + 1}-{past}", text[token.start : token.end], *[""] * 7, _space_after(text, token.end)]
            lines.append(_row(span))
        misc = [f"TokenRange={token.start}:{token.end}"]
        if not _within(tokens, i) and (after := _space_after(text, token.end)):
            misc.insert(0, after)
        if token.entity:
            misc.append(f"NER={token.entity}")
        head = "" if token.head is None else str(token.head)
        tags = token.form, token.lemma, token.upos, token.xpos, token.features, head, token.relation
        lines.append(_row([str(i + 1), *tags, "|".join(governors.get(i + 1, ())), "|".join(misc)]))
    return "\n".join(lines) + "\n\n"


def write(path: str | Path, sentences: Iterable[Sentence]) -> None:
    """Write sentences to a file, completely or not at all."""
    with writing(path) as stream:
        stream.writelines(format_sentence(sentence, number) for number, sentence in enumerate(sentences, 1))


def read(path: str | Path) -> Iterator[Sentence]:
    """Yield the sentences of a CoNLL-U file ('-' for standard input)."""
    yield from parse_lines((line for block in read_blocks(path) for line in block), str(path))


def parse_lines(lines: Iterable[str], name: str) -> Iterator[Sentence]:
    """Yield the sentences in lines of CoNLL-U. `name` is the file name for error messages."""
    block: list[str] = []
    number = 0
    for number, line in enumerate(lines, 1):
        if line and not line.isspace():
            block.append(line)
        elif block:
            yield _Block(block, number - len(block), name).sentence()
            block = []
    if block:
        yield _Block(block, number - len(block) + 1, name).sentence()


def _row(fields: Iterable[str]) -> str:
    """Return a line of columns; tabs and line ends, which would end a column, become spaces."""
    return "\t".join(_LINE_ENDS.sub(" ", field) or "_" for field in fields)


def _space_after(text: str, end: int) -> str:
    return "SpaceAfter=No" if end < len(text) and not text[end].isspace() else ""


def _within(tokens: tuple[Token, ...], i: int) -> bool:
    """Return whether a word is part of a multiword token, whose own line says what follows it."""
    here = tokens[i][1:3]
    beside = (*tokens[max(i - 1, 0) : i], *tokens[i + 1 : i + 2])
    return here[1] > here[0] and any(token[1:3] == here for token in beside)


def _shared_place(tokens: tuple[Token, ...], i: int) -> int:
    """Return the end of the multiword token that starts at word i; i + 1 if none starts there."""
    if not _within(tokens, i) or (i > 0 and tokens[i - 1][1:3] == tokens[i][1:3]):
        return i + 1
    past = i + 1
    while past < len(tokens) and tokens[past][1:3] == tokens[i][1:3]:
        past += 1
    return past


class _Block:
    """The lines of one sentence, which `sentence` converts to a `Sentence`."""

    def __init__(self, lines: list[str], first: int, name: str) -> None:
        self.lines, self.first, self.name = lines, first, name
        self.comments: dict[str, str] = {}
        self.rows: list[tuple[int, list[str]]] = []  # line number and columns of each word
        self.surface: dict[int, tuple[int, str, str]] = {}  # first word of a multiword token -> last word, form, MISC
        self.last_in_range = self.range_line = 0

    def fail(self, line: int, problem: str) -> DataError:
        return DataError(f"{self.name}, line {line}: {problem}")

    def sentence(self) -> Sentence:
        for number, line in enumerate(self.lines, self.first):
            if line.startswith("#"):
                key, equals, value = line[1:].partition("=")
                if equals:
                    self.comments.setdefault(key.strip(), value.removeprefix(" "))
            else:
                self._row(number, line)
        if self.last_in_range > len(self.rows):
            raise self.fail(self.range_line, f"the range ends after the last word of the sentence, {len(self.rows)}.")
        text = self._text()
        try:
            return Sentence(
                text, tuple(self._tokens(text)), self.comments.get("scheme", "ud").strip(), tuple(self._dependencies())
            )
        except DataError as error:
            if str(error).startswith(self.name):
                raise
            raise self.fail(self.first, str(error)) from None

    def _row(self, number: int, line: str) -> None:
        columns = line.split("\t")
        if len(columns) != COLUMNS:
            raise self.fail(
                number,
                f"{len(columns)} columns separated by tabs; CoNLL-U has {COLUMNS}. Check that this is a CoNLL-U file "
                "and that a blank line ends every sentence.",
            )
        place = columns[0]
        if _EMPTY_NODE.fullmatch(place):
            return  # empty nodes, which occur only in enhanced dependencies, are not in the text
        if found := _RANGE.fullmatch(place):
            first, last = int(found[1]), int(found[2])
            if first != len(self.rows) + 1 or last < first or first <= self.last_in_range:
                raise self.fail(number, f"the range {place} does not begin at the next word, {len(self.rows) + 1}.")
            self.last_in_range, self.range_line = last, number
            self.surface[first] = last, columns[1], columns[9]
        elif _SINGLE.fullmatch(place) and int(place) == len(self.rows) + 1:
            if not columns[1]:
                raise self.fail(number, "the word (column 2) is empty.")
            self.rows.append((number, columns))
        else:
            raise self.fail(number, f"the word's number is {shown(place)}; expected {len(self.rows) + 1}.")

    def _text(self) -> str:
        if "text_json" in self.comments:
            try:
                text = json.loads(self.comments["text_json"])
            except (ValueError, RecursionError):
                text = None
            if not isinstance(text, str):
                raise self.fail(self.first, "the comment text_json does not hold a JSON string.")
            return text
        if "text" in self.comments:
            return self.comments["text"].strip()
        parts, i = [], 1
        while i <= len(self.rows):
            _, (_, form, *_, misc) = self.rows[i - 1]
            if i in self.surface:
                i, form, misc = self.surface[i]
            parts += [form, "" if "SpaceAfter=No" in misc.split("|") else " "]
            i += 1
        return "".join(parts).strip()

    def _tokens(self, text: str) -> Iterator[Token]:
        reached, inside, place, number = 0, 0, (0, 0), self.first  # inside: last word of the current multiword token
        placed = True  # whether the word has a TokenRange
        for i, (number, columns) in enumerate(self.rows, 1):
            _, form, lemma, upos, xpos, features, head, relation, _, misc = columns
            marks = dict(mark.partition("=")[::2] for mark in misc.split("|"))
            placed = "TokenRange" in marks
            if placed:
                place = self._range(number, marks["TokenRange"], len(text))
            elif i > inside:
                written = form
                if i in self.surface:
                    inside, written, _ = self.surface[i]
                start = text.find(written, reached)
                if start < 0 or text[reached:start].strip():
                    told = shown(text[reached:])
                    raise self.fail(number, f"the word {written!r} does not follow in the text {told}.")
                place = start, start + len(written)
            reached = max(reached, place[1])
            if head != "_" and not _SINGLE.fullmatch(head):
                raise self.fail(
                    number, f"the head (column 7) is {shown(head)}; expected a number, or _ for a word without a head."
                )
            if head != "_" and (int(head) > len(self.rows) or int(head) == i):
                size = len(self.rows)
                raise self.fail(number, f"the head of word {i} is {int(head)}; the sentence has {size} words.")
            base = intern(lemma) if form == "_" else _value(lemma)  # an underscore in the text is its own lemma
            tags = _value(upos), _value(xpos), _value(features)
            above, entity = None if head == "_" else int(head), intern(marks.get("NER", ""))
            yield Token(intern(form), *place, base, *tags, above, _value(relation), entity)
        if not placed and text[reached:].strip():
            raise self.fail(number, f"the rest of the text, {shown(text[reached:])}, has no words.")

    def _range(self, number: int, value: str, size: int) -> tuple[int, int]:
        start, _, end = value.partition(":")
        if not (_SINGLE.fullmatch(start) and _SINGLE.fullmatch(end) and int(start) <= int(end) <= size):
            raise self.fail(
                number, f"TokenRange={value[:60]} is not START:END within the {size} characters of the text."
            )
        return int(start), int(end)

    def _dependencies(self) -> Iterator[Dependency]:
        if self.comments.get("deps", "").strip() != "stanford":
            return
        for i, (number, columns) in enumerate(self.rows, 1):
            for entry in columns[8].split("|") if columns[8] != "_" else ():
                governor, colon, relation = entry.partition(":")
                known = colon and relation and _SINGLE.fullmatch(governor)
                if not known or int(governor) > len(self.rows) or int(governor) == i:
                    raise self.fail(number, f"{entry!r} in column 9 is not GOVERNOR:RELATION of this sentence.")
                yield Dependency(int(governor), intern(relation), i)


def _value(field: str) -> str:
    return "" if field == "_" else intern(field)
