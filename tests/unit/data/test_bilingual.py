"""Reading of XLIFF, TMX, PO, CSV and XLSX files, and writing notes into copies of them."""

import io
import tracemalloc
import zipfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tercet.data.bilingual import BACKUP, FORMATS, Bitext, open_bitext
from tercet.data.formats import BILINGUAL
from tercet.data.workbook import write_xlsx
from tercet.errors import DataError, TercetError, UsageError

XLIFF_12 = """<?xml version="1.0" encoding="utf-8"?>
<!-- kept -->
<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2" xmlns:sdl="urn:sdl">
 <file original="app.html" source-language="en-US" target-language="de-DE" datatype="html"><body>
  <trans-unit id="1" sdl:x='single quotes'>
   <source>Press <g id="1">Save</g> <x id="2"/>now &amp; go</source>
   <target state="translated">Jetzt <g id="1">sichern</g> &amp; los</target>
   <note>old</note>
   <alt-trans><source>wrong</source><target>falsch</target></alt-trans>
  </trans-unit>
  <group translate="no"><trans-unit id="2"><source>Brand</source></trans-unit></group>
  <trans-unit id="3"><source>Bye</source><seg-source><mrk mtype="seg" mid="1">Bye</mrk></seg-source></trans-unit>
 </body></file>
 <file original="menu.html" source-language="en-US" target-language="de-DE" datatype="html"><body>
  <trans-unit id="1"><source>File<ph id="3">&lt;br/&gt;</ph></source><target>Datei</target></trans-unit>
 </body></file>
</xliff>
"""
XLIFF_20 = """<xliff version="2.1" srcLang="en" trgLang="fr" xmlns="urn:oasis:names:tc:xliff:document:2.0">
<file id="f1"><unit id="u1"><originalData><data id="d1">x</data></originalData>
<segment id="s1"><source>One <pc id="2">two</pc>.</source><target>Un.</target></segment>
<ignorable><source> </source></ignorable><segment><source>Two<ph id="1"/></source></segment></unit>
<unit id="u2"><notes><note>old</note></notes><segment><source>A</source><target>B</target></segment></unit></file>
</xliff>
"""
TMX = """<?xml version="1.0" encoding="{encoding}"?>
<!DOCTYPE tmx SYSTEM "http://example.invalid/tmx14.dtd">
<tmx version="1.4"><header srclang="en-US" creationtool="x"/><body>
<tu tuid="k1"><note>old</note>
<tuv xml:lang="en-US"><seg>Hi <bpt i="1">&lt;b></bpt>you<ept i="1">&lt;/b></ept></seg></tuv>
<tuv xml:lang="de-DE"><seg>Hallo dü</seg></tuv></tu>
<tu><tuv xml:lang="de-DE"><seg>Tschüss</seg></tuv><tuv xml:lang="en-US"><seg>Bye</seg></tuv></tu>
</body></tmx>
"""
PO = r"""# header
msgid ""
msgstr ""
"Content-Type: text/plain; charset=UTF-8\n"
"Language: de\n"

#. for translators
#: src/a.c:12 src/b.c:4
#, c-format
msgctxt "menu"
msgid "Open \"%s\"\n"
"now"
msgstr "Öffnen\t%s"

msgid "one file"
msgid_plural "%d files"
msgstr[0] "eine Datei"
msgstr[1] "%d Dateien"

#~ msgid "old"
#~ msgstr "alt"
"""
CSV = '\ufeffKey;Source;"Comment";Target\r\nk1;"a; b\n c";"x ""y""";ü\r\n\r\nk2;d;;e'
NOTES = {"chrF": "63.2", "why": "a < b"}


def opened(folder: Path, name: str, content: str | bytes, **more: object) -> Bitext:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return open_bitext(path, **more)  # type: ignore[arg-type]


def annotated(bitext: Bitext) -> bytes:
    """Return the file with notes on all segments."""
    out = bitext.path.with_name(f"out-{bitext.path.name}")
    bitext.annotate({name: [text] * len(bitext) for name, text in NOTES.items()}, out)
    return out.read_bytes()


