"""`tercet reproduce` on made-up papers and data: exit codes, messages, forms. Needs none of the papers' data."""

import csv
import io
import json
import re
from importlib.resources import files
from pathlib import Path

import pytest

from tercet import reproduce
from tercet.data.catalogue import entries
from tercet.tasks.reproduce.printed import check
from tercet.tasks.reproduce.results import (
    Cell,
    Curve,
    Matrix,
    Reproduction,
    Reproductions,
    Statement,
    Unchecked,
    count_of,
)
from tercet.tasks.reproduce.sources import SOURCES, DataSets, alternatives
from tercet.tasks.reproduce.tables import PAPERS, TABLES, PaperTable, tables

from ..docs.running import Ran, run

SYSTEMS = "wmt19_sys/wmt19_sys_scores.tsv"


def made_up(*, value: float = 0.912, must: bool = True, holds: bool = True) -> dict[str, PaperTable]:
    cells = [check("BLEU", "de-en", "0.912", value, must=must), check("chrF", "de-en", "0.930", 0.9301)]
    found = Reproduction(
        cells,
        [Unchecked("TER", "de-en", 0.9, "No scores."), Unchecked("WER", "de-en", 0.8, "No scores.")],
        [Statement("chrF wins", holds, "it does" if holds else "it does not")],
        notes=["A note."],
        extra={"ours": {"de-en": 0.5}},
        winners={"de-en": ["chrF"]},
        matrices=[Matrix("de-en", ["chrF", "BLEU"], [[0.5, 0.01], [0.99, 0.5]])],
        curves=[Curve("best", {"chrF": [(5, 0.1, 0.2), (4, 0.3, 0.3)]})],
    )
    return {
        "1": PaperTable("made up", None, (), lambda data: found),
        "2": PaperTable("in need of data", None, ("nowhere", "elsewhere"), lambda data: found),
        "figure 1": PaperTable("drawn by hand", reason="Nobody knows."),
    }


@pytest.fixture
def paper(monkeypatch: pytest.MonkeyPatch):
    """Puts a paper called tiny among the others."""

    def put(tables: dict[str, PaperTable]) -> None:
        monkeypatch.setitem(PAPERS, "tiny", "Anyone (2020), A Tiny Paper")
        monkeypatch.setitem(TABLES, "tiny", tables)

    return put


@pytest.fixture
def tercet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """The command in an empty folder, with no data set installed."""
    monkeypatch.setenv("TERCET_DATA", str(tmp_path / "installed"))

    def call(*words: object) -> Ran:
        return run(["reproduce", *map(str, words)], folder=tmp_path)

    return call


def test_a_table_is_shown_beside_print_with_a_count(paper, tercet):
    paper(made_up())
    ran = tercet("tiny", "--table", "1")
    assert ran.code == 0 and ran.err == ""
    assert ran.out.startswith("tiny, Table 1: made up\n")
    assert re.search(r"^BLEU +de-en +0\.912 +0\.9120 +0\.0000 +yes$", ran.out, re.MULTILINE)
    assert "\n2 of 2 cells round to print; 2 numbers not checked.\n" in ran.out
    assert "\nHolds: chrF wins (it does).\n" in ran.out
    assert "\nNot checked: 2 numbers (de-en). No scores.\nA note.\n" in ran.out


def test_a_cell_that_must_match_and_does_not_is_named_and_fails(paper, tercet):
    paper(made_up(value=0.9))
    ran = tercet("tiny", "--table", "1")
    assert ran.code == 1
    assert ran.err == "Differs: tiny, Table 1: made up: BLEU, de-en: printed 0.912, recomputed 0.9\n"
    assert "\n1 of 2 cells round to print; 1 different; " in ran.out


def test_a_cell_that_need_not_match_does_not_fail(paper, tercet):
    paper(made_up(value=0.9, must=False))
    ran = tercet("tiny", "--table", "1")
    assert (ran.code, ran.err) == (0, "")
    assert "\n1 of 2 cells round to print; 1 different; 2 n" in ran.out and "no (not required)" in ran.out


