"""Figures show all their numbers, name what is missing, cannot be broken by a name, and need no network."""

import json
import math
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tercet.errors import DataError, MissingDependency, UnknownName, UsageError
from tercet.rendering import figures
from tercet.rendering.charts import top_n_curves
from tercet.rendering.figures import Figure, cloud, heat_map, histogram, interval_plot, scatter

HOSTILE = '<b>"x"</b></script><script>alert(1)</script>&amp;'
NAN = math.nan


def a_scatter(name: str = HOSTILE) -> Figure:
    gold = {"a": 0.1, "b": 0.2, "c": 0.35, name: -2.0, "gone": NAN}
    metric = {"a": 20.0, "b": 24.0, "c": 26.0, name: 30.0, "gone": 3.0}
    return scatter(gold, metric, gold_label="DA", metric_label="BLEU", outliers=[name], title=name, subtitle="r = 0.5")


def a_heat_map(name: str = HOSTILE) -> Figure:
    values = np.array([[NAN, 0.01, 0.5], [0.99, NAN, NAN], [0.5, 0.2, NAN]])
    return heat_map(["a", name, "c"], values, label="p", marks=values < 0.05, title=name)


def curves(name: str = HOSTILE) -> Figure:
    return top_n_curves({"a": [(4, 0.5, 0.5), (5, 0.6, 0.8)], name: [(4, NAN, NAN), (5, 0.7, 0.7)]}, title=name)


def a_histogram(name: str = HOSTILE) -> Figure:
    return histogram({"a": [1.0, 2.0, 2.0, NAN], name: [3.0]}, label="score", title=name)


def intervals(name: str = HOSTILE) -> Figure:
    rows = [("a", 0.5, 0.4, 0.6, False), (name, 0.7, 0.6, 0.8, True), ("c", NAN, 0.0, 1.0, False)]
    return interval_plot(rows, label="r", title=name)


ALL = [a_scatter, a_heat_map, curves, a_histogram, intervals]


def subtitle(figure: Figure) -> str:
    return " ".join(figure.spec["title"].get("subtitle", []))


def texts(svg: str) -> str:
    return "\n".join(element.text or "" for element in ET.fromstring(svg).iter() if element.tag.endswith("}text"))


@pytest.mark.parametrize("make", ALL)
def test_a_hostile_name_stays_text_in_every_form(make: Callable[[], Figure]) -> None:
    figure = make()
    drawing = ET.fromstring(figure.svg())  # well-formed, or this fails
    assert not {element.tag.rpartition("}")[2] for element in drawing.iter()} & {"b", "script"}
    assert any(HOSTILE in (element.text or "") for element in drawing.iter() if element.tag.endswith("}title"))
    page = figure.html()
    assert page.count("</script>") == page.count("<script>") == 2
    assert "<b>" not in page.rpartition("<body")[2]


@pytest.mark.parametrize("make", ALL)
def test_every_figure_says_how_many_values_are_missing(make: Callable[[], Figure]) -> None:
    assert "1 without a value" in subtitle(make())


@pytest.mark.parametrize("make", ALL)
def test_a_figure_is_saved_in_the_form_of_its_ending(make: Callable[[], Figure], tmp_path: Path) -> None:
    figure = make()
    for ending in ("svg", "png", "html", "JSON"):
        figure.save(tmp_path / f"figure.{ending}")
    assert (tmp_path / "figure.svg").read_text("utf-8") == figure.svg()
    assert (tmp_path / "figure.png").read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    assert (tmp_path / "figure.html").read_text("utf-8").startswith("<!DOCTYPE html>")
    assert json.loads((tmp_path / "figure.JSON").read_text("utf-8")) == figure.spec
    assert len(list(tmp_path.iterdir())) == 4  # no temporary files stay


def test_an_unknown_ending_is_refused_with_those_that_exist(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"figure\.pdf: a figure is written as \.svg, \.png, \.html, \.json; name"):
        a_scatter().save(tmp_path / "figure.pdf")
    assert not list(tmp_path.iterdir())


def test_a_figure_that_cannot_be_drawn_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "figure.svg"
    path.write_text("old")
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    with pytest.raises(MissingDependency):
        a_scatter().save(path)
    assert path.read_text() == "old"


@pytest.mark.parametrize("make", ALL)
def test_without_the_library_the_pip_line_is_given(make: Callable[[], Figure], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "altair", None)
    with pytest.raises(MissingDependency, match=r"A figure needs .* pip install 'tercet\[plots\]'"):
        make()


def test_importing_the_module_imports_no_plotting_library() -> None:
    code = "import sys, tercet.rendering.figures; print({'altair', 'vl_convert', 'pandas'} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "set()\n"


