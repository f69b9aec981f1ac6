"""Where counting runs must not matter: one process, a pool, a cluster that loses a worker, a cache that was cut off."""

import json
import os
import pickle
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

from tercet import TestSet, clusters, engine, score, scoring, workers
from tercet.clusters import WorkerDied
from tercet.count_cache import Cache
from tercet.errors import DataError, MissingDependency, NotParallel, TercetError, UnknownName, UsageError
from tercet.metrics import MeanMetric, Metric, Ready, create

WORDS = "the cat dog sat ran on under a mat house quickly and then slept again".split()


def make_testset(segments: int = 300, systems: int = 3, seed: int = 1) -> TestSet:
    rng = np.random.default_rng(seed)

    def text() -> str:
        return " ".join(rng.choice(WORDS, size=rng.integers(0, 12)))

    reference = [text() for _ in range(segments)]
    outputs = {f"system {s}": [line if rng.random() < 0.5 else text() for line in reference] for s in range(systems)}
    return TestSet(outputs, {"one": reference, "two": [text() for _ in reference]})


def ready(testset: TestSet, *metrics: str | Metric) -> list[Ready]:
    return scoring.make_ready(testset, metrics)


def watching(counted: list[Any], original: Callable[..., Any], what: str | None = None) -> Callable[..., Any]:
    """Return a `count_unit` that keeps the shards that it counts, or one of their attributes."""

    def count_unit(wanted: Any, shard: TestSet, *metrics: Any) -> Any:
        counted.append(shard if what is None else getattr(shard, what))
        return original(wanted, shard, *metrics)

    return count_unit


@pytest.fixture
def small_shards(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "SHARD", 32)
    monkeypatch.setattr(scoring, "SHARD", 32)


def results(testset: TestSet, **options: object) -> list[tuple[dict[str, float], dict[str, list[float]]]]:
    found = score(testset, ["bleu", "chrf:word_order=2", "chrf:variant=original"], **options)  # type: ignore[arg-type]
    return [(dict(item.system), {name: list(values) for name, values in item.segment.items()}) for item in found]


def test_a_pool_gives_the_same_numbers_to_the_last_bit(small_shards: None) -> None:
    testset = make_testset()
    assert results(testset, jobs=2) == results(testset)


def test_a_dead_worker_process_is_reported_with_what_to_do(small_shards: None) -> None:
    with engine.open_executor(2) as pool:
        assert pool is not None
        pool.submit(os.getpid).result()
        with pytest.raises(WorkerDied, match="with `cache`"):
            for process in list(pool._processes.values()):  # type: ignore[attr-defined]
                os.kill(process.pid, signal.SIGKILL)
            list(engine.count(make_testset(), ready(make_testset(), "bleu"), executor=pool))


def test_a_negative_number_of_jobs_is_refused() -> None:
    with pytest.raises(UsageError, match="jobs must be 0"), engine.open_executor(-1):
        pass


