"""Read relative rankings: several outputs of a segment ranked by one person, ties allowed (Bojar et al., 2014).

There are three forms. A ranking of two outputs is a preference.

- `PAIR.rr.tsv`, `PAIR.darr.tsv`: seg, better, worse: one preference per row; other columns are ignored.
- `rankings.tsv`: lp, seg, judge, [duration_s], systems (a|b|c), ranks (1|3|2; -1: not ranked, so no judgement).
- the CSV files of WMT's own exports, with five outputs per row (until 2014) or two (2015, 2016).

**Systems with the same text.** From 2015 on, WMT showed a text once for all systems that had produced it ("a,b"; "a+b"
in its collapsed CSV files). Each of these systems gets the rank here; all but the first have "same as FIRST" in
`check`. In WMT15's and WMT16's exports every member of a group counts, and pairs within a group count as ties (ranking
382 of wmt15.fre-eng.csv has all 21 pairs of its 7 systems, although 3 texts were shown). The pairs of all rows of a
task are therefore those of the export; the pairs of rows without `check` are the rater's own decisions (the "collapsed"
export).
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from ..errors import DataError, UnknownName
from .field_checks import choose_pair
from .formats.names import LANGUAGES
from .judgements import Judgement, Judgements
from .lines import read_lines
from .tables import Table, csv_rows, number, read_table

SAME = "same as "  # `check` of an output that was judged by means of an identical one begins with this
NOT_RANKED = "-1"


def read_preferences(
    path: str | Path, *, pair: str | None = None, name: str | None = None, segments: Collection[str] | None = None
) -> Judgements:
    """Read preferences, each a ranking of two. `segments`: the names of the test set's segments, to check them."""
    table = read_table(path)
    name = name or Path(path).name.removesuffix(".gz").removesuffix(".tsv").rpartition(".")[2]
    rows = []
    for count, (place, (segment, better, worse)) in enumerate(table.records("seg", "better", "worse"), 1):
        check_segment(segment, segments, place)
        if better == worse:
            raise DataError(f"{place}: {better!r} cannot be better than itself.")
        _check_names((better, worse), place)
        rows += [Judgement("rank", segment, better, 1, task=f"{name}:{count}")]
        rows += [Judgement("rank", segment, worse, 2, task=f"{name}:{count}")]
    return Judgements(rows, pair=pair, name=name)


def read_rankings(path: str | Path, pair: str | None = None, *, segments: Collection[str] | None = None) -> Judgements:
    """Read the rankings of one language pair from a table of several pairs (`rankings.tsv`)."""
    table = of_pair(read_table(path), "lp", pair)
    timed = ("duration_s",) if "duration_s" in table.header else ()
    rows: list[Judgement] = []
    for line, (place, (segment, judge, systems, ranks, *seconds)) in zip(
        table.lines, table.records("seg", "judge", "systems", "ranks", *timed), strict=True
    ):
        check_segment(segment, segments, place)
        outputs, given = systems.split("|"), ranks.split("|")
        if len(outputs) != len(given):
            raise DataError(f"{place}: {len(given)} ranks for {len(outputs)} outputs.")
        ranking = _Ranking(f"rankings:{line}", segment, judge, number(seconds[0] if seconds else "", place))
        rows += ranking.judgements([output.split(",") for output in outputs], given, place)
    return Judgements(rows, pair=table.rows[0][table.header.index("lp")], name="rankings")


def read_ranking_csv(
    path: str | Path, pair: str | None = None, *, segments: Collection[str] | None = None
) -> Judgements:
    """Read the rankings of one language pair from a CSV file of WMT's own, 2010 to 2016.

    Outputs have the names of their files there ("newstest2015.online-B.0.fr-en.txt"). The test set, the pair and the
    ending are removed, so that the names agree with those of the outputs ("online-B.0").
    """
    table = _csv_table(path)
    present = csv_pairs(path, table)
    chosen = choose_pair(present, pair, path)
    judge = next((name for name in ("judgeId", "judgeID") if name in table.header), "")
    systems = sorted((name for name in table.header if re.fullmatch(r"system\d+Id", name)), key=_digits)
    ranks = [f"{name.removesuffix('Id')}rank" for name in systems]
    if not judge or len(systems) < 2:
        raise DataError(f"{path}, line 1: a judgeId and two systems at least are needed (system1Id, system1rank, …).")
    width = len(systems)
    together = ("rankingID",) if "rankingID" in table.header else ()
    names = ("srclang", "trglang", "srcIndex", judge, *systems, *ranks, *together)
    found: dict[str, tuple[_Ranking, dict[str, str], dict[str, list[str]]]] = {}
    for line, (place, fields) in zip(table.lines, table.records(*names), strict=True):
        if _csv_pair(fields[0], fields[1], place) != chosen:
            continue
        check_segment(fields[2], segments, place)
        task = f"{Path(path).name}:{fields[-1] if together else line}"
        ranking = _Ranking(task, fields[2], fields[3])
        seen, given, members = found.setdefault(task, (ranking, {}, {}))
        if seen != ranking:
            raise DataError(f"{place}: ranking {fields[-1]} has another segment or judge in an earlier line.")
        for system, rank in zip(fields[4 : 4 + width], fields[4 + width : 4 + 2 * width], strict=True):
            if given.setdefault(system, rank) != rank:
                raise DataError(f"{place}: {system!r} has rank {rank} here and {given[system]} before, in one ranking.")
            members[system] = [_bare_name(part, chosen) for part in _members(system)]
    rows = [
        row
        for ranking, given, members in found.values()
        for row in ranking.judgements(list(members.values()), list(given.values()), f"{path}, {ranking.task}")
    ]
    return Judgements(rows, pair=chosen, name="rankings")


