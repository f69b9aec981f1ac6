"""Read and write campaigns of other tools: Pearmut (zouharvi/pearmut) and Appraise (AppraiseDev/Appraise).

A feature without a counterpart in the other tool raises an error if judgements would change their meaning, and gives a
warning otherwise. The tools' exports of answers are read by `tercet.data.formats.campaigns`.
"""

import logging
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ..errors import DataError, UnknownName, UsageError
from .campaign import GROUPS, Campaign, Item, Rater, stamp
from .campaign_json import read_json, write_json
from .protocols import PROTOCOLS

log = logging.getLogger(__name__)

FORMS = ("pearmut", "appraise")


def read_campaign(
    path: str | Path, *, protocol: str | None = None, name: str | None = None, pair: str | None = None
) -> Campaign:
    """Read a campaign of Pearmut, or of Appraise (batches.json or its folder). protocol: overrides the file's."""
    from . import appraise, pearmut

    path = Path(path)
    batches = path / appraise.BATCHES if path.is_dir() else path
    content = read_json(batches)
    if isinstance(content, dict) and "data" in content:
        return pearmut.campaign_of(content, str(path), protocol=protocol, name=name, pair=pair)
    if isinstance(content, list):
        manifest = batches.with_name(appraise.MANIFEST)
        about = read_json(manifest) if manifest.exists() else {}
        return appraise.campaign_of(content, about, str(batches), protocol=protocol, name=name, pair=pair)
    raise DataError(f"{path} is not a campaign of Pearmut (an object with info and data) or of Appraise (a list).")


def write_campaign(campaign: Campaign, path: str | Path, *, form: str) -> Sequence[Path]:
    """Write a campaign for another tool and return the paths. For Appraise, `path` is a folder for two files."""
    from . import appraise, pearmut

    path = Path(path)
    lost = sum(len(output.same) for item in campaign.items for output in item.outputs)
    if lost or campaign.identical:
        log.warning(
            "%s has no place for outputs that several systems have in common: each is there for one system only. Make "
            "a campaign that shows each of them.", form,
        )  # fmt: skip
    if form == "pearmut":
        files = {path: pearmut.content_of(campaign)}
    elif form == "appraise":
        files = {path / name: content for name, content in appraise.contents_of(campaign).items()}
        try:
            path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UsageError(f"The folder {path} cannot be created: {error.strerror}.") from None
    else:
        raise UnknownName("tool for campaigns", form, FORMS)
    for file, content in files.items():
        write_json(content, file, campaign.name)
    return list(files)


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


def _output(item: Item) -> tuple[object, ...]:
    return item.segment, item.systems, item.source, item.reference
