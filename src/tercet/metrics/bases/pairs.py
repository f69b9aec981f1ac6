"""What metrics share that compare each output with each of its references: the base, the best reference, limits."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

import numpy as np

from ...data.testset import TestSet
from ...errors import DataError, UsageError
from ...text.coding import Ints, Units, offsets_of
from ...text.explanations import Matches, Seen
from ...text.ngrams import compare_ngrams, longest_matches
from ...types import Floats
from .._contract import Metric, Shard, group_references, mean_score

MOST_UNITS = 20_000  # words of one text; the time grows with its square


def owners(groups: Ints) -> Ints:
    """Return for every reference text the number of its segment; segment i has texts groups[i] to groups[i + 1] - 1."""
    counts = np.diff(groups)
    return np.repeat(np.arange(len(counts), dtype=np.int64), counts)


def best_rows(values: Floats, groups: Ints, *, highest: bool) -> Ints:
    """Return for every segment the number of the reference text with the best value; of equal ones the first."""
    counts = np.diff(groups)
    if (counts == 1).all():
        return groups[:-1]
    order = np.lexsort((np.arange(len(values)), -values if highest else values, owners(groups)))
    return np.asarray(order[groups[:-1]])


def number_words(texts: Sequence[Sequence[str]], numbers: dict[str, int]) -> Units:
    """Return the words of texts as numbers. Words that are not in `numbers` are added to it."""
    lengths = [len(words) for words in texts]
    flat = chain.from_iterable(texts)
    ids = [numbers.setdefault(word, len(numbers)) for word in flat]
    return Units(np.array(ids, dtype=np.int32), offsets_of(lengths))


def refuse_long(
    metric: str, unit: str, texts: Sequence[str], lengths: Ints, reference_lengths: Ints, whose: Ints,
    most: int = MOST_UNITS,
) -> None:  # fmt: skip
    """Raise DataError for a segment that would take a metric minutes. The message quotes its first characters."""
    longer = np.maximum(lengths[whose], reference_lengths)
    if len(longer) and longer.max() > most:
        row = int(longer.argmax())
        raise too_long(metric, unit, texts[whose[row]], int(lengths[whose[row]]), int(reference_lengths[row]))


def too_long(metric: str, unit: str, text: str, length: int, reference_length: int) -> DataError:
    """Return the error for a segment that is too long."""
    return DataError(
        f"{metric}: the output that begins {text[:40]!r} has {length:,} {unit} and its reference {reference_length:,}; "
        "that would take too long. Texts must have a sentence per line: split this one, or leave it out."
    )


def one_segment(output: str, references: Sequence[str], source: str | None = None) -> Shard:
    """Return a shard with a single segment of a single system, to explain it."""
    named = {str(i): [text] for i, text in enumerate(references)}
    return Shard(TestSet({"output": [output]}, named, source=None if source is None else [source]))


def explain_ngrams(score: float, texts: Sequence[Sequence[str]], max_order: int, marked: int | None = None) -> Seen:
    """Return which n-grams of an output (the first text) match its references, and of the closest one, which words.

    marked: how many of the references may be the closest; all by default.
    """
    words, *others = texts
    groups = compare_ngrams(words, others, max_order)
    sizes = [longest_matches(words, other, max_order) for other in others[:marked]]
    best = max(range(len(sizes)), key=lambda row: sum(sizes[row]))
    both = sizes[best], longest_matches(others[best], words, max_order)
    return Seen(score, [Matches(words, others[best], both, max_order, groups)], best)


class BestReferenceMetric(Metric):
    """A metric that implements `compare` and, to explain segments, `explain_pair`.

    The best reference is the one with the best segment score; of equally good ones the first.
    """

    def read(self, texts: Sequence[str], opened: Any) -> Any:
        """Return what `compare` gets for the reference texts of a shard; all systems share it."""
        return texts

    def compare(self, outputs: Sequence[str], references: Any, whose: Ints) -> Floats:
        """Count each reference text with the output of segment whose[text]. Returns shape (texts, k)."""
        raise NotImplementedError

    def choose(self, counts: Floats, groups: Ints) -> Ints:
        """Return for every segment i the number of its best reference text, groups[i] to groups[i + 1] - 1."""
        return best_rows(self.segment_scores(counts), groups, highest=self.higher_is_better is not False)

    def score(self, totals: Floats) -> Floats:
        """Compute the mean of segments, unless a metric says otherwise."""
        return mean_score(totals)

    def explain_pair(self, output: str, reference: str, counts: Floats, opened: Any) -> Seen:
        """Return what was seen in an output and its best reference, which gave these counts."""
        raise UsageError(f"{self.name} cannot explain a segment.")

    def prepare(self, shard: Shard, opened: object) -> tuple[Any, Ints]:
        texts, groups = group_references(shard.references)
        return self.read(texts, opened), groups

    def count_outputs(self, outputs: Sequence[str], prepared: tuple[object, Ints]) -> Floats:
        read, groups = prepared
        counts = self.compare(outputs, read, owners(groups))
        return np.asarray(counts[self.choose(counts, groups)])

    def explain_segment(self, opened: object, output: str, references: Sequence[str], source: str | None) -> Seen:
        read, groups = self.prepare(one_segment(output, references), opened)
        counts = self.compare([output], read, owners(groups))
        row = int(self.choose(counts, groups)[0])
        return replace(self.explain_pair(output, references[row], counts[row], opened), against=row)
