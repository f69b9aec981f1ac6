from pathlib import Path

import pytest

from tercet.data import TestSet
from tercet.data.wmtxml import language_pair, read_wmtxml, write_wmtxml
from tercet.errors import DataError

DATASET = """<?xml version='1.0' encoding='utf-8'?>
<dataset id="general2022.en-de">
  <collection id="general">
    <doc origlang="en" id="d1" domain="news">
      <src lang="en"><p><seg id="1">One &amp; two </seg><seg id="2">three</seg></p></src>
      <ref lang="de" translator="A"><p><seg id="1">Eins</seg></p><p><seg id="2">drei</seg></p></ref>
      <hyp system="Online-A" language="de"><p><seg id="1">1</seg><seg id="2"/></p></hyp>
    </doc>
  </collection>
  <collection id="chat">
    <doc origlang="de" id="d2" domain="chat">
      <src lang="en"><seg id="1">x</seg></src>
      <ref lang="de" translator="A"><seg id="1">y</seg></ref>
      <ref lang="de" translator="B"><seg id="1">z</seg></ref>
      <hyp system="Online-A" language="de"><seg id="1">w</seg></hyp>
    </doc>
  </collection>
</dataset>
"""


def write(folder: Path, text: str) -> Path:
    path = folder / "set.xml"
    path.write_text(text, encoding="utf-8", newline="\n")
    return path


def test_collections_domains_and_partial_references_are_read(tmp_path: Path) -> None:
    path = write(tmp_path, DATASET)
    assert language_pair(path) == "en-de"
    assert read_wmtxml(path) == TestSet(
        {"Online-A": ["1", "", "w"]},
        {"A": ["Eins", "drei", "y"], "B": [None, None, "z"]},
        ["One & two ", "three", "x"],
        ["d1", "d1", "d2"],
        {"domain": ["news", "news", "chat"], "origlang": ["en", "en", "de"]},
        pair="en-de",
        name="general2022.en-de",
    )


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("</dataset>", "", "line 18: not well-formed XML: no element found."),
        ("&amp;", "&", "line 5: not well-formed XML: not well-formed (invalid token)."),
        ("&amp;", "&eacute;", "line 5: not well-formed XML: undefined entity."),
        (
            '<seg id="2">three</seg>',
            '<seg id="1">three</seg>',
            "line 5: document 'd1' of source 'source' has two segments '1'.",
        ),
        ('<seg id="2"/>', "", "The output 'Online-A' lacks segments of 1 documents: 'd1' (segments 2)."),
        ('id="d2"', 'id="d1"', "line 11: document 'd1' occurs twice."),
        (' id="d2"', "", "line 11: a <doc> without id."),
        ('translator="B"', 'translator="A"', "line 14: document 'd2' has two texts of reference 'A'."),
        ('<seg id="1">x</seg>', "x", "line 12: text outside of a segment: 'x'."),
        ('<seg id="1">x</seg>', "<seg>x</seg>", "line 12: a <seg> without id."),
        ('<seg id="1">x</seg>', '<seg id="1">x <b>y</b></seg>', "line 12: <b> within the text of segment '1'."),
        ('system="Online-A" language="de"><seg', "><seg", "line 15: a <hyp> without system in document 'd2'."),
        ("<dataset ", "<corpus ", "line 2: <corpus> does not belong here; WMT XML is <dataset> with <doc>."),
        ('<collection id="chat">', '<collection id="chat"><src></src>', "line 10: <src> outside of a document."),
        (
            '<collection id="chat">',
            '<collection id="chat"><seg id="1"/>',
            "line 10: <seg> outside of <src>, <ref> and <hyp>.",
        ),
    ],
)
def test_a_bad_file_is_refused_with_its_place(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert old in DATASET
    path = write(tmp_path, DATASET.replace(old, new, 1))
    with pytest.raises(DataError) as caught:
        read_wmtxml(path)
    assert str(caught.value).startswith(str(path))
    assert str(caught.value).endswith(message)


BILLION_LAUGHS = (
    '<!DOCTYPE dataset [<!ENTITY a "ha">'
    + "".join(f'<!ENTITY {b} "{f"&{a};" * 10}">' for a, b in zip("abcdefghi", "bcdefghij", strict=True))
    + "]>"
)


@pytest.mark.parametrize(
    ("declaration", "entity"),
    [
        (BILLION_LAUGHS, "&j;"),
        ('<!DOCTYPE dataset [<!ENTITY a "' + "x" * 100_000 + '">]>', "&a;" * 1000),
        ('<!DOCTYPE dataset [<!ENTITY a SYSTEM "file:///etc/passwd">]>', "&a;"),
        ('<!DOCTYPE dataset SYSTEM "wmt.dtd">', "&ouml;"),
        ('<!DOCTYPE dataset [<!ENTITY % p SYSTEM "http://127.0.0.1:9/x.dtd"> %p;]>', ""),
    ],
    ids=["billion laughs", "quadratic", "file", "document type elsewhere", "parameter entity"],
)
def test_entity_bombs_are_refused(tmp_path: Path, declaration: str, entity: str) -> None:
    text = DATASET.replace("<dataset", declaration + "\n<dataset", 1).replace("three", entity)
    with pytest.raises(DataError, match="not allowed|would be lost"):
        read_wmtxml(write(tmp_path, text))


def test_a_document_type_with_declarations_elsewhere_is_refused(tmp_path: Path) -> None:
    text = DATASET.replace("<dataset", "<!DOCTYPE dataset [%other;]>\n<dataset", 1).replace("three", "&ouml;")
    with pytest.raises(DataError, match=r"line 2: the DOCTYPE has an internal subset, which is not allowed"):
        read_wmtxml(write(tmp_path, text))


def test_a_claimed_encoding_does_not_matter(tmp_path: Path) -> None:
    path = write(tmp_path, DATASET.replace("encoding='utf-8'", "encoding='iso-8859-1'").replace("Eins", "Über"))
    assert read_wmtxml(path).references["A"][0] == "Über"


@pytest.mark.parametrize("character", ["\x01", "\ufffe", "\0", "\ud800"])
def test_what_xml_cannot_hold_is_refused_and_nothing_written(tmp_path: Path, character: str) -> None:
    with pytest.raises(DataError, match=f"U\\+{ord(character):04X}"):
        write_wmtxml(TestSet({"x": [f"a{character}b"]}), tmp_path / "x.xml")
    assert list(tmp_path.iterdir()) == []


def test_a_language_pair_needs_texts_that_name_it(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="needs a translation to name the target language"):
        write_wmtxml(TestSet({}, source=["s"], pair="ru-en"), tmp_path / "x.xml")


def test_systems_can_be_chosen(tmp_path: Path) -> None:
    path = write(tmp_path, DATASET.replace('<seg id="2"/>', ""))
    assert read_wmtxml(path, systems=[]).systems == ()