def test_drawings_in_one_page_do_not_share_identifiers() -> None:
    first, second = a_heat_map().svg(), a_heat_map("other").svg()
    assert first == a_heat_map().svg()  # whatever was drawn before
    ids = [{element.get("id") for element in ET.fromstring(svg).iter() if element.get("id")} for svg in (first, second)]
    assert ids[0] and ids[1] and not ids[0] & ids[1]
    for svg, own in zip((first, second), ids, strict=True):
        for reference in svg.split("url(#")[1:]:
            assert reference.partition(")")[0] in own


def test_scatter_draws_the_least_squares_lines_with_and_without_outliers() -> None:
    figure = a_scatter()
    (lines,) = (data for data in figure.spec["datasets"].values() if "line" in data[0])
    for line, kinds in (("all points", {"other", "outlier"}), ("without outliers", {"other"})):
        points = [row for row in figure.rows if row["kind"] in kinds]
        slope, intercept = np.polyfit([row["gold"] for row in points], [row["metric"] for row in points], 1)
        ends = [row for row in lines if row["line"] == line]
        assert [end["gold"] for end in ends] == [min(r["gold"] for r in points), max(r["gold"] for r in points)]
        assert [end["metric"] for end in ends] == pytest.approx([slope * end["gold"] + intercept for end in ends])


def test_scatter_marks_outliers_by_shape_and_colour_and_name() -> None:
    figure = a_scatter("Online-X")
    assert "Online-X" in texts(figure.svg()).splitlines()[:-1]
    encoding = next(layer for layer in figure.spec["layer"] if layer["mark"]["type"] == "point")["encoding"]
    for channel in ("color", "shape"):
        assert encoding[channel]["field"] == "kind"
        assert len(set(encoding[channel]["scale"]["range"])) == 2
    assert [row["name"] for row in figure.rows if row["kind"] == "outlier"] == ["Online-X"]
    assert subtitle(figure) == "r = 0.5; 1 without a value"


def test_scatter_of_one_place_has_no_line_and_still_draws() -> None:
    figure = scatter({"a": 1.0, "b": 1.0}, {"a": 2.0, "b": 2.0}, gold_label="DA", metric_label="m", title="t")
    assert {layer["mark"]["type"] for layer in figure.spec["layer"]} == {"point", "text"}
    assert figure.svg().startswith("<svg")


def test_an_outlier_alone_has_its_name_beside_it_without_a_line() -> None:
    kinds = [layer["mark"]["type"] for layer in a_scatter("Online-X").spec["layer"]]
    # Points on top; of two texts the first is the white around the second; other names, then the outlier's.
    assert kinds == ["line", "text", "text", "text", "text", "point"]


def test_systems_have_names_where_these_cover_nothing() -> None:
    gold = {f"System-{i}": float(i) for i in range(8)}
    shown = texts(scatter(gold, gold, gold_label="x", metric_label="y", title="t").svg()).splitlines()
    assert set(gold) <= set(shown)
    close = {f"System-{i}": 1e-6 * i for i in range(20)} | {"far": 1.0}
    shown = texts(scatter(close, close, gold_label="x", metric_label="y", title="t").svg()).splitlines()
    assert "far" in shown and 0 < len(set(close) & set(shown)) < 21
    many = {f"System-{i}": float(i) for i in range(31)}
    shown = texts(scatter(many, many, gold_label="x", metric_label="y", title="t").svg()).splitlines()
    assert not set(many) & set(shown)


def test_the_best_systems_have_a_line_of_their_own() -> None:
    gold = {"a": 0.0, "b": 1.0, "c": 2.0, "d": 3.0}
    metric = {"a": 0.0, "b": 9.0, "c": 8.0, "d": 7.0}
    figure = scatter(gold, metric, gold_label="x", metric_label="y", best=["b", "c", "d"], title="t")
    (lines,) = (data for data in figure.spec["datasets"].values() if "line" in data[0])
    assert [(row["gold"], row["metric"]) for row in lines if row["line"] == "3 best"] == [(1.0, 9.0), (3.0, 7.0)]


def test_a_cloud_of_many_outputs_is_a_sample_with_the_line_of_all() -> None:
    gold = [float(i % 100) for i in range(5000)]
    figure = cloud(
        [*gold, NAN], [*(2 * x for x in gold), 1.0], gold_label="DA", metric_label="m", title="t", subtitle="r"
    )
    assert len(figure.rows) == 3000
    assert subtitle(figure) == "r; 3000 of 5000 outputs are drawn; 1 without a value"
    (lines,) = (data for data in figure.spec["datasets"].values() if len(data) == 2)
    assert [(row["gold"], row["metric"]) for row in lines] == [(0.0, pytest.approx(0.0)), (99.0, pytest.approx(198.0))]


