"""NIST: n-gram precision in which rare n-grams count more, with a mild length penalty.

Doddington (2002), "Automatic Evaluation of Machine Translation Quality Using N-gram Co-Occurrence Statistics", HLT.
Equals the NIST score of mteval-v13a.pl. An n-gram is worth its information, log2 of how often its first n-1 words
occur over how often all n do, counted in all references of the whole test set; segments are scored with the same
weights. They are learnt by `learn`; the signature has a checksum of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from math import log, log2
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..errors import UsageError
from ..text.tokenisers import tokenise
from ._contract import Floats, Learnt, Metric, Shard, group_references
from ._pairs import explain_ngrams
from ._parameters import CASE, param

SHARD = 10_000  # segments whose references are in memory at once while weights are learnt
BETA = log(2) / log(1.5) ** 2  # an output of two thirds the references' length scores half


@dataclass(frozen=True)
class Information:
    """The information of the references' n-grams. An n-gram is a number, found word by word from its prefix.

    words: word -> its number, from 1. grams: prefix << 32 | word -> number of the n-gram; the empty prefix is 0.
    weights, orders: by number of the n-gram, its information in bits and its length.
    checksum: of the references; comparisons and signatures use it.
    """

    checksum: str
    words: Mapping[str, int] = field(repr=False, compare=False)
    grams: Mapping[int, int] = field(repr=False, compare=False)
    weights: Sequence[float] = field(repr=False, compare=False)
    orders: Sequence[int] = field(repr=False, compare=False)

    def find(self, words: Sequence[str], max_order: int, among: Mapping[int, int] | None = None) -> dict[int, int]:
        """Return how often each known n-gram occurs, by its number; `among`: only these, with their prefixes."""
        found: dict[int, int] = {}
        grams = self.grams if among is None else among
        numbers = [self.words.get(word, 0) for word in words]
        for start in range(len(numbers)):
            gram = 0
            for number in numbers[start : start + max_order]:
                known = grams.get(gram << 32 | number)  # 0, a word that no reference has, is never known
                if known is None:
                    break  # then no longer n-gram is known either
                gram = known
                found[gram] = found.get(gram, 0) + 1
        return found


class _Segment(NamedTuple):
    grams: dict[int, int]  # those of its references, as in `Information.grams`
    most: dict[int, int]  # an n-gram counts at most as often as in the reference that has it most often
    length: float  # mean over the references


class _Prepared(NamedTuple):
    information: Information
    segments: list[_Segment]


@dataclass(frozen=True)
class NIST(Metric):
    """NIST of mteval-v13a: information of matched n-grams per n-gram of the output, from 0; often 3 to 12.

    tokenize: 13a or intl, as mteval and its --international-tokenization do it.
    lowercase: ignore case, as mteval does by default (without -c).
    max_ngram_order: the longest n-gram, 1 to 9.
    """

    tokenize: str = param("13a", choices=("13a", "intl"), key="tok")
    lowercase: bool = param(True, key="case", words=CASE)
    max_ngram_order: int = param(5, low=1, high=9, key="order", quiet=True)

    signature_order: ClassVar[tuple[str, ...]] = ("case", "tok")
    paper: ClassVar[str] = (
        "Doddington (2002), Automatic Evaluation of Machine Translation Quality Using N-gram Co-Occurrence Statistics"
    )

    @property
    def compatible(self) -> str:
        return "mteval13a"

    @property
    def decimals(self) -> int:
        return 2

    def _words(self, texts: Sequence[str]) -> list[list[str]]:
        return tokenise(texts, f"mteval-{self.tokenize}" + ("-lc" if self.lowercase else "")).strings()

    def learn(self, testset: Any) -> Learnt:
        """Learn information weights from all references of the test set (anything with `shards`)."""
        learner = _Learner(self.max_ngram_order)
        for shard in testset.shards(SHARD):
            texts, _ = group_references(shard.references)
            for words in self._words(texts):
                learner.read(words)
        information = learner.information()
        return Learnt(information, {"weights": information.checksum})

    def prepare(self, shard: Shard, opened: Any) -> _Prepared:
        information = _known(opened)
        keys = [0, *information.grams]  # by number: n-grams were numbered in order
        texts, groups = group_references(shard.references)
        words = self._words(texts)
        segments = []
        for begin, end in zip(groups[:-1].tolist(), groups[1:].tolist(), strict=True):
            most: dict[int, int] = {}
            for reference in words[begin:end]:
                for gram, times in information.find(reference, self.max_ngram_order).items():
                    most[gram] = max(times, most.get(gram, 0))
            grams = {keys[gram]: gram for gram in most}
            segments.append(_Segment(grams, most, sum(map(len, words[begin:end])) / (end - begin)))
        return _Prepared(information, segments)

    def count_outputs(self, outputs: Sequence[str], prepared: Any) -> Floats:
        """Count output length, mean reference length, then by order matched information and the output's n-grams."""
        information, order = prepared.information, self.max_ngram_order
        rows = []
        for words, segment in zip(self._words(outputs), prepared.segments, strict=True):
            matched = [0.0] * order
            for gram, times in information.find(words, order, segment.grams).items():
                clipped = min(times, segment.most[gram])
                matched[information.orders[gram] - 1] += clipped * information.weights[gram]
            rows.append([len(words), segment.length, *matched, *(max(len(words) - n, 0) for n in range(order))])
        return np.array(rows, dtype=np.float64).reshape(-1, 2 + 2 * order)

    def score(self, totals: Floats) -> Floats:
        n = self.max_ngram_order
        per_order = totals[..., 2 : 2 + n] / np.maximum(totals[..., 2 + n :], 1)
        score = np.zeros(totals.shape[:-1])
        for order in range(n):
            score = score + per_order[..., order]
        result: Floats = score * _penalty(totals)
        return result

    def explain_segment(
        self, opened: Any, output: str, references: Sequence[str], source: str | None
    ) -> dict[str, Any]:
        """Return the words, and which n-grams of each order match a reference."""
        words = self._words([output, *references])
        return explain_ngrams(self.score_one(output, references), words, self.max_ngram_order)

    def details(self, totals: Floats) -> dict[str, Any]:
        n = self.max_ngram_order
        length, reference = float(totals[0]), float(totals[1])
        return {
            "information": (totals[2 : 2 + n] / np.maximum(totals[2 + n :], 1)).tolist(),
            "penalty": float(_penalty(totals)),
            "ratio": length / reference if reference else 0.0,
            "sys_len": int(length),
            "ref_len": reference,
        }


