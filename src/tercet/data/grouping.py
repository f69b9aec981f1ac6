"""Values by their keys, and places by what is there."""

from collections.abc import Iterable
from typing import TypeVar

Key = TypeVar("Key")
Value = TypeVar("Value")


def grouped(pairs: Iterable[tuple[Key, Value]]) -> dict[Key, list[Value]]:
    """Return the values of each key, in order of appearance."""
    found: dict[Key, list[Value]] = {}
    for key, value in pairs:
        found.setdefault(key, []).append(value)
    return found


def places_of(items: Iterable[Key], first: int = 0) -> dict[Key, list[int]]:
    """Return the places of each item, counted from `first`."""
    return grouped((item, place) for place, item in enumerate(items, first))
