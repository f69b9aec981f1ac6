"""TIGER's trees as collapsed dependencies; the trees are those of spaCy's German model."""

from tercet.language.relations import collapsed, with_dependencies
from tercet.language.sentence import Sentence, Token
from tercet.metrics import create


def tree(*words):
    """A sentence of TIGER's scheme: form, lemma, STTS tag, part of speech, head, relation."""
    text, tokens = "", []
    for row in words:
        form, lemma, tag, category, head, relation = row.split()
        start = len(text) + bool(text)
        text = f"{text} {form}".strip()
        tokens.append(Token(form, start, len(text), lemma, category, tag, "", int(head), relation))
    return Sentence(text, tuple(tokens), scheme="tiger")


def named(sentence):
    words = ["ROOT", *(token.form for token in sentence.tokens)]
    return {
        f"{relation}({words[governor]}, {words[dependent]})" for governor, relation, dependent in collapsed(sentence)
    }


ACTIVE = tree(
    "Die der ART DET 2 nk", "Regierung Regierung NN NOUN 3 sb", "hat haben VAFIN AUX 0 ROOT", "das der ART DET 5 nk",
    "Dokument Dokument NN NOUN 6 oa", "diskutiert diskutieren VVPP VERB 3 oc",
)  # fmt: skip
PASSIVE = tree(
    "Das der ART DET 2 nk", "Dokument Dokument NN NOUN 3 sb", "wurde werden VAFIN AUX 0 ROOT", "von von APPR ADP 7 sbp",
    "der der ART DET 6 nk", "Regierung Regierung NN NOUN 4 nk", "diskutiert diskutieren VVPP VERB 3 oc",
)  # fmt: skip


def test_the_full_verb_is_the_head_of_its_clause():
    assert named(ACTIVE) == {
        "det(Regierung, Die)", "nsubj(diskutiert, Regierung)", "aux(diskutiert, hat)", "det(Dokument, das)",
        "dobj(diskutiert, Dokument)", "root(ROOT, diskutiert)",
    }  # fmt: skip


def test_a_passive_has_its_subject_and_its_agent():
    assert named(PASSIVE) == {
        "det(Dokument, Das)", "nsubjpass(diskutiert, Dokument)", "auxpass(diskutiert, wurde)", "det(Regierung, der)",
        "agent(diskutiert, Regierung)", "root(ROOT, diskutiert)",
    }  # fmt: skip


def test_several_auxiliaries_depend_on_the_same_verb():
    found = tree(
        "Es es PPER PRON 2 sb", "hat haben VAFIN AUX 0 ROOT", "gelesen lesen VVPP VERB 4 oc",
        "werden werden VAINF AUX 5 oc", "müssen müssen VMINF AUX 2 oc",
    )  # fmt: skip
    assert named(found) == {
        "nsubjpass(gelesen, Es)", "aux(gelesen, hat)", "root(ROOT, gelesen)", "auxpass(gelesen, werden)",
        "aux(gelesen, müssen)",
    }  # fmt: skip


def test_predicates_conjuncts_genitives_and_negation():
    found = tree(
        "Der der ART DET 2 nk", "Hund Hund NN NOUN 4 sb", "Annas Anna NE PROPN 2 ag", "ist sein VAFIN AUX 0 ROOT",
        "groß groß ADJD ADV 4 pd", "und und KON CCONJ 5 cd", "schwarz schwarz ADJD ADV 6 cj",
        "aber aber KON CCONJ 4 cd", "bellt bellen VVFIN VERB 8 cj", "nicht nicht PTKNEG PART 9 ng",
    )  # fmt: skip
    assert named(found) >= {
        "nsubj(groß, Hund)", "poss(Hund, Annas)", "cop(groß, ist)", "root(ROOT, groß)", "conj_und(groß, schwarz)",
        "neg(bellt, nicht)",
    }  # fmt: skip


def test_subordinate_and_relative_clauses():
    found = tree(
        "Sie sie PPER PRON 2 sb", "glaubt glauben VVFIN VERB 0 ROOT", "dass dass KOUS SCONJ 10 cp",
        "der der ART DET 5 nk", "Mann Mann NN NOUN 10 sb", "der der PRELS PRON 7 sb", "steht stehen VVFIN VERB 5 rc",
        "in in APPR ADP 10 mo", "Berlin Berlin NE PROPN 8 nk", "wohnt wohnen VVFIN VERB 2 oc",
    )  # fmt: skip
    assert named(found) >= {
        "mark(wohnt, dass)", "ccomp(glaubt, wohnt)", "rcmod(Mann, steht)", "nsubj(steht, Mann)",
        "prep_in(wohnt, Berlin)",
    }  # fmt: skip


def test_cobalt_prefers_the_passive_to_the_sentence_that_says_the_opposite():
    scrambled = tree(
        "Das der ART DET 2 nk", "Dokument Dokument NN NOUN 3 sb", "hat haben VAFIN AUX 0 ROOT", "die der ART DET 5 nk",
        "Regierung Regierung NN NOUN 6 oa", "diskutiert diskutieren VVPP VERB 3 oc",
    )  # fmt: skip
    metric = create("cobalt:language=de").resolved("de")
    reference, passive, other = map(with_dependencies, (ACTIVE, PASSIVE, scrambled))
    assert metric.count_parsed(passive, [reference])[0] > metric.count_parsed(other, [reference])[0]
