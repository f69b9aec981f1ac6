"""CDER: edit distance in which a jump within the output costs one edit, so that blocks may move.

Leusch et al. (2006), "CDER: Efficient MT Evaluation Using Block Movements", EACL. Every word of the reference must be
covered, words of the output need not. variant=moses equals the scorer of Moses (mert), whose number is 1 - CDER, with
its choice among several references (see `choose_references`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...text.coding import Units, Vocabulary
from ...text.editing import References, count_jumps, jump_script
from ...text.explanations import Edits, Seen
from ...types import Floats
from .._contract import Shard, group_references
from ..bases.pairs import one_segment
from ..bases.words import WordMetric, choose_references, error_rate

VARIANTS = {"moses": "moses", "standard": None}


@dataclass(frozen=True)
class CDER(WordMetric):
    """Edits and jumps per reference word: 0 is perfect, 1 the worst unless the output is much too long.

    tokenize: moses (English; moses-LANG for others) by default, any tokeniser, or none for tokenised text, which is
    split at ASCII blanks. lowercase: ignore case.
    variant: standard takes the reference with the lowest rate; moses chooses as Moses does.
    """

    variants = VARIANTS
    higher_is_better = False
    version = 3  # 2: an empty reference has no rate; 3: Moses' lower case
    explains = (Edits,)
    longest = 20_000
    paper = "Leusch et al. (2006), CDER: Efficient MT Evaluation Using Block Movements"

    def prepare(self, shard: Shard, opened: object) -> References:
        texts, groups = group_references(shard.references)
        return References(Vocabulary(self.words(texts)), groups)

    def count_outputs(self, outputs: Sequence[str], prepared: References) -> Floats:
        """Count edits and the length of the reference."""
        words = self.words(outputs)
        counts = self._counts(prepared, prepared.vocabulary.find(words))
        chosen = choose_references(self.score(counts), prepared.groups, like_moses=self.variant == "moses")
        best: Floats = counts[chosen]
        return best

    def _counts(self, references: References, outputs: Units) -> Floats:
        """Return the counts for each reference text."""
        edits = count_jumps(outputs, references.units, references.segments)
        return np.column_stack([edits, references.units.lengths]).astype(np.float64)

    def score(self, totals: Floats) -> Floats:
        edits, reference = totals[..., 0], totals[..., 1]
        rate = error_rate(edits, reference)
        if self.variant == "moses":
            rate = np.where(reference > 0, rate, 0.0)  # nothing to find: perfect
        return np.asarray(rate, dtype=np.float64)

    def details(self, totals: Floats) -> dict[str, Any]:
        return {"edits": int(totals[0]), "ref_len": int(totals[1])}

    def verbose(self, totals: Floats) -> str:
        return f"({int(totals[0])} edits / {int(totals[1])} ref)"

    def explain_segment(self, opened: object, output: str, references: Sequence[str], source: str | None) -> Seen:
        """Return the jumps and edits that read the chosen reference off the output."""
        prepared = self.prepare(one_segment(output, references), opened)
        found = self.words([output])
        rates = self.score(self._counts(prepared, prepared.vocabulary.find(found)))
        chosen = int(choose_references(rates, prepared.groups, like_moses=self.variant == "moses")[0])
        words = self.words([references[chosen]])
        return Seen(parts=[jump_script(found.strings()[0], words.strings()[0])], against=chosen)
