"""Mentions: longest names, guards, capitals, ambiguity, base forms, the language filter, numbers."""

import pickle
from itertools import pairwise

import pytest

from tercet.errors import UnknownName, UsageError
from tercet.knowledge.building import NameRecord, build
from tercet.knowledge.linking import KBLinker
from tercet.knowledge.literals import literals, number_value


def found(linker, text, language="en"):
    (mentions,) = linker.link([text], language)
    assert all(text[m.start : m.end] == m.text for m in mentions)
    assert all(a.end <= b.start for a, b in pairwise(mentions))
    return [(m.text, m.entities[0]) for m in mentions]


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("en", "The World Bank lends.", [("World Bank", "Q11")]),  # the longest name wins
        ("en", "Paris Hilton left Paris.", [("Paris Hilton", "Q10"), ("Paris", "Q2")]),
        ("en", "Paris, Hilton", [("Paris", "Q2")]),  # no name across a comma
        ("en", "He may go in May.", [("May", "Q9")]),  # capitals are evidence
        ("en", "Who told us?", []),  # stop words
        ("en", "The WHO told the US.", [("WHO", "Q5"), ("US", "Q4")]),  # but not in capitals
        ("en", "WHO TOLD US ABOUT PARIS?", [("PARIS", "Q2")]),  # which say nothing where all is written so
        ("en", "A bank in Russia", [("bank", "Q6"), ("Russia", "Q1")]),
        ("de", "Das macht Macht.", [("Macht", "Q8")]),
        ("zh", "美国人在俄罗斯。", [("美国", "Q4"), ("俄罗斯", "Q1")]),  # single characters are no mentions
        ("gu", "રશિયા અને જર્મની", [("રશિયા", "Q1"), ("જર્મની", "Q13")]),
        ("gu", "રશિ", []),  # no part of a word, though Python's \w would cut at the vowel sign
        ("en", "", []),
        ("en", "\u2028 \x00 …", []),
    ],
)
def test_mentions(small_kb, language, text, expected):
    assert found(KBLinker(small_kb), text, language) == expected


def test_without_guards_stop_words_that_have_a_name_are_mentions(small_kb):
    text = "Who told us, a person in May?"
    assert found(KBLinker(small_kb), text) == [("person", "Q14"), ("May", "Q9")]
    assert found(KBLinker(small_kb, guards=False, capitals=False), text) == [
        ("Who", "Q5"), ("us", "Q4"), ("person", "Q14"), ("May", "Q9")
    ]  # fmt: skip
    assert found(KBLinker(small_kb, guards=False), text) == [("Who", "Q5"), ("person", "Q14"), ("May", "Q9")]
    assert found(KBLinker(small_kb, guards=False), "人, 美国", "zh") == [("美国", "Q4")]  # no single character


@pytest.mark.parametrize(
    ("language", "text", "entity"), [("gu", "રશિયામાં", "Q1"), ("kk", "Ресейде", "Q1"), ("ru", "в Париже", "Q2")]
)
def test_inflected_names_are_found_by_endings(small_kb, language, text, entity):
    assert [e for _, e in found(KBLinker(small_kb), text, language)] == [entity]
    assert found(KBLinker(small_kb, lemmas=False), text, language) == []


def test_inflected_words_are_found_by_a_dictionary(small_kb):
    pytest.importorskip("simplemma")
    linker = KBLinker(small_kb)
    assert found(linker, "Die Banken in den USA", "de") == [("Banken", "Q6"), ("USA", "Q4")]
    assert found(linker, "Cestoval do Paříže.", "cs") == [("Paříže", "Q2")]


def test_an_ordinary_inflected_word_is_no_name(small_kb):
    pytest.importorskip("simplemma")
    linker = KBLinker(small_kb)
    assert found(linker, "Banks failed.") == [("Banks", "Q6")]  # not Q12, a person called Bank
    assert found(linker, "There was Bank again.")[0][1] == "Q12"  # written as a name, within a sentence


def test_ambiguity_is_settled_by_weight_or_kept(small_kb):
    text = "A bank of a river"
    assert [m.entities for m in KBLinker(small_kb).link([text], "en")[0]] == [("Q6",)]
    assert [m.entities for m in KBLinker(small_kb, senses=2).link([text], "en")[0]] == [("Q6", "Q7")]
    everything = KBLinker(small_kb, senses="all").link([text], "en")[0][0]
    assert everything.entities[:2] == ("Q6", "Q7")
    assert 0 < everything.weight < 1


def test_the_sentence_helps_to_choose(tmp_path):
    from tercet.knowledge.building import NameRecord, build

    names = [
        NameRecord("river", "en", "Congo", "place", 10.0), NameRecord("drum", "en", "Congo", "work", 12.0),
        NameRecord("de", "en", "Germany", "place", 50.0), NameRecord("fr", "en", "France", "place", 50.0),
        NameRecord("drum", "en", "Congo Suite", "work", 12.0),
    ]  # fmt: skip
    linker = KBLinker(build(names, tmp_path / "kb", name="x", languages=["en"], min_languages=1))
    assert found(linker, "the Congo")[0][1] == "drum"
    assert found(linker, "France, Germany and the Congo")[-1][1] == "river"  # categories agree
    assert found(linker, "the Congo Suite, or the Congo")[-1][1] == "drum"  # named elsewhere


