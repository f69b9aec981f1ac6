"""Mean: the mean of several metrics on one scale, without learning.

Giménez and Màrquez (2010), "Linguistic Measures for Automatic Machine Translation Evaluation": the uniform linear
combination (ULC) of Asiya, which UPC's submissions to WMT14 used.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from ...errors import UsageError
from .. import MixedMetric, param


@dataclass(frozen=True)
class Mean(MixedMetric):
    """The mean of metrics on one scale; higher is better. The mean of segments.

    of: the metrics, joined by +, as bleu+chrf. Parameters of a member are separated by ;, as chrf:beta=1;word_order=2.
    """

    of: str = param("chrf")

    paper = "Giménez and Màrquez (2010), Linguistic Measures for Automatic Machine Translation Evaluation"

    def validate(self) -> None:
        if not all(part.strip() for part in self.of.split("+")):
            raise UsageError(f"mean: of must be metrics joined by +, as bleu+chrf, not {self.of!r}.")

    def parts(self) -> Mapping[str, float]:
        return {part.strip().replace(";", ","): 1.0 for part in self.of.split("+")}