def test_a_cache_serves_a_second_run_and_ignores_damaged_files(
    small_shards: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    testset = make_testset(100, 2)
    expected = results(testset, cache=tmp_path)
    files = sorted(tmp_path.glob("*.counts"))
    assert len(files) == 2 * (2 * 4 + 1)  # two systems: four shards for each of two metrics, one whole for the third
    files[0].write_bytes(b"cut off")
    counted = []
    original = engine.count_unit
    monkeypatch.setattr(engine, "count_unit", watching(counted, original, "systems"))
    assert results(testset, cache=tmp_path) == expected
    assert len(counted) == 1
    assert "damaged" in caplog.text


def test_the_cache_key_tells_texts_parameters_and_versions_apart(tmp_path: Path) -> None:
    store = Cache(tmp_path)
    a = TestSet({"x": ["ab", "c"]}, {"r": ["d", "e"]})
    b = TestSet({"x": ["a", "bc"]}, {"r": ["d", "e"]})
    c = TestSet({"x": ["ab", "c"]}, {"r": ["d", None], "q": ["f", "e"]})
    specs = ("bleu", "bleu:lowercase=true", "chrf")
    keys = {store.path(store.header(metric, t, t.outputs["x"])) for t in (a, b, c) for metric in ready(t, *specs)}
    assert len(keys) == 9


@pytest.mark.parametrize(
    "error",
    [
        UsageError("misuse"),
        DataError("bad data"),
        UnknownName("metric", "blue", ["bleu"]),
        NotParallel("set", [("a", 1), ("b", 2)]),
        MissingDependency("Japanese", "ja"),
        WorkerDied("gone"),
    ],
)
def test_errors_come_back_from_a_worker_as_they_were_raised(error: TercetError) -> None:
    back = pickle.loads(pickle.dumps(error))
    assert (type(back), str(back), back.exit_code) == (type(error), str(error), error.exit_code)


def test_an_error_in_a_worker_is_the_users_error_not_a_dead_worker() -> None:
    testset = make_testset(5)
    with engine.open_executor(2) as pool, pytest.raises(UsageError, match="nist"):
        list(engine.count(testset, [create("nist").ready()], executor=pool))  # it has learnt nothing


def test_systems_share_the_preparation_of_references(small_shards: None, monkeypatch: pytest.MonkeyPatch) -> None:
    counted: list[tuple[str, ...]] = []
    original = engine.count_unit
    monkeypatch.setattr(engine, "count_unit", watching(counted, original, "systems"))
    with ThreadPoolExecutor(2) as pool:
        list(engine.count(make_testset(), ready(make_testset(), "bleu"), executor=pool))
    assert set(counted) == {("system 0", "system 1", "system 2")}
    counted.clear()
    with ThreadPoolExecutor(2) as pool:  # one shard alone: systems are counted apart, to keep workers busy
        list(engine.count(make_testset(20), ready(make_testset(20), "bleu"), executor=pool))
    assert sorted(len(systems) for systems in counted) == [1, 1, 1]


def test_a_killed_run_goes_on_from_its_cache(small_shards: None, tmp_path: Path) -> None:
    testset = make_testset()

    class Killed(Exception):
        pass

    def stop(done: int, total: int | None) -> None:
        if done == 7:
            raise Killed

    with pytest.raises(Killed):
        results(testset, cache=tmp_path, progress=stop)
    done = len(list(tmp_path.glob("*.counts")))
    assert done >= 7 * len(testset.systems)
    assert not list(tmp_path.glob("*.part"))
    assert results(testset, cache=tmp_path) == results(testset)


@pytest.mark.xdist_group("cluster")
@pytest.mark.filterwarnings("ignore")  # distributed is noisy about the worker that we kill
def test_a_cluster_that_loses_a_worker_gives_the_same_numbers(small_shards: None) -> None:
    distributed = pytest.importorskip("distributed", reason="the extra tercet[cluster] is not installed")
    testset = make_testset()
    expected = results(testset)
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50
    ) as cluster:
        victim = next(iter(cluster.workers.values())).process.process.pid
        killed = []

        def kill_one(done: int, total: int | None) -> None:
            if done == 2:
                os.kill(victim, signal.SIGKILL)
                killed.append(victim)

        assert results(testset, cluster=cluster.scheduler_address, progress=kill_one) == expected
        assert killed


def slow_down(counted: Path) -> None:
    """Have this worker sleep before each unit, and note that it had one."""
    count_unit = engine.count_unit

    def slow(*arguments: Any) -> Any:
        with counted.open("a") as file:
            file.write("unit\n")
        time.sleep(1)
        return count_unit(*arguments)

    engine.count_unit = slow


