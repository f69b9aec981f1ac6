"""SimpBLEU: recall or precision of single words, what is left of BLEU without its other components.

Song, Cohn and Specia (2013), "BLEU deconstructed: Designing a Better MT Evaluation Metric", CICLing. Without longer
n-grams and the brevity penalty BLEU agrees better with people on segments. Fomicheva (2017), section 4.4.1, describes
the two metrics of WMT13, SimpBLEU-recall and SimpBLEU-prec, as unigram recall and precision.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ...text.explanations import Matches, Seen
from .. import Floats, WordPairMetric, explain_ngrams, mean_score, param


@dataclass(frozen=True)
class SimpBLEU(WordPairMetric):
    """Recall or precision of words, 0 to 1; of a system from sums over its segments.

    of: recall, matched words over those of the reference, or precision, over those of the output.
    """

    of: str = param("recall", choices=("recall", "precision"))

    explains = (Matches,)
    paper = "Song, Cohn and Specia (2013), BLEU deconstructed: Designing a Better MT Evaluation Metric"

    @property
    def label(self) -> str:
        return f"SimpBLEU-{self.of}"

    def count_pair(self, output: Sequence[str], reference: Sequence[str]) -> Sequence[float]:
        """Count matched words, and the words of the reference or of the output."""
        matched = (Counter(output) & Counter(reference)).total()
        return matched, len(reference if self.of == "recall" else output)

    def segment_scores(self, counts: Floats) -> Floats:
        """Compute the share of each segment; 0 where there is no word to find."""
        scores = mean_score(counts)
        scores[counts[..., 1] == 0] = 0.0
        return scores

    def details(self, totals: Floats) -> dict[str, Any]:
        return {"matches": int(totals[0]), "words": int(totals[1])}

    def explain_segment(self, opened: object, output: str, references: Sequence[str], source: str | None) -> Seen:
        """Return the words, and which of them match a reference."""
        return explain_ngrams(self.score_one(output, references), self.words([output, *references]), 1)
