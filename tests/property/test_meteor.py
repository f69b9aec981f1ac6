"""METEOR on random texts: bounds, identity, and what must not matter."""

from hypothesis import given, settings
from hypothesis import strategies as st

from tercet import TestSet
from tercet.metrics.alignment.meteor import METEOR
from tercet.text.meteor import LANGUAGES, normalise

words = st.sampled_from("the a cat cats dog hound ran running , . U.S. 3 über é 日本 don't ''".split())
sentences = st.lists(words, max_size=12).map(" ".join)
given_variants = METEOR(), METEOR(variant="original"), METEOR(copy=2), METEOR(language="other")
variants = st.sampled_from([metric.resolved() for metric in given_variants])


def scores(metric, outputs, *references):
    testset = TestSet({"x": outputs}, {str(i): texts for i, texts in enumerate(references)})
    return metric.segment_scores(metric.statistics(testset)["x"])


@given(variants, sentences, sentences)
def test_scores_are_from_0_to_1_and_1_for_a_copy(metric, output, reference):
    (score,) = scores(metric, [output], [reference])
    assert 0 <= score <= 1
    (same,) = scores(metric, [reference], [reference])
    assert same == (1 if metric.ready().explain(reference, [reference]).parts[0].output else 0)


@given(variants, sentences, sentences, sentences)
def test_a_second_reference_never_hurts_and_order_does_not_matter(metric, output, first, second):
    alone = max(scores(metric, [output], [first])[0], scores(metric, [output], [second])[0])
    assert scores(metric, [output], [first], [second])[0] == alone == scores(metric, [output], [second], [first])[0]


@given(variants, st.lists(st.tuples(sentences, sentences), min_size=1, max_size=5))
def test_neighbours_do_not_matter(metric, rows):
    outputs, references = map(list, zip(*rows, strict=True))
    together = scores(metric, outputs, references)
    assert together.tolist() == [scores(metric, [a], [b])[0] for a, b in rows]


@given(variants, sentences, sentences)
def test_an_alignment_uses_every_word_at_most_once(metric, output, reference):
    (found,) = metric.ready().explain(output, [reference]).parts
    for places, text in (
        ([i for link in found.links for i in link.output], found.output),
        ([i for link in found.links for i in link.other], found.other),
    ):
        assert len(places) == len(set(places))
        assert all(0 <= i < len(text) for i in places)
    chunks = [link.values["chunk"] for link in found.links]
    assert sorted(set(chunks)) == list(range(1, len(set(chunks)) + 1))


@settings(max_examples=300)
@given(st.text(), st.sampled_from(LANGUAGES), st.booleans())
def test_normalising_answers_on_any_text_with_single_spaces(text, language, punctuation):
    tokens = normalise(text, language, punctuation=punctuation)
    assert "  " not in tokens
    assert tokens == tokens.strip()
