"""Features of a sentence pair from which quality is estimated.

The twelve groups of Specia, Cancedda and Dymetman (2010), "A Dataset for Assessing Machine Translation Evaluation
Metrics", LREC, section 3, which has 84 features and no list of them; itemised as in QuEst (Specia, Shah, de Souza and
Cohn, 2013, "QuEst: A translation quality estimation framework", ACL), whose numbers are other names of the features;
the 17 of the baseline of WMT12 to WMT14 among them; and more.
"""

from .cross_fitting import cross_fitted
from .defining import GROUPS, Feature
from .extracting import FeatureTable, all_features, baseline_features, choose_features, extract, find_feature

__all__ = [
    "GROUPS",
    "Feature",
    "FeatureTable",
    "all_features",
    "baseline_features",
    "choose_features",
    "cross_fitted",
    "extract",
    "find_feature",
]
