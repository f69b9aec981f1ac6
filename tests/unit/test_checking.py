"""The doctor finds what was planted, where it was planted, and nothing in clean files."""

import gzip
import random
import re
import subprocess
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tercet
from tercet.checking import check
from tercet.errors import UsageError

PEOPLE = ["Anna", "Boris", "Clara", "David", "Elena", "Frank", "Greta", "Henry"]
CITIES = ["Berlin", "Prague", "Vilnius", "Lisbon", "Madrid", "Oslo"]
THINGS = [
    ("bought a house that was too large for the family", "kaufte ein Haus, das für die Familie zu groß war"),
    ("wrote a letter to the mayor and waited for an answer", "schrieb dem Bürgermeister und wartete auf die Antwort"),
    ("sold the old car", "hat das alte Auto verkauft"),
    ("was not seen again after the storm had passed over the hills", "wurde nach dem Sturm nicht mehr gesehen"),
    ("opened a café with friends from school", "eröffnete mit Freunden aus der Schule ein Café"),
]


def texts(count=60):
    """English sources, German references and outputs that differ from them in a word."""
    draw = random.Random(7)
    source, reference, output = [], [], []
    for i in range(count):
        who, city, (english, german), year = draw.choice(PEOPLE), draw.choice(CITIES), draw.choice(THINGS), 1900 + i
        source.append(f"In {year} {who} from {city} {english}.")
        reference.append(f"Im Jahr {year} {german}: das war {who} aus {city}, und die Leute sind nicht von dort.")
        output.append(f"In dem Jahr {year} {german}; das war {who} von {city}, und alle sind nicht von dort.")
    return source, reference, output


@pytest.fixture
def write(tmp_path):
    def writer(name, lines):
        path = tmp_path / name
        data = lines if isinstance(lines, bytes) else "".join(f"{line}\n" for line in lines).encode()
        path.write_bytes(data)
        return path

    return writer


def found(report, kind):
    """The one finding of this kind."""
    findings = [finding for finding in report.findings if finding.kind == kind]
    assert len(findings) == 1, [finding.kind for finding in report.findings]
    return findings[0]


def test_clean_files_have_no_findings(write):
    source, reference, output = texts()
    report = check([write("ref", reference)], [write("out", output)], source=write("src", source), pair="en-de")
    assert report.findings == ()
    assert report.ok
    assert report.segments == 60
    assert report.as_text() == "No problems found in 3 files (60 segments)."


def change(line, text):
    def changer(lines):
        return [text(old) if number == line else old for number, old in enumerate(lines, 1)]

    return changer


PLANTED = [
    ("line-separators", "error", lambda old: old.replace(" ", "\u2028", 1)),
    ("line-separators", "error", lambda old: old + "\x85"),
    ("control-characters", "error", lambda old: old + "\x07"),
    ("replacement-character", "error", lambda old: old.replace("a", "\ufffd")),
    ("double-encoded", "error", lambda old: old + " Ã¼ber"),
    ("double-encoded", "error", lambda old: old + " thatâ€™s"),
    ("double-encoded", "error", lambda old: old + " " + "привет".encode().decode("latin-1")),
    ("html-entities", "error", lambda old: old + " Tom &amp; Jerry"),
    ("subword-units", "error", lambda old: old.replace("Jahr", "Ja@@ hr")),
    ("subword-units", "error", lambda old: "▁" + old.replace(" ", " ▁")),
    ("odd-blanks", "error", lambda old: old.replace(" ", "\xa0", 1)),
    ("tabs", "warning", lambda old: old.replace(" ", "\t", 1)),
    ("invisible-characters", "error", lambda old: old.replace("J", "J\u200b")),
    ("normalisation", "error", lambda old: unicodedata.normalize("NFD", old + " Müller")),
    ("spaced-full-stop", "warning", lambda old: old.replace(".", " .")),
    ("long-lines", "warning", lambda old: old * 100),
    ("lone-cr", "error", lambda old: old.replace(" ", "\r", 1)),
    ("blank-lines", "error", lambda old: "  "),
    ("lines-in-other-script", "warning", lambda old: "Совсем другой язык здесь"),
]


@pytest.mark.parametrize(("kind", "severity", "plant"), PLANTED)
def test_a_planted_defect_is_found_with_its_line(write, kind, severity, plant):
    source, reference, output = texts()
    report = check([write("ref", reference)], [write("out", change(17, plant)(output))], source=write("src", source))
    finding = found(report, kind)
    assert (finding.severity, finding.lines, finding.count) == (severity, (17,), 1)
    assert finding.file.endswith("out")
    assert finding.message
    assert finding.advice
    assert report.ok is (severity != "error")


