"""The last step of a build: write the arrays of a knowledge base piece by piece."""

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import DataError
from ..kernels import mentions
from ..text.coding import call
from .spill import Settings
from .store import ARRAYS


class Arrays(ExitStack):
    """The array files of a knowledge base, open for writing, and the number of elements in each."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.lengths = dict.fromkeys(ARRAYS, 0)
        self._streams = {name: self.enter_context((folder / f"{name}.bin").open("wb")) for name in ARRAYS}
        self._ends = dict.fromkeys(ARRAYS, 0)

    def add(self, name: str, array: NDArray[Any]) -> None:
        self._streams[name].write(np.ascontiguousarray(array, ARRAYS[name]).data)
        self.lengths[name] += len(array)

    def add_starts(self, name: str, lengths: NDArray[np.int64]) -> None:
        """Append the offsets of pieces of these lengths, continuing after the pieces added before."""
        if not self.lengths[name]:
            self.add(name, np.zeros(1, np.int64))
        self.add(name, self._ends[name] + np.cumsum(lengths))
        self._ends[name] += int(lengths.sum())


def write_entities(arrays: Arrays, files: Sequence[Path]) -> dict[str, int]:
    """Write the arrays of entities. Returns the number of entities per category."""
    used: dict[str, int] = {}
    for path in files:
        with np.load(path, allow_pickle=False) as piece:
            names, codes = [str(name) for name in piece["category_names"]], piece["category"]
            for category, count in zip(names, np.bincount(codes, minlength=len(names)).tolist(), strict=True):
                used[category] = used.get(category, 0) + count
            if len(used) > 255:
                raise DataError(f"There are more than 255 categories ({', '.join(list(used)[:5])} …). Use fewer.")
            order = list(used)
            arrays.add("category", np.array([order.index(category) for category in names], np.uint8)[codes])
            arrays.add_starts("bucket_start", np.array([len(codes)], np.int64))
            arrays.add("entity_text", piece["id_text"])
            for name in ("prior", "languages", "label_language", "label_text"):
                arrays.add(name, piece[name])
            arrays.add_starts("entity_start", piece["id_lengths"])
            arrays.add_starts("label_start", piece["label_counts"])
            arrays.add_starts("label_text_start", piece["label_lengths"])
    return used


def write_names(arrays: Arrays, files: Sequence[Path], settings: Settings) -> dict[str, dict[str, int]]:
    """Write the arrays of names. Returns for each language the places of its names and slots in the arrays."""
    tables = {}
    for number, language in enumerate(settings.languages):
        first_alias, first_slot = max(0, arrays.lengths["alias_start"] - 1), arrays.lengths["slots"]
        prints, begun, longest = [], [], 0
        for path in files[number * settings.parts : (number + 1) * settings.parts]:
            with np.load(path, allow_pickle=False) as piece:
                prints.append(piece["prints"])
                begun.append(piece["beginnings"])
                longest = max(longest, int(piece["longest"]))
                for column in ("alias_text", "candidate_entity", "candidate_weight", "candidate_flags"):
                    arrays.add(column, piece[column])
                arrays.add_starts("alias_start", piece["alias_lengths"])
                arrays.add_starts("candidate_start", piece["candidate_counts"])
        names, beginnings = np.concatenate(prints), np.unique(np.concatenate(begun))
        # At most two thirds full, so that a failed search ends after a few slots, mostly within one cache line.
        slots = np.zeros(1 << (3 * (len(names) + len(beginnings)) // 2 + 1).bit_length(), np.uint64)
        call(mentions.fill, slots, names, beginnings)
        arrays.add("slots", slots)
        tables[language] = {
            "first_alias": first_alias, "aliases": len(names), "first_slot": first_slot, "slots": len(slots),
            "longest": longest,
        }  # fmt: skip
    return tables
