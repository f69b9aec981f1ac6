"""What word metrics share: tokeniser, case, variant, the words of a pair, and the choice among several references."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from ...errors import UnknownName, UsageError
from ...text.coding import Ints, Units, Vocabulary, Words
from ...text.editing import words_of
from ...text.explanations import Edits, Seen
from ...text.tokenisers import check_tokeniser, lower, tokenise
from ...types import Floats
from .._parameters import CASE, param
from .pairs import BestReferenceMetric, best_rows, too_long

UNSPACED = {"ja": "ja-mecab", "zh": "zh"}  # languages whose words the Moses tokeniser does not find


def tokeniser_of(language: str | None) -> str:
    """Return the tokeniser for metrics that were made for text tokenised by Moses."""
    return UNSPACED.get(language, f"moses-{language}") if language else "moses"


def choose_references(rates: Floats, groups: Ints) -> Ints:
    """Return for every segment the number of the reference text that Moses takes.

    Moses casts 1 - rate to an integer, so it takes the first reference unless another one is perfect.
    """
    return best_rows(np.trunc(1 - rates), groups, highest=True)


def error_rate(errors: Floats, length: Floats) -> Floats:
    """Return errors per word of the reference. NaN for errors against an empty one, which have no rate."""
    return np.where((length == 0) & (errors > 0), np.nan, errors / np.maximum(length, 1))


class ErrorRateMetric(BestReferenceMetric):
    """A rate of word errors; it implements `words`, `count_errors` and `score`.

    script: returns the edits that are shown to explain a segment.
    """

    variant: str
    script: ClassVar[staticmethod[[Sequence[str], Sequence[str]], Edits]]

    higher_is_better = False
    explains = (Edits,)

    def words(self, texts: Sequence[str]) -> Words:
        raise NotImplementedError

    def count_errors(self, outputs: Units, references: Units, segments: Ints) -> Floats:
        """Count the statistics of each reference with the output of its segment."""
        raise NotImplementedError

    def read(self, texts: Sequence[str], opened: object) -> Any:
        return Vocabulary(self.words(texts))

    def compare(self, outputs: Sequence[str], references: Any, whose: Ints) -> Floats:
        return self.count_errors(references.find(self.words(outputs)), references.units, whose)

    def choose(self, counts: Floats, groups: Ints) -> Ints:
        if self.variant == "moses":
            return choose_references(self.score(counts), groups)
        return super().choose(counts, groups)

    def explain_pair(self, output: str, reference: str, counts: Floats, opened: object) -> Seen:
        return Seen(parts=[self.script(*self.words([output, reference]).strings())])


@dataclass(frozen=True)
class WordMetric(ErrorRateMetric):
    """A metric with the parameters tokenize, lowercase and variant; `variants` gives the program each one equals.

    tokenize: moses (English; moses-LANG for others) by default, any tokeniser, or none for tokenised text, which is
        split at ASCII blanks.
    lowercase: ignore case.
    """

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

    def defaults(self, language: str | None) -> Mapping[str, object]:
        return {"tokenize": tokeniser_of(language)}

    def words(self, texts: Sequence[str]) -> Words:
        """Return the words of each text. Moses' scorers lower-case ASCII letters only."""
        return words_of(texts, self.tokenize, lowercase=self.lowercase, ascii_case=self.variant == "moses")


@dataclass(frozen=True)
class WordPairMetric(BestReferenceMetric):
    """A metric that compares the words of an output with those of a reference, one pair after the other.

    It implements `count_pair`. With several references, the one with the highest segment score is used. The score of a
    system is the mean of its segments, unless `score` says otherwise.

    tokenize: by default moses, for the language of the outputs.
    lowercase: ignore case.
    """

    tokenize: str = param(check=check_tokeniser, key="tok")
    lowercase: bool = param(True, key="case", words=CASE)

    signature_order = ("case", "tok")
    most_words: ClassVar[int] = 2_000  # of one text; the time grows at least with its square

    def defaults(self, language: str | None) -> Mapping[str, object]:
        return {"tokenize": tokeniser_of(language)}

    def words(self, texts: Sequence[str]) -> list[list[str]]:
        return tokenise(lower(texts) if self.lowercase else texts, self.tokenize).strings()

    def count_pair(self, output: Sequence[str], reference: Sequence[str]) -> Sequence[float]:
        """Count the statistics of one output with one reference."""
        raise NotImplementedError

    def explain_words(self, output: Sequence[str], reference: Sequence[str], counts: Floats) -> Seen:
        """Return what was seen in the words of an output and its best reference; the score is added."""
        raise UsageError(f"{self.name} cannot explain a segment.")

    def read(self, texts: Sequence[str], opened: object) -> list[list[str]]:
        return self.words(texts)

    def compare(self, outputs: Sequence[str], references: Sequence[Sequence[str]], whose: Ints) -> Floats:
        words = self.words(outputs)
        rows = []
        for owner, reference in zip(whose.tolist(), references, strict=True):
            if max(len(words[owner]), len(reference)) > self.most_words:
                raise too_long(self.name, "words", outputs[owner], len(words[owner]), len(reference))
            rows.append(self.count_pair(words[owner], reference))
        return np.array(rows, dtype=np.float64)

    def explain_pair(self, output: str, reference: str, counts: Floats, opened: object) -> Seen:
        words, others = self.words([output, reference])
        return replace(self.explain_words(words, others, counts), score=float(self.segment_scores(counts)))
