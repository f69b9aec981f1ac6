"""Test the checks of answers, and their conversion to judgements."""

import math
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercet.data.judgements import Span
from tercet.errors import DataError, UnknownName
from tercet.human.answers import judgements_of, ratings_of
from tercet.human.campaign import Campaign, Item, Output, Rater
from tercet.human.protocols import PROTOCOLS

TEXT = "e\u0301 👩‍🚀 猫"  # 8 code points: a combining mark and a sequence of three are several


def campaign(protocol: str, *, source: str | None = "source") -> Campaign:
    how = PROTOCOLS[protocol]
    outputs = tuple(Output(system, TEXT) for system in "ABC"[: max(how.fewest, min(how.most, 3))])
    item = Item("i", "7", outputs, source)
    second = Item("j", "8", outputs, source, check="bad", of="i")
    show = "source" if source is not None else "neither"
    return Campaign(
        "c", protocol, [item, second], [Rater("r", ("i", "j"), "g"), Rater("q", ("i",))], "en-de", show=show,
        severities=how.severities, categories=how.categories,
    )  # fmt: skip


def span(**changes: Any) -> dict[str, Any]:
    return {"start": 0, "end": 2, "severity": "Major", "category": "Other", "in_source": False} | changes


GOOD: list[tuple[str, Any]] = [
    ("adequacy", {"value": 5}), ("adequacy", {"value": 1.0}), ("da", {"value": 0}), ("da", {"value": 33.5}),
    ("effort", {"value": 4}), ("ranking", {"ranks": {"A": 1, "B": 1, "C": 3}}),
    ("pairwise", {"ranks": {"A": 2, "B": 1}}),
    ("mqm", {"spans": [[]], "value": None}), ("mqm", {"spans": [[]]}), ("mqm", {"spans": [[span(end=8), span()]]}),
    ("mqm", {"spans": [[span(start=None, end=None)]]}), ("mqm", {"spans": [[span(in_source=True, end=6)]]}),
    ("esa", {"spans": [[{"start": 3, "end": 6, "severity": "Minor"}]], "value": 50}),
]  # fmt: skip

BAD: list[tuple[str, Any, str]] = [
    ("adequacy", {"value": 0}, "value: a number from 1 to 5 is needed, not 0."),
    ("adequacy", {"value": 2.5}, "value: adequacy needs a whole number, not 2.5."),
    ("adequacy", {"value": True}, "value: a number from 1 to 5 is needed, not True."),
    ("adequacy", {"value": "3"}, "value: a number from 1 to 5 is needed, not '3'."),
    ("adequacy", {"value": math.nan}, "value: a number from 1 to 5 is needed, not nan."),
    ("da", {"value": 10**400}, "value: a number from 0 to 100 is needed"),
    ("adequacy", {}, "value: missing in an answer to adequacy."),
    ("adequacy", {"value": 3, "extra": 1}, "'extra': an answer to adequacy has only value."),
    ("adequacy", [3], "An answer must be an object with value."),
    ("ranking", {"ranks": {"A": 1, "B": 2}}, "ranks: one rank for each of the 3 outputs is needed."),
    ("ranking", {"ranks": {"A": 1, "B": 2, "C": 4}}, "ranks.C: a rank from 1 to 3 is needed, not 4."),
    ("ranking", {"ranks": {"A": 1, "B": 2, "C": True}}, "ranks.C: a rank from 1 to 3 is needed, not True."),
    ("ranking", {"ranks": [1, 2, 3]}, "ranks: one rank for each of the 3 outputs is needed."),
    ("mqm", {"spans": [[]], "value": 5}, "value: must be null, because mqm has no score."),
    ("mqm", {"spans": []}, "spans: one list for each output is needed."),
    ("mqm", {"spans": ["x"]}, "spans[0]: a list is needed."),
    ("mqm", {"spans": [[span()] * 101]}, "spans[0]: at most 100 errors of an output can be marked."),
    ("mqm", {"spans": [[{}]]}, "spans[0][0]: an object with start, end, severity"),
    ("mqm", {"spans": [[span(end=9)]]}, "spans[0][0]: 0 to 9 is not a span of a text of 8 characters."),
    ("mqm", {"spans": [[span(start=2)]]}, "spans[0][0]: 2 to 2 is not a span of a text of 8 characters."),
    ("mqm", {"spans": [[span(start=-1)]]}, "spans[0][0]: -1 to 2 is not a span"),
    ("mqm", {"spans": [[span(start=None)]]}, "spans[0][0]: None to 2 is not a span"),
    ("mqm", {"spans": [[span(start=0.0)]]}, "spans[0][0]: 0.0 to 2 is not a span"),
    ("mqm", {"spans": [[span(in_source=True, end=7)]]}, "spans[0][0]: 0 to 7 is not a span of a text of 6"),
    ("mqm", {"spans": [[span(severity="Huge")]]}, "spans[0][0].severity: 'Huge' is not one of Neutral, Minor, Major."),
    ("mqm", {"spans": [[span(severity=["Major"])]]}, "spans[0][0].severity: ['Major'] is not one of"),
    ("mqm", {"spans": [[span(category="Odd")]]}, "spans[0][0].category: 'Odd' is not one of Accuracy/Addition"),
    ("mqm", {"spans": [[span(in_source=1)]]}, "spans[0][0].in_source: true or false is needed."),
    ("esa", {"spans": [[span()]], "value": 5}, "spans[0][0].category: this campaign has no categories, so 'Othe"),
    ("esa", {"spans": [[]]}, "value: missing in an answer to esa."),
    ("esa", {"spans": [[]], "value": None}, "value: a number from 0 to 100 is needed, not None."),
]  # fmt: skip


