"""Contexts of words, and how they differ: the thesis's examples as hand-written graphs."""

from collections.abc import Sequence

import pytest

from tercet.language.contexts import compare_contexts, equivalences, relation_kind, word_category, word_contexts
from tercet.language.sentence import Dependency, Entity, Sentence, Token


def parsed(words: str, graph: str = "", entities: Sequence[Entity] = ()) -> Sentence:
    """A sentence from words as form/lemma/UPOS (lemma and tag may be left out) and relations as "2 nsubj 1"."""
    tokens, place = [], 0
    for number, word in enumerate(words.split(), 1):
        form, lemma, tag = (*word.split("/"), "", "")[:3]
        entity = next((f"B-{kind}" for first, last, kind in entities if first == number), "")
        entity = entity or next((f"I-{kind}" for first, last, kind in entities if first < number <= last), "")
        penn = {"NOUN": "NN", "PROPN": "NNP", "VERB": "VB", "ADJ": "JJ", "ADV": "RB", "PRON": "PRP", "NUM": "CD"}
        tokens.append(
            Token(form, place, place + len(form), lemma or form.lower(), tag, penn.get(tag, ""), entity=entity)
        )
        place += len(form) + 1
    edges = (edge.split() for edge in graph.split(",") if edge)
    dependencies = sorted((Dependency(int(a), label, int(b)) for a, label, b in edges), key=lambda edge: edge[::-1])
    return Sentence(" ".join(token.form for token in tokens), tuple(tokens), "stanford", tuple(dependencies))


RELEASE = parsed(
    "However/however/ADV the/the/DET Chamber/Chamber/PROPN of/of/ADP Deputies/Deputies/PROPN did/do/AUX not/not/PART "
    "release/release/VERB her/she/PRON for/for/ADP prosecution/prosecution/NOUN",
    "8 advmod 1,3 det 2,8 nsubj 3,3 prep_of 5,8 aux 6,8 neg 7,0 root 8,8 dobj 9,8 prep_for 11",
)


@pytest.mark.parametrize(
    ("word", "context"),
    [
        ("However", {(8, "advmod")}),
        ("the", {(3, "det")}),
        ("Chamber", {(2, "det"), (5, "prep_of"), (8, "nsubj")}),
        ("Deputies", {(3, "prep_of")}),
        ("did", {(8, "aux")}),
        ("not", {(8, "neg")}),
        (
            "release",
            {(0, "root"), (1, "advmod"), (3, "nsubj"), (6, "aux"), (7, "neg"), (9, "dobj"), (11, "prep_for")},
        ),
        ("her", {(8, "dobj")}),
        ("prosecution", {(8, "prep_for")}),
    ],
)
def test_contexts_are_those_of_table_4_6(word, context):
    number = [token.form for token in RELEASE.tokens].index(word)
    found = word_contexts(RELEASE)[number]
    assert {*found.parents, *found.children} == context


def test_a_preposition_has_the_words_that_it_relates():
    of, for_ = word_contexts(RELEASE)[3], word_contexts(RELEASE)[9]
    assert of.parents == ((3, "prep_of"),) and of.children == ((5, "prep_of"),)
    assert for_.parents == ((8, "prep_for"),) and for_.children == ((11, "prep_for"),)


def test_the_program_finds_a_word_inside_the_letters_of_a_relation():
    sentence = parsed("or he rose after noon", "3 nsubj 2,0 root 3,3 prep_for 5")
    assert word_contexts(sentence)[0].parents == ()
    assert word_contexts(sentence, published=True)[0].parents == ((3, "prep_for"),)


def test_the_subject_of_an_open_clause_is_a_subject():
    sentence = parsed("he wants to go", "2 nsubj 1,4 xsubj 1,0 root 2,4 aux 3,2 xcomp 4")
    assert {relation for _, relation in word_contexts(sentence)[0].parents} == {"nsubj"}


PASSIVE = parsed(
    "The/the/DET document/document/NOUN was/be/AUX discussed/discuss/VERB by/by/ADP the/the/DET government//NOUN",
    "2 det 1,4 nsubjpass 2,4 auxpass 3,0 root 4,7 det 6,4 agent 7",
)
ACTIVE = parsed(
    "The/the/DET government//NOUN has/have/AUX discussed/discuss/VERB the/the/DET document//NOUN",
    "2 det 1,4 nsubj 2,4 aux 3,0 root 4,6 det 5,4 dobj 6",
)
LINKS = [(1, 5), (2, 6), (4, 4), (6, 1), (7, 2)]


def test_a_passive_has_the_context_of_its_active():
    found = compare_contexts(PASSIVE, ACTIVE, LINKS)
    assert [difference.output_different for difference in found] == [(), (), ("auxpass",), (), ()]
    assert [difference.reference_different for difference in found] == [(), (), ("aux",), (), ()]
    assert found[2].output_context == ("nsubjpass", "auxpass", "agent", "root")
    assert found[2].reference_context == ("nsubj", "aux", "dobj", "root")


def test_without_equivalence_only_relations_of_one_name_are_the_same():
    document, discussed = compare_contexts(PASSIVE, ACTIVE, LINKS, equivalence=False)[1:3]
    assert document.output_different == ("nsubjpass",) and document.reference_different == ("dobj",)
    assert discussed.output_different == ("nsubjpass", "auxpass", "agent")
    assert discussed.reference_different == ("nsubj", "aux", "dobj")


