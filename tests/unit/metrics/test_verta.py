"""VERTa on small trees written by hand. The four printed scores of an example are in tests/reproduction."""

import pytest

from tercet.language.relations import with_dependencies
from tercet.language.sentence import Sentence
from tercet.metrics import create
from tercet.metrics.structure.verta import Triple, _made_word, align, similarities, triples

from .test_hwcm import parsed


def tree(text):
    return with_dependencies(parsed(text))


ACTIVE = tree("Dogs NOUN 2 nsubj\nchase VERB 0 root\ncats NOUN 2 obj")
OTHER = tree("Dogs NOUN 2 nsubj\nchase VERB 0 root\nmice NOUN 2 obj")


def shares(output, reference):
    return create("verta").resolved("en").modules(output, reference)


def test_words_match_by_the_first_kind_that_fits():
    def value(*pair):
        words = [_made_word(form, lemma, "", english=True) for form, lemma in pair]
        return similarities(words[:1], words[1:]).get((0, 0), 0.0)

    assert value(("cat", "cat"), ("cat", "cat")) == 1
    assert value(("big", "big"), ("large", "large")) == 1  # synonyms
    assert value(("decide", "decide"), ("decision", "decision")) == 0.9  # related in WordNet
    assert value(("Foos", "foo"), ("foo", "foo")) == 0.8  # the lemma; not in WordNet
    assert value(("Zubrowka", "zubrowka"), ("zubronic", "zubronic")) == 0.7
    assert value(("a", "a"), ("b", "b")) == 0


def test_the_highest_values_are_aligned_first_then_the_nearest():
    assert align({(0, 0): 0.8, (0, 1): 1.0, (1, 1): 0.9}) == {0: 1}
    assert align({(0, 2): 1.0, (2, 2): 1.0, (0, 0): 1.0}) == {0: 0, 2: 2}


def test_words_outside_the_tree_are_triples_of_half_weight():
    found = triples(tree("Dogs NOUN 2 nsubj\nbark VERB 0 root\n. PUNCT 2 punct"))
    assert found == [Triple("nsubj", 1, 0), Triple("root", -1, 1), Triple("_", -1, 2)]
    assert [triple.weight for triple in found] == [1, 1, 0.5]


def test_modules_of_a_sentence_with_one_other_word():
    lexical, morphological, dependency, ngram = shares(OTHER, ACTIVE)
    assert (lexical.precision, lexical.recall) == (pytest.approx(2 / 3),) * 2 == morphological
    assert dependency == (1, 1)  # obj(chase, mice) has relation and governor of obj(chase, cats)
    assert ngram == (0.5, 0.5)


def test_the_tag_must_agree_in_the_morphological_module():
    verb = tree("Dogs VERB 2 nsubj\nchase VERB 0 root\ncats NOUN 2 obj")
    lexical, morphological, *_ = shares(verb, ACTIVE)
    assert lexical.f == 1 and morphological.f == pytest.approx(2 / 3)


@pytest.mark.parametrize("variant", ["eq", "w"])
def test_a_sentence_scores_1_against_itself_and_nothing_when_empty(variant):
    metric, empty = create(f"verta:variant={variant}").resolved("en"), Sentence("")
    assert metric.count_parsed(ACTIVE, [OTHER, ACTIVE])[0] == pytest.approx(1)
    assert [metric.count_parsed(*pair)[0] for pair in ((empty, [ACTIVE]), (ACTIVE, [empty]))] == [0, 0]
