"""Lexical translation tables: how probable a target word is as the translation of a source word.

Estimated by IBM Model 1: Brown, Della Pietra, Della Pietra and Mercer (1993), "The Mathematics of Statistical Machine
Translation: Parameter Estimation", Computational Linguistics. A target word comes from one of the source's words or
from the empty word, each equally probable beforehand. For the other direction exchange the texts.
Tables are kept as tab-separated files; those of GIZA++ and Moses are read too.
"""

from __future__ import annotations

import logging
import math
from array import array
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, repeat
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data.field_checks import check_text, parse_number
from ..data.files import writing
from ..data.lines import read_blocks
from ..errors import DataError, UnknownName, UsageError
from ..kernels import lexical as kernel
from ..kernels import warn_if_slow
from ..text.coding import Ints, Units, view

log = logging.getLogger(__name__)

Words = Sequence[str]
Floats = NDArray[np.float64]

NULL = ""  # the empty word, always number 0 of the source words; no word of a text is empty
FLOOR = 1e-10  # the probability of what a table does not have
MOST_PAIRS = 1 << 27  # pairs of words that occur together; more would take over 2 GB
HEADER = "source\ttarget\tprobability"
# Which field holds which: source, target, and what divides them.
FORMATS = {"tsv": (0, 1, "\t"), "giza": (0, 1, " "), "moses": (1, 0, " ")}


@dataclass(frozen=True, eq=False, repr=False)
class LexicalTable:
    """The probabilities of target words given source words; pairs that are not in the table have none.

    The pairs of source word s are those from starts[s] to starts[s + 1] - 1: numbers of target words, rising, and
    probabilities. source_words[0] is NULL. perplexities: of the training's target words before each iteration and at
    the end.
    """

    source_words: tuple[str, ...]
    target_words: tuple[str, ...]
    starts: Ints
    targets: NDArray[np.int32]
    probabilities: Floats
    perplexities: tuple[float, ...] = field(default=())

    def __len__(self) -> int:
        return len(self.targets)

    @cached_property
    def source_numbers(self) -> Mapping[str, int]:
        """The number of each source word, without NULL."""
        return {word: number for number, word in enumerate(self.source_words) if number}

    @cached_property
    def target_numbers(self) -> Mapping[str, int]:
        return {word: number for number, word in enumerate(self.target_words)}

    def probability(self, source: str, target: str) -> float:
        """Of the target word given the source word, or given NULL; 0 for a pair that is not in the table."""
        number = self.target_numbers.get(target, -1)
        begin, end = self._row(source)
        place = begin + int(np.searchsorted(self.targets[begin:end], number))
        return float(self.probabilities[place]) if place < end and self.targets[place] == number else 0.0

    def translations(self, source: str, *, above: float = 0.0) -> list[tuple[str, float]]:
        """The target words with probabilities above a limit, the most probable first."""
        begin, end = self._row(source)
        row = self.probabilities[begin:end]
        order = np.argsort(-row, kind="stable")
        order = order[row[order] > above]
        words = [self.target_words[number] for number in self.targets[begin:end][order].tolist()]
        return list(zip(words, row[order].tolist(), strict=True))

    def translation_counts(self, *, above: float) -> dict[str, int]:
        """For every source word how many translations have a probability above a limit; one pass, for features."""
        passed = np.zeros(len(self) + 1, dtype=np.int64)
        np.cumsum(self.probabilities > above, out=passed[1:])
        counts = passed[self.starts[1:]] - passed[self.starts[:-1]]
        return dict(zip(self.source_words[1:], counts[1:].tolist(), strict=True))

    def pruned(self, *, below: float) -> LexicalTable:
        """Without the pairs whose probability is below a limit. The others keep theirs: rows sum to less than 1."""
        kept = self.probabilities >= below
        passed = np.zeros(len(self) + 1, dtype=np.int64)
        np.cumsum(kept, out=passed[1:])
        return LexicalTable(
            self.source_words,
            self.target_words,
            passed[self.starts],
            self.targets[kept],
            self.probabilities[kept],
            self.perplexities,
        )

    def log_probabilities(self, sources: Sequence[Words], targets: Sequence[Words]) -> Floats:
        """The natural logarithm of each target's probability given its source, by Model 1; shape (sentences,).

        Without the probability of the target's length. A target word that no source word explains gets FLOOR.
        """
        check_parallel(sources, targets)
        source, target = self.code_sources(sources), self.code_targets(targets)
        sums = np.zeros(len(target.ids))
        arguments = [*units_views(source, target), *self.views, view(sums)]
        kernel.sum_probabilities(*arguments)
        lengths = np.repeat(source.lengths, target.lengths)
        return sentence_sums(np.log(np.maximum(sums, FLOOR) / lengths), target)

    def code_sources(self, texts: Sequence[Words]) -> Units:
        """Texts by the numbers of source words, each after a NULL; -1 for unknown words."""
        return code_words(texts, self.source_numbers, null=True)

    def code_targets(self, texts: Sequence[Words]) -> Units:
        return code_words(texts, self.target_numbers)

    @property
    def views(self) -> tuple[memoryview, memoryview, memoryview]:
        """The table as the kernels take it."""
        return view(self.starts), view(self.targets), view(self.probabilities)

    def _row(self, source: str) -> tuple[int, int]:
        number = 0 if source == NULL else self.source_numbers.get(source, -1)
        return (int(self.starts[number]), int(self.starts[number + 1])) if number >= 0 else (0, 0)


