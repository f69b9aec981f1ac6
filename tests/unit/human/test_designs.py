"""Test the design of campaigns: sampling, assignment to raters, and control items."""

from collections import Counter
from dataclasses import replace
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tercet import examples as demo
from tercet.data.testset import TestSet
from tercet.errors import UnknownName, UsageError
from tercet.human.answers import judgements_of
from tercet.human.campaign import Campaign, Item, Output
from tercet.human.designs import design
from tercet.human.protocols import PROTOCOLS
from tercet.human.sampling import spread

DEMO = demo.load("en-zh")
SEPARATE: dict[str, Any] = {"show_identical": True}
WORDS = "a quick brown fox jumps over the lazy dog while seven wizards brew strange tea in old town".split()


def texts(segments: int, systems: int = 2, references: int = 2) -> TestSet:
    """Make a test set whose outputs all differ, with documents of three segments."""

    def line(kind: int, row: int) -> str:
        return " ".join(f"{WORDS[(row * 7 + kind * 3 + n) % len(WORDS)]}{row}" for n in range(6))

    return TestSet(
        {f"s{n}": [line(n, row) for row in range(segments)] for n in range(systems)},
        {f"ref{n}": [line(10 + n, row) for row in range(segments)] for n in range(references)},
        [f"source {row}" for row in range(segments)],
        [f"d{row // 3}" for row in range(segments)],
        pair="en-de",
        name="set",
    )


def plain(campaign: Campaign) -> list[Item]:
    return [item for item in campaign.items if not item.check]


def shown(campaign: Campaign, rater: int = 0) -> list[Item]:
    return [campaign.item(id) for id in campaign.raters[rater].items]


def judged(campaign: Campaign) -> Counter[tuple[str, str, str]]:
    """Count how often each output is judged, without control items."""
    return Counter(
        (item.segment, system, item.reference_name)
        for rater in campaign.raters
        for item in map(campaign.item, rater.items)
        if not item.check
        for system in item.judged
    )


@settings(deadline=None, max_examples=60)
@given(
    segments=st.integers(1, 20), systems=st.integers(2, 6), raters=st.integers(1, 7), data=st.data(),
    seed=st.integers(0, 999), shares=st.tuples(*[st.sampled_from([0, 0.1, 0.3])] * 3),
    protocol=st.sampled_from(sorted(PROTOCOLS)), sampling=st.sampled_from(["random", "documents"]),
)  # fmt: skip
def test_every_design_is_balanced_and_complete(
    segments: int, systems: int, raters: int, data: Any, seed: int, shares: Any, protocol: str, sampling: str
) -> None:
    redundancy = data.draw(st.integers(1, raters))
    testset = texts(segments, systems)
    bad, repeats, hidden = shares
    together = data.draw(st.integers(2, 5)) if systems % 2 == 0 else 5
    options: dict[str, Any] = {
        "protocol": protocol, "raters": raters, "redundancy": redundancy, "bad": bad, "repeats": repeats,
        "hidden": hidden, "sampling": sampling, "seed": seed, "together": together,
    }  # fmt: skip
    made = design(testset, **options)

    # Every output is judged as often as asked for; where pairs are compared, once with every other.
    times = redundancy * (systems - 1 if protocol == "pairwise" else 1)
    assert len(judged(made)) == segments * systems and set(judged(made).values()) == {times}

    # Balanced: without control items, numbers of items differ by at most one item (or one document).
    loads = [sum(not item.check for item in shown(made, rater)) for rater in range(raters)]
    assert max(loads) - min(loads) <= (3 if sampling == "documents" else 1)

    for rater in range(raters):
        items = shown(made, rater)
        ids = [item.id for item in items]
        assert len(set(ids)) == len(ids)
        places = {item.id: place for place, item in enumerate(items)}
        for item in items:
            if item.of:  # copies are of what the same rater sees
                original = made.item(item.of)
                assert item.of in places and original.segment == item.segment
                same = original.outputs == item.outputs and original.source == item.source
                assert same == (item.check == "repeat")
        seen = Counter((item.segment, item.outputs, item.reference) for item in items if item.check != "repeat")
        assert max(seen.values(), default=0) <= 1

        if sampling == "documents":  # whole, in order, undisturbed
            row = 0
            while row < len(items):
                length = sum(name == items[row].document for name in testset.documents or ())
                block = items[row : row + length]
                assert len({(item.document, item.check in ("", "reference")) for item in block}) == 1
                assert [int(item.segment) for item in block] == list(
                    range(int(items[row].segment), int(items[row].segment) + length)
                )
                row += length

    again = design(testset, **options)
    assert replace(again, id=made.id, created=made.created) == made


