"""The kernel of Moses' TER against a slow oracle written from what TERCpp does, compiled and as plain Python.

What is peculiar to TERCpp: the beam is measured from the best cell that a match or substitution leads to; of the shifts
that are possible the first ten are tried; a phrase moves before a word to its left and behind one to its right; and in
Moses it is the reference whose words move.
"""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tercet.text import editing
from tercet.text.editing import ShiftSearch, count_shifts, shift_script

from .conftest import load_source

PLAIN, PLAIN_SHIFTS = load_source("tercpp"), load_source("shifts")
MOSES = ShiftSearch(beam=10, max_size=10, max_distance=25, max_tried=10, moses=True)
NARROW = ShiftSearch(beam=2, max_size=3, max_distance=3, max_tried=4, moses=True)
few = settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], max_examples=150)
texts = st.lists(st.sampled_from("abcde"), max_size=14)
FIRST = np.zeros(1, dtype=np.int64)
BOTH, MOVED, FIXED = "both", "moved", "fixed"  # which text a step of the edit distance reads a word of


@pytest.fixture(params=["installed", "plain"], autouse=True)
def form(request, monkeypatch) -> str:
    if request.param == "plain":
        monkeypatch.setattr(editing, "tercpp", PLAIN)
        monkeypatch.setattr(editing, "shift_kernel", PLAIN_SHIFTS)
    return request.param


def units(output, reference):
    numbers = {word: i for i, word in enumerate(dict.fromkeys(reference))}
    return tuple(
        editing.Units(np.array([numbers.get(word, -1) for word in text], dtype=np.int32), np.array([0, len(text)]))
        for text in (output, reference)
    )


def slow_distance(moved, fixed, beam):
    """The edit distance and its steps, each with whether its words differ."""
    rows = [{0: (0, ())}]  # a row for each moved word: cell -> cost, steps
    limit = float("inf")
    for j in range(len(moved) + 1):
        row, below, best = rows[-1], {}, float("inf")
        for i in range(len(fixed) + 1):
            if i not in row or (j < len(moved) and row[i][0] > limit):
                continue
            cost, steps = row[i]
            if j < len(moved) and i < len(fixed):
                differ = moved[j] != fixed[i]
                below[i + 1] = (cost + differ, (*steps, (BOTH, differ)))
                best = min(best, cost + differ)
            if j < len(moved) and (i not in below or below[i][0] > cost + 1):
                below[i] = (cost + 1, (*steps, (MOVED, True)))
            if i < len(fixed) and (i + 1 not in row or row[i + 1][0] > cost + 1):
                row[i + 1] = (cost + 1, (*steps, (FIXED, True)))
        rows.append(below)
        limit = best + beam
    return rows[len(moved)][len(fixed)]


def slow_candidates(moved, fixed, steps, search):
    """Shifts in the order in which they are found: begin, end (not included), word to move to (-1: the very front)."""
    wrong, wrong_fixed, aligned = [], [], []
    for reads, differ in steps:
        if reads != MOVED:
            aligned.append(len(wrong))
            wrong_fixed.append(differ)
        if reads != FIXED:
            wrong.append(differ)
    found = []
    reach = search.max_distance
    for begin in range(len(moved)):
        places = [aligned[r] - begin for r in range(len(fixed)) if fixed[r] == moved[begin]]
        if not any(away and -reach - 1 <= away <= reach for away in places):
            continue
        for end in range(begin + 1, min(len(moved), begin + search.max_size) + 1):
            size = end - begin
            starts = [r for r in range(len(fixed) - size + 1) if fixed[r : r + size] == moved[begin:end]]
            if not starts:
                break
            if not any(wrong[begin:end]):
                continue
            starts = [r for r in starts if not begin <= aligned[r] < end and abs(aligned[r] - begin) <= reach]
            if not starts:
                break
            for r in starts:
                if not any(wrong_fixed[r : r + size]):
                    continue
                for k in range(r - 1, r + size):
                    if k < 0:
                        found.append((begin, end, -1))
                    elif aligned[k] != begin and (k == r or aligned[k] != aligned[r]):
                        found.append((begin, end, aligned[k]))
    return found


def slow_shift(words, begin, end, word):
    phrase, rest = words[begin:end], words[:begin] + words[end:]
    word = min(word, len(words) - 1)
    if word >= end:
        word = word + 1 - len(phrase)  # behind that word, which the phrase's leaving moved to the left
    place = max(0, min(word, len(rest)))
    return rest[:place] + phrase + rest[place:]


