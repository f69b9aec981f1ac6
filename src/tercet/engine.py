"""Where counting runs: here, in a process pool, or on a cluster; any `concurrent.futures.Executor`.

A unit of work is a metric, a shard and some systems; its results are arrays of counts, and counts add. Shards have a
fixed size, whatever runs them, so that sums are the same to the last bit; where a metric is slow (`segments_per_unit`)
units are parts of a shard, whose counts are put together before anybody sums them. With a cache, finished counts are
kept under a key of texts, signature and version: a run that was killed goes on where it stopped.
"""

from __future__ import annotations

import logging
import os
import sys
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .data.files import writing_bytes
from .data.testset import TestSet, checksum
from .errors import MissingDependency, TercetError, UsageError
from .metrics import Batch, Floats, Metric
from .workers import Warnings, result_of, submit

if TYPE_CHECKING:
    from concurrent.futures import Executor, Future

log = logging.getLogger(__name__)

SHARD = 4096  # segments
IN_FLIGHT = 4  # shards a worker may be ahead of what is collected: bounds the memory of a stream
FEWEST_ROWS = 8  # segments of slow metrics that are not divided among workers
Progress = Callable[[int, int | None], None]


class WorkerDied(TercetError):
    """A worker process ended before its work was done."""


@contextmanager
def open_executor(jobs: int = 1, cluster: str | None = None) -> Iterator[Executor | None]:
    """None for one job here, a pool of processes for more, or the executor of a Dask cluster at an address."""
    if cluster is not None:
        yield from _cluster(cluster)
        return
    if not isinstance(jobs, int) or jobs < 0:
        raise UsageError(f"jobs must be 0 (all cores), 1 or more, not {jobs!r}.")
    if jobs == 1:
        yield None
        return
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor

    # forkserver: a fork of a process with threads (BLAS has some) may hang.
    methods = multiprocessing.get_all_start_methods()
    context = multiprocessing.get_context("forkserver" if "forkserver" in methods else "spawn")
    with ProcessPoolExecutor(jobs or os.cpu_count(), mp_context=context, initializer=_leave_stopping_to_parent) as pool:
        try:
            yield pool
        except BaseException:
            # Workers under way would outlive the command: nobody waits for what they count.
            workers = list((pool._processes or {}).values())
            pool.shutdown(wait=False, cancel_futures=True)
            for worker in workers:
                worker.terminate()
            raise


def _leave_stopping_to_parent() -> None:
    """Ctrl-C reaches all processes of a terminal; the workers end when the parent tells them, without tracebacks."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _cluster(address: str) -> Iterator[Executor]:
    try:
        from distributed import Client
    except ImportError:
        raise MissingDependency("Running on a cluster", "cluster") from None
    try:
        client = Client(address, timeout="10s", set_as_default=False)
    except (OSError, ValueError) as error:
        raise UsageError(f"No cluster answers at {address}: {error}") from None
    with client:
        executor = client.get_executor(pure=False)
        executor.workers = max(1, sum(client.ncores().values()))
        yield executor


class Cache:
    """Finished counts in a folder, one file each, written whole or not at all."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UsageError(f"The cache folder {folder} cannot be made: {error.strerror}.") from None

    def path(self, metric: Metric, shared: str, outputs: Sequence[str]) -> Path:
        """Where the counts of these outputs lie; `shared` is the checksum of what all systems share.

        Python's Unicode data decide what is lower case and what a punctuation mark.
        """
        from hashlib import sha256
        from unicodedata import unidata_version

        where = f"{type(metric).__module__}.{type(metric).__qualname__}"
        key = "\n".join([where, metric.signature, unidata_version, shared, checksum(outputs)])
        return self.folder / f"{sha256(key.encode()).hexdigest()}.npy"

    def load(self, path: Path, segments: int) -> Floats | None:
        if not path.exists():
            return None
        try:
            counts: Floats = np.load(path, allow_pickle=False)
        except (OSError, ValueError, EOFError):
            counts = np.empty(0)
        if counts.ndim != 2 or len(counts) != segments or counts.dtype != np.float64:
            log.warning("The cache file %s is damaged; its counts are made anew.", path)
            return None
        return counts

    def save(self, path: Path, counts: Floats) -> None:
        with writing_bytes(path) as stream:
            np.save(stream, counts, allow_pickle=False)


def count_unit(metric: Metric, shard: TestSet) -> dict[str, Floats]:
    """Counts of every system of a shard. Runs anywhere."""
    prepared = metric.prepare(shard)
    return {
        system: metric.count(Batch(outputs, shard.references, shard.source, prepared))
        for system, outputs in shard.outputs.items()
    }


