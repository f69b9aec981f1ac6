"""Find the places in a tree where a rule applies."""

import logging
from collections.abc import Iterable, Iterator, Sequence
from functools import cache

from .rules import Pattern, Rule, RuleSet
from .tree import Tree, Word

log = logging.getLogger(__name__)

Match = dict[str, int]
MOST_MATCHES = 20  # of one rule in one sentence; a pattern of many words could match in very many ways


class Matcher:
    """Finds matches of the rules of a set."""

    def __init__(self, rules: RuleSet) -> None:
        self.rules = rules
        self._warned: set[str] = set()
        # Tests that some word of a sentence must pass if a rule is to match; they are quick to check.
        self._needed = {
            rule.name: [
                (name, values)
                for pattern in rule.match.values()
                if not pattern.optional
                for name, values in pattern.tests.items()
                if not any(value.startswith(("*", "#")) for value in values)
            ]
            for rule in rules.rules
        }

    def matches(self, rule: Rule, tree: Tree) -> list[Match]:
        """Return the matches of a rule, with the number of each word by its name; at most MOST_MATCHES."""
        found: list[Match] = []
        if any(tree.values[name].isdisjoint(values) for name, values in self._needed[rule.name]):
            return found
        for match in self._extended(list(rule.match.items()), {}, tree):
            if not any(self._fitting(pattern, match, tree) for pattern in rule.unless):
                found.append(match)
            if len(found) == MOST_MATCHES:
                if rule.name not in self._warned:
                    self._warned.add(rule.name)
                    said = "The rule %r matches %d times in one sentence; further matches are ignored."
                    log.warning(said, rule.name, MOST_MATCHES)
                break
        return found

    def _extended(self, patterns: Sequence[tuple[str, Pattern]], match: Match, tree: Tree) -> Iterator[Match]:
        """Yield all matches that extend a partial one by the remaining patterns."""
        if not patterns:
            yield dict(match)
            return
        (name, pattern), *rest = patterns
        found = self._fitting(pattern, match, tree)
        for number in found:
            yield from self._extended(rest, {**match, name: number}, tree)
        if pattern.optional and not found:
            yield from self._extended(rest, match, tree)

    def _candidates(self, pattern: Pattern, match: Match, tree: Tree) -> Iterable[int]:
        if pattern.under:
            return tree.children[match[pattern.under]] if pattern.under in match else ()
        if pattern.above:
            head = tree.words[match[pattern.above]].head if pattern.above in match else -1
            return (head,) if head >= 0 else ()
        tags = pattern.tests.get("upos")
        if tags is None:
            return range(len(tree.words))
        return sorted(number for tag in tags for number in tree.by_tag.get(tag, ()))

    def _fitting(self, pattern: Pattern, match: Match, tree: Tree) -> list[int]:
        free = (number for number in self._candidates(pattern, match, tree) if number not in match.values())
        return [number for number in free if self.fits(pattern, number, match, tree)]

    def fits(self, pattern: Pattern, number: int, match: Match, tree: Tree) -> bool:
        """Return whether a word fits a pattern, given the words that were matched before."""
        word = tree.words[number]
        if not all(_has(word, name, values) for name, values in pattern.tests.items()):
            return False
        for name, values in pattern.features.items():
            value = word.features.get(name)
            if values if value is None else value not in values and values.isdisjoint(value.split(",")):
                return False
        if any(_has(word, name, values) for name, values in pattern.excluded.items()):
            return False
        return self._is_placed(pattern, number, match, tree)

    def _is_placed(self, pattern: Pattern, number: int, match: Match, tree: Tree) -> bool:
        same = tree.words[match[pattern.same]] if pattern.same in match else None
        if pattern.same and (same is None or same.lemma != tree.words[number].lemma):
            return False
        if pattern.having or pattern.lacking:
            relations = {tree.words[child].relation.partition(":")[0] for child in tree.children[number]}
            if (pattern.having and pattern.having.isdisjoint(relations)) or not pattern.lacking.isdisjoint(relations):
                return False
        if pattern.inside and not (pattern.inside in match and _is_inside(tree, number, match[pattern.inside])):
            return False
        if pattern.leaf and any(tree.words[child].upos != "PUNCT" for child in tree.children[number]):
            return False
        if not (pattern.first or pattern.most or pattern.places):
            return True
        phrase = tree.phrase(number)
        if pattern.most and len(phrase) > pattern.most:
            return False
        if pattern.first and any(tree.words[before].upos != "PUNCT" for before in range(phrase[0])):
            return False
        for kind, other, part in pattern.places:
            if other not in match:
                return False
            first, last = self.span(match[other], part, tree)
            own = phrase if not first <= number <= last and match[other] not in phrase else [number]
            is_there = {
                "before": own[-1] < first, "after": own[0] > last,
                "just_before": own[-1] + 1 == first, "just_after": own[0] - 1 == last,
            }  # fmt: skip
            if not is_there[kind]:
                return False
        return True

    def span(self, number: int, part: str, tree: Tree) -> tuple[int, int]:
        """Return the first and the last word of a word, of its group, or of its phrase."""
        if part == "phrase":
            phrase = tree.phrase(number)
            return phrase[0], phrase[-1]
        group = {number}
        if part == "group":  # with auxiliaries and the like
            rules = self.rules.together
            group.update(i for i in tree.children[number] if any(self.fits(rule, i, {}, tree) for rule in rules))
        first = last = number
        while first - 1 in group:
            first -= 1
        while last + 1 in group:
            last += 1
        return first, last


def _has(word: Word, name: str, values: frozenset[str]) -> bool:
    """Return whether a word's field has one of the values; "*mente" is an ending, "####" four digits."""
    value: str = getattr(word, name)
    if value in values:
        return True
    if name == "relation":
        return value.partition(":")[0] in values
    if name == "upos":
        return False
    value = value.lower()
    return value in values or value.endswith(_endings(values)) or (value.isdigit() and "#" * len(value) in values)


@cache
def _endings(values: frozenset[str]) -> tuple[str, ...]:
    return tuple(value[1:] for value in values if value.startswith("*"))


def _is_inside(tree: Tree, number: int, above: int) -> bool:
    while number >= 0:
        number = tree.words[number].head
        if number == above:
            return True
    return False
