"""Metrics that compare the entities of texts."""
