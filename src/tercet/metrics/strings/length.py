"""Length: how long outputs are against their references.

The ratio that the brevity penalty of BLEU looks at (Papineni et al., 2002, "BLEU: a Method for Automatic Evaluation of
Machine Translation", ACL): 1 is the right length, below 1 too short. With several references the one nearest in
length counts, of two equally near the shorter.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...text.coding import Ints, characters, closest_lengths, code_points
from ...text.tokenisers import check_tokeniser, tokenise
from .. import Floats, Metric, Shard, group_references, mean_score, param


@dataclass(frozen=True)
class Length(Metric):
    """Length of the output over that of the closest reference: 1 is best, above is too long, below too short.

    unit: word or char (characters except blanks). tokenize: how words are found.
    An empty reference has no ratio: such a segment scores NaN.
    """

    unit: str = param("word", choices=("char", "word"))
    tokenize: str = param("13a", check=check_tokeniser, key="tok")

    higher_is_better = None  # nearer to 1 is better
    paper = "Papineni et al. (2002), BLEU: a Method for Automatic Evaluation of Machine Translation"
    label = "length"

    def _lengths(self, texts: list[str]) -> Ints:
        if self.unit == "char":
            return characters(*code_points(texts)).lengths
        return np.diff(tokenise(texts, self.tokenize).offsets)

    def prepare(self, shard: Shard, opened: object) -> tuple[Ints, Ints]:
        texts, groups = group_references(shard.references)
        return self._lengths(texts), groups

    def count_outputs(self, outputs: Sequence[str], prepared: tuple[Ints, Ints]) -> Floats:
        """Count the length of the output and of the closest reference."""
        lengths = self._lengths(list(outputs))
        return np.column_stack([lengths, closest_lengths(lengths, *prepared)]).astype(np.float64)

    def score(self, totals: Floats) -> Floats:
        return mean_score(totals)

    def details(self, totals: Floats) -> dict[str, object]:
        return {"sys_len": int(totals[0]), "ref_len": int(totals[1])}
