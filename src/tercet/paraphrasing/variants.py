"""Make the variants of a sentence: one for each place where a rule applies, then combinations of them."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, combinations, islice, zip_longest

from ..data.grouping import grouped
from .actions import CannotApply, Editor
from .inflection import Morphology
from .matching import Match, Matcher
from .realising import write_text
from .rules import Rule, RuleSet
from .tree import Draft, Tree

MOST_CHANGES = 4  # in a combination
MOST_TRIED = 200  # combinations that are tried for one sentence


@dataclass(frozen=True)
class Change:
    """One place where a rule applies."""

    rule: Rule
    match: Match


@dataclass(frozen=True)
class Variant:
    """A paraphrase. rules: the rules that made it, in their order. draft: its words, for quality control."""

    text: str
    rules: tuple[str, ...]
    draft: Draft


@dataclass(frozen=True)
class Segment:
    """A reference as a tree, with its changes that passed quality control."""

    tree: Tree
    singles: tuple[tuple[Change, Variant], ...]


class Generator:
    """Makes variants with a set of rules."""

    def __init__(self, rules: RuleSet, morphology: Morphology) -> None:
        self.rules, self.morphology = rules, morphology
        self.matcher = Matcher(rules)
        self.editor = Editor(self.matcher, morphology)

    def changes(self, tree: Tree) -> list[Change]:
        return [Change(rule, match) for rule in self.rules.rules for match in self.matcher.matches(rule, tree)]

    def apply(self, tree: Tree, changes: Iterable[Change]) -> Variant | None:
        """Return the variant with all these changes; None if they cannot be made together."""
        draft = Draft.of(tree)
        names = []
        for change in changes:
            try:
                self.editor.apply(change.rule, change.match, draft)
            except CannotApply:
                return None
            names.append(change.rule.name)
        text = write_text(draft, self.morphology)
        return None if text == tree.text else Variant(text, tuple(names), draft)

    def segment(self, tree: Tree) -> Segment:
        """Return a reference with its variants with one change; those with the same text once."""
        found = []
        seen = {tree.text}
        for change in self.changes(tree):
            variant = self.apply(tree, [change])
            if variant is not None and variant.text not in seen:
                seen.add(variant.text)
                found.append((change, variant))
        return Segment(tree, tuple(found))

    def variants(self, segment: Segment, most: int) -> list[Variant]:
        """Return at most `most` variants: those with one change, taken from each group in turn, then combinations."""
        queues = grouped((change.rule.group, variant) for change, variant in segment.singles)
        found = [each for turn in zip_longest(*queues.values()) for each in turn if each is not None][:most]
        seen = {segment.tree.text, *(variant.text for _, variant in segment.singles)}
        changes = [change for change, _ in segment.singles]
        return [*found, *islice(self.combined(segment.tree, changes, seen), most - len(found))]

    def combined(self, tree: Tree, changes: Sequence[Change], seen: set[str]) -> Iterator[Variant]:
        """Yield the variants with two changes, then three, up to MOST_CHANGES."""
        every = chain.from_iterable(combinations(changes, size) for size in range(2, MOST_CHANGES + 1))
        for some in islice(every, MOST_TRIED):
            variant = self.apply(tree, some)
            if variant is not None and variant.text not in seen:
                seen.add(variant.text)
                yield variant

    def together(self, segment: Segment, rules: Collection[str]) -> str:
        """Return the reference with as many changes of some rules as can be made together, in their order."""
        chosen: list[Change] = []
        text = segment.tree.text
        for change in (change for change, _ in segment.singles if change.rule.name in rules):
            variant = self.apply(segment.tree, [*chosen, change])
            if variant is not None:
                chosen.append(change)
                text = variant.text
        return text
