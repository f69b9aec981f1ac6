"""CER: character error rate, the fewest insertions, deletions and substitutions of characters per reference character.

Levenshtein (1966), "Binary codes capable of correcting deletions, insertions, and reversals"; Morris et al. (2004),
"From WER and RIL to MER and WIL", Interspeech. Equals jiwer: blanks at both ends do not count, those between words do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ...text.coding import Ints, Units, characters, code_points
from ...text.editing import count_edits, edit_script
from ...text.explanations import Edits, Seen
from ...types import Floats
from .._contract import Metric, Shard, group_references
from .._parameters import CASE, YES, param
from ..bases.pairs import best_rows, one_segment, owners


class _References(NamedTuple):
    units: Units
    groups: Ints


@dataclass(frozen=True)
class CER(Metric):
    """Character errors per reference character: 0 is perfect, and above 1 is possible.

    lowercase: ignore case. whitespace: whether blanks between words are characters too.
    With several references the one with the lowest rate counts.
    """

    lowercase: bool = param(False, key="case", words=CASE)
    whitespace: bool = param(True, key="space", words=YES)

    higher_is_better = False
    explains = (Edits,)
    paper = "Levenshtein (1966), Binary codes capable of correcting deletions, insertions, and reversals"

    @property
    def compatible(self) -> str | None:
        return "jiwer4" if self.whitespace else None

    def _characters(self, texts: Sequence[str]) -> Units:
        texts = [text.strip() for text in texts]
        if self.lowercase:
            texts = [text.lower() for text in texts]
        return characters(*code_points(texts), drop="none" if self.whitespace else "unicode")

    def prepare(self, shard: Shard, opened: object) -> _References:
        texts, groups = group_references(shard.references)
        return _References(self._characters(texts), groups)

    def count_outputs(self, outputs: Sequence[str], prepared: _References) -> Floats:
        """Count errors and the length of the reference."""
        counts = self._counts(prepared, self._characters(outputs))
        chosen: Floats = counts[best_rows(self.score(counts), prepared.groups, highest=False)]
        return chosen

    def _counts(self, references: _References, outputs: Units) -> Floats:
        """Return the counts for each reference text."""
        errors = count_edits(outputs, references.units, owners(references.groups), trace=False)[:, 0]
        return np.column_stack([errors, references.units.lengths]).astype(np.float64)

    def score(self, totals: Floats) -> Floats:
        rate: Floats = totals[..., 0] / np.maximum(totals[..., 1], 1)
        return rate

    def details(self, totals: Floats) -> dict[str, Any]:
        return {"errors": int(totals[0]), "ref_len": int(totals[1])}

    def verbose(self, totals: Floats) -> str:
        return f"({int(totals[0])} errors / {int(totals[1])} ref)"

    def explain_segment(self, opened: object, output: str, references: Sequence[str], source: str | None) -> Seen:
        """Return the edits of characters that turn the output into the chosen reference."""
        prepared = self.prepare(one_segment(output, references), opened)
        found = self._characters([output])
        rates = self.score(self._counts(prepared, found))
        chosen = int(best_rows(rates, prepared.groups, highest=False)[0])
        begin, end = prepared.units.offsets[chosen : chosen + 2]
        texts = ([chr(c) for c in ids.tolist()] for ids in (found.ids, prepared.units.ids[begin:end]))
        return Seen(parts=[edit_script(*texts)], against=chosen)
