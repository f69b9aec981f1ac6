"""The edits of characters that CharacTER lists, against the textbook's table and the preferences it is read with."""

import random
from typing import Any

import pytest

from tercet.data.testset import TestSet
from tercet.metrics.edits import character
from tercet.metrics.edits.character import CharacTER, edit_script

from ..kernels.conftest import load_source

PLAIN = load_source("edits")


@pytest.fixture(params=["installed", "plain"])
def form(request, monkeypatch) -> str:
    if request.param == "plain":
        monkeypatch.setattr(character, "edit_kernel", PLAIN)
    return request.param


def slow_script(output: str, reference: str) -> list[dict[str, Any]]:
    table = [list(range(len(reference) + 1))]
    for i, char in enumerate(output, 1):
        above, row = table[-1], [i]
        for j, wanted in enumerate(reference, 1):
            row.append(min(above[j] + 1, row[-1] + 1, above[j - 1] + (char != wanted)))
        table.append(row)
    i, j, script = len(output), len(reference), []
    while i or j:
        if i and j and table[i][j] == table[i - 1][j - 1] + (output[i - 1] != reference[j - 1]):
            i, j = i - 1, j - 1
            if output[i] != reference[j]:
                script.append({"at": i, "is": output[i], "should_be": reference[j]})
        elif i and table[i][j] == table[i - 1][j] + 1:
            i -= 1
            script.append({"at": i, "is": output[i], "should_be": ""})
        else:
            j -= 1
            script.append({"at": i, "is": "", "should_be": reference[j]})
    return script[::-1]


def listed(output: str, reference: str) -> list[dict[str, Any]] | None:
    """Return the edits of a script by place in the output, as `slow_script` does."""
    script = edit_script(output, reference)
    found, at = [], 0
    for kind, i, j in script or ():
        if kind != "match":
            found.append(
                {"at": at, "is": "" if i is None else output[i], "should_be": "" if j is None else reference[j]}
            )
        else:
            assert output[i] == reference[j]
        at += i is not None
    return None if script is None else found


def draw(rng: random.Random, letters: str, most: int) -> str:
    return "".join(rng.choices(letters, k=rng.randrange(most)))


def test_scripts_of_short_texts_are_those_of_the_table(form):
    rng = random.Random(12345)
    for letters in ("ab", "abc", "aé猫𝄞"):
        for _ in range(500):
            output, reference = draw(rng, letters, 10), draw(rng, letters, 10)
            assert listed(output, reference) == slow_script(output, reference), (output, reference)


def test_scripts_of_texts_longer_than_a_block_are_those_of_the_table(form):
    rng = random.Random(12345)
    for size in (64, 65, 128, 150, 200):
        for _ in range(4):
            begin, output, reference, end = (draw(rng, "abcd ", size) for _ in range(4))
            for pair in ((output, reference), (begin + output + end, begin + reference + end), (begin, begin + end)):
                assert listed(*pair) == slow_script(*pair), pair


@pytest.mark.parametrize(
    ("output", "reference", "expected"),
    [
        ("", "", []),
        ("same", "same", []),
        ("ab", "ba", [(0, "a", "b"), (1, "b", "a")]),  # not one too many and one that lacks
        ("a", "aba", [(0, "", "a"), (0, "", "b")]),  # equal characters meet at the end first
        ("aba", "a", [(0, "a", ""), (1, "b", "")]),
        ("", "ab", [(0, "", "a"), (0, "", "b")]),
        ("ab", "", [(0, "a", ""), (1, "b", "")]),
    ],
)
def test_of_equally_short_scripts_one_is_always_chosen(form, output, reference, expected):
    found = listed(output, reference)
    assert found is not None
    assert [(edit["at"], edit["is"], edit["should_be"]) for edit in found] == expected


def test_texts_too_long_to_list_their_edits_have_none(monkeypatch):
    monkeypatch.setattr(character, "MOST_SHOWN", 6)
    assert listed("ab", "abc") == [{"at": 2, "is": "", "should_be": "c"}]
    assert listed("abc", "abd") is None


def test_what_is_explained_is_what_is_counted():
    rng = random.Random(12345)
    texts = [[" ".join(draw(rng, "ab", 3) for _ in range(rng.randrange(12))) for _ in range(60)] for _ in range(3)]
    testset = TestSet({"x": texts[0]}, {"first": texts[1], "second": texts[2]})
    metric = CharacTER()
    counts = metric.statistics(testset)["x"].tolist()
    seen = [metric.ready().explain(output, pair) for output, *pair in zip(*texts, strict=True)]
    assert [[each.score, each.values["distance"], each.values["move_cost"]] for each in seen] == [
        [score, distance, moves] for score, _, distance, moves, _ in counts
    ]
    assert all(
        sum(each.parts[0].operations.values()) - len(each.parts[0].shifts) == each.values["distance"] for each in seen
    )
    assert {each.against for each in seen} == {0, 1}
    assert any(each.parts[0].shifts for each in seen)
