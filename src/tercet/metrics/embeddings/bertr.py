"""BERTr: how well the output covers the reference, by the vectors of tokens in their context.

Mathur, Baldwin and Cohn (2019), "Putting Evaluation in Context: Contextual Embeddings Improve Machine Translation
Evaluation", ACL. For each token of the reference the most similar token of the output is found, by the cosine of their
vectors; the score is the mean of these cosines. The paper has vectors of BERT; any encoder can be chosen here.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from ...language.encoders import TokenVectors
from ...text.explanations import Alignment, Seen
from ..bases.encoded import EncodedMetric, Opened, alignment, cosines


@dataclass(frozen=True)
class BERTr(EncodedMetric):
    """BERTr, the mean of segments, at most 1.

    With several references the highest score counts. An empty text has the score 0.
    """

    explains = (Alignment,)
    paper = "Mathur, Baldwin and Cohn (2019), Putting Evaluation in Context"

    def count_tokens(self, output: TokenVectors, references: Sequence[TokenVectors], opened: Opened) -> Sequence[float]:
        return max((_recall(output, reference) for reference in references), default=0.0), 1.0

    def explain_tokens(
        self, output: TokenVectors, reference: TokenVectors, counts: Sequence[float], opened: Opened
    ) -> Seen:
        ours, theirs = output.inside, reference.inside
        return Seen(counts[0], [alignment(ours, theirs, cosines(ours, theirs), "other")])


def _recall(output: TokenVectors, reference: TokenVectors) -> float:
    output, reference = output.inside, reference.inside
    if not len(output) or not len(reference):
        return 0.0
    return float(cosines(output, reference).max(0).mean())
