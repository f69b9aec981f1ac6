"""A page is one file: well-formed, escaped throughout, with nothing to fetch."""

import re
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path

import pytest

from tercet.errors import UnknownName, UsageError
from tercet.rendering.document import Document, Heading, Notes, Part, Picture, Pre, Segments, SegmentTexts, Table
from tercet.rendering.pages import page, write_page
from tercet.rendering.tables import Bold

HOSTILE = '<b>"x"</b></script><script>alert(1)</script>&amp;\'><img src=x onerror=alert(2)>'
VOID = {"meta", "img", "link", "br", "hr"}


class Reader(HTMLParser):
    """All elements with their attributes, and all text; a tag that is not closed, or twice, fails."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []
        self.open: list[str] = []
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if not self.open or self.open[-1] not in ("style", "script"):
            self.text.append(data)

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]


@dataclass(frozen=True)
class Drawing:
    """A figure that is drawn already."""

    title: str
    drawn: str = "<svg></svg>"
    rows: tuple[dict[str, int], ...] = ()

    def svg(self) -> str:
        return self.drawn


def made(*parts: Part, title: str = "t") -> str:
    return page(Document(parts, title))


def test_every_text_is_escaped_wherever_it_stands() -> None:
    card = SegmentTexts(HOSTILE, [(HOSTILE, HOSTILE)], [(HOSTILE, [HOSTILE])])
    text = made(
        Heading(HOSTILE, HOSTILE), HOSTILE, Notes([HOSTILE]), Pre(HOSTILE), Picture(Drawing(HOSTILE), HOSTILE),
        Heading("two", level=3), Table([HOSTILE], [[HOSTILE], [HOSTILE]], HOSTILE, [["good"], [""]]),
        Segments(HOSTILE, [card]), title=HOSTILE,
    )  # fmt: skip
    read = Reader(text)
    tags = {tag for tag, _ in read.elements}
    assert not tags & {"b", "img"}
    assert len(read.all("script")) == 1
    # title, h1, contents, heading, its code, two paragraphs, pre, caption of the picture, caption, header and cells of
    # the table, title of segments, head, name, text, title and line of a list
    assert "".join(read.text).count(HOSTILE) == 19


def test_a_page_names_nothing_that_could_be_fetched() -> None:
    text = made(Heading("s"), "p", Table(["a"], [["1"]]))
    assert not re.search(r"https?:|src=|@import|url\(|<link", text)
    assert "default-src 'none'" in text


def test_headings_and_contents_lead_to_each_other() -> None:
    read = Reader(made(Heading("One"), Heading("Two", level=3), Heading("Two", level=4)))
    targets = [link["href"] for link in read.all("a")]
    ids = [attributes["id"] for _, attributes in read.elements if "id" in attributes]
    assert targets == ["#content", "#s1", "#s2", "#s3"]
    assert len(set(ids)) == len(ids)
    assert {target.removeprefix("#") for target in targets if target} <= set(ids)
    assert [heading["id"] for level in ("h2", "h3", "h4") for heading in read.all(level)] == ["s1", "s2", "s3"]


def test_one_section_needs_no_contents() -> None:
    assert not Reader(made(Heading("One"))).all("nav")


def test_marks_say_in_words_and_signs_what_the_colours_say() -> None:
    table = Table(["a", "b", "c", "d"], [["1", "2", "3", "4"]], classes=[["good", "bad", "unchecked", ""]])
    read = Reader(made(table))
    assert [cell.get("class") for cell in read.all("td")] == ["number good", "number bad", "number unchecked", "number"]
    assert [span["aria-label"] for span in read.all("span") if span["class"] == "mark"] == ["good", "bad", "unchecked"]
    assert {"✓", "✗", "?"} <= set(read.text)


@pytest.mark.parametrize(
    ("cells", "number"),
    [(["1", "–"], True), ([".301", "-.2"], True), (["−0.5", "<0.001"], True), (["a", "1"], False), (["", "1"], True)],
)
def test_columns_of_numbers_are_known_by_their_cells(cells: list[str], number: bool) -> None:
    read = Reader(made(Table(["x"], [[cell] for cell in cells])))
    assert [head.get("class") for head in read.all("th")] == ["number" if number else None]


def test_bold_cells_are_strong_also_with_a_mark_and_are_escaped() -> None:
    table = Table(["a", "b", "c"], [["1", Bold("2"), Bold(HOSTILE)]], classes=[["", "", "good"]])
    text = made(table)
    assert '<td class="number">1</td><td class="number"><strong>2</strong></td>' in text
    assert len(Reader(text).all("strong")) == 2
    assert "".join(Reader(text).text).count(HOSTILE) == 1
    assert '<span class="value"><strong>&lt;b&gt;' in text


def test_a_drawing_goes_in_as_it_is() -> None:
    svg = '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"><title>x</title></svg>'
    text = made(Picture(Drawing("what it shows", svg), "below"))
    assert f'<div class="paper" role="img" aria-label="what it shows">{svg}</div><figcaption>below</figcaption>' in text


def test_tables_and_sections_of_wrong_shape_are_refused() -> None:
    with pytest.raises(UsageError, match="Row 2 of a table has 1 cells, but its header 2"):
        Table(["a", "b"], [["1", "2"], ["1"]])
    with pytest.raises(UsageError, match="classes of a table must have the shape of its rows"):
        Table(["a"], [["1"], ["2"]], classes=[["good"]])
    with pytest.raises(UnknownName, match="no class of a cell called 'god'. Did you mean good"):
        Table(["a"], [["1"]], classes=[["god"]])
    with pytest.raises(UsageError, match="Heading 's' has level 1"):
        Heading("s", level=1)


def test_a_page_is_written_whole(tmp_path: Path) -> None:
    document = Document([Heading("Überschrift"), "中文"])
    write_page(tmp_path / "page.html", document)
    assert (tmp_path / "page.html").read_text("utf-8") == page(document)
    assert "<title>Überschrift</title>" in page(document)
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]
    with pytest.raises(UsageError, match="cannot be written"):
        write_page(tmp_path / "none" / "page.html", document)


def test_aligned_words_are_drawn_with_a_line_for_each_link():
    from tercet.rendering.drawings import AlignedWords
    from tercet.text.explanations import Alignment, Link, Seen

    part = Alignment(["a", "<b>"], ["b", "a", "c"], [Link([0], [1], 0.5, "exact"), Link([1], [0, 2])])
    (figure,) = AlignedWords.of("An alignment", Seen(parts=[part], against=0))
    drawn = figure.svg()
    assert drawn.count("<line ") == 3 and "&lt;b&gt; = c: aligned, 1" in drawn and "a = a: exact, 0.5" in drawn
    assert figure.rows[0] == {"output": "a", "reference": "a", "weight": 0.5, "label": "exact"}
