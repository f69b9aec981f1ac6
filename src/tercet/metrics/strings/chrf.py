"""chrF: F-score over character n-grams, and with words chrF+ and chrF++.

Popović (2015), "chrF: character n-gram F-score for automatic MT evaluation", WMT; (2017), "chrF++", WMT.
variant=sacrebleu equals sacreBLEU 2.6. variant=original equals chrF++.py: it computes F per order and then the mean,
removes U+0020 only, starts a new reference at `*#`, and for a segment without any match adds the counts of the segment
before it to the corpus. unit=byte uses bytes as characters, as that program did under Python 2, in the WMT19 metrics
task. variant=sacrebleu-1.3.6 equals the sacreBLEU of that task.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from ...errors import UsageError
from ...text.coding import (
    Ints,
    NgramIndex,
    Units,
    Vocabulary,
    Words,
    characters,
    code_points,
    ngram_totals,
    split_words,
    utf8_bytes,
)
from ...text.explanations import Group, Matches, Seen
from ...text.ngrams import compare_ngrams, longest_matches
from .. import Floats, Metric, Shard, group_references
from .._parameters import CASE, NO, YES, param
from ..bases.pairs import best_rows, owners

EPSILON = 1e-16
ASCII_BLANKS = " \t\n\v\f\r"  # what Python 2 strips from bytes
VARIANTS = {"original": "chrF++.py", "sacrebleu": "sacrebleu2.6", "sacrebleu-1.3.6": "sacrebleu1.3.6"}


_Points = tuple[Any, Ints]  # the characters of texts, before blanks are dropped, and where each text begins


class _References(NamedTuple):
    characters: NgramIndex
    words: NgramIndex | None
    vocabulary: Vocabulary | None
    groups: Ints


MARKS = " .:-=+#"  # for characters of the output, by the longest matching n-gram around them


@dataclass(frozen=True)
class CharacterMatches(Matches):
    """Matching n-grams of characters, and of words."""

    names_reference: ClassVar[bool] = True

    def lines(self, other: str = "reference") -> list[str]:
        marks = "".join(MARKS[min(size, len(MARKS) - 1)] for size in self.sizes[0])
        return [f"characters: {''.join(self.output)}", f"matched:    {marks}", *self.group_lines()]


@dataclass(frozen=True)
class CHRF(Metric):
    """chrF of sacreBLEU (default) or of chrF++.py, 0 to 100.

    char_order, word_order: the longest n-grams of characters and words; word_order=2 is chrF++.
    beta: how much more recall counts than precision.
    lowercase: ignore case. whitespace: keep blanks in the character n-grams.
    eps_smoothing: average F over all orders as chrF++.py does, not precision and recall over those that exist.
    variant=original: as chrF++.py in all respects; unit=byte: as chrF++.py under Python 2.
    average=segment: the system's score is the mean of its segments' (the avgF of chrF++.py), not that of their sums.
    """

    char_order: int = param(6, low=0, high=100, key="nc")
    word_order: int = param(0, low=0, high=100, key="nw")
    beta: float = param(2.0, above=0, high=1e6, key="")
    lowercase: bool = param(False, key="case", words=CASE)
    whitespace: bool = param(False, key="space", words=YES)
    eps_smoothing: bool = param(key="eff", words=NO)
    variant: str = param("sacrebleu", choices=VARIANTS, quiet=True)
    unit: str = param("char", choices=("byte", "char"), quiet=True)
    average: str = param("corpus", choices=("corpus", "segment"), quiet=True)

    explains = (Matches,)
    paper = "Popović (2015), chrF: character n-gram F-score for automatic MT evaluation"
    decimals = 1

    shares = "character n-grams"
    signature_order = ("case", "eff", "nc", "nw", "space")

    def validate(self) -> None:
        if not self.order:
            raise UsageError("chrf: char_order and word_order must not both be 0.")
        if self.variant == "original" and self.eps_smoothing is False:
            raise UsageError("chrf: variant original averages F over all orders; leave eps_smoothing out.")

    def defaults(self, language: str | None) -> Mapping[str, object]:
        return {"eps_smoothing": self.variant == "original"}

    @property
    def order(self) -> int:
        return self.char_order + self.word_order

    @property
    def label(self) -> str:
        beta = f"{self.beta:g}"
        return f"chrF{beta if float(beta) == self.beta else repr(self.beta)}" + "+" * self.word_order

    @property
    def compatible(self) -> str | None:
        if self.variant != "original" and (self.unit, self.average) != ("char", "corpus"):
            return None
        return VARIANTS[self.variant]

    @property
    def whole(self) -> bool:
        return self.variant == "original"

    @classmethod
    def from_signature(cls, label: str, items: Mapping[str, str]) -> Self:
        beta = label.rstrip("+")[len("chrF") :]
        return replace(super().from_signature(label, items), beta=float(beta or 2))

    @property
    def _text_key(self) -> tuple[object, ...]:
        """The parameters that the characters of a text depend on; metrics with equal ones share them."""
        return "chrf", self.lowercase, self.variant == "original", self.unit

    def _points(self, texts: list[str]) -> _Points:
        if self.lowercase:
            texts = [text.lower() for text in texts]
        if self.variant == "original":
            blanks = ASCII_BLANKS if self.unit == "byte" else None
            texts = [text.strip(blanks) for text in texts]
        return utf8_bytes(texts) if self.unit == "byte" else code_points(texts)

    def _characters(self, texts: _Points) -> Units:
        drop = "none" if self.whitespace else "space" if self.variant == "original" else "unicode"
        return characters(*texts, drop=drop)

    def _words(self, texts: _Points) -> Words:
        return split_words(*texts, punctuation=True, ascii_blanks=self.unit == "byte")

    def prepare(self, shard: Shard, opened: object) -> _References:
        texts, groups = group_references(shard.references)
        if self.variant == "original":
            texts, groups = _split_joined(texts, groups)
        key = (*self._text_key, "references")
        points = shard.share(key, lambda: self._points(texts))
        each = np.arange(len(texts) + 1, dtype=np.int64)
        index = shard.share(
            (*key, self.whitespace, self.char_order),
            lambda: NgramIndex(self._characters(points), each, self.char_order),
        )
        if not self.word_order:
            return _References(index, None, None, groups)
        vocabulary = Vocabulary(self._words(points))
        return _References(index, NgramIndex(vocabulary.units, each, self.word_order), vocabulary, groups)

    def count(self, shard: Shard, opened: object) -> dict[str, Floats]:
        """Count for each order the n-grams of output and reference and their matches; of the reference with best F."""
        references = self.prepare(shard, opened)
        return {each: self._best(self._compare(shard, each, references), references.groups) for each in shard.outputs}

    def _compare(self, shard: Shard, system: str, references: _References) -> Floats:
        """Return the triples of a system's outputs with each reference text."""
        key, segments = (*self._text_key, "output", system), owners(references.groups)
        points = shard.share(key, lambda: self._points(list(shard.outputs[system])))
        triples = shard.share(
            (*key, self.variant, self.whitespace, self.char_order),
            lambda: self._triples(self._characters(points), references.characters, segments),
        )
        if references.words is None or references.vocabulary is None:
            return triples
        words = references.vocabulary.find(self._words(points))
        return np.concatenate([triples, self._triples(words, references.words, segments)], axis=1)

    def _best(self, triples: Floats, groups: Ints) -> Floats:
        """Choose the reference with the best F; shape (reference texts, order, 3) -> (segments, 3 * order + 2)."""
        triples = triples.reshape(len(triples), 3 * self.order)
        scores = self._f_score(triples)
        best = best_rows(scores, groups, highest=True)
        counts, scores = triples[best], scores[best]
        if self.variant == "original":
            # chrF++.py keeps the last segment's counts where F is 0. A first segment with F = 0 makes it crash.
            row = np.maximum.accumulate(np.where(counts[:, 2::3].any(1), np.arange(len(scores)), 0))
            counts = counts[row]
        return np.column_stack([counts, scores, np.ones(len(scores))])

    def _triples(self, outputs: Units, references: NgramIndex, segments: Ints) -> Floats:
        """Return n-grams of output and reference and matches, shape (reference texts, order, 3)."""
        matches = references.count_matches(outputs, segments)
        in_output = ngram_totals(outputs.lengths, references.max_order)[segments]
        in_reference = ngram_totals(references.units.lengths, references.max_order)
        if self.variant != "sacrebleu-1.3.6":
            # Of orders that the reference is too short for, sacreBLEU 2 and chrF++.py count no n-grams of the output.
            in_output = np.where(in_reference > 0, in_output, 0)
        return np.stack([in_output, in_reference, matches], axis=2).astype(np.float64)

    def _f_score(self, triples: Floats) -> Floats:
        """Compute scores from shape (..., 3 * order), in sacreBLEU's order of operations: ties depend on it."""
        # Orders first, because steps over a short last axis are slow.
        counts = np.ascontiguousarray(np.moveaxis(triples, -1, 0)).reshape(self.order, 3, *triples.shape[:-1])
        outputs, references, matches = counts[:, 0], counts[:, 1], counts[:, 2]
        with np.errstate(divide="ignore", invalid="ignore"):
            if self.eps_smoothing:
                return self._mean_f_score(outputs, references, matches)
            both = (outputs > 0) & (references > 0)
            precisions, recalls = matches / outputs, matches / references
            if not both.all():  # corpora and their resamples have n-grams of all orders
                precisions, recalls = np.where(both, precisions, 0.0), np.where(both, recalls, 0.0)
            orders = np.maximum(both.sum(0), 1).astype(precisions.dtype)
            precision, recall = _one_by_one(precisions) / orders, _one_by_one(recalls) / orders
            factor = self.beta**2
            f = (1 + factor) * precision * recall / (factor * precision + recall)
            return np.where(precision + recall > 0, 100 * f, 0.0)

    def _mean_f_score(self, outputs: Floats, references: Floats, matches: Floats) -> Floats:
        """Compute the mean of the F scores of all orders, shapes (order, ...) -> (...)."""
        factor = self.beta**2
        p = np.where(outputs > 0, matches / outputs, EPSILON)
        r = np.where(references > 0, matches / references, EPSILON)
        weighted = factor * p + r
        scores = np.where(weighted > 0, (1 + factor) * p * r / weighted, EPSILON)
        return 100 * _one_by_one(scores) / self.order

    def score(self, totals: Floats) -> Floats:
        if self.average == "segment":
            return totals[..., -2] / totals[..., -1]
        return self._f_score(totals[..., :-2])

    def segment_scores(self, counts: Floats) -> Floats:
        return counts[..., -2] / counts[..., -1]

    def explain_segment(self, opened: object, output: str, references: Sequence[str], source: str | None) -> Seen:
        scores = [self.score_one(output, [reference]) for reference in references]
        best = scores.index(max(scores))
        texts = [text.lower() if self.lowercase else text for text in (output, references[best])]
        kept = [text if self.whitespace else "".join(text.split()) for text in texts]
        groups: list[Group] = []
        if self.word_order:
            words, others = (split_words(*code_points([text]), punctuation=True).strings()[0] for text in texts)
            groups = compare_ngrams(words, [others], self.word_order)
        sizes = longest_matches(kept[0], kept[1], self.char_order), ()
        return Seen(scores[best], [CharacterMatches(kept[0], "", sizes, self.char_order, groups)], best)

    def details(self, totals: Floats) -> dict[str, object]:
        triples = totals[:-2].reshape(self.order, 3)
        kinds = [f"char{n + 1}" for n in range(self.char_order)] + [f"word{n + 1}" for n in range(self.word_order)]
        names = ("output", "reference", "match")
        return {
            kind: dict(zip(names, row.astype(int).tolist(), strict=True))
            for kind, row in zip(kinds, triples, strict=True)
        }


def _one_by_one(values: Floats) -> Floats:
    """Return sums over the first axis, added in its order."""
    total = np.zeros(values.shape[1:], values.dtype)
    for value in values:
        total = total + value
    return total


def _split_joined(texts: list[str], groups: Ints) -> tuple[list[str], Ints]:
    """Return references as chrF++.py reads them: it splits at `*#`, also where the text itself has it."""
    split = [text.split("*#") for text in texts]
    ends = np.concatenate([[0], np.cumsum([len(parts) for parts in split], dtype=np.int64)])
    return [part for parts in split for part in parts], ends[groups]
