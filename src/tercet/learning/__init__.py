"""Learn a metric from people's judgements: examples, features, learners, held-out figures."""

SEED = 12345
