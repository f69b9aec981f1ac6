"""chrF: F-score over character n-grams, and with words chrF+ and chrF++.

Popović (2015), "chrF: character n-gram F-score for automatic MT evaluation", WMT; (2017), "chrF++", WMT.
variant=sacrebleu equals sacreBLEU 2.6. variant=original equals chrF++.py, with its habits: F per order and then
their mean, only U+0020 removed, `*#` in a reference begins another one, and a segment without any match adds the
counts of the segment before it to the corpus. unit=byte takes bytes for characters, as that program did under
Python 2, in the WMT19 metrics task. variant=sacrebleu-1.3.6 equals the sacreBLEU of that task.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from ..data.testset import TestSet
from ..errors import UnknownName, UsageError
from ..text.coding import (
    Ints,
    NgramIndex,
    Units,
    Vocabulary,
    characters,
    code_points,
    ngram_totals,
    split_words,
    utf8_bytes,
)
from ..text.ngrams import compare_ngrams, longest_matches
from ._contract import Batch, Floats, Metric, group_references

EPSILON = 1e-16
ASCII_BLANKS = " \t\n\v\f\r"  # what Python 2 strips from bytes
VARIANTS = {"original": "chrF++.py", "sacrebleu": "sacrebleu2.6", "sacrebleu-1.3.6": "sacrebleu1.3.6"}
UNITS = ("byte", "char")
AVERAGES = ("corpus", "segment")


class _References(NamedTuple):
    characters: NgramIndex
    words: NgramIndex | None
    vocabulary: Vocabulary | None
    groups: Ints


@dataclass(frozen=True)
class CHRF(Metric):
    """chrF of sacreBLEU (default) or of chrF++.py, 0 to 100.

    char_order, word_order: the longest n-grams of characters and words; word_order=2 is chrF++.
    beta: how much more recall counts than precision.
    lowercase: ignore case. whitespace: keep blanks in the character n-grams.
    eps_smoothing: average F over all orders as chrF++.py does, not precision and recall over those that exist.
    variant=original: all habits of chrF++.py; unit=byte: of chrF++.py under Python 2.
    average=segment: the system's score is the mean of its segments' (the avgF of chrF++.py), not that of their sums.
    """

    char_order: int = 6
    word_order: int = 0
    beta: float = 2.0
    lowercase: bool = False
    whitespace: bool = False
    eps_smoothing: bool = False
    variant: str = "sacrebleu"
    unit: str = "char"
    average: str = "corpus"

    paper: ClassVar[str] = "Popović (2015), chrF: character n-gram F-score for automatic MT evaluation"

    def __post_init__(self) -> None:
        for what, value, known in (
            ("variant of chrf", self.variant, VARIANTS),
            ("unit of chrf", self.unit, UNITS),
            ("average of chrf", self.average, AVERAGES),
        ):
            if value not in known:
                raise UnknownName(what, value, known)
        if not 0 <= self.char_order <= 100 or not 0 <= self.word_order <= 100 or not self.order:
            raise UsageError("chrf: char_order and word_order must be 0 to 100, and not both 0.")
        if not 0 < self.beta <= 1e6:
            raise UsageError(f"chrf: beta must be greater than 0 and at most a million, not {self.beta}.")
        object.__setattr__(self, "beta", float(self.beta))
        if self.variant == "original":
            object.__setattr__(self, "eps_smoothing", True)

    @property
    def order(self) -> int:
        return self.char_order + self.word_order

    @property
    def decimals(self) -> int:
        return 1

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

    def signature_items(self) -> dict[str, str]:
        items = {
            "case": "lc" if self.lowercase else "mixed",
            "eff": "no" if self.eps_smoothing else "yes",
            "nc": str(self.char_order),
            "nw": str(self.word_order),
            "space": "yes" if self.whitespace else "no",
        }
        for key, default in (("variant", "sacrebleu"), ("unit", "char"), ("average", "corpus")):
            if getattr(self, key) != default:
                items[key] = getattr(self, key)
        return items

    @classmethod
    def from_signature(cls, label: str, items: Mapping[str, str]) -> Self:
        beta = label.rstrip("+")[len("chrF") :]
        return cls(
            char_order=int(items.get("nc", 6)),
            word_order=int(items.get("nw", 0)),
            beta=float(beta or 2),
            lowercase=items.get("case") == "lc",
            whitespace=items.get("space") == "yes",
            eps_smoothing=items.get("eff") == "no",
            variant=items.get("variant", "sacrebleu"),
            unit=items.get("unit", "char"),
            average=items.get("average", "corpus"),
        )

    def _code(self, texts: list[str], known: Vocabulary | None = None) -> tuple[Units, Vocabulary | Units | None]:
        """Characters, and words: numbered by the vocabulary `known`, or a new vocabulary if there is none."""
        if self.lowercase:
            texts = [text.lower() for text in texts]
        original = self.variant == "original"
        if original:
            blanks = ASCII_BLANKS if self.unit == "byte" else None
            texts = [text.strip(blanks) for text in texts]
        points, offsets = utf8_bytes(texts) if self.unit == "byte" else code_points(texts)
        drop = "none" if self.whitespace else "space" if original else "unicode"
        units = characters(points, offsets, drop=drop)
        if not self.word_order:
            return units, None
        words = split_words(points, offsets, punctuation=True, ascii_blanks=self.unit == "byte")
        return units, known.find(words) if known else Vocabulary(words)

    def prepare(self, testset: TestSet) -> _References:
        texts, groups = group_references(testset.references)
        if self.variant == "original":
            texts, groups = _split_joined(texts, groups)
        units, vocabulary = self._code(texts)
        each = np.arange(len(texts) + 1, dtype=np.int64)
        characters = NgramIndex(units, each, self.char_order)
        if not isinstance(vocabulary, Vocabulary):
            return _References(characters, None, None, groups)
        return _References(characters, NgramIndex(vocabulary.units, each, self.word_order), vocabulary, groups)

    def count(self, batch: Batch) -> Floats:
        """For each order the n-grams of output and reference and their matches; of the reference with the best F."""
        references: _References = batch.prepared
        groups = references.groups
        outputs, words = self._code(list(batch.outputs), references.vocabulary)
        segments = np.repeat(np.arange(len(groups) - 1), np.diff(groups))
        parts = [self._triples(outputs, references.characters, segments)]
        if references.words is not None and isinstance(words, Units):
            parts.append(self._triples(words, references.words, segments))
        triples = np.concatenate(parts, axis=1).reshape(len(segments), 3 * self.order)
        scores = self._f_score(triples)
        best = _first_best(scores, groups)
        counts, scores = triples[best], scores[best]
        if self.variant == "original":
            # chrF++.py keeps the last segment's counts where F is 0. A first segment with F = 0 makes it crash.
            row = np.maximum.accumulate(np.where(counts[:, 2::3].any(1), np.arange(len(scores)), 0))
            counts = counts[row]
        return np.column_stack([counts, scores, np.ones(len(scores))])

    def _triples(self, outputs: Units, references: NgramIndex, segments: Ints) -> Floats:
        """Shape (reference texts, order, 3); reference text t belongs to segment segments[t]."""
        matches = references.count_matches(outputs, segments)
        in_output = ngram_totals(outputs.lengths, references.max_order)[segments]
        in_reference = ngram_totals(references.units.lengths, references.max_order)
        if self.variant != "sacrebleu-1.3.6":
            # Of orders that the reference is too short for, sacreBLEU 2 and chrF++.py count no n-grams of the output.
            in_output = np.where(in_reference > 0, in_output, 0)
        return np.stack([in_output, in_reference, matches], axis=2).astype(np.float64)

    def _f_score(self, triples: Floats) -> Floats:
        """Scores from shape (..., 3 * order); operations in sacreBLEU's order, as they decide between references."""
        factor = self.beta**2
        zero = np.zeros(triples.shape[:-1])
        score, precision, recall, orders = zero, zero, zero, zero
        with np.errstate(divide="ignore", invalid="ignore"):
            for i in range(self.order):
                output, reference, match = (triples[..., 3 * i + j] for j in range(3))
                p = np.where(output > 0, match / output, EPSILON)
                r = np.where(reference > 0, match / reference, EPSILON)
                weighted = factor * p + r
                score = score + np.where(weighted > 0, (1 + factor) * p * r / weighted, EPSILON)
                both = (output > 0) & (reference > 0)
                precision = precision + np.where(both, p, 0.0)
                recall = recall + np.where(both, r, 0.0)
                orders = orders + both
            if self.eps_smoothing:
                return 100 * score / self.order
            orders = np.maximum(orders, 1)
            precision, recall = precision / orders, recall / orders
            f = (1 + factor) * precision * recall / (factor * precision + recall)
            return np.where(precision + recall > 0, 100 * f, 0.0)

    def score(self, totals: Floats) -> Floats:
        if self.average == "segment":
            return totals[..., -2] / totals[..., -1]
        return self._f_score(totals[..., :-2])

    def segment_scores(self, counts: Floats) -> Floats:
        return counts[..., -2] / counts[..., -1]

    def explain_segment(self, output: str, references: Sequence[str]) -> dict[str, Any]:
        """The best reference, and for each character of the output how long an n-gram around it that one has too."""
        scores = [self.score_one(output, [reference]) for reference in references]
        best = scores.index(max(scores))
        texts = [text.lower() if self.lowercase else text for text in (output, references[best])]
        kept = [text if self.whitespace else "".join(text.split()) for text in texts]
        parts = {"score": scores[best], "reference": best, "characters": kept[0]}
        parts["longest_match"] = longest_matches(kept[0], kept[1], self.char_order)
        if self.word_order:
            words, others = (split_words(*code_points([text]), punctuation=True).strings()[0] for text in texts)
            parts["ngrams"] = compare_ngrams(words, [others], self.word_order)
        return parts

    def details(self, totals: Floats) -> dict[str, Any]:
        triples = totals[:-2].reshape(self.order, 3)
        kinds = [f"char{n + 1}" for n in range(self.char_order)] + [f"word{n + 1}" for n in range(self.word_order)]
        names = ("output", "reference", "match")
        return {
            kind: dict(zip(names, row.astype(int).tolist(), strict=True))
            for kind, row in zip(kinds, triples, strict=True)
        }


def _split_joined(texts: list[str], groups: Ints) -> tuple[list[str], Ints]:
    """References as chrF++.py reads them: it joins those of a segment by `*#` and splits there, whoever wrote it."""
    split = [text.split("*#") for text in texts]
    ends = np.concatenate([[0], np.cumsum([len(parts) for parts in split], dtype=np.int64)])
    return [part for parts in split for part in parts], ends[groups]


def _first_best(scores: Floats, groups: Ints) -> Ints:
    """The index of the best score of every group, the first of equals."""
    counts = np.diff(groups)
    if (counts == 1).all():
        return np.arange(len(scores))
    segments = np.repeat(np.arange(len(counts)), counts)
    order = np.lexsort((np.arange(len(scores)), -scores, segments))
    return order[groups[:-1]]