def test_a_statement_that_must_hold_and_does_not_fails(paper, tercet):
    paper(made_up(holds=False))
    ran = tercet("tiny", "--table", "1")
    assert ran.code == 1
    assert ran.err == "Differs: tiny, Table 1: made up: chrF wins: it does not\n"
    assert "\nDoes not hold: chrF wins (it does not).\n" in ran.out


def test_json_of_a_table_is_one_object(paper, tercet):
    paper(made_up(value=0.9))
    ran = tercet("tiny", "--table", "1", "-f", "json")
    found = json.loads(ran.out)
    assert {key: found[key] for key in ("paper", "table", "total", "equal")} == {
        "paper": "tiny",
        "table": "1",
        "total": 2,
        "equal": 1,
    }
    cell = found["cells"][0]
    assert {key: cell[key] for key in ("row", "column", "printed", "recomputed", "equal")} == {
        "row": "BLEU",
        "column": "de-en",
        "printed": 0.912,
        "recomputed": 0.9,
        "equal": False,
    }
    assert found["unchecked"][0] == {"row": "TER", "column": "de-en", "printed": 0.9, "reason": "No scores."}
    assert found["curves"][0]["points"]["chrF"] == [[5, 0.1, 0.2], [4, 0.3, 0.3]]


def test_json_of_a_paper_has_sums_and_tables(paper, tercet):
    paper(made_up())
    ran = tercet("tiny", "-f", "json")
    found = json.loads(ran.out)
    assert [found[key] for key in ("paper", "total", "equal")] == ["tiny", 2, 2]
    assert [one["table"] for one in found["tables"]] == ["1", "2", "figure 1"]


def test_csv_has_every_number(paper, tercet):
    paper(made_up())
    rows = list(csv.DictReader(io.StringIO(tercet("tiny", "--table", "1", "-f", "csv").out)))
    assert [row["row"] for row in rows] == ["BLEU", "chrF", "TER", "WER"]
    assert [row["equal"] for row in rows] == ["true", "true", "", ""]
    assert rows[2]["reason"] == "No scores."


@pytest.mark.parametrize(
    ("form", "line"), [("markdown", "| BLEU | de-en | 0.912 |"), ("latex", "BLEU & de-en & 0.912 &")]
)
def test_other_forms(paper, tercet, form, line):
    paper(made_up())
    out = tercet("tiny", "--table", "1", "-f", form).out
    assert any(text.startswith(line) for text in out.split("\n"))


def test_of_a_whole_paper_tables_without_data_are_unchecked(paper, tercet):
    paper(made_up())
    ran = tercet("tiny")
    assert ran.code == 0
    message = (
        "The data set nowhere was not found. The data set elsewhere was not found. Give the folder that contains them "
        "with --data, or add each: tercet data add FOLDER nowhere.\n"
    )
    assert f"tiny, Table 2: in need of data\n\nNot recomputed. {message}" in ran.out
    assert "\ntiny, Figure 1: drawn by hand\n\nNot recomputed. Nobody knows.\n" in ran.out
    assert ran.out.endswith("\ntiny: 2 of 2 cells round to print; 2 numbers not checked.\n")


def test_a_table_asked_for_alone_needs_its_data(paper, tercet, tmp_path):
    paper(made_up())
    (tmp_path / "nowhere").mkdir()
    ran = tercet("tiny", "--table", "2", "--data", tmp_path)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == (
        "Error: tiny, Table 2: The data set elsewhere was not found. Give the folder that contains it with --data, or "
        "add it: tercet data add FOLDER elsewhere.\n"
    )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["wmt91"], "There is no paper called 'wmt91'. Did you mean wmt19 or wmt14?"),
        (["tiny", "--table", "9"], "There is no table or figure of tiny called '9'. Known: 1, 2, figure 1."),
        (["tiny", "--figure", "2"], "There is no table or figure of tiny called 'figure 2'. Did you mean figure 1?"),
        (["tiny", "--figure", "1", "--table", "1"], "Give --table or --figure, not both."),
        (["all", "--table", "1"], "--table and --figure need a paper: tercet reproduce PAPER --table N."),
        (["--figure", "1"], "--table and --figure need a paper: tercet reproduce PAPER --table N."),
        (["--html", "x.html"], "--html needs a paper: tercet reproduce PAPER --html FILE, or all."),
        (["tiny", "--paper", "kobe"], "Two papers are given, tiny and kobe. Give one, or all."),
        (["tiny", "--data", "not-there"], "There is no folder not-there."),
    ],
)
def test_misuse_is_explained(paper, tercet, words, message):
    paper(made_up())
    ran = tercet(*words)
    assert (ran.code, ran.out, ran.err) == (2, "", f"Error: {message}\n")


