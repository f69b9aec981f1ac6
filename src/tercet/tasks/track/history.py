"""The history of a system's scores, in an SQLite file or a PostgreSQL database; runs are never changed."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from math import isnan, nan
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...data.databases import begin_exclusively, now, open_engine
from ...errors import DataError, MissingDependency, UsageError
from .runs import Run, RunScore, by_signature, comparable, difference, named_texts, only_system, put_together, titles

try:
    import sqlalchemy as sql
    from sqlalchemy.exc import DBAPIError, MultipleResultsFound, NoResultFound
except ImportError:
    raise MissingDependency("A history of runs", "web") from None

if TYPE_CHECKING:
    from ...comparing import Comparison
    from ...data.scores import Scores
    from ...data.testset import TestSet
    from .drops import GateResult

VERSION = 1
LARGEST = 1 << 30  # bytes of one text
RECENT = 50  # runs of a system that are looked at to find the one before
_META = sql.MetaData()
_ABOUT = sql.Table("tercet_track_about", _META, sql.Column("version", sql.Integer, nullable=False))
_RUNS = sql.Table(
    "tercet_track_runs",
    _META,
    sql.Column("number", sql.Integer, primary_key=True, autoincrement=True),
    sql.Column("time", sql.String(40), nullable=False, index=True),
    sql.Column("system", sql.String(300), nullable=False, index=True),
    sql.Column("test_set", sql.String(300), nullable=False),
    sql.Column("pair", sql.String(40), nullable=False),
    sql.Column("segments", sql.Integer, nullable=False),
    sql.Column("tags", sql.Text, nullable=False),
    sql.Column("texts", sql.Text, nullable=False),  # checksums by role and name
    sql.Column("version", sql.String(40), nullable=False),
    sqlite_autoincrement=True,
)
_SCORES = sql.Table(
    "tercet_track_scores",
    _META,
    sql.Column("run", sql.Integer, sql.ForeignKey("tercet_track_runs.number"), primary_key=True),
    sql.Column("place", sql.Integer, primary_key=True),
    sql.Column("label", sql.String(200), nullable=False),
    sql.Column("signature", sql.Text, nullable=False),
    sql.Column("higher_is_better", sql.Boolean, nullable=True),
    sql.Column("score", sql.Float, nullable=True),  # none if it is undefined
    sql.Column("error", sql.Float, nullable=True),  # the standard error over segments
    sql.Column("before", sql.Integer, nullable=True),  # the run that `p_value` compares with
    sql.Column("p_value", sql.Float, nullable=True),
)
_ARCHIVES = sql.Table(
    "tercet_track_archives",
    _META,
    sql.Column("run", sql.Integer, sql.ForeignKey("tercet_track_runs.number"), primary_key=True),
    sql.Column("data", sql.LargeBinary, nullable=False),
)
_TEXTS = sql.Table(
    "tercet_track_texts",
    _META,
    sql.Column("checksum", sql.String(64), primary_key=True),
    sql.Column("data", sql.LargeBinary, nullable=False),
)


class History:
    """The runs in a database. Open it with `tercet.track`; several processes may write at once.

    Examples
    --------
    >>> import tercet, tempfile, pathlib
    >>> history = tercet.track(pathlib.Path(tempfile.mkdtemp(), "runs.db"))
    >>> testset = tercet.demo("en-de")
    >>> history.add(tercet.score(testset, ["chrf"]), testset, tags={"commit": "1a2b3c"})
    [1, 2, 3]
    >>> history.compare(1, 2).metric("chrf").pairs[0].difference > 0
    True
    """

    def __init__(self, engine: sql.Engine, name: str) -> None:
        self._engine, self.name = engine, name

    @classmethod
    def open(cls, url: str | Path, *, create: bool = True) -> History:
        """Open an SQLite file or a postgresql:// address. create: make a new file if there is none."""
        engine, name = open_engine(url, create=create, missing="there are no runs yet", pooled=False)
        history = cls(engine, name)
        with history._using() as connection:
            if not sql.inspect(connection).has_table(_ABOUT.name):
                begin_exclusively(connection)  # another process may make the tables meanwhile
            if not sql.inspect(connection).has_table(_ABOUT.name):
                _META.create_all(connection)
                connection.execute(_ABOUT.insert().values(version=VERSION))
            elif connection.execute(sql.select(_ABOUT.c.version)).scalar_one() > VERSION:
                raise DataError(f"{name} is of a newer Tercet. Upgrade: pip install --upgrade tercet")
        return history

    def close(self) -> None:
        self._engine.dispose()

    @contextmanager
    def _using(self) -> Iterator[sql.Connection]:
        """Connect and commit at the end. A database that is damaged or cannot be reached is a DataError."""
        try:
            with self._engine.begin() as connection:
                yield connection
        except DBAPIError as error:
            raise DataError(f"The history {self.name} cannot be used: {error.orig}".strip() + ".") from None
        except (ValueError, TypeError, NoResultFound, MultipleResultsFound, zlib.error) as error:  # in what it says
            raise DataError(f"The history {self.name} is damaged: {error}.") from None

    def add(
        self,
        scores: Sequence[Scores],
        testset: TestSet | None = None,
        *,
        system: str | None = None,
        tags: Mapping[str, str] | None = None,
        time: str | None = None,
        keep_texts: bool = False,
    ) -> list[int]:
        """Keep scores: one run per system. Return the runs' numbers.

        testset: the texts; without it runs can be compared only with runs that name the same test set.
        system: another name for the only system. tags: facts such as the commit. time: ISO 8601; by default now.
        keep_texts: keep the texts too; otherwise only their checksums.
        """
        from ...data.score_archive import pack_scores
        from ...data.testset import checksum
        from .drops import change_between, standard_error

        systems = scores[0].systems
        if system is not None and len(systems) != 1:
            raise UsageError(f"`system` names the only system, and there are {len(systems)}: {', '.join(systems)}.")
        if keep_texts and testset is None:
            raise UsageError("There are no texts to keep.")
        lines = named_texts(testset) if testset is not None else {}
        checksums = {name: checksum(text) for name, text in lines.items()}
        numbers = []
        for name in systems:  # what can be computed is computed before the transaction
            own = [only_system(item, name) for item in scores]
            counted = [item for item in own if item.counts]
            about = own[0].provenance
            run = Run(
                system=system or name, scores=(), time=_moment(time), pair=str(about.get("pair") or ""),
                test_set=str(about.get("test_set") or ""), segments=own[0].n_segments, tags=dict(tags or {}),
                texts={key: value for key, value in checksums.items() if key in ("source", f"output {name}")
                       or key.startswith("reference")}, version=str(about.get("tercet", "")),
            )  # fmt: skip
            before = self._newest_like(run) if counted else None
            old = by_signature(self.load(before)) if before else {}
            rows = []
            for item in own:
                error = standard_error(item) if item.counts else None
                row = RunScore(item.label, item.signature, item.higher_is_better, item.system[name], error)
                other = old.get(comparable(item.signature)) if item.counts else None
                if before is not None and other is not None:
                    row = replace(row, before=before.number, p_value=change_between(item, other))
                rows.append(row)
            run, archive = replace(run, scores=tuple(rows)), pack_scores(counted) if counted else None
            with self._using() as connection:
                numbers.append(self._insert(connection, run, archive))
                for key in run.texts if keep_texts else ():
                    packed = {"checksum": run.texts[key], "data": zlib.compress(json.dumps(lines[key]).encode())}
                    insert = f"INSERT INTO {_TEXTS.name} VALUES (:checksum, :data) ON CONFLICT DO NOTHING"
                    connection.execute(sql.text(insert), packed)
        return numbers

    def add_runs(self, runs: Sequence[Run]) -> list[int]:
        """Keep runs that have scores of whole systems only, such as those of other tools; all or none."""
        with self._using() as connection:
            return [self._insert(connection, replace(run, time=_moment(run.time)), None) for run in runs]

    def _insert(self, connection: sql.Connection, run: Run, archive: bytes | None) -> int:
        values = {name: getattr(run, name) for name in ("time", "system", "test_set", "pair", "segments", "version")}
        values |= {"tags": json.dumps(dict(run.tags)), "texts": json.dumps(dict(run.texts))}
        number: int = connection.execute(_RUNS.insert().values(values).returning(_RUNS.c.number)).scalar_one()
        rows = [
            vars(each) | {"run": number, "place": place, "score": None if isnan(each.score) else each.score}
            for place, each in enumerate(run.scores)
        ]
        connection.execute(_SCORES.insert(), rows)
        if archive is not None:
            connection.execute(_ARCHIVES.insert().values(run=number, data=archive))
        return number

    def runs(
        self,
        *,
        system: str | None = None,
        test_set: str | None = None,
        tags: Mapping[str, str] | None = None,
        metric: str | None = None,
    ) -> list[Run]:
        """Return the runs in order of time, or those of a system, test set or metric, and with these tags."""
        given = {"system": system, "test_set": test_set}
        found = self._chosen(*(_RUNS.c[name] == value for name, value in given.items() if value is not None))
        if metric is not None:
            found = [run for run in found if any(metric.lower() == each.label.lower() for each in run.scores)]
        wanted = (tags or {}).items()
        return [run for run in found if all(run.tags.get(name) == value for name, value in wanted)]

    def _chosen(self, *where: sql.ColumnElement[bool]) -> list[Run]:
        # Runs first: a run that is added between the two queries is not seen, instead of being seen without scores.
        columns = [each for each in _SCORES.c if each.name != "place"]
        of_these = sql.select(*columns).join(_RUNS).where(*where).order_by(_SCORES.c.run, _SCORES.c.place)
        with self._using() as connection:
            rows = connection.execute(sql.select(_RUNS).where(*where).order_by(_RUNS.c.time, _RUNS.c.number)).all()
            scores: dict[int, list[RunScore]] = {}
            for run, label, signature, higher, score, *rest in connection.execute(of_these):
                value = nan if score is None else score
                scores.setdefault(run, []).append(RunScore(label, signature, higher, value, *rest))
            return [
                Run(**row._asdict() | {"tags": json.loads(row.tags), "texts": json.loads(row.texts)},
                    scores=tuple(scores.get(row.number, ())))
                for row in rows
            ]  # fmt: skip

    def find(self, name: int | str, runs: Sequence[Run] | None = None) -> Run:
        """Return a run by its number, by TAG=VALUE, or by its system: the newest if there are several; also "last"."""
        known = self.runs() if runs is None else runs
        if not known:
            raise DataError(f"{self.name} has no runs.")
        text = str(name)
        if text == "last":
            return known[-1]
        tag, equals, value = text.partition("=")
        for run in reversed(known):
            if text == str(run.number) or text == run.system or (equals and run.tags.get(tag) == value):
                return run
        raise UsageError(
            f"{self.name} has no run {text!r}. Name one by number, system or TAG=VALUE; 'track list' lists them."
        )

    def load(self, run: Run) -> list[Scores]:
        """Return the scores of a run with their counts; none if only the system's scores were kept."""
        from ...scoring import load

        with self._using() as connection:
            query = sql.select(_ARCHIVES.c.data).where(_ARCHIVES.c.run == run.number)
            data = connection.execute(query).scalar_one_or_none()
        return [] if data is None else load(f"Run {run.number} of {self.name}", data)

    def texts(self, *runs: Run) -> TestSet | None:
        """Return the texts of runs on one test set, with an output for each; None if they were not kept."""
        from ...data.testset import TestSet

        wanted = {value for run in runs for value in run.texts.values()}
        with self._using() as connection:
            rows = connection.execute(sql.select(_TEXTS).where(_TEXTS.c.checksum.in_(wanted))).all()
            known = {row.checksum: json.loads(_unpacked(row.data)) for row in rows}
        first = runs[0]
        if not wanted or wanted - set(known) or not all(run.output for run in runs):
            return None
        given = {key: known[value] for key, value in first.given.items()}
        source = given.pop("source", None)
        references = {key.partition(" ")[2]: lines for key, lines in given.items()}
        outputs = dict(zip(titles(*runs), (known[run.output] for run in runs), strict=True))
        return TestSet(outputs, references, source, pair=first.pair or None, name=first.test_set or "unnamed")

    def joined(self, *runs: Run, metrics: Sequence[str] = ()) -> list[Scores]:
        """Return scores of runs as if scored together, by all common metrics or some; UsageError if not alike."""
        for other in runs[1:]:
            if reason := difference(runs[0], other):
                raise UsageError(f"Runs {runs[0].number} and {other.number} cannot be compared: {reason}.")
        kept = [by_signature(self.load(run)) for run in runs]
        for run, own in zip(runs, kept, strict=True):
            if not own:
                raise UsageError(f"Run {run.number} has scores of the whole system only: tests need those of segments.")
        found = [
            put_together([own[signature] for own in kept], titles(*runs))
            for signature, item in kept[0].items()
            if all(signature in own for own in kept)
            and (not metrics or {item.label.lower(), signature.lower()} & {label.lower() for label in metrics})
        ]
        if not found:
            each = "; ".join(f"run {run.number}: {', '.join(own)}" for run, own in zip(runs, kept, strict=True))
            raise UsageError(f"These runs have no {' or '.join(metrics) or 'metric'} in common. Signatures: {each}.")
        return found

    def compare(self, *runs: int | str, metrics: Sequence[str] = (), **options: Any) -> Comparison:
        """Compare runs on the same test set by paired tests. options: those of `tercet.compare`, such as baseline."""
        from ...comparing import compare_scores

        known = self.runs()
        chosen = [self.find(name, known) for name in runs]
        return compare_scores(self.joined(*chosen, metrics=metrics), testset=self.texts(*chosen), **options)

    def gate(self, run: int | str = "last", **options: object) -> GateResult:
        """Test whether a run scores worse than earlier ones; the options are those of `drops.gate`."""
        from .drops import gate

        return gate(self, run, **options)

    def _newest_like(self, run: Run) -> Run | None:
        """Return the newest run of the same system on the same texts before this one."""
        columns = [each for each in _RUNS.c if each.name not in ("tags", "version")]
        query = sql.select(*columns).where(_RUNS.c.system == run.system, _RUNS.c.segments == run.segments)
        query = query.where(_RUNS.c.time <= run.time).order_by(_RUNS.c.time.desc(), _RUNS.c.number.desc()).limit(RECENT)
        with self._using() as connection:
            for row in connection.execute(query):
                found = Run(**row._asdict() | {"texts": json.loads(row.texts)}, scores=())
                if found.material == run.material:
                    return found
        return None