def test_harmless_characters_are_left_alone(write):
    lines = [
        "می\u200cخواهم به خانه بروم",
        "क्\u200dष है",
        "👨\u200d👩\u200d👧 da",
        "日本\u3000語",
        "CAFÉ« und Ü»",
        "R&D; AT&T",
    ]
    assert check([write("a", lines)]).findings == ()


def test_bytes_that_are_no_utf_8_are_told_with_their_lines(write):
    latin = "eins\nzwei für\ndrei\nfünf\n".encode("latin-1")
    finding = found(check([write("a", latin)]), "invalid-utf-8")
    assert (finding.severity, finding.lines, finding.count) == ("error", (2, 4), 2)
    assert "iconv" in finding.advice


def test_commands_in_advice_can_be_pasted_whatever_the_name(write, tmp_path, monkeypatch):
    """The advice is run by a shell on a file with blanks, quotes and a dollar, and mends it."""
    monkeypatch.chdir(tmp_path)
    name = "my 'own' $HOME;file.txt"
    _, reference, output = texts()
    write("ref", reference)
    write(name, b"\xef\xbb\xbf" + "".join(f"{line}\r\n" for line in output).encode())
    for finding in check(["ref"], [name]).findings:
        assert finding.kind in ("crlf", "byte-order-mark")
        subprocess.run(["sh", "-c", finding.advice.partition(": ")[2]], check=True)
    assert check(["ref"], [name]).findings == ()
    write("-l", "é\n".encode("utf-16-le") * 20)
    advice = found(check(["-l"]), "utf-16").advice
    assert advice == "Convert it: iconv -f UTF-16LE -t UTF-8 ./-l"
    done = subprocess.run(["sh", "-c", advice.partition(": ")[2]], check=True, capture_output=True)
    assert done.stdout.decode() == "é\n" * 20
    write("x.gz", gzip.compress(b"a\r\nb\r\n"))
    assert found(check(["x.gz"]), "crlf").advice == r"Remove them: gzip -dc x.gz | sed 's/\r$//'"


def test_a_file_with_carriage_returns_alone_is_not_said_to_end_in_crlf(write):
    _, reference, output = texts()
    report = check([write("ref", reference)], [write("out", "".join(f"{line}\r" for line in output).encode())])
    assert [finding.kind for finding in report.findings] == ["lone-cr"]
    assert "only line ends" in report.findings[0].message
    assert report.segments == 60
    last = check([write("a", b"one\r\ntwo\r")])
    assert [(finding.kind, finding.lines) for finding in last.findings] == [("crlf", (1,)), ("lone-cr", (2,))]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_utf_16_is_recognised_and_still_compared(write, encoding):
    _, reference, output = texts()
    data = "".join(f"{line}\n" for line in output).encode(encoding)
    report = check([write("ref", reference)], [write("out", data)])
    assert [finding.kind for finding in report.findings] == ["utf-16"]


def test_marks_nul_and_windows_line_ends(write):
    _, reference, output = texts()
    data = b"\xef\xbb\xbf" + "\r\n".join(output).encode() + b"\0\n"
    report = check([write("ref", reference)], [write("out", data)])
    assert {finding.kind for finding in report.findings} == {"byte-order-mark", "crlf", "nul-bytes"}
    assert found(report, "byte-order-mark").lines == (1,)
    assert found(report, "crlf").count == 59
    assert found(report, "crlf").lines == (1, 2, 3, 4, 5)
    assert found(report, "nul-bytes").lines == (60,)
    for kind in ("crlf", "byte-order-mark"):  # as tercet.data.lines does
        assert re.search("Tercet removes .* with a warning; other programs keep", found(report, kind).message)
    assert not report.ok


def test_empty_and_damaged_files(write):
    assert found(check([write("a", b"")]), "empty-file").severity == "error"
    packed = gzip.compress(b"eins zwei\n" * 500)
    assert found(check([write("b.gz", packed[:40])]), "unreadable").severity == "error"
    assert found(check([write("c.gz", packed[:20] + b"\xff" * 30)]), "unreadable").severity == "error"
    assert check([write("d.gz", packed)]).segments == 500


@pytest.mark.parametrize("which", ["out", "src"])
@pytest.mark.parametrize("line", [12, 31, 50])
def test_a_lost_line_is_found_where_it_was_lost(write, which, line):
    source, reference, output = texts()
    lines = {"out": output, "src": source, "ref": reference}
    lines[which] = [text for number, text in enumerate(lines[which], 1) if number != line]
    report = check([write("ref", lines["ref"])], [write("out", lines["out"])], source=write("src", lines["src"]))
    finding = found(report, "unequal-lines")
    assert finding.file.endswith(which)
    assert finding.count == 1
    assert finding.lines == (line,)
    assert "59 lines" in finding.message
    assert f"near line {line}" in finding.advice