def train_table(
    sources: Sequence[Words], targets: Sequence[Words], *, iterations: int = 5, longest: int = 100
) -> LexicalTable:
    """The table of Model 1 after some iterations of EM from equal probabilities.

    The perplexity never rises, and the result does not depend on chance. Pairs of which one text is empty or longer
    than `longest` words are left out. Memory: 12 bytes for every pair of words that occur together, and the texts.
    """
    if iterations < 1:
        raise UsageError(f"Model 1 needs at least 1 iteration; {iterations} are asked for.")
    warn_if_slow()
    sources, targets = usable_pairs(sources, targets, longest)
    source_words, target_words = (NULL, *_by_frequency(sources)), tuple(_by_frequency(targets))
    source = code_words(sources, {word: i for i, word in enumerate(source_words)}, null=True)
    target = code_words(targets, {word: i for i, word in enumerate(target_words)})
    starts, pairs = _pairs(source, target, len(source_words), len(target_words))
    probabilities = np.full(len(pairs), 1 / len(target_words))
    where = [view(part) for part in _places(source, len(source_words))]
    row, sums = np.zeros(len(target_words)), np.empty(len(target.ids))
    arguments = [*where, *(view(part) for part in (target.ids, target.offsets, starts, pairs))]
    lengths = np.repeat(source.lengths, target.lengths)
    perplexities = []
    for iteration in range(iterations + 1):
        sums[:] = 0
        summing = [*arguments, view(probabilities), view(row), view(sums)]
        kernel.sum_over_sources(*summing)
        perplexities.append(perplexity(sums / lengths))
        log.debug("Model 1, after %d iterations: perplexity %.4f", iteration, perplexities[-1])
        if iteration < iterations:
            updating = [*arguments, view(1 / sums), view(row), view(probabilities)]
            kernel.update_rows(*updating)
    return LexicalTable(source_words, target_words, starts, pairs, probabilities, tuple(perplexities))


def perplexity(probabilities: Floats) -> float:
    """Of words with these probabilities."""
    return math.exp(-float(np.log(probabilities).mean()))


def sentence_sums(values: Floats, units: Units) -> Floats:
    """The sum over each text of a value for each of its words, added one by one; shape (texts,)."""
    texts = np.repeat(np.arange(len(units.offsets) - 1), units.lengths)
    sums: Floats = np.bincount(texts, weights=values, minlength=len(units.offsets) - 1).astype(np.float64)
    return sums


def check_parallel(sources: Sequence[Words], targets: Sequence[Words]) -> None:
    """Refuse texts with different numbers of sentences."""
    if len(sources) != len(targets):
        raise DataError(
            f"The texts are not parallel: {len(sources)} source sentences, {len(targets)} target sentences. "
            "Run 'tercet check' on the files to see where they drift apart."
        )


def check_split(texts: Sequence[Words]) -> None:
    """Refuse a string for a text: its characters would be taken for words."""
    for number, text in enumerate(texts, 1):
        if isinstance(text, str):
            raise UsageError(f"Text {number}, {text[:60]!r}, is a string; a list of its words is needed.")


