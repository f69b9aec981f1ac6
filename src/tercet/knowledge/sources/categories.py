"""Derive categories of Wikidata's entities from their classes, and languages from codes, by tables (wikidata.toml)."""

from collections.abc import Iterable
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...data.files import writing_bytes
from ...text.packaged import packaged
from ...text.scripts import base_code, scripts_of

LEFT_OUT = "left out"
DEFAULT = "concept"
Longs = NDArray[np.int64]


def table() -> dict[str, Any]:
    """Return the contents of wikidata.toml."""
    return packaged(__package__, "wikidata.toml")


def numbers(classes: str) -> list[int]:
    """Return Wikidata's ids as numbers: Q5 is 5."""
    return [int(name.removeprefix("Q")) for name in classes.split()]


@cache
def names() -> tuple[str, ...]:
    """Return the categories in the order of the table, and LEFT_OUT as the last one."""
    return (*table()["categories"], LEFT_OUT)


def write_classes(path: Path, edges: Longs) -> None:
    """Write the category of every subclass of the table's classes, and its distance to them.

    edges: subclass, class, shape (n, 2). The search is breadth-first from the table's classes: the nearest one decides,
    and among equally near ones the first category.
    """
    roots = [*table()["categories"].values(), table()["left_out"]["classes"]]
    named = [(number, code) for code, classes in enumerate(roots) for number in numbers(classes)]
    root_ids, root_codes = np.array(named, np.int64).T
    ids = np.unique(np.concatenate([root_ids, edges.ravel()]))
    children, parents = np.searchsorted(ids, edges.reshape(-1, 2)).T
    codes = np.full(len(ids), 255, np.uint8)
    steps = np.full(len(ids), 255, np.uint8)
    codes[np.searchsorted(ids, root_ids)] = root_codes
    steps[np.searchsorted(ids, root_ids)] = 0
    for step in range(254):
        new = (steps[parents] == step) & (steps[children] == 255)
        if not new.any():
            break
        np.minimum.at(codes, children[new], codes[parents[new]])
        steps[children[new]] = step + 1
    reached = steps < 255
    with writing_bytes(path) as stream:
        np.savez(stream, ids=ids[reached], codes=codes[reached], steps=steps[reached])


class Classes:
    """The categories of classes that `write_classes` wrote, with a cache of look-ups."""

    def __init__(self, path: Path) -> None:
        with np.load(path, allow_pickle=False) as arrays:
            self._ids, self._codes, self._steps = arrays["ids"], arrays["codes"], arrays["steps"]
        self._nearest = cache(self._look_up)

    def category(self, instance_of: Iterable[int], subclass_of: Iterable[int] = ()) -> str:
        """Return the category of an entity with these classes; LEFT_OUT for pages of Wikimedia itself."""
        if found := [self._nearest(number) for number in instance_of]:
            return _named(min(found))
        name = _named(min((self._nearest(number) for number in subclass_of), default=(255, 0)))
        return name if name in table()["classes"]["kept"].split() else DEFAULT

    def _look_up(self, number: int) -> tuple[int, int]:
        """Return the distance of a class to the nearest one of the table, and the code of its category."""
        place = int(np.searchsorted(self._ids, number))
        there = place < len(self._ids) and self._ids[place] == number
        return (int(self._steps[place]), int(self._codes[place])) if there else (255, 0)


def _named(nearest: tuple[int, int]) -> str:
    return names()[nearest[1]] if nearest[0] < 255 else DEFAULT


class Codes(dict[str, tuple[int, ...]]):
    """The numbers of the chosen languages by language code. latin: the numbers of those in Latin script."""

    def __init__(self, languages: tuple[str, ...]) -> None:
        variants: dict[str, str] = table()["variants"]
        self.languages = {language: number for number, language in enumerate(languages)}
        self.more = {
            code: number for language, number in self.languages.items() for code in variants.get(language, "").split()
        }
        self.latin = tuple(number for language, number in self.languages.items() if "Latin" in scripts_of(language))

    def __missing__(self, code: str) -> tuple[int, ...]:
        found = {self.languages.get(code), self.languages.get(base_code(code)), self.more.get(code)}
        numbers = self[code] = tuple(sorted(number for number in found if number is not None))
        return numbers


codes_of = lru_cache(maxsize=4)(Codes)
