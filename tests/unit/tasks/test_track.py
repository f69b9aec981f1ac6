"""Histories of runs: what is kept, which runs are compared, writers at once, killed writers."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from benchmarks import track_gate

import tercet
from tercet.data import databases
from tercet.data.scores import Scores
from tercet.errors import DataError, UsageError
from tercet.scoring import score
from tercet.tasks.track.drops import change_between, gate, paired_error
from tercet.tasks.track.history import History
from tercet.tasks.track.page import page_of
from tercet.tasks.track.runs import Run, RunScore
from tests.docs.running import run

WORDS = "the cat sat on a mat and the dog ran over lazy quick brown foxes".split()
WRITER = """
import sys
from tercet.tasks.track.history import History
from tercet.tasks.track.page import page_of
from tercet.tasks.track.runs import Run, RunScore
history = History.open(sys.argv[1])
print("ready", flush=True)
sys.stdin.readline()
for i in range(int(sys.argv[3])):
    history.add_runs([Run(sys.argv[2], tuple(RunScore(f"m{j}", f"m{j}", True, i + j) for j in range(20)))])
"""


def texts(wrong: float, seed: int, n: int = 120) -> list[str]:
    rng, fixed = np.random.default_rng(seed), np.random.default_rng(0)
    lines = [fixed.choice(WORDS, 12) for _ in range(n)]
    return [" ".join(np.where(rng.random(12) < wrong, rng.choice(WORDS, 12), line)) for line in lines]


def news(wrong: float, seed: int, reference: float = 0.0) -> tercet.TestSet:
    return tercet.TestSet({"out": texts(wrong, seed)}, {"ref": texts(reference, 99)}, name="news")


def add(history: History, wrong: float, seed: int, **about: object) -> int:
    given = news(wrong, seed)
    [number] = history.add(score(given, ["bleu", "chrf"]), given, **{"system": "nmt", **about})  # type: ignore[arg-type]
    return number


@pytest.fixture(params=["sqlite", "postgres"])
def history(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[History]:
    if request.param == "postgres":
        made = request.getfixturevalue("new_database")()
    else:
        made = str(tmp_path / "runs.db")
    opened = History.open(made)
    yield opened
    opened.close()


def test_a_run_comes_back_as_it_was_kept(history: History) -> None:
    given = news(0.3, 1)
    scores = score(given, ["bleu", "chrf"])
    history.add(scores, given, system="nmt", tags={"commit": "1a"}, time="2026-11-19T03:00:00+01:00")
    [found] = history.runs()
    assert (found.system, found.tags, found.time) == ("nmt", {"commit": "1a"}, "2026-11-19T02:00:00.000Z")
    assert [(each.label, each.score, each.signature) for each in found.scores] == [
        (item.label, item.system["out"], item.signature) for item in scores
    ]
    assert set(found.texts) == {"output out", "reference ref"}
    loaded = history.load(found)
    for one, other in zip(loaded, scores, strict=True):
        assert np.array_equal(one.counts["out"], other.counts["out"])
    assert history.texts(found) is None
    assert "the cat" not in Path(history.name).read_bytes().decode("latin-1") if history.name.endswith(".db") else True


def test_runs_of_different_days_are_tested_as_if_scored_together(history: History) -> None:
    first, second = add(history, 0.2, 1), add(history, 0.4, 2)
    both = tercet.TestSet({"a": texts(0.2, 1), "b": texts(0.4, 2)}, {"ref": texts(0.0, 99)})
    expected = tercet.compare(both, ["bleu", "chrf"])
    found = history.compare(first, second)
    for one, other in zip(found.metrics, expected.metrics, strict=True):
        assert one.pairs[0].difference == other.pairs[0].difference
        assert one.pairs[0].p_value == other.pairs[0].p_value
    assert [system.system for system in found.metrics[0].systems] == ["nmt #1", "nmt #2"]


def test_the_change_since_the_run_before_is_tested(history: History) -> None:
    add(history, 0.2, 1)
    add(history, 0.5, 2)
    [_, second] = history.runs()
    assert second.score("BLEU").before == 1
    assert (second.score("BLEU").p_value or 1) < 0.001
    pair = history.joined(*history.runs())[0]
    alone = [score(news(wrong, seed), "bleu")[0] for wrong, seed in ((0.5, 2), (0.2, 1))]
    assert second.score("BLEU").p_value == change_between(*alone)
    assert pair.systems == ("nmt #1", "nmt #2")


def test_texts_that_are_kept_come_back(history: History) -> None:
    numbers = [add(history, 0.2, 1, keep_texts=True), add(history, 0.4, 2, keep_texts=True)]
    found = history.texts(*(history.find(number) for number in numbers))
    assert found is not None
    assert list(found.outputs["nmt #2"]) == texts(0.4, 2)
    assert list(found.references["ref"]) == texts(0.0, 99)


def test_runs_that_cannot_be_compared_are_refused_with_the_reason(history: History) -> None:
    add(history, 0.2, 1)
    other = news(0.2, 1, reference=0.1)
    history.add(score(other, ["bleu"]), other)
    short = tercet.TestSet({"out": texts(0.2, 1)[:60]}, {"ref": texts(0.0, 99)[:60]})
    history.add(score(short, ["bleu"]), short)
    given = news(0.2, 1)
    history.add(score(given, ["bleu:tokenize=none"]), given)
    history.add_runs([Run("old", (RunScore("BLEU", "BLEU", True, 30.0),), segments=120)])
    for pair, reason in (
        ((1, 2), "different references"),
        ((1, 3), "120 and 60 segments"),
        ((1, 4), "no metric in common"),
        ((1, 5), "texts of one of them are unknown"),
    ):
        with pytest.raises(UsageError, match=reason):
            history.compare(*pair)
    with pytest.raises(UsageError, match="no run '77'"):
        history.compare(1, 77)


def test_two_processes_lose_no_runs(history: History, new_name: Callable[[], str]) -> None:
    each = 1000 if history.name.endswith(".db") else 200
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, new_name(), name, str(each)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        for name in ("one", "two")
    ]
    for writer in writers:
        assert writer.stdout and writer.stdin
        writer.stdout.readline()
        writer.stdin.write(b"\n")
        writer.stdin.flush()
    for writer in writers:
        writer.communicate(timeout=300)
        assert writer.returncode == 0
    found = history.runs()
    assert len(found) == 2 * each
    assert len({run.number for run in found}) == 2 * each
    assert all(len(run.scores) == 20 for run in found)


@pytest.fixture
def new_name(history: History) -> Callable[[], str]:
    """Return the address by which another process opens the same history."""
    url = history._engine.url
    return lambda: history.name if url.get_backend_name() == "sqlite" else url.render_as_string(hide_password=False)


def test_a_killed_writer_leaves_no_half_run(tmp_path: Path) -> None:
    path = tmp_path / "runs.db"
    history = History.open(path)
    for attempt in range(5):
        writer = subprocess.Popen(
            [sys.executable, "-c", WRITER, str(path), "x", "100000"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        assert writer.stdout and writer.stdin
        writer.stdout.readline()
        writer.stdin.write(b"\n")
        writer.stdin.flush()
        time.sleep(0.05 + 0.07 * attempt)
        os.kill(writer.pid, signal.SIGKILL)
        writer.wait()
        writer.stdin.close()
        writer.stdout.close()
    found = history.runs()
    assert found
    assert all(len(run.scores) == 20 for run in found)


def test_the_file_alone_has_all_runs(tmp_path: Path) -> None:
    history = History.open(tmp_path / "runs.db")
    history.add(score(news(0.3, 1), "bleu"))
    assert [path.name for path in tmp_path.iterdir()] == ["runs.db"]  # people copy this file
    assert len(history.runs()) == 1


def test_a_file_that_is_no_history_is_refused(tmp_path: Path) -> None:
    (tmp_path / "bad.db").write_bytes(b"no database" * 100)
    with pytest.raises(DataError, match=r"bad\.db cannot be used"):
        History.open(tmp_path / "bad.db")
    with pytest.raises(UsageError, match="no runs yet"):
        History.open(tmp_path / "none.db", create=False)


# --- the gate -----------------------------------------------------------------


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE tercet_track_about SET version = 'x'",
        "DELETE FROM tercet_track_about",
        "INSERT INTO tercet_track_about VALUES (1)",
    ],
)
def test_a_history_with_a_damaged_version_is_refused(tmp_path: Path, change: str) -> None:
    History.open(tmp_path / "runs.db").close()
    with closing(sqlite3.connect(tmp_path / "runs.db")) as connection:
        connection.execute(change)
        connection.commit()
    with pytest.raises(DataError, match="runs.db is damaged"):
        History.open(tmp_path / "runs.db")


def test_damage_that_sqlite_quotes_in_a_message_that_is_no_text_is_an_error() -> None:
    class Damaged:
        def execute(self, _: str) -> None:
            b"\xb5".decode()

    with pytest.raises(sqlite3.DatabaseError, match="malformed database schema"):
        databases._prepare_sqlite(Damaged(), None)


def test_the_jackknife_of_a_mean_is_its_standard_error() -> None:
    found = score(news(0.3, 1), "sentbleu")[0]
    values = found.segment["out"]
    assert paired_error(found)[1] == pytest.approx(values.std(ddof=1) / np.sqrt(len(values)), rel=1e-9)


def test_the_gate_finds_a_drop_and_names_it(tmp_path: Path) -> None:
    history = History.open(tmp_path / "runs.db")
    for seed in range(8):
        add(history, 0.3, seed)
        assert not history.gate().failed
    for seed in (20, 21, 22):
        add(history, 0.5, seed)
    found = history.gate()
    assert found.failed
    assert {test.window for test in found.tests} == {1, 3, 7}
    failed = next(test for test in found.tests if test.failed and test.window == 3)
    assert "the last 3 runs together are worse than the 8 runs from 1 to 8" in failed.message
    assert failed.level == pytest.approx(0.05 / 365 / 2 / 4)  # two metrics, three windows and the run before
    for against in ("last", "best", 1, "nmt"):
        assert history.gate(9, against=against).tests
    assert not history.gate(margin=60.0).failed
    assert not history.gate(1).tests  # the first run has nothing before it


def test_a_drop_is_found_where_most_outputs_stay_the_same(tmp_path: Path) -> None:
    history = History.open(tmp_path / "runs.db")
    lines = texts(0.3, 1)
    for night in range(6):
        lines = [
            new if i % 10 == night else old for i, (old, new) in enumerate(zip(lines, texts(0.3, night), strict=True))
        ]
        given = tercet.TestSet({"out": lines}, {"ref": texts(0.0, 99)}, name="news")
        history.add(score(given, ["chrf"]), given, system="nmt")
    worse = [new if i % 6 == 0 else old for i, (old, new) in enumerate(zip(lines, texts(0.95, 7), strict=True))]
    given = tercet.TestSet({"out": worse}, {"ref": texts(0.0, 99)}, name="news")
    history.add(score(given, ["chrf"]), given, system="nmt")
    failed = {test.against: test.failed for test in history.gate().tests}
    assert failed == {"the 6 runs from 1 to 6": False, "the 4 runs from 1 to 4": False, "run 6": True}


def test_the_best_of_many_runs_costs_level(tmp_path: Path) -> None:
    history = History.open(tmp_path / "runs.db")
    for seed in range(5):
        add(history, 0.3, seed)
    [bleu, _] = history.gate(against="best").tests
    assert bleu.level == pytest.approx(0.05 / 365 / 2 / 4)
    assert "the best of 4" in bleu.against


def test_equal_outputs_are_no_drop(tmp_path: Path) -> None:
    history = History.open(tmp_path / "runs.db")
    for _ in range(3):
        add(history, 0.3, 1)
    assert [test.p_value for test in history.gate().tests] == [1.0] * 4


class Nights:
    """A history in memory: what `gate` asks of one."""

    def __init__(self, like: Scores, counts: np.ndarray) -> None:
        self.like, self.counts = like, counts
        row = RunScore(like.label, like.signature, True, 0.0)
        self.known = [Run("nmt", (row,), f"{i:04}", segments=len(each), number=i) for i, each in enumerate(counts, 1)]

    def runs(self, **_: object) -> list[Run]:
        return self.known

    def find(self, name: int, runs: object = None) -> Run:
        return self.known[name - 1]

    def load(self, run: Run) -> list[Scores]:
        return [replace(self.like, counts={"": self.counts[run.number - 1]}, totals={})]

    def joined(self, run: Run, metrics: object = ()) -> list[Scores]:
        return self.load(run)


def test_the_simulated_gate_is_that_of_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("SEGMENTS", 80), ("CLEAN", 33), ("POOL", 4), ("BAD", 0.6)):
        monkeypatch.setattr(track_gate, name, value)
    like, good, bad = track_gate.pools("chrf")
    seen: set[bool] = set()
    for seed, kept in ((1, 0.0), (2, 0.9)):
        nights = track_gate.year(good, bad, 0.5, seed, kept=kept, drop=True)[:37]
        history = Nights(like, nights)
        verdicts = [gate(history, night + 1).failed for night in range(1, 37)]  # type: ignore[arg-type]
        assert track_gate.alarms(like, nights) == [night for night, failed in enumerate(verdicts, 1) if failed]
        seen |= set(verdicts)
    assert seen == {True, False}


# --- the commands -------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, wrong, seed in (("ref.txt", 0.0, 99), ("a.txt", 0.2, 1), ("b.txt", 0.6, 2)):
        (tmp_path / name).write_text("\n".join(texts(wrong, seed)) + "\n", "utf-8")
    return tmp_path


def test_the_commands_from_scoring_to_the_gate(folder: Path) -> None:
    first = run(
        ["score", "ref.txt", "-i", "a.txt", "-m", "chrf", "--track", "r.db", "--system", "nmt", "--tag", "v=1"],
        folder=folder,
    )
    assert (first.code, "Added run 1 to r.db." in first.err) == (0, True)
    run(
        ["score", "ref.txt", "-i", "b.txt", "-m", "chrf", "--track", "r.db", "--system", "nmt", "--keep-texts"],
        folder=folder,
    )
    assert run(["track", "list", "r.db", "--tag", "v=1", "-f", "tsv"], folder=folder).out.count("\n") == 2
    assert "chrF2|nrefs:1" in run(["track", "show", "r.db", "--run", "v=1"], folder=folder).out
    compared = run(["track", "compare", "r.db", "1", "2"], folder=folder)
    assert (compared.code, "A is better" in compared.out) == (0, True)
    gated = run(["track", "gate", "r.db"], folder=folder)
    assert (gated.code, "Failed: chrF2: the run is worse than run 1" in gated.err) == (3, True)
    assert run(["track", "gate", "r.db", "--run", "1"], folder=folder).code == 0
    wrong = run(["score", "ref.txt", "-i", "a.txt", "--tag", "v=1"], folder=folder)
    assert (wrong.code, "goes with --track" in wrong.err) == (2, True)


def test_files_of_other_tools_become_runs_and_runs_such_files(folder: Path) -> None:
    sacrebleu = {"name": "BLEU", "score": 31.5, "signature": "nrefs:1|case:mixed", "confidence_var": 1.0}
    (folder / "s.json").write_text(json.dumps(sacrebleu))
    (folder / "many.json").write_text(
        json.dumps([{"system": "x", "BLEU": "30.1 (μ = 30.2 ± 1.0)"}, {"system": "y", "BLEU": 29}])
    )
    (folder / "comet.json").write_text(
        json.dumps({"out.txt": [{"src": "a", "mt": "b", "COMET": 0.5}, {"src": "a", "mt": "c", "COMET": 0.7}]})
    )
    (folder / "wmt.sys.score").write_text("chrF\ten-de\tnews\tsysA\t0.55\nchrF\ten-de\tnews\tsysB\t0.45\n")
    (folder / "mlflow.csv").write_text(
        "Start Time,Run ID,Name,metrics.bleu,metrics.ter,params.lr\n"
        "1763500000000,q1,nmt,30.5,55,0.1\n1763600000000,q2,nmt,31,,0.2\n"
    )
    (folder / "wandb.csv").write_text("Name,State,eval/bleu,eval/chrf\nrun-a,finished,30,55.5\nrun-b,finished,31,56\n")
    run(["score", "ref.txt", "-i", "a.txt", "-m", "bleu", "--save", "s.npz"], folder=folder)
    for command in (
        ["add", "r.db", "s.json", "many.json", "-t", "news"],
        ["add", "r.db", "comet.json"],
        ["add", "r.db", "wmt.sys.score", "-t", "news", "-l", "en-de"],
        ["add", "r.db", "s.npz", "--system", "saved", "--tag", "a=b"],
        ["import", "r.db", "mlflow.csv", "wandb.csv"],
    ):
        ran = run(["track", *command], folder=folder)
        assert ran.code == 0, ran.err
    runs = json.loads(run(["track", "list", "r.db", "-f", "json"], folder=folder).out)
    known = {(each["system"], score["label"]): score["score"] for each in runs for score in each["scores"]}
    assert known["s", "BLEU"] == 31.5
    assert (known["x", "BLEU"], known["y", "BLEU"]) == (30.1, 29.0)
    assert known["out", "COMET"] == pytest.approx(0.6)
    assert (known["sysA", "chrF"], known["run-b", "eval/chrf"], known["nmt", "bleu"]) == (0.55, 56, 31)
    mlflow = [each for each in runs if each["system"] == "nmt"]
    assert mlflow[0]["tags"]["lr"] == "0.1"
    assert mlflow[0]["time"] == "2025-11-18T21:06:40.000Z"
    assert [score["higher_is_better"] for score in mlflow[0]["scores"]] == [True, False]
    (folder / "back.csv").write_text(run(["track", "export", "r.db"], folder=folder).out)
    assert run(["track", "import", "again.db", "back.csv"], folder=folder).code == 0
    again = json.loads(run(["track", "list", "again.db", "-f", "json"], folder=folder).out)
    assert [(each["system"], each["time"], each["tags"]) for each in again] == [
        (each["system"], each["time"], each["tags"]) for each in runs
    ]
    (folder / "back.json").write_text(
        run(["track", "export", "r.db", "--as", "sacrebleu", "--system", "x"], folder=folder).out
    )
    assert run(["track", "add", "third.db", "back.json"], folder=folder).code == 0
    comet = json.loads(run(["track", "export", "r.db", "--as", "comet", "--system", "saved"], folder=folder).out)
    assert len(comet["saved"]) == 120
    assert (
        run(["track", "export", "r.db", "--as", "wmt", "--system", "sysB"], folder=folder).out
        == "chrF\ten-de\tnews\tsysB\t0.45\n"
    )


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("Name,metrics.bleu\nx,30\ny,bad\n", "line 3: metrics.bleu is no number"),
        ("Name,note\nx,y\n", "no column with a number"),
        ("metrics.bleu\n30\n", "no column with the system's name"),
        ("Name,metrics.bleu\n", "has no rows"),
        ("Name,metrics.bleu,time\nx,30\n", "line 2: 2 fields, but the header has 3"),
        ("Name,metrics.bleu\nx,30,40\n", "line 2: 3 fields, but the header has 2"),
        ("Name,Name,metrics.bleu\nx,y,30\n", "two columns are called 'Name'"),
        ("Name,metrics.bleu,time\nx,30,99999999999999999999\n", "'99999999999999999999' is no time"),
    ],
)
def test_a_wrong_table_adds_nothing(folder: Path, table: str, message: str) -> None:
    (folder / "t.csv").write_text(table)
    ran = run(["track", "import", "r.db", "t.csv"], folder=folder)
    assert ran.code in (1, 2)
    assert message in ran.err
    assert run(["track", "list", "r.db", "-f", "json"], folder=folder).out.strip() == "[]"


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        ("[" * 100_000, "nested too deeply"),
        ('{"name": "BLEU", "score": 1, "higher_is_better": "yes"}', "higher_is_better of BLEU must be true, false"),
        ('{"name": "BLEU", "score": Infinity}', "Infinity is not a number"),
    ],
)
def test_wrong_json_of_scores_adds_nothing(folder: Path, scores: str, message: str) -> None:
    (folder / "s.json").write_text(scores)
    ran = run(["track", "add", "r.db", "s.json"], folder=folder)
    assert ran.code == 1
    assert message in ran.err
    assert run(["track", "list", "r.db", "-f", "json"], folder=folder).out.strip() == "[]"


def test_a_long_field_of_a_table_is_read(folder: Path) -> None:
    (folder / "t.csv").write_text(f"Name,metrics.bleu,note\nx,30,{'y' * 200_000}\n")
    assert run(["track", "import", "r.db", "t.csv"], folder=folder).code == 0


def test_the_page_has_all_runs_and_says_first_what_changed(tmp_path: Path) -> None:
    database = str(tmp_path / "runs.db")
    history = History.open(database)
    add(history, 0.2, 1)
    first = page_of(history.runs(), "runs.db")
    assert "is the first of its system" in first and "<title>History of runs.db</title>" in first
    add(history, 0.2, 1, keep_texts=True)
    assert "does not differ significantly from run 1 by BLEU or chrF2." in page_of(history.runs(), "runs.db")
    add(history, 0.6, 3, keep_texts=True, tags={"commit": "<b>"})
    history.close()
    done = run(["track", "page", database, "--reports", str(tmp_path / "reports"), "-o", str(tmp_path / "page.html")])
    assert done.code == 0, done.err
    page = (tmp_path / "page.html").read_text("utf-8")
    assert "differs significantly (5 %, each test by itself) from run 2 by BLEU (" in page and "<b>" not in page
    assert [path.name for path in (tmp_path / "reports").iterdir()] == ["2-3.html"]
    assert run(["track", "page", database, "--system", "nobody"]).code == 1