def csv_pairs(path: str | Path, table: Table | None = None) -> list[str]:
    """Return the language pairs of a ranking CSV file."""
    table = table or _csv_table(path)
    return sorted({_csv_pair(source, target, place) for place, (source, target) in table.records("srclang", "trglang")})


def is_ranking_csv(header: str) -> bool:
    """Return whether the first line of a file is that of WMT's ranking CSV."""
    names = header.split(",")
    return {"srclang", "trglang", "srcIndex", "system1Id", "system1rank"} <= set(names)


def of_pair(table: Table, column: str, pair: str | None) -> Table:
    """Return the rows of one language pair; None selects the only one."""
    present = list(dict.fromkeys(table.column(column)))
    chosen = choose_pair(present, pair, table.path)
    return table if len(present) == 1 else table.where(column, chosen)


def check_segment(segment: str, segments: Collection[str] | None, place: str) -> None:
    """Raise DataError for a segment that the test set does not have."""
    if segments is not None and segment not in segments:
        raise DataError(
            f"{place}: there is no segment {segment!r} in the test set, which has {len(segments)}. "
            "Is this the file of another test set?"
        )


class _Ranking(NamedTuple):
    """The data that all judgements of one ranking share."""

    task: str
    segment: str
    judge: str
    seconds: float = float("nan")

    def judgements(self, outputs: Sequence[Sequence[str]], ranks: Sequence[str], place: str) -> Iterator[Judgement]:
        names = [name for members in outputs for name in members]
        _check_names(names, place)
        if len(set(names)) != len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise DataError(f"{place}: {twice!r} occurs twice in one ranking.")
        for members, rank in zip(outputs, ranks, strict=True):
            if rank == NOT_RANKED:
                continue
            if not re.fullmatch("0*[1-9][0-9]{0,8}", rank):
                raise DataError(f"{place}: rank {rank[:40]!r} must be 1, 2, 3, … or -1 for an output not ranked.")
            for count, name in enumerate(members):
                same = f"{SAME}{members[0]}" if count else ""
                yield Judgement(
                    "rank", self.segment, name, int(rank), self.judge, self.task, seconds=self.seconds, check=same
                )


def _check_names(names: Iterable[str], place: str) -> None:
    if not all(names):
        raise DataError(f"{place}: a system without a name.")


def _csv_table(path: str | Path) -> Table:
    lines = read_lines(path)
    if not lines or not is_ranking_csv(lines[0]):
        raise DataError(f"{path}, line 1: not the header of WMT's ranking CSV (srclang,trglang,srcIndex,…).")
    rows = csv_rows(lines, path)
    for line, row in enumerate(rows, 1):
        if len(row) != len(rows[0]):
            raise DataError(f"{path}, line {line}: {len(row)} fields, but line 1 has {len(rows[0])}.")
    if len(rows) == 1:
        raise DataError(f"{path} has a header but no rankings.")
    return Table(Path(path), rows[0], rows[1:])


def _csv_pair(source: str, target: str, place: str) -> str:
    for language in (source, target):
        if language not in LANGUAGES:
            raise UnknownName(f"language in {place}", language, LANGUAGES)
    return f"{LANGUAGES[source]}-{LANGUAGES[target]}"


def _members(system: str) -> list[str]:
    """Split names of systems that share a text: "newstest2015.a+newstest2015.b". A plus may be part of a name."""
    testset, dot, _ = system.partition(".")
    return re.split(rf"[+,](?={re.escape(testset)}\.)", system) if dot else [system]


def _bare_name(system: str, pair: str) -> str:
    pattern = rf"(?:[a-z]+test[A-Z]?\d{{4}}\.)?(?:{pair}\.)?(?P<name>.+?)(?:\.{pair})?(?:\.txt)?"
    match = re.fullmatch(pattern, system)
    return match["name"] if match else system


def _digits(name: str) -> int:
    return int(re.sub(r"\D", "", name))
