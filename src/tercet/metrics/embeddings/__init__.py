"""Metrics on the vectors of an encoder."""