def count(
    testset: Any,
    metrics: Sequence[Metric],
    *,
    executor: Executor | None = None,
    cache: str | Path | None = None,
    progress: Progress | None = None,
) -> Iterator[tuple[int, TestSet, dict[str, Floats]]]:
    """Count a test set (or a stream): yields (index of the metric, shard, counts by system), shards in order.

    No more than a bounded number of shards is in memory at once.
    """
    store = Cache(cache) if cache is not None else None
    workers = _workers(executor)
    # Metrics that must see the whole test set at once get it in one shard of its own.
    plans = [(SHARD, [i for i, m in enumerate(metrics) if not m.whole])]
    plans += [(1 << 62, [i for i, m in enumerate(metrics) if m.whole])]
    total = None
    if isinstance(testset, TestSet):
        total = sum(_units(len(testset), size, metrics[index]) for size, indices in plans for index in indices)
    # A unit has all systems, which share the references' preparation; only where that leaves workers idle, fewer.
    pieces = -(-2 * workers // total) if total else 1
    waiting: deque[tuple[int, TestSet, _Unit, bool]] = deque()
    parts: list[dict[str, Floats]] = []  # of the shard that is being collected
    done = 0

    def collect() -> Iterator[tuple[int, TestSet, dict[str, Floats]]]:
        nonlocal done
        index, shard, unit, last = waiting.popleft()
        parts.append(unit.collect())
        done += 1
        if progress:
            progress(done, total)
        if last:
            yield index, shard, _joined(parts)
            parts.clear()

    for size, indices in plans:
        for shard in testset.shards(size) if indices else ():
            for index in indices:
                left = len(shard)
                for part in shard.shards(_most_rows(metrics[index]) or left):
                    left -= len(part)
                    waiting.append((index, shard, _Unit(metrics[index], part, executor, store, pieces), not left))
                    while len(waiting) > (IN_FLIGHT * workers if executor is not None else 0):
                        yield from collect()
    while waiting:
        yield from collect()


def _most_rows(metric: Metric) -> int | None:
    """How many segments a unit has at most, where the metric says so and can be cut at all."""
    return None if metric.whole else metric.segments_per_unit


def _units(segments: int, size: int, metric: Metric) -> int:
    """How many units a metric's shards of this size are cut into."""
    full, rest = divmod(segments, size)
    most = _most_rows(metric) or size
    return full * -(-size // most) + -(-rest // most)


def _joined(parts: Sequence[dict[str, Floats]]) -> dict[str, Floats]:
    """The counts of consecutive segments in one array per system."""
    if len(parts) == 1:
        return parts[0]
    return {system: np.concatenate([part[system] for part in parts]) for system in parts[0]}


def _workers(executor: Executor | None) -> int:
    """How many units run at once; of an executor that does not say, a guess that keeps a small cluster busy."""
    return 1 if executor is None else int(getattr(executor, "_max_workers", 0) or getattr(executor, "workers", 16))


class _Unit:
    """A metric's counts of one shard: from the cache, or counted here, or under way elsewhere."""

    def __init__(
        self, metric: Metric, shard: TestSet, executor: Executor | None, store: Cache | None, pieces: int
    ) -> None:
        self.systems, self.store = shard.systems, store
        self.counts: dict[str, Floats] = {}
        self.paths: dict[str, Path] = {}
        if store:
            shared = shard.checksum()
            for system, outputs in shard.outputs.items():
                self.paths[system] = store.path(metric, shared, outputs)
                found = store.load(self.paths[system], len(shard))
                if found is not None:
                    self.counts[system] = found
        missing = [system for system in shard.systems if system not in self.counts]
        self.futures: list[Future[tuple[dict[str, Floats], Warnings]]] = []
        if executor is None and missing:
            self._keep(count_unit(metric, shard.only(missing) if self.counts else shard))
        elif executor is not None and missing:
            for piece in _pieces(shard.only(missing), metric, pieces):
                with _reporting_dead_workers():
                    self.futures.append(submit(executor, count_unit, metric, piece))
        self.by_rows = _most_rows(metric) is not None

    def _keep(self, counts: dict[str, Floats]) -> None:
        self.counts |= counts
        if self.store:
            for system, array in counts.items():
                self.store.save(self.paths[system], array)

    def collect(self) -> dict[str, Floats]:
        """Counts by system, in the order of the shard."""
        rows: list[dict[str, Floats]] = []
        for future in self.futures:
            with _reporting_dead_workers():
                counts = result_of(future)
            if self.by_rows:
                rows.append(counts)
            else:
                self._keep(counts)
        if rows:
            self._keep(_joined(rows))
        return {system: self.counts[system] for system in self.systems}


def _pieces(shard: TestSet, metric: Metric, pieces: int) -> Iterator[TestSet]:
    """A shard for several workers: divided by systems, or for slow metrics by segments, so that each text is in one."""
    if _most_rows(metric) is None:
        for piece in range(min(pieces, len(shard.systems))):
            yield shard.only(shard.systems[piece::pieces])
    else:
        # Smaller than needed to keep all workers busy, as segments differ in length and nobody should wait at the end.
        yield from shard.shards(max(FEWEST_ROWS, -(-len(shard) // (4 * pieces))))


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
        raise WorkerDied(
            "A worker or the cluster died, perhaps for want of memory: use fewer jobs; with a cache (--cache DIR) the "
            "run goes on where it stopped. A script that asks for several jobs must start its work below "
            "'if __name__ == \"__main__\":'."
        ) from None
