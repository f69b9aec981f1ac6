"""Design a `Campaign` from a test set: sample outputs, assign them to raters, and add control items.

Groups of raters who see different references, or the source, are the design of Fomicheva (2017), chapter 6. Control
items follow Graham et al. (2017), "Can machine translation systems be evaluated by the crowd alone": damaged copies
(`tercet.human.control_items`), exact repeats, and references among the outputs.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from random import Random

from ..data.assessments import segment_names
from ..data.grouping import grouped
from ..data.testset import TestSet
from ..errors import UnknownName, UsageError
from ..options import takes
from .campaign import GROUPS, PROTOCOLS, Campaign, Item, Output, Rater, stamp
from .control_items import Controls
from .design_options import Design
from .protocols import Protocol, recommended
from .sampling import Block, Sampled, assign, random_ids, sample, shuffle_with_copies

log = logging.getLogger(__name__)

SOURCE = "source"


@takes(Design)
def design(testset: TestSet, *, options: Design) -> Campaign:
    """Return a campaign without tokens (see `Campaign.with_tokens`). The same seed gives the same campaign.

    Parameters
    ----------
    testset : TestSet
        The texts.
    """
    if options.protocol is None:
        named, _ = recommended(len(testset.systems), has_source=testset.source is not None)
        options = replace(options, protocol=named)
    assert options.protocol is not None
    how = PROTOCOLS[options.protocol]
    if (options.severities or options.categories) and not how.spans:
        raise UsageError(
            f"Severities and categories cannot be given for {options.protocol}, in which errors are not marked."
        )
    people = _names(options.raters)
    views = _views(testset, how, options)
    _check(testset, how, people, views, options)
    random, names = Random(options.seed), segment_names(testset)
    needed = tuple(dict.fromkeys(view.reference for view in views if view.reference))
    sampled = sample(testset, options, random, needed)
    shown_texts = _Distinct(testset, how, random, options.show_identical)
    items: dict[str, Item] = {}
    lists: dict[str, tuple[str, list[Item]]] = {}
    for number, view in enumerate(views):
        members = people[number :: len(views)]
        blocks = [block for unit in sampled for block in _blocks(shown_texts, names, unit, view, options.together)]
        maker = Controls(testset, view.reference, random)
        dealt = assign(blocks, len(members), options.redundancy or len(members), random)
        for person, mine in zip(members, dealt, strict=True):
            copies = maker.copies(mine, options.bad, options.repeats, options.hidden)
            shown = shuffle_with_copies(mine, copies, random)
            items |= {item.id: item for item in shown}
            lists[person] = view.group, shown
    ids = random_ids(list(items.values()), random)
    lessons = [
        replace(item, id=f"t{number}", check="tutorial", of="") for number, item in enumerate(options.tutorial, 1)
    ]
    renamed = [replace(item, id=ids[item.id], of=ids.get(item.of, "")) for item in items.values()]
    return Campaign(
        name=options.name or (testset.name if testset.name != "unnamed" else ", ".join(testset.systems)[:200].strip()),
        protocol=options.protocol,
        pair=testset.pair or "",
        instructions=options.instructions,
        show=GROUPS if options.groups else views[0].show,
        items=[*lessons, *sorted(renamed, key=lambda item: item.id)],
        raters=[Rater(person, tuple(ids[item.id] for item in lists[person][1]), lists[person][0]) for person in people],
        tutorial=[item.id for item in lessons],
        severities=tuple(options.severities or how.severities),
        categories=tuple(options.categories or how.categories),
        identical=tuple(dict.fromkeys(shown_texts.identical)),
        seed=options.seed,
        **stamp(),
    )


@dataclass(frozen=True)
class _View:
    """What a group of raters sees beside the outputs. reference: the name of the reference, or empty."""

    show: str
    reference: str = ""
    group: str = ""

    @property
    def shows_source(self) -> bool:
        return self.show in ("source", "both")


def _views(testset: TestSet, how: Protocol, options: Design) -> list[_View]:
    show, reference, groups = options.show, options.reference, options.groups
    if groups:
        if show is not None or reference is not None:
            raise UsageError("Groups define what is shown. Give either groups, or show and reference.")
        if len(set(groups)) < len(groups):
            raise UsageError(f"A group of raters occurs twice: {', '.join(groups)}.")
        views = [_View("source", "", SOURCE) if name == SOURCE else _View("reference", name, name) for name in groups]
    else:
        chosen = show or _default_show(testset, how)
        if reference is not None and chosen not in ("reference", "both"):
            raise UsageError(f"A reference was chosen, but the campaign shows {chosen}.")
        views = [_View(chosen, _reference(testset, reference) if chosen in ("reference", "both") else "")]
    for view in views:
        if view.reference and view.reference not in testset.references:
            raise UnknownName(f"reference in test set {testset.name!r}", view.reference, testset.references)
        if view.shows_source and testset.source is None:
            raise UsageError(
                f"Test set {testset.name!r} has no source to show. Give it with `source`, or choose another `show`."
            )
    return views


def _default_show(testset: TestSet, how: Protocol) -> str:
    if how.show == "source" and testset.source is None and testset.references:
        return "reference"
    if how.show == "reference" and not testset.references:
        return "source"
    return how.show


def _reference(testset: TestSet, name: str | None) -> str:
    if not testset.references:
        raise UsageError(
            f"Test set {testset.name!r} has no reference to show. Give a reference, or choose another `show`."
        )
    if name is None:
        name = next(iter(testset.references))
        if len(testset.references) > 1:
            names = ", ".join(testset.references)
            log.warning("Of the references %s, raters see %s. Choose another with `reference`.", names, name)
    return name


def _check(testset: TestSet, how: Protocol, people: Sequence[str], views: Sequence[_View], options: Design) -> None:
    if len(testset.systems) < how.fewest:
        raise UsageError(f"{how.fewest} systems are needed, but {testset.name!r} has {len(testset.systems)}.")
    fewest = len(people) // len(views)
    if not fewest:
        raise UsageError(f"{len(views)} groups need at least {len(views)} raters, not {len(people)}.")
    if options.redundancy is not None and not 1 <= options.redundancy <= fewest:
        raise UsageError(
            f"The redundancy must be between 1 and the number of raters, {fewest}, not {options.redundancy}."
        )
    if options.bad + options.repeats > 1:
        raise UsageError("The shares of damaged copies and repeats must not exceed 1 in total: one copy per item.")
    if options.hidden and not testset.references:
        raise UsageError(f"Test set {testset.name!r} has no references to hide among the outputs.")


@dataclass(frozen=True)
class _Distinct:
    """The choice of one system for those with the same text. identical: the comparisons that have only one text."""

    testset: TestSet
    how: Protocol
    random: Random
    show_identical: bool
    identical: list[tuple[str, ...]] = field(default_factory=list)

    def groups(self, systems: Sequence[str], rows: Sequence[int]) -> dict[str, tuple[str, ...]]:
        """Return one of the systems with the same texts in these rows, drawn at random, with the others."""
        if self.show_identical:
            return dict.fromkeys(systems, ())
        members = grouped((tuple(self.testset.outputs[system][row] for row in rows), system) for system in systems)
        chosen = [(self.random.choice(same) if len(same) > 1 else same[0], same) for same in members.values()]
        return {system: tuple(other for other in same if other != system) for system, same in chosen}


def _blocks(distinct: _Distinct, names: Sequence[str], unit: Sampled, view: _View, together: int) -> list[Block]:
    """Return a block per output or set to compare, with the same systems in all its items, without equal outputs."""
    how, random = distinct.how, distinct.random
    found = distinct.groups(unit.systems, unit.rows)
    systems = tuple(found)
    sets: list[tuple[str, ...]] = [(system,) for system in systems]
    if how.ranks and len(systems) == 1:
        distinct.identical.extend((names[row], *unit.systems) for row in unit.rows)
        return []
    if how.ranks and how.most == 2:
        sets = [tuple(random.sample(pair, 2)) for pair in combinations(systems, 2)]
    elif how.ranks:
        shuffled = random.sample(systems, len(systems))
        parts = -(-len(shuffled) // together)
        sets = [tuple(shuffled[part::parts]) for part in range(parts)]  # sizes differ by at most one
    blocks = []
    for chosen in sets:
        if len(chosen) < how.fewest:
            raise UsageError(f"{len(systems)} systems cannot be ranked {together} at a time. Increase `together`.")
        block = []
        for row in unit.rows:
            every = [other for system in chosen for other in (system, *found[system])]
            own = distinct.groups(every, [row]) if how.ranks else {system: found[system] for system in chosen}
            if len(own) >= how.fewest:
                block.append(_item(distinct.testset, row, names[row], own, view))
            else:
                distinct.identical.append((names[row], *every))
        if block:
            blocks.append(tuple(block))
    return blocks


def _item(testset: TestSet, row: int, segment: str, systems: Mapping[str, tuple[str, ...]], view: _View) -> Item:
    return Item(
        id=f"{view.group}\t{segment}\t" + "\t".join(systems),
        segment=segment,
        outputs=tuple(Output(system, testset.outputs[system][row], same) for system, same in systems.items()),
        source=testset.source[row] if testset.source is not None and view.shows_source else None,
        reference=testset.references[view.reference][row] if view.reference else None,
        reference_name=view.reference,
        document=testset.documents[row] if testset.documents is not None else "",
        before=_neighbour(testset, row, row - 1, view),
        after=_neighbour(testset, row, row + 1, view),
    )


def _neighbour(testset: TestSet, row: int, other: int, view: _View) -> str:
    """Return the source of another segment of the same document, if the source is shown; otherwise nothing."""
    documents = testset.documents
    if testset.source is None or documents is None or not view.shows_source or not 0 <= other < len(testset):
        return ""
    return testset.source[other] if documents[other] == documents[row] else ""


def _names(raters: int | Sequence[str]) -> list[str]:
    if isinstance(raters, int):
        if raters < 1:
            raise UsageError(f"At least 1 rater is needed, not {raters}.")
        return [f"rater{number:0{len(str(raters))}d}" for number in range(1, raters + 1)]
    names = list(raters)
    if isinstance(raters, str) or not names or len(set(names)) < len(names):
        raise UsageError("Raters must be a number or a list of different names.")
    return names