def is_inserted(old: bytes, new: bytes) -> bool:
    """Return whether the new bytes have the old ones in the same order."""
    rest = iter(new)
    return all(byte in rest for byte in old)


CASES = {
    "a.xlf": XLIFF_12.encode(),
    "b.xliff": XLIFF_20.encode(),
    "c.tmx": TMX.format(encoding="utf-8").encode(),
    "d.tmx": TMX.format(encoding="UTF-16").encode("utf-16"),
    "e.tmx": TMX.format(encoding="ISO-8859-1").encode("latin-1"),
    "f.po": PO.encode(),
    "g.po": PO.replace("\n", "\r\n").encode(),
    "h.csv": CSV.encode(),
    "i.csv": CSV.encode("utf-16"),
    "j.tsv": b'ID\tSource\tTarget\n1\ta "b\tc\n2\td\te\n',
}


@pytest.mark.parametrize("name", CASES)
def test_notes_are_added_and_every_other_byte_stays(name, tmp_path):
    bitext = opened(tmp_path, name, CASES[name])
    new = annotated(bitext)
    assert is_inserted(CASES[name], new)
    again = open_bitext(bitext.path.with_name(f"out-{name}"))
    kept = ("id", "source", "outputs", "file", "source_tags", "output_tags")
    assert [[getattr(each, key) for key in kept] for each in again.segments] == [
        [getattr(each, key) for key in kept] for each in bitext.segments
    ]


@pytest.mark.parametrize("name", CASES)
def test_without_notes_a_copy_is_the_same_file(name, tmp_path):
    bitext = opened(tmp_path, name, CASES[name])
    bitext.annotate({"chrF": [""] * len(bitext)}, tmp_path / f"copy-{name}")
    assert (tmp_path / f"copy-{name}").read_bytes() == CASES[name]


def workbook(rows: list[list[str]]) -> bytes:
    stream = io.BytesIO()
    write_xlsx(stream, rows[0], rows[1:])
    return stream.getvalue()


WORKBOOK = workbook([["ID", "Source", "Target"], ["1", "a", "b"], ["2", "c & d", ""], ["3", "e", "f"]])
TEXTS = st.sampled_from(["", "63.2", "a < b; \"c\", 'd'", "ü\n日本", "tercet: x", "-1"])


def parts(content: bytes) -> dict[str, bytes] | bytes:
    """Return the parts of a workbook, whose archive has times in it; other files as they are."""
    if not content.startswith(b"PK"):
        return content
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.mark.parametrize("name", [*CASES, "k.xlsx"])
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_annotating_again_is_annotating_once_with_the_new_values(name, tmp_path, data):
    old = WORKBOOK if name == "k.xlsx" else CASES[name]
    bitext = opened(tmp_path, name, old)
    columns = st.lists(TEXTS, min_size=len(bitext), max_size=len(bitext))
    first, second = ({key: data.draw(columns) for key in ("chrF", "why")} for _ in range(2))
    once, twice, direct = (tmp_path / f"{step}-{name}" for step in ("once", "twice", "direct"))
    bitext.annotate(first, once)
    again = open_bitext(once)
    kept = ("id", "source", "outputs", "file", "labels", "source_tags", "output_tags")
    assert [[getattr(each, key) for key in kept] for each in again.segments] == [
        [getattr(each, key) for key in kept] for each in bitext.segments
    ]
    again.annotate(second, twice)
    bitext.annotate(second, direct)
    # A column stays, though it may be empty now.
    is_table = name.endswith(("csv", "tsv", "xlsx"))
    if not is_table or all(any(first[key]) == any(second[key]) for key in first):
        assert parts(twice.read_bytes()) == parts(direct.read_bytes())
    open_bitext(twice).annotate({key: [""] * len(bitext) for key in first}, direct)
    if not is_table:
        assert direct.read_bytes() == old


