"""String processing without models: tokenisers, scripts, and texts as arrays of numbers."""
