from pathlib import Path

import pytest

from tercet.data import TestSet
from tercet.data.sgm import decode, read_sgm, write_sgm
from tercet.errors import DataError, UsageError

SOURCE = """<srcset setid="newstest2019" srclang="de">
<doc sysid="ref" docid="b" genre="news" origlang="de">
<hl>
<seg id="1"> Titel </seg>
</hl>
<p>
<seg id="2">A &amp; B</seg>
</p>
</doc>
<doc sysid="ref" docid="a" genre="chat" origlang="en">
<seg id="1">z</seg>
</doc>
</srcset>
"""
REFERENCE = """<?xml version="1.0"?>
<REFSET SetID="newstest2019" SrcLang="any" TrgLang="en" refid="refA">
<DOC DocID='a' Genre=chat><seg id=1>R & D &quot;x&quot; &lt;3 a < b &nbsp;</seg></DOC>
<DOC DocID='b'><SEG ID="2">two &#8364;&#x20AC;</SEG>
<seg id="1">one</seg></DOC>
</REFSET>
"""
OUTPUTS = """<tstset setid="newstest2019" srclang="de" trglang="en" sysid="fallback">
<doc docid="b" sysid="x"><seg id="1">x1</seg><seg id="2">x2</seg></doc>
<doc docid="a" sysid="x"><seg id="1">x3</seg></doc>
<doc docid="a"><seg id="1"></seg></doc>
<doc docid="b"><seg id="1">f1
 f1</seg><seg id="2"/></doc>
</tstset>
"""


def write(folder: Path, **texts: str) -> list[Path]:
    for name, text in texts.items():
        (folder / f"{name}.sgm").write_text(text, encoding="utf-8", newline="\n")
    return [folder / f"{name}.sgm" for name in texts]


def test_source_references_and_systems_are_put_together(tmp_path: Path) -> None:
    testset = read_sgm(write(tmp_path, outputs=OUTPUTS, ref=REFERENCE, src=SOURCE))
    assert testset == TestSet(
        {"x": ["x1", "x2", "x3"], "fallback": ["f1\n f1", "", ""]},
        {"refA": ["one", "two €€", 'R & D "x" <3 a < b &nbsp;']},
        [" Titel ", "A & B", "z"],
        ["b", "b", "a"],
        {"domain": ["news", "news", "chat"], "origlang": ["de", "de", "en"]},
        pair="de-en",
        name="newstest2019",
    )


def test_a_reference_may_lack_segments_and_an_output_may_not(tmp_path: Path) -> None:
    short = REFERENCE.replace('<SEG ID="2">two &#8364;&#x20AC;</SEG>\n', "").replace("refA", "refB")
    paths = write(tmp_path, src=SOURCE, ref=REFERENCE, short=short)
    assert read_sgm(paths).references["refB"] == ("one", None, 'R & D "x" <3 a < b &nbsp;')
    with pytest.raises(DataError, match=r"Every reference lacks segments of 1 documents: 'b' \(segments 2\)\."):
        read_sgm([paths[0], paths[2]])
    paths = write(tmp_path, src=SOURCE, out=OUTPUTS.replace('<seg id="2">x2</seg>', ""))
    with pytest.raises(DataError, match=r"The output 'x' lacks segments of 1 documents: 'b' \(segments 2\)\."):
        read_sgm(paths)
    assert read_sgm(paths, systems=["fallback"]).systems == ("fallback",)


