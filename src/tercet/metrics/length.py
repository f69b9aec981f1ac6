"""Length: how long outputs are against their references.

The ratio that the brevity penalty of BLEU looks at (Papineni et al., 2002, "BLEU: a Method for Automatic Evaluation of
Machine Translation", ACL): 1 is the right length, below 1 too short. With several references the one nearest in
length counts, of two equally near the shorter.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from ..data.testset import TestSet
from ..errors import UnknownName
from ..text.coding import Ints, characters, closest_lengths, code_points
from ..text.tokenisers import check_tokeniser, tokenise
from ._contract import Batch, Floats, Metric, group_references

UNITS = ("char", "word")


class _References(NamedTuple):
    lengths: Ints
    groups: Ints


@dataclass(frozen=True)
class Length(Metric):
    """Length of the output over that of the closest reference: 1 is best, above is too long, below too short.

    unit: word or char (characters that are no blanks). tokenize: how words are found.
    An empty reference has no ratio: such a segment scores NaN.
    """

    unit: str = "word"
    tokenize: str = "13a"

    higher_is_better: ClassVar[bool | None] = None  # nearer to 1 is better
    paper: ClassVar[str] = "Papineni et al. (2002), BLEU: a Method for Automatic Evaluation of Machine Translation"

    def __post_init__(self) -> None:
        check_tokeniser(self.tokenize)
        if self.unit not in UNITS:
            raise UnknownName("unit of length", self.unit, UNITS)

    @property
    def label(self) -> str:
        return "length"

    def signature_items(self) -> dict[str, str]:
        return {"unit": self.unit, "tok": self.tokenize}

    @classmethod
    def from_signature(cls, label: str, items: Mapping[str, str]) -> Self:
        return cls(unit=items.get("unit", "word"), tokenize=items.get("tok", "13a"))

    def _lengths(self, texts: list[str]) -> Ints:
        if self.unit == "char":
            return characters(*code_points(texts)).lengths
        return np.diff(tokenise(texts, self.tokenize).offsets)

    def prepare(self, testset: TestSet) -> _References:
        texts, groups = group_references(testset.references)
        return _References(self._lengths(texts), groups)

    def count(self, batch: Batch) -> Floats:
        """Length of the output and of the closest reference."""
        lengths = self._lengths(list(batch.outputs))
        closest = closest_lengths(lengths, batch.prepared.lengths, batch.prepared.groups)
        return np.column_stack([lengths, closest]).astype(np.float64)

    def score(self, totals: Floats) -> Floats:
        output, reference = totals[..., 0], totals[..., 1]
        undefined = np.full_like(reference, np.nan)
        ratio: Floats = np.divide(output, reference, out=undefined, where=reference > 0)
        return ratio

    def details(self, totals: Floats) -> dict[str, Any]:
        return {"sys_len": int(totals[0]), "ref_len": int(totals[1])}
