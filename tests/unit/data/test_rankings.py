"""Rankings and preferences: tables, and the CSV files of WMT's own."""

import gzip
import math
from itertools import combinations
from pathlib import Path

import pytest

from tercet.data.formats.names import short_pair
from tercet.data.judgements import Judgements
from tercet.data.rankings import csv_pairs, read_preferences, read_ranking_csv, read_rankings
from tercet.errors import DataError, UnknownName, UsageError

FIVE = (
    "srclang,trglang,srcIndex,documentId,segmentId,judgeId,system1Number,system1Id,system2Number,system2Id,"
    "system3Number,system3Id,system4Number,system4Id,system5Number,system5Id,"
    "system1rank,system2rank,system3rank,system4rank,system5rank"
)
TWO = "srclang,trglang,srcIndex,segmentId,judgeID,system1Id,system1rank,system2Id,system2rank,rankingID"


def write(path: Path, *lines: str) -> Path:
    text = "".join(f"{line}\n" for line in lines).encode()
    path.write_bytes(gzip.compress(text) if path.suffix == ".gz" else text)
    return path


def ranked(judgements: Judgements) -> list[tuple[str, str, str, float]]:
    return [(row.task, row.segment, row.system, row.value) for row in judgements.rows]


def test_a_preference_is_a_ranking_of_two(tmp_path: Path) -> None:
    path = write(tmp_path / "de-en.darr.tsv.gz", "seg\tbetter\tworse", "7\tx\ty", "7\tx\ty")
    judgements = read_preferences(path, pair="de-en")
    assert (judgements.name, judgements.pair) == ("darr", "de-en")
    assert ranked(judgements) == [
        ("darr:1", "7", "x", 1), ("darr:1", "7", "y", 2), ("darr:2", "7", "x", 1), ("darr:2", "7", "y", 2),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ("9\tx\ty", "line 2: there is no segment '9' in the test set, which has 2"),
        ("1\tx\tx", "line 2: 'x' cannot be better than itself"),
        ("1\tx\t", "line 2: a system without a name"),
        ("1\tx", "line 2: 2 tab-separated fields, but line 1 has 3"),
    ],
)
def test_a_bad_preference_is_refused_with_its_line(tmp_path: Path, row: str, problem: str) -> None:
    path = write(tmp_path / "de-en.rr.tsv", "seg\tbetter\tworse", row)
    with pytest.raises(DataError, match=problem):
        read_preferences(path, segments={"1", "2"})


HEADER = "lp\tseg\tjudge\tduration_s\tsystems\tranks"


def test_rankings_of_one_pair_with_judge_time_and_ties(tmp_path: Path) -> None:
    path = write(tmp_path / "rankings.tsv", HEADER, "de-en\t3\tann\t12.5\ta|b|c\t1|1|2", "en-de\t3\tbob\t1\ta|b\t1|2")
    judgements = read_rankings(path, "de-en")
    assert ranked(judgements) == [
        ("rankings:2", "3", "a", 1), ("rankings:2", "3", "b", 1), ("rankings:2", "3", "c", 2),
    ]  # fmt: skip
    assert {(row.rater, row.seconds) for row in judgements.rows} == {("ann", 12.5)}
    assert judgements.pair == "de-en"


def test_an_output_without_a_rank_is_not_judged(tmp_path: Path) -> None:
    path = write(tmp_path / "rankings.tsv", "lp\tseg\tjudge\tsystems\tranks", "de-en\t3\tann\ta|b|c\t1|-1|2")
    judgements = read_rankings(path)
    assert judgements.systems == ("a", "c")
    assert all(math.isnan(row.seconds) for row in judgements.rows)


def test_systems_with_the_same_text_share_the_rank_and_say_so(tmp_path: Path) -> None:
    path = write(tmp_path / "rankings.tsv", HEADER, "de-en\t3\tann\t5\ta,b|c\t2|1")
    rows = read_rankings(path).rows
    assert [(row.system, row.value, row.check) for row in rows] == [("a", 2, ""), ("b", 2, "same as a"), ("c", 1, "")]
    assert len({row.task for row in rows}) == 1


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ("de-en\t3\tann\t5\ta|b\t1", "line 2: 1 ranks for 2 outputs"),
        ("de-en\t3\tann\t5\ta|a\t1|2", "line 2: 'a' occurs twice in one ranking"),
        ("de-en\t3\tann\t5\ta|b\t1|0", "line 2: rank '0' must be 1, 2, 3, … or -1"),
        ("de-en\t3\tann\t5\ta|b\t1|x", "line 2: rank 'x' must be"),
        ("de-en\t3\tann\tsoon\ta|b\t1|2", "line 2: 'soon' is not a number"),
        ("de-en\t4\tann\t5\ta|b\t1|2", "line 2: there is no segment '4'"),
    ],
)
def test_a_bad_ranking_is_refused_with_its_line(tmp_path: Path, row: str, problem: str) -> None:
    with pytest.raises(DataError, match=problem):
        read_rankings(write(tmp_path / "rankings.tsv", HEADER, row), "de-en", segments={"3"})


