"""One judgement per segment, its place in files of every format, and what is read back of it."""

import io
import json
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import tercet
from tercet.data.bilingual import open_bilingual, xlsx
from tercet.errors import DataError, UsageError
from tercet.quality.changed import changed_of
from tests.docs.running import run
from tests.end_to_end.test_score_command import PEAK

XLIFF = """<?xml version="1.0"?>
<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2">
<file original="a.html" source-language="en" target-language="de" datatype="html"><body>
<trans-unit id="1"><source>Pay 30 euros today</source><target state="translated">Zahlen Sie heute</target></trans-unit>
<trans-unit id="2"><source>Open the window now</source><target>Open the window now</target></trans-unit>
<trans-unit id="3"><source>The house is red</source><target state='new'>Das Haus ist rot</target></trans-unit>
<trans-unit id="4"><source>Close the door now</source><target state="final">Close the door now</target></trans-unit>
<trans-unit id="5"><source>It is late</source></trans-unit>
<trans-unit id="6"><source>A tree</source><target state="needs-adaptation">Ein Baum</target></trans-unit>
</body></file></xliff>
"""
XLIFF2 = """<xliff version="2.0" srcLang="en" trgLang="de" xmlns="urn:oasis:names:tc:xliff:document:2.0"><file id="f">
<unit id="1"><segment id="s1" state="translated"><source>Pay 30</source><target>Zahlen Sie</target></segment></unit>
<unit id="2"><segment state="reviewed"><source>Pay 30 euros</source><target>Zahlen Sie</target></segment></unit>
<unit id="3"><segment><source>A house</source><target>Ein Haus</target></segment></unit>
</file></xliff>
"""
PO = """msgid ""
msgstr "Language: de\\n"

#: a.c:1
#, c-format
msgid "Pay %d euros"
msgstr "Zahlen Sie"

msgid "Pay 30 euros"
msgstr "Zahlen Sie"

#, fuzzy
msgid "A house"
msgstr "Ein Haus"

msgid "A tree"
msgstr "Ein Baum"
"""


def written(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, "utf-8")
    return path


def colours(path: Path, **more: object) -> list[str]:
    found = tercet.review(path, model="none", languages="en-de", **more)
    return ["done" if each.done else each.colour for each in found.judged]


def reviewed(path: Path, *more: str) -> None:
    given = [str(path), "-l", "en-de", "--model", "none", "--in-place", "-q", "-o", str(path.with_name("review.html"))]
    found = run(["review", *given, *more], folder=path.parent)
    assert found.code == 0, found.stderr


def test_each_segment_has_the_worst_judgement_and_reasons_in_plain_words(tmp_path):
    found = tercet.review(written(tmp_path, "app.xlf", XLIFF), model="none")
    assert [each.colour for each in found.judged] == ["amber", "red", "green", "red", "red", "amber"]
    assert [each.says for each in found.judged][:2] == ["a number is missing: 30", "copied from the source"]
    assert found.judged[5].says == "marked for review in the file (needs-adaptation)"
    assert dict(found.counts) == {"red": 2, "amber": 2, "green": 1, "done": 1}
    assert found.by_file == {"a.html": found.counts}


def test_thresholds_and_kinds_are_the_users(tmp_path):
    path = written(tmp_path, "app.xlf", XLIFF)
    assert colours(path, red_for=["numbers"])[:2] == ["red", "amber"]
    assert colours(path, ignore=["numbers", "copied"])[:2] == ["green", "green"]
    with pytest.raises(UsageError, match=r"`red` \(70\) must not be above `amber` \(65\)"):
        colours(path, red=70.0)
    with pytest.raises(UsageError, match="no kind of finding called 'number'"):
        colours(path, ignore=["number"])


def test_xliff_gets_states_and_notes_and_they_are_read_back(tmp_path):
    path = written(tmp_path, "app.xlf", XLIFF)
    reviewed(path)
    text = path.read_text("utf-8")
    assert '<target state="needs-review-translation">Zahlen Sie heute</target><note from="tercet">review: amber' in text
    assert '<target state="needs-translation">Open the window now</target>' in text
    assert '<target state="translated">Das Haus ist rot</target></trans-unit>' in text
    assert '<target state="final">Close the door now</target></trans-unit>' in text
    assert '<target state="needs-adaptation">Ein Baum</target>' in text
    # States that the review wrote are no reasons for the next one; that of somebody else stays one.
    assert colours(path) == ["amber", "red", "green", "done", "red", "amber"]
    path.write_text(text.replace('"needs-translation">Open', '"signed-off">Open'), "utf-8")
    reviewed(path)
    assert '<target state="signed-off">Open the window now</target></trans-unit>' in path.read_text("utf-8")
    assert colours(path)[1] == "done"


def test_xliff_2_has_states_of_segments(tmp_path):
    path = written(tmp_path, "app.xlf", XLIFF2)
    reviewed(path)
    text = path.read_text("utf-8")
    assert '<segment id="s1" state="translated" subState="tercet:amber">' in text
    assert '<segment state="reviewed"><source>' in text
    assert '<segment state="translated" subState="tercet:green"><source>A house' in text
    assert colours(path) == ["amber", "done", "green"]