def test_another_seed_is_another_campaign() -> None:
    one, other = (design(DEMO, protocol="da", repeats=0.1, seed=seed) for seed in (1, 2))
    assert one.raters != other.raters and one.id != other.id


def test_every_two_raters_have_items_in_common_where_possible() -> None:
    made = design(texts(30), protocol="da", raters=5, redundancy=2)
    lists = [set(rater.items) for rater in made.raters]
    common = [len(one & other) for one, other in combinations(lists, 2)]
    assert min(common) >= 3 and sum(common) == 60
    for rater in range(5):  # and every rater sees every system about equally often
        counts = Counter(item.systems[0] for item in shown(made, rater))
        assert abs(counts["s0"] - counts["s1"]) <= 2


def test_control_items_are_at_unpredictable_positions() -> None:
    """Over many raters, control items are in every part of the list, and their ids do not differ from others."""
    checks = ("bad", "repeat", "reference")
    places: dict[str, list[float]] = {check: [] for check in checks}
    ranks: dict[str, list[float]] = {check: [] for check in checks}
    gaps = []
    for seed in range(60):
        made = design(texts(40), protocol="da", raters=2, bad=0.1, repeats=0.1, hidden=0.1, seed=seed, show="source")
        for rater in range(2):
            items = shown(made, rater)
            order = {item.id: place for place, item in enumerate(items)}
            for item in items:
                if item.check:
                    places[item.check].append(order[item.id] / len(items))
                    ranks[item.check].append(int(item.id) / len(made.items))
                if item.of:
                    gaps.append(abs(order[item.id] - order[item.of]))
                    assert item.check != "repeat" or order[item.of] < order[item.id]
    for check in checks:
        tenths = np.histogram(ranks[check], 10, (0, 1))[0] / len(ranks[check])
        assert abs(tenths - 0.1).max() < 0.04  # ids: uniform
        if check != "repeat":  # which comes second by definition
            thirds = np.histogram(places[check], 3, (0, 1))[0] / len(places[check])
            assert abs(thirds - 1 / 3).max() < 0.08
    assert min(gaps) >= 80 // 5


def test_control_items_have_the_right_number_and_copy_the_raters_items() -> None:
    made = design(DEMO, protocol="da", raters=3, redundancy=1, bad=0.2, repeats=0.1, hidden=0.1, show="both",
                  **SEPARATE)  # fmt: skip
    for rater in range(3):
        counts = Counter(item.check for item in shown(made, rater))
        assert counts == {"": 32, "bad": 6, "repeat": 3, "reference": 3}
    hidden = [item for item in made.items if item.check == "reference"]
    assert {item.systems for item in hidden} == {("refB",)} and {item.reference_name for item in hidden} == {"refA"}


def test_the_last_rater_gets_copies_of_the_same_items_as_the_first() -> None:
    """Raters who get a damaged copy of an output get the same one, so that they can be compared."""
    made = design(texts(10), protocol="da", raters=4, bad=0.5)
    damaged = [item for item in made.items if item.check == "bad"]
    assert len({item.of for item in damaged}) == len(damaged) and all(item.of for item in damaged)


def test_an_output_that_cannot_be_damaged_is_not_a_control_item(caplog: pytest.LogCaptureFixture) -> None:
    testset = TestSet({"a": ["", "", "some words"]}, {}, ["x", "y", "z"])
    made = design(testset, protocol="da", raters=1, bad=1)
    assert not [item for item in made.items if item.check]
    assert "only 0 of 3 control items (bad) could be made" in caplog.text


def test_groups_see_different_references_or_the_source_and_nothing_else() -> None:
    made = design(DEMO, protocol="adequacy", raters=7, groups=["refA", "refB", "source"], segments=4)
    assert made.show == "groups"
    assert [rater.group for rater in made.raters] == ["refA", "refB", "source"] * 2 + ["refA"]
    for number, rater in enumerate(made.raters):
        for item in shown(made, number):
            expected = ("", item.source) if rater.group == "source" else (rater.group, None)
            assert (item.reference_name, item.source) == expected and (item.source is None) != (item.reference is None)
    segments = [{item.segment for item in shown(made, number)} for number in range(7)]
    assert all(found == segments[0] for found in segments) and len(segments[0]) == 4  # the same outputs in all groups
    assert set(judged(made).values()) == {2, 3}
    assert len({item.id for item in made.items}) == 3 * 4 * 3


