"""Test degraded copies, in which a phrase is replaced by a phrase of another output."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercet.human.control_items import degraded, phrase_length

LONG = "one two three four five six seven eight nine ten"
OTHER = "alpha beta gamma delta epsilon zeta eta theta iota kappa"


@pytest.mark.parametrize(
    ("words", "length"),
    [(1, 1), (2, 2), (5, 2), (6, 3), (8, 3), (9, 4), (15, 4), (16, 5), (20, 5), (21, 5), (24, 6), (40, 10)],
)
def test_longer_outputs_have_longer_phrases_replaced(words: int, length: int) -> None:
    assert phrase_length(words) == length


@given(st.integers(0, 10_000))
def test_four_words_of_ten_are_replaced_by_four_that_follow_each_other_and_the_ends_stay(seed: int) -> None:
    changed = degraded(LONG, [OTHER], Random(seed))
    assert changed is not None
    words = changed.split()
    assert len(words) == 10 and words[0] == "one" and words[-1] == "ten"
    foreign = [word for word in words if word in OTHER.split()]
    assert len(foreign) == 4 and " ".join(foreign) in OTHER and " ".join(foreign) in changed


def test_every_place_and_every_phrase_is_used() -> None:
    found = {degraded(LONG, [OTHER], Random(seed)) for seed in range(400)}
    assert len(found) == 5 * 7  # places 1 to 5 for the first word replaced, and 7 phrases


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("我们在一个小城市住了三年。", "昨天晚上他给我打了电话。"),
        ("هذا نص قصير باللغة العربية للتجربة", "جاء الرجل إلى البيت مساء أمس متأخرا"),
        ("ผมชอบกินข้าวผัดมาก", "เขาไปตลาดทุกวันเสาร์"),
        ("👩‍🚀 fliegt heute zum 🌕 und morgen zurück 👍🏽", "Die Katze 🐈‍⬛ schläft den ganzen Tag auf dem Sofa"),
        ("word", "other"),
        ("two words", "quite different"),
    ],
)
def test_texts_of_any_script_are_damaged(text: str, other: str) -> None:
    for seed in range(20):
        changed = degraded(text, [other], Random(seed))
        assert changed is not None and changed != text
        for mark in "\u200d\u0e31\u0e34\u0e49\U0001f3fd":  # combining marks stay with their character
            for place, character in enumerate(changed):
                if character == mark:
                    assert changed[place - 1] + mark in text + other


def test_chinese_is_damaged_by_characters() -> None:
    changed = degraded("我们在一个小城市住了三年。", ["昨天晚上他给我打了电话。"], Random(1))
    assert changed is not None and changed.startswith("我") and changed.endswith("。") and len(changed) == 13


def test_texts_that_cannot_be_degraded_give_none() -> None:
    assert degraded("", [OTHER], Random(1)) is None
    assert degraded("  \t", [OTHER], Random(1)) is None
    assert degraded("text", [], Random(1)) is None
    assert degraded("text", ["", " "], Random(1)) is None
    assert degraded("same", ["same"], Random(1)) is None


@given(st.text(max_size=40), st.lists(st.text(max_size=40), max_size=3), st.integers(0, 99))
def test_any_text_is_changed_or_left(text: str, others: list[str], seed: int) -> None:
    changed = degraded(text, others, Random(seed))
    assert changed is None or changed != text
    assert changed == degraded(text, others, Random(seed))
