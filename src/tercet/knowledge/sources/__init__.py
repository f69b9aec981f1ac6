"""Readers of the sources of entity names, one per kind of source. Each yields `NameRecord`s."""
