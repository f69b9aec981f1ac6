"""Party: a tuned combination of most that Tercet computes from output and reference without a network.

After DiscoTK-party-tuned, the best metric of WMT14 at segment level: Joty, Guzmán, Màrquez and Nakov (2014), "DiscoTK:
Using Discourse Structure for Machine Translation Evaluation", WMT. It combined kernels of discourse trees with about
seventeen metrics, with weights learnt from rankings of WMT12. There is no discourse parser here: kernels of dependency
trees take their place. The other members are string metrics, METEOR, the parts of UPF-Cobalt and the features of
fluency of Cobalt-F.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..bases.combined import CombinedMetric


@dataclass(frozen=True)
class Party(CombinedMetric):
    """A tuned combination of string, syntax and fluency metrics; higher is better. The mean of segments.

    lm: a file that `tercet lm` wrote; by default the one that it keeps for the language, or the package's.
    parses: a folder that keeps parses for later runs.
    """

    paper = "After Joty et al. (2014), DiscoTK: Using Discourse Structure for Machine Translation Evaluation"
