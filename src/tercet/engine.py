"""Where counting runs: here, in a process pool, or on a cluster; any `concurrent.futures.Executor`.

A unit of work is some metrics and a shard; its results are arrays of counts, and counts add. Shards have a fixed size
wherever they are counted, so that sums are the same to the last bit; where a metric is slow (`segments_per_unit`) units
are parts of a shard, whose counts are put together before they are summed. Metrics that share work (`shares`) are in
one unit. With a cache, finished counts are kept, and a run that was killed continues where it stopped.
"""

from __future__ import annotations

import gc
import logging
import os
import sys
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .data.stream import TextFiles
from .data.testset import TestSet
from .errors import UsageError
from .metrics import Ready, Shard
from .metrics._ready import reporting_faults
from .types import Floats

if TYPE_CHECKING:
    from concurrent.futures import Executor, Future

    from .count_cache import Cache
    from .workers import Warnings

log = logging.getLogger(__name__)

MAX_JOBS = 512  # processes that are started at once
SHARD = 4096  # segments
IN_FLIGHT = 4  # shards a worker may be ahead of what is collected: bounds the memory of a stream
KEPT = 31 << 20  # bytes; glibc takes no notice of blocks above 32 MB
FEWEST_ROWS = 8  # segments of slow metrics that are not divided among workers
Progress = Callable[[int, int | None], None]


@contextmanager
def open_executor(
    jobs: int = 1, cluster: str | None = None, executor: Executor | None = None
) -> Iterator[Executor | None]:
    """Return the executor for a number of jobs or a Dask cluster; None for one job. One that is open stays open."""
    if executor is not None:
        yield executor
        return
    if cluster is not None:
        from .clusters import open_cluster

        with open_cluster(cluster) as executor:
            yield executor
        return
    if not isinstance(jobs, int) or not 0 <= jobs <= MAX_JOBS:
        raise UsageError(f"jobs must be 0 (all cores) or a number up to {MAX_JOBS}, not {jobs!r}.")
    if jobs == 1:
        yield None
        return
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor

    # forkserver: a fork of a process with threads (BLAS has some) may hang.
    methods = multiprocessing.get_all_start_methods()
    context = multiprocessing.get_context("forkserver" if "forkserver" in methods else "spawn")
    begin: dict[str, Any] = {"initializer": _begin_worker, "initargs": (gc.get_threshold(),)}
    with ProcessPoolExecutor(jobs or os.cpu_count(), mp_context=context, **begin) as pool:
        try:
            yield pool
        except BaseException:
            # Workers under way would outlive the command: nobody waits for what they count.
            workers = list((pool._processes or {}).values())
            pool.shutdown(wait=False, cancel_futures=True)
            for worker in workers:
                worker.terminate()
            raise


def _begin_worker(collected: tuple[int, int, int]) -> None:
    """Ignore Ctrl-C in a worker: it ends when its parent says so. collected: the parent's thresholds of garbage."""
    import signal

    gc.set_threshold(*collected)
    signal.signal(signal.SIGINT, signal.SIG_IGN)


LARGE = 1 << 16  # bytes of a pickled metric that are sent once per process, not with every unit


class Parcel(NamedTuple):
    """A pickled metric in a file, which every worker process reads once."""

    path: str


class _Shipping:
    """How metrics reach workers: here as they are, in a pool by a file if they are large, on a cluster once."""

    def __init__(self, executor: Executor | None) -> None:
        self.executor = executor
        self.folder: Any = None
        self.sent: dict[int, Any] = {}

    def send(self, metric: Ready) -> object:
        if id(metric) not in self.sent:
            self.sent[id(metric)] = self._send(metric)
        return self.sent[id(metric)]

    def _send(self, metric: Ready) -> object:
        import pickle
        from concurrent.futures import ProcessPoolExecutor
        from tempfile import TemporaryDirectory

        client = getattr(self.executor, "_client", None)  # of Dask
        if client is not None:
            return client.scatter(metric, broadcast=True, hash=False)
        data = pickle.dumps(metric) if isinstance(self.executor, ProcessPoolExecutor) else b""
        if len(data) < LARGE:
            return metric
        self.folder = self.folder or TemporaryDirectory(prefix="tercet-")
        path = Path(self.folder.name, str(len(self.sent)))
        path.write_bytes(data)
        return Parcel(str(path))

    def close(self) -> None:
        if self.folder:
            self.folder.cleanup()


