"""`tercet track page`: all runs of a history on one page, a line per system and metric over time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from math import isnan, nan
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ...errors import DataError
from ...options import again, command, shell_option
from ...options.groups import Form
from ...rendering.pages import data_page
from . import Chosen, report_of

if TYPE_CHECKING:
    from .history import History
    from .runs import Run, RunScore

SIGNIFICANT = 0.05
REPORTS = 20  # pages of pairs of runs that are written at most


@dataclass(frozen=True, kw_only=True)
class PageOptions(Chosen):
    """Options of `track page`."""

    form: str = again(Form, "form", "html", choices=("html",), hidden=True)
    reports: str | None = shell_option(
        None, "--reports", metavar="DIR",
        help=f"Write reports of the last {REPORTS} significant changes here, and link them; needs runs with texts.",
    )  # fmt: skip


@command(PageOptions)
def run(options: PageOptions) -> None:
    """Write a page with the scores of all runs over time: intervals, significant changes, tags, any two runs compared.

    \b
    tercet track page runs.db -o history.html
    tercet track page runs.db --system nmt -m chrF2 --reports reports -o history.html
    """
    history = options.opened()
    runs = options.runs(history)
    if not runs:
        raise DataError(f"{history.name} has no such runs.")
    reports = _write_reports(history, runs, options.reports) if options.reports else []
    click.echo(page_of(runs, history.name, reports, options.reports or ""), nl=False)


def page_of(runs: Sequence[Run], name: str, reports: Sequence[str] = (), folder: str = "") -> str:
    """Return the page. reports: pairs of runs as "A-B" that have a page in the folder."""
    data = {**_columns(runs), "database": name, "reports": list(reports), "folder": folder}
    systems = len({run.system for run in runs})
    days = " to ".join(dict.fromkeys((runs[0].time[:10], runs[-1].time[:10])))
    return data_page(
        f"History of {Path(name).name}",
        f"{len(runs):,} run{'s' * (len(runs) != 1)} · {systems} system{'s' * (systems != 1)} · {days}",
        verdict(runs),
        data,
        skip=("app", "charts"),
        without="This page needs JavaScript. 'tercet track list' shows the runs without.",
        styles=["page.css", f"{__package__}:pages/history.css"],
        scripts=["theme.js", "browser/data.js", f"{__package__}:pages/history.js"],
    )


def verdict(runs: Sequence[Run]) -> str:
    """Return in a sentence how the newest run differs from the one before."""
    newest = runs[-1]
    who = f"The newest run, {newest.number} ({newest.system}, {newest.time[:10]}),"
    compared = [each for each in newest.scores if each.p_value is not None]
    if not compared:
        return f"{who} is the first of its system on these texts whose segments can be compared."
    changed = [each for each in compared if (each.p_value or 0.0) < SIGNIFICANT]
    if not changed:
        *most, last = (each.label for each in compared)
        by = f"{', '.join(most)} or {last}" if most else last
        return f"{who} does not differ significantly from run {compared[0].before} by {by}."
    old = {(run.number, each.label): each.score for run in runs for each in run.scores}
    change = [(each.label, each.score - old.get((each.before or 0, each.label), nan)) for each in changed]
    by = ", ".join(label if isnan(value) else f"{label} ({value:+.2f})" for label, value in change)
    return f"{who} differs significantly (5 %, each test by itself) from run {changed[0].before} by {by}."


def _columns(runs: Sequence[Run]) -> dict[str, object]:
    """Return the runs by columns, which pack well: names are numbers of lists, missing values null."""
    systems, system = _coded([run.system for run in runs])
    sets, set_ = _coded(list(map(_set, runs)))
    tags, tag = _coded([run.tag_words for run in runs])
    higher = {each.label: each.higher_is_better for run in runs for each in run.scores}
    scores = [{each.label: each for each in run.scores} for run in runs]
    times = [round(datetime.fromisoformat(run.time).timestamp() / 60) for run in runs]
    numbers = [run.number for run in runs]
    return {
        "systems": systems, "sets": sets, "tags": tags,
        "runs": {"n": numbers, "t": times, "system": system, "set": set_, "tags": tag},
        "metrics": [{"name": label, "higher": way, **_values(label, scores)} for label, way in higher.items()],
    }  # fmt: skip


def _coded(words: Sequence[str]) -> tuple[list[str], list[int]]:
    """Return the different words, and the number of each word among them."""
    places = {word: place for place, word in enumerate(dict.fromkeys(words))}
    return list(places), [places[word] for word in words]


def _set(run: Run) -> str:
    """Return the test set's name; with a part of its key, as texts of one name may change."""
    facts = [run.pair, f"{run.segments:,} segments", run.material[:4]]
    return f"{run.test_set or 'unnamed'} ({', '.join(filter(None, facts))})"


def _values(label: str, scores: Sequence[dict[str, RunScore]]) -> dict[str, list[object]]:
    found = [each.get(label) for each in scores]
    return {
        "v": [_short(each.score, 6) if each else None for each in found],
        "e": [_short(each.error, 3) if each else None for each in found],
        "p": [_short(each.p_value, 2) if each else None for each in found],
        "b": [each.before if each and each.p_value is not None else None for each in found],
    }


def _short(value: float | None, digits: int) -> float | None:
    return None if value is None or value != value else float(f"{value:.{digits}g}")


def _write_reports(history: History, runs: Sequence[Run], folder: str) -> list[str]:
    """Write a report of each of the last significant changes whose texts are kept; return their names."""
    from ...data.files import writing

    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    pairs = dict.fromkeys(
        (each.before, run.number)
        for run in reversed(runs)
        for each in run.scores
        if each.before and each.p_value is not None and each.p_value < SIGNIFICANT
    )
    made = []
    for before, number in list(pairs)[:REPORTS]:
        page = report_of(history, [str(before), str(number)], ())
        if page is not None:
            with writing(place / f"{before}-{number}.html") as stream:
                stream.write(page)
            made.append(f"{before}-{number}")
    return made
