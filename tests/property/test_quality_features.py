"""Features of any texts are finite, depend on their own pair alone, and have the bounds that their names promise."""

from random import Random

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tercet.quality.features import all_features, extract
from tercet.quality.resources import Corpora, Resources

from ..unit.quality.corpus import SOURCES, TARGETS, column

ESTIMATED = Corpora(("en", "es"), parallel=(SOURCES, TARGETS)).estimate()
KNOWN = sorted({word for line in SOURCES + TARGETS for word in line.split()})
anything = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
sentences = st.lists(st.sampled_from([*KNOWN, "(", '"', "1,5", "NATO", "¿"]), max_size=12).map(" ".join)
texts = st.one_of(anything, sentences)
pairs = st.lists(st.tuples(texts, texts), min_size=1, max_size=5)
# Shares lie between 0 and 1.
SHARES = {one.name for one in all_features() if one.description.startswith("share of")}
SHARES |= {"same_first_case", "same_last_mark", "shared_numbers", "target_is_source"}
COUNTS = {"source_tokens", "target_tokens", "target_open_brackets", "target_stutters", "target_unknown_words"}


@given(pairs)
@settings(max_examples=60)
def test_features_are_finite_and_in_their_bounds(rows: list[tuple[str, str]]) -> None:
    table = extract([row[0] for row in rows], [row[1] for row in rows], ESTIMATED)
    assert np.isfinite(table.values).all()
    for place, name in enumerate(table.names):
        column = table.values[:, place]
        if name in SHARES:
            assert (column >= 0).all() and (column <= 1 + 1e-12).all(), name
        if name in COUNTS:
            assert (column >= 0).all() and (column == np.floor(column)).all(), name


@given(pairs, st.randoms(use_true_random=False))
@settings(max_examples=40)
def test_a_pair_has_the_same_features_in_any_company(rows: list[tuple[str, str]], random: Random) -> None:
    sources, outputs = [row[0] for row in rows], [row[1] for row in rows]
    together = extract(sources, outputs, ESTIMATED)
    order = list(range(len(rows)))
    random.shuffle(order)
    shuffled = extract([sources[i] for i in order], [outputs[i] for i in order], ESTIMATED)
    assert np.array_equal(shuffled.values, together.values[order])
    alone = extract(sources[:1], outputs[:1], ESTIMATED)
    assert np.array_equal(alone.values[0], together.values[0])


@given(pairs)
@settings(max_examples=30)
def test_features_of_a_subset_of_resources_are_the_same(rows: list[tuple[str, str]]) -> None:
    sources, outputs = [row[0] for row in rows], [row[1] for row in rows]
    whole = extract(sources, outputs, ESTIMATED)
    part = extract(sources, outputs, Resources("en", "es", target_lm=ESTIMATED.target_lm))
    assert set(part.names) < set(whole.names)
    assert all(np.array_equal(column(part, name), column(whole, name)) for name in part.names)
