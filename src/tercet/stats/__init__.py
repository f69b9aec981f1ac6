"""Statistics on arrays: resampling, intervals, paired tests, corrections, clusters, power. Independent of translation.

Everywhere `score` maps sums of counts, shape (..., k), to scores, shape (...). Counts have shape (segments, k) for one
system or (systems, segments, k) for several.

The statistics for evaluating metrics (correlation, tau, accuracy, williams, permutation, correlation_bootstrap,
outliers, agreement) are imported from their own modules, so that scoring and comparing do not load them.
"""

from .clusters import Ranking as Ranking
from .clusters import rank as rank
from .corrections import holm as holm
from .corrections import holm_pairs as holm_pairs
from .intervals import Interval as Interval
from .intervals import bootstrap as bootstrap
from .intervals import bootstrap_all as bootstrap_all
from .paired import Comparisons as Comparisons
from .paired import PairedComparison as PairedComparison
from .paired import compare_all as compare_all
from .paired import paired_bootstrap as paired_bootstrap
from .paired import randomisation as randomisation
from .power import Detectable as Detectable
from .power import detectable_difference as detectable_difference
from .power import minimum_detectable_difference as minimum_detectable_difference
from .power import power_of as power_of
from .power import segments_needed as segments_needed