def test_without_a_paper_all_are_listed_with_their_data(paper, tercet):
    paper(made_up())
    ran = tercet()
    assert ran.code == 0
    assert re.search(r"^wmt19 +3 +system level, into English, \|r\| +wmt19_sys$", ran.out, re.MULTILINE)
    assert re.search(r"^tiny +2 +in need of data +nowhere, elsewhere$", ran.out, re.MULTILINE)
    assert re.search(r"^thesis +4\.9 +scores of two examples +none$", ran.out, re.MULTILINE)
    assert re.search(r"^thesis +A\.7 .* wmt14$", ran.out, re.MULTILINE)
    assert re.search(r"^tiny +figure 1 +drawn by hand +cannot be recomputed$", ran.out, re.MULTILINE)
    entries = json.loads(tercet("-f", "json").out)
    assert entries[-1] == {
        "paper": "tiny",
        "table": "figure 1",
        "caption": "drawn by hand",
        "data": [],
        "reason": "Nobody knows.",
    }
    thesis = {entry["table"]: entry for entry in entries if entry["paper"] == "thesis"}
    assert (thesis["A.7"]["data"], thesis["4.9"]["data"], thesis["4.9"]["reason"]) == (["wmt14"], [], "")


def test_a_page_has_tables_marks_and_figures(paper, tercet, tmp_path):
    pytest.importorskip("vl_convert", reason="plots need vl-convert")
    paper(made_up(value=0.9))
    ran = tercet("tiny", "--table", "1", "--html", "page.html", "-q")
    assert ran.code == 1
    text = (tmp_path / "page.html").read_text("utf-8")
    assert 'class="number bad"' in text and 'class="number good"' in text and "unchecked" in text
    assert "0.900 (0.912)" in text and "0.930*" in text
    assert text.count("<svg") == 2


def test_a_page_begins_with_the_count_and_the_meaning_of_marks_and_ends_with_what_was_not_made(paper, tercet, tmp_path):
    one = made_up()
    paper({"figure 1": one["figure 1"], "1": one["1"]})
    assert tercet("tiny", "--html", "page.html", "-q").code == 0
    text = (tmp_path / "page.html").read_text("utf-8")
    places = [
        text.index(part)
        for part in (
            "Overview</h2>\n<p>2 numbers, recomputed from the data, round to the printed ones. "
            "All that should agree with print do.",
            "<td>rounds to the printed number; or the paper&#x27;s statement holds</td>",
            "<td>should agree with print and does not; ",
            "<td>printed, but not checked; ",
            "A Tiny Paper</h2>",
            "Table 1: made up</h3>",
            "Not recomputed (tiny)</h3>",
            "<td>Figure 1</td><td>drawn by hand</td>",
        )
    ]
    assert places == sorted(places)


def test_a_page_has_bars_of_the_counts_and_addresses_that_stay_the_same(paper, tercet, tmp_path):
    pytest.importorskip("vl_convert", reason="plots need vl-convert")
    paper(made_up())
    assert tercet("tiny", "--html", "page.html", "-q").code == 0
    text = (tmp_path / "page.html").read_text("utf-8")
    assert (
        text.count("<svg") == 3 and "Anyone (2020): 2 of 4, Rounds to print" in text and "2 of 4, Not checked" in text
    )
    assert re.findall(r'<h[23] id="([^"]*)"', text) == ["overview", "tiny", "tiny-table-1", "tiny-not-recomputed"]
    assert "<td>Table 2</td><td>in need of data</td>" in text and "<td>Data: nowhere, elsewhere</td>" in text
    assert text.count("The data set nowhere was not found") == 1


