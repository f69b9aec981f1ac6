"""Where parallel texts drift apart."""

import random

import pytest

from tercet.text.drift import find_breaks

WORDS = [
    "river",
    "mountain",
    "window",
    "letter",
    "garden",
    "winter",
    "shadow",
    "bridge",
    "candle",
    "market",
    "silver",
    "thunder",
    "orange",
    "harbour",
]


def base(count, seed=3):
    draw = random.Random(seed)
    return [" ".join(draw.choices(WORDS, k=draw.randint(3, 15))) + f" {i}" for i in range(count)]


@pytest.mark.parametrize("count", [8, 100, 1000])
def test_a_text_follows_itself_and_its_variation(count):
    lines = base(count)
    assert find_breaks(lines, lines) == []
    assert find_breaks(lines, [line.replace("river", "stream").upper() for line in lines]) == []


def test_unrelated_texts_of_equal_length_show_no_breaks():
    numbers = [str(i) * 3 for i in range(100)]
    assert find_breaks(base(100), ["xyz"] * 100) == []
    assert find_breaks(numbers, ["something"] * 100) == []


@pytest.mark.parametrize("lost", [1, 3])
@pytest.mark.parametrize("at", [20, 60])
def test_lost_and_added_lines_have_their_place_and_number(lost, at):
    lines = base(100)
    shorter = lines[: at - 1] + lines[at - 1 + lost :]
    (cut,) = find_breaks(lines, shorter)
    assert (cut.line, cut.base_line, cut.change, cut.offset) == (at, at, -lost, -lost)
    (added,) = find_breaks(shorter, lines)
    assert (added.line, added.base_line, added.change, added.offset) == (at, at, lost, lost)


def test_lengths_alone_suffice_where_no_word_is_shared():
    lines = base(300)
    foreign = ["x" * len(line) for line in lines]
    (cut,) = find_breaks(lines, foreign[:100] + foreign[101:])
    assert abs(cut.line - 101) <= 3
    assert cut.change == -1


def test_empty_texts_have_no_breaks():
    assert find_breaks([], ["a"]) == []
    assert find_breaks(["a"], []) == []
    assert find_breaks(["", ""], ["", "", ""]) == []
