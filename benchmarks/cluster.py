"""What a Dask cluster gains: python -m benchmarks.cluster [--workers 2 4] [--only cobalt] [--size 0.3]

For each kind of work: without a cluster, then on workers of one thread each on this machine. Wall time says something
only on an idle machine with a core for each worker. The longest chain is CPU time that cannot overlap: that of this
process and of the busiest worker. Its ratio to the CPU time without a cluster is the gain that the machine's load does
not touch. Bytes are those of units sent and counts received, and of metrics that every worker gets once; memory is the
largest of a worker. --size 40 makes rima and cobalt on 200,000 segments: hours on a small machine.
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

from tercet import score
from tercet.clusters import ClusterExecutor
from tercet.data.stream import TextFiles
from tercet.rendering.tables import table

from .common import texts
from .memory import write_texts


def works(folder: Path, size: float) -> dict[str, Callable[..., Any]]:
    """Return kinds of work by name: parsing, encoding, many segments with a slow and with a fast metric."""
    parsed, encoded, edited, counted = (int(size * n) for n in (1000, 500, 100_000, 1_000_000))
    learned = int(size * 5000)
    found: dict[str, Callable[..., Any]] = {
        f"cobalt (spaCy), 2 x {parsed:,} segments": partial(score, texts("de-en", 2, parsed), ["cobalt"]),
        f"rima, 2 x {learned:,} segments": partial(score, texts("de-en", 2, learned), ["rima"]),
        f"bertscore, 2 x {encoded:,} segments": partial(score, texts("de-en", 2, encoded), ["bertscore"]),
    }
    for metric, segments in (("ter", edited), ("bleu", counted)):
        write_texts(folder, segments, (f"ref.{metric}", f"out.{metric}"))
        files = TextFiles({"out": folder / f"out.{metric}"}, {"ref": folder / f"ref.{metric}"})
        found[f"{metric}, {segments:,} segments"] = partial(score, files, [metric], keep_counts=False)
    return found


def timed(work: Callable[..., Any]) -> tuple[float, float, Any]:
    wall, cpu = time.monotonic(), time.process_time()
    found = work()
    return time.monotonic() - wall, time.process_time() - cpu, found


@contextmanager
def counted_bytes(workers: int) -> Iterator[list[int]]:
    """Count the bytes of units that are submitted, of their results, and of what is sent to all workers."""
    moved = [0]
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
        moved[0] += workers * len(pickle.dumps(data))
        return scatter(self, data, **options)

    with mock.patch.object(ClusterExecutor, "submit", counting), mock.patch.object(Client, "scatter", scattering):
        yield moved


def peak() -> float:
    """Return the largest memory of this process so far, in MB."""
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def on_cluster(work: Callable[..., Any], workers: int) -> tuple[float, float, float, float, float, Any]:
    """Return wall time, CPU time of all, of this process and the busiest worker, MB moved, MB of memory, and scores."""
    from distributed import Client, LocalCluster

    with (
        LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster) as client,
        counted_bytes(workers) as moved,
    ):
        before = client.run(time.process_time)
        wall, here, found = timed(partial(work, cluster=cluster.scheduler_address))
        there = [after - before[name] for name, after in client.run(time.process_time).items()]
        memory = max(client.run(peak).values())
    return wall, here + sum(there), here + max(there), moved[0] / 1e6, memory, found


def main() -> None:
    parser = argparse.ArgumentParser(description="What a Dask cluster gains.")
    parser.add_argument("--workers", type=int, nargs="*", default=[2])
    parser.add_argument("--only", default="", help="kinds of work whose name has this")
    parser.add_argument("--size", type=float, default=1.0, help="times the usual number of segments")
    given = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory(prefix="tercet-cluster-") as name:
        for what, work in works(Path(name), given.size).items():
            if given.only.lower() not in what.lower():
                continue
            # On clusters first: this process has loaded nothing yet.
            measured = {workers: on_cluster(work, workers) for workers in given.workers}
            alone, cpu, expected = timed(work)
            for workers, (wall, total, longest, moved, memory, found) in measured.items():
                if [each.system for each in found] != [each.system for each in expected]:
                    raise SystemExit(f"{what}: the cluster gives other scores")
                gains = f"{alone / wall:.2f}x", f"{cpu / longest:.2f}x"
                times = map("{:.1f}".format, (alone, wall, cpu, total, longest))
                rows.append([what, str(workers), *times, *gains, f"{moved:.1f}", f"{memory:.0f}"])
                print(*rows[-1], sep="\t", flush=True)
    print(table(HEAD, rows))


HEAD = ["work", "workers", "wall alone", "wall cluster", "CPU alone", "CPU cluster", "longest chain", "gain wall",
        "gain chain", "MB moved", "MB a worker"]  # fmt: skip


if __name__ == "__main__":
    main()
