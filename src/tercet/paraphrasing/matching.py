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
        self._tests: dict[str, list[tuple[str, frozenset[str]]]] = {}

    def matches(self, rule: Rule, tree: Tree) -> list[Match]:
        """Return the matches of a rule, with the number of each word by its name; at most MOST_MATCHES."""
        found: list[Match] = []
        if any(tree.values[name].isdisjoint(values) for name, values in self._needed(rule)):
            return found
        for match in self._extended(list(rule.match.items()), {}, tree):
            if not any(self._exists(pattern, match, tree) for pattern in rule.unless):
                found.append(match)
            if len(found) == MOST_MATCHES:
                if rule.name not in self._warned:
                    self._warned.add(rule.name)
                    said = "The rule %r matches %d times in one sentence; further matches are ignored."
                    log.warning(said, rule.name, MOST_MATCHES)
                break
        return found

    def _needed(self, rule: Rule) -> list[tuple[str, frozenset[str]]]:
        """Return the tests that some word of a sentence must pass if the rule is to match; they are quick to check."""
        if rule.name not in self._tests:
            self._tests[rule.name] = [
                (name, values)
                for pattern in rule.match.values()
                if not pattern.optional
                for name, values in pattern.tests.items()
                if not any(value.startswith(("*", "#")) for value in values)
            ]
        return self._tests[rule.name]

    def _extended(self, patterns: Sequence[tuple[str, Pattern]], match: Match, tree: Tree) -> Iterator[Match]:
        """Yield all matches that extend a partial one by the remaining patterns."""
        if not patterns:
            yield dict(match)
            return
        (name, pattern), *rest = patterns
        any_found = False
        for number in self._candidates(pattern, match, tree):
            if number not in match.values() and self.fits(pattern, number, match, tree):
                any_found = True
                yield from self._extended(rest, {**match, name: number}, tree)
        if pattern.optional and not any_found:
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
        if len(tags) == 1:
            return tree.by_tag.get(next(iter(tags)), ())
        return sorted(number for tag in tags for number in tree.by_tag.get(tag, ()))

    def _exists(self, pattern: Pattern, match: Match, tree: Tree) -> bool:
        return any(
            self.fits(pattern, number, match, tree)
            for number in self._candidates(pattern, match, tree)
            if number not in match.values()
        )

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
            if not {
                "before": own[-1] < first,
                "after": own[0] > last,
                "just_before": own[-1] + 1 == first,
                "just_after": own[0] - 1 == last,
            }[kind]:
                return False
        return True

    def span(self, number: int, part: str, tree: Tree) -> tuple[int, int]:
        """Return the first and the last word of a word, of its group, or of its phrase."""
        if part == "phrase":
            phrase = tree.phrase(number)
            return phrase[0], phrase[-1]
        if part == "word":
            return number, number
        first = last = number
        while first > 0 and self._belongs(first - 1, number, tree):
            first -= 1
        while last + 1 < len(tree.words) and self._belongs(last + 1, number, tree):
            last += 1
        return first, last

    def _belongs(self, number: int, verb: int, tree: Tree) -> bool:
        """Return whether a word is of the group of a verb, such as an auxiliary."""
        if tree.words[number].head != verb:
            return False
        return any(self.fits(pattern, number, {}, tree) for pattern in self.rules.together)


def _has(word: Word, name: str, values: frozenset[str]) -> bool:
    """Return whether a field of a word has one of the values.

    "*mente" stands for any word with this ending, "####" for any number of four digits.
    """
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
