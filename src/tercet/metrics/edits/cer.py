"""CER: character error rate, the fewest insertions, deletions and substitutions of characters per reference character.

Levenshtein (1966), "Binary codes capable of correcting deletions, insertions, and reversals"; Morris et al. (2004),
"From WER and RIL to MER and WIL", Interspeech. Equals jiwer: blanks at both ends do not count, those between words do.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...text.coding import Ints, Units, characters, code_points
from ...text.editing import count_edits, edit_script
from ...text.explanations import Edits, Seen
from .. import BestReferenceMetric, Floats
from .._parameters import CASE, YES, param


@dataclass(frozen=True)
class CER(BestReferenceMetric):
    """Character errors per reference character: 0 is perfect, and above 1 is possible.

    lowercase: ignore case. whitespace: whether blanks between words are characters too.
    With several references the one with the lowest rate counts.
    """

    lowercase: bool = param(False, key="case", words=CASE)
    whitespace: bool = param(True, key="space", words=YES)

    higher_is_better = False
    summary = "({errors} errors / {ref_len} ref)"
    explains = (Edits,)
    paper = "Levenshtein (1966), Binary codes capable of correcting deletions, insertions, and reversals"

    @property
    def compatible(self) -> str | None:
        return "jiwer4" if self.whitespace else None

    def read(self, texts: Sequence[str], opened: object) -> Units:
        texts = [text.strip() for text in texts]
        if self.lowercase:
            texts = [text.lower() for text in texts]
        return characters(*code_points(texts), drop="none" if self.whitespace else "unicode")

    def compare(self, outputs: Sequence[str], references: Units, whose: Ints) -> Floats:
        """Count errors and the length of the reference."""
        errors = count_edits(self.read(outputs, None), references, whose, trace=False)[:, 0]
        return np.column_stack([errors, references.lengths]).astype(np.float64)

    def score(self, totals: Floats) -> Floats:
        return np.asarray(totals[..., 0] / np.maximum(totals[..., 1], 1))

    def details(self, totals: Floats) -> dict[str, object]:
        return {"errors": int(totals[0]), "ref_len": int(totals[1])}

    def explain_pair(self, output: str, reference: str, counts: Floats, opened: object) -> Seen:
        units = self.read([output, reference], None)
        texts = (list(map(chr, ids.tolist())) for ids in np.split(units.ids, units.offsets[1:-1]))
        return Seen(parts=[edit_script(*texts)])