def test_names_of_neighbouring_outliers_have_lines_to_their_points() -> None:
    near = {f"System-{i}": 0.001 * i for i in range(4)}
    gold = near | {"far": 1.0}
    figure = scatter(gold, gold, gold_label="x", metric_label="y", outliers=list(near), title="t")
    (rules,) = (layer for layer in figure.spec["layer"] if layer["mark"]["type"] == "rule")
    apart = figure.spec["datasets"][rules["data"]["name"]]
    assert {row["name"]: row["from_gold"] for row in apart} == {n: at for n, at in near.items() if n != "System-0"}
    assert set(near) <= set(texts(figure.svg()).splitlines())


def test_scatter_names_what_only_one_side_has_and_unknown_outliers() -> None:
    with pytest.raises(DataError, match="Figure 't': 'b', 'c' has a value for only one of DA and BLEU"):
        scatter({"a": 1.0, "b": 1.0}, {"a": 1.0, "c": 1.0}, gold_label="DA", metric_label="BLEU", title="t")
    with pytest.raises(UnknownName, match="no point called 'sysA'"):
        scatter({"a": 1.0}, {"a": 1.0}, gold_label="DA", metric_label="BLEU", outliers=["sysA"], title="t")


def test_heat_map_shows_values_and_stars_up_to_twenty_names() -> None:
    figure = a_heat_map("b")
    cells = {(row["row"], row["column"]): row["text"] for row in figure.rows}
    assert cells == {
        ("a", "b"): "0.01*",
        ("a", "c"): "0.50",
        ("b", "a"): "0.99",
        ("c", "a"): "0.50",
        ("c", "b"): "0.20",
    }
    assert "0.01*" in texts(figure.svg())
    assert subtitle(figure) == "* significant; 1 without a value"  # b against c; the diagonal is not missed


def test_heat_map_of_many_names_has_dots_for_marked_cells_and_all_names() -> None:
    names = [f"metric-{i}" for i in range(35)]
    values = np.linspace(0, 1, 35 * 35).reshape(35, 35)
    figure = heat_map(names, values, label="p", marks=values < 0.05, title="t")
    assert {row["text"] for row in figure.rows} == {"", "●"}
    assert [row["marked"] for row in figure.rows] == (values < 0.05).ravel().tolist()
    shown = texts(figure.svg()).splitlines()
    assert all(shown.count(name) == 2 for name in names)


@pytest.mark.parametrize(("low", "scheme", "domain"), [(0.25, "blues", [0.25, 0.5]), (-1.0, "blueorange", [-1.0, 1.0])])
def test_heat_map_diverges_about_zero_only_when_values_lie_on_both_sides(
    low: float, scheme: str, domain: list[float]
) -> None:
    figure = heat_map(["a", "b"], np.array([[NAN, low], [0.5, NAN]]), label="d", title="t")
    scale = figure.spec["layer"][0]["encoding"]["color"]["scale"]
    assert (scale["scheme"], scale["domain"]) == (scheme, domain)


def test_heat_map_is_dark_where_values_are_low_if_asked() -> None:
    figure = heat_map(["a", "b"], np.array([[NAN, 0.01], [0.99, NAN]]), label="p", low_is_dark=True, title="t")
    assert figure.spec["layer"][0]["encoding"]["color"]["scale"]["reverse"] is True
    assert [(row["value"], row["dark"]) for row in figure.rows] == [(0.01, True), (0.99, False)]


def test_heat_map_rounds_small_negative_numbers_to_zero_without_a_sign() -> None:
    figure = heat_map(["a", "b"], np.array([[NAN, -0.001], [0.5, NAN]]), label="d", title="t")
    assert figure.rows[0]["text"] == "0.00"


def test_heat_map_refuses_wrong_shapes_and_repeated_names() -> None:
    with pytest.raises(UsageError, match=r"Figure 't': 2 names need values and marks of shape \(2, 2\)"):
        heat_map(["a", "b"], np.zeros((2, 3)), label="p", title="t")
    with pytest.raises(DataError, match="Figure 't': 'a' occurs more than once"):
        heat_map(["a", "a"], np.zeros((2, 2)), label="p", title="t")


def test_curves_run_from_many_to_few_with_ranges_and_gaps() -> None:
    figure = curves("b")
    assert [(row["name"], row["n"], row["low"], row["middle"], row["high"]) for row in figure.rows] == [
        ("a", 4, 0.5, 0.5, 0.5),
        ("a", 5, 0.6, 0.7, 0.8),
        ("b", 4, None, None, None),
        ("b", 5, 0.7, 0.7, 0.7),
    ]
    assert all(layer["encoding"]["x"]["scale"]["reverse"] for layer in figure.spec["layer"])