def test_po_gets_the_flag_fuzzy_and_a_flag_that_is_removed_means_done(tmp_path):
    path = written(tmp_path, "app.po", PO)
    assert colours(path) == ["red", "amber", "amber", "green"]
    found = tercet.review(path, model="none").to_dict()  # the file names its target language alone
    assert found["pair"] == "into de"
    assert found["segments"][0]["quality"] is None
    reviewed(path)
    text = path.read_text("utf-8")
    assert "#, fuzzy, c-format\n" in text
    assert '# tercet: reasons: a number is missing: 30\n#, fuzzy\nmsgid "Pay 30 euros"' in text
    assert colours(path)[:2] == ["red", "amber"]
    path.write_text(text.replace('#, fuzzy\nmsgid "Pay 30', 'msgid "Pay 30'), "utf-8")
    assert colours(path)[1] == "done"
    reviewed(path)
    text = path.read_text("utf-8")
    assert "# tercet: review: done\n" in text
    assert text.count("#, fuzzy") == 2
    assert colours(path)[1] == "done"


def test_a_column_of_a_table_holds_the_judgement_and_what_a_person_writes_there(tmp_path):
    path = written(tmp_path, "app.csv", "source,target\nPay 30 euros,Zahlen Sie\nA house,Ein Haus\n")
    reviewed(path)
    assert path.read_text("utf-8") == (
        "source,target,tercet: review,tercet: reasons\n"
        "Pay 30 euros,Zahlen Sie,amber,a number is missing: 30\nA house,Ein Haus,green,\n"
    )
    path.write_text(path.read_text("utf-8").replace("amber", "done"), "utf-8")
    assert colours(path) == ["done", "green"]
    reviewed(path)
    assert "Zahlen Sie,done," in path.read_text("utf-8")
    path.write_text(path.read_text("utf-8").replace("done", "fertig"), "utf-8")
    with pytest.raises(DataError, match=r"states that its format does not know: 'fertig' \(1\). Known are red, amber"):
        colours(path)


def test_a_workbook_gets_colours(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in (["source", "target"], ["Pay 30 euros", "Zahlen Sie"], ["A house", "Ein Haus"], ["Go", ""]):
        book.active.append(row)
    path = tmp_path / "app.xlsx"
    book.save(path)
    for _ in range(2):
        reviewed(path)
        sheet = openpyxl.load_workbook(path).active
        assert [sheet.cell(row, 3).value for row in range(1, 5)] == ["tercet: review", "amber", "green", "red"]
        fills = [sheet.cell(row, 3).fill.fgColor.rgb[2:] for row in range(2, 5)]
        assert fills == [xlsx.COLOURS[colour] for colour in ("amber", "green", "red")]
    book = openpyxl.load_workbook(path)
    book.active["C2"] = "done"
    book.save(path)
    assert colours(path) == ["done", "green", "red"]


def test_tmx_keeps_the_judgement_in_a_prop(tmp_path):
    unit = '<tu><tuv xml:lang="en"><seg>Pay 30 euros</seg></tuv><tuv xml:lang="de"><seg>Zahlen Sie</seg></tuv></tu>'
    path = written(tmp_path, "app.tmx", f'<tmx version="1.4"><header srclang="en"/><body>{unit}</body></tmx>')
    reviewed(path)
    assert '<prop type="x-tercet-review">amber</prop>' in path.read_text("utf-8")
    path.write_text(path.read_text("utf-8").replace(">amber<", ">done<"), "utf-8")
    assert colours(path) == ["done"]
    reviewed(path)
    assert '<prop type="x-tercet-review">done</prop>' in path.read_text("utf-8")


def test_marks_of_the_page_become_states(tmp_path):
    path = written(tmp_path, "app.xlf", XLIFF)
    mark = {"n": 2, "source": "Open the window now", "output": "Open the window now"}
    marks = written(tmp_path, "marks.json", json.dumps({"done": [mark, {**mark, "n": 1}]}))
    reviewed(path, "--marks", str(marks))
    assert '<target state="signed-off">Open the window now' in path.read_text("utf-8")
    assert colours(path)[:2] == ["amber", "done"]
    with pytest.raises(DataError, match="is not a file of marks"):
        colours(path, marks=str(path))


def test_glossary_and_several_files(tmp_path):
    first = written(tmp_path, "a.csv", "source,target\nThe dashboard,Das Brett\n")
    second = written(tmp_path, "b.csv", "source,target\nThe dashboard,Die Übersicht\n")
    terms = written(tmp_path, "terms.csv", "source,target\ndashboard,Übersicht\n")
    found = tercet.review([first, second], languages="en-de", model="none", terms=str(terms))
    assert [each.colour for each in found.judged] == ["amber", "green"]
    assert found.kinds == {"terms": 1}
    assert list(found.by_file) == ["a.csv", "b.csv"]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.xlf", XLIFF.replace("<target", "<x").replace("</target", "</x"), "."),
        ("a.csv", "source,target\na,\nb,\n", "has no translations: the targets of all 2 segments are empty"),
        ("a.csv", "source,note\na,b\n", "has no column with the translation"),
        ("a.txt", "a\n", "or two plain texts: the source and the translation"),
        (
            "a.xlf",
            XLIFF.replace("</file>", '</file><file original="b" source-language="en" target-language="fr"><body>'
                          '<trans-unit id="1"><source>a</source><target>b</target></trans-unit></body></file>'),
            r"several language pairs: en-de \(line 4\), en-fr \(line 10\)",
        ),
        ("a.xlf", XLIFF.replace("needs-adaptation", "banana"), r"does not know: 'banana' \(1\)"),
    ],
)  # fmt: skip
def test_wrong_use_gets_a_sentence(tmp_path, name, text, message):
    with pytest.raises((DataError, UsageError), match=message):
        tercet.review(written(tmp_path, name, text), model="none")


