"""Metrics with a trained model: ours, published ones, and those that users train."""
