"""The doctor on texts in the wrong order, of other test sets, from broken systems, and on whole test sets."""

import random

import pytest

from tercet.checking import check
from tercet.checking.line_matching import align as align_words
from tercet.data import TestSet
from tercet.errors import UsageError
from tercet.text.drift import words_of
from tests.unit.test_checking import found, texts
from tests.unit.test_checking import write as write  # a fixture


def align(*texts):
    return align_words(*([words_of(line) for line in lines] for lines in texts))


def shuffled(lines):
    return random.Random(3).sample(lines, len(lines))


def by_their_ends(lines):
    return sorted(lines, key=lambda line: line[::-1])


def rotated(lines):
    return lines[25:] + lines[:25]


@pytest.mark.parametrize("disorder", [shuffled, by_their_ends, rotated, lambda lines: lines[::-1]])
@pytest.mark.parametrize("count", [60, 1000])
def test_a_file_in_another_order_is_found(write, disorder, count):
    source, reference, output = texts(count)
    ref, src = write("ref", reference), write("src", source)
    finding = found(check([ref], [write("out", disorder(output))], source=src), "not-parallel")
    assert (finding.severity, finding.lines, finding.count) == ("error", (), count)
    assert finding.file.endswith("out")
    assert "The lines are not in the order of" in finding.message
    finding = found(check([ref], [write("out", output)], source=write("src", disorder(source))), "not-parallel")
    assert finding.file.endswith("src")


def test_the_lines_that_go_together_are_named(write):
    _, reference, output = texts(10)
    finding = found(check([write("ref", reference)], [write("out", output[::-1])]), "not-parallel")
    assert finding.message.endswith("ref are like lines 10, 9, 8 of this file.")


def test_the_reference_is_blamed_where_all_others_go_together(write):
    source, reference, output = texts()
    report = check([write("ref", reference[::-1])], [write("out", output)], source=write("src", source))
    finding = found(report, "not-parallel")
    assert finding.file.endswith("ref")
    assert "not in the order of the other files" in finding.message


def test_the_text_of_another_test_set_does_not_belong_here(write):
    _, reference, _ = texts()
    draw = random.Random(5)
    words = "nicht sind dort Jahr Leute Wetter Kirche Garten Bruder Winter Fenster Straße Wasser Morgen".split()
    other = [" ".join(draw.sample(words, 9)) for _ in reference]
    finding = found(check([write("ref", reference)], [write("out", other)]), "not-parallel")
    assert "do not seem to belong together" in finding.message


@pytest.mark.parametrize("count", [1, 30])
def test_unrelated_texts_of_unequal_length_are_not_said_to_agree(write, count):
    _, reference, _ = texts()
    draw = random.Random(1)
    other = [" ".join(draw.sample(["Regen", "Fluss", "Garten", "Wolken", "Lampe", "Fisch"], 4)) for _ in range(count)]
    finding = found(check([write("ref", reference)], [write("out", other)]), "unequal-lines")
    assert finding.message.startswith(f"{count} line")
    assert finding.message.endswith("do not seem to belong together.")


def test_nothing_is_said_of_agreement_where_languages_share_too_little(write):
    russian = [f"{word} большой дом" for word in ("Это", "Вот", "Там")]
    report = check([write("ref", ["Das ist.", "Dort.", "Das Haus."])], source=write("src", russian[:2]))
    assert found(report, "unequal-lines").message.endswith("ref has 3.")


def test_texts_that_share_nothing_give_no_alarm(write):
    """Letters of another script have nothing in common with the source: nothing can be told, and nothing is said."""
    _, reference, _ = texts()
    greek = str.maketrans("abcdefghijklmnopqrstuvwxyz0123456789", "αβψδεφγηιξκλμνοπθρστυβωχυζ" + "α" * 10)
    source = [line.lower().translate(greek) for line in reference]
    assert check([write("ref", reference)], source=write("src", source[::-1])).findings == ()


def test_alignment_follows_breaks_and_needs_enough_lines():
    _, reference, output = texts(40)
    assert align(reference, output).parallel is True
    assert align(reference, output[::-1]).parallel is False
    assert align(reference[:4], output[:4][::-1]).parallel is None
    assert align([], []).parallel is None
    assert align(["", "!"], ["?", ""]).parallel is None


