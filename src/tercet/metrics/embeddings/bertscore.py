"""BERTScore: precision and recall of tokens, by the cosines of their vectors in context.

Zhang, Kishore, Wu, Weinberger and Artzi (2020), "BERTScore: Evaluating Text Generation with BERT", ICLR. Each token is
compared with the most similar one of the other text. The program bert-score (0.3.13) gives the same numbers for the
same model and layer: marks such as [CLS] can be the most similar token, and have no weight themselves.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from ...data.files import file_state
from ...errors import DataError, UsageError
from ...language.encoders import DEFAULT, TokenVectors
from ...text.explanations import Alignment, Seen
from .. import EncodedMetric, Floats, MeanPartsMetric, mean_score
from .._parameters import YES, param
from ..bases.encoded import Opened, alignment, cosines
from ..bases.frequencies import DocumentFrequencies

BASELINE = Path(__file__).parents[1] / "data" / "bertscore-minilm.csv"  # made by training/baselines.py


def find_baseline(name: str) -> Path:
    """Return the file of baselines: those of the package for the default encoder, by its name, or the user's."""
    return BASELINE if name == DEFAULT else Path(name)


@dataclass(frozen=True)
class BERTScore(MeanPartsMetric, EncodedMetric):
    """F1 of BERTScore, the mean of segments, at most 1.

    With several references the highest values count. An empty text has 0.
    idf: rare tokens have more weight, by the references of the test set.
    baseline: minilm, the baselines of the package for the default encoder; or a file of baselines in bert-score's
        format (LAYER,P,R,F). Scores are rescaled so that unrelated texts have about 0: (score - baseline) / (1 -
        baseline).
    """

    idf: bool = param(False, words=YES)
    baseline: str | None = param(file=find_baseline)

    explains = (Alignment,)
    paper = "Zhang et al. (2020), BERTScore: Evaluating Text Generation with BERT"

    def validate(self) -> None:
        if self.baseline == DEFAULT and self.encoder not in (None, DEFAULT):
            raise UsageError(
                f"bertscore: the baseline {DEFAULT} is of the encoder {DEFAULT}, and the encoder is {self.encoder}. "
                "Give a file of baselines for it: baseline=FILE."
            )

    @property
    def learns_weights(self) -> bool:
        return self.idf

    def count_tokens(self, output: TokenVectors, references: Sequence[TokenVectors], opened: Opened) -> Sequence[float]:
        """Count F1, 1 for the segment, precision, recall."""
        precision, recall, f1 = np.max([self.parts(output, each, opened.frequencies) for each in references], axis=0)
        return f1, 1.0, precision, recall

    def parts(
        self, output: TokenVectors, reference: TokenVectors, frequencies: DocumentFrequencies | None
    ) -> tuple[float, float, float]:
        """Return precision, recall and F1 of two texts."""
        if not (output.words >= 0).any() or not (reference.words >= 0).any():
            return 0.0, 0.0, 0.0
        found = cosines(output, reference)
        precision = float(np.average(found.max(1), weights=_weights(output, frequencies)))
        recall = float(np.average(found.max(0), weights=_weights(reference, frequencies)))
        total = precision + recall
        return precision, recall, 2 * precision * recall / total if total else 0.0

    def score(self, totals: Floats) -> Floats:
        return self._rescaled(mean_score(totals), 2)

    def _rescaled(self, values: Floats, column: int) -> Floats:
        if self.baseline is None:
            return values
        low = read_baseline(str(find_baseline(self.baseline)), self.layer)[column]
        return np.asarray((values - low) / (1 - low))

    def extras(self, counts: Floats) -> Mapping[str, Floats]:
        return {"precision": self._rescaled(counts[..., 2], 0), "recall": self._rescaled(counts[..., 3], 1)}

    def explain_tokens(
        self, output: TokenVectors, reference: TokenVectors, counts: Sequence[float], opened: Opened
    ) -> Seen:
        ours, theirs = output.inside, reference.inside
        both = [alignment(ours, theirs, cosines(ours, theirs), of) for of in ("output", "other")]
        values = np.array(counts)
        parts = {name: float(value) for name, value in self.extras(values).items()}
        return Seen(float(self.score(values)), both, values=parts)


def _weights(tokens: TokenVectors, frequencies: DocumentFrequencies | None) -> Floats:
    """Return the weight of each token; marks have none. Tokens that are all in every reference weigh the same."""
    text = (tokens.words >= 0).astype(np.float64)
    if frequencies is None:
        return text
    rare: Floats = text * [frequencies.idf(token) for token in tokens.tokens]
    return rare if rare.any() else text


def read_baseline(path: str, layer: int) -> tuple[float, float, float]:
    """Return a layer's baselines of precision, recall and F1 from a file of bert-score; -1 is the last layer."""
    table = _read_baselines(path, file_state(path))
    number = layer
    if layer not in table and set(table) == set(range(len(table))):
        number = layer + len(table)
    if number not in table:
        raise UsageError(f"bertscore: {path} has no baseline for layer {layer}; it has {min(table)} to {max(table)}.")
    return table[number]


@lru_cache(maxsize=4)
def _read_baselines(path: str, state: object) -> dict[int, tuple[float, float, float]]:
    table: dict[int, tuple[float, float, float]] = {}
    try:
        lines = Path(path).read_text("utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"bertscore: the baselines {path} cannot be read: {error}.") from None
    for number, line in enumerate(lines, 1):
        cells = line.split(",")
        if number == 1 or not line.strip():
            continue
        try:
            layer, precision, recall, f1 = int(cells[0]), *(float(cell) for cell in cells[1:4])
        except ValueError:
            raise DataError(f"{path}, line {number}: expected LAYER,P,R,F, not {line!r}.") from None
        table[layer] = precision, recall, f1
    if not table:
        raise DataError(f"{path} has no baselines; expected a header and lines LAYER,P,R,F.")
    return table
