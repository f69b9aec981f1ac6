"""From people's judgements to a gold standard: means, standardised scores, pairs, rankings, quality control."""
