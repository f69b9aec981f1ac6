"""The segments of the page of `tercet entities`. Lost names are marked in the source, invented ones in outputs."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import groupby

from ...data.testset import TestSet
from ...rendering.review_page import Card, CardText, Mark, Why
from ...text.explanations import utf16_places
from .counting import EntityReport, NameFinding


def cards_of(report: EntityReport, testset: TestSet) -> list[Card]:
    """Return the segments with names that were lost or invented, those with the most first."""
    found = [_card(line, list(each), testset) for line, each in groupby(report.findings, key=lambda each: each.line)]
    return sorted(found, key=lambda card: -card.value)


def _card(line: int, findings: Sequence[NameFinding], testset: TestSet) -> Card:
    language, _, target = (testset.pair or "").partition("-")
    several = len(testset.outputs) > 1
    source = testset.source[line - 1] if testset.source else ""
    lost = [finding for finding in findings if finding.kind == "lost"]
    texts = [CardText("Source", source, language, marks=_marks(source, lost))]
    for system in dict.fromkeys(finding.system for finding in findings):
        output = testset.outputs[system][line - 1]
        mine = [finding for finding in findings if finding.system == system and finding.kind == "invented"]
        marks = _marks(output, mine)
        texts.append(CardText(system, output, target, system if several else "", marks))
    ids = testset.labels.get("id")
    name, document = ids[line - 1] if ids else str(line), testset.documents[line - 1] if testset.documents else ""
    return Card(line, name, document, texts, len(findings), _reasons(findings, several))


def _reasons(findings: Sequence[NameFinding], several: bool) -> list[Why]:
    times = Counter(
        Why(each.kind, _said(each, several), each.system if several else "", each.text) for each in findings
    )
    return [replace(why, text=f"{why.text}, {count} times") if count > 1 else why for why, count in times.items()]


def _said(finding: NameFinding, several: bool) -> str:
    by = f" by {finding.system}" if several else ""
    instead = f", now {finding.became}" if finding.became else ""
    return f"{finding.kind}{by}: {finding.text}{instead} ({finding.category}, {100 * finding.confidence:.0f} % sure)"


def _marks(text: str, findings: Iterable[NameFinding]) -> list[Mark]:
    """Return the marks on a text; systems that lost the same name share one."""
    place = utf16_places(text)
    found: dict[tuple[int, int], list[NameFinding]] = {}
    for finding in findings:
        found.setdefault((finding.start, finding.end), []).append(finding)
    marks = []
    for (start, end), each in sorted(found.items()):
        systems = ", ".join(finding.system for finding in each)
        marks.append((place(start), place(end), each[0].kind, f"{each[0].category}, {each[0].kind} by {systems}"))
    return marks