def _unpacked(data: bytes) -> bytes:
    """Return what was packed, if it is not much larger than texts can be."""
    opened = zlib.decompressobj()
    found = opened.decompress(data, LARGEST)
    if opened.unconsumed_tail:
        raise zlib.error(f"texts of more than {LARGEST >> 30} GB")
    return found


def _moment(time: str | None) -> str:
    """Return a time as it is kept: UTC, in ISO 8601 with milliseconds."""
    from datetime import UTC, datetime

    if not time:
        return now()
    try:
        found = datetime.fromisoformat(time)
    except ValueError:
        raise UsageError(f"{time!r} is no time. Write it as 2026-11-19 or 2026-11-19T03:00:00+01:00.") from None
    found = found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
    return found.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def track(database: str | Path, *, create: bool = True) -> History:
    """Open a history of runs.

    Parameters
    ----------
    database : a file, or the address of a PostgreSQL database: postgresql://user@host/name.
    create : whether to make a file that does not exist.

    Returns
    -------
    History : `add` keeps scores, `runs` lists them, `compare` tests runs, `gate` warns of drops.

    Examples
    --------
    >>> import tercet, tempfile, pathlib
    >>> history = tercet.track(pathlib.Path(tempfile.mkdtemp(), "runs.db"))
    >>> history.add(tercet.score(tercet.demo("en-de"), ["chrf"]), tags={"commit": "1a2b3c"})
    [1, 2, 3]
    >>> history.runs()[0].system
    'Alder'
    """
    return History.open(database, create=create)