def test_documents_that_do_not_match_are_named(tmp_path: Path) -> None:
    paths = write(tmp_path, src=SOURCE, out=OUTPUTS.replace('docid="a"', 'docid="q"'))
    with pytest.raises(DataError, match=r"The source lacks segments of 1 documents: 'q' \(segments 1\)\."):
        read_sgm(paths)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("no tags at all", "has no <srcset>, <refset> or <tstset>: it is not a WMT SGM file."),
        ('<tstset sysid="x">\n<doc docid="a"><seg id="1">t', ", line 2: <seg id='1'> has no </seg>."),
        ('<tstset sysid="x"><doc docid="a"><seg id="1">t<seg id="2">u</seg>', ", line 1: <seg id='1'> has no </seg>."),
        (
            '<tstset sysid="x"><doc docid="a"><seg id="1">t</seg></doc>',
            " ends within <tstset>. It seems to be truncated.",
        ),
        (
            '<tstset sysid="x"><doc docid="a">\n<doc docid="b">',
            ", line 2: <doc> within document 'a', which is not closed.",
        ),
        ('<tstset sysid="x">\n<doc docid="a"></tstset>', ", line 2: </tstset> within document 'a'; </doc> is missing."),
        ('<tstset sysid="x"><seg id="1">t</seg>', ", line 1: <seg> outside of a document."),
        ('<doc docid="a"></doc>', ", line 1: <doc> outside of <srcset>, <refset> and <tstset>."),
        ('<tstset sysid="x"><doc>', ", line 1: a <doc> without docid."),
        ('<tstset><doc docid="a">', ", line 1: this output has no name. Give its <doc> or its set a sysid."),
        ('<tstset sysid="x"><doc docid="a"><seg>t</seg>', ", line 1: a <seg> without id in document 'a'."),
        (
            '<tstset sysid="x"><doc docid="a"><seg id="1">t</seg>\n<seg id="1">u</seg>',
            ", line 2: document 'a' of output 'x' has two segments '1'.",
        ),
        (
            '<tstset sysid="x"><doc docid="a"><seg id="1">t</seg></doc>\n<doc docid="a"></doc>',
            "of output 'x' occurs already in {path}, line 1.",
        ),
        ("</seg>", ", line 1: </seg> without <seg>."),
        ("</doc>", ", line 1: </doc> without <doc>."),
        ("<tstset></refset>", ", line 1: </refset> without <refset>."),
        ("<tstset></tstset>", ": no segments."),
    ],
)
def test_broken_structure_is_refused_with_its_place(tmp_path: Path, text: str, message: str) -> None:
    (path,) = write(tmp_path, broken=text)
    with pytest.raises(DataError) as caught:
        read_sgm(path)
    assert str(caught.value).startswith(str(path))
    assert str(caught.value).endswith(message.replace("{path}", str(path)))


def test_two_references_of_one_name_are_refused(tmp_path: Path) -> None:
    paths = write(tmp_path, one=REFERENCE, two=REFERENCE)
    with pytest.raises(DataError, match=r"document 'a' of reference 'refA' occurs already in .*one\.sgm, line 3\."):
        read_sgm(paths)


def test_source_and_reference_must_agree_on_the_genre(tmp_path: Path) -> None:
    paths = write(tmp_path, src=SOURCE, ref=REFERENCE.replace("Genre=chat", "Genre=blog"))
    with pytest.raises(DataError, match="the domain of document 'a' is 'blog', but 'chat' before"):
        read_sgm(paths)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("AT&T &para; &amp;lt; &#38;amp;", "AT&T &para; &lt; &amp;"),
        ("&#0; &#xD800; &#x110000; &#99999999;", "&#0; &#xD800; &#x110000; &#99999999;"),
    ],
)
def test_entities_are_decoded_once(text: str, expected: str) -> None:
    assert decode(text) == expected


def test_what_sgm_cannot_hold_is_refused(tmp_path: Path) -> None:
    for testset, message in (
        (TestSet({"x": ["a"]}, labels={"topic": ["t"]}), "has the label 'topic', which .* cannot hold"),
        (TestSet({"x": ["a"] * 3}, documents=["d", "e", "d"]), "document 'd' is in several pieces"),
        (TestSet({"x": ["a"]}, documents=[""]), "needs a document id"),
        (TestSet({"x": ["a"] * 2}, documents=["d"] * 2, labels={"domain": ["n", "c"]}), "the domain changes within"),
        (TestSet({"x/y": ["a"]}), "cannot be a file name"),
        (TestSet({"x": ["a\0"]}), "holds a NUL character"),
    ):
        with pytest.raises(DataError, match=message):
            write_sgm(testset, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_no_file_is_a_wrong_use() -> None:
    with pytest.raises(UsageError, match="No SGM file was given"):
        read_sgm([])