@pytest.mark.parametrize("line", ["I do not know what this is about.", "N/A"])
@pytest.mark.parametrize("count", [60, 45])
def test_one_line_for_most_segments_is_an_error(write, line, count):
    source, reference, output = texts()
    out = write("out", [line] * count + output[count:])
    finding = found(check([write("ref", reference)], [out], source=write("src", source)), "repeated-lines")
    assert (finding.severity, finding.count) == ("error", count)
    assert f"{count} of 60 segments ({count / 60:.1%}) are one line" in finding.message


def test_one_line_for_most_segments_is_right_where_the_reference_has_it_too(write):
    reference = ["Yes."] * 8 + ["No, it is not so.", "Perhaps it is."]
    output = ["Yes!"] * 8 + ["No, that is not so.", "Maybe it is."]
    assert check([write("ref", reference)], [write("out", output)]).findings == ()
    assert found(check([write("out", output)]), "repeated-lines").severity == "error"


def test_a_broken_output_of_another_length_is_told_for_both(write):
    _, reference, _ = texts()
    report = check([write("ref", reference)], [write("out", ["Ich weiß es nicht."] * 50)])
    assert {finding.kind for finding in report.findings} >= {"repeated-lines", "unequal-lines"}


def test_a_language_that_is_not_known_is_said_to_be_unchecked(write):
    source, reference, output = texts()
    ref, out, src = write("ref", reference), write("out", output), write("src", source)
    report = check([ref], [out], source=src, pair="en-xx")
    finding = found(report, "unknown-language")
    assert finding.severity == "note"
    assert "does not know the language 'xx'" in finding.message
    assert report.ok
    assert report.as_text().endswith("1 note in 3 files (60 segments).")
    assert check([ref], [out], source=src, pair="en_GB-de_AT").findings == ()


def test_the_language_pair_holds_for_files_without_a_role(write):
    source, reference, _ = texts()
    files = [write("a", source), write("b", reference)]
    assert check(files, pair="en-de").findings == ()
    assert found(check(files, pair="en-fr"), "wrong-language").file.endswith("b")
    assert {finding.kind for finding in check(files, pair="ru-uk").findings} == {"wrong-script"}
    assert found(check(files, pair="en-xx"), "unknown-language").severity == "note"


def test_the_texts_of_a_test_set_are_checked_without_files(write):
    source, reference, output = texts()
    other = [None if i % 2 else line for i, line in enumerate(reference)]
    outputs = {"good": output, "shuffled": shuffled(output), "broken": [*output[:59], "Ein\nUmbruch"]}
    testset = TestSet(outputs, {"refA": reference, "refB": other}, source, pair="en-de")
    report = check(testset=testset)
    assert {(finding.kind, finding.file) for finding in report.findings if finding.severity == "error"} == {
        ("not-parallel", "output shuffled"),
        ("line-breaks", "output broken"),
    }
    assert report.files == (
        "reference refA", "reference refB", "output good", "output shuffled", "output broken", "source",
    )  # fmt: skip
    assert report.as_text().endswith("in 6 texts (60 segments).")
    mine = check([], [write("mine", output)], testset=testset)
    assert mine.files[:3] == ("reference refA", "reference refB", "source")
    assert mine.files[3].endswith("mine")
    assert mine.findings == ()
    assert {finding.kind for finding in check(testset=testset, pair="en-ru").findings} >= {"wrong-script"}
    with pytest.raises(UsageError, match="a test set, not both"):
        check([write("ref", reference)], testset=testset)
    with pytest.raises(UsageError, match=r"check\(testset=\.\.\.\)"):
        check(testset)


def test_no_alarm_on_real_systems_and_all_when_shuffled(shared):
    from tercet.data.layouts import open_testset, pairs

    folder = shared / "data" / "wmt19"
    assert len(pairs(folder)) == 18
    for pair in pairs(folder):
        testset = open_testset(folder, pair)
        (reference,) = testset.references.values()
        worst = min(testset.systems, key=lambda name: len(set(testset.outputs[name])))
        for text in (testset.source, testset.outputs[worst]):
            assert align(reference, text).parallel is True, pair
            assert align(reference, shuffled(text)).parallel is False, pair
