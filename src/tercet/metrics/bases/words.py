"""What word metrics share: tokeniser, case, variant, the words of a pair, and the choice among several references."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ...errors import UnknownName
from ...text.coding import Ints, Words
from ...text.editing import words_of
from ...text.tokenisers import check_tokeniser, lower, tokenise
from ...types import Floats
from .._contract import Metric, Shard, group_references
from .._parameters import CASE, param
from .pairs import best_rows, owners, too_long

UNSPACED = {"ja": "ja-mecab", "zh": "zh"}  # languages whose words the Moses tokeniser does not find


def tokeniser_of(language: str | None) -> str:
    """Return the tokeniser for metrics that were made for text tokenised by Moses."""
    return UNSPACED.get(language, f"moses-{language}") if language else "moses"


def choose_references(rates: Floats, groups: Ints, *, like_moses: bool) -> Ints:
    """Return for every segment the number of the reference text with the lowest error rate, or the one Moses takes.

    Moses casts 1 - rate to an integer. All values between -1 and 1 become equal, so it takes the first reference unless
    another one is perfect.
    """
    return best_rows(np.trunc(1 - rates) if like_moses else -rates, groups, highest=True)


def error_rate(errors: Floats, length: Floats) -> Floats:
    """Return errors per word of the reference. NaN for errors against an empty one, which have no rate."""
    return np.where((length == 0) & (errors > 0), np.nan, errors / np.maximum(length, 1))


@dataclass(frozen=True)
class WordMetric(Metric):
    """A metric with the parameters tokenize, lowercase and variant; `variants` gives the program each one equals."""

    tokenize: str = param(check=check_tokeniser, key="tok")
    lowercase: bool = param(False, key="case", words=CASE)
    variant: str = param("standard", quiet=True)

    variants: ClassVar[Mapping[str, str | None]] = {"standard": None}
    signature_order = ("case", "tok")

    def validate(self) -> None:
        if self.variant not in self.variants:
            raise UnknownName(f"variant of {self.name}", self.variant, self.variants)

    @property
    def compatible(self) -> str | None:
        return self.variants[self.variant]

    def defaults(self, language: str | None) -> Mapping[str, Any]:
        return {"tokenize": tokeniser_of(language)}

    def words(self, texts: Sequence[str]) -> Words:
        """Return the words of each text. Moses' scorers lower-case ASCII letters only."""
        return words_of(texts, self.tokenize, lowercase=self.lowercase, ascii_case=self.variant == "moses")


class _References(NamedTuple):
    words: list[list[str]]
    groups: Ints


@dataclass(frozen=True)
class WordPairMetric(Metric):
    """A metric that compares the words of an output with those of a reference, one pair after the other.

    It implements `count_pair`. With several references, the one with the highest segment score is used.
    """

    tokenize: str = param(check=check_tokeniser, key="tok")
    lowercase: bool = param(True, key="case", words=CASE)

    signature_order = ("case", "tok")
    most_words: ClassVar[int] = 2_000  # of one text; the time grows at least with its square

    def defaults(self, language: str | None) -> Mapping[str, Any]:
        return {"tokenize": tokeniser_of(language)}

    def words(self, texts: Sequence[str]) -> list[list[str]]:
        """Return the words of each text."""
        return tokenise(lower(texts) if self.lowercase else texts, self.tokenize).strings()

    def count_pair(self, output: Sequence[str], reference: Sequence[str]) -> Sequence[float]:
        """Count the statistics of one output with one reference."""
        raise NotImplementedError

    def prepare(self, shard: Shard, opened: object) -> _References:
        texts, groups = group_references(shard.references)
        return _References(self.words(texts), groups)

    def count_outputs(self, outputs: Sequence[str], prepared: _References) -> Floats:
        words = self.words(outputs)
        rows = []
        for owner, reference in zip(owners(prepared.groups).tolist(), prepared.words, strict=True):
            if max(len(words[owner]), len(reference)) > self.most_words:
                raise too_long(self.name, "words", outputs[owner], len(words[owner]), len(reference))
            rows.append(self.count_pair(words[owner], reference))
        counts = np.array(rows, dtype=np.float64)
        result: Floats = counts[best_rows(self.segment_scores(counts), prepared.groups, highest=True)]
        return result
