"""Constituent trees in the brackets of the Penn Treebank: (S (NP (PRP She)) (VP (VBZ sleeps))).

Marcus, Santorini and Marcinkiewicz (1993), "Building a Large Annotated Corpus of English: The Penn Treebank". A file
has one tree per segment, each on a line of its own or over several. A tree belongs to the text that has its words;
white space does not matter.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from ..data.lines import read_lines
from ..errors import DataError

TOKEN = re.compile(r"[()]|[^()\s]+")
ESCAPES = {
    "-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}", "``": '"', "''": '"',
}  # fmt: skip
EMPTY = "-NONE-"  # the tag of traces, which are no words


@dataclass(frozen=True)
class ConstituentTree:
    """A tree: labels from the root down in text order, the place of each one's parent (-1: a root), and the words."""

    labels: tuple[str, ...] = ()
    parents: tuple[int, ...] = ()
    words: tuple[str, ...] = ()


def read_trees(path: str | Path) -> Mapping[str, ConstituentTree]:
    """Return the trees of a file by their words without white space."""
    found = {squeezed("".join(tree.words)): tree for tree in parse_brackets(read_lines(path), str(path))}
    if not found:
        raise DataError(f"{path} has no trees in Penn's brackets, such as (S (NP (PRP She)) (VP (VBZ sleeps))).")
    return found


def squeezed(text: str) -> str:
    """Return a text without white space and with plain quotation marks, by which trees are found."""
    return "".join(text.split()).replace("``", '"').replace("''", '"')


def parse_brackets(lines: list[str], name: str) -> Iterator[ConstituentTree]:
    """Parse the trees in lines; raise DataError with the line of a bracket that does not close or open."""
    labels: list[str] = []
    parents: list[int] = []
    words: list[str] = []
    open_nodes: list[int] = []
    at = 0
    expects_label = False
    for at, line in enumerate(lines, 1):
        for token in TOKEN.findall(line):
            if token == "(":
                expects_label = True
                labels.append("")
                parents.append(open_nodes[-1] if open_nodes else -1)
                open_nodes.append(len(labels) - 1)
            elif token == ")":
                if not open_nodes:
                    raise DataError(f"{name}, line {at}: a bracket closes that was not opened.")
                open_nodes.pop()
                expects_label = False
                if not open_nodes:
                    yield _tree(labels, parents, words)
                    labels, parents, words = [], [], []
            elif not open_nodes:
                raise DataError(f"{name}, line {at}: {token!r} is outside of a tree; trees begin with a bracket.")
            elif expects_label:
                labels[-1] = token
                expects_label = False
            elif labels[open_nodes[-1]] != EMPTY:
                words.append(ESCAPES.get(token, token))
    if open_nodes:
        raise DataError(f"{name}, line {at}: the last tree is not closed.")


def _tree(labels: list[str], parents: list[int], words: list[str]) -> ConstituentTree:
    """Return the tree without nodes that have no label, such as the outermost of the treebank's, and traces."""
    places: dict[int, int] = {-1: -1}
    kept: list[tuple[str, int]] = []
    for place, (label, parent) in enumerate(zip(labels, parents, strict=True)):
        if label in ("", EMPTY):
            places[place] = places[parent]
        else:
            places[place] = len(kept)
            kept.append((label, places[parent]))
    return ConstituentTree(tuple(label for label, _ in kept), tuple(parent for _, parent in kept), tuple(words))
