"""What a Dask cluster gains: python -m benchmarks.cluster [--workers 2] [--only cobalt] [--size 0.3]

For each kind of work: without a cluster, then on workers of one thread each on this machine. Wall time says something
only on an idle machine. The longest chain is CPU time that cannot overlap: that of this process and of the busiest
worker. Its ratio to the CPU time without a cluster is the gain that the machine's load does not touch.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from tercet import score
from tercet.data.stream import TextFiles
from tercet.rendering.tables import table

from .common import texts
from .memory import write_texts


def works(folder: Path, size: float) -> dict[str, Callable[..., Any]]:
    """Return kinds of work by name: parsing, encoding, many segments with a slow and with a fast metric."""
    parsed, encoded, edited, counted = (int(size * n) for n in (1000, 500, 100_000, 1_000_000))
    found: dict[str, Callable[..., Any]] = {
        f"cobalt (spaCy), 2 x {parsed:,} segments": partial(score, texts("de-en", 2, parsed), ["cobalt"]),
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


def on_cluster(work: Callable[..., Any], workers: int) -> tuple[float, float, float, Any]:
    """Return wall time, CPU time of all, CPU time of this process and the busiest worker, and the result."""
    from distributed import Client, LocalCluster

    with (
        LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        before = client.run(time.process_time)
        wall, here, found = timed(partial(work, cluster=cluster.scheduler_address))
        there = [after - before[name] for name, after in client.run(time.process_time).items()]
    return wall, here + sum(there), here + max(there), found


def main() -> None:
    parser = argparse.ArgumentParser(description="What a Dask cluster gains.")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--only", default="", help="kinds of work whose name has this")
    parser.add_argument("--size", type=float, default=1.0, help="times the usual number of segments")
    given = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory(prefix="tercet-cluster-") as name:
        for what, work in works(Path(name), given.size).items():
            if given.only.lower() not in what.lower():
                continue
            wall, total, longest, found = on_cluster(work, given.workers)  # first: this process has loaded nothing yet
            alone, cpu, expected = timed(work)
            if [each.system for each in found] != [each.system for each in expected]:
                raise SystemExit(f"{what}: the cluster gives other scores")
            gains = f"{alone / wall:.2f}x", f"{cpu / longest:.2f}x"
            rows.append([what, *map("{:.1f}".format, (alone, wall, cpu, total, longest)), *gains])
            print(*rows[-1], sep="\t", flush=True)
    head = [
        "work",
        "wall alone",
        "wall cluster",
        "CPU alone",
        "CPU cluster",
        "longest chain",
        "gain wall",
        "gain chain",
    ]
    print(table(head, rows))


if __name__ == "__main__":
    main()
