"""UPC-IPA: the mean of light metrics, after a submission of UPC to WMT14.

Gonzàlez, Barrón-Cedeño and Màrquez (2014), "IPA and STOUT: Leveraging Linguistic and Source-based Features for Machine
Translation Evaluation", WMT. The paper combined METEOR's variants, TER, ROUGE-W, cosines of character n-grams, and
measures against the source. Its exact list is not known here; these are the measures of the list's kinds that Tercet
has. Nothing is compared with the source.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from ..bases.mixed import MixedMetric


@dataclass(frozen=True)
class UpcIpa(MixedMetric):
    """The mean of METEOR, TER, two chrFs, RIBES and YiSi-0 on one scale; higher is better.

    scale: max divides each by its largest absolute value in the test set, z standardises it, none leaves it.
    parses: a folder that keeps parses for later runs.
    """

    paper: ClassVar[str] = "Gonzàlez et al. (2014), IPA and STOUT"
    weights: ClassVar[Mapping[str, float]] = dict.fromkeys(
        ("meteor", "ter", "chrf", "chrf:char_order=3,beta=1", "ribes", "yisi0"), 1.0
    )

    @property
    def label(self) -> str:
        return "UPC-IPA"
