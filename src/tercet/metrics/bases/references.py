"""The base of metrics that compare an output with each reference of its segment; the best reference counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ...text.coding import Ints
from ...text.explanations import Seen
from ...types import Floats
from .._contract import Metric, Shard, group_references
from .pairs import best_rows, one_segment, owners


class BestReferenceMetric(Metric):
    """A metric that implements `compare` and, to explain segments, `explain_pair`.

    The best reference is the one with the best segment score; of equally good ones the first.
    """

    def read(self, texts: Sequence[str], opened: Any) -> Any:
        """Return what `compare` gets for the reference texts of a shard; all systems share it."""
        return texts

    def compare(self, outputs: Sequence[str], references: Any, whose: Ints) -> Floats:
        """Count the statistics of each reference text with the output of its segment. Returns shape (texts, k).

        Reference text t belongs to segment whose[t].
        """
        raise NotImplementedError

    def choose(self, counts: Floats, groups: Ints) -> Ints:
        """Return for every segment i the number of its best reference text, groups[i] to groups[i + 1] - 1."""
        return best_rows(self.segment_scores(counts), groups, highest=self.higher_is_better is not False)

    def explain_pair(self, output: str, reference: str, counts: Floats, opened: Any) -> Seen:
        """Return what was seen in an output and its best reference, which gave these counts."""
        raise NotImplementedError

    def prepare(self, shard: Shard, opened: Any) -> tuple[Any, Ints]:
        texts, groups = group_references(shard.references)
        return self.read(texts, opened), groups

    def count_outputs(self, outputs: Sequence[str], prepared: tuple[Any, Ints]) -> Floats:
        read, groups = prepared
        counts = self.compare(outputs, read, owners(groups))
        best: Floats = counts[self.choose(counts, groups)]
        return best

    def explain_segment(self, opened: Any, output: str, references: Sequence[str], source: str | None) -> Seen:
        read, groups = self.prepare(one_segment(output, references), opened)
        counts = self.compare([output], read, owners(groups))
        row = int(self.choose(counts, groups)[0])
        return replace(self.explain_pair(output, references[row], counts[row], opened), against=row)