def test_counts_on_a_page_have_no_decimals(paper, tercet, tmp_path):
    printed = {"n": (21862.0, 11.0), "BLEU": (1.0, 0.0)}
    cells = [
        Unchecked(row, pair, value, "No.") for row in printed for pair, value in zip("ab", printed[row], strict=True)
    ]
    found = Reproduction([check("chrF", "a", "0.930", 0.93)], cells)
    paper({"1": PaperTable("counted", None, (), lambda data: found)})
    assert tercet("tiny", "--table", "1", "--html", "page.html", "-q").code == 0
    text = (tmp_path / "page.html").read_text("utf-8")
    assert ">21862<" in text and ">11<" in text and ">1.000<" in text and ">0.000<" in text


def test_numbers_that_are_undefined_beside_print_are_dashes(paper, tercet):
    found = Reproduction(extra={"ours": {"a": float("nan"), "b": 2.0}})
    paper({"1": PaperTable("undefined", None, (), lambda data: found)})
    assert re.search(r"^ours +– +2\.000$", tercet("tiny", "--table", "1").out, re.MULTILINE)


def test_the_papers_themselves_run_without_data(tercet):
    ran = tercet("--paper", "all", "-f", "json")
    assert ran.code == 0
    found = json.loads(ran.out)
    assert (found["total"], found["equal"]) == (25, 16)  # of the thesis's examples, whose texts are printed
    assert (found["derived"], found["derived_equal"]) == (366, 335)  # from other printed numbers
    assert [one["paper"] for one in found["papers"]] == list(PAPERS)
    three = next(one for one in found["papers"][1]["tables"] if one["table"] == "3")
    assert "tercet data add FOLDER wmt19_sys" in three["unchecked"][0]["reason"]


def test_a_paper_without_any_data_says_so(tercet):
    ran = tercet("kobe")
    assert ran.code == 0
    assert ran.out.endswith(
        "\nkobe: no number recomputed; 2 of 2 others follow from the paper's own numbers; 231 numbers not checked.\n"
    )


