"""UPC-STOUT: the mean of light metrics and of metrics on parses, after a submission of UPC to WMT14.

Gonzàlez, Barrón-Cedeño and Màrquez (2014), "IPA and STOUT: Leveraging Linguistic and Source-based Features for Machine
Translation Evaluation", WMT: the measures of UPC-IPA, and others on shallow, constituent and dependency parses,
semantic roles and explicit semantic analysis. Of these Tercet has measures on dependency trees.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from .upc_ipa import UpcIpa


@dataclass(frozen=True)
class UpcStout(UpcIpa):
    """The mean of UPC-IPA's metrics, HWCM, STM and UPF-Cobalt on one scale; higher is better.

    scale: bounds brings each from its lowest and highest score on WMT12 to 0 and 1, max divides it by its largest
    absolute value in the test set, z standardises it there, none leaves it.
    parses: a folder that keeps parses for later runs.
    """

    weights: ClassVar[Mapping[str, float]] = {
        **UpcIpa.weights,
        **dict.fromkeys(("hwcm", "hwcm:of=categories", "stm", "cobalt"), 1.0),
    }
    bounds: ClassVar[Mapping[str, tuple[float, float]]] = {
        **UpcIpa.bounds,
        **dict.fromkeys(("hwcm", "hwcm:of=categories", "stm", "cobalt"), (0, 1)),
    }
