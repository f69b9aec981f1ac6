"""The document and the page of `tercet entities`."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from math import nan
from typing import Any

from ...data.testset import TestSet
from ...rendering.document import Details, Heading, Notes, Part, Table
from ...rendering.drawings import Histogram
from ...rendering.figures import Figure
from ...rendering.review_page import Card, CardText, Mark, ReviewPage, Why, review_page
from ...text.explanations import utf16_places
from .counting import EntityCounts, EntityReport, NameFinding

SHOWN = 10  # entities of each list
SHARES = "The share of the source's entities that each output names too, by category."
ABOUT = (
    "Lost: the source has the name, the output does not. Invented: the output has a name that the source lacks. A name "
    "is listed only if no form of it was found in the other text: inflected, in a compound, an acronym, by its sound."
)
NONE = "No name was lost or invented."
ENTITY_HEADER = ["entity", "category", "times", "of", "lines", "id"]


def share_figure(report: EntityReport) -> Figure:
    """Draw the paper's Figure 3: the share of the source's entities that systems keep, by category."""
    from ...rendering.charts import share_bars

    shares = {
        f"{category} ({times})": {system: found.categories[category] for system, found in report.systems.items()}
        for category, times in report.categories.items()
    }
    return share_bars(shares, label="entities of the source kept", title=f"Entities kept, {report.test_set}")


def histogram_figure(report: EntityReport) -> Figure:
    """Draw the paper's Figure 4: the number of entities per source text."""
    from ...rendering.charts import count_bars

    title = f"Entities per source text, {report.test_set}"
    return count_bars(report.histogram, label="entities in the text", title=title)


def report_parts(report: EntityReport) -> Iterator[Part]:
    """Yield the parts of the report, except on pages."""
    yield Heading(f"Entities kept, {report.test_set}")
    yield SHARES
    yield _share_table(report)
    yield _base_forms(report)
    for title, listed in _listings(report):
        yield Heading(title)
        yield Table(ENTITY_HEADER, list(map(_entity_row, listed[:SHOWN])))
    yield from _doubtful(report)
    yield Heading("Statistics")
    yield from _statistics(report)
    yield Notes([report.signature])


def entity_page(report: EntityReport, testset: TestSet) -> str:
    """Return the page: the shares of names kept, the names lost and invented, and their segments."""
    from ...rendering.pages import sections

    shares: list[Part] = [Heading("Names kept"), SHARES, _share_table(report), _base_forms(report)]
    statistics = Details("Statistics", [*_statistics(report), Notes([report.signature])])
    cards = cards_of(report, testset)
    page = ReviewPage(
        ", ".join(filter(None, ("Names", report.test_set.removeprefix("unnamed"), report.pair))),
        _verdict(report, len(cards), len(testset)),
        [ABOUT, *_kept(report), *_doubtful(report)],
        unit="name",
        first="most names first",
        none=NONE,
        reasons="names",
        systems=list(report.systems),
        after=[*sections([*shares, statistics])],
    )
    return review_page(cards, page)


def _verdict(report: EntityReport, cards: int, segments: int) -> str:
    kinds = Counter(finding.kind for finding in report.findings)
    counted = " and ".join(f"{kinds[kind]:,} {kind}" for kind in ("lost", "invented"))
    return f"Names to look at: {counted}, in {cards:,} of {segments:,} segments." if kinds else NONE


def _kept(report: EntityReport) -> Iterator[str]:
    """Yield the share of names that each system has, the best first; of many systems only some."""
    total = sum(report.categories.values())
    ranked = sorted(report.systems, key=lambda name: -report.systems[name].kept)
    shares = [f"{name} {100 * report.systems[name].kept / total:.0f} %" for name in ranked] if total else []
    shown = shares if len(shares) < 6 else [*shares[:4], "…", shares[-1]]
    found = f"Of {total:,} names in the source, the linker finds in the output: {', '.join(shown)}."
    yield found if total else "No names were found in the source."


def _doubtful(report: EntityReport) -> Iterator[str]:
    doubtful = [f"{system} {found.doubtful}" for system, found in report.systems.items() if found.doubtful]
    if doubtful:
        yield (
            "Not listed, because the other text seems to have the name in another form, because it is an ordinary "
            f"word, or because that is too uncertain: {', '.join(doubtful)}."
        )


def _statistics(report: EntityReport) -> Iterator[str | Table]:
    yield "All entities that were linked, whether or not both languages can name them."
    rows: list[list[Any]] = [[name, str(value)] for name, value in report.statistics.items()]
    rows.append(["source sentences by their entities, from none", Histogram.of(report.histogram)])
    yield Table(["what", "number"], rows)


def _share_table(report: EntityReport) -> Table:
    """Return the percentage of entities kept: systems in rows; all entities, then each category, in columns."""
    header = ["system", f"all ({sum(report.categories.values())})"]
    header += [f"{category} ({times})" for category, times in report.categories.items()]
    rows, heat = [], []
    for system, found in sorted(report.systems.items(), key=lambda item: -item[1].kept):
        shares = [(found.kept, found.source), *found.categories.values()]
        rows.append([system, *(f"{100 * kept / whole:.1f}" if whole else "–" for kept, whole in shares)])
        heat.append([nan, *(1 - kept / whole if whole else nan for kept, whole in shares)])
    return Table(header, rows, heat=heat)


def _base_forms(report: EntityReport) -> str:
    """Return whether inflected names are found by a dictionary: shares are lower without it."""
    if "names:" not in report.signature:
        return "The entities are those of the annotations."
    if "lemmas:false" in report.signature:
        return "Names are looked up as they are written."
    if "simplemma" in report.signature:
        return "Inflected names are looked up by their base forms, with the dictionary of simplemma."
    return (
        "Inflected names are looked up by endings alone, so that fewer are found and shares are lower than with the "
        "dictionary of simplemma (pip install 'tercet[kobe]')."
    )


def _listings(report: EntityReport) -> Iterator[tuple[str, tuple[EntityCounts, ...]]]:
    listed = [("Most often lost by all systems", report.most_lost)] if len(report.systems) > 1 else []
    for system, found in report.systems.items():
        listed += [(f"Lost by {system}", found.lost), (f"Invented by {system}", found.invented)]
    return (item for item in listed if item[1])


def _entity_row(entity: EntityCounts) -> list[str]:
    places = ", ".join(str(place.line) for place in entity.examples)
    return [entity.name, entity.category, str(entity.times), str(entity.mentions), places, entity.id]


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
