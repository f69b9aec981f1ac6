"""Slices by what texts contain, and the choice of segments."""

import pytest

import tercet
from tercet.errors import DataError, UnknownName, UsageError
from tercet.slicing import segment_groups, select_segments

SOURCE = ["Room 12 is free.", "It rains.", "It  rains.", "The tax office wrote.", "Nothing."]
REFERENCE = ["Zimmer 12 ist frei.", "Es regnet.", "Es regnet.", "Das Finanzamt schrieb.", "Nichts."]
TESTSET = tercet.TestSet(
    {"a": REFERENCE}, {"ref": REFERENCE}, SOURCE, labels={"domain": ["x", "y", "y", "x", "y"]}, pair="en-de"
)


def slices(by: str, testset: tercet.TestSet = TESTSET) -> dict[str, list[int]]:
    names, rows = segment_groups(by, testset, testset.documents)
    return {name: [i + 1 for i, row in enumerate(rows) if row == place] for place, name in enumerate(names)}


def test_numbers_and_duplicates_are_looked_for_in_the_source():
    assert slices("numbers") == {"with numbers": [1], "without numbers": [2, 3, 4, 5]}
    assert slices("duplicates") == {"with duplicates": [3], "without duplicates": [1, 2, 4, 5]}


def test_without_a_source_they_are_looked_for_in_the_reference():
    testset = tercet.TestSet({"a": ["x", "y"]}, {"ref": ["Raum ٣", "Raum"]})
    assert slices("numbers", testset)["with numbers"] == [1]


def test_terms_are_whole_words_in_any_case_in_source_or_reference(tmp_path):
    path = tmp_path / "terms.txt"
    path.write_text("Tax office\tFinanzamt\nfre\n\nREGNET\n", encoding="utf-8")
    assert slices(f"terms:{path}") == {"with terms": [2, 3, 4], "without terms": [1, 5]}


def test_terms_in_scripts_without_spaces_are_found_within_a_line(tmp_path):
    path = tmp_path / "terms.txt"
    path.write_text("税务局\n", encoding="utf-8")
    testset = tercet.TestSet({"a": ["x", "y"]}, {"ref": ["他在税务局工作。", "你好"]})
    assert slices(f"terms:{path}", testset)["with terms"] == [1]


def test_entities_come_from_a_parser(tmp_path):
    path = tmp_path / "ref.conllu"
    blocks = []
    for text in REFERENCE:
        entity = "NER=B-ORG" if "Finanzamt" in text else "_"
        words = [f"{i}\t{word}\t_\tX\t_\t_\t0\troot\t_\t{entity if 'Finanz' in word else '_'}"
                 for i, word in enumerate(text.split(), 1)]  # fmt: skip
        blocks.append("\n".join([f"# text = {text}", *words]) + "\n")
    path.write_text("\n".join(dict.fromkeys(blocks)) + "\n", encoding="utf-8")
    assert slices(f"entities:conllu:{path}")["with entities"] == [4]
    with pytest.raises(UsageError, match="needs the language: set `pair`"):
        slices("entities", tercet.TestSet({"a": ["x"]}, {"ref": ["x"]}))


def test_a_label_of_the_test_set_comes_before_a_kind_of_content():
    testset = tercet.TestSet({"a": ["x", "y"]}, labels={"numbers": ["few", "many"]})
    assert slices("numbers", testset) == {"few": [1], "many": [2]}


@pytest.mark.parametrize(
    ("condition", "numbers"),
    [("numbers", [1]), ("no-numbers", [2, 3, 4, 5]), ("no-duplicates", [1, 2, 4, 5]), ("domain=y", [2, 3, 5])],
)
def test_segments_are_selected_by_a_condition(condition, numbers):
    assert select_segments(condition, TESTSET) == numbers


@pytest.mark.parametrize(
    ("condition", "error", "message"),
    [
        (
            "domain",
            UsageError,
            "'domain' names no segments. Write one of numbers, duplicates, terms:FILE, entities, or",
        ),
        ("domain=z", UnknownName, "There is no slice by domain called 'z'. Known: x, y."),
        ("colour=red", UnknownName, "There is no slice called 'colour'."),
        ("terms", UsageError, "Name the file of terms"),
        ("terms:missing.txt", UsageError, "missing.txt"),
        ("numbers:1", UsageError, "write 'numbers' alone"),
    ],
)
def test_other_conditions_are_refused(condition, error, message):
    with pytest.raises(error) as caught:
        select_segments(condition, TESTSET)
    assert message in str(caught.value)


def test_a_condition_that_no_segment_fulfils_is_refused(tmp_path):
    testset = tercet.TestSet({"a": ["x", "y"]}, {"ref": ["x", "y"]})
    with pytest.raises(DataError, match="No segment of the test set is with numbers"):
        select_segments("numbers", testset)
    empty = tmp_path / "terms.txt"
    empty.write_text("\n\n", encoding="utf-8")
    with pytest.raises(DataError, match="has no terms"):
        select_segments(f"terms:{empty}", testset)
