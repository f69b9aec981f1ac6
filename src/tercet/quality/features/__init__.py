"""Features of a sentence pair from which quality is estimated.

They are in the twelve groups of Specia, Cancedda and Dymetman (2010), "A Dataset for Assessing Machine Translation
Evaluation Metrics", LREC, section 3, and one of our own. The paper has 84 features and does not list them, so the list
is that of QuEst (Specia, Shah, de Souza and Cohn, 2013, "QuEst: A translation quality estimation framework", ACL). Its
numbers are other names of the features. The 17 features of the WMT12 to WMT14 baseline are among them.
"""

from .defining import GROUPS, Feature
from .extracting import (
    FeatureTable,
    all_features,
    baseline_features,
    choose_features,
    cross_fitted,
    describe_features,
    extract,
    find_feature,
)

__all__ = [
    "GROUPS",
    "Feature",
    "FeatureTable",
    "all_features",
    "baseline_features",
    "choose_features",
    "cross_fitted",
    "describe_features",
    "extract",
    "find_feature",
]
