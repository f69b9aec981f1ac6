"""Metrics that read parses: dependencies, head words, trees."""
