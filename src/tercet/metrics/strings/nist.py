"""NIST: n-gram precision in which rare n-grams count more, with a mild length penalty.

Doddington (2002), "Automatic Evaluation of Machine Translation Quality Using N-gram Co-Occurrence Statistics", HLT.
Equals the NIST score of mteval-v13a.pl. An n-gram is worth its information, log2 of how often its first n-1 words
occur over how often all n do, counted in all references of the whole test set; segments are scored with the same
weights. They are learnt by `learn`; the signature has a checksum of them.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from math import log
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...kernels import information as kernel
from ...text.coding import Ints, Vocabulary, Words, call, code_points, ngram_totals, offsets_of, split_words
from ...text.tokenisers import tokenise
from .. import Corpus, Floats, Learnt, Shard, group_references
from .._parameters import CASE, param
from . import NgramMetric

SHARD = 10_000  # segments whose references are in memory at once while weights are learnt
BETA = log(2) / log(1.5) ** 2  # an output of two thirds the references' length scores half


@dataclass(frozen=True)
class Information:
    """The information of the references' n-grams (see kernels.information).

    checksum: of the references; comparisons and signatures use it.
    vocabulary: of the references' words. tables: the keys and numbers of n-grams, and where those of an order begin.
    weights: by number of the n-gram, its information in bits.
    """

    checksum: str
    vocabulary: Vocabulary = field(repr=False, compare=False)
    tables: tuple[NDArray[np.uint64], NDArray[np.int32], Ints] = field(repr=False, compare=False)
    weights: Floats = field(repr=False, compare=False)


class _Prepared(NamedTuple):
    information: Information
    grams: NDArray[np.int32]  # of the references, by position and order
    offsets: Ints  # of the references among the positions
    groups: Ints
    lengths: Floats  # mean length of each segment's references


@dataclass(frozen=True)
class NIST(NgramMetric):
    """NIST of mteval-v13a: information of matched n-grams per n-gram of the output, from 0; often 3 to 12.

    tokenize: 13a or intl, as mteval and its --international-tokenization do it.
    lowercase: ignore case, as mteval does by default (without -c).
    max_ngram_order: the longest n-gram, 1 to 9.
    """

    tokenize: str = param("13a", choices=("13a", "intl"), key="tok")
    lowercase: bool = param(True, key="case", words=CASE)
    max_ngram_order: int = param(5, low=1, high=9, key="order", quiet=True)

    signature_order = ("case", "tok")
    paper = (
        "Doddington (2002), Automatic Evaluation of Machine Translation Quality Using N-gram Co-Occurrence Statistics"
    )
    decimals = 2
    compatible = "mteval13a"

    def words(self, texts: Sequence[str]) -> Words:
        return tokenise(texts, f"mteval-{self.tokenize}" + ("-lc" if self.lowercase else ""))

    def learn(self, testset: Corpus) -> Learnt:
        """Learn information weights from all references of the test set (anything with `shards`)."""
        vocabularies, digest = [], 0
        for shard in testset.shards(SHARD):
            words = self.words(group_references(shard.references)[0])
            for text in words.joined("\n"):
                # A sum of digests, so that the same references in another order are the same references.
                found = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
                digest += int.from_bytes(found, "big")
            vocabularies.append(Vocabulary(words))
        information = _information(f"{digest % (1 << 64):016x}", vocabularies, self.max_ngram_order)
        return Learnt(information, {"weights": information.checksum})

    def prepare(self, shard: Shard, opened: Information | None) -> _Prepared:
        information = self.learnt(opened, "information weights are")
        texts, groups = group_references(shard.references)
        units = information.vocabulary.find(self.words(texts))
        grams = np.empty((len(units.ids), self.max_ngram_order), dtype=np.int32)
        call(kernel.find_grams, units.ids, units.offsets, *information.tables, grams)
        lengths = np.add.reduceat(units.lengths, groups[:-1]) / np.diff(groups)
        return _Prepared(information, grams, units.offsets, groups, lengths)

    def count_outputs(self, outputs: Sequence[str], prepared: _Prepared) -> Floats:
        """Count output length, mean reference length, then by order matched information and the output's n-grams."""
        information, order = prepared.information, self.max_ngram_order
        units = information.vocabulary.find(self.words(outputs))
        matched = np.empty((len(outputs), order))
        most, times = (np.zeros(len(information.weights), dtype=np.int32) for _ in range(2))
        seen = np.empty(2 * order * int(units.lengths.max(initial=0)), dtype=np.int32)
        texts = (units.ids, units.offsets, prepared.grams, prepared.offsets, prepared.groups)
        call(kernel.match_information, *texts, *information.tables, information.weights, most, times, seen, matched)
        totals = ngram_totals(units.lengths, order)
        return np.column_stack([units.lengths, prepared.lengths, matched, totals]).astype(np.float64)

    def score(self, totals: Floats) -> Floats:
        n = self.max_ngram_order
        per_order = totals[..., 2 : 2 + n] / np.maximum(totals[..., 2 + n :], 1)
        score = np.zeros(totals.shape[:-1])
        for order in range(n):
            score = score + per_order[..., order]
        return np.asarray(score * _penalty(totals))

    def details(self, totals: Floats) -> dict[str, object]:
        n = self.max_ngram_order
        length, reference = float(totals[0]), float(totals[1])
        return {
            "information": (totals[2 : 2 + n] / np.maximum(totals[2 + n :], 1)).tolist(),
            "penalty": float(_penalty(totals)),
            "ratio": length / reference if reference else 0.0,
            "sys_len": int(length),
            "ref_len": reference,
        }


