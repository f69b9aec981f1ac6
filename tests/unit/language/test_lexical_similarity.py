"""How alike two words are: levels, what keeps words apart, and resources that a user gives."""

import pytest

from tercet.errors import UsageError
from tercet.language.lexical_similarity import (
    LEVELS,
    MOST,
    Similarity,
    is_function_word,
    nearest,
    published_marks,
    stop_words,
)
from tercet.language.sentence import Token

from .lookups import level as level_of

TAGS = {"NOUN": "NN", "PROPN": "NNP", "VERB": "VB", "PRON": "PRP", "NUM": "CD", "AUX": "VBZ", "DET": "DT", "ADP": "IN"}


def token(word: str) -> Token:
    """A word from form/lemma/UPOS."""
    form, lemma, tag = (*word.split("/"), "", "")[:3]
    return Token(form, 0, len(form), lemma or form.lower(), tag, TAGS.get(tag, ""))


def level(first: str, second: str, **parameters: object) -> str | None:
    return level_of(Similarity(**parameters), token(first), token(second))


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("House", "house", "exact"),
        ("U.S.//PROPN", "US//PROPN", "exact"),
        ("e-mail", "email", "exact"),
        ("1,000", "1000", "exact"),
        ("government", "governments", "stem"),  # by the stem
        ("went/go/VERB", "goes/go/VERB", "stem"),  # by the lemma
        ("n't//PART", "not//PART", "stem"),  # by the contraction
        ("car//NOUN", "automobile//NOUN", "synonym"),
        ("cars/car/NOUN", "automobiles/automobile/NOUN", "synonym"),
        ("car//NOUN", "government//NOUN", None),
        (",", ",", "exact"),
    ],
)
def test_the_level_is_the_best_at_which_words_are_alike(first, second, expected):
    assert level(first, second) == expected
    assert level(second, first) == expected


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("3", "5"),
        ("3.5", "35"),
        ("two//NUM", "deuce//NUM"),  # one synset
        ("have/have/VERB", "possess/possess/VERB"),  # a stop word and a content word, in one synset
        (",", "."),
        ("...", "-"),
        ("us//PRON", "US//PROPN"),  # Table 4.17
        ("a.m.//NOUN", "am/be/AUX"),
    ],
)
def test_numbers_stop_words_and_marks_are_kept_apart(first, second):
    assert level(first, second) is None
    assert level(second, first) is None


def test_a_number_may_be_written_in_words():
    assert level("3//NUM", "three//NUM") == "synonym"


def test_synonyms_can_be_left_out_and_are_english():
    assert level("car//NOUN", "automobile//NOUN", synonyms=False) is None
    assert level("car//NOUN", "automobile//NOUN", language="fr") is None
    assert level("voiture//NOUN", "voitures//NOUN", language="fr") == "stem"


def test_a_language_without_a_stemmer_has_forms_and_lemmas():
    assert level("namai/namas/NOUN", "namus/namas/NOUN", language="lt") == "stem"
    assert level("namai/namai/NOUN", "namus/namus/NOUN", language="lt") is None


def test_paraphrases_are_found_in_both_directions_by_form_or_lemma(tmp_path):
    table = tmp_path / "pairs.tsv"
    table.write_text("consent\tagreement\nsome words\tphrase\n", encoding="utf-8")
    for first, second in (("consent", "agreement"), ("agreements/agreement/NOUN", "consents/consent/NOUN")):
        assert level(first, second, paraphrases=str(table)) == "paraphrase"
    assert level("consent", "phrase", paraphrases=str(table)) is None
    assert level("consent", "Consent", paraphrases=str(table)) == "exact"


@pytest.fixture
def vectors(tmp_path):
    """Made-up vectors: the first two numbers are a direction."""
    path = tmp_path / "tiny.vec"
    rows = {
        "rushed": (1, 0), "taken": (1, 1), "far": (0, 1), "just": (1, 3.9), "she": (1, 0.1), "minister": (1, 0),
        "walked": (1, 0), "his": (1, 0), "3": (1, 0), "4": (1, 0), "at": (1, 0), "in": (1, 0), ",": (1, 0),
    }  # fmt: skip
    path.write_text("".join(f"{word} {a} {b}\n" for word, (a, b) in rows.items()), encoding="utf-8")
    return str(path)


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("rushed/rush/VERB", "taken/take/VERB", "distributional"),  # Table 4.18
        ("rushed/rush/VERB", "far//ADV", None),
        ("rushed/rush/VERB", "just//ADV", None),  # cosine .248, and a function word
        ("rushed/rush/VERB", "unknown//VERB", None),
        ("at//ADP", "in//ADP", "distributional"),  # function words of one category
        ("at//ADP", "his//PRON", None),
        ("she//PRON", "minister//NOUN", "distributional"),  # a noun for a pronoun
        ("she//PRON", "walked/walk/VERB", None),
        ("3//NUM", "4//NUM", None),
        (",//PUNCT", "rushed/rush/VERB", None),
        ("rushed/rush/VERB", "Rushed/rush/VERB", "exact"),
    ],
)
def test_vectors_relate_words_of_their_categories(vectors, first, second, expected):
    assert level(first, second, vectors=vectors) == expected
    assert level(second, first, vectors=vectors) == expected