def usable_pairs(
    sources: Sequence[Words], targets: Sequence[Words], longest: int
) -> tuple[Sequence[Words], Sequence[Words]]:
    """The pairs to estimate from: neither text is empty or longer than `longest` words."""
    check_parallel(sources, targets)
    kept = [pair for pair in zip(sources, targets, strict=True) if all(0 < len(text) <= longest for text in pair)]
    if not kept:
        raise DataError(f"No sentence pair has 1 to {longest} words on both sides: nothing to estimate from.")
    if len(kept) < len(sources):
        log.info("%d sentence pairs with no or over %d words are left out.", len(sources) - len(kept), longest)
    return [source for source, _ in kept], [target for _, target in kept]


def code_words(texts: Sequence[Words], numbers: Mapping[str, int], *, null: bool = False) -> Units:
    """Texts by the numbers of their words, -1 for others; with `null` each begins with the number 0."""
    check_split(texts)
    offsets = np.zeros(len(texts) + 1, dtype=np.int64)
    np.cumsum([len(text) for text in texts], out=offsets[1:])
    found = map(numbers.get, chain.from_iterable(texts), repeat(-1))
    ids = np.fromiter(found, dtype=np.int32, count=int(offsets[-1]))
    if null:
        ids, offsets = np.insert(ids, offsets[:-1], 0), offsets + np.arange(len(offsets))
    return Units(ids, offsets)


def units_views(source: Units, target: Units) -> tuple[memoryview, ...]:
    """Source and target as the kernels take them."""
    return view(source.ids), view(source.offsets), view(target.ids), view(target.offsets)


def _by_frequency(texts: Sequence[Words]) -> list[str]:
    """The words, the most frequent first: what a loop reads most often then lies together in memory."""
    counts = Counter(chain.from_iterable(texts))
    if NULL in counts:
        at = next(number for number, text in enumerate(texts, 1) if NULL in text)
        raise DataError(f"A word of sentence {at} is empty. Split the texts at blanks, without empty pieces.")
    return [word for word, _ in counts.most_common()]


def _places(units: Units, words: int) -> tuple[NDArray[np.int32], Ints]:
    """For each word the texts that it is in, once for each time; and where each word's begin."""
    texts = np.repeat(np.arange(len(units.offsets) - 1, dtype=np.int32), units.lengths)
    offsets = np.zeros(words + 1, dtype=np.int64)
    np.cumsum(np.bincount(units.ids, minlength=words), out=offsets[1:])
    return texts[np.argsort(units.ids, kind="stable")], offsets


def _pairs(source: Units, target: Units, source_words: int, target_words: int) -> tuple[Ints, NDArray[np.int32]]:
    """Where each source word's row begins, and the target words of all rows."""
    where = _places(target, target_words)

    def fill(ends: Ints, pairs: NDArray[np.int32], *, writing: bool) -> None:
        seen = np.full(source_words, -1, dtype=np.int32)
        arguments: list[Any] = [view(part) for part in (*where, source.ids, source.offsets, seen, ends, pairs)]
        arguments.append(writing)
        kernel.list_pairs(*arguments)

    sizes = np.zeros(source_words, dtype=np.int64)
    fill(sizes, np.empty(0, dtype=np.int32), writing=False)
    starts = np.zeros(source_words + 1, dtype=np.int64)
    np.cumsum(sizes, out=starts[1:])
    if starts[-1] > MOST_PAIRS:
        raise DataError(
            f"{int(starts[-1]):,} pairs of words occur together; a table may have {MOST_PAIRS:,}. "
            "Use fewer sentences, or shorter ones only (longest)."
        )
    pairs = np.empty(int(starts[-1]), dtype=np.int32)
    fill(starts[:-1].copy(), pairs, writing=True)
    return starts, pairs


