"""The report's JavaScript reads every kind of explanation that `text/explanation.schema.json` describes."""

import json
from importlib.resources import files
from typing import Any

import pytest

from tercet.text.explanations import (
    Alignment,
    Edit,
    Edits,
    Entities,
    Entity,
    Link,
    Matches,
    Part,
    Seen,
    Shift,
    Span,
    Spans,
)

pytestmark = pytest.mark.xdist_group("report")
Mark = tuple[int, int, int, str, tuple[int, int] | None]


def ends(place: dict[str, int] | None) -> tuple[int, int] | None:
    return place and (place["begin"], place["end"])


@pytest.fixture
def marks(context: Any) -> Any:
    script = (files("tercet") / "comparison_report" / "pages" / "seen.js").read_text("utf-8")
    tab = context.new_page()

    def made(part: Part, output: str, other: str) -> list[list[Mark]]:
        seen = json.loads(json.dumps(Seen(parts=[part], against=0).to_dict(output, [other], None, brief=True)))
        found = tab.evaluate(f"(texts) => {{ {script}; return seenMarks(...texts) }}", [seen, output, other])
        return [[(m["begin"], m["end"], m["weight"], m["label"], ends(m["partner"])) for m in side] for side in found]

    return made


def test_links_of_an_alignment_mark_words_and_their_partners(marks: Any) -> None:
    links = [Link([1], [0], 0.6, "stem"), Link([2, 3], [2], 1.0, "two")]
    part = Alignment(["a", "cats", "went", "off"], ["cat", "then", "left"], links)
    assert marks(part, "a cats went off", "cat then left") == [
        [
            (0, 1, 0, "", None),
            (2, 6, 60, "stem", (0, 3)),
            (7, 11, 100, "two", (9, 13)),
            (12, 15, 100, "two", (9, 13)),
        ],
        [(0, 3, 60, "stem", (2, 6)), (4, 8, 0, "", None), (9, 13, 100, "two", (7, 15))],
    ]


def test_a_later_link_replaces_an_earlier_one_and_links_may_be_of_one_text(marks: Any) -> None:
    links = [Link([0], [0], 0.3), Link([0], [1], -0.5)]
    assert marks(Alignment(["a"], ["b", "c"], links, "output"), "a", "b c") == [[(0, 1, 0, "", (2, 3))], []]
    assert marks(Alignment(["a"], ["b", "c"], links, "other"), "a", "b c") == [
        [],
        [(0, 1, 30, "", (0, 1)), (2, 3, 0, "", (0, 1))],
    ]


def test_edits_mark_what_stays_what_is_shifted_and_what_is_wrong(marks: Any) -> None:
    edits = [Edit("match", 1, 0), Edit("match", 0, 1), Edit("substitution", 2, 2), Edit("deletion", None, 3)]
    part = Edits(["a", "b", "x"], ["b", "a", "y", "z"], edits, [Shift(("b",), (1,), 1, 0)])
    assert marks(part, "a b x", "b a y z") == [
        [(0, 1, 100, "match", (2, 3)), (2, 3, 50, "shift", (0, 1)), (4, 5, 0, "substitution", (4, 5))],
        [
            (0, 1, 50, "shift", (2, 3)),
            (2, 3, 100, "match", (0, 1)),
            (4, 5, 0, "substitution", (4, 5)),
            (6, 7, 0, "deletion", None),
        ],
    ]
    assert marks(Edits(["a"], ["a"], None), "a", "a") == [[(0, 1, 0, "", None)], [(0, 1, 0, "", None)]]


def test_neighbouring_characters_are_one_mark_and_count_in_utf_16(marks: Any) -> None:
    edits = [Edit("match", 0, 0), Edit("match", 1, 1), Edit("substitution", 2, 2)]
    assert marks(Edits("😀ab", "😀ac", edits), "😀ab", "😀ac") == [
        [(0, 3, 100, "match", (0, 3)), (3, 4, 0, "substitution", (3, 4))],
        [(0, 3, 100, "match", (0, 3)), (3, 4, 0, "substitution", (3, 4))],
    ]


def test_matches_mark_words_by_the_largest_match_around_them(marks: Any) -> None:
    part = Matches(["a", "&", "c"], ["c"], ([0, 1, 2], [2]), 4)
    assert marks(part, "a c", "c") == [
        [(0, 1, 0, "0-gram", None), (2, 3, 50, "2-gram", None)],
        [(0, 1, 50, "2-gram", None)],
    ]
    assert marks(Matches(["a"], [], ([2], []), 4, label="size {}"), "a", "b")[0][0][3] == "size 2"


def test_entities_are_marked_with_their_category(marks: Any) -> None:
    part = Entities([Entity("Rome", 3, 7, "place", "Q220", True)], [Entity("Ann", 0, 3, "person", "Q1", False)])
    assert marks(part, "in Rome", "Ann") == [[(3, 7, 100, "place", None)], [(0, 3, 0, "person", None)]]


def test_spans_are_marks(marks: Any) -> None:
    part = Spans([Span(1, 2, 0.5, "minor: style", (0, 1))])
    assert marks(part, "😀a", "b") == [[(2, 3, 50, "minor: style", (0, 1))], []]
