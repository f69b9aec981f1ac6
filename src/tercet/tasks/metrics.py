"""`tercet metrics`: which metrics there are, and what is to be known of each, from the classes themselves."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import MISSING, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import MissingDependency, UsageError
from ..options import command, shell_option
from ..options.groups import Form

if TYPE_CHECKING:
    from ..metrics import Metric
    from ..rendering.document import Column, Part


@dataclass(frozen=True, kw_only=True)
class MetricsOptions(Form):
    """Options of `metrics`."""

    spec: str | None = shell_option(None, metavar="[NAME]", help="A metric; parameters follow a colon.")
    card: bool = shell_option(False, "--card", help="How the metric NAME agreed with people in the data at hand.")
    data: str | None = shell_option(
        None, "--data", metavar="DIR",
        help="For --card: a data set, or a folder of them. [default: what 'tercet data' holds]",
    )  # fmt: skip

    def check(self) -> None:
        super().check()
        if (self.card or self.data is not None) and (self.spec is None or not self.card):
            raise UsageError("--card is for one metric, and --data for --card: tercet metrics chrf --card --data DIR")


@command(MetricsOptions)
def run(options: MetricsOptions) -> None:
    """List the metrics, or explain one: what it is, its paper, parameters and needs.

    \b
    tercet metrics
    tercet metrics chrf:word_order=2
    tercet metrics chrf --card --data DIR
    """
    import click

    from ..cli.console import rendered
    from ..metrics import create, names
    from ..rendering.document import listing

    if options.spec is not None:
        described = describe(create(options.spec))  # a wrong name is said before data are looked for
        click.echo(_card(options) if options.card else rendered(options.form, _page(described), lambda: described))
        return
    listed = [describe(create(name)) for name in names()]
    columns: dict[str, Column] = {"metric": "name", "needs": _needs, "better": _direction, "runs here": "here"}
    table = listing(listed, columns | {"what it is": "description"})
    hint = (
        "Runs here: yes, or what it needs; 'tercet metrics NAME' says how to get it. Parameters follow a colon: "
        "-m chrf:word_order=2,beta=3"
    )
    click.echo(rendered(options.form, [table, hint], lambda: listed))


def _card(options: MetricsOptions) -> str:
    from ..cli.console import Progress, rendered
    from ..metaeval.card import make_card
    from ..rendering.document import listing

    with Progress("Judging") as progress:
        results = make_card(str(options.spec), data_sets(options.data), progress=progress.say)
    title = f"{results[0].items[0].label}: agreement with people in the data at hand"
    rows = [row for result in results for row in result.rows()]
    columns: dict[str, Column] = {"Data": "dataset", "Pair": "pair", "Level": "level", "Statistic": "statistic"}
    columns |= {"Gold": "gold_name", "Value": "value", "95 % interval": lambda row: (row["ci_low"], row["ci_high"])}
    columns |= {"n": "n"}
    return rendered(options.form, [title, listing(rows, columns)], lambda: rows)


def data_sets(root: str | None) -> list[Path]:
    """Return a data set, or all in a folder; without a folder, all that `tercet data` holds."""
    from ..data.catalogue import data_folder, installed, where
    from ..metaeval.card import sets_in

    if root is None:
        return [where(copy.name, data_folder()) for copy in installed(data_folder())]
    place = Path(root)
    if not place.exists():
        raise UsageError(f"There is no file or folder {root}.")
    return sets_in(place)


def describe(metric: Metric) -> dict[str, Any]:
    """Return everything that a metric's class says of itself, and the values of its parameters."""
    from ..data.scores import with_facts

    cls, settled = type(metric), metric.resolved()
    usual = metric.defaults(None)
    about = cls.described()
    return {
        "name": metric.name,
        "label": metric.label,
        "description": about.partition("\n")[0],
        "about": cls.about(),
        "details": about,
        "paper": metric.paper,
        "needs": sorted(metric.needs),
        **runs_here(metric),
        "higher_is_better": metric.higher_is_better,
        "version": metric.version,
        "equals": metric.compatible,
        "parameters": [
            {
                "name": each.name,
                "type": " | ".join(sorted(each.kinds)),
                "default": usual.get(each.name) if each.default in (None, MISSING) else each.default,
                "value": getattr(settled, each.name),
            }
            for each in metric.parameters()
        ],
        "spec": metric.spec,
        "signature": with_facts(metric.signature, {"nrefs": 1} if "reference" in metric.needs else {}),
    }


def runs_here(metric: Metric) -> dict[str, str]:
    """Return whether a metric runs on this computer, "yes" or what it needs, and the lines that provide this."""
    ready = metric.resolved()
    what, _, how = ready.lacks.partition(":")
    try:
        ready.check_packages()
    except MissingDependency as missing:
        line = f"pip install 'tercet[{missing.extra}]'"
        return {"here": f"tercet[{missing.extra}]" + (f", {what}" if what else ""), "how": f"{line}{how and ';'}{how}"}
    return {"here": what or "yes", "how": how.strip()}


def _needs(entry: dict[str, Any]) -> str:
    return ", ".join(entry["needs"])


def _direction(entry: dict[str, Any]) -> str:
    return {True: "higher", False: "lower", None: "neither"}[entry["higher_is_better"]]


def _page(entry: dict[str, Any]) -> Iterator[Part]:
    from ..rendering.document import Table

    def plain(value: object) -> str:
        return str(value).lower() if isinstance(value, bool) else "none" if value is None else str(value)

    facts = {
        "paper": entry["paper"],
        "needs": _needs(entry),
        "runs here": ": ".join(filter(None, (entry["here"], entry["how"]))),
        "better": _direction(entry),
        "version": entry["version"],
        "equals": entry["equals"] or "no published program",
        "write": f"-m {entry['spec']}",
        "signature": entry["signature"],
    }
    yield from (f"{entry['name']} ({entry['label']})", entry["about"], entry["details"])
    yield "\n".join(f"{name + ':':<12}{value}" for name, value in facts.items())
    if rows := [[p["name"], p["type"], plain(p["default"]), plain(p["value"])] for p in entry["parameters"]]:
        yield Table(["parameter", "type", "default", "here"], rows)
