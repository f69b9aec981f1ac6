"""The edit kernels against textbook recurrences and sacreBLEU, compiled and as plain Python."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tercet.text import editing
from tercet.text.editing import (
    ShiftSearch,
    count_edits,
    count_jumps,
    count_shifts,
    edit_script,
    jump_script,
    shift_script,
)

from .conftest import load_source

PLAIN, PLAIN_SHIFTS = load_source("edits"), load_source("shifts")
few = settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], max_examples=60)
texts = st.lists(st.sampled_from("abcde"), max_size=12)
TERCOM = ShiftSearch(beam=20, max_tried=1 << 40, tercom=True)


@pytest.fixture(params=["installed", "plain"], autouse=True)
def form(request, monkeypatch) -> str:
    """Every test runs with the installed kernels, then with plain Python, which checks every index."""
    if request.param == "plain":
        monkeypatch.setattr(editing, "edits", PLAIN)
        monkeypatch.setattr(editing, "shift_kernel", PLAIN_SHIFTS)
    return request.param


def units(texts):
    ids = np.array([ord(word) if word != "?" else -1 for text in texts for word in text], dtype=np.int32)
    return editing.Units(ids, np.cumsum([0, *map(len, texts)], dtype=np.int64))


def slow_levenshtein(output, reference):
    row = list(range(len(output) + 1))
    for i, word in enumerate(reference):
        above, row = row, [i + 1]
        for j, other in enumerate(output):
            row.append(min(above[j] + (word != other), above[j + 1] + 1, row[j] + 1))
    return row[-1]


def slow_cder(output, reference):
    row = [0] + [1] * len(output)
    for word in reference:
        above, row = row, [row[0] + 1]
        for j, other in enumerate(output):
            row.append(min(above[j] + (word != other), above[j + 1] + 1, row[j] + 1))
        row = [min(cost, 1 + min(row)) for cost in row]
    return row[-1]


@few
@given(rows=st.lists(st.tuples(texts, texts), min_size=1, max_size=4))
def test_counts_are_those_of_the_textbook(rows):
    outputs, references = zip(*rows, strict=True)
    each = np.arange(len(rows))
    counts = count_edits(units(outputs), units(references), each)
    fewest = [slow_levenshtein(*row) for row in rows]
    assert counts[:, :3].sum(1).tolist() == fewest
    assert counts[:, [0, 1, 3]].sum(1).tolist() == [len(reference) for reference in references]
    assert counts[:, [0, 2, 3]].sum(1).tolist() == [len(output) for output in outputs]
    assert count_edits(units(outputs), units(references), each, trace=False)[:, 0].tolist() == fewest
    assert count_jumps(units(outputs), units(references), each).tolist() == [slow_cder(*row) for row in rows]


@pytest.mark.parametrize(("n", "m"), [(63, 64), (64, 65), (130, 200), (200, 130), (1, 129)])
def test_texts_longer_than_a_machine_word_are_counted_as_in_the_textbook(n, m):
    random = np.random.default_rng(3)
    output, reference = ("".join(random.choice(list("abcdefgh"), size)) for size in (n, m))
    counts = count_edits(units([output]), units([reference]), np.zeros(1, dtype=np.int64))
    assert counts[0, :3].sum() == slow_levenshtein(output, reference)
    assert edit_script(list(output), list(reference)).cost == counts[0, :3].sum()


def test_one_output_may_meet_several_references():
    counts = count_edits(units(["ab", "x"]), units(["ab", "b", "x"]), np.array([0, 0, 1]))
    assert counts[:, :3].sum(1).tolist() == [0, 1, 0]


def test_a_word_that_no_reference_holds_equals_nothing_not_even_itself():
    assert count_edits(units(["??"]), units(["ab"]), np.array([0]))[0].tolist() == [2, 0, 0, 0]


@few
@given(output=texts, reference=texts)
def test_scripts_cost_what_is_counted_and_read_both_texts_whole(output, reference):
    pair = units([output]), units([reference]), np.zeros(1, dtype=np.int64)
    for script, cost in (
        (edit_script(output, reference), slow_levenshtein(output, reference)),
        (shift_script(output, reference, ShiftSearch()), count_shifts(*pair, ShiftSearch())[0, [0, 1, 2, 4]].sum()),
        (shift_script(output, reference, TERCOM), count_shifts(*pair, TERCOM)[0, [0, 1, 2, 4]].sum()),
    ):
        assert script.cost == cost
        assert sorted(e.output for e in script.edits if e.output is not None) == list(range(len(output)))
        assert [e.other for e in script.edits if e.other is not None] == list(range(len(reference)))
        for edit in script.edits:
            if edit.kind == "match":
                assert output[edit.output] == reference[edit.other]
    script = jump_script(output, reference)
    assert script.cost == slow_cder(output, reference)
    assert [e.other for e in script.edits if e.other is not None] == list(range(len(reference)))


@few
@given(output=texts, reference=texts)
def test_shifts_of_a_script_lead_to_the_order_of_its_edits(output, reference):
    script = shift_script(output, reference, ShiftSearch())
    order = list(range(len(output)))
    for shift in script.shifts:
        assert order[shift.begin : shift.begin + len(shift.words)] == list(shift.positions)
        del order[shift.begin : shift.begin + len(shift.words)]
        order[shift.end : shift.end] = shift.positions
    assert [edit.output for edit in script.edits if edit.output is not None] == order


@few
@given(output=texts, reference=texts)
def test_shifts_are_those_of_sacrebleu(output, reference):
    lib_ter = pytest.importorskip("sacrebleu.metrics.lib_ter")
    counts = count_shifts(units([output]), units([reference]), np.zeros(1, dtype=np.int64), ShiftSearch())
    assert counts[0, [0, 1, 2, 4]].sum() == lib_ter.translation_edit_rate(output, reference)[0]


@pytest.mark.parametrize(("n", "m"), [(30, 30), (60, 64), (64, 80), (90, 70), (3, 120), (120, 3)])
def test_shifts_within_the_beam_are_those_of_sacrebleu(n, m):
    """Longer than the beam, and on both sides of the length up to which whole rows are computed at once."""
    lib_ter = pytest.importorskip("sacrebleu.metrics.lib_ter")
    random = np.random.default_rng(n)
    reference = [str(word) for word in random.integers(0, 40, m)]
    output = (50 * (reference[m // 2 :] + reference[: m // 2]))[:n]
    for place in random.integers(0, n, n // 4):
        output[place] = "x"
    numbers = {word: i for i, word in enumerate(dict.fromkeys(reference))}
    pair = [
        editing.Units(np.array([numbers.get(word, -1) for word in text], dtype=np.int32), np.array([0, len(text)]))
        for text in (output, reference)
    ]
    counts = count_shifts(*pair, np.zeros(1, dtype=np.int64), ShiftSearch())
    assert counts[0, [0, 1, 2, 4]].sum() == lib_ter.translation_edit_rate(output, reference)[0]


def test_many_pairs_do_not_disturb_each_other():
    random = np.random.default_rng(5)
    outputs, references = (
        ["".join(random.choice(list("abcdef"), random.integers(0, 15))) for _ in range(40)] for _ in range(2)
    )
    together = count_shifts(units(outputs), units(references), np.arange(40), ShiftSearch())
    edits = count_edits(units(outputs), units(references), np.arange(40))
    for t in range(40):
        pair = units([outputs[t]]), units([references[t]]), np.zeros(1, dtype=np.int64)
        assert count_shifts(*pair, ShiftSearch())[0].tolist() == together[t].tolist()
        assert count_edits(*pair)[0].tolist() == edits[t].tolist()