def test_an_added_line_is_found(write):
    _, reference, output = texts()
    added = [*output[:24], "Eine Zeile zu viel.", *output[24:]]
    finding = found(check([write("ref", reference)], [write("out", added)]), "unequal-lines")
    assert finding.lines == (25,)
    assert "1 line behind" in finding.message
    assert "too many" in finding.advice


def test_a_shift_is_found_though_the_numbers_of_lines_are_equal(write):
    _, reference, output = texts()
    shifted = [*output[:9], "Noch eine.", *output[9:-1]]
    finding = found(check([write("ref", reference)], [write("out", shifted)]), "drift")
    assert (finding.severity, finding.lines) == ("error", (10,))
    rotated = [output[-1], *output[:-1]]
    assert found(check([write("ref", reference)], [write("out", rotated)]), "drift").lines == (1,)


def test_a_shift_is_found_in_a_file_of_six_lines(write):
    _, reference, output = texts(6)
    assert found(check([write("ref", reference)], [write("out", output[1:])]), "unequal-lines").lines == (1,)


def test_two_breaks_that_make_up_for_each_other(write):
    _, reference, output = texts()
    moved = [*output[:10], "Zu viel.", *output[10:40], *output[41:]]
    finding = found(check([write("ref", reference)], [write("out", moved)]), "drift")
    assert finding.count == 2
    assert finding.lines[0] == 11
    assert finding.lines[1] in (41, 42)


def test_the_reference_is_blamed_where_all_others_agree(write):
    source, reference, output = texts()
    other = [line.replace("Jahr", "Jahre") for line in output]
    paths = [write("a", output), write("b", other)]
    report = check([write("ref", [*reference[:19], *reference[20:]])], paths, source=write("src", source))
    finding = found(report, "unequal-lines")
    assert finding.file.endswith("ref")
    assert finding.lines == (20,)
    assert "lost" in finding.advice


def test_a_file_that_ends_early(write):
    _, reference, output = texts()
    finding = found(check([write("ref", reference)], [write("out", output[:40])]), "unequal-lines")
    assert finding.lines == (41,)
    assert finding.count == 20
    assert "go together up to line 40, where the shorter one ends" in finding.message


def test_copies_of_the_source(write):
    source, reference, output = texts()
    some = [s if i in (4, 9) else o for i, (s, o) in enumerate(zip(source, output, strict=True))]
    many = [s if i < 30 else o for i, (s, o) in enumerate(zip(source, output, strict=True))]
    src, ref = write("src", source), write("ref", reference)
    few = found(check([ref], [write("some", some)], source=src), "source-copied")
    assert (few.severity, few.lines, few.count) == ("warning", (5, 10), 2)
    lot = found(check([ref], [write("many", many)], source=src), "source-copied")
    assert (lot.severity, lot.count) == ("error", 30)
    assert "50.0%" in lot.message


def test_identical_files(write):
    _, reference, output = texts()
    ref = write("ref", reference)
    report = check([ref], [write("a", output), write("b", output)])
    assert found(report, "identical-files").file.endswith("b")
    finding = found(check([ref], [write("copy", reference)]), "output-is-reference")
    assert finding.severity == "error"
    assert finding.file.endswith("copy")


def test_an_output_close_to_the_reference(write):
    _, reference, output = texts()
    report = check([write("ref", reference)], [write("out", reference[:40] + output[40:])])
    assert found(report, "close-to-reference").severity == "warning"


def test_the_same_output_for_different_sources(write):
    source, reference, output = texts()
    output[20] = output[3]
    report = check([write("ref", reference)], [write("out", output)], source=write("src", source))
    finding = found(report, "repeated-lines")
    assert (finding.severity, finding.lines) == ("warning", (4, 21))
    source[20], reference[20] = source[3], reference[3]
    assert check([write("ref", reference)], [write("out", output)], source=write("src", source)).findings == ()


def test_wrong_scripts_and_languages(write):
    source, reference, output = texts()
    russian = [f"В {1900 + i} году он купил большой дом" for i in range(60)]
    ref, src = write("ref", reference), write("src", source)
    assert found(check([ref], [write("ru", russian)]), "wrong-script").severity == "error"
    with_pair = check([ref], [write("out", output)], source=src, pair="en-ru")
    assert {finding.kind for finding in with_pair.findings} == {"wrong-script"}
    assert len(with_pair.findings) == 2
    finding = found(
        check([ref], [write("english", [line.upper().lower() + " so" for line in source])]), "wrong-language"
    )
    assert "'en'" in finding.message
    assert found(check([ref], source=src, pair="de-de"), "wrong-language").file.endswith("src")


@pytest.mark.parametrize("pair", [None, "en-de"])
def test_swapped_source_and_reference(write, pair):
    source, reference, output = texts()
    report = check([write("ref", source)], [write("out", output)], source=write("src", reference), pair=pair)
    finding = found(report, "swapped-files")
    assert finding.severity == "error"
    assert finding.file.endswith("ref")


