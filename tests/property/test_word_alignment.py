"""Invariants of lexical tables and word alignments on random texts."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tercet.language.bilingual_alignment import symmetrise, train_aligner, train_hmm
from tercet.language.lexical_tables import train_table
from tests.unit.language.lookups import translations

sources = st.lists(st.sampled_from([f"s{i}" for i in range(9)]), min_size=1, max_size=8)
targets = st.lists(st.sampled_from([f"t{i}" for i in range(9)]), min_size=1, max_size=8)
corpora = st.lists(st.tuples(sources, targets), min_size=1, max_size=12).map(
    lambda pairs: tuple(map(list, zip(*pairs, strict=True)))
)


@given(corpus=corpora, iterations=st.integers(1, 12))
def test_the_perplexity_of_model_1_never_rises(corpus, iterations):
    perplexities = np.array(train_table(*corpus, iterations=iterations).perplexities)
    assert (np.diff(perplexities) <= 1e-12 * perplexities[:-1]).all()


@given(corpus=corpora)
def test_rows_are_distributions(corpus):
    table = train_table(*corpus, iterations=3)
    models = [table, train_hmm(table, *corpus, iterations=2).table]
    for model in models:
        sums = np.add.reduceat(model.probabilities, model.starts[:-1])
        np.testing.assert_allclose(sums, 1, rtol=1e-12)


@given(corpus=corpora, seed=st.integers(0, 100))
def test_the_order_of_sentences_does_not_matter(corpus, seed):
    order = np.random.default_rng(seed).permutation(len(corpus[0]))
    first = train_table(*corpus, iterations=3)
    second = train_table(*([side[i] for i in order] for side in corpus), iterations=3)
    for word in first.source_words:
        expected = dict(translations(second, word))
        for target, probability in translations(first, word):
            np.testing.assert_allclose(probability, expected[target], rtol=1e-9)


@given(corpus=corpora)
def test_the_same_texts_give_the_same_bits(corpus):
    first, second = (train_aligner(*corpus, table_iterations=2, iterations=2) for _ in range(2))
    assert first.forward.table.probabilities.tobytes() == second.forward.table.probabilities.tobytes()
    assert first.backward.jumps.tobytes() == second.backward.jumps.tobytes()
    assert first.align(*corpus) == second.align(*corpus)


@given(corpus=corpora)
def test_symmetrised_alignments_lie_between_intersection_and_union(corpus):
    aligner = train_aligner(*corpus, table_iterations=2, iterations=2)
    methods = ("intersection", "grow-diag", "grow-diag-final-and", "grow-diag-final", "union")
    found = [aligner.align(*corpus, method=method) for method in methods]
    for pair in zip(*found, strict=True):
        intersection, grown, final_and, *_ = map(set, pair)
        assert intersection <= grown <= final_and
        assert all({*links} <= {*pair[-1]} for links in pair)


@given(corpus=corpora)
def test_exchanging_the_texts_exchanges_intersection_and_union(corpus):
    first, second = train_aligner(*corpus, iterations=1), train_aligner(*corpus[::-1], iterations=1)
    for method in ("intersection", "union"):
        there = first.align(*corpus, method=method)
        back = second.align(*corpus[::-1], method=method)
        assert [sorted((j, i) for i, j in links) for links in back] == there


@given(corpus=corpora)
def test_an_alignment_alone_and_among_others_is_the_same(corpus):
    aligner = train_aligner(*corpus, table_iterations=2, iterations=1)
    together = aligner.align(*corpus)
    alone = [aligner.align([source], [target])[0] for source, target in zip(*corpus, strict=True)]
    assert together == alone
    assert symmetrise(aligner.forward.align(*corpus), aligner.backward.align(*corpus[::-1])) == together
