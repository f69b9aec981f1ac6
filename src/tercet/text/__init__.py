"""Strings only, no models: tokenisers, scripts of the world, and texts as arrays of numbers."""