def write_systems(folder: Path) -> None:
    """Scores of four systems for the language pairs of Table 5, none of which the paper knows."""
    path = folder / SYSTEMS
    path.parent.mkdir(parents=True)
    lines = ["lp\tsystem\tDA\tBLEU\tchrF\tYiSi-2"]
    for pair in ("de-cs", "de-fr", "fr-de"):
        lines += [f"{pair}\ts{i}\t{i / 10}\t{20 + i * i}\t{50 - i}\t" for i in range(4)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def test_other_data_than_the_papers_make_its_cells_differ(tercet, tmp_path):
    write_systems(tmp_path)
    ran = tercet("wmt19", "--table", "5", "--data", tmp_path, "-f", "json")
    assert ran.code == 1
    found = json.loads(ran.out)
    assert (found["total"], found["equal"]) == (64, 0)
    cells = {(cell["row"], cell["column"]): cell["recomputed"] for cell in found["cells"]}
    assert cells["chrF", "de-cs"] == pytest.approx(1)  # negative, and printed without its sign
    assert cells["BEER", "de-cs"] is None
    assert [one["holds"] for one in found["statements"]] == [False]
    assert "Differs: wmt19, Table 5: system level, without English, |r|: BLEU, de-cs: printed 0.941," in ran.err
    assert "n, de-cs: printed 11, recomputed 4\n" in ran.err


def test_data_are_found_through_the_catalogue_too(tercet, tmp_path):
    write_systems(tmp_path)
    assert run(["data", "add", str(tmp_path / "wmt19_sys"), "wmt19_sys"], folder=tmp_path).code == 0
    assert '"total": 11' in tercet("kobe", "--table", "3", "-f", "json").out


def test_data_sets_may_have_the_names_of_the_catalogue(tercet, tmp_path):
    write_systems(tmp_path)
    (tmp_path / "wmt19_sys").rename(tmp_path / "wmt19-metrics-system")
    assert '"total": 11' in tercet("kobe", "--table", "3", "--data", tmp_path, "-f", "json").out
    added = run(["data", "add", str(tmp_path / "wmt19-metrics-system"), "wmt19-metrics-system"], folder=tmp_path)
    assert added.code == 0
    assert '"total": 11' in tercet("kobe", "--table", "3", "-f", "json").out


def test_every_name_of_the_catalogue_is_one(tmp_path):
    known = {entry.name for entry in entries()}
    assert {one.catalogue for one in SOURCES.values()} - {""} <= known
    needed = {
        name for paper in PAPERS for one in tables(paper).values() for need in one.needs for name in alternatives(need)
    }
    assert needed <= SOURCES.keys()


def test_an_entry_of_the_catalogue_may_hold_several_data_sets(tmp_path):
    (tmp_path / "wmt17-19" / "wmt19").mkdir(parents=True)
    assert DataSets.under(tmp_path)("wmt19") == tmp_path / "wmt17-19" / "wmt19"


def test_a_data_set_that_lacks_a_part_is_an_error_of_data(tercet, tmp_path):
    write_systems(tmp_path)
    ran = tercet("wmt19", "--table", "3", "--data", tmp_path)
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith("Error: wmt19, Table 3: There is no language pair in ")
    assert ran.err.endswith(" Is the data set complete?\n")


def test_ratings_of_the_thesis_that_are_cut_off_are_refused(tercet, tmp_path):
    folder = tmp_path / "tradopad"
    folder.mkdir()
    rows = [f"{judge}\t{item}\t1\t3\n" for judge in "ab" for item in range(1, 101)]
    for name in ("ratings.tsv", "thesis_ratings.tsv"):
        (folder / name).write_text("judge\tsegment_id\tbatch\trating\n" + "".join(rows), "utf-8")
    segments = "".join(
        f"{100 * (batch - 1) + item}\t{batch}\t{item}\t{'source' if batch == 5 else 'reference'}\tm\ts\n"
        for batch in range(1, 6)
        for item in range(1, 101)
    )
    (folder / "segments.tsv").write_text("segment_id\tbatch\tmt_id\tkind\tmt\tshown_text\n" + segments, "utf-8")
    ran = tercet("thesis", "--table", "6.2", "--data", tmp_path)
    assert (ran.code, ran.out) == (1, "")
    assert "ratings.tsv is not complete: nobody who was shown reference 2 or 3 or 4 judged all outputs." in ran.err


def test_the_folder_of_a_data_set_itself_can_be_given(tmp_path):
    write_systems(tmp_path)
    assert DataSets.under(tmp_path / "wmt19_sys")("wmt19_sys") == tmp_path / "wmt19_sys"
    assert DataSets.under(tmp_path)("wmt14") is None


@pytest.mark.parametrize(
    ("text", "value", "options", "expected"),
    [
        ("0.912", 0.91249, {}, (True, None)),
        ("0.912", 0.9126, {}, (False, None)),
        ("-.474", -0.4742, {}, (True, None)),
        ("-.474", 0.4742, {}, (False, None)),
        ("0.85", 0.8541, {}, (True, None)),
        ("0.85", 0.8541, {"decimals": 3}, (False, None)),
        ("0.300", 0.3011, {"within": 0.005}, (False, 0.005)),
        ("0.300", 0.3001, {"within": 0.005}, (True, None)),
        ("0.300", 0.3061, {"within": 0.005}, (False, None)),
        ("0.300", 0.3061, {"interval": 0.01}, (True, None)),
        ("0.300", 0.3161, {"interval": 0.01, "within": 0.02}, (False, 0.02)),
        ("0.300", 0.2899, {"interval": 0.01}, (False, None)),
        ("21862", 21862.0, {}, (True, None)),
        ("0.3", float("nan"), {"within": 1.0}, (False, None)),
    ],
)
def test_a_cell_agrees_at_the_precision_of_print(text, value, options, expected):
    cell = check("row", "column", text, value, **options)
    assert (cell.agrees, cell.within) == expected


@pytest.mark.parametrize(
    ("value", "must", "verdict", "failed"),
    [
        (0.3, True, "equal", False),
        (0.305, True, "in interval", False),
        (0.315, True, "near", False),
        (0.35, True, "different", True),
        (0.35, False, "different", False),
    ],
)
def test_a_tolerance_of_ours_makes_a_cell_near_but_not_equal(value, must, verdict, failed):
    cell = check("row", "column", "0.300", value, interval=0.01, within=0.02, must=must)
    assert (cell.verdict, cell.failed, cell.equal) == (verdict, failed, verdict == "equal")
    assert cell.agrees == (verdict in ("equal", "in interval"))


def test_half_widths_of_intervals_are_counted_apart():
    cells = [check("row", column, "0.30", 0.3) for column in ("tau", "tau_ci")]
    cells.append(check("row", "other", "0.30", 0.31, interval=0.02))
    found = Reproductions((Reproduction(cells),))
    assert [cell.verdict for cell in cells] == ["equal", "half-width", "in interval"]
    assert all(cell.agrees for cell in cells) and found[0].equal == 1
    for one in (found, found[0]):  # of a paper, and of a table
        assert {"total": 3, "equal": 1, "in_interval": 1, "half_widths": 1}.items() <= one.to_dict().items()
    assert (
        count_of(found.tables) == "1 of 3 cells round to print; 1 in the printed interval; 1 half-width of intervals."
    )


def test_what_several_tables_need_is_made_once():
    data, made = DataSets(lambda name: None), []
    assert [data.once("key", lambda: made.append(1) or "thing") for _ in range(2)] == ["thing", "thing"]
    assert len(made) == 1


def test_progress_names_every_table(paper):
    paper(made_up())
    names: list[str] = []
    reproduce("tiny", data=DataSets(lambda name: None), progress=names.append)
    assert names == ["tiny, Table 1 (1 of 3)", "tiny, Table 2 (2 of 3)", "tiny, Figure 1 (3 of 3)"]


def test_results_of_the_function_are_tables(paper, tmp_path, monkeypatch):
    paper(made_up())
    monkeypatch.setenv("TERCET_DATA", str(tmp_path / "installed"))
    found = reproduce("tiny", data=tmp_path)
    assert len(found) == 3 and found[0] is next(iter(found)) and reproduce("tiny", figure="1")[0].table == "figure 1"
    assert "<td>No scores.</td>" in found._repr_html_()
    assert repr(found) == "<Reproductions of 3 tables: 2 of 2 cells round to print>"
    assert found.to_dict()["tables"][0] == reproduce("tiny", table="1").to_dict()
    pytest.importorskip("pandas", reason="the extra 'frames' is not installed")
    frame = found.to_pandas()
    assert list(frame["row"]) == ["BLEU", "chrF", "TER", "WER"] and list(frame["reason"])[2:] == ["No scores."] * 2


def test_every_table_says_how_it_is_made_or_why_not():
    known = [one for paper in PAPERS for one in tables(paper).values()]
    assert all((one.make is None) == bool(one.reason) for one in known)
    alone = {one.expected for one in known if one.make and not one.needs and one.expected}  # their texts are printed
    assert alone == {f"thesis_t{name}" for name in ("3_5", "3_6", "4_9", "4_17", "4_18", "5_4")}
    used = [one.expected for one in known if one.expected]
    held = [path.name for path in files("tercet.tasks.reproduce").joinpath("expected").iterdir()]
    assert sorted(f"{name}.csv" for name in used) == sorted(name for name in held if name.endswith(".csv"))


def test_cells_know_their_difference():
    assert Cell("row", "column", 0.5, 0.75, False).difference == 0.25
