"""Metrics that ask a service."""
