"""The figures that a result has data for."""

from pathlib import Path

import pytest

from tercet.data.evidence import Evidence
from tercet.metaeval import judge
from tercet.metaeval.plots import SCATTERS, draw
from tercet.metaeval.results import ranked_items

from .small import Value, judged, metric, scored


@pytest.fixture
def small(tmp_path: Path) -> Evidence:
    return judged(tmp_path)


def noise(k: int) -> Value:
    return lambda i, j: metric(i, j) + (i * k) % 5 / 10


def test_scatter_plots_are_of_the_best_metrics(small: Evidence) -> None:
    many = [scored(f"m{k}", noise(k)) for k in range(SCATTERS + 2)]
    result = judge(small, many, resamples=10)
    drawn = [name.removeprefix("scatter.") for name in draw(result) if name.startswith("scatter.")]
    assert drawn == [item.label for item in ranked_items(result)][:SCATTERS]
    assert {"intervals", "head-to-head", "human"} <= draw(result).keys()


def test_at_segment_level_there_are_intervals_the_heat_map_and_scatter_plots_of_outputs(small: Evidence) -> None:
    result = judge(small, [scored("m"), scored("n", lambda i, j: -metric(i, j))], level="seg", resamples=10)
    figures = draw(result)
    assert figures.keys() == {"intervals", "head-to-head", "scatter.m", "scatter.n"}
    assert result.outputs is not None
    drawn = figures["scatter.m"].rows
    assert [row["gold"] for row in drawn] == result.outputs[0].tolist()
    assert [row["metric"] for row in drawn] == result.outputs[1][0].tolist()