@pytest.mark.parametrize(
    ("protocol", "expected"), [("adequacy", "reference"), ("fluency", "neither"), ("da", "source"), ("mqm", "source")]
)
def test_what_is_shown_follows_the_protocol(protocol: str, expected: str) -> None:
    assert design(DEMO, protocol=protocol).show == expected
    assert {item.shows for item in design(DEMO, protocol=protocol).items} == {expected}


def test_the_default_of_show_uses_what_the_test_set_has() -> None:
    alone = TestSet(DEMO.outputs, DEMO.references)
    assert design(alone, protocol="da").show == "reference"
    assert design(TestSet(DEMO.outputs, {}, DEMO.source), protocol="adequacy").show == "source"
    with pytest.raises(UsageError, match="has no source to show"):
        design(alone, protocol="da", show="both")
    with pytest.raises(UsageError, match="has no reference to show"):
        design(TestSet(DEMO.outputs, {}, DEMO.source), protocol="da", show="reference")


def test_the_reference_shown_is_named_when_there_are_several(caplog: pytest.LogCaptureFixture) -> None:
    assert {item.reference_name for item in design(DEMO, protocol="adequacy").items} == {"refA"}
    assert "Of the references refA, refB, raters see refA" in caplog.text
    assert {item.reference for item in design(DEMO, protocol="adequacy", reference="refB", segments=1).items} <= set(
        DEMO.references["refB"]
    )


def test_segments_without_the_reference_are_not_taken() -> None:
    testset = TestSet({"a": ["x", "y", "z"]}, {"r": ["r1", None, "r3"], "s": ["s1", "s2", "s3"]})
    assert {item.segment for item in design(testset, protocol="adequacy", reference="r").items} == {"1", "3"}
    assert {item.segment for item in design(testset, protocol="adequacy", groups=["r", "s"]).items} == {"1", "3"}


def test_segments_keep_the_names_of_the_test_set() -> None:
    testset = TestSet({"a": ["x", "y"]}, {}, ["s", "t"], labels={"seg": ["401", "402"]})
    assert {item.segment for item in design(testset, protocol="da").items} == {"401", "402"}


def test_the_spread_is_the_standard_deviation_between_references() -> None:
    from tercet import score

    found = spread(DEMO, "chrf")
    scores = {
        name: score(replace(DEMO, references={name: lines}), ["chrf"])[0] for name, lines in DEMO.references.items()
    }
    for number, system in enumerate(DEMO.systems):
        by_hand = np.std([scores[name].segment[system] for name in DEMO.references], axis=0, ddof=1)
        assert np.allclose(found[number], by_hand, atol=1e-12)


def test_spread_takes_the_outputs_whose_scores_differ_most_between_references() -> None:
    """Section 6.1.1 of the thesis: the outputs with the highest standard deviation between references."""
    made = design(DEMO, protocol="adequacy", sampling="spread", segments=5, per_segment=1, raters=1,
                  reference="refA", **SEPARATE)  # fmt: skip
    found = spread(DEMO)
    best = sorted(range(len(DEMO)), key=lambda row: -found[:, row].max())[:5]
    assert {(item.segment, item.systems[0]) for item in made.items} == {
        (str(row + 1), DEMO.systems[int(found[:, row].argmax())]) for row in best
    }
    whole = design(DEMO, protocol="adequacy", sampling="spread", segments=5, raters=1, reference="refA", **SEPARATE)
    means = sorted(range(len(DEMO)), key=lambda row: -found[:, row].mean())[:5]
    assert {item.segment for item in whole.items} == {str(row + 1) for row in means} and len(whole.items) == 15


def test_spread_leaves_out_segments_with_one_reference_and_needs_two() -> None:
    testset = TestSet({"a": ["x y", "y z", "z x"]}, {"r": ["x", None, "x"], "s": ["z", "z", "z"]}, ["1", "2", "3"])
    assert np.isnan(spread(testset)).tolist() == [[False, True, False]]
    made = design(testset, protocol="da", sampling="spread", raters=1)
    assert {item.segment for item in made.items} == {"1", "3"}
    with pytest.raises(UsageError, match="needs at least two references"):
        design(replace(testset, references={}), protocol="da", sampling="spread")


def test_documents_stay_whole_and_there_is_at_least_one() -> None:
    made = design(texts(12), protocol="da", sampling="documents", segments=7, raters=1)
    documents = Counter(item.document for item in made.items if item.systems == ("s0",))
    assert len(documents) == 2 and set(documents.values()) == {3}
    assert len(design(texts(12), protocol="da", sampling="documents", segments=1, raters=1).items) == 6
    with pytest.raises(UsageError, match="has no documents. Give them with `docs`"):
        design(replace(texts(3), documents=None), protocol="da", sampling="documents")


