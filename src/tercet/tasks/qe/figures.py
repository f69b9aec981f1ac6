"""The figures of `tercet qe`: importance of features, learning curve."""

from math import nan

from ...quality.model import QualityModel
from ...rendering.figures import BLUE, HOVER, Figure, Row, _data, _figure, alt, interval_plot
from ...rendering.tables import number

SHOWN = 30  # features in the figure of importance


def importance_figure(model: QualityModel) -> Figure:
    """Plot the importance of features, with two standard errors to either side."""
    rows = []
    for each in model.provenance["importance"][:SHOWN]:
        rise, error = (nan if each[name] is None else each[name] for name in ("increase", "standard_error"))
        rows.append((each["feature"], rise, rise - 2 * error, rise + 2 * error, False))
    return interval_plot(
        rows,
        label="rise of the RMSE when the feature is shuffled",
        title=f"Importance of features, {model.pair}, {model.learner}",
        subtitle="on held-out groups; two standard errors over folds to either side",
    )


def curve_figure(model: QualityModel) -> Figure:
    """Plot the error on held-out groups by the number of training examples."""
    rows: list[Row] = []
    for point in model.provenance["curve"]:
        rmse, spread = point["rmse"], point["rmse_spread"] or 0.0
        hover = f"{point['examples']:.0f} examples: RMSE {rmse:.3f}, r {number(point['pearson'], 3)}"
        rows.append(
            {"examples": point["examples"], "rmse": rmse, "low": rmse - spread, "high": rmse + spread, "hover": hover}
        )
    title = "RMSE on held-out groups"
    base = alt.Chart(_data(rows)).encode(x=alt.X("examples:Q", title="training examples"))
    y = alt.Y("rmse:Q", title=title, scale=alt.Scale(zero=False, padding=10))
    bars = base.mark_rule(color=BLUE).encode(y=alt.Y("low:Q", title=title), y2="high:Q")
    points = base.mark_point(color=BLUE, filled=True, size=60, opacity=1).encode(y=y, **HOVER)
    line = base.mark_line(color=BLUE, aria=False).encode(y=y)
    note = "means over repeated splits, one standard deviation to either side"
    chart = alt.layer(line, bars, points).properties(width=460, height=280)
    return _figure(chart, rows, f"Learning curve, {model.pair}, {model.learner}", [note], 460)
