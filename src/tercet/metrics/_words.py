"""What word metrics after Moses share: tokeniser, case, variant, and the choice among several references."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..errors import UnknownName
from ..text.coding import Ints
from ..text.tokenisers import check_tokeniser
from ._contract import Floats, Metric
from ._pairs import best_rows
from ._parameters import CASE, param

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
    signature_order: ClassVar[tuple[str, ...]] = ("case", "tok")

    def validate(self) -> None:
        if self.variant not in self.variants:
            raise UnknownName(f"variant of {self.name}", self.variant, self.variants)

    @property
    def compatible(self) -> str | None:
        return self.variants[self.variant]

    def defaults(self, language: str | None) -> Mapping[str, Any]:
        return {"tokenize": tokeniser_of(language)}
