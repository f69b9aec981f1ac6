"""Numbers that follow from other printed numbers, and what does not fit within the papers."""

from tercet import reproduce
from tercet.metrics import create
from tercet.metrics.bases.members import find_members
from tercet.tasks.reproduce.derived import derived_cells
from tercet.tasks.reproduce.printed import printed
from tercet.tasks.reproduce.sources import DataSets
from tercet.tasks.reproduce.tables import ABSENT, CONTRADICTIONS, PAPERS, tables, why_absent


def different(expected):
    return {(cell.row, cell.column): round(cell.recomputed, 3) for cell in derived_cells(expected) if not cell.agrees}


def test_means_sums_and_percentages_are_those_of_the_printed_numbers():
    cells = {(cell.row, cell.column): cell for cell in derived_cells("thesis_t4_13")}
    assert cells["Total Aligned", "UPF-Cobalt_n"].recomputed == 610743 and len(cells) == 16
    assert all(cell.agrees for cell in cells.values())
    (mean,) = (cell for cell in derived_cells("kobe_t4") if cell.row == "KoBE")
    assert mean.agrees and round(mean.recomputed, 3) == 0.926
    assert all(cell.agrees for cell in derived_cells("thesis_t3_7"))  # weighted by the sentences of Table 3.8


def test_each_printed_number_has_one_row():
    found = reproduce("thesis", data=DataSets(lambda source: None))
    rows = [row for row in found.rows() if row["table"] == "A.1"]
    printed_numbers = list(printed("thesis_tA_1").numbers())
    assert len(rows) == len({(row["row"], row["column"]) for row in rows}) == len(printed_numbers)
    derived = [row for row in rows if row["reason"] == "It follows from other printed numbers."]
    assert len(derived) == 34 and {row["verdict"] for row in derived} == {"equal", "half-width", "near"}


def test_a_mean_may_differ_by_rounding_but_not_by_more():
    for paper in PAPERS:
        for one in tables(paper).values():
            if one.expected and one.expected not in ("thesis_t4_10", "thesis_tA_2"):
                assert {cell.verdict for cell in derived_cells(one.expected)} <= {"equal", "half-width", "near"}, (
                    one.expected
                )


def test_the_averages_of_wmt16_contradict_the_appendix():
    assert different("thesis_t4_10") == {
        ("BLEU", "WMT16"): 0.291, ("ChrF3", "WMT16"): 0.365, ("DPMFcomb", "WMT16"): 0.416
    }  # fmt: skip


def test_contradictions_that_printed_numbers_show_are_there():
    found = {(one["paper"], one["where"]): one for one in CONTRADICTIONS}
    assert len(found) == len(CONTRADICTIONS) == 13 and {one["paper"] for one in CONTRADICTIONS} <= PAPERS.keys()
    systems = sum(int(n) for name in ("wmt19_t3", "wmt19_t4", "wmt19_t5") for n in printed(name).cells["n"].values())
    assert systems == 225 and "225" in found["wmt19", "section 2.2"]["found"]
    assert printed("wmt19_t3").cells["YiSi-2_srl"]["zh-en"] == "0.947"
    assert printed("wmt19_t4").cells["YiSi-2_srl"]["en-de"] == "0.936"
    averages = [printed(f"thesis_tA_{n}").cells["UPF-Cobalt"]["Average"] for n in (2, 6)]
    assert averages == [".422", ".423"]
    assert printed("thesis_t4_12").cells["BLEU"]["cs-en"] != printed("thesis_t5_3").cells["BLEU"]["cs-en_DA_r"]
    one, other = printed("thesis_t4_21").cells["UPF-Cobalt"], printed("thesis_tA_9").cells["upf-cobalt"]
    assert list(one.values()) != list(other.values())
    counts = [printed(f"kobe_t{n}").cells for n in (5, 6, 7)]
    sentences, with_entities = (
        sum(int(text) for cells in counts for text in cells[row].values())
        for row in ("sentence count", "source sentences with entities")
    )
    assert (sentences, sentences - with_entities) == (29390, 2374)


def test_tables_that_repeat_others_are_equal():
    """Table A.3 of the thesis has the numbers of Table 4 of WMT14, 4.12 those of A.8, and so on."""
    four, three = printed("wmt14_t4").cells, printed("thesis_tA_3").cells
    names = {"BLEUNRC": "BLEU_NRC"}
    same = [
        three[row][column] == four[names.get(row, row)][column]
        for row in three
        if row != "UPF-Cobalt"
        for column in three[row]
    ]
    assert len(same) == 216 and all(same)
    assert printed("thesis_t4_12").cells == printed("thesis_tA_8").cells


def test_rows_that_are_not_built_say_what_they_need_under_every_spelling():
    spelled = {"DPMFcomb", "DPMFComb", "DPMFCOMB", "UoW-ReVal", "UOW-REVAL", "RATATOUILLE"}
    every = [one.expected for paper in PAPERS for one in tables(paper).values() if one.expected]
    rows = {row for name in every for row in printed(name).cells}
    assert spelled <= rows
    assert all(why_absent(row).startswith("Not built") for row in spelled)
    assert why_absent("Metrics-F") == why_absent("MPEDA") == ABSENT["other"]
    known = {why_absent(row) for row in rows}
    assert set(ABSENT.values()) == known  # each belongs to a row of a table


def test_what_is_said_of_learning_absent_metrics_can_be_done():
    assert [member.spec for member in find_members(["sentbleu", "meteor", "cobalt"])] == [
        "sentbleu",
        "meteor",
        "cobalt",
    ]
    parts = create("cobalt_f:of=comp,model=none").feature_names()
    assert sum(name.startswith("adequacy_") for name in parts) == 48
