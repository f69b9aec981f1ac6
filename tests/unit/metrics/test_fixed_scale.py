"""Combinations with a fixed scale: a score does not depend on other systems, and a bad output scores low."""

import pytest

import tercet
from tercet.errors import UsageError
from tercet.metrics import create

REFERENCE = "He did not like the green house at all."


def scores(metric: str, **outputs: str) -> dict[str, float]:
    texts = tercet.TestSet({name: [text] for name, text in outputs.items()}, {"r": [REFERENCE]}, pair="de-en")
    return dict(tercet.score(texts, metric)[0].system)


def test_the_score_of_a_single_output_is_sane():
    assert scores("upc_ipa", good=REFERENCE)["good"] == 1
    bad = scores("upc_ipa", bad="zzz qqq bbb")["bad"]
    assert bad < 0.15
    assert scores("upc_ipa", bad="zzz qqq bbb", good=REFERENCE)["bad"] == bad


@pytest.mark.parametrize(("metric", "instead"), [("upc_ipa:scale=max", "bounds"), ("mean:scale=z", "none")])
def test_a_scale_of_the_test_set_needs_several_systems(metric, instead):
    with pytest.raises(UsageError, match=f"there is only one. Give several, or use scale={instead}."):
        scores(metric, good=REFERENCE)
    assert len(scores(metric, good=REFERENCE, bad="zzz")) == 2


@pytest.mark.parametrize("name", ["upc_ipa", "upc_stout", "layered"])
def test_every_member_has_bounds(name):
    metric = create(name)
    assert metric.bounds.keys() == metric.parts().keys()
    assert all(low < high for low, high in metric.bounds.values())