def slow_tercpp(moved, fixed, search):
    shifts = 0
    while True:
        cost, steps = slow_distance(moved, fixed, search.beam)
        best, least = None, cost
        tried = slow_candidates(moved, fixed, steps, search)[: search.max_tried]
        for begin, end, word in sorted(tried, key=lambda shift: shift[0] - shift[1]):  # stable: longest first
            if cost - least - 1 >= 2 * (end - begin):
                break  # no shift so short can save as much
            shifted = slow_shift(moved, begin, end, word)
            left = slow_distance(shifted, fixed, search.beam)[0]
            if left < least:
                best, least = shifted, left
        if best is None:
            return cost + shifts
        moved, shifts = best, shifts + 1


def edits_of(output, reference, search):
    return int(count_shifts(*units(output, reference), FIRST, search)[0, [0, 1, 2, 4]].sum())


@few
@given(output=texts, reference=texts, search=st.sampled_from([MOSES, NARROW]))
def test_edits_are_those_of_the_oracle(output, reference, search):
    assert edits_of(output, reference, search) == slow_tercpp(reference, output, search)


@pytest.mark.parametrize("seed", range(6))
def test_edits_of_long_texts_are_those_of_the_oracle(seed):
    """Phrases change places near and far, so that beam, distance and the number of tries all matter."""
    random = np.random.default_rng(seed)
    reference = [str(word) for word in random.integers(0, 30, 60)]
    output = reference[20 : 20 + 10 * seed] + reference[:20] + reference[20 + 10 * seed :]
    for begin in random.integers(0, 50, 4):
        output[begin : begin + 6] = output[begin + 2 : begin + 6] + output[begin : begin + 2]
    for place in random.integers(0, 60, 8):
        output[place] = "x"
    assert edits_of(output, reference, MOSES) == slow_tercpp(reference, output, MOSES)


@few
@given(output=texts, reference=texts, beam=st.integers(0, 4))
def test_the_beam_of_tercom_is_that_of_tercpp(output, reference, beam):
    search = ShiftSearch(beam=beam, max_size=0, tercom=True)  # no shift is small enough: edits alone
    assert edits_of(output, reference, search) == slow_distance(output, reference, beam)[0]


def test_one_word_is_found_at_the_end_of_a_long_reference():
    """Before the first word there is no best cell, so that no number of missing words is too many."""
    reference = [str(i) for i in range(30)]
    for search in (MOSES, ShiftSearch(beam=20, max_tried=1 << 40, tercom=True)):
        assert count_shifts(*units(["29"], reference), FIRST, search)[0].tolist() == [0, 29, 0, 1, 0]


def test_only_the_first_ten_shifts_are_tried():
    """The one shift that would do, of 'd c', stands behind ten of the words before it in the list."""
    output, reference = "d c a a a".split(), "a a a d c".split()
    assert edits_of(output, reference, MOSES) == 2
    more = ShiftSearch(beam=10, max_size=10, max_distance=25, max_tried=1000, moses=True)
    assert edits_of(output, reference, more) == 1


@few
@given(output=texts, reference=texts, search=st.sampled_from([MOSES, NARROW]))
def test_scripts_cost_what_is_counted_and_read_both_texts_whole(output, reference, search):
    script = shift_script(output, reference, search)
    assert script.moved == "other"
    assert script.cost == edits_of(output, reference, search)
    order = list(range(len(reference)))
    for shift in script.shifts:
        positions = order[shift.begin : shift.begin + len(shift.words)]
        assert positions == list(shift.positions)
        assert [reference[k] for k in positions] == list(shift.words)
        del order[shift.begin : shift.begin + len(shift.words)]
        order[shift.end : shift.end] = positions
    assert [edit.other for edit in script.edits if edit.other is not None] == order
    assert [edit.output for edit in script.edits if edit.output is not None] == list(range(len(output)))
    for edit in script.edits:
        same = None not in (edit.output, edit.other) and output[edit.output] == reference[edit.other]
        assert (edit.kind == "match") == same


def test_many_pairs_do_not_disturb_each_other():
    random = np.random.default_rng(5)
    outputs, references = (
        [list(random.choice(list("abcdef"), random.integers(0, 15))) for _ in "x" * 40] for _ in "xy"
    )
    ids = [
        editing.Units(
            np.array([ord(word) for text in side for word in text], dtype=np.int32),
            np.cumsum([0, *map(len, side)], dtype=np.int64),
        )
        for side in (outputs, references)
    ]
    turned = np.arange(40)[::-1]
    together = count_shifts(*ids, turned, MOSES)[:, [0, 1, 2, 4]].sum(1)
    assert together.tolist() == [edits_of(outputs[39 - t], references[t], MOSES) for t in range(40)]