def test_systems_per_segment_are_chosen_in_turn() -> None:
    made = design(texts(30, systems=5), protocol="da", per_segment=2, raters=1)
    counts = Counter(item.systems[0] for item in made.items)
    assert set(counts.values()) == {12} and set(Counter(item.segment for item in made.items).values()) == {2}


def test_rankings_show_a_few_outputs_and_all_systems_are_ranked() -> None:
    made = design(texts(4, systems=7), protocol="ranking", raters=1, **SEPARATE)
    assert Counter(len(item.outputs) for item in made.items) == {4: 4, 3: 4}
    made = design(texts(4, systems=7), protocol="pairwise", raters=1, **SEPARATE)
    assert {frozenset(item.systems) for item in made.items} == {
        frozenset(pair) for pair in combinations([f"s{n}" for n in range(7)], 2)
    }
    firsts = Counter(item.systems[0] for item in made.items)
    assert max(firsts.values()) < 24 and len(firsts) == 7  # the first system is random
    with pytest.raises(UsageError, match="3 systems cannot be ranked 2 at a time"):
        design(texts(4, systems=3), protocol="ranking", together=2)


@pytest.mark.parametrize(("protocol", "size"), [("ranking", 3), ("pairwise", 2)])
def test_a_damaged_copy_is_ranked_beside_its_original(protocol: str, size: int) -> None:
    testset = texts(10, systems=3)
    made = design(testset, protocol=protocol, raters=2, bad=0.5)
    damaged = [item for item in made.items if item.check == "bad"]
    assert len(damaged) >= 5
    places = set()
    for item in damaged:
        original, [copy] = made.item(item.of), [name for name in item.systems if name.endswith(" (damaged)")]
        system = copy.removesuffix(" (damaged)")
        assert len(item.outputs) == len(original.outputs) == size  # its size does not give a control item away
        shown_texts, row = {output.system: output.text for output in item.outputs}, int(item.segment) - 1
        assert shown_texts[system] == testset.outputs[system][row] != shown_texts[copy]
        assert set(item.systems) - {copy} < set(original.systems)
        places.add((item.systems.index(system), item.systems.index(copy)))
    assert len(places) > 1  # the copy is before or after its original


def test_a_hidden_reference_takes_the_place_of_an_output_in_a_ranking() -> None:
    made = design(texts(10, systems=3), protocol="ranking", raters=2, hidden=0.5)
    hidden = [item for item in made.items if item.check == "reference"]
    assert hidden and all(len(item.outputs) == 3 for item in hidden)
    assert all(sum(system.startswith("ref") for system in item.systems) == 1 for item in hidden)


def test_the_tutorial_comes_first_and_is_in_no_raters_list() -> None:
    lesson = Item("x", "1", (Output("a", "b"),), "s", expected={"value": 90})
    made = design(DEMO, protocol="da", tutorial=[lesson])
    assert made.tutorial == ("t1",) and made.item("t1") == replace(lesson, id="t1", check="tutorial")
    assert not any("t1" in rater.items for rater in made.raters)