def test_a_table_of_several_pairs_needs_one_named(tmp_path: Path) -> None:
    path = write(tmp_path / "rankings.tsv", HEADER, "de-en\t3\tann\t5\ta|b\t1|2", "fr-en\t3\tann\t5\ta|b\t1|2")
    with pytest.raises(UsageError, match=r"several language pairs\. Choose one: de-en, fr-en"):
        read_rankings(path)
    with pytest.raises(UnknownName, match="called 'cs-en'"):
        read_rankings(path, "cs-en")


def test_the_csv_with_five_outputs_per_row(tmp_path: Path) -> None:
    systems = [f"newstest2013.fr-en.{name}" for name in ("cu-zeman.2738", "online-B", "JHU.1", "KIT_p.2", "ref.3")]
    named = ",".join(f"-1,{system}" for system in systems)
    path = write(tmp_path / "wmt13.csv", FIVE, f"French,English,2484,-1,2484,turker_64,{named},2,-1,5,3,1")
    judgements = read_ranking_csv(path)
    assert judgements.pair == "fr-en"
    assert [(row.system, row.value, row.rater, row.segment) for row in judgements.rows] == [
        (name, rank, "turker_64", "2484")
        for name, rank in (("cu-zeman.2738", 2), ("JHU.1", 5), ("KIT_p.2", 3), ("ref.3", 1))
    ]


def pairs_of(task: str, ranks: dict[str, int]) -> list[str]:
    return [
        f"fre,eng,453,453,judge39,{a},{ranks[a]},{b},{ranks[b]},{task}" for a, b in combinations(ranks, 2)
    ]  # all pairs of a ranking, as xml2csv.py of WMT15 writes them


def test_rows_of_one_ranking_become_one_task(tmp_path: Path) -> None:
    ranks = {f"newsdiscusstest2015.{name}.fr-en.txt": rank for name, rank in (("a.1", 2), ("b-c.0", 1), ("d_e.3", 2))}
    path = write(tmp_path / "wmt15.fre-eng.csv", TWO, *pairs_of("382", ranks), *pairs_of("383", ranks))
    judgements = read_ranking_csv(path, "fr-en")
    assert [row.system for row in judgements.rows] == ["a.1", "b-c.0", "d_e.3"] * 2
    assert [row.value for row in judgements.rows] == [2, 1, 2] * 2
    assert len(judgements.codes("task")[0]) == 2
    assert csv_pairs(path) == ["fr-en"]


def test_collapsed_systems_are_told_apart(tmp_path: Path) -> None:
    ranks = {"newstest2016.a+b.1.fr-en+newstest2016.c.2.fr-en": 1, "newstest2016.d.3.fr-en": 2}
    rows = read_ranking_csv(write(tmp_path / "x.csv", TWO, *pairs_of("1", ranks))).rows
    assert [(row.system, row.value, row.check) for row in rows] == [
        ("a+b.1", 1, ""), ("c.2", 1, "same as a+b.1"), ("d.3", 2, ""),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("lines", "error", "problem"),
    [
        ([TWO, "fre,eng,1,1,j,a,1,b,2,7", "fre,eng,1,1,j,a,2,c,2,7"], DataError, "line 3: 'a' has rank 2 here and 1"),
        ([TWO, "fre,eng,1,1,j,a,1,b,2,7", "fre,eng,2,2,j,a,1,c,2,7"], DataError, "line 3: ranking 7 has another"),
        ([TWO, "fre,eng,1,1,j,a,1,b,2"], DataError, "line 2: 9 fields, but line 1 has 10"),
        ([TWO, "fre,xxx,1,1,j,a,1,b,2,7"], UnknownName, "line 2 called 'xxx'"),
        ([TWO], DataError, "a header but no rows"),
        (["a,b", "1,2"], DataError, "no column 'srclang'"),
    ],
)  # fmt: skip
def test_a_bad_csv_is_refused(tmp_path: Path, lines: list[str], error: type[Exception], problem: str) -> None:
    with pytest.raises(error, match=problem):
        read_ranking_csv(write(tmp_path / "x.csv", *lines))


def test_pairs_in_three_letters() -> None:
    assert [short_pair(pair) for pair in ("fre-eng", "deu-cze", "km-en")] == ["fr-en", "de-cs", "km-en"]


@pytest.mark.parametrize("rank", ["0", "00", "1.5", "", "٣", "9" * 5000])
def test_ranks_are_whole_numbers_from_1(tmp_path: Path, rank: str) -> None:
    path = write(tmp_path / "rankings.tsv", "lp\tseg\tjudge\tsystems\tranks", f"en-de\t1\tj\ta|b\t1|{rank}")
    with pytest.raises(DataError, match=r"line 2: rank .{0,42} must be 1, 2, 3, … or -1"):
        read_rankings(path)
