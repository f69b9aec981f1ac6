"""The document of `tercet learn`: figures on held-out judgements, weights, and what each metric adds."""

from collections.abc import Iterator, Sequence
from math import isnan, nan
from statistics import fmean

from ...rendering.document import Column, Heading, Notes, Part, Table, cell, listing
from ...rendering.tables import number
from . import LearnedMetric
from .training import HeldOut


def learned_parts(found: LearnedMetric, out: str | None, top: int) -> Iterator[Part]:
    """Yield the parts of the document. top: how many weights are shown."""
    model = found.model
    sizes = ", ".join(f"{one.name} ({one.size:,})" for one in model.trained_on)
    yield Heading("Held out")
    yield Notes(["Each row: a model that was not trained on these judgements. The last one is their mean."])
    yield _figures(found.held_out, mean=True)
    if found.single:
        yield Heading("Each feature alone, held out")
        rows = sorted(found.single.items(), key=lambda row: -row[1])
        yield listing(rows, {"feature": lambda row: row[0], "figure": lambda row: row[1]})
    if found.tests:
        yield Heading("Test: the model itself, on judgements that it was not trained on")
        yield _figures(found.tests, mean=len(found.tests) > 1)
    if found.weights:
        yield Heading("Weights")
        columns: dict[str, Column] = {"feature": "feature", "weight": lambda row: number(row.weight, 3, "+")}
        columns["contribution"] = lambda row: f"{100 * row.contribution:.1f} %"
        yield listing(found.weights[:top], columns)
        yield (
            "Weights are for one standard deviation of the feature. Contribution: the share of the mean margin between "
            "better and worse outputs."
        )
    if found.ablation:
        yield Heading("Without each metric, and with it alone (held out)")
        names = ("features", "without", "alone")
        yield listing(found.ablation, {"metric": "group"} | {name: name for name in names})
    facts = [f"Learner: {found.learner}, setting {found.setting:g}, seed {found.seed}. Trained on: {sizes}."]
    if out is not None:
        facts.append(f"The model is in {out}: use it as -m learned:model={out}")
    yield Notes(facts)


def _figures(rows: Sequence[HeldOut], *, mean: bool) -> Table:
    columns = {"judgements": "name", "pairs": "pairs", "tau": "tau", "outputs": "outputs", "Pearson's r": "pearson"}
    table = listing(rows, columns)
    if not mean or not rows:
        return table
    tau, r = (
        cell(fmean(known) if (known := [value for value in values if not isnan(value)]) else nan)
        for values in ([row.tau for row in rows], [row.pearson for row in rows])
    )
    return Table(table.header, [*table.rows, ["mean", "", tau, "", r]])