def _known(learnt: Information | None) -> Information:
    if learnt is None:
        raise UsageError("nist: information weights are missing; call ready(testset) with the whole test set.")
    return learnt


def _penalty(totals: Floats) -> Floats:
    length, reference = totals[..., 0], totals[..., 1]
    ratio = np.clip(length / np.maximum(reference, 1e-300), 1e-300, 1.0)
    penalty: Floats = np.exp(-BETA * np.log(ratio) ** 2)
    return penalty


class _Learner:
    """Counts the n-grams of references, one text after the other."""

    def __init__(self, max_order: int) -> None:
        self.max_order = max_order
        self.words: dict[str, int] = {}
        self.grams: dict[int, int] = {}
        self.prefixes = [0]  # number of each n-gram's prefix
        self.counts = [0]  # the empty n-gram occurs once per word
        self.orders = [0]
        self.texts = 0

    def read(self, words: Sequence[str]) -> None:
        # A sum of digests, so that the same references in another order are the same references.
        digest = blake2b("\n".join(words).encode("utf-8", "surrogatepass"), digest_size=8).digest()
        self.texts = (self.texts + int.from_bytes(digest, "big")) % (1 << 64)
        numbers = [self.words.setdefault(word, len(self.words) + 1) for word in words]
        self.counts[0] += len(words)
        for start in range(len(numbers)):
            prefix = 0
            for number in numbers[start : start + self.max_order]:
                gram = self.grams.setdefault(prefix << 32 | number, len(self.counts))
                if gram == len(self.counts):
                    self.counts.append(0)
                    self.prefixes.append(prefix)
                    self.orders.append(self.orders[prefix] + 1)
                self.counts[gram] += 1
                prefix = gram

    def information(self) -> Information:
        # In Perl the prefix "0" is false: mteval then divides by the number of all words, as for single words.
        zero = self.grams.get(self.words.get("0", 0))
        prefixes = [0 if prefix == zero else prefix for prefix in self.prefixes]
        weights = [
            log2(self.counts[prefix] / count) if count else 0.0
            for prefix, count in zip(prefixes, self.counts, strict=True)
        ]
        return Information(f"{self.texts:016x}", self.words, self.grams, weights, self.orders)
