"""Test the database of answers, on SQLite and, if it is installed, on PostgreSQL."""

import random
import shlex
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("sqlalchemy", reason="the extra tercet[web] is not installed")

from tercet.errors import DataError, UsageError
from tercet.human import storage
from tercet.human.answers import judgements_of
from tercet.human.campaign import Campaign, Item, Output, Rater, hashed
from tercet.human.storage import Store, default_database

CAMPAIGN = Campaign(
    "storage",
    "adequacy",
    [Item(id, "1", (Output(system, "x"),), source="y") for id, system in (("a", "s1"), ("b", "s2"))],
    [Rater("anna", ("a", "b"), token_hash=hashed("anna's token")), Rater("ben", ("a",))],
    id="c1",
)
NASTY = ["'; DROP TABLE tercet_answers; --", 'x" OR 1=1', "🐈 ẹ́", "a\\b", "%s %(x)s :y ?"]


@pytest.fixture(params=["sqlite", "postgresql"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    if request.param == "sqlite":
        target: str | Path = tmp_path / "answers.db"
    else:
        target = request.getfixturevalue("postgres")
    opened = Store.open(target, CAMPAIGN)
    yield opened
    if request.param == "postgresql":
        storage._META.drop_all(opened._engine)
    opened.close()


def put(store: Store, request: str, value: int, *, rater: str = "anna", item: str = "a") -> storage.Appended:
    return store.append(request=request, rater=rater, item=item, answer={"value": value}, seconds=1.5)


def test_every_answer_and_every_change_is_a_row_and_the_last_counts(store: Store) -> None:
    put(store, "r1", 3)
    put(store, "r2", 5, item="b")
    put(store, "r3", 4)
    rows = list(store.rows())
    assert [(row.item, row.answer["value"], row.seconds) for row in rows] == [
        ("a", 3, 1.5),
        ("b", 5, 1.5),
        ("a", 4, 1.5),
    ]
    assert store.latest("anna") == {"a": {"value": 4}, "b": {"value": 5}}
    assert store.latest("ben") == {}
    assert rows[0].when.endswith("Z") and len(rows[0].when) == 24
    judgements = judgements_of(CAMPAIGN, store.rows())
    assert [(row.system, row.value) for row in judgements.rows] == [("s2", 5), ("s1", 4)]


def test_a_rater_who_changes_an_answer_for_ever_does_not_fill_the_disk(store: Store) -> None:
    put(store, "other", 7, item="b")
    for turn in range(storage.MOST_REVISIONS + 10):
        put(store, f"r{turn}", turn % 5)
    rows = list(store.records())
    assert len(rows) == storage.MOST_REVISIONS + 1
    assert rows[-1].request == f"r{storage.MOST_REVISIONS + 9}" and rows[1].request == "r10"
    assert store.latest("anna")["b"] == {"value": 7}


def test_the_same_request_twice_is_one_row(store: Store) -> None:
    first, second = put(store, "r1", 3), put(store, "r1", 3)
    assert (first.again, second.again) == (False, True)
    assert first.number == second.number == store.last_number()
    assert len(list(store.rows())) == 1


def test_a_request_number_of_another_answer_is_an_error(store: Store) -> None:
    put(store, "r1", 3)
    for other in ({"rater": "ben"}, {"item": "b"}, {"value": 4}):
        with pytest.raises(DataError, match="used before for another answer"):
            put(store, "r1", **{"value": 3, **other})
    assert len(list(store.rows())) == 1


def test_texts_that_look_like_sql_are_only_texts(store: Store) -> None:
    for number, text in enumerate(NASTY):
        store.append(request=f"{number}{text}", rater=text, item=text[:100], answer={"value": text}, seconds=0,
                     client_time=text[:40], client_version=text[:40])  # fmt: skip
    assert [(row.rater, row.answer["value"], row.client_version) for row in store.records()] == [
        (t, t, t) for t in NASTY
    ]
    assert store.latest(NASTY[1]) == {NASTY[1]: {"value": NASTY[1]}}
    store.issue("anna", NASTY[0])
    assert store.tokens(CAMPAIGN)[NASTY[0]] == "anna"


def test_many_threads_lose_and_double_nothing(store: Store) -> None:
    def work(name: int) -> None:
        for turn in range(20):
            put(store, f"{name}-{turn}", 1, item=f"i{name}")
            put(store, f"{name}-{turn}", 1, item=f"i{name}")  # as after a lost reply
            put(store, f"all-{turn}", 1)  # two tabs with the same queue

    threads = [threading.Thread(target=work, args=(name,)) for name in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    requests = [record.request for record in store.records()]
    assert len(requests) == len(set(requests)) == 6 * 20 + 20


def test_valid_tokens_are_those_of_the_campaign_and_issued_ones_minus_revoked_ones(store: Store) -> None:
    old = hashed("anna's token")
    assert store.tokens(CAMPAIGN) == {old: "anna"}
    store.issue("ben", "n" * 64)
    store.revoke("anna", [old])
    store.issue("nobody", "m" * 64)  # a rater who left the campaign
    assert store.tokens(CAMPAIGN) == {"n" * 64: "ben"}
    store.issue("anna", old)
    assert store.tokens(CAMPAIGN) == {"n" * 64: "ben"}  # a revoked token stays revoked
    renewed = replace(CAMPAIGN, raters=[replace(CAMPAIGN.raters[0], token_hash="f" * 64)])
    assert store.tokens(renewed) == {"f" * 64: "anna"}


def test_a_database_belongs_to_its_campaign(store: Store) -> None:
    other = replace(CAMPAIGN, id="c2")
    target = store._engine.url.render_as_string(hide_password=False)
    with pytest.raises(DataError, match=r"holds the answers of another campaign \('c1', not 'c2'\)"):
        Store.open(target, other)


def test_tables_of_a_newer_version_are_refused(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(storage, "VERSION", 0)
    with pytest.raises(DataError, match="has version 1, from a newer Tercet; this one reads up to version 0"):
        Store.open(store._engine.url.render_as_string(hide_password=False), CAMPAIGN)


def test_an_interrupted_creation_of_the_database_is_completed(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "a.db") as connection:
        connection.execute("CREATE TABLE tercet_about (version INTEGER NOT NULL, campaign VARCHAR(100) NOT NULL)")
    connection.close()
    store = Store.open(tmp_path / "a.db", CAMPAIGN)
    assert put(store, "r1", 3).number == 1
    store.close()


def test_invalid_databases_are_errors(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("this is not a database, but a text that is long enough to be looked at\n" * 20)
    for url, message in [
        (tmp_path, "the database must be a file in an existing folder"),
        (tmp_path / "no" / "x.db", "the database must be a file in an existing folder"),
        (tmp_path / "text", "cannot be used: file is not a database"),
        ("nonsense://x/y", "a database must be an SQLite file or a postgresql"),
        ("postgresql://user:geheim@127.0.0.1:1/x", "cannot be used"),
        ("://", "must have the form"),
    ]:
        with pytest.raises(UsageError, match=message) as caught:
            Store.open(url, CAMPAIGN)
        assert "geheim" not in str(caught.value)
    with pytest.raises(UsageError, match="there are no answers yet"):
        Store.open(tmp_path / "none.db", CAMPAIGN, create=False)
    assert not (tmp_path / "none.db").exists()


def test_an_answer_is_on_the_disk_when_append_returns(tmp_path: Path) -> None:
    code = (
        "import os, sys; from pathlib import Path; sys.path.insert(0, sys.argv[2])\n"
        "from tests.unit.human.test_storage import CAMPAIGN, put; from tercet.human.storage import Store\n"
        "store = Store.open(Path(sys.argv[1]), CAMPAIGN)\n"
        "for n in range(5): put(store, f'r{n}', 1)\n"
        "os.kill(os.getpid(), 9)"
    )
    root = str(Path(__file__).parents[3])
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path / "a.db"), root], check=False)
    assert done.returncode == -9
    with sqlite3.connect(tmp_path / "a.db") as connection:
        assert connection.execute("SELECT count(*) FROM tercet_answers").fetchone() == (5,)
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    connection.close()


def test_the_default_database_is_beside_the_campaign() -> None:
    assert default_database("x/campaign.json") == Path("x/campaign.answers.db")
    assert default_database("y") == Path("y.answers.db")


@pytest.mark.parametrize("seed", range(12))
def test_a_damaged_database_is_an_error_and_no_crash(tmp_path: Path, seed: int) -> None:
    path = tmp_path / "answers.db"
    store = Store.open(path, CAMPAIGN)
    for number in range(40):
        put(store, f"r{number}", 1 + number % 4)
    store.close()
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    rng = random.Random(seed)
    content = bytearray(path.read_bytes())
    for _ in range(200):
        content[rng.randrange(100 if seed else 0, len(content))] = rng.randrange(256)
    path.write_bytes(content)
    with pytest.raises((DataError, UsageError), match="database|answer"):
        judgements_of(CAMPAIGN, Store.open(path, CAMPAIGN, create=False).rows())


def test_a_damaged_database_is_not_copied(tmp_path: Path) -> None:
    path = tmp_path / "answers.db"
    store = Store.open(path, CAMPAIGN)
    for number in range(200):
        put(store, f"r{number}", 1 + number % 4)
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    content = path.read_bytes()
    store.close()
    path.write_bytes(content[:8192] + bytes(len(content) - 8192))
    with pytest.raises(DataError, match=r"answers\.db cannot be read: .*malformed"):
        Store.open(path, CAMPAIGN, create=False).backup(tmp_path / "copy.db")


@pytest.mark.parametrize(
    ("column", "value"), [("answer", "{"), ("answer", "3"), ("answer", "[" * 10**5), ("seconds", "x"), ("rater", 7)]
)
def test_an_answer_that_is_none_is_an_error(tmp_path: Path, column: str, value: object) -> None:
    path = tmp_path / "answers.db"
    store = Store.open(path, CAMPAIGN)
    put(store, "r1", 1)
    with sqlite3.connect(path) as connection:
        connection.execute(f"UPDATE tercet_answers SET {column} = ?", (value,))
    with pytest.raises(DataError, match=r"answers\.db is damaged|answer 1"):
        judgements_of(CAMPAIGN, store.rows())


def test_a_backup_of_postgresql_is_the_command_that_makes_it(
    new_database: Callable[[], str], postgres_home: Path, tmp_path: Path
) -> None:
    """The command of the message copies the answers of this campaign, and no other, into another database."""
    address, target, file = new_database(), new_database(), tmp_path / "copy of it.dump"
    for shared in (False, True):
        campaign = replace(CAMPAIGN, id=f"c{shared}")
        store = Store.open(address, campaign, shared=shared)
        put(store, "r1", 3 + shared)
        with pytest.raises(UsageError, match="PostgreSQL copies its databases itself") as caught:
            store.backup(file)
        store.close()
    [line, _] = str(caught.value).splitlines()
    program, *words = shlex.split(line.partition("running: ")[2])
    assert program == "pg_dump" and "geheim" not in line
    subprocess.run([postgres_home / program, *words], check=True)
    restore = [postgres_home / "pg_restore", f"--dbname={target}", str(file)]
    subprocess.run(restore, check=True)
    copy = Store.open(target, replace(CAMPAIGN, id="cTrue"), create=False)
    assert [row.answer for row in copy.rows()] == [{"value": 4}]
    copy.close()
    store = Store.open(address.replace("tercet@", "tercet:geheim@"), replace(CAMPAIGN, id="cFalse"))
    with pytest.raises(UsageError) as caught:
        store.backup(file)
    store.close()
    assert "geheim" not in str(caught.value) and "--schema" not in str(caught.value)


def test_the_time_of_the_last_answer_by_rater_and_item(store: Store) -> None:
    put(store, "r1", 3)
    put(store, "r2", 4)
    put(store, "r3", 4, item="b")
    judged = store.judged()
    times = [record.server_time for record in store.records()]
    assert judged == {"anna": {"a": times[1], "b": times[2]}}
