"""Metrics that align the words of two texts."""
