"""CDER: edit distance in which a jump within the output costs one edit, so that blocks may move.

Leusch et al. (2006), "CDER: Efficient MT Evaluation Using Block Movements", EACL. Every word of the reference must be
covered, words of the output need not. variant=moses equals the scorer of Moses (mert), whose number is 1 - CDER, with
its choice among several references (see `choose_references`).
"""

from dataclasses import dataclass

import numpy as np

from ...text.coding import Ints, Units
from ...text.editing import count_jumps, jump_script
from .. import Floats, WordMetric
from ..bases.words import error_rate

VARIANTS = {"moses": "moses", "standard": None}


@dataclass(frozen=True)
class CDER(WordMetric):
    """Edits and jumps per reference word: 0 is perfect, 1 the worst unless the output is much too long.

    variant: standard takes the reference with the lowest rate; moses chooses as Moses does.
    """

    variants = VARIANTS
    version = 3  # 2: an empty reference has no rate; 3: Moses' lower case
    script = staticmethod(jump_script)
    longest = 20_000
    summary = "({edits} edits / {ref_len} ref)"
    paper = "Leusch et al. (2006), CDER: Efficient MT Evaluation Using Block Movements"

    def count_errors(self, outputs: Units, references: Units, segments: Ints) -> Floats:
        """Count edits and the length of the reference."""
        return np.column_stack([count_jumps(outputs, references, segments), references.lengths]).astype(np.float64)

    def score(self, totals: Floats) -> Floats:
        edits, reference = totals[..., 0], totals[..., 1]
        rate = error_rate(edits, reference)
        if self.variant == "moses":
            rate = np.where(reference > 0, rate, 0.0)  # nothing to find: perfect
        return np.asarray(rate, dtype=np.float64)

    def details(self, totals: Floats) -> dict[str, object]:
        return {"edits": int(totals[0]), "ref_len": int(totals[1])}