def test_categories_choose_by_the_likeliest_entity(small_kb):
    text = "A bank in Russia told the WHO."
    assert found(KBLinker(small_kb, categories="place+organisation"), text) == [("Russia", "Q1"), ("WHO", "Q5")]
    with pytest.raises(
        UnknownName, match="category in the knowledge base 'small' called 'plaice'. Did you mean place?"
    ):
        KBLinker(small_kb, categories="plaice")


@pytest.mark.parametrize("senses", ["most", 0, "-1", ""])
def test_senses_must_be_known(small_kb, senses):
    with pytest.raises(UsageError, match="senses must be best, all or a number from 1"):
        KBLinker(small_kb, senses=senses)


def test_an_unknown_language_is_refused(small_kb):
    with pytest.raises(UnknownName, match="language in the knowledge base 'small' called 'fi'"):
        KBLinker(small_kb).link(["x"], "fi")


def test_a_region_does_not_matter(small_kb):
    assert found(KBLinker(small_kb), "美国", "zh_CN") == [("美国", "Q4")]


def test_which_language_can_name_an_entity(small_kb):
    can_name = KBLinker(small_kb).nameable("gu")
    assert [can_name(entity) for entity in ("Q1", "Q4", "Q99", "number:5")] == [True, False, False, True]


def test_order_and_batches_do_not_matter(small_kb):
    texts = ["Paris and Russia", "the bank", "nothing", "US and WHO and May in Germany"]
    linker = KBLinker(small_kb, senses="all")
    assert linker.link(texts, "en") == [linker.link([text], "en")[0] for text in texts]
    assert pickle.loads(pickle.dumps(linker)).link(texts, "en") == linker.link(texts, "en")


COPIED = "Die Weltbank und die Bank in Paris haben gestern über die Lage in Deutschland gesprochen, sagte ein Sprecher."
TRANSLATED = "The World Bank and the bank in Paris spoke about the situation in Germany yesterday, a spokesman said."


def test_entities_of_a_copied_source_do_not_count(small_kb):
    """Gekhman et al. (2020), section 2: systems that copy the source must not be rewarded for its entities."""
    pytest.importorskip("py3langid")
    plain, filtered = KBLinker(small_kb), KBLinker(small_kb, language_filter=True)
    assert [entity for _, entity in found(plain, COPIED)] == ["Q12", "Q2"]
    assert found(filtered, COPIED) == []
    assert found(filtered, TRANSLATED) == found(plain, TRANSLATED) != []
    assert found(filtered, COPIED, "de") == found(plain, COPIED, "de") != []


def test_text_in_another_script_is_foreign_and_latin_names_are_not(small_kb):
    pytest.importorskip("py3langid")
    filtered = KBLinker(small_kb, language_filter=True)
    assert found(filtered, "Президент России сказал это в Paris вчера утром на заседании.", "en") == []
    assert found(filtered, "这家银行今天表示，美国的情况正在好转。", "zh") == [("银行", "Q6"), ("美国", "Q4")]


def test_a_language_that_the_identifier_does_not_know_is_not_foreign(tmp_path):
    pytest.importorskip("py3langid")
    names = [("en", "Abuja"), ("yo", "Abuja")]
    records = [NameRecord("Q3787", language, name, "place") for language, name in names]
    kb = build(records, tmp_path / "kb", name="x", languages=["en", "yo"])
    text = "Abuja ni olú ìlú orílẹ̀-èdè Nàìjíríà"
    assert KBLinker(kb, language_filter=True).link([text], "yo") == KBLinker(kb).link([text], "yo") != [[]]


def test_odd_texts_are_no_problem(small_kb):
    linker = KBLinker(small_kb, numbers=True)
    texts = ["", " ", "\ud800 Paris \udfff", "Paris\ud800", "\x1fParis\x00", "\u0301\u200d", "Paris" * 20_000]
    assert [len(mentions) for mentions in linker.link(texts, "en")] == [0, 0, 1, 1, 1, 0, 0]
    many = linker.link(["Paris " * 20_000], "en")[0]  # a document in one line: time grows with its length alone
    assert len(many) == 20_000


def test_the_filter_says_what_it_needs(small_kb, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "py3langid", None)
    with pytest.raises(UsageError, match=r"pip install 'tercet\[kobe\]'"):
        KBLinker(small_kb, language_filter=True)


@pytest.mark.parametrize(
    ("language", "written", "value"),
    [
        ("en", "1,000", "1000"), ("de", "1.000", "1000"), ("en", "1.5", "1.5"), ("de", "1,5", "1.5"),
        ("en", "1,234,567.8", "1234567.8"), ("de", "1.234.567,8", "1234567.8"), ("fr", "12 000", "12000"),
        ("gu", "૧૨", "12"), ("en", "007", "7"), ("en", "0.50", "0.50"), ("de", "1,234,567", "1234567"),
    ],
)  # fmt: skip
def test_numbers_have_one_value_in_all_languages(language, written, value):
    assert number_value(written, language) == value


def test_numbers_and_addresses_are_mentions_if_asked_for(small_kb):
    text = "Paris has 2,100,000 people, see https://www.Example.org/a."
    assert found(KBLinker(small_kb, numbers=True), text) == [
        ("Paris", "Q2"), ("2,100,000", "number:2100000"), ("https://www.Example.org/a", "address:example.org/a"),
    ]  # fmt: skip
    assert [m.entities[0] for m in literals("COVID-19, B2 and 5", "en")] == ["number:19", "number:5"]