@pytest.mark.parametrize("name", [*CASES, "k.xlsx"])
def test_notes_of_another_name_stay(name, tmp_path):
    bitext = opened(tmp_path, name, WORKBOOK if name == "k.xlsx" else CASES[name])
    for step, note in (("1", {"chrF": "first"}), ("2", {"why": "second"}), ("3", {"chrF": "third"})):
        new = tmp_path / f"{step}-{name}"
        bitext.annotate({key: [text] * len(bitext) for key, text in note.items()}, new)
        bitext = open_bitext(new)
    content = parts(new.read_bytes())
    if isinstance(content, dict):
        content = b"".join(content.values())
    has = [
        text.encode("utf-16-le" if name in ("d.tmx", "i.csv") else "utf-8") in content
        for text in ("first", "second", "third")
    ]
    assert has == [False, True, True]


def test_columns_of_the_user_are_not_replaced(tmp_path):
    bitext = opened(tmp_path, "a.csv", 'Source,Target,rank,tercet: chrF,more\na,b,mine,1,x\nc,d,mine,2,"y,z"\n')
    bitext.annotate({"rank": ["1", "2"], "chrF": ["3", "a,b"]}, tmp_path / "b.csv")
    assert (tmp_path / "b.csv").read_text() == (
        'Source,Target,rank,tercet: chrF,more,tercet: rank\na,b,mine,3,x,1\nc,d,mine,"a,b","y,z",2\n'
    )


