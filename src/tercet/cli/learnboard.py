"""The document of `tercet learn`: figures on held-out judgements, weights, and what each metric adds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isnan

from ..learning import LearnedMetric
from ..learning.training import HeldOut
from ..rendering.document import Heading, Notes, Part, Table
from ..rendering.tables import DASH


def learned_parts(found: LearnedMetric, out: str | None, top: int) -> Iterator[Part]:
    """Yield the parts of the document. top: how many weights are shown."""
    model = found.model
    sizes = ", ".join(f"{one.name} ({one.size:,})" for one in model.trained_on)
    yield Heading("Held out")
    yield Notes(["Each row: a model that was not trained on these judgements. The last one is their mean."])
    yield _figures(found.held_out, mean=True)
    if found.single:
        yield Heading("Each feature alone, held out")
        rows = [[name, _cell(value)] for name, value in sorted(found.single.items(), key=lambda row: -row[1])]
        yield Table(("feature", "figure"), rows)
    if found.tests:
        yield Heading("Test: the model itself, on judgements that it was not trained on")
        yield _figures(found.tests, mean=len(found.tests) > 1)
    if found.weights:
        yield Heading("Weights")
        rows = [[row.feature, f"{row.weight:+.3f}", f"{100 * row.contribution:.1f} %"] for row in found.weights[:top]]
        yield Table(("feature", "weight", "contribution"), rows)
        yield Notes(
            [
                "Weights are for one standard deviation of the feature. Contribution: the share of the mean margin "
                "between better and worse outputs."
            ]
        )
    if found.ablation:
        yield Heading("Without each metric, and with it alone (held out)")
        rows = [[row.group, str(row.features), _cell(row.without), _cell(row.alone)] for row in found.ablation]
        yield Table(("metric", "features", "without", "alone"), rows)
    facts = [f"Learner: {found.learner}, setting {found.setting:g}, seed {found.seed}. Trained on: {sizes}."]
    if out is not None:
        facts.append(f"The model is in {out}: use it as -m learned:model={out}")
    yield Notes(facts)


def _figures(rows: Sequence[HeldOut], *, mean: bool) -> Table:
    cells = [[row.name, str(row.pairs), _cell(row.tau), str(row.outputs), _cell(row.pearson)] for row in rows]
    if mean and rows:
        cells.append(["mean", "", _mean([row.tau for row in rows]), "", _mean([row.pearson for row in rows])])
    return Table(("judgements", "pairs", "tau", "outputs", "Pearson's r"), cells)


def _mean(values: Sequence[float]) -> str:
    known = [value for value in values if not isnan(value)]
    return _cell(sum(known) / len(known)) if known else DASH


def _cell(value: float) -> str:
    return DASH if isnan(value) else f"{value:.3f}"
