"""Read rules from TOML and check them. docs/paraphrase-rules.md describes their language."""

import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.resources import files
from pathlib import Path
from typing import Any

from ..data.lines import read_lines
from ..errors import DataError, UnknownName, UsageError
from ..language.sentence import SCHEMES
from ..text.scripts import base_code

TESTS = ("form", "lemma", "upos", "relation")
PLACES = ("before", "after", "just_before", "just_after")
PARTS = ("word", "group", "phrase")  # of what an action is placed beside
ACTIONS: Mapping[str, tuple[frozenset[str], frozenset[str]]] = {  # keys that an action needs, and keys that it may have
    "move": (frozenset(), frozenset({"before", "after", "to", "commas"})),
    "delete": (frozenset(), frozenset({"phrase"})),
    "insert": (frozenset({"as"}), frozenset({"before", "after", "to", "commas", "features", "like", "agree", "under"})),
    "inflect": (frozenset(), frozenset({"features", "agree", "like", "lemma", "table", "as"})),
    "replace": (frozenset(), frozenset({"form", "table", "as"})),
    "attach": (frozenset({"to"}), frozenset()),
    "confirm": (frozenset(), frozenset()),
}
KEYS = (
    *TESTS, *(f"not_{one}" for one in TESTS), "features", "under", "inside", "above", *PLACES, "first", "leaf",
    "optional", "most", "same", "having", "lacking",
)  # fmt: skip
COMMAS = ("none", "both", "after")
_RULE = re.compile(r"\s*\[\[\s*rule\s*\]\]")
_AT_LINE = re.compile(r"\(at line (\d+), column \d+\)")


@dataclass(frozen=True)
class Pattern:
    """What a word must be like. Names are those of words that were matched before.

    tests: field -> values of which it must have one; excluded: field -> values that it must not have.
    features: name -> values of which it must have one; no values: the word must not have the feature.
    under, inside, above: the word that is its head; that is above it; whose head it is.
    places: kind of place (one of PLACES), the other word, and the part of it.
    first: its phrase begins the sentence. leaf: it has no dependents but punctuation. optional: the rule also matches
    without it. most: the most words of its phrase. same: a word with the same lemma.
    having, lacking: relations of which its dependents must have one, or none.
    """

    tests: Mapping[str, frozenset[str]] = field(default_factory=dict)
    excluded: Mapping[str, frozenset[str]] = field(default_factory=dict)
    features: Mapping[str, frozenset[str]] = field(default_factory=dict)
    under: str = ""
    inside: str = ""
    above: str = ""
    places: tuple[tuple[str, str, str], ...] = ()
    first: bool = False
    leaf: bool = False
    optional: bool = False
    most: int = 0
    same: str = ""
    having: frozenset[str] = frozenset()
    lacking: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Action:
    """One step of a change: its kind, the word or text that it is about, then keys as in the file."""

    kind: str
    what: str
    before: tuple[str, str] | None = None
    after: tuple[str, str] | None = None
    to: str = ""
    commas: str = "none"
    phrase: bool = False
    upos: str = ""
    features: Mapping[str, str] | None = None
    like: str = ""
    agree: str = ""
    under: str = ""
    lemma: str = ""
    table: Mapping[str, str] | None = None
    form: str = ""


@dataclass(frozen=True)
class Rule:
    """A rule: where all patterns match, and none of `unless`, the actions are made in their order."""

    name: str
    group: str
    about: str
    match: Mapping[str, Pattern]
    actions: tuple[Action, ...]
    unless: tuple[Pattern, ...] = ()
    examples: tuple[tuple[str, str], ...] = ()
    number: str = ""
    line: int = 0


@dataclass(frozen=True)
class RuleSet:
    """The rules of a file. together: the words around a verb that belong to it, such as auxiliaries (its group)."""

    language: str
    scheme: str
    rules: tuple[Rule, ...]
    groups: Mapping[str, str]
    together: tuple[Pattern, ...]
    tables: Mapping[str, Mapping[str, str]]
    source: str

    def __getitem__(self, name: str) -> Rule:
        found = next((rule for rule in self.rules if rule.name == name), None)
        if found is None:
            raise UnknownName(f"rule in {self.source}", name, [rule.name for rule in self.rules])
        return found


