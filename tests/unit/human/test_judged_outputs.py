"""Judgements with their texts: for tables, and as examples for quality estimation."""

import json

import pytest

from tercet.data.bilingual import open_bitext
from tercet.data.testset import TestSet
from tercet.errors import DataError, UsageError
from tercet.human.designs import design
from tercet.human.export import export_texts
from tercet.human.results import judged_outputs, labelled_outputs
from tercet.human.sampling import choose_ranked, read_order

TEXTS = TestSet({"a": ["ein Haus", "zwei"]}, {"ref": ["ein Haus", "zwei"]}, ["a house", "two"], pair="en-de", name="t")


def rows(campaign, answer):
    return [
        (rater.name, item, answer(number, campaign.item(item)), 3.0, "")
        for number, rater in enumerate(campaign.raters)
        for item in rater.items
    ]


def test_outputs_have_the_scores_of_all_raters_and_their_texts():
    campaign = design(TEXTS, protocol="da", raters=2, show="source")
    found = judged_outputs(campaign, rows(campaign, lambda number, item: {"value": 40 + 20 * number}))
    assert {each.output: (each.mean, each.spread, each.source) for each in found} == {
        "ein Haus": (50.0, 20.0, "a house"),
        "zwei": (50.0, 20.0, "two"),
    }


def test_marked_errors_become_scores_for_training():
    campaign = design(TEXTS, protocol="mqm", raters=1, show="source")
    span = {"start": 0, "end": 3, "severity": "Major", "category": "Other", "in_source": False}
    found = labelled_outputs(campaign, rows(campaign, lambda _, item: {"spans": [[span]], "value": None}))
    assert (found.labels, found.higher_is_better, found.label_range) == ((-5.0, -5.0), True, None)


def test_training_needs_scores_and_sources():
    campaign = design(TEXTS, protocol="fluency", raters=1, show="neither")
    with pytest.raises(DataError, match="does not show sources"):
        labelled_outputs(campaign, rows(campaign, lambda *_: {"value": 3}))
    with pytest.raises(DataError, match="no judgements yet"):
        labelled_outputs(campaign, [])
    two = TestSet({"a": ["x"], "b": ["y"]}, source=["s"])
    with pytest.raises(UsageError, match="gives them no scores"):
        labelled_outputs(design(two, protocol="pairwise", raters=1, show="source"), [])


@pytest.mark.parametrize("ending", ["tsv", "json", "xlsx"])
def test_judgements_are_written_with_their_texts(ending, tmp_path):
    campaign = design(TEXTS, protocol="da", raters=1, show="both", reference="ref")
    path = tmp_path / f"a.{ending}"
    assert export_texts(campaign, rows(campaign, lambda *_: {"value": 7}), path) == 2
    if ending == "json":
        assert {each["output"] for each in json.loads(path.read_text())} == {"ein Haus", "zwei"}
    else:
        bitext = open_bitext(path)
        assert sorted(bitext.source) == ["a house", "two"]
        assert {each.labels["value"].removesuffix(".0") for each in bitext.segments} == {"7"}


def test_segments_are_chosen_by_a_ranking(tmp_path):
    path = tmp_path / "order.json"
    path.write_text(json.dumps({"segments": [{"segment": 3}, {"segment": 1}, {"segment": 2}, {"segment": 4}]}))
    order = read_order(path, 4)
    assert order == [2, 0, 1, 3]
    assert choose_ranked(order, 2) == [0, 2]
    chosen = choose_ranked(order, 2, how="stratified", seed=3)
    assert len({row in (2, 0) for row in chosen}) == 2  # one from each half
    with pytest.raises(UsageError, match="from 1 to 4"):
        choose_ranked(order, 5)
    path.write_text('{"segments": [{"segment": 9}]}')
    with pytest.raises(DataError, match="not a ranking of these 4 segments"):
        read_order(path, 4)