def write_table(table: LexicalTable, path: str | Path) -> None:
    """Write a tab-separated file, gzipped if its name ends in .gz: source word (NULL: empty), target word, probability.

    Probabilities are written in full, so that they come back as they are.
    """
    for word in (*table.source_words, *table.target_words):
        check_text(word, f"The word {word!r}", forbidden="\t\n\r\0")
    target_words = table.target_words
    with writing(path) as stream:
        stream.write(HEADER + "\n")
        for number, word in enumerate(table.source_words):
            begin, end = table.starts[number], table.starts[number + 1]
            stream.writelines(
                f"{word}\t{target_words[target]}\t{probability!r}\n"
                for target, probability in zip(
                    table.targets[begin:end].tolist(), table.probabilities[begin:end].tolist(), strict=True
                )
            )


def read_table(path: str | Path, *, format: str = "tsv") -> LexicalTable:
    """A table from a file, gzipped or not, in one of FORMATS.

    tsv: as `write_table` writes it. giza: lines "source target probability" divided by blanks, such as GIZA++'s
    actual.ti.final. moses: lines "target source probability", such as Moses' lex.e2f and lex.f2e, in which the word
    whose probability it is comes first. The two cannot be told apart by their looks; a table read the wrong way round
    is refused when the probabilities of one source word sum to more than 1. In both, NULL is the empty word; lines that
    give the probability of NULL as a target are left out, for it is no translation.
    """
    if format not in FORMATS:
        raise UnknownName("format of lexical tables", format, FORMATS)
    source_numbers: dict[str, int] = {NULL: 0}
    target_numbers: dict[str, int] = {}
    found_sources, found_targets, found, lines = array("i"), array("i"), array("d"), array("q")
    number = 0
    for block in read_blocks(path):
        for line in block:
            number += 1
            if number == 1 and format == "tsv":
                if line != HEADER:
                    raise DataError(f"{path}, line 1: {line[:60]!r} is not the header of a lexical table, {HEADER!r}.")
                continue
            pair = _parse(line, format, f"{path}, line {number}")
            if pair is None:
                continue
            found_sources.append(source_numbers.setdefault(pair[0], len(source_numbers)))
            found_targets.append(target_numbers.setdefault(pair[1], len(target_numbers)))
            found.append(pair[2])
            lines.append(number)
    if not found:
        raise DataError(f"{path} holds no pairs of words.")
    sources, targets = np.array(found_sources, dtype=np.int64), np.array(found_targets, dtype=np.int32)
    order = np.lexsort((targets, sources))
    sources, targets, probabilities = sources[order], targets[order], np.array(found)[order]
    same = np.flatnonzero((sources[1:] == sources[:-1]) & (targets[1:] == targets[:-1]))
    if len(same):
        first, second = (lines[int(order[same[0] + k])] for k in (0, 1))
        raise DataError(f"{path}, line {second}: the pair of words of line {first} once more.")
    starts = np.searchsorted(sources, np.arange(len(source_numbers) + 1)).astype(np.int64)
    sums = np.bincount(sources, weights=probabilities)
    # Rounded probabilities may sum to a little more than 1: both programs write seven decimals, and none below 1e-7.
    excess = sums - 1.001 - 1e-7 * np.bincount(sources)
    if excess.max() > 0:
        at = int(excess.argmax())
        word = tuple(source_numbers)[at]
        raise DataError(
            f"{path}: the probabilities of the translations of {word or 'NULL'!r} sum to {sums[at]:.3f}, more than "
            f"1. Is this table of another format ({', '.join(other for other in FORMATS if other != format)})?"
        )
    return LexicalTable(tuple(source_numbers), tuple(target_numbers), starts, targets, probabilities)


def _parse(line: str, format: str, where: str) -> tuple[str, str, float] | None:
    """Source word, target word and probability of a line, or nothing if the target is no word."""
    at_source, at_target, blank = FORMATS[format]
    fields = line.split(blank)
    if len(fields) != 3:
        divider = "tabs" if blank == "\t" else "blanks"
        raise DataError(f"{where}: {len(fields)} fields divided by {divider}; two words and a probability are needed.")
    source, target = fields[at_source], fields[at_target]
    if format != "tsv":
        if target == "NULL":
            return None
        source = source if source else " "  # two blanks in a row: refused below
        source = NULL if source == "NULL" else source
    if not target or source == " ":
        raise DataError(f"{where}: an empty word.")
    probability = parse_number(fields[2])
    if not 0 <= probability <= 1:
        raise DataError(f"{where}: {fields[2]!r} should be a probability, a number from 0 to 1.")
    return source, target, probability