def open_rules(rules: str | Path | RuleSet | None, language: str, only: Sequence[str] = ()) -> RuleSet:
    """Return rules for a language: those of a file, or Tercet's. only: the names or numbers of the wanted rules."""
    if rules is None:
        found = default_rules(language)
    else:
        found = rules if isinstance(rules, RuleSet) else read_rules(rules)
    if base_code(found.language) != base_code(language):
        raise UsageError(f"The rules of {found.source} are for {found.language!r}, but the texts are {language!r}.")
    if not only:
        return found
    numbers = {rule.number for rule in found.rules if rule.number}
    names = {found[name].name for name in only if name not in numbers}
    return replace(found, rules=tuple(rule for rule in found.rules if rule.name in names or rule.number in only))


def default_rules(language: str) -> RuleSet:
    """Return the rules that Tercet has for a language."""
    folder = files(__package__).joinpath("data")
    code = base_code(language)
    known = sorted(path.name[6:-5] for path in folder.iterdir() if path.name.startswith("rules_"))
    if code not in known:
        raise UsageError(
            f"Tercet has no rules for {language!r}, only for {', '.join(known)}. Write some and give them with "
            "--rules FILE (docs/paraphrase-rules.md)."
        )
    name = f"rules_{code}.toml"
    return parse_rules(folder.joinpath(name).read_text("utf-8"), name)


def read_rules(path: str | Path) -> RuleSet:
    """Read a file of rules."""
    return parse_rules("\n".join(read_lines(path)), str(path))


def parse_rules(text: str, name: str) -> RuleSet:
    """Return the rules in a text. `name` is the file's name for messages."""
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        found = _AT_LINE.search(str(error))
        line = found[1] if found else text.count("\n") + 1
        raise DataError(f"{name}, line {line}: this is not TOML: {_AT_LINE.sub('', str(error)).strip()}.") from None
    return _Reader(text, name, content).rule_set()


