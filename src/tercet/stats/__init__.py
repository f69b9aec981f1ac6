"""Statistics on arrays: resampling, intervals, paired tests, corrections, clusters, power. Independent of translation.

`score` maps sums of counts, shape (..., k), to scores, shape (...). Counts have shape (segments, k), with a leading
axis for several systems. What evaluates metrics (correlation, tau, …) is imported from its own modules.
"""

from .clusters import Ranking, rank
from .corrections import holm, holm_pairs
from .intervals import Interval, bootstrap, bootstrap_all
from .paired import Comparisons, PairedComparison, compare_all, paired_bootstrap, randomisation
from .power import Detectable, detectable_difference, minimum_detectable_difference, power_of, segments_needed

__all__ = [
    "Comparisons", "Detectable", "Interval", "PairedComparison", "Ranking", "bootstrap", "bootstrap_all", "compare_all",
    "detectable_difference", "holm", "holm_pairs", "minimum_detectable_difference", "paired_bootstrap", "power_of",
    "randomisation", "rank", "segments_needed",
]  # fmt: skip
