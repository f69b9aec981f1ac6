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
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from ..errors import DataError, UnknownName
from .field_checks import choose_pair
from .formats.names import LANGUAGES
from .judgements import Judgement, Judgements
from .names import bare_name
from .tables import Table, check_segment, number, read_table

SAME = "same as "  # `check` of an output that was judged by means of an identical one begins with this
NOT_RANKED = "-1"


def read_preferences(
    path: str | Path, *, pair: str | None = None, name: str | None = None, segments: Collection[str] | None = None
) -> Judgements:
    """Read preferences, each a ranking of two. `segments`: the names of the test set's segments, to check them."""
    stem = bare_name(path, ".tsv")
    known = re.search(r"\.(rr\b|darr)", stem)
    name = name or (known[1] if known else stem.rpartition(".")[2])
    rows: list[Judgement] = []
    for count, (place, (segment, better, worse)) in enumerate(read_table(path).records("seg", "better", "worse"), 1):
        if better == worse:
            raise DataError(f"{place}: {better!r} cannot be better than itself.")
        ranking = _Ranking(f"{name}:{count}", segment, "")
        rows += ranking.judgements([[better], [worse]], ["1", "2"], place, segments)
    return Judgements(rows, pair=pair, name=name)


def read_rankings(path: str | Path, pair: str | None = None, *, segments: Collection[str] | None = None) -> Judgements:
    """Read the rankings of one language pair from a table of several pairs (`rankings.tsv`)."""
    table = read_table(path).of_pair("lp", pair)
    timed = ("duration_s",) if "duration_s" in table.header else ()
    rows: list[Judgement] = []
    records = table.records("seg", "judge", "systems", "ranks", *timed)
    for line, (place, (segment, judge, systems, ranks, *seconds)) in zip(table.lines, records, strict=True):
        outputs, given = [output.split(",") for output in systems.split("|")], ranks.split("|")
        if len(outputs) != len(given):
            raise DataError(f"{place}: {len(given)} ranks for {len(outputs)} outputs.")
        ranking = _Ranking(f"rankings:{line}", segment, judge, number(seconds[0] if seconds else "", place))
        rows += ranking.judgements(outputs, given, place, segments)
    return Judgements(rows, pair=table.column("lp")[0], name="rankings")


def read_ranking_csv(
    path: str | Path, pair: str | None = None, *, segments: Collection[str] | None = None
) -> Judgements:
    """Read WMT's rankings of one pair, 2010 to 2016. Files are named after systems, test set and pair there."""
    table = read_table(path)
    chosen = choose_pair(_pairs(table), pair, path)
    judge = next((name for name in ("judgeId", "judgeID") if name in table.header), "")
    systems = [name for name in table.header if re.fullmatch(r"system\d+Id", name)]
    systems.sort(key=lambda name: int(re.sub(r"\D", "", name)))
    if not judge or len(systems) < 2:
        raise DataError(f"{path}, line 1: a judgeId and two systems at least are needed (system1Id, system1rank, …).")
    ranks = [f"{name.removesuffix('Id')}rank" for name in systems]
    together = ("rankingID",) if "rankingID" in table.header else ()
    records = table.records("srclang", "trglang", "srcIndex", judge, *systems, *ranks, *together)
    found: dict[str, tuple[_Ranking, dict[str, str]]] = {}
    for line, (place, (source, target, segment, rater, *rest)) in zip(table.lines, records, strict=True):
        if _csv_pair(source, target, place) != chosen:
            continue
        check_segment(segment, segments, place)
        task = f"{Path(path).name}:{rest[-1] if together else line}"
        ranking = _Ranking(task, segment, rater)
        seen, given = found.setdefault(task, (ranking, {}))
        if seen != ranking:
            raise DataError(f"{place}: ranking {rest[-1]} has another segment or judge in an earlier line.")
        for system, rank in zip(rest[: len(systems)], rest[len(systems) : 2 * len(systems)], strict=True):
            if given.setdefault(system, rank) != rank:
                raise DataError(f"{place}: {system!r} has rank {rank} here and {given[system]} before, in one ranking.")
    rows: list[Judgement] = []
    for ranking, given in found.values():
        members = [[_bare_name(part, chosen) for part in _members(system)] for system in given]
        rows += ranking.judgements(members, list(given.values()), f"{path}, {ranking.task}")
    return Judgements(rows, pair=chosen, name="rankings")


def csv_pairs(path: str | Path) -> list[str]:
    """Return the language pairs of a ranking CSV file."""
    return _pairs(read_table(path))


def _pairs(table: Table) -> list[str]:
    return sorted({_csv_pair(source, target, place) for place, (source, target) in table.records("srclang", "trglang")})


class _Ranking(NamedTuple):
    """The data that all judgements of one ranking share."""

    task: str
    segment: str
    judge: str
    seconds: float = float("nan")

    def judgements(
        self,
        outputs: Sequence[Sequence[str]],
        ranks: Sequence[str],
        place: str,
        segments: Collection[str] | None = None,
    ) -> Iterator[Judgement]:
        """Yield a judgement per output; outputs: the systems that share a text."""
        check_segment(self.segment, segments, place)
        names = [name for members in outputs for name in members]
        if not all(names):
            raise DataError(f"{place}: a system without a name.")
        if twice := next((name for name in names if names.count(name) > 1), None):
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