def _penalty(totals: Floats) -> Floats:
    length, reference = totals[..., 0], totals[..., 1]
    ratio = np.clip(length / np.maximum(reference, 1e-300), 1e-300, 1.0)
    return np.asarray(np.exp(-BETA * np.log(ratio) ** 2))


_NONE = np.empty(0, dtype=np.int32)


def _information(checksum: str, vocabularies: Sequence[Vocabulary], max_order: int) -> Information:
    """Count the n-grams of references, whose words are given shard by shard."""
    vocabulary, ids = _merged(vocabularies)
    offsets = offsets_of(np.concatenate([_NONE, *(each.units.lengths for each in vocabularies)]))
    grams = ids + np.int32(1)
    # In Perl "0" is false, and mteval takes this prefix for the empty one.
    zero = int(vocabulary.find(split_words(*code_points(["0"]))).ids[0]) + 1
    counts = np.bincount(grams, minlength=len(vocabulary) + 1)
    counts[0] = len(ids)
    prefixes = np.zeros(len(counts), dtype=np.int32)
    keys, numbers = [np.empty(0, dtype=np.uint64)], [_NONE]  # of a hash table for each order
    for order in range(2, max_order + 1):
        continued = (grams > 0) & ((counts[grams] > 1) | (grams == zero))
        more = np.zeros(int(np.count_nonzero(continued)), dtype=np.int32)
        known, prefixes, counts = len(counts), np.concatenate([prefixes, more]), np.concatenate([counts, more])
        size = 1 << (2 * len(more)).bit_length()  # a power of two, at least twice as many as the n-grams
        keys.append(np.empty(size, dtype=np.uint64))
        numbers.append(np.zeros(size, dtype=np.int32))
        known = call(kernel.add_order, ids, offsets, order, grams, zero, keys[-1], numbers[-1], prefixes, counts, known)
        prefixes, counts = prefixes[:known], counts[:known]
    weights = np.empty(len(counts))
    call(kernel.weigh_grams, prefixes, counts, zero, weights)
    bounds = offsets_of([len(each) for each in keys[1:]])
    return Information(checksum, vocabulary, (np.concatenate(keys), np.concatenate(numbers), bounds), weights)


def _merged(vocabularies: Sequence[Vocabulary]) -> tuple[Vocabulary, NDArray[np.int32]]:
    if len(vocabularies) == 1:
        return vocabularies[0], vocabularies[0].units.ids
    merged = Vocabulary(split_words(*code_points([" ".join(each.strings()) for each in vocabularies])))
    numbers = np.split(merged.units.ids, merged.units.offsets[1:-1])
    ids = (new[each.units.ids] for new, each in zip(numbers, vocabularies, strict=True))
    return merged, np.concatenate([_NONE, *ids])