def test_xlsx_cells_are_replaced_in_their_place_with_their_look(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    sheet = book.active
    for row in (["Source", "Target", "tercet: chrF", "mine"], ["a", "b", 1, "x"], ["c", "d", None, "y"], ["e", "f", 3]):
        sheet.append(row)
    sheet["C2"].font = openpyxl.styles.Font(bold=True)
    book.save(tmp_path / "a.xlsx")
    open_bitext(tmp_path / "a.xlsx").annotate({"chrF": ["", "7", "8"]}, tmp_path / "b.xlsx")
    new = openpyxl.load_workbook(tmp_path / "b.xlsx").active
    assert [[cell.value for cell in row][2:] for row in new.iter_rows(min_row=2)] == [[None, "x"], [7, "y"], [8, None]]
    assert new["C2"].font.bold


def test_xliff_1_2_keeps_tags_apart_and_leaves_out_what_is_not_translated(tmp_path):
    bitext = opened(tmp_path, "a.xlf", XLIFF_12)
    assert bitext.pair == "en-de"
    first, second, third = bitext.segments
    assert (first.source, first.outputs["output"]) == ("Press Save now & go", "Jetzt sichern & los")
    assert (first.source_tags, first.output_tags) == (("g:1", "x:2"), ("g:1",))
    assert second.outputs["output"] == ""
    assert (third.source, third.file, third.source_tags) == ("File", "menu.html", ("ph:3",))
    assert bitext.ids == ["app.html:1", "app.html:3", "menu.html:1"]
    new = annotated(bitext).decode()
    assert '<note from="tercet">why: a &lt; b</note><note>old</note>' in new
    assert '</seg-source><note from="tercet">chrF: 63.2</note>' in new


def test_xliff_2_puts_notes_into_the_unit(tmp_path):
    bitext = opened(tmp_path, "b.xliff", XLIFF_20)
    assert [each.id for each in bitext.segments] == ["u1/s1", "u1/2", "u2"]
    assert bitext.segments[1].source_tags == ("ph:1",)
    bitext.annotate({"chrF": ["1", "2", "3"]}, tmp_path / "out.xliff")
    new = (tmp_path / "out.xliff").read_text()
    both = '<note category="tercet">s1: chrF: 1</note><note category="tercet">2: chrF: 2</note>'
    assert f'<unit id="u1"><notes>{both}</notes><originalData>' in new
    assert '<notes><note>old</note><note category="tercet">chrF: 3</note></notes>' in new


def test_tmx_takes_languages_from_the_header_or_as_given(tmp_path):
    bitext = opened(tmp_path, "c.tmx", CASES["c.tmx"])
    assert bitext.pair == "en-de"
    assert [(each.id, each.source, each.outputs["output"]) for each in bitext.segments] == [
        ("k1", "Hi you", "Hallo dü"),
        ("2", "Bye", "Tschüss"),
    ]
    turned = opened(tmp_path, "c.tmx", CASES["c.tmx"], pair="de-en")
    assert turned.source == ["Hallo dü", "Tschüss"]
    assert b'<prop type="x-tercet-chrF">63.2</prop>' in annotated(bitext)


def test_po_has_a_segment_for_each_plural_form(tmp_path):
    bitext = opened(tmp_path, "f.po", PO)
    assert [(each.id, each.source, each.outputs["output"], each.file) for each in bitext.segments] == [
        ("1", 'Open "%s"\nnow', "Öffnen\t%s", "src/a.c"),
        ("2/0", "one file", "eine Datei", ""),
        ("2/1", "%d files", "%d Dateien", ""),
    ]
    new = annotated(bitext).decode()
    assert "# tercet: chrF: 63.2\n# tercet: why: a < b\n#. for translators\n" in new
    polib = pytest.importorskip("polib")
    ours = {(entry.msgid, entry.msgstr) for entry in polib.pofile(str(tmp_path / "out-f.po"))}
    assert ours == {(entry.msgid, entry.msgstr) for entry in polib.pofile(str(bitext.path))}


def test_tables_are_recognised_by_common_headers(tmp_path):
    bitext = opened(tmp_path, "h.csv", CSV)
    first = bitext.segments[0]
    assert (first.id, first.source, first.outputs, first.labels) == (
        "k1",
        "a; b\n c",
        {"output": "ü"},
        {"Comment": 'x "y"'},
    )
    assert annotated(bitext).decode().endswith("k2;d;;e;63.2;a < b")


def test_columns_may_have_any_header(tmp_path):
    table = "EN,DE 1,DE 2,PE\na,b,c,d\n"
    columns = {"source": "EN", "output:one": "DE 1", "output:two": "de 2", "reference": "PE"}
    testset = opened(tmp_path, "a.csv", table, columns=columns).testset()
    assert testset.outputs == {"one": ("b",), "two": ("c",)}
    assert (testset.source, testset.references) == (("a",), {"reference": ("d",)})
    assert opened(tmp_path, "b.csv", "en,de,id\nx,y,z\n", pair="en-de").source == ["x"]


def test_the_error_names_the_headers_and_the_option(tmp_path):
    with pytest.raises(DataError, match=r"Columns: 'A', 'B'\. .*: `columns` source=COLUMN,output=COLUMN\."):
        opened(tmp_path, "a.csv", "A,B\n1,2\n")


def test_xlsx_keeps_all_other_parts_and_all_cells(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    sheet = book.active
    rows = [["Key", "Source", "Target"], ["a", "x & <y>", "ü"], [7, "=1+1", None], [None, None, None], ["b", "p", "q"]]
    for row in rows:
        sheet.append(row)
    sheet["A2"].font = openpyxl.styles.Font(bold=True)
    sheet.merge_cells("E1:F2")
    chart = openpyxl.chart.BarChart()
    chart.add_data(openpyxl.chart.Reference(sheet, min_col=1, min_row=1, max_row=3))
    sheet.add_chart(chart, "H3")
    book.create_sheet("Other")["A1"] = "kept"
    path = tmp_path / "a.xlsx"
    book.save(path)
    bitext = open_bitext(path)
    assert [(each.id, each.source, each.outputs["output"]) for each in bitext.segments][::2] == [
        ("a", "x & <y>", "ü"),
        ("b", "p", "q"),
    ]
    bitext.annotate({"chrF": ["63.2", "", "5"], "why": ["=a < b", "", ""]}, tmp_path / "b.xlsx")
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(tmp_path / "b.xlsx") as new:
        assert old.namelist() == new.namelist()
        changed = [name for name in old.namelist() if old.read(name) != new.read(name)]
        assert changed == ["xl/worksheets/sheet1.xml"]
        sheet_xml = "xl/worksheets/sheet1.xml"
        assert new.read(sheet_xml).decode().count("<c ") == old.read(sheet_xml).decode().count("<c ") + 5
    written = openpyxl.load_workbook(tmp_path / "b.xlsx")
    values = [[cell.value for cell in row] for row in written.active.iter_rows()]
    assert [row[:3] for row in values] == rows
    assert [row[6:8] for row in values] == [
        ["tercet: chrF", "tercet: why"],
        [63.2, "=a < b"],
        [None, None],
        [None, None],
        [5, None],
    ]
    assert written.active["H2"].data_type == "s"  # a text, not a formula


def test_a_sheet_is_chosen_by_name(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.active.append(["nothing"])
    second = book.create_sheet("Two")
    for row in (["Source", "MT"], ["a", "b"]):
        second.append(row)
    book.save(tmp_path / "a.xlsx")
    assert open_bitext(tmp_path / "a.xlsx", columns={"sheet": "Two"}).output() == ["b"]
    with pytest.raises(UsageError, match="no sheet in .* called 'Tow'. Did you mean Two"):
        open_bitext(tmp_path / "a.xlsx", columns={"sheet": "Tow"})


def test_a_written_workbook_is_read_by_others_and_by_us(tmp_path):
    with (tmp_path / "a.xlsx").open("wb") as stream:
        write_xlsx(stream, ["Source", "Target"], [["=1+1", "ä\nb"], ["3.5", ""]], sheet="A & B")
    assert open_bitext(tmp_path / "a.xlsx").source == ["=1+1", "3.5"]
    openpyxl = pytest.importorskip("openpyxl")
    sheet = openpyxl.load_workbook(tmp_path / "a.xlsx")["A & B"]
    assert [[cell.value for cell in row] for row in sheet.iter_rows(min_row=2)] == [["=1+1", "ä\nb"], [3.5, None]]
    assert sheet["A2"].data_type == "s"


def test_in_place_keeps_a_backup_and_does_not_overwrite_one(tmp_path):
    bitext = opened(tmp_path, "a.xlf", XLIFF_12)
    backup = bitext.annotate_in_place({"chrF": ["1", "2", "3"]})
    assert backup == tmp_path / f"a.xlf{BACKUP}"
    assert backup.read_text() == XLIFF_12
    once = bitext.path.read_text()
    assert "chrF: 3" in once
    second = bitext.annotate_in_place({"chrF": ["1", "2", "4"]})
    assert second == tmp_path / f"a.xlf{BACKUP}2"
    assert (backup.read_text(), second.read_text()) == (XLIFF_12, once)
    assert bitext.path.read_text() == once.replace("chrF: 3", "chrF: 4")


def test_a_long_xliff_is_read_in_bounded_memory(tmp_path):
    from tercet.data.bilingual import xliff
    from tercet.data.bilingual.segments import Choice

    head, *_ = XLIFF_12.partition("<trans-unit")
    unit = '<trans-unit id="{}"><source>Some words to read</source><target>Ein paar Wörter</target></trans-unit>\n'
    path = tmp_path / "long.xlf"
    with path.open("w") as stream:
        stream.write(head)
        stream.writelines(unit.format(number) for number in range(20_000))
        stream.write("</body></file></xliff>")
    tracemalloc.start()
    count = sum(1 for _ in xliff.read_segments(path, Choice()))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert count == 20_000
    assert peak < 1_000_000 < path.stat().st_size
    tracemalloc.start()
    bitext = open_bitext(path)
    held = tracemalloc.get_traced_memory()[0]
    tracemalloc.reset_peak()
    bitext.annotate({"chrF": ["1.0"] * len(bitext)}, tmp_path / "new.xlf")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert held / len(bitext) < 1000  # bytes per segment, with its texts
    assert peak - held < 1_000_000


BOMB = '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>'
DAMAGED = {
    "empty.xlf": (b"", "is empty"),
    "cut.xlf": (XLIFF_12.encode()[:600], "line [0-9]+: not well-formed XML"),
    "root.xlf": (b"<html/>", "this is not XLIFF"),
    "old.xlf": (b'<xliff version="3.0"/>', "XLIFF 3.0 is not known"),
    "none.xlf": (b'<xliff version="1.2"><file><body/></file></xliff>', "has no segments"),
    "id.xlf": (b'<xliff version="1.2"><file><trans-unit/></file></xliff>', "without id"),
    "source.xlf": (b'<xliff version="1.2"><file><trans-unit id="1"/></file></xliff>', "has no source"),
    "bomb.xlf": ((BOMB + '<xliff version="1.2">&b;</xliff>').encode(), "internal subset"),
    "encoding.xlf": (b'<?xml version="1.0" encoding="klingon"?><xliff version="1.2"/>', "klingon|encoding"),
    "entity.tmx": (b'<!DOCTYPE tmx SYSTEM "a.dtd"><tmx><body><tu>&x;</tu></body></tmx>', "entity 'x' is not defined"),
    "latin.tmx": (TMX.format(encoding="utf-8").encode("latin-1"), "line 6: a byte that is not UTF-8"),
    "languages.tmx": (b'<tmx><tu><tuv xml:lang="en"><seg>a</seg></tuv></tu></tmx>', "target language is not clear"),
    "lang.tmx": (b"<tmx><body><tu><tuv><seg>a</seg></tuv></tu></body></tmx>", "without xml:lang"),
    "text.po": (b"hello\n", "not a line of a PO file"),
    "cut.po": (b'msgid "a', "not a line of a PO file"),
    "lone.po": (b'msgid "a"\n', "needs msgid and msgstr"),
    "latin.po": (PO.encode("latin-1"), "a byte that is not UTF-8"),
    "charset.po": (b'msgid ""\nmsgstr "charset=klingon"\n', "charset 'klingon' is not known"),
    "empty.csv": (b"", "is empty"),
    "header.csv": (b"Source,Target\n", "header but no segments"),
    "width.csv": (b"Source,Target\na,b,c\n", "line 2: 3 fields, but the header has 2"),
    "quote.csv": (b'Source,Target\n"a,b\n', "not a table in CSV"),
    "latin.csv": ("Source,Target\nä,b\n".encode("latin-1"), "line 2: byte 0xe4 is not UTF-8"),
    "binary.csv": (b"\0\1\2", "NUL"),
    "text.xlsx": (b"hello", "is not an XLSX workbook"),
    "latin.xlf": (XLIFF_12.replace("Press", "Größe").encode("latin-1"), "line 6: a byte that is not UTF-8"),
    "big5.xlf": (b'<?xml version="1.0" encoding="big5"?><xliff/>', "'big5' cannot be read .* Save the file as UTF-8"),
    "rot13.xlf": (b'<?xml version="1.0" encoding="rot13"?><xliff/>', "encoding 'rot13' cannot be read"),
    "parameter.xlf": (b'<!DOCTYPE x [<!ENTITY % p SYSTEM "http://x.invalid/"> %p;]><xliff/>', "internal subset"),
    "unit.xlf": (XLIFF_12.replace("<note>old</note>", '<trans-unit id="9"/>').encode(), "within another unit"),
    "two.xlf": (XLIFF_12.replace("<note>old</note>", "<source>a</source>").encode(), "two texts of <source>"),
    "junk.xlf": (XLIFF_12.encode() + b"junk", "junk after document element"),
    "segments.tmx": (b"<tmx><body/></tmx>", "has no segments"),
    "other.tmx": (TMX.format(encoding="utf-8").replace("en-US", "fr", 2).encode(), "line 7: no text in 'fr'"),
    "utf16.po": (PO.encode("utf-16"), "is UTF-16. Save it as UTF-8"),
    "nul.po": (b'msgid "a\0"\nmsgstr "b"\n', "line 1: a NUL character"),
    "plural.po": (b'msgid "a"\nmsgid_plural "b"\nmsgstr "c"\n', "msgstr does not go with plural forms"),
    "twice.csv": (b"Source,Source,Target\na,b,c\n", "two columns are called 'Source'"),
    "utf16.csv": ("Source,Target\na,b\n".encode("utf-16")[:-1], "is not UTF-16. The file is damaged or cut off"),
    "after.csv": (b'Source,Target\n"a"x,b\n', "line 2: not a table in CSV"),
}  # fmt: skip


@pytest.mark.parametrize("name", DAMAGED)
def test_a_damaged_file_gives_a_clear_error(name, tmp_path):
    content, message = DAMAGED[name]
    with pytest.raises(DataError, match=message):
        opened(tmp_path, name, content)


SHEET_PART = "xl/worksheets/sheet1.xml"
CELL = b'<worksheet><sheetData><row r="1"><c %b><v>7</v></c></row></sheetData></worksheet>'
with zipfile.ZipFile(io.BytesIO(WORKBOOK)) as _workbook:
    SHEET = {name: _workbook.read(name) for name in _workbook.namelist()}


def zipped(parts: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return out.getvalue()


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"a.txt": b"x"}, "has no xl/workbook.xml"),
        (SHEET | {SHEET_PART: b"<worksheet/>"}, "has no cells"),
        (SHEET | {SHEET_PART: b"<worksheet><sheetData><row"}, "line 1: not well-formed XML"),
        (SHEET | {SHEET_PART: CELL % b'r="ZZZZ1"'}, "'ZZZZ1' is not a cell"),
        (SHEET | {SHEET_PART: CELL % b'r="XFE1"'}, "more than 16384 columns"),
        (SHEET | {SHEET_PART: CELL % b't="s"'}, "there is no shared string 7"),
        (SHEET | {SHEET_PART: b"<worksheet>" + b"<a>" * 100_000 + b"</a>" * 100_000 + b"</worksheet>"}, "has no cells"),
        ({"xl/workbook.xml": b"<workbook/>"}, "workbook.xml.rels is missing"),
        ({"xl/workbook.xml": b"<workbook/>", "xl/vbaProject.bin": b""}, "has macros"),
        ({"xl/workbook.xml": b" " * (11 << 20)}, "made to fill the memory"),
        ({"xl/workbook.xml": b"<workbook", "xl/_rels/workbook.xml.rels": b"<R/>"}, "not well-formed"),
        ({"xl/workbook.xml": b"<workbook/>", "xl/_rels/workbook.xml.rels": BOMB.encode() + b"<R/>"}, "internal subset"),
    ],
)
def test_a_damaged_or_dangerous_workbook_is_refused(parts, message, tmp_path):
    with pytest.raises(DataError, match=message):
        opened(tmp_path, "a.xlsx", zipped(parts))