def test_a_glossary_with_one_column_gets_a_sentence(tmp_path):
    path, terms = written(tmp_path, "app.xlf", XLIFF), written(tmp_path, "terms.csv", "source\ndashboard\n")
    with pytest.raises(DataError, match=r"terms\.csv.* needs two columns"):
        tercet.review(path, model="none", terms=str(terms))


def test_hours_and_words(tmp_path):
    path = written(
        tmp_path, "app.csv", "source,target\nPay 30 euros,Zahlen Sie\nA red house,Ein rotes Haus\n我们去 home,x\n"
    )
    found = tercet.review(path, languages="en-de", model="none", ignore=["language"], words_per_hour=2)
    assert sum(found.words.values()) == 3 + 3 + 4
    assert found.hours == (5.0, found.words["green"] / 2)


def test_figures_of_changed_segments_belong_to_a_model_or_to_the_checks():
    known = changed_of("", "en-es", 0)
    assert known is not None
    assert known.source.startswith("newstest2013")
    share, low, high = known.per_100
    assert low < share < high
    assert changed_of("", "en-fi", 0) is None
    assert changed_of("unknown", "de-en", 65) is None


def test_the_page_is_written_from_a_stream_and_holds_every_segment(tmp_path):
    path = written(tmp_path, "app.xlf", XLIFF)
    tercet.review(path, model="none", words_per_hour=1000).write(tmp_path / "review.html")
    page = (tmp_path / "review.html").read_text("utf-8")
    assert "Of 6 segments, 2 must not ship, 2 need a look, and 1 can pass. 1 are done." in page
    assert "is not known for" not in page


def test_an_archive_without_styles_is_written_without_colours(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.active.append(["source", "target"])
    book.active.append(["A house", "Ein Haus"])
    book.save(tmp_path / "full.xlsx")
    path = tmp_path / "app.xlsx"
    with zipfile.ZipFile(tmp_path / "full.xlsx") as old, zipfile.ZipFile(path, "w") as new:
        for info in old.infolist():
            if not info.filename.endswith("styles.xml"):
                new.writestr(info, old.read(info))
    out = io.BytesIO()
    file = open_bilingual(path)
    xlsx.write(path, file.choice, {"review": ["green"]}, out)
    assert out.getvalue()


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the peak of memory is read from /proc")
def test_100_000_segments_take_less_than_100_mb(tmp_path):
    unit = (
        "<trans-unit id='{0}'><source>Pay {0} euros today</source><target>Zahlen Sie {0} Euro</target></trans-unit>\n"
    )
    with (tmp_path / "big.xlf").open("w", encoding="utf-8") as stream:
        stream.write(XLIFF[: XLIFF.index("<trans-unit")])
        stream.writelines(unit.format(number) for number in range(100_000))
        stream.write("</body></file></xliff>\n")
    words = ["review", "big.xlf", "--model", "none", "-q", "--annotate", "new.xlf", "-o", "page.html"]
    done = subprocess.run(
        [sys.executable, "-c", PEAK, *words], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert int(done.stdout.split()[-1]) < 100_000
    assert (tmp_path / "new.xlf").read_text("utf-8").count("<target") == 100_000


def test_names_that_are_lost_are_reasons_with_a_confidence(tmp_path: Path) -> None:
    pytest.importorskip("simplemma")
    source = written(tmp_path, "a.en", "She flew to Berlin.\nShe flew to Berlin.\n")
    output = written(tmp_path, "a.de", "Sie flog nach Hause.\nSie flog nach Berlin.\n")
    lost, kept = tercet.review([source, output], languages="en-de", model="none", entities=True).judged
    assert [(each.kind, each.words) for each in lost.reasons] == [("names", ("Berlin",))]
    assert re.fullmatch(r"the name 'Berlin' seems to be lost \(\d\d% sure\)", lost.says)
    assert (lost.colour, kept.colour) == ("amber", "green")
    for without in ({}, {"entities": True, "ignore": ["names"]}):
        found = tercet.review([source, output], languages="en-de", model="none", **without)
        assert [each.colour for each in found.judged] == ["green", "green"]
