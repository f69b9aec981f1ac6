"""Metrics that count edits: insertions, deletions, substitutions, shifts and jumps."""