def test_the_threshold_of_vectors_is_to_be_exceeded(vectors):
    first, second = "rushed/rush/VERB", "taken/take/VERB"  # cosine .707
    assert level(first, second, vectors=vectors, threshold=0.7) == "distributional"
    assert level(first, second, vectors=vectors, threshold=0.71) is None


def test_the_author_s_program_differs():
    assert level("3.5", "35", published=True) == "exact"
    assert level("is/be/AUX", "'s/be/AUX", published=True) == "exact"
    assert level("has/have/AUX", "'s/have/AUX", published=True) is None  # no contraction of its list, and no stop word
    assert level("US//PROPN", "us//PRON", published=True) == "exact"
    assert level("Go/Go/PROPN", "goes/go/VERB", published=True) is None
    assert level("Go/Go/PROPN", "goes/go/VERB") == "stem"


def test_levels_of_sentences_are_those_of_their_words(vectors):
    similarity = Similarity(vectors=vectors)
    first = [token(word) for word in ("the//DET", "cars/car/NOUN", "rushed/rush/VERB", ",")]
    second = [token(word) for word in ("taken/take/VERB", "the//DET", ",", "automobile//NOUN", "car//NOUN")]
    lexicon = similarity.lexicon()
    found = lexicon.levels(lexicon.lexis(first), lexicon.lexis(second))
    expected = {
        (i, j): found_level
        for i, one in enumerate(first, 1)
        for j, other in enumerate(second, 1)
        if (found_level := level_of(similarity, one, other))
    }
    assert found == expected
    assert found == {(1, 2): "exact", (2, 4): "synonym", (2, 5): "stem", (3, 1): "distributional", (4, 3): "exact"}


def test_of_very_many_places_the_nearest_are_compared():
    assert nearest([3, 8], 100) == [3, 8]
    places = list(range(1, 1001))
    assert nearest(places, 500) == list(range(451, 551))
    assert nearest(places, 1) == list(range(1, MOST + 1))
    assert nearest(places, 5000)[-1] == 1000 and len(nearest(places, 5000)) == MOST


@pytest.mark.parametrize(
    ("word", "is_function", "published"),
    [("the", True, True), ("The", True, True), ("us", True, False), ("n't", True, False), ("’s", True, False),
     ("government", False, False), (".", True, True), ("“", True, False), ("%", False, False), ("$", False, False)],
)  # fmt: skip
def test_function_words_are_stop_words_contractions_and_marks(word, is_function, published):
    assert is_function_word(word, "en") is is_function
    assert is_function_word(word, "en", published=True) is published


@pytest.mark.parametrize(
    ("word", "tag", "is_function"),
    [("US", "PROPN", False), ("US", "PRON", True), ("``", "PUNCT", True), ("``", "", False), ("house", "PUNCT", False)],
)  # fmt: skip
def test_tags_tell_acronyms_from_stop_words_and_marks_from_words(word, tag, is_function):
    """A parser that takes a word for punctuation does not make it a mark."""
    assert is_function_word(word, "en", tag=tag) is is_function
    (found,) = Similarity().lexicon().lexis([token(f"{word}//{tag}")]).words
    assert (found.is_function or found.is_punctuation) is is_function  # the aligner and the score agree


def test_files_that_change_are_read_again(tmp_path):
    table, vectors = tmp_path / "pairs.tsv", tmp_path / "tiny.vec"
    table.write_text("consent\tagreement\n", encoding="utf-8")
    vectors.write_text("rushed 1 0\ntaken 1 1\n", encoding="utf-8")
    given = {"paraphrases": str(table), "vectors": str(vectors)}
    verbs = "rushed/rush/VERB", "taken/take/VERB"
    assert level("consent", "agreement", **given) == "paraphrase" and level(*verbs, **given) == "distributional"
    kept = Similarity(**given).lexicon()
    assert Similarity(**given).lexicon() is kept
    table.write_text("house\tagreement\nand\tmore\n", encoding="utf-8")
    assert level("consent", "agreement", **given) is None and level("house", "agreement", **given) == "paraphrase"
    vectors.write_text("rushed 1 0\ntaken -1 -1\n", encoding="utf-8")
    assert level(*verbs, **given) is None


def test_the_lists_are_those_of_the_author_s_program():
    assert len(stop_words("en", published=True)) == 127
    assert len(published_marks()) == 20
    assert "der" in stop_words("de") and stop_words("xx") == frozenset()


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"threshold": 1.5}, "The threshold of word vectors must be a cosine, from -1 to 1, not 1.5."),
        ({"threshold": float("nan")}, "The threshold of word vectors must be a cosine, from -1 to 1, not nan."),
        (
            {"published": True, "language": "fr"},
            "published=True is available for English only; the language is 'fr'.",
        ),
    ],
)
def test_impossible_parameters_are_refused(parameters, message):
    with pytest.raises(UsageError) as error:
        Similarity(**parameters)
    assert str(error.value) == message


def test_the_levels_are_in_order():
    assert LEVELS == ("exact", "stem", "synonym", "paraphrase", "distributional", "entity")
