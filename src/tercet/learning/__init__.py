"""One stack of learners, for quality estimation and for learned metrics: examples, learners, predictors, figures."""

SEED = 12345
