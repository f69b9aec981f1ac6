"""What a Dask cluster gains: python -m benchmarks.cluster [--workers 2 4 8] [--only rima] [--segments 1000] [--slow 1]

For each kind of work: without a cluster, then on workers of one thread each on this machine. Wall time says something
only on an idle machine with a core for each worker. The longest chain is CPU time that cannot overlap: that of this
process and of the busiest worker. Its ratio to the CPU time without a cluster is
the gain that the machine's load does not touch. Bytes are those of units sent and counts received, and of metrics that
every worker gets once; memory is the largest of a worker. --slow has one worker sleep so many seconds before each
unit. --segments 200000 repeats the texts: hours on a small machine.
"""

from __future__ import annotations

import argparse
import pickle
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any
from unittest import mock

from tercet import TestSet, reproduce, score
from tercet.clusters import ClusterExecutor
from tercet.data.scores import ScoreList
from tercet.data.stream import TextFiles
from tercet.rendering.tables import table

from .common import SHARED, texts
from .memory import write_texts

Work = Callable[..., Any]


def works(folder: Path, segments: int) -> dict[str, Work]:
    """Return kinds of work by name: parsing, encoding, many segments with a slow and with a fast metric, a paper."""
    found: dict[str, Work] = {}
    for metric, times in (("cobalt", 1.0), ("rima", 1.0), ("bertscore", 0.5)):
        testset = many(int(times * segments))
        found[f"{metric}, 2 x {len(testset):,} segments"] = partial(score, testset, [metric])
    for metric, times in (("ter", 100), ("bleu", 1000)):
        write_texts(folder, times * segments, (f"ref.{metric}", f"out.{metric}"))
        files = TextFiles({"out": folder / f"out.{metric}"}, {"ref": folder / f"ref.{metric}"})
        found[f"{metric}, {times * segments:,} segments"] = partial(score, files, [metric], keep_counts=False)
    if (SHARED / "data/wmt14").is_dir():
        paper = partial(reproduce, "wmt14", table="4", data=SHARED / "data", rows=["ter", "chrf", "character"])
        found["reproduce wmt14, table 4"] = paper
    return found


def many(segments: int) -> TestSet:
    """Return two systems on so many segments; the texts are repeated where there are fewer."""
    known = texts("de-en", 2, segments)
    return known.take([i % len(known) for i in range(segments)])


def results(found: Any) -> list[Any]:
    """Return the numbers of a result, to be compared."""
    return [[each.system for each in found]] if isinstance(found, ScoreList) else found.rows()


def timed(work: Work) -> tuple[float, float, Any]:
    wall, cpu = time.monotonic(), time.process_time()
    found = work()
    return time.monotonic() - wall, time.process_time() - cpu, found


@contextmanager
def counted_bytes(workers: int) -> Iterator[list[int]]:
    """Count the bytes of units that are submitted and of their results, and of metrics that all workers get."""
    moved = [0, 0]
    submit = ClusterExecutor.submit

    def counting(self: ClusterExecutor, function: Any, /, *arguments: Any, **options: Any) -> Any:
        future = submit(self, function, *arguments, **options)
        # A metric that was scattered is a reference here.
        moved[0] += sum(len(pickle.dumps(each)) for each in arguments if not hasattr(each, "key"))
        future.add_done_callback(lambda done: moved.__setitem__(0, moved[0] + len(pickle.dumps(done.result()))))
        return future

    from distributed import Client

    scatter = Client.scatter

    def scattering(self: Any, data: Any, **options: Any) -> Any:
        moved[1] += workers * len(pickle.dumps(data))
        return scatter(self, data, **options)

    with mock.patch.object(ClusterExecutor, "submit", counting), mock.patch.object(Client, "scatter", scattering):
        yield moved


def peak() -> float:
    """Return the largest memory of this process so far, in MB."""
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def slow_down(seconds: float) -> None:
    """Have this worker sleep before each unit."""
    from tercet import engine

    count_unit = engine.count_unit

    def slow(*arguments: Any) -> Any:
        time.sleep(seconds)
        return count_unit(*arguments)

    engine.count_unit = slow


def on_cluster(work: Work, workers: int, slow: float) -> tuple[list[float], Any]:
    """Return wall time, CPU time of all and of the longest chain, MB of units and of metrics, MB of memory; numbers."""
    from distributed import Client, LocalCluster

    with (
        LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster) as client,
        counted_bytes(workers) as moved,
    ):
        if slow:
            client.run(slow_down, slow, workers=[next(iter(client.ncores()))])
        before = client.run(time.process_time)
        wall, here, found = timed(partial(work, cluster=cluster.scheduler_address))
        there = [after - before[name] for name, after in client.run(time.process_time).items()]
        memory = max(client.run(peak).values())
    return [wall, here + sum(there), here + max(there), moved[0] / 1e6, moved[1] / 1e6, memory], results(found)


def main() -> None:
    parser = argparse.ArgumentParser(description="What a Dask cluster gains.")
    parser.add_argument("--workers", type=int, nargs="*", default=[2, 4, 8])
    parser.add_argument("--only", default="", help="kinds of work whose name has this")
    parser.add_argument("--segments", type=int, default=1000, help="of rima and cobalt")
    parser.add_argument("--slow", type=float, default=0.0, metavar="SECONDS", help="one worker sleeps before each unit")
    given = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory(prefix="tercet-cluster-") as name:
        for what, work in works(Path(name), given.segments).items():
            if given.only.lower() not in what.lower():
                continue
            # On clusters first: this process has loaded nothing yet.
            measured = {workers: on_cluster(work, workers, given.slow) for workers in given.workers}
            alone, cpu, expected = timed(work)
            for workers, ((wall, total, longest, *sizes), found) in measured.items():
                if repr(found) != repr(results(expected)):
                    raise SystemExit(f"{what}: the cluster gives other numbers")
                gains = f"{alone / wall:.2f}x", f"{cpu / longest:.2f}x"
                times = map("{:.1f}".format, (alone, wall, cpu, total, longest))
                rows.append([what, str(workers), *times, *gains, *map("{:.1f}".format, sizes)])
                print(*rows[-1], sep="\t", flush=True)
    print(table(HEAD, rows))


HEAD = ["work", "workers", "wall alone", "wall cluster", "CPU alone", "CPU cluster", "longest chain", "gain wall",
        "gain chain", "MB of units", "MB of metrics", "MB a worker"]  # fmt: skip


if __name__ == "__main__":
    main()
