"""The results of a rating campaign as a document: `tercet rate results`, and the report of the server."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from functools import partial
from math import isnan, nan
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .data.display import html_table, to_frame
from .human.campaign import Campaign
from .human.dashboard import Dashboard, compute
from .human.results import JudgedOutput, Results, results_of
from .rendering.document import (
    Column,
    Details,
    Document,
    Heading,
    Mark,
    Notes,
    Part,
    Picture,
    Segments,
    SegmentTexts,
    Table,
    listing,
)
from .rendering.drawings import Histogram, IntervalDots
from .rendering.tables import DASH, interval, number

if TYPE_CHECKING:
    from pandas import DataFrame

    from .data.judgements import Span
    from .human.storage import StoredRecord

INTERVAL = "95 % interval"
COLUMNS = ("system", "mean", "low", "high", "outputs", "judgements",
           "cluster", "score", "score_low", "score_high", "best")  # fmt: skip


@dataclass(frozen=True)
class CampaignResults:
    """The results of a campaign so far: everything that the organiser's page shows.

    numbers: progress, raters, agreement and the ranking of systems. scored: means, worst and disputed outputs, marked
    errors; None for rankings and before the first judgement.
    """

    campaign: Campaign
    numbers: Dashboard
    scored: Results | None

    def systems(self) -> list[dict[str, object]]:
        """Return one record per system, with the keys COLUMNS; what is not known is None."""
        found: dict[str, dict[str, Any]] = {}
        for place in self.numbers.ranking.places if self.numbers.ranking else ():
            found[place.system] = {"cluster": place.cluster, "score": place.score, "score_low": place.low,
                                   "score_high": place.high, "best": place.best}  # fmt: skip
        for each in self.scored.systems if self.scored else ():
            values = asdict(each)
            found.setdefault(each.system, {}).update({name: values[name] for name in COLUMNS[1:6]})
        return [{name: {"system": system, **values}.get(name) for name in COLUMNS} for system, values in found.items()]

    def to_dict(self, *, names: bool = True) -> dict[str, object]:
        """Return the results as plain data. names: with the names of raters."""
        numbers, scored = self.numbers, self.scored
        raters = [asdict(line) for line in numbers.raters]
        return {
            "campaign": self.campaign.name,
            "protocol": self.campaign.protocol,
            "pair": self.campaign.pair or None,
            "done": numbers.done,
            "total": numbers.total,
            "systems": self.systems(),
            "score": numbers.score,
            "risk": numbers.ranking.risk if numbers.ranking else None,
            "agreement": [asdict(each) for each in numbers.agreement],
            "advice": numbers.advice[0],
            "can_stop": numbers.can_stop,
            "errors_by_system": dict(scored.errors_by_system) if scored else {},
            "errors": [
                {"severity": severity, "category": category, "number": count}
                for severity, category, count in (scored.errors if scored else ())
            ],
            "worst": [_record(output, names) for output in (scored.worst if scored else ())],
            "disputed": [_record(output, names) for output in (scored.disputed if scored else ())],
            **({"raters": raters} if names else {}),
            "notes": list(numbers.notes),
        }

    def to_pandas(self) -> DataFrame:
        return to_frame(self.systems(), COLUMNS)

    def _repr_html_(self) -> str:
        rows = self.systems()
        shown = [name for name in COLUMNS if any(row[name] is not None for row in rows)]
        return html_table(shown, [[row[name] for name in shown] for row in rows], self.campaign.name)

    def document(self, form: str = "text", *, names: bool = True) -> Document:
        """Return the document. TSV and CSV have one row per system. names: with the names of raters."""
        about = ", ".join(part for part in (self.campaign.name, self.campaign.pair, self.campaign.protocol) if part)
        title, data = f"Rating results: {about}", partial(self.to_dict, names=names)
        return Document(_parts(self, form, names), title, data, self.systems, COLUMNS)


def results(campaign: str | Path, *, database: str | Path | None = None) -> CampaignResults:
    """Return the results of a campaign so far, from its file and its database (default: the file beside it)."""
    from .human.storage import open_store

    found = Campaign.read(campaign)
    with closing(open_store(campaign, found, database, create=False)) as store:
        return results_from(found, list(store.records()))


def results_from(campaign: Campaign, records: Sequence[StoredRecord]) -> CampaignResults:
    """Return the results of a campaign from its stored answers."""
    return CampaignResults(campaign, compute(campaign, records), results_of(campaign, records))


class _Report:
    """What the rating server shows of results: `tercet.human` knows nothing of documents and gets this object."""

    def __call__(self, campaign: Campaign, records: Sequence[StoredRecord]) -> str:
        """Return the results as one self-contained HTML page, without the names of raters."""
        return results_from(campaign, records).document("html", names=False).render("html")

    def sections(self, campaign: Campaign, numbers: Dashboard, scored: Results | None, *, names: bool) -> str:
        """Return the HTML of the results, for the pages of the organiser and of readers. names: of raters."""
        from .rendering.pages import sections

        return "\n".join(sections(_results(CampaignResults(campaign, numbers, scored), "html", names)))


report_page = _Report()


def _record(output: JudgedOutput, names: bool) -> dict[str, object]:
    values = asdict(output) | {"mean": output.mean, "errors": [span._asdict() for span in output.errors]}
    return values if names else values | {"scores": list(output.scores.values())}


def _parts(found: CampaignResults, form: str, names: bool) -> Iterator[Part]:
    numbers = found.numbers
    yield Notes([" ".join(numbers.advice), *_verdict(found)])
    yield from _results(found, form, names)
    if names:
        yield Heading("Raters")
        yield _raters(numbers)
    failures = [f"Rater {line.name}: {why}" for line in numbers.raters if names for why in line.problems]
    if numbers.notes or failures:
        yield Notes([*numbers.notes, *failures])


def _results(found: CampaignResults, form: str, names: bool) -> Iterator[Part]:
    """Yield means, ranking, errors, agreement, and the outputs to look at."""
    numbers, scored = found.numbers, found.scored
    if numbers.ranking:
        yield Heading("Ranking of the systems")
        yield _ranking(numbers)
        yield (
            "All systems of a cluster are significantly better than all systems of the clusters below it (p < 0.05, "
            "Holm-corrected). Best in: the share of bootstrap resamples of segments in which no other system is better."
        )
    if scored:
        yield Heading("Mean scores")
        yield Picture(_picture(found, scored))
        yield _means(scored)
        yield "Means of raw scores over outputs, without control items. Intervals: bootstrap over segments."
    if scored and scored.errors:
        yield Heading("Marked errors")
        yield _errors_by_system(scored)
        rows = [[severity, category or DASH, str(count)] for severity, category, count in scored.errors]
        yield Details("By severity", [Table(["Severity", "Category", "Number"], rows)])
    if scored:
        yield Heading("Outputs to look at")
        yield Segments("Worst outputs", [_segment(found.campaign, each, scored, names) for each in scored.worst])
        if scored.disputed:
            disputed = [_segment(found.campaign, each, scored, names) for each in scored.disputed]
            yield Segments("Most disputed outputs", disputed)
    if numbers.agreement:
        yield Heading("Agreement between raters")
        yield _agreement(numbers)
        yield "Means over pairs of raters. Intervals: bootstrap over raters; at least five raters are needed."


def _verdict(found: CampaignResults) -> Iterator[str]:
    """Yield the sentences that answer the question: which system is better, or how good the only one is."""
    numbers, scored = found.numbers, found.scored
    if numbers.ranking:
        first = [place.system for place in numbers.ranking.places if place.cluster == 1]
        if numbers.ranking.clusters < 2:
            yield "No system is significantly better than all those below it."
        elif len(first) == 1:
            yield f"{first[0]} is significantly better than all other systems."
        else:
            yield f"{', '.join(first[:-1])} and {first[-1]} share the first place."
    elif scored and len(scored.systems) == 1:
        [only] = scored.systems
        span = f", 95 % interval {interval(only.low, only.high, 2)}" if not isnan(only.low) else ""
        low, high = scored.edges
        yield f"The mean of {only.system} is {only.mean:.2f}{span}, on a scale from {low:g} to {high:g}."


def _picture(found: CampaignResults, scored: Results) -> IntervalDots:
    ranking = found.numbers.ranking
    separated = ranking.places if ranking and ranking.clusters > 1 else ()
    first = {place.system for place in separated if place.cluster == 1}
    rows = [(each.system, each.mean, each.low, each.high, each.system in first) for each in scored.systems]
    return IntervalDots("Mean scores with 95 % intervals", rows, "mean score")


def _errors_by_system(scored: Results) -> Table:
    systems, found = [each.system for each in scored.systems], scored.errors_by_system
    most = max(value for row in found.values() for value in row.values())
    rows = [[kind, *(number(row[each], 1) for each in systems)] for kind, row in found.items()]
    heat = [[nan, *(row[each] / most for each in systems)] for row in found.values()]
    return Table(["Error", *systems], rows, "Errors per 100 judgements", heat=heat)


def _means(scored: Results) -> Table:
    low, high = scored.edges
    columns: dict[str, Column] = {"System": "system", "Mean": "mean", INTERVAL: lambda each: (each.low, each.high)}
    columns |= {"Outputs": "outputs", "Judgements": "judgements"}
    columns[f"Distribution, {low:g} to {high:g}"] = lambda each: Histogram.of(each.bins)
    return listing(scored.systems, columns, 2)


def _ranking(numbers: Dashboard) -> Table:
    places = numbers.ranking.places if numbers.ranking else ()
    columns: dict[str, Column] = {
        "System": "system",
        numbers.score[:1].upper() + numbers.score[1:]: "score",
        INTERVAL: lambda place: (place.low, place.high),
        "Segments": "segments",
        "Best in": lambda place: f"{100 * place.best:.0f} %",
    }
    return listing(places, columns, groups=("Cluster", [str(place.cluster) for place in places]))


def _agreement(numbers: Dashboard) -> Table:
    columns: dict[str, Column] = {"Measure": "measure", "Value": "value", INTERVAL: lambda each: (each.low, each.high)}
    return listing(numbers.agreement, columns | {"Pairs of raters": "pairs", "Items judged by two or more": "items"})


def _raters(numbers: Dashboard) -> Table:
    grouped = any(line.group for line in numbers.raters)
    rows = [
        [line.name, *([line.group or DASH] if grouped else []), f"{line.done} of {line.total}",
         number(line.seconds, 1), str(line.hasty) if line.done else DASH,
         "failed" if line.problems else f"{line.checks} items" if line.checks else DASH]
        for line in numbers.raters
    ]  # fmt: skip
    header = ["Rater", *(["Group"] if grouped else []), "Judged", "Seconds per item", "Too fast", "Checks"]
    return Table(header, rows)


def _segment(campaign: Campaign, output: JudgedOutput, scored: Results, names: bool) -> SegmentTexts:
    where = f"{output.segment} ({output.document})" if output.document else output.segment
    given = [f"{rater} {score:g}" if names else f"{score:g}" for rater, score in output.scores.items()]
    scores = f"; scores {', '.join(given)}" if len(given) > 1 else f"; {given[0]}" if names else ""
    texts = [("source", output.source), ("reference", output.reference), ("output", output.output or "(empty)")]
    return SegmentTexts(
        f"Segment {where}, {output.system}: mean {output.mean:.2f}{scores}",
        [(name, text) for name, text in texts if text],
        [("Marked errors", [_error(output, span) for span in output.errors])] if output.errors else [],
        {"source": [*_marks(campaign, output, True)], "output": [*_marks(campaign, output, False)]},
    )


def _marks(campaign: Campaign, output: JudgedOutput, in_source: bool) -> Iterator[Mark]:
    """Yield the marked errors of one text; the last severity of the campaign is the gravest."""
    for span in output.errors:
        if span.in_source == in_source and span.start is not None and span.end is not None:
            level = campaign.severities.index(span.severity) + 3 - len(campaign.severities)
            note = f"{span.severity}, {span.category}" if span.category else span.severity
            yield Mark(span.start, span.end, max(level, 0), note)


def _error(output: JudgedOutput, span: Span) -> str:
    kind = f"{span.severity}, {span.category}" if span.category else span.severity
    if span.start is None:
        return f"{kind}: something is missing"
    text = (output.source or "") if span.in_source else output.output
    return f"{kind}: “{text[span.start : span.end]}”{' in the source' if span.in_source else ''}"
