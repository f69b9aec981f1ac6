"""Metrics that are made of other metrics."""