def test_orders_differ_between_raters() -> None:
    made = design(DEMO, protocol="da", raters=6)
    assert len({rater.items for rater in made.raters}) == 6
    assert all(set(one.items) == set(other.items) for one, other in pairwise(made.raters))


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"protocol": "dda"}, "`protocol` must be adequacy, fluency, da"),
        ({"sampling": "all"}, "`sampling` must be random, spread or documents, not 'all'"),
        ({"raters": 0}, "At least 1 rater is needed, not 0"),
        ({"raters": ["a", "a"]}, "Raters must be a number or a list of different names"),
        ({"raters": 3, "redundancy": 4}, "The redundancy must be between 1 and the number of raters, 3, not 4"),
        ({"raters": 3, "redundancy": 0}, "The redundancy must be between 1 and the number of raters, 3, not 0"),
        ({"raters": 3, "groups": ["refA", "refB"], "redundancy": 2}, "between 1 and the number of raters, 1, not 2"),
        ({"raters": 1, "groups": ["refA", "refB"]}, "2 groups need at least 2 raters, not 1"),
        ({"groups": ["refA", "refC"]}, "There is no reference in test set 'en-zh' called 'refC'"),
        ({"groups": ["refA", "refA"]}, "A group of raters occurs twice"),
        ({"groups": ["refA"], "show": "source"}, "Groups define what is shown"),
        ({"reference": "refB"}, "A reference was chosen, but the campaign shows source"),
        ({"reference": "refX", "show": "both"}, "called 'refX'"),
        ({"show": "all"}, "`show` must be source, reference, both or neither, not 'all'"),
        ({"segments": 0}, "`segments` must be 1 or more, not 0"),
        ({"per_segment": 9}, "The number of systems per segment must be 1 to 3, not 9"),
        ({"bad": 1.5}, "`bad` must be 0 to 1, not 1.5"),
        ({"bad": 0.6, "repeats": 0.6}, "must not exceed 1 in total: one copy per item"),
        ({"protocol": "ranking", "together": 6}, "`together` must be 2 to 5, not 6"),
        ({"severities": ["Bad"]}, "Severities and categories cannot be given for da"),
        ({"metric": "chrff", "sampling": "spread"}, "Did you mean chrf"),
    ],
)
def test_impossible_designs_are_errors(options: dict[str, Any], expected: str) -> None:
    with pytest.raises((UsageError, UnknownName)) as caught:
        design(DEMO, **{"protocol": "da", **options})
    assert expected in str(caught.value)


def test_ten_thousand_items_are_designed_in_seconds() -> None:
    made = design(texts(1000, systems=5), protocol="da", raters=20, redundancy=2, bad=0.1, repeats=0.1)
    assert sum(len(rater.items) for rater in made.raters) == 12000


def test_raters_see_the_neighbours_of_a_segment_in_its_document() -> None:
    texts = TestSet({"a": ["x", "y", "z"]}, source=["one", "two", "three"], documents=["d", "d", "e"], name="unnamed")
    campaign = design(texts, protocol="da", raters=1, show="source")
    context = {item.segment: (item.before, item.after) for item in campaign.items}
    assert context == {"1": ("", "two"), "2": ("one", ""), "3": ("", "")}
    assert campaign.name == "a"  # named after the system
    hidden = design(replace(texts, references={"r": ["a", "b", "c"]}), protocol="da", raters=1, show="reference")
    assert {item.before for item in hidden.items} == {""}


SAME = TestSet(
    {"a": ["same", "one", "x"], "b": ["same", "two", "x"], "c": ["other", "two", "x"]},
    {},
    ["s1", "s2", "s3"],
    pair="en-de",
)


def test_equal_texts_are_judged_once_and_counted_for_all_systems() -> None:
    made = design(SAME, protocol="da", raters=1)
    assert Counter(item.segment for item in made.items) == {"1": 2, "2": 2, "3": 1}
    assert judged(made) == {(segment, system, ""): 1 for segment in "123" for system in "abc"}
    rows = [("rater1", item.id, {"value": 10 * len(item.outputs[0].text)}, 4.0) for item in made.items]
    found = judgements_of(made, rows)
    assert {(row.segment, row.system): row.value for row in found.rows} == {
        (segment, system): 10.0 * len(SAME.outputs[system][int(segment) - 1]) for segment in "123" for system in "abc"
    }
    assert sum(row.seconds for row in found.rows if row.seconds == row.seconds) == 4.0 * len(made.items)
    assert {len(item.judged) for item in design(SAME, protocol="da", raters=1, show_identical=True).items} == {1}


@pytest.mark.parametrize("protocol", ["pairwise", "ranking"])
@pytest.mark.parametrize("documents", [None, ["d", "d", "d"]])
def test_comparisons_never_show_equal_texts_and_count_them_as_ties(
    protocol: str, documents: list[str] | None, tmp_path: Path
) -> None:
    testset = replace(SAME, documents=documents)
    made = design(testset, protocol=protocol, raters=1, sampling="documents" if documents else "random")
    assert made.items
    for item in made.items:
        assert len({output.text for output in item.outputs}) == len(item.outputs) > 1
    assert {system for segment, *systems in made.identical if segment == "3" for system in systems} == {"a", "b", "c"}
    rows = [("rater1", item.id, {"ranks": {name: 1 + n for n, name in enumerate(item.systems)}}, 1.0)
            for item in made.items]  # fmt: skip
    ranks = {(row.segment, row.system): row.value for row in judgements_of(made, rows).rows}
    assert protocol == "pairwise" or ranks["1", "a"] == ranks["1", "b"] != ranks["1", "c"]
    made.write(tmp_path / "campaign.json")
    assert Campaign.read(tmp_path / "campaign.json") == made
