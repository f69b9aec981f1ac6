"""Test what raters read first, and the times below which nobody can have read."""

from dataclasses import replace

import pytest

from tercet.human.campaign import Campaign, Item, Output, Rater
from tercet.human.dashboard import hasty, shortest, words
from tercet.human.guidelines import as_html, guidelines, guidelines_of
from tercet.human.protocols import PROTOCOLS
from tercet.human.storage import StoredRecord


def campaign(protocol: str, **changes: object) -> Campaign:
    how = PROTOCOLS[protocol]
    outputs = tuple(Output(f"s{n}", f"text {n}") for n in range(how.fewest))
    item = Item("i1", "1", outputs, source="quelle")
    made = Campaign("c", protocol, [item], [Rater("r", ("i1",))],
                    severities=how.severities, categories=how.categories)  # fmt: skip
    return replace(made, **changes)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_every_protocol_has_guidelines_with_an_example(protocol: str) -> None:
    shown = guidelines_of(campaign(protocol))
    assert "<h3>Example</h3>" in shown and "<blockquote>" in shown
    for name in (*PROTOCOLS[protocol].severities, *PROTOCOLS[protocol].categories):
        assert f"<li><strong>{name}</strong>: " in shown, name


def test_only_the_severities_and_categories_of_the_campaign_are_explained() -> None:
    shown = guidelines_of(campaign("mqm", severities=("Minor", "Critical"), categories=("Style/Awkward", "Mine")))
    assert "<strong>Critical</strong>" in shown and "<strong>Major</strong>" not in shown
    assert "Style/Awkward" in shown and "Fluency/Grammar" not in shown.split("<h3>Categories")[1].split("<h3>")[0]


def test_the_organisers_text_replaces_them_and_its_markup_does_nothing() -> None:
    own = "# Read\nfirst <b>this</b>, *then* `that`\nand [more](https://x.example/a?b=1&c=2)\n\n- one\n- **two**"
    assert guidelines_of(campaign("da", instructions=own)) == (
        "<h2>Read</h2>\n<p>first &lt;b&gt;this&lt;/b&gt;, <em>then</em> <code>that</code><br>"
        'and <a href="https://x.example/a?b=1&amp;c=2" rel="noreferrer" target="_blank">more</a></p>\n'
        "<ul><li>one</li><li><strong>two</strong></li></ul>"
    )
    assert as_html("[x](javascript:alert)") == "<p>[x](javascript:alert)</p>"
    assert as_html("2 * 3 * 4") == "<p>2 * 3 * 4</p>"
    assert "Mark every error" in guidelines("mqm")


def test_texts_without_spaces_have_a_length_in_words() -> None:
    assert words("The cat sat on the mat.") == 6
    assert words("猫坐在垫子上，真的。") == pytest.approx(8 / 1.6 + 2)  # the marks are two words
    assert words("") == 0


def test_answers_are_hasty_if_their_texts_cannot_be_read_in_that_time() -> None:
    long = Item("i1", "1", (Output("a", "word " * 40),), source="word " * 20)
    made = Campaign(
        "c", "da", [long, Item("i2", "2", (Output("a", "Ja."),), source="Yes.")], [Rater("r", ("i1", "i2"))]
    )
    assert shortest(long) == 6.0

    def answers(*seconds: float) -> list[StoredRecord]:
        return [StoredRecord(1, "q", "r", "i1", {"value": 1}, each, "", "", "") for each in seconds]

    assert hasty(made, answers(5.9)) == 1
    assert hasty(made, answers(6.0)) == 0
    assert hasty(made, answers(4.0, 2.5)) == 0  # looked at twice