def test_tokenised_text_is_an_error_where_the_others_are_not(write):
    _, reference, output = texts()

    def tokenised(lines):
        return [line.replace(",", " ,").replace(".", " .") for line in lines]

    ref, out = write("ref", reference), write("out", tokenised(output))
    assert found(check([ref], [out]), "tokenised").severity == "error"
    both = check([write("tok", tokenised(reference))], [out])
    assert [(finding.kind, finding.severity) for finding in both.findings] == [("tokenised", "warning")] * 2
    assert both.ok


@pytest.mark.parametrize(("kind", "odd"), [("odd-blanks", "\xa0"), ("invisible-characters", "\u200b")])
def test_odd_characters_are_an_error_only_where_a_single_file_has_them(write, kind, odd):
    _, reference, output = texts()

    def odder(lines):
        return [line.replace(" ", f" {odd}", 1) for line in lines]

    ref, out, odd_ref, odd_out = (
        write(name, lines)
        for name, lines in (("r", reference), ("o", output), ("R", odder(reference)), ("O", odder(output)))
    )
    alone = found(check([ref], [odd_out]), kind)
    assert alone.severity == "error"
    assert alone.message.endswith("No other text has any.")
    assert found(check([odd_ref], [out]), kind).file.endswith("R")
    assert not check([odd_ref], [out]).ok
    assert {finding.severity for finding in check([odd_ref], [odd_out]).findings} == {"warning"}
    assert found(check([odd_out]), kind).severity == "warning"  # nothing to differ from


def test_lines_blank_in_all_files_are_only_a_warning(write):
    _, reference, output = texts()
    reference[8] = output[8] = ""
    report = check([write("ref", reference)], [write("out", output)])
    finding = found(report, "blank-in-all")
    assert (finding.severity, finding.lines) == ("warning", (9,))


def test_misuse_is_refused(write, tmp_path):
    with pytest.raises(UsageError, match="nothing to check"):
        check()
    with pytest.raises(UsageError, match=r"no file .*missing"):
        check([tmp_path / "missing"])
    with pytest.raises(UsageError, match="is a directory"):
        check([tmp_path])
    with pytest.raises(UsageError, match="as en-de or en-pt_BR, not 'english'"):
        check([write("a", ["x"])], pair="english")
    with pytest.raises(UsageError, match="Pass a test set by keyword"):
        check(tercet.demo("en-de"))
    with pytest.raises(UsageError, match=r"Standard input \(-\) can be read only once"):
        check(["-"], ["-"])


def test_one_file_is_a_list_of_one(write):
    assert check(write("a", ["x\r"])).findings == check([write("a", ["x\r"])]).findings != ()


@pytest.mark.parametrize(
    "unit", ["x", "word ", "é", "e\u0301", "\u0301\u0323", "Ã©", "&amp;", "我", "\u200b", ". ", "\r", " ,"]
)
def test_a_line_of_megabytes_does_not_hang(write, unit):
    line = unit * (2_000_000 // len(unit))
    report = check([write("a", [line, "short"])], [write("b", ["short", line])])
    assert "long-lines" in {finding.kind for finding in report.findings}


PIECES = [b"\n", b"\r", b"\0", b"\xef\xbb\xbf", b"\xff\xfe", b"a b.", b"\xe2\x80\xa8", b"\x1f\x8b"]
blobs = st.one_of(
    st.binary(max_size=200),
    st.text(max_size=80).map(lambda text: text.encode("utf-8", "surrogatepass")),
    st.text(max_size=40).map(lambda text: text.encode("utf-16", "surrogatepass")),
    st.lists(st.sampled_from(PIECES), max_size=12).map(b"".join),
)


@settings(max_examples=150)
@given(
    st.lists(blobs, min_size=1, max_size=2),
    st.lists(blobs, max_size=2),
    st.none() | blobs,
    st.sampled_from([None, "en-de", "zh-ja"]),
)
def test_no_bytes_whatever_break_it(tmp_path_factory, references, outputs, source, pair):
    folder = tmp_path_factory.mktemp("bytes")
    paths = []
    for number, data in enumerate((*references, *outputs, *([] if source is None else [source]))):
        path = folder / str(number)
        path.write_bytes(data)
        paths.append(path)
    last = paths.pop() if source is not None else None
    report = check(paths[: len(references)], paths[len(references) :], source=last, pair=pair)
    assert len(report.files) == len(references) + len(outputs) + (source is not None)
    assert report.as_text().encode()
    assert all(finding.severity in ("error", "warning", "note") for finding in report.findings)
    assert all(finding.count >= len(finding.lines) for finding in report.findings if finding.kind != "unequal-lines")
