"""Test the numbers of the organiser's page: progress, pace, checks, agreement, ranking."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

pytest.importorskip("sqlalchemy", reason="the extra tercet[web] is not installed")

from tercet.data.testset import TestSet
from tercet.human.campaign import Campaign, Item, Output, Rater
from tercet.human.dashboard import compute
from tercet.human.designs import design
from tercet.human.protocols import PROTOCOLS
from tercet.human.storage import StoredRecord

from ..stats.coefficients import mean_kappa

SYSTEMS = ("good", "fair", "poor")


def campaign_of(protocol: str, segments: int = 30, raters: tuple[str, ...] = ("a", "b", "c")) -> Campaign:
    """Make a campaign in which all raters judge all items, with damaged copies and repeats of the first items."""
    how = PROTOCOLS[protocol]
    items = []
    for row in range(segments):
        outputs = [Output(system, f"{system} {row}") for system in SYSTEMS]
        groups = [outputs[: how.most]] if how.ranks else [[output] for output in outputs]
        items += [Item(f"{row}-{n}", str(row + 1), tuple(group)) for n, group in enumerate(groups)]
    for check in ("bad", "repeat"):
        items += [replace(item, id=f"{check}{n}", check=check, of=item.id) for n, item in enumerate(items[:5])]
    people = [Rater(name, tuple(item.id for item in items)) for name in raters]
    return Campaign(
        "live", protocol, items, people, show="neither", severities=how.severities, categories=how.categories, id="c"
    )


def answer(campaign: Campaign, item: Item, rng: np.random.Generator, *, careless: bool = False) -> dict[str, Any]:
    """Make an answer: systems differ by 20 of 100 points; only careful raters score damaged copies lower."""

    def worth(system: str) -> float:
        damage = 45 if item.check == "bad" else 0
        return float(rng.uniform(0, 100)) if careless else 80 - 20 * SYSTEMS.index(system) - damage + rng.normal(0, 6)

    how = campaign.how
    if how.ranks:
        order = sorted(item.systems, key=worth, reverse=True)
        return {"ranks": {system: order.index(system) + 1 for system in item.systems}}
    value = float(np.clip(how.low + (how.high - how.low) * worth(item.systems[0]) / 100, how.low, how.high))
    if campaign.protocol == "mqm":
        number = round((100 - worth(item.systems[0])) / 20)
        span = {"start": 0, "end": 2, "severity": "Major", "category": "Style/Awkward"}
        return {"spans": [[span] * max(number, 0)], "value": None}
    return ({"spans": [[]]} if how.spans else {}) | {"value": round(value)}


def records_of(campaign: Campaign, *, share: float = 1.0, careless: str = "", seed: int = 1) -> list[StoredRecord]:
    rng = np.random.default_rng(seed)
    rows = []
    for rater in campaign.raters:
        for id in rater.items[: round(share * len(rater.items))]:
            given = answer(campaign, campaign.item(id), rng, careless=rater.name == careless)
            number = len(rows) + 1
            rows.append(
                StoredRecord(number, f"r{number}", rater.name, id, given, 12.0, "", "2026-01-01T10:00:00.000Z", "")
            )
    return rows


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_every_protocol_has_progress_agreement_and_a_ranking(protocol: str) -> None:
    campaign = campaign_of(protocol, raters=tuple("abcde"))
    board = compute(campaign, records_of(campaign), resamples=200)
    assert board.done == board.total == sum(len(rater.items) for rater in campaign.raters)
    assert board.per_hour == pytest.approx(300) and board.left == 0 and board.changes == 0
    assert board.ranking is not None
    order = [place.system for place in board.ranking.places]
    assert order == list(SYSTEMS[:2] if protocol == "pairwise" else SYSTEMS)
    assert [place.cluster for place in board.ranking.places] == list(range(1, len(order) + 1))
    assert board.ranking.risk == 0 and board.ranking.places[0].best == 1
    for agreement in board.agreement:
        assert agreement.low <= agreement.value + 1e-9 and agreement.value - 1e-9 <= agreement.high
        # If one of two always wins, kappa is 0 or not defined.
        assert protocol == "pairwise" or (agreement.value > 0.3 and agreement.pairs == 10)
    assert not board.notes and not any(line.problems for line in board.raters)


def test_agreement_is_that_of_the_library() -> None:
    campaign = campaign_of("adequacy")
    records = records_of(campaign)
    plain = [item.id for item in campaign.items if not item.check]
    values = {(record.rater, record.item): record.answer["value"] for record in records}
    table = [[values[rater, id] for id in plain] for rater in "abc"]
    found = {agreement.measure: agreement for agreement in compute(campaign, records, resamples=50).agreement}
    assert found["Cohen's kappa"].value == pytest.approx(mean_kappa(table))
    expected = mean_kappa(table, "quadratic")
    assert found["Cohen's kappa, quadratic weights"].value == pytest.approx(expected)
    assert {agreement.items for agreement in found.values()} == {len(plain)}


def test_a_change_counts_once_and_is_counted() -> None:
    campaign = campaign_of("adequacy", segments=3)
    records = records_of(campaign, share=0.5)
    again = records[0]._replace(number=99, request="again", seconds=40.0)
    board = compute(campaign, [*records, again])
    assert board.done == len(records) and board.changes == 1 and board.raters[0].changes == 1
    assert board.raters[0].left == pytest.approx(12.0 * (board.raters[0].total - board.raters[0].done))
    assert board.ranking is not None and math.isnan(board.ranking.risk)  # far too early


def test_the_dashboard_of_a_campaign_without_judgements() -> None:
    board = compute(campaign_of("da"), [])
    assert board.done == 0 and board.ranking is None and not board.agreement and math.isnan(board.per_hour)
    assert [line.last for line in board.raters] == ["", "", ""]


@pytest.mark.parametrize("protocol", ["da", "adequacy"])
def test_careless_raters_are_named_with_the_reason(protocol: str) -> None:
    pytest.importorskip("scipy")
    campaign = campaign_of(protocol)
    board = compute(campaign, records_of(campaign, careless="b"), resamples=50)
    assert [bool(line.problems) for line in board.raters] == [False, True, False]
    assert "damaged outputs not scored lower" in " ".join(board.raters[1].problems)
    assert "in the table of raters: 1." in board.notes[0]
    assert [line.checks for line in board.raters] == [10, 10, 10]


def test_careless_rankings_are_found_by_damaged_copies() -> None:
    texts = TestSet({s: [f"{s} sagt {n} Mal das Wort {n * n}" for n in range(20)] for s in "abc"}, source=["x"] * 20)
    campaign = design(texts, protocol="ranking", raters=["careful", "careless"], bad=0.5)
    rows: list[StoredRecord] = []
    for rater in campaign.raters:
        for item in map(campaign.item, rater.items):
            careful = rater.name == "careful"
            order = sorted(item.systems, key=lambda name: (name.endswith("(damaged)") == careful, name))
            ranks = {name: 1 + order.index(name) for name in order}
            request = f"r{len(rows)}"
            rows.append(StoredRecord(len(rows), request, rater.name, item.id, {"ranks": ranks}, 9.0, "", "", ""))
    board = compute(campaign, rows, resamples=50)
    good, other = board.raters
    assert good.checks == other.checks == 10 and not good.problems
    assert other.problems == ("damaged outputs ranked below the originals in 0 of 10 rankings, p = 1.",)
    assert board.ranking is not None and {place.system for place in board.ranking.places} == {"a", "b", "c"}


def test_careless_rankings_are_found_by_their_repeats() -> None:
    campaign = campaign_of("ranking")
    records = []
    for record in records_of(campaign):
        if record.rater == "c" and campaign.item(record.item).check == "repeat":
            ranks = {system: 4 - rank for system, rank in record.answer["ranks"].items()}
            record = record._replace(answer={"ranks": ranks})
        records.append(record)
    board = compute(campaign, records, resamples=50)
    assert [len(line.problems) for line in board.raters] == [0, 0, 1]
    assert "of 15 pairs of outputs shown twice" in board.raters[2].problems[0]


def test_a_rater_with_one_score_for_everything_is_left_out_of_standardised_scores() -> None:
    campaign = campaign_of("da")
    records = [
        record._replace(answer={"value": 50}) if record.rater == "a" else record for record in records_of(campaign)
    ]
    board = compute(campaign, records, resamples=50)
    assert any("Raters who always gave the same score are left out of the ranking: a." in note for note in board.notes)
    assert board.ranking is not None


def test_a_note_names_errors_without_a_weight() -> None:
    campaign = replace(campaign_of("mqm"), severities=("Neutral", "Minor", "Major", "Awful"))
    records = records_of(campaign)
    spans = [[{"start": 0, "end": 1, "severity": "Awful", "category": "Style/Awkward"}]]
    board = compute(campaign, [*records, records[0]._replace(answer={"spans": spans, "value": None})])
    assert board.ranking is None and any("no weight for an error of severity 'Awful'" in note for note in board.notes)
