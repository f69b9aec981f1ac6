"""Metrics that compare words, characters and their n-grams, and the base of BLEU and its relatives."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...text.coding import NgramIndex, Vocabulary, Words, closest_lengths, ngram_totals
from ...text.explanations import Matches, Seen
from .. import Floats, Metric, Shard, group_references


class NgramMetric(Metric):
    """A metric on n-grams of words. It implements `words` and `score`."""

    max_ngram_order: int
    explains = (Matches,)

    @property
    def orders(self) -> int:
        """How many orders of n-grams are counted."""
        return self.max_ngram_order

    def words(self, texts: Sequence[str]) -> Words:
        raise NotImplementedError

    def prepare(self, shard: Shard, opened: Any) -> Any:
        texts, groups = group_references(shard.references)
        vocabulary = Vocabulary(self.words(texts))
        return vocabulary, NgramIndex(vocabulary.units, groups, self.orders), groups

    def count_outputs(self, outputs: Sequence[str], prepared: Any) -> Floats:
        """Count output length, closest reference length, then matches and output n-grams of each order."""
        vocabulary, ngrams, groups = prepared  # the last says where the references of each segment begin
        units = vocabulary.find(self.words(outputs))
        matches, lengths = ngrams.count_matches(units, np.arange(len(outputs))), units.lengths
        closest = closest_lengths(lengths, vocabulary.units.lengths, groups)
        return np.column_stack([lengths, closest, matches, ngram_totals(lengths, self.orders)]).astype(np.float64)

    def explain_segment(self, opened: object, output: str, references: Sequence[str], source: str | None) -> Seen:
        from ..bases.pairs import explain_ngrams

        words = self.words([output, *references]).strings()
        return explain_ngrams(self.score_one(output, references), words, self.max_ngram_order)
