"""Tree kernel: how many parts the dependency trees of output and reference have in common.

Moschitti (2006), "Efficient Convolution Kernels for Dependency and Constituent Syntactic Trees", ECML: the partial tree
kernel counts the connected parts of two trees that have the same labels, with any children left out; large parts and
gaps count less. The score is the kernel of both trees, divided by the geometric mean of the kernels of each with
itself. DiscoTK (Joty et al. 2014, WMT) compares discourse trees in this way; there is no discourse parser here, and
dependency trees take their place, or trees of clauses, which are made of them: a clause is below the one that it
depends on, and its label is its relation with its connectives, as advcl because.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import sqrt
from typing import NamedTuple

import numpy as np

from ...language.sentence import Sentence
from .. import ParsedMetric, param
from ._trees import KINDS, Tree, tree

LONGEST = 4  # children of a part that are told apart; more would hardly change the kernel
CLAUSES = frozenset("advcl acl ccomp conj csubj csubjpass parataxis relcl rcmod xcomp pcomp".split())
CONNECTIVES = frozenset("cc mark".split())
KEPT = 4096  # sentences whose trees are kept: a reference is compared with every system's output


class _Tree(NamedTuple):
    """Labels and children of each node, in the order of the text, and the nodes of each label."""

    labels: Sequence[str]
    children: Sequence[Sequence[int]]
    places: dict[str, list[int]]
    bottom_up: Sequence[int]


@dataclass(frozen=True)
class TreeKernel(ParsedMetric):
    """The partial tree kernel of two dependency trees, 0 to 1; the mean of segments, of several references the best.

    of: the labels of nodes: words, categories (parts of speech) or relations; or trees of clauses, or of clauses with
        their words below them (clause_words).
    decay, gap: how much each level of a part, and each child that it leaves out or takes in, counts.
    """

    of: str = param("words", choices=(*KINDS, "clauses", "clause_words"), noun="kind of label")
    decay: float = param(0.4, low=0.01, high=1)
    gap: float = param(0.4, low=0.01, high=1)

    paper = "Moschitti (2006), Efficient Convolution Kernels for Dependency and Constituent Trees"
    label = "Tree-Kernel"

    def count_pair(self, output: Sentence, reference: Sentence) -> Sequence[float]:
        """Count the normalised kernel, 0 if a text is empty, and 1."""
        how = self.of, self.decay, self.gap
        below = _alone(output, *how) * _alone(reference, *how)
        return min(_kernel(output, reference, *how) / sqrt(below), 1.0) if below else 0.0, 1.0


@lru_cache(maxsize=KEPT)
def _alone(sentence: Sentence, of: str, decay: float, gap: float) -> float:
    return _kernel(sentence, sentence, of, decay, gap)


@lru_cache(maxsize=KEPT)  # combinations of metrics count twice
def _kernel(first: Sentence, second: Sentence, of: str, decay: float, gap: float) -> float:
    return kernel(_tree(first, of), _tree(second, of), decay, gap)


@lru_cache(maxsize=KEPT)
def _tree(sentence: Sentence, of: str) -> _Tree:
    clauses = of.startswith("clause")
    labels, heads = clause_tree(sentence, words=of == "clause_words") if clauses else tree(sentence, of, lowercase=True)
    children: list[list[int]] = [[] for _ in labels]
    places: dict[str, list[int]] = {}
    for node, (label, head) in enumerate(zip(labels, heads, strict=True)):
        places.setdefault(label, []).append(node)
        if head >= 0:
            children[head].append(node)
    order = [node for node, head in enumerate(heads) if head < 0]
    for node in order:  # it grows: parents before their children
        order.extend(children[node])
    return _Tree(labels, children, places, order[::-1])


def clause_tree(sentence: Sentence, *, words: bool) -> Tree:
    """Return the clauses of a sentence, each below the one that it depends on; with words, its own are below it."""
    tokens = sentence.tokens
    heads = [(token.head or 0) - 1 for token in tokens]
    begins = [head < 0 or (token.relation.partition(":")[0] in CLAUSES and token.upos in ("VERB", "AUX"))
              for token, head in zip(tokens, heads, strict=True)]  # fmt: skip
    owner = []
    for place in range(len(tokens)):
        while not begins[place]:
            place = heads[place]
        owner.append(place)
    found = [place for place, begin in enumerate(begins) if begin]
    node = {place: number for number, place in enumerate(found)}
    said = [(at, token.form.lower()) for at, token in zip(owner, tokens, strict=True) if token.relation in CONNECTIVES]
    labels = [" ".join([tokens[place].relation, *(form for at, form in said if at == place)]) for place in found]
    above = [node[owner[heads[place]]] if heads[place] >= 0 else -1 for place in found]
    if words:
        labels += [token.form.lower() for token in tokens]
        above += [node[place] for place in owner]
    return Tree(labels, above)


def kernel(first: _Tree, second: _Tree, decay: float, gap: float) -> float:
    """Return the partial tree kernel: the sum over pairs of nodes of the parts that they are the roots of."""
    single = decay * gap**2
    equal = sum(len(places) * len(second.places.get(label, ())) for label, places in first.places.items())
    more: dict[tuple[int, int], float] = {}  # what pairs of nodes with children add to `single`
    for mine in first.bottom_up:  # so that pairs of children are known before those of their parents
        ours = first.children[mine]
        if not ours:
            continue
        for other in second.places.get(first.labels[mine], ()):
            if theirs := second.children[other]:
                same = [
                    [single + more.get((a, b), 0.0) if first.labels[a] == second.labels[b] else 0.0 for b in theirs]
                    for a in ours
                ]
                more[mine, other] = decay * _sequences(same, gap)
    return single * equal + sum(more.values())


def _sequences(same: Sequence[Sequence[float]], gap: float) -> float:
    """Return the weighted number of common subsequences of two lists of children, up to `LONGEST` of them.

    same: for each pair of children the parts that they are the roots of. A subsequence weighs the gap to the power of
    the distance between its first and its last child, in both lists.
    """
    if len(same) == 1 or len(same[0]) == 1:
        return sum(map(sum, same))
    values = ending = np.array(same)
    total = float(values.sum())
    for _ in range(1, min(LONGEST, *values.shape)):
        before = gap**2 * ending
        for row in range(1, len(before)):  # the sum of all that end here or earlier, each step weighed by the gap
            before[row] += gap * before[row - 1]
        for column in range(1, before.shape[1]):
            before[:, column] += gap * before[:, column - 1]
        ending = np.zeros_like(values)
        ending[1:, 1:] = values[1:, 1:] * before[:-1, :-1]
        if not (found := float(ending.sum())):
            break
        total += found
    return total