@lru_cache(maxsize=8)
def _received(path: str) -> Ready:
    """Read a parcel of our own run; each has a path of its own."""
    import pickle

    found: Ready = pickle.loads(Path(path).read_bytes())
    return found


@lru_cache(maxsize=1)
def _keep_memory() -> None:
    """Make the C library keep freed memory for the next shard: it returns blocks above twice the largest freed one."""
    np.empty(KEPT, dtype=np.uint8)


def count_unit(
    wanted: Sequence[Sequence[str]], shard: TestSet, cache: Path | None, *metrics: Ready | Parcel
) -> list[dict[str, Floats]]:
    """Count a shard by some metrics, each for the systems wanted of it. Runs anywhere."""
    _keep_memory()
    texts = Shard(shard, cache=cache)
    counts = []
    for systems, metric in zip(wanted, metrics, strict=True):
        ready = _received(metric.path) if isinstance(metric, Parcel) else metric
        with reporting_faults(ready.metric, "counted"):
            counts.append(ready.count(texts.only(systems)) if systems else {})
    return counts


def count(
    testset: TestSet | TextFiles, metrics: Sequence[Ready], *, executor: Executor | None = None,
    cache: str | Path | None = None, progress: Progress | None = None,
) -> Iterator[tuple[int, TestSet, dict[str, Floats]]]:  # fmt: skip
    """Count a test set or stream: yield (index of the metric, shard, counts by system), shards in order."""
    store = None
    if cache is not None:
        from .count_cache import Cache

        store = Cache(cache)
    # Units that run at once; for an executor that does not say, a guess that keeps a cluster busy.
    workers = 1 if executor is None else int(getattr(executor, "_max_workers", 0) or getattr(executor, "workers", 16))
    groups = _groups(metrics, apart=executor is not None)
    total = None
    if isinstance(testset, TestSet):
        total = sum(_units(len(testset), group.size, group.rows) for group in groups)
    # A unit has all systems, which share the references' preparation; only where that leaves workers idle, fewer.
    pieces = -(-2 * workers // total) if total else 1
    waiting: deque[tuple[_Group, TestSet, _Unit, bool]] = deque()
    parts: list[list[dict[str, Floats]]] = []  # of the shard that is being collected
    done = 0

    def collect() -> Iterator[tuple[int, TestSet, dict[str, Floats]]]:
        nonlocal done
        group, shard, unit, last = waiting.popleft()
        parts.append(unit.collect())
        done += 1
        if progress:
            progress(done, total)
        if last:
            for place, index in enumerate(group.indices):
                yield index, shard, _joined([part[place] for part in parts])
            parts.clear()

    shipping = _Shipping(executor)
    try:
        # Metrics that must see the whole test set at once get it in one shard of its own.
        for size in sorted({group.size for group in groups}):
            for shard in testset.shards(size):
                for group in (group for group in groups if group.size == size):
                    chosen = [metrics[index] for index in group.indices]
                    left = len(shard)
                    for part in shard.shards(group.rows or left):
                        left -= len(part)
                        unit = _Unit(chosen, part, group.rows is not None, shipping, store, pieces)
                        waiting.append((group, shard, unit, not left))
                        while len(waiting) > (IN_FLIGHT * workers if executor is not None else 0):
                            yield from collect()
        while waiting:
            yield from collect()
    finally:
        shipping.close()


class _Group(NamedTuple):
    """Metrics that are counted in one unit: their places, the size of their shards, and the rows of their units."""

    indices: tuple[int, ...]
    size: int
    rows: int | None


def _groups(metrics: Sequence[Ready], *, apart: bool) -> list[_Group]:
    """Group metrics that can share work; `apart`, with workers: only those that say so, because others run at once."""
    found: dict[tuple[bool, int | None, object], list[int]] = {}
    for index, ready in enumerate(metrics):
        shares = ready.metric.shares
        rows = None if ready.whole else ready.metric.segments_per_unit
        found.setdefault((ready.whole, rows, (shares or index) if apart else ""), []).append(index)
    return [_Group(tuple(indices), 1 << 62 if whole else SHARD, rows) for (whole, rows, _), indices in found.items()]


def _units(segments: int, size: int, rows: int | None) -> int:
    full, rest = divmod(segments, size)
    most = rows or size
    return full * -(-size // most) + -(-rest // most)


def _joined(parts: Sequence[dict[str, Floats]]) -> dict[str, Floats]:
    if len(parts) == 1:
        return parts[0]
    return {system: np.concatenate([part[system] for part in parts]) for system in parts[0]}


class _Unit:
    """The counts of some metrics for one shard: from the cache, or counted here, or under way elsewhere."""

    def __init__(
        self, metrics: Sequence[Ready], shard: TestSet, by_rows: bool, shipping: _Shipping, store: Cache | None,
        pieces: int,
    ) -> None:  # fmt: skip
        self.systems, self.store, self.by_rows = shard.systems, store, by_rows
        self.counts: list[dict[str, Floats]] = [{} for _ in metrics]
        self.headers: list[dict[str, dict[str, Any]]] = [{} for _ in metrics]
        if store:
            self._find(metrics, shard, store)
        wanted = [[system for system in shard.systems if system not in counts] for counts in self.counts]
        self.futures: list[Future[tuple[list[dict[str, Floats]], Warnings]]] = []
        executor = shipping.executor
        self.watch = getattr(executor, "watch", None)  # of a cluster
        # A cluster's computers need not have the folder.
        folder = store.folder if store and self.watch is None else None
        if not any(wanted):
            return
        if executor is None or any(metric.metric.one_process for metric in metrics):
            self._keep(count_unit(wanted, shard, folder, *metrics))
        else:
            from .workers import submit

            sent = [shipping.send(metric) for metric in metrics]
            for systems, piece in _pieces(wanted, shard, by_rows, pieces):
                with _reporting_dead_workers():
                    self.futures.append(submit(executor, count_unit, systems, piece, folder, *sent))

    def _find(self, metrics: Sequence[Ready], shard: TestSet, store: Cache) -> None:
        """Take what the cache has. Counts of one metric that differ in width are not believed."""
        for counts, headers, metric in zip(self.counts, self.headers, metrics, strict=True):
            for system, outputs in shard.outputs.items():
                headers[system] = store.header(metric, shard, outputs)
                found = store.load(headers[system])
                if found is not None:
                    counts[system] = found
            if len({array.shape[1] for array in counts.values()}) > 1:
                log.warning("%s: counts in the cache do not fit together and are computed again.", metric.label)
                counts.clear()

    def _keep(self, found: Sequence[dict[str, Floats]]) -> None:
        for counts, headers, new in zip(self.counts, self.headers, found, strict=True):
            counts |= new
            if self.store:
                for system, array in new.items():
                    self.store.save(headers[system], array)

    def collect(self) -> list[dict[str, Floats]]:
        rows: list[list[dict[str, Floats]]] = []
        for future in self.futures:
            from .workers import result_of

            with _reporting_dead_workers():
                found = result_of(future, self.watch)
            if self.by_rows:
                rows.append(found)
            else:
                self._keep(found)
        if rows:
            self._keep([_joined(parts) for parts in zip(*rows, strict=True)])
        return [{system: counts[system] for system in self.systems} for counts in self.counts]


def _pieces(
    wanted: Sequence[Sequence[str]], shard: TestSet, by_rows: bool, pieces: int
) -> Iterator[tuple[list[list[str]], TestSet]]:
    """Divide a shard among workers: by systems, or for slow metrics by segments, so that each text is in one piece."""
    missing = [system for system in shard.systems if any(system in systems for systems in wanted)]
    shard = shard.only(missing)
    if by_rows:
        # Smaller than needed to keep all workers busy, as segments differ in length and nobody should wait at the end.
        for part in shard.shards(max(FEWEST_ROWS, -(-len(shard) // (4 * pieces)))):
            yield [list(systems) for systems in wanted], part
    else:
        for piece in range(min(pieces, len(missing))):
            chosen = missing[piece::pieces]
            yield [[system for system in systems if system in chosen] for systems in wanted], shard.only(chosen)


@contextmanager
def _reporting_dead_workers() -> Iterator[None]:
    from concurrent.futures import CancelledError
    from concurrent.futures.process import BrokenProcessPool

    lost: tuple[type[BaseException], ...] = (BrokenProcessPool, CancelledError)
    if "distributed" in sys.modules:
        from distributed.comm.core import CommClosedError
        from distributed.scheduler import KilledWorker

        lost += (CommClosedError, KilledWorker)
    try:
        yield
    except lost:
        from .clusters import WorkerDied

        raise WorkerDied(
            "A worker or the cluster died, perhaps as memory ran out: use fewer jobs; with `cache` the "
            "run goes on where it stopped. A script that asks for several jobs must start its work below "
            "'if __name__ == \"__main__\":'."
        ) from None
