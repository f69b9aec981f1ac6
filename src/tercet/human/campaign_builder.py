"""Build a `Campaign` from the item lists of single raters, which is how other tools store them."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ..errors import DataError
from .campaign import GROUPS, Campaign, Item, Rater, stamp
from .protocols import PROTOCOLS

log = logging.getLogger(__name__)


@dataclass
class CampaignBuilder:
    """A builder that collects items and the raters who see them, merges equal items, and assigns ids."""

    items: dict[tuple[Any, ...], Item] = field(default_factory=dict)
    lists: dict[str, list[str]] = field(default_factory=dict)
    tutorial: list[str] = field(default_factory=list)
    omitted: Counter[str] = field(default_factory=Counter)  # parts of the file that our campaigns cannot hold

    def add(self, raters: Sequence[str], item: Item) -> Item:
        """Append an item to the lists of these raters. If one of them has it already, add it as a new item."""
        mark, number = (item.segment, item.outputs, item.source, item.reference, item.check, item.document), 0
        while (mark, number) in self.items and any(
            self.items[mark, number].id in self.lists.get(rater, ()) for rater in raters
        ):
            number += 1
        known = self.items.setdefault((mark, number), replace(item, id=f"{len(self.items) + 1:04d}"))
        for rater in raters:
            self.lists.setdefault(rater, []).append(known.id)
        return known

    def add_tutorial(self, item: Item) -> None:
        """Append an item to the tutorial, which all raters see first."""
        made = replace(item, id=f"t{len(self.tutorial) + 1}", check="tutorial", of="")
        self.items[("tutorial", made.id)] = made
        self.tutorial.append(made.id)

    def linked(self) -> list[Item]:
        """Return the items. Damaged copies and repeats get the id of their original in `of`, if it was added."""
        originals: dict[tuple[Any, ...], str] = {}
        for item in self.items.values():
            if not item.check:
                originals.setdefault(_output(item), item.id)
        return [
            replace(item, of=originals.get(_output(item), "") if item.check in ("bad", "repeat") else "")
            for item in self.items.values()
        ]

    def campaign(self, where: str, *, protocol: str, name: str, pair: str, **rest: Any) -> Campaign:
        """Return the campaign, and warn about omitted parts. Raises DataError, beginning with `where`, if invalid."""
        for what, number in self.omitted.items():
            log.warning("%s: left out: %s, %d.", where, what, number)
        shows = {item.shows for item in self.items.values()}
        how = PROTOCOLS[protocol]
        rest = {"severities": how.severities, "categories": how.categories, **rest}
        try:
            return Campaign(
                name=name,
                protocol=protocol,
                pair=pair,
                items=self.linked(),
                raters=[Rater(rater, tuple(ids)) for rater, ids in self.lists.items()],
                show=shows.pop() if len(shows) == 1 else GROUPS,
                tutorial=self.tutorial,
                **rest,
                **stamp(),
            )
        except DataError as error:
            raise DataError(f"{where}: {error}") from None


def _output(item: Item) -> tuple[Any, ...]:
    return item.segment, item.systems, item.source, item.reference
