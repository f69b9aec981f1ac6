"""References without a text: a warning if some segments have none, an error if all have none."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import cast

from ..errors import DataError
from .testset import TestSet

log = logging.getLogger(__name__)


class EmptyReferences:
    """Count the empty lines of each reference, shard by shard. A missing reference (None) is not an empty one."""

    def __init__(self) -> None:
        self.segments = 0
        self.empty: dict[str, int] = {}
        self.first: dict[str, int] = {}  # segments, numbered from 1
        self.filled: set[str] = set()

    def add(self, shard: TestSet) -> None:
        for name, lines in shard.references.items():
            if None not in lines and all(map(str.strip, cast(Sequence[str], lines))):  # as in most texts, and fast
                self.filled.add(name)
                continue
            rows = [row for row, text in enumerate(lines, self.segments + 1) if text is not None and not text.strip()]
            if rows:
                self.empty[name] = self.empty.get(name, 0) + len(rows)
                self.first.setdefault(name, rows[0])
            if len(rows) < len(lines):
                self.filled.add(name)
        self.segments += len(shard)

    def report(self) -> None:
        """Warn of references that are empty in some segments. Raise DataError if one is empty in all."""
        for name, count in self.empty.items():
            if name not in self.filled:
                raise DataError(f"Reference {name!r} is empty in all segments: nothing can be scored against it.")
            log.warning(
                "Reference %r is empty in %d of %d segments, first in segment %d.",
                name,
                count,
                self.segments,
                self.first[name],
            )
