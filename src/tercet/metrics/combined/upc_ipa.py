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

from .._parameters import param
from ..bases.mixed import BOUNDS, SCALES, MixedMetric


@dataclass(frozen=True)
class UpcIpa(MixedMetric):
    """The mean of METEOR, TER, two chrFs, RIBES and YiSi-0 on one scale; higher is better.

    scale: bounds brings each from its lowest and highest score on WMT12 to 0 and 1, max divides it by its largest
    absolute value in the test set, z standardises it there, none leaves it.
    parses: a folder that keeps parses for later runs.
    """

    scale: str = param(BOUNDS, choices=(BOUNDS, *SCALES))

    paper = "Gonzàlez et al. (2014), IPA and STOUT"
    label = "UPC-IPA"
    weights: ClassVar[Mapping[str, float]] = dict.fromkeys(
        ("meteor", "ter", "chrf", "chrf:char_order=3,beta=1", "ribes", "yisi0"), 1.0
    )
    bounds: ClassVar[Mapping[str, tuple[float, float]]] = {
        "meteor": (0, 1), "ter": (-300, 0), "chrf": (5.1, 100), "chrf:char_order=3,beta=1": (9.1, 100),
        "ribes": (0, 1), "yisi0": (0.081, 1),
    }  # fmt: skip
    version = 2