def test_seven_curves_differ_in_colour_and_in_shape_and_are_all_in_the_legend() -> None:
    names = [f"metric-{i}" for i in range(7)]
    figure = top_n_curves({name: [(4, i, i), (5, i, i)] for i, name in enumerate(names)}, title="t")
    encoding = figure.spec["layer"][2]["encoding"]
    for channel in ("color", "shape"):
        assert len(set(encoding[channel]["scale"]["range"])) == 7
    assert set(names) <= set(texts(figure.svg()).splitlines())


def test_forty_curves_have_a_plot_each_with_all_others_behind() -> None:
    names = [f"metric-{i}" for i in range(40)]
    figure = top_n_curves({name: [(4, i, i), (5, i, i + 1)] for i, name in enumerate(names)}, title="t")
    drawing = figure.svg()
    shown = texts(drawing).splitlines()
    assert [name for name in shown if name in names] == names  # in the order given
    lines = [element for element in ET.fromstring(drawing).iter() if element.get("stroke") == figures.PALE]
    assert len([line for line in lines if line.tag.endswith("}path")]) == 40 * 40
    assert drawing.count("<title>metric-7: correlation") == 2


@pytest.mark.parametrize("count", [1, 4, 35])
def test_histogram_counts_every_value_once_in_common_bins(count: int) -> None:
    values = {f"m{i}": np.sin(np.arange(200) * (i + 1)) for i in range(count)}
    figure = histogram(values, label="score", title="t")
    for name, numbers in values.items():
        bars = [row for row in figure.rows if row["name"] == name]
        edges = [*(row["start"] for row in bars), bars[-1]["end"]]
        assert [row["count"] for row in bars] == np.histogram(numbers, edges)[0].tolist()
        assert sum(row["count"] for row in bars) == 200
    assert len({row["start"] for row in figure.rows}) == len(figure.rows) // count
    assert count == 1 or {*values} <= set(texts(figure.svg()).splitlines())


@pytest.mark.parametrize("numbers", [[7.0], [7.0, 7.0], [0.0, 1e12, *([1.0] * 500)]])
def test_histogram_of_equal_or_extreme_values_has_few_bins(numbers: list[float]) -> None:
    figure = histogram({"a": numbers}, label="score", title="t")
    assert 5 <= len(figure.rows) <= 40
    assert sum(row["count"] for row in figure.rows) == len(numbers)


def test_histogram_has_the_edges_of_its_bins_below_them_unrounded() -> None:
    shown = texts(histogram({"a": [-1.77, 0.35]}, label="score", title="t").svg()).splitlines()
    assert {"−2", "−1.75", "−1.5", "0", "0.25", "0.5"} <= set(shown)


def test_histogram_keeps_a_panel_for_a_name_without_values() -> None:
    figure = histogram({"a": [1.0, 2.0], "none": [NAN]}, label="score", title="t")
    assert "none" in texts(figure.svg()).splitlines()
    assert subtitle(figure) == "1 without a value"


def test_intervals_are_sorted_by_value_and_undefined_ends_leave_the_dot() -> None:
    rows = [("a", 0.5, 0.4, NAN, False), ("b", 0.7, 0.6, 0.8, True), ("c", -0.1, -0.2, 0.0, False)]
    figure = interval_plot(rows, label="r", title="t")
    assert [(row["name"], row["low"], row["winner"]) for row in figure.rows] == [
        ("b", 0.6, True), ("a", None, False), ("c", -0.2, False)
    ]  # fmt: skip
    assert subtitle(figure) == "filled: winner"
    assert [text for text in texts(figure.svg()).splitlines() if text in "abc"] == ["b", "a", "c"]


def test_the_axis_of_intervals_ends_near_the_last_one() -> None:
    figure = interval_plot([("a", 0.99, 0.9, 0.999, True), ("b", 0.1, -0.8, 0.9, False)], label="r", title="t")
    assert "1.2" not in texts(figure.svg()).splitlines()  # no correlation is
    assert "1.0" in texts(figure.svg()).splitlines()


def test_a_figure_without_any_number_is_refused() -> None:
    nothing = [
        lambda: scatter({"a": NAN}, {"a": 1.0}, gold_label="x", metric_label="y", title="t"),
        lambda: heat_map(["a"], np.array([[NAN]]), label="p", title="t"),
        lambda: top_n_curves({"a": [(4, NAN, NAN)]}, title="t"),
        lambda: histogram({}, label="x", title="t"),
        lambda: interval_plot([], label="r", title="t"),
    ]
    for make in nothing:
        with pytest.raises(DataError, match="Figure 't' has nothing to show"):
            make()


def test_a_long_title_is_broken_into_lines() -> None:
    figure = histogram({"a": [1.0, 2.0]}, label="x", title="long words " * 20)
    assert len(figure.spec["title"]["text"]) > 2
    assert figure.title == "long words " * 20