@pytest.mark.parametrize("name", [*CASES, "k.xlsx"])
def test_a_file_cut_anywhere_is_an_error_or_has_fewer_segments(name, tmp_path):
    if name == "k.xlsx":
        stream = io.BytesIO()
        write_xlsx(stream, ["Source", "Target"], [["a", "b"]])
        content = stream.getvalue()
    else:
        content = CASES[name]
    for size in range(0, len(content), max(1, len(content) // 25)):
        try:
            opened(tmp_path, name, content[:size])
        except TercetError as error:
            assert str(tmp_path / name) in str(error)


def test_odd_files_that_are_not_wrong_are_read(tmp_path):
    unit = '<trans-unit id="1"><source>a</source>{}</trans-unit>'
    head, tail = XLIFF_12[: XLIFF_12.index("  <trans-unit")], "</body></file></xliff>"
    twice = opened(tmp_path, "a.xlf", head + 2 * unit.format("") + tail)
    assert (twice.ids, twice.output()) == (["app.html:1", "app.html:1#2"], ["", ""])
    deep = head + "<group>" * 50_000 + unit.format("<target>b</target>") + "</group>" * 50_000 + tail
    assert opened(tmp_path, "b.xlf", deep).output() == ["b"]


def test_notes_must_fit_the_file(tmp_path):
    bitext = opened(tmp_path, "a.csv", "Source,Target\na,b\n")
    with pytest.raises(UsageError, match="has 1 segments, but there are 2 values"):
        bitext.annotate({"x": ["1", "2"]}, tmp_path / "b.csv")
    assert not (tmp_path / "b.csv").exists()


def test_the_endings_in_data_files_are_those_of_the_formats():
    assert set(BILINGUAL) == set(FORMATS) - {".tsv"}