@pytest.mark.parametrize(("protocol", "answer"), GOOD)
def test_valid_answers_are_accepted(protocol: str, answer: Any) -> None:
    made = campaign(protocol)
    made.check_answer(made.item("i"), answer)
    assert len(judgements_of(made, [("r", "i", answer, 1.5, "")])) == len(made.item("i").outputs)


@pytest.mark.parametrize(("protocol", "answer", "expected"), BAD)
def test_invalid_answers_give_an_error_with_the_part(protocol: str, answer: Any, expected: str) -> None:
    made = campaign(protocol)
    with pytest.raises(DataError) as caught:
        made.check_answer(made.item("i"), answer)
    assert str(caught.value).startswith(expected)


def test_an_error_in_the_source_needs_a_source() -> None:
    made = campaign("mqm", source=None)
    with pytest.raises(DataError, match="this item shows no source"):
        made.check_answer(made.item("i"), {"spans": [[span(in_source=True)]]})


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


like_answers = st.fixed_dictionaries({}, optional=dict.fromkeys(("value", "ranks", "spans"), json_values))


@given(st.sampled_from(sorted(PROTOCOLS)), like_answers | json_values)
def test_any_json_is_accepted_or_gives_a_data_error(protocol: str, answer: Any) -> None:
    made = campaign(protocol)
    try:
        made.check_answer(made.item("i"), answer)
    except DataError:
        return
    judgements_of(made, [("r", "i", answer, 0, "")])


ROWS: list[Any] = [
    ("r", "i", {"value": 3}, 4.0, "t1"),
    ("q", "i", {"value": 2}, 5.0, "t2"),
    ("r", "j", {"value": 1}, 6.0, "t3"),
    ("r", "i", {"value": 5}, 7.0, "t4"),
]


def test_the_last_answer_counts_and_the_order_of_answers_is_kept() -> None:
    made = judgements_of(campaign("adequacy"), ROWS)
    assert [(row.rater, row.segment, row.value, row.check, row.seconds) for row in made.rows] == [
        ("q", "7", 2, "", 5), ("r", "8", 1, "bad", 6), ("r", "7", 5, "", 7),
    ]  # fmt: skip
    assert made.pair == "en-de" and made.name == "c" and made.kinds == {"adequacy": 3}


def test_all_revisions_can_be_kept_as_separate_tasks() -> None:
    made = ratings_of(campaign("adequacy"), ROWS, revisions="all")
    assert [(row.judgement.rater, row.judgement.value, row.judgement.task) for row in made] == [
        ("r", 3, "i"), ("q", 2, "i"), ("r", 1, "j"), ("r", 5, "i#2"),
    ]  # fmt: skip
    assert [row.revision for row in made] == [1, 1, 1, 2]
    with pytest.raises(UnknownName, match="no choice of revisions called 'first'"):
        ratings_of(campaign("adequacy"), ROWS, revisions=cast(Any, "first"))


def test_a_ranking_becomes_one_judgement_per_output_and_shares_its_time() -> None:
    made = judgements_of(campaign("ranking"), [("r", "i", {"ranks": {"A": 2, "B": 1, "C": 2}}, 9.0, "")])
    assert [(row.kind, row.system, row.value, row.task, row.seconds) for row in made.rows] == [
        ("rank", "A", 2, "i", 3), ("rank", "B", 1, "i", 3), ("rank", "C", 2, "i", 3),
    ]  # fmt: skip


def test_spans_and_the_reference_shown_are_kept() -> None:
    answer = {"spans": [[span(start=3, end=6), span(start=None, end=None)]], "value": None}
    (row,) = judgements_of(campaign("mqm"), [("r", "i", answer, math.nan, "")]).rows
    assert math.isnan(row.value) and math.isnan(row.seconds)
    assert row.spans == (Span(3, 6, "Major", "Other"), Span(None, None, "Major", "Other"))
    item = Item("i", "1", (Output("A", "x"),), None, "r", "refB")
    shown = Campaign("c", "fluency", [item], [Rater("r", ("i",))], show="reference")
    assert judgements_of(shown, [("r", "i", {"value": 1}, 1, "")]).rows[0].reference == "refB"


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        (("r", "x", {"value": 1}), "answer 1: There is no item 'x' in campaign 'c'."),
        (("x", "i", {"value": 1}), "answer 1: There is no rater in campaign 'c' called 'x'."),
        (("r", "i", {"value": 9}), "answer 1: value: a number from 1 to 5 is needed, not 9."),
    ],
)
def test_rows_that_do_not_fit_the_campaign_are_refused(row: Any, expected: str) -> None:
    with pytest.raises(DataError) as caught:
        judgements_of(campaign("adequacy"), [row])
    assert expected in str(caught.value)