@pytest.mark.xdist_group("cluster")
@pytest.mark.filterwarnings("ignore")
def test_a_slow_worker_holds_up_its_own_units_only(small_shards: None, tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed", reason="the extra tercet[cluster] is not installed")
    testset = make_testset()
    expected, units = results(testset), []
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50
    ) as cluster:
        with distributed.Client(cluster) as client:
            client.run(slow_down, tmp_path / "slow", workers=[next(iter(client.ncores()))])
        found = results(testset, cluster=cluster.scheduler_address, progress=lambda *done: units.append(done))
    assert found == expected
    assert 0 < len((tmp_path / "slow").read_text().split()) < units[-1][1] / 3


@pytest.mark.xdist_group("cluster")
@pytest.mark.filterwarnings("ignore")  # distributed is noisy about a scheduler that is gone
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGSTOP])
def test_a_scheduler_that_vanishes_ends_the_run_and_keeps_what_is_finished(
    how: signal.Signals, small_shards: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("distributed", reason="the extra tercet[cluster] is not installed")
    monkeypatch.setattr(clusters, "ANSWER", 1.0)
    monkeypatch.setattr(workers, "WATCH", 0.2)
    file = tmp_path / "scheduler.json"
    words = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0"]
    scheduler = subprocess.Popen([*words, "--no-dashboard", "--scheduler-file", str(file)], stderr=subprocess.DEVNULL)
    worker = None
    try:
        while not file.exists():
            assert scheduler.poll() is None
            time.sleep(0.05)
        address = json.loads(file.read_text())["address"]
        words = [sys.executable, "-m", "distributed.cli.dask_worker", address, "--nthreads", "1", "--no-nanny"]
        worker = subprocess.Popen([*words, "--no-dashboard"], stderr=subprocess.DEVNULL, cwd=tmp_path)

        def vanish(done: int, total: int | None) -> None:
            if done == 2:
                scheduler.send_signal(how)

        with pytest.raises(WorkerDied, match="does not answer any more|the cluster died"):
            results(make_testset(3000), cluster=address, cache=tmp_path / "cache", progress=vanish)
        assert len(list((tmp_path / "cache").glob("*.counts"))) >= 2
    finally:
        for process in (scheduler, worker):
            if process is not None:
                process.kill()
                process.wait()


def test_an_address_without_a_cluster_is_a_usage_error(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed", reason="the extra tercet[cluster] is not installed")
    with pytest.raises(UsageError, match="No cluster answers at tcp://127.0.0.1:9"):
        score(make_testset(5), ["bleu"], cluster="tcp://127.0.0.1:9")


@dataclass(frozen=True)
class Slow(MeanMetric):
    """The share of words that outputs and references have in common: a metric that asks for small units of work."""

    paper: ClassVar[str] = "None (2024), A metric for a test"
    segments_per_unit: ClassVar[int | None] = 10

    def score_segment(self, output: str, references: Sequence[str], source: None) -> float:
        words = set(output.split())
        return max(len(words & set(text.split())) / (1 + len(set(text.split()))) for text in references) / 3


@dataclass(frozen=True)
class Undivided(Slow):
    """The same without the wish."""

    segments_per_unit: ClassVar[int | None] = None


def slow_results(testset: TestSet, metric: Metric, **options: Any) -> list[Any]:
    (found,) = score(testset, [metric], **options)
    return [dict(found.system), {name: values.tolist() for name, values in found.counts.items()}]


def test_slow_metrics_are_cut_by_segments_and_give_the_same_to_the_last_bit(small_shards: None, tmp_path: Path) -> None:
    testset = make_testset()
    expected = slow_results(testset, Undivided())
    assert slow_results(testset, Slow()) == expected
    assert slow_results(testset, Slow(), jobs=2) == expected
    assert slow_results(testset, Slow(), jobs=2, cache=tmp_path) == expected
    assert slow_results(testset, Slow(), cache=tmp_path) == expected
    # Three systems; nine shards of 32 in four units each and a shard of 12 in two; equal outputs of two segments share.
    assert 3 * 9 * 3 < len(list(tmp_path.glob("*.counts"))) <= 3 * (9 * 4 + 2)


def test_units_of_slow_metrics_have_all_systems_and_each_segment_once(
    small_shards: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted: list[TestSet] = []
    original = engine.count_unit
    monkeypatch.setattr(engine, "count_unit", watching(counted, original))
    testset, steps = make_testset(70), []
    found = list(engine.count(testset, ready(testset, Slow(), "bleu"), progress=lambda *step: steps.append(step)))
    assert [(index, len(shard)) for index, shard, _ in found] == [(0, 32), (1, 32), (0, 32), (1, 32), (0, 6), (1, 6)]
    assert steps == [(done, 12) for done in range(1, 13)]
    assert [len(unit) for unit in counted] == [10, 10, 10, 2, 32, 10, 10, 10, 2, 32, 6, 6]
    counted.clear()
    with ThreadPoolExecutor(1) as pool:
        list(engine.count(testset, ready(testset, Slow()), executor=pool))
    assert {unit.systems for unit in counted} == {testset.systems} and max(map(len, counted)) <= 10
    assert [text for unit in counted for text in unit.outputs["system 1"]] == list(testset.outputs["system 1"])


def test_a_small_test_set_keeps_several_workers_busy_with_a_slow_metric(monkeypatch: pytest.MonkeyPatch) -> None:
    counted: list[TestSet] = []
    original = engine.count_unit
    monkeypatch.setattr(engine, "count_unit", watching(counted, original))
    monkeypatch.setattr(Slow, "segments_per_unit", 256)
    with ThreadPoolExecutor(2) as pool:
        list(engine.count(make_testset(300), ready(make_testset(300), Slow()), executor=pool))
    assert (
        len(counted) >= 8
        and max(map(len, counted)) <= 64
        and {unit.systems for unit in counted} == {("system 0", "system 1", "system 2")}
    )


def test_a_killed_run_of_a_slow_metric_goes_on_from_its_last_unit(small_shards: None, tmp_path: Path) -> None:
    testset = make_testset(30)

    def stop(done: int, total: int | None) -> None:
        assert total == 3
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        slow_results(testset, Slow(), cache=tmp_path, progress=stop)
    assert len(list(tmp_path.glob("*.counts"))) == 2 * 3
    assert slow_results(testset, Slow(), cache=tmp_path) == slow_results(testset, Undivided())


def test_a_metric_that_must_see_the_whole_is_not_cut() -> None:
    @dataclass(frozen=True)
    class Whole(Slow):
        """Needs its neighbours."""

        @property
        def whole(self) -> bool:
            return True

    testset = make_testset(70)
    assert [len(shard) for _, shard, _ in engine.count(testset, ready(testset, Whole()))] == [70]


@pytest.mark.xdist_group("cluster")
@pytest.mark.filterwarnings("ignore")
def test_a_worker_with_another_version_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    distributed = pytest.importorskip("distributed", reason="the extra tercet[cluster] is not installed")
    (tmp_path / "older.py").write_text("import tercet\ntercet.__version__ = '0.1.9'\n")
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50
    ) as cluster:
        address = cluster.scheduler_address
        assert results(make_testset(50), cluster=address) == results(make_testset(50))
        words = [sys.executable, "-m", "distributed.cli.dask_worker", address, "--nthreads", "1", "--no-nanny"]
        words += ["--no-dashboard", "--preload", str(tmp_path / "older.py")]
        worker = subprocess.Popen(words, stderr=subprocess.DEVNULL, cwd=tmp_path)
        try:
            with distributed.Client(address) as client:
                client.wait_for_workers(2, timeout=60)
            with pytest.raises(UsageError, match=r"The worker tcp://\S+ has Tercet 0.1.9, and this computer"):
                results(make_testset(50), cluster=address)
            monkeypatch.setattr(clusters, "_check_versions", lambda *_: None)  # as if it joined later
            cluster.scale(0)
            with pytest.raises(UsageError, match="has Tercet 0.1.9"):
                results(make_testset(50), cluster=address)
        finally:
            worker.kill()
            worker.wait()
