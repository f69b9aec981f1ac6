"""STM: subtrees that the output's tree shares with a reference's.

Liu and Gildea (2005), "Syntactic Features for Evaluation of Machine Translation", ACL workshop on intrinsic and
extrinsic evaluation measures. The paper has it on trees of constituents (STM) and on trees of dependencies (DSTM). Our
parsers give dependencies, so the latter is the default; trees=FILE reads constituents in Penn's brackets.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ...errors import DataError
from ...language.penn import ConstituentTree, read_trees, squeezed
from ...language.sentence import Sentence, shown
from .. import Corpus, Learnt, Shard, param
from ._trees import Pieces, Tree, TreeMetric, tree


@dataclass(frozen=True)
class STM(TreeMetric):
    """Precision of subtrees of the dependency tree, 0 to 1: the mean over their depths.

    of: what a subtree is made of: words, categories (parts of speech) or relations.
    lowercase: ignore the case of words.
    depth: the deepest subtree, 1 to 9; 1 is a word alone, 2 a word with its dependents.
    trees: a file with a constituent tree of each text in Penn's brackets, instead of dependencies: subtrees of
        categories, without words. `of`, `lowercase` and `parser` then have no effect.
    """

    depth: int = param(4, low=1, high=9)
    trees: str | None = param(file=True, checksum="tree_file")

    paper = "Liu and Gildea (2005), Syntactic Features for Evaluation of Machine Translation"
    sizes = "depth"

    def learn(self, testset: Corpus) -> Learnt:
        return Learnt() if self.trees else super().learn(testset)

    def open(self, state: str | None) -> Any:
        return read_trees(self.trees) if self.trees else super().open(state)

    def prepare(self, shard: Shard, opened: Any) -> Any:
        """Return the parses, or the constituent trees, by text."""
        if not self.trees:
            return super().prepare(shard, opened)
        columns = (*shard.references.values(), *shard.outputs.values())
        texts = dict.fromkeys(text for lines in columns for text in lines if text is not None)
        return dict(zip(texts, self.parse_texts(texts, opened), strict=True))

    def parse_texts(self, texts: Iterable[str], backend: Any = None) -> list[Any]:
        if not self.trees:
            return super().parse_texts(texts, backend)
        return [self._constituents(text, backend or self.open(None)) for text in texts]

    def _constituents(self, text: str, known: Mapping[str, ConstituentTree]) -> ConstituentTree:
        words = squeezed(text)
        if words and words not in known:
            raise DataError(f"stm: {self.trees} has no tree of {shown(text)}. Its words must be those of the text.")
        return known.get(words, ConstituentTree())

    def pieces(self, sentence: Sentence | ConstituentTree) -> Pieces:
        if isinstance(sentence, ConstituentTree):
            return subtrees(Tree(list(sentence.labels), list(sentence.parents)), self.depth)
        return subtrees(tree(sentence, self.of, lowercase=self.lowercase), self.depth)

    def show(self, piece: object) -> str:
        return f"({' '.join(map(self.show, piece))})" if isinstance(piece, tuple) else str(piece)


def subtrees(found: Tree, depth: int) -> Pieces:
    """Return the subtrees of each depth: for every word with descendants at that depth, all words down to it.

    A subtree is a label, or a tuple of the label and the subtrees below it in text order. The position of the head
    among its dependents is not part of it.
    """
    labels, heads = found
    below: list[list[int]] = [[] for _ in labels]
    for place, head in enumerate(heads):
        if head >= 0:
            below[head].append(place)
    cut: list[Any] = list(labels)  # the tree below each word, down to the current depth
    deep = [True] * len(labels)  # whether it reaches that depth
    counted: Pieces = [Counter(cut)]
    for _ in range(1, depth):
        cut = [
            (name, *(cut[each] for each in under)) if under else name for name, under in zip(labels, below, strict=True)
        ]
        deep = [any(deep[each] for each in under) for under in below]
        counted.append(Counter(piece for piece, reaches in zip(cut, deep, strict=True) if reaches))
    return counted
