"""Metrics that compare words, characters and their n-grams."""