class _Reader:
    """Turns the content of a rule file into rules, and finds the line of whatever is wrong."""

    def __init__(self, text: str, name: str, content: dict[str, Any]) -> None:
        self.lines, self.name, self.content = text.split("\n"), name, content
        self.start, self.rule_name = 1, ""
        self.names: list[str] = []  # of the words that were matched before
        self.starts = [number for number, line in enumerate(self.lines, 1) if _RULE.match(line)]
        self.lists: dict[str, list[str]] = self.table_of(content, "lists")
        self.tables: dict[str, dict[str, str]] = self.table_of(content, "tables")
        self.readers: dict[str, Callable[[str, Any], Any]] = {
            **dict.fromkeys(("under", "inside", "above", "same", "like", "agree"), self.known_name),
            **dict.fromkeys(PLACES, self.anchor),
            **dict.fromkeys(("first", "leaf", "optional"), lambda key, value: value is True),
            **dict.fromkeys(("as", "form", "lemma"), self.text),
            "features": self.features,
            "most": self.number,
            "table": self.table,
            "commas": self.commas,
        }

    def fail(self, reason: str, near: str = "") -> DataError:
        """Return an error at the first line of the current rule that contains `near`."""
        end = next((start for start in self.starts if start > self.start), len(self.lines) + 1)
        block = range(self.start, end)
        line = next((number for number in block if near and near in self.lines[number - 1]), self.start)
        of_rule = f" (rule {self.rule_name!r})" if self.rule_name else ""
        return DataError(f"{self.name}, line {line}{of_rule}: {reason}")

    def rule_set(self) -> RuleSet:
        self.check_keys(self.content, {"language", "scheme", "groups", "together", "lists", "tables", "rule"})
        language = self.content.get("language")
        if not isinstance(language, str):
            raise self.fail('the language of the rules is missing: language = "es".')
        scheme = self.content.get("scheme", "ud")
        if scheme not in SCHEMES:
            raise self.fail(f"the scheme must be one of {', '.join(SCHEMES)}, not {scheme!r}.", "scheme")
        listed = self.content.get("rule", [])
        if not isinstance(listed, list) or not listed or len(listed) != len(self.starts):
            raise self.fail("there is no rule; every rule begins with a line [[rule]].")
        for key, values in self.lists.items():
            if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
                raise self.fail(f"the list {key} must be a list of texts.", key)
        for key, words in self.tables.items():
            if not isinstance(words, dict) or not all(isinstance(word, str) for word in words.values()):
                raise self.fail(f"the table {key} must have texts as values.", key)
        groups = self.table_of(self.content, "groups")
        together = tuple(self.pattern(one) for one in self.list_of(self.content, "together"))
        rules: list[Rule] = []
        for start, table in zip(self.starts, listed, strict=True):
            self.start, self.rule_name = start, str(table.get("name", ""))
            rules.append(self.rule(table))
            if any(rule.name == self.rule_name for rule in rules[:-1]):
                raise self.fail("another rule has this name.", "name")
        return RuleSet(language, scheme, tuple(rules), groups, together, self.tables, self.name)

    def check_keys(self, table: dict[str, Any], known: set[str]) -> None:
        if unknown := set(table) - known:
            raise self.fail(f"unknown key {min(unknown)!r}; known: {', '.join(sorted(known))}.", min(unknown))

    def rule(self, table: dict[str, Any]) -> Rule:
        self.check_keys(table, {"name", "group", "about", "number", "match", "unless", "do", "examples"})
        for key in ("name", "match", "do"):
            if not table.get(key):
                raise self.fail(f"{key} is missing.")
        match: dict[str, Pattern] = {}
        self.names = []
        for name, given in self.table_of(table, "match").items():
            match[name] = self.pattern(given, name)
            self.names.append(name)
        if next(iter(match.values())).optional:
            raise self.fail("the first word cannot be optional.", "optional")
        unless = tuple(self.pattern(given) for given in self.list_of(table, "unless"))
        actions = tuple(self.action(given) for given in self.list_of(table, "do"))
        examples = self.list_of(table, "examples")
        if not all(isinstance(pair, list) and len(pair) == 2 for pair in examples):
            raise self.fail('examples are pairs of texts: [["before", "after"]].', "examples")
        pairs = tuple((str(before), str(after)) for before, after in examples)
        group, about = str(table.get("group", "rules")), str(table.get("about", ""))
        number = str(table.get("number", ""))
        return Rule(self.rule_name, group, about, match, actions, unless, pairs, number, self.start)

    def list_of(self, table: Mapping[str, Any], key: str) -> list[Any]:
        value = table.get(key, [])
        if not isinstance(value, list):
            raise self.fail(f"{key} must be a list, not {value!r}.", key)
        return value

    def table_of(self, table: Mapping[str, Any], key: str) -> dict[str, Any]:
        value = table.get(key, {})
        if not isinstance(value, dict):
            raise self.fail(f"{key} must be a table, not {value!r}.", key)
        return value

    def pattern(self, given: object, name: str = "") -> Pattern:
        if not isinstance(given, dict):
            raise self.fail(f'a pattern is a table, such as {{ upos = "VERB" }}, not {given!r}.', name)
        options: dict[str, Any] = {}
        for key, value in given.items():
            if key not in KEYS:
                raise self.fail(f"unknown key {key!r} in a pattern; known: {', '.join(KEYS)}.", key)
            read = self.values if key in TESTS else self.readers.get(key, self.values)
            options[key] = read(key, value)
        tests = {key: options.pop(key) for key in TESTS if key in options}
        excluded = {key: options.pop(f"not_{key}") for key in TESTS if f"not_{key}" in options}
        places = tuple((key, *options.pop(key)) for key in given if key in PLACES)
        first = next(iter(self.names), None)
        if first and name and not (places or {"under", "inside", "above"} & set(options)):
            raise self.fail(f"{name!r} needs under, inside, above or a place, to connect it with {first!r}.", name)
        return Pattern(tests, excluded, places=places, **options)

    def action(self, given: object) -> Action:
        kinds = [kind for kind in ACTIONS if isinstance(given, dict) and kind in given]
        if not isinstance(given, dict) or len(kinds) != 1:
            raise self.fail(f"an action is a table with one of {', '.join(ACTIONS)}, not {given!r}.", "do")
        kind = kinds[0]
        needed, allowed = ACTIONS[kind]
        keys = given.keys() - {kind}
        if lacking := needed - keys:
            raise self.fail(f"the action {kind} needs {min(lacking)}.", kind)
        if unknown := keys - needed - allowed:
            known = ", ".join(sorted(needed | allowed))
            raise self.fail(f"the action {kind} has no {min(unknown)!r}; it has {known}.", kind)
        what = str(given[kind]) if kind == "insert" else self.known_name(kind, given[kind])
        if kind in ("move", "insert") and len({"before", "after", "to"} & keys) != 1:
            raise self.fail(f'the action {kind} needs one of before, after, or to = "start".', kind)
        if kind != "attach" and given.get("to", "start") != "start":
            raise self.fail(f'to must be "start", not {given["to"]!r}.', "to")
        read: dict[str, Any] = {}
        for key in (key for key in given if key in keys):
            value = given[key]
            if key in self.readers and (value or key != "features"):
                value = self.readers[key](key, value)
            elif kind == "attach":
                value = self.known_name(key, value)
            read["upos" if key == "as" else key] = value
        if "features" in read:
            read["features"] = {name: ",".join(sorted(values)) for name, values in (read["features"] or {}).items()}
        return Action(kind, what, **read)

    def values(self, key: str, value: object) -> frozenset[str]:
        """Return the values of a test; "@name" stands for a list of the file."""
        found: list[str] = []
        for one in value if isinstance(value, list) else [value]:
            if not isinstance(one, str):
                raise self.fail(f"{key} must be a text or a list of texts, not {value!r}.", key)
            if not one.startswith("@"):
                found.append(one)
            elif one[1:] in self.lists or one[1:] in self.tables:
                found += self.lists.get(one[1:], self.tables.get(one[1:], ()))
            else:
                raise self.fail(f"there is no list or table called {one[1:]!r} under [lists] or [tables].", one)
        return frozenset(found)

    def features(self, key: str, value: object) -> dict[str, frozenset[str]]:
        if not isinstance(value, str) or not all("=" in pair for pair in value.split("|")):
            raise self.fail(f'features are written "Tense=Past|Number=Sing", not {value!r}.', "features")
        pairs = (pair.partition("=") for pair in value.split("|"))
        return {name: frozenset(filter(None, values.split(","))) for name, _, values in pairs}

    def known_name(self, key: str, value: object) -> str:
        if value not in self.names:
            listed = ", ".join(self.names) or "none yet"
            raise self.fail(f"there is no word called {value!r}; words that were matched before: {listed}.", str(value))
        return str(value)

    def anchor(self, key: str, value: object) -> tuple[str, str]:
        """Return the name of a word and the part of it, from "verb", "verb.group" or "verb.phrase"."""
        name, _, part = str(value).partition(".")
        if (part or "word") not in PARTS:
            raise self.fail(f"{value!r}: the part after the dot must be one of {', '.join(PARTS)}.", str(value))
        return self.known_name(key, name), part or "word"

    def table(self, key: str, value: object) -> Mapping[str, str]:
        if not isinstance(value, str) or value not in self.tables:
            raise self.fail(f"there is no table called {value!r} under [tables].", str(value))
        return self.tables[value]

    def text(self, key: str, value: object) -> str:
        if not isinstance(value, str) or not value:
            raise self.fail(f"{key} must be a text, not {value!r}.", key)
        return value

    def commas(self, key: str, value: object) -> str:
        if value not in COMMAS:
            raise self.fail(f"commas must be one of {', '.join(COMMAS)}, not {value!r}.", "commas")
        return str(value)

    def number(self, key: str, value: object) -> int:
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            raise self.fail(f"most must be a number from 1, not {value!r}.", "most")
        return value
