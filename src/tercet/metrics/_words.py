"""What metrics on words in the manner of Moses share: tokeniser, case, and a variant that follows the original."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Self

from ..errors import UnknownName
from ..text.tokenisers import check_tokeniser
from ._contract import Metric

UNSPACED = {"ja": "ja-mecab", "zh": "zh"}  # languages whose words the Moses tokeniser does not find


def tokeniser_of(language: str) -> str:
    """The tokeniser for metrics that were made for text tokenised by Moses."""
    return UNSPACED.get(language, f"moses-{language}")


@dataclass(frozen=True)
class WordMetric(Metric):
    """A metric with the parameters tokenize, lowercase and variant; `variants` gives the program each one equals."""

    tokenize: str = "moses"
    lowercase: bool = False
    variant: str = "standard"

    variants: ClassVar[Mapping[str, str | None]] = {"standard": None}

    def __post_init__(self) -> None:
        if self.variant not in self.variants:
            raise UnknownName(f"variant of {self.name}", self.variant, self.variants)
        check_tokeniser(self.tokenize)

    @property
    def compatible(self) -> str | None:
        return self.variants[self.variant]

    @classmethod
    def language_defaults(cls, language: str | None, given: Mapping[str, object]) -> dict[str, object]:
        return {"tokenize": tokeniser_of(language)} if language else {}

    def signature_items(self) -> dict[str, str]:
        items = {"case": "lc" if self.lowercase else "mixed", "tok": self.tokenize}
        return items if self.variant == "standard" else {**items, "variant": self.variant}

    @classmethod
    def from_signature(cls, label: str, items: Mapping[str, str]) -> Self:
        return cls(
            tokenize=items.get("tok", "moses"),
            lowercase=items.get("case") == "lc",
            variant=items.get("variant", "standard"),
        )