def test_scrambled_words_have_other_contexts():
    scrambled = parsed(
        "The/the/DET document/document/NOUN has/have/AUX discussed/discuss/VERB the/the/DET government//NOUN",
        "2 det 1,4 nsubj 2,4 aux 3,0 root 4,6 det 5,4 dobj 6",
    )
    found = compare_contexts(scrambled, ACTIVE, [(1, 5), (2, 6), (3, 3), (4, 4), (5, 1), (6, 2)])
    assert [difference.output_different for difference in found] == [
        (), ("nsubj",), (), ("nsubj", "dobj"), (), ("dobj",),
    ]  # fmt: skip


def test_nouns_may_be_joined_by_a_preposition_or_a_case_table_4_7():
    first = parsed("voter//NOUN support//NOUN", "2 nn 1,0 root 2")
    second = parsed("support//NOUN for/for/ADP voters/voter/NOUN", "0 root 1,1 prep_for 3")
    third = parsed("support//NOUN against/against/ADP voters/voter/NOUN", "0 root 1,1 prep_against 3")
    assert [d.output_different for d in compare_contexts(first, second, [(1, 3), (2, 1)])] == [(), ()]
    assert [d.output_different for d in compare_contexts(first, third, [(1, 3), (2, 1)])] == [("nn",), ("nn",)]


# Table 4.7, sentence 1061 of WMT14 from French; in the second output the same words are related otherwise.
VOTER = parsed(
    "An/an/DET Obama//PROPN voter//NOUN 's//PART cry//NOUN of//ADP despair//NOUN",
    "3 det 1,3 nn 2,5 poss 3,3 possessive 4,0 root 5,5 prep_of 7",
)
VOTER_FOR = parsed(
    "The/the/DET cry//NOUN of//ADP despair//NOUN of//ADP a//DET voter//NOUN for//ADP Obama//PROPN",
    "2 det 1,0 root 2,2 prep_of 4,7 det 6,2 prep_of 7,7 prep_for 9",
)
VOTER_OBAMA = parsed(
    "The/the/DET cry//NOUN of//ADP despair//NOUN of//ADP a//DET voter//NOUN Obama//PROPN",
    "2 det 1,0 root 2,2 prep_of 4,8 det 6,8 nn 7,2 prep_of 8",
)


def test_a_voter_for_obama_is_an_obama_voter_table_4_7():
    links = [(2, 5), (4, 7), (7, 3)]  # cry, despair, voter
    cry, despair, voter, obama = compare_contexts(VOTER_FOR, VOTER, [*links, (9, 2)])
    assert (cry.output_different, cry.reference_different) == (("det",), ())
    assert (voter.output_different, voter.reference_different) == (("det",), ("det", "possessive"))
    for same in (despair, obama):
        assert same.output_different == same.reference_different == ()
    cry, despair, voter, obama = compare_contexts(VOTER_OBAMA, VOTER, [*links, (8, 2)])
    assert (voter.output_different, voter.reference_different) == (("nn",), ("det", "nn", "possessive", "poss"))
    assert (obama.output_different, obama.reference_different) == (("det", "nn", "prep_of"), ("nn",))
    assert despair.output_different == despair.reference_different == ()


def test_a_parent_may_be_equivalent_to_a_child():
    read = parsed("they//PRON read//VERB books/book/NOUN", "2 nsubj 1,0 root 2,2 dobj 3")
    books = parsed("books/book/NOUN they//PRON read//VERB", "0 root 1,3 nsubj 2,1 rcmod 3")
    links = [(1, 2), (2, 3), (3, 1)]
    found = compare_contexts(read, books, links)[2]
    assert found.output_different == () and found.reference_different == ("root",)
    # The other way the reference's parent is a child of the output's word, which the author's program never compares.
    back = [(second, first) for first, second in links]
    assert compare_contexts(books, read, back)[2].reference_different == ()
    assert compare_contexts(books, read, back, published=True)[2].reference_different == ("dobj",)


def test_a_reversed_relation_is_the_same_for_the_author_s_program_alone():
    first = parsed("bank//NOUN state//NOUN", "2 nn 1,0 root 2")
    second = parsed("state//NOUN bank//NOUN", "2 nn 1,0 root 2")
    links = [(1, 2), (2, 1)]
    assert compare_contexts(first, second, links)[0].output_different == ("nn",)
    assert compare_contexts(first, second, links, published=True)[0].output_different == ()


@pytest.mark.parametrize(
    ("label", "kind"),
    [("nsubj", "argument"), ("conj_and", "argument"), ("prep_of", "modifier"), ("prepc_by", "modifier"),
     ("amod", "modifier"), ("det", "function"), ("auxpass", "function"), ("nothing", "function"), ("", "function")],
)  # fmt: skip
def test_relations_are_arguments_modifiers_or_functions(label, kind):
    assert relation_kind(label) == kind


def test_categories_follow_universal_tags_and_for_the_program_penn_ones():
    he = Token("he", 0, 2, "he", "PRON", "PRP")
    assert (word_category(he), word_category(he, published=True)) == ("noun", "")
    assert word_category(Token("ran", 0, 3, xpos="VBD")) == "verb"
    assert word_category(Token("of", 0, 2, upos="ADP", xpos="IN")) == ""


def test_equivalence_is_mutual_within_parents_and_children():
    for category in ("noun", "verb", "adjective", "adverb", ""):
        table = equivalences(category)
        for pairs in (table.parents, table.children):
            assert {(second, first) for first, second in pairs} == pairs
    assert ("agent", "nsubj") in equivalences("verb").children


def test_words_without_relations_have_no_context():
    empty, lone = parsed(""), parsed("yes")
    assert word_contexts(empty) == ()
    assert compare_contexts(empty, lone, []) == []
    (found,) = compare_contexts(lone, lone, [(1, 1)])
    assert found.output_context == found.reference_different == ()
