"""Where counting runs: here, in a process pool, or on a cluster; any `concurrent.futures.Executor`.

A unit of work is (metric, system, shard); its result is an array of counts, and counts add. Shards have a fixed size,
whatever runs them, so that sums are the same to the last bit. With a cache, finished counts are kept under a key of
texts, signature and version: a run that was killed goes on where it stopped.
"""

from __future__ import annotations

import logging
import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .data.testset import TestSet, checksum
from .errors import MissingDependency, TercetError, UsageError
from .metrics import Batch, Floats, Metric

if TYPE_CHECKING:
    from concurrent.futures import Executor, Future

log = logging.getLogger(__name__)

SHARD = 4096  # segments
IN_FLIGHT = 64  # units submitted and not yet collected: bounds the memory of a stream
Progress = Callable[[int, int | None], None]


class WorkerDied(TercetError):
    """A worker process ended before its work was done."""


@contextmanager
def open_executor(jobs: int = 1, cluster: str | None = None) -> Iterator[Executor | None]:
    """None for one job here, a pool of processes for more, or the executor of a Dask cluster at an address."""
    if cluster is not None:
        yield from _cluster(cluster)
        return
    if jobs < 0:
        raise UsageError(f"jobs must be 0 (all cores), 1 or more, not {jobs}.")
    if jobs == 1:
        yield None
        return
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor

    # forkserver: a fork of a process with threads (BLAS has some) may hang.
    methods = multiprocessing.get_all_start_methods()
    context = multiprocessing.get_context("forkserver" if "forkserver" in methods else "spawn")
    with ProcessPoolExecutor(jobs or os.cpu_count(), mp_context=context) as pool:
        try:
            yield pool
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


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
        yield client.get_executor(pure=False)


class Cache:
    """Finished counts in a folder, one file each, written whole or not at all."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UsageError(f"The cache folder {folder} cannot be made: {error.strerror}.") from None

    def path(self, metric: Metric, shard: TestSet, system: str) -> Path:
        from hashlib import sha256

        key = "\n".join([metric.signature, shard.checksum(), checksum(shard.outputs[system])])
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
        from tempfile import mkstemp

        handle, temporary = mkstemp(dir=self.folder, suffix=".part")
        try:
            with os.fdopen(handle, "wb") as stream:
                np.save(stream, counts, allow_pickle=False)
            Path(temporary).replace(path)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise


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
    waiting: deque[tuple[int, TestSet, dict[str, Floats | Future[dict[str, Floats]]]]] = deque()
    total = None
    if isinstance(testset, TestSet):
        total = len(metrics) * -(-len(testset) // SHARD)
    done = 0

    def collect() -> tuple[int, TestSet, dict[str, Floats]]:
        nonlocal done
        index, shard, parts = waiting.popleft()
        counts = {}
        for system, part in parts.items():
            if not isinstance(part, np.ndarray):
                with _reporting_dead_workers():
                    part = part.result()[system]
                if store:
                    store.save(store.path(metrics[index], shard, system), part)
            counts[system] = part
        done += 1
        if progress:
            progress(done, total)
        return index, shard, counts

    # Metrics that must see the whole test set at once get it in one shard of its own.
    plans = [(SHARD, [i for i, m in enumerate(metrics) if not m.whole])]
    plans += [(1 << 62, [i for i, m in enumerate(metrics) if m.whole])]
    for size, indices in plans:
        if not indices:
            continue
        for shard in testset.shards(size):
            for index in indices:
                waiting.append((index, shard, _start(metrics[index], shard, executor, store)))
                while len(waiting) * len(shard.outputs) > IN_FLIGHT or (executor is None and waiting):
                    yield collect()
    while waiting:
        yield collect()


def _start(
    metric: Metric, shard: TestSet, executor: Executor | None, store: Cache | None
) -> dict[str, Floats | Future[dict[str, Floats]]]:
    """Counts that the cache has, and work under way for the rest, by system in the order of the shard."""
    parts: dict[str, Floats | Future[dict[str, Floats]]] = {}
    if store:
        for system in shard.systems:
            found = store.load(store.path(metric, shard, system), len(shard))
            if found is not None:
                parts[system] = found
    missing = [system for system in shard.systems if system not in parts]
    if executor is None and missing:
        rest = shard.only(missing) if parts else shard
        for system, counts in count_unit(metric, rest).items():
            parts[system] = counts
            if store:
                store.save(store.path(metric, shard, system), counts)
    elif executor is not None:
        for system in missing:
            with _reporting_dead_workers():
                parts[system] = executor.submit(count_unit, metric, shard.only([system]))
    return {system: parts[system] for system in shard.systems}


@contextmanager
def _reporting_dead_workers() -> Iterator[None]:
    from concurrent.futures.process import BrokenProcessPool

    try:
        yield
    except BrokenProcessPool:
        raise WorkerDied(
            "A worker process died, perhaps for want of memory. Use fewer --jobs; with --cache DIR the run goes on "
            "where it stopped."
        ) from None
