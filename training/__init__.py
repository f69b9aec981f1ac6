"""Training of Rima, Tercet's own metric. Not part of the installed package."""
