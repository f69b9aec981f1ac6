"""Load and faults of `tercet serve`: many callers at once, and a server that is killed with -9 meanwhile.

    python -m benchmarks.serve_load --minutes 5 --callers 50 --kills 3 [--workers 2] [--metric bertscore]

Every caller sends requests one after another: small ones that are answered at once, and some as jobs, which it asks for
later. Each answer must be the bytes that the command prints. The only error may be 429, after which the caller waits as
long as it is told; while the server is down, callers try again. A job that was accepted must end as done, also after
the server was killed. Memory of the server and its workers must not grow after the first part of the run.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import numpy as np

from .common import texts

REQUESTS = 12
SEGMENTS = 100
DOWN = (httpx.ConnectError, httpx.ReadError, httpx.RemoteProtocolError, httpx.WriteError, httpx.ConnectTimeout)


@dataclass
class Tally:
    """What the callers saw. lost: accepted jobs that the server does not know any more, or gave up."""

    seconds: list[float] = field(default_factory=list)
    statuses: Counter[int] = field(default_factory=Counter)
    wrong: int = 0
    down: int = 0
    jobs: int = 0
    after_kill: int = 0
    lost: int = 0
    memory: list[tuple[float, int, int]] = field(default_factory=list)


class Server:
    """The server as a process of its own."""

    def __init__(self, folder: Path, options: argparse.Namespace) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.words = [
            sys.executable,
            "-m",
            "tercet",
            "serve",
            "--port",
            str(self.port),
            "--folder",
            str(folder / "jobs"),
        ]
        self.words += ["--workers", str(options.workers), "--queue", str(options.queue)]
        self.log = folder / "log"
        self.kills = 0

    def start(self) -> None:
        with self.log.open("a") as log:
            self.process = subprocess.Popen(self.words, stderr=log)

    def wait(self) -> None:
        """Wait until the server answers."""
        for _ in range(600):
            with suppress(httpx.TransportError):
                httpx.get(f"http://127.0.0.1:{self.port}/healthz")
                return
            time.sleep(0.1)
        sys.exit(f"The server does not answer: {self.log.read_text()[-2000:]}")

    def kill(self, how: int = signal.SIGKILL) -> None:
        self.kills += how == signal.SIGKILL
        os.kill(self.process.pid, how)
        self.process.wait()

    def memory(self) -> tuple[int, int]:
        """Return the bytes of the server and of its workers."""
        own = workers = 0
        for path in Path("/proc").glob("[0-9]*/stat"):
            with suppress(OSError, ValueError, IndexError):
                words = path.read_text().rpartition(")")[2].split()
                size = int(words[21]) * os.sysconf("SC_PAGE_SIZE")
                own += size * (int(path.parent.name) == self.process.pid)
                workers += size * (int(words[1]) == self.process.pid)
        return own, workers


def make_requests(folder: Path, metric: str) -> list[tuple[dict[str, Any], bytes]]:
    """Return requests, each with what the command prints for it."""
    found = []
    for number in range(REQUESTS):
        testset = texts("de-en", 2, SEGMENTS + number)
        named = {"ref": next(iter(testset.references.values())), **testset.outputs}
        for name, lines in named.items():
            (folder / name).write_text("".join(f"{line}\n" for line in lines), "utf-8")
        task = ("score", "compare")[number % 3 == 2]
        words = [task, "ref", "-i", *testset.outputs, "-l", "de-en", "-m", metric, "-f", "json"]
        done = subprocess.run([sys.executable, "-m", "tercet", *words], cwd=folder, capture_output=True, check=True)
        body = {
            "references": {"ref": list(named.pop("ref"))},
            "outputs": {name: list(each) for name, each in named.items()},
        }
        found.append(({"task": task, "body": body | {"metrics": [metric], "pair": "de-en"}}, done.stdout))
    return found


async def call(
    url: str,
    server: Server,
    made: list[tuple[dict[str, Any], bytes]],
    number: int,
    end: float,
    pause: float,
    tally: Tally,
) -> None:
    """One caller until the time is over; the jobs that it began are asked for in the end."""
    rng = random.Random(number)
    jobs: list[tuple[str, bytes, int]] = []
    async with httpx.AsyncClient(base_url=url, timeout=120) as client:
        while time.monotonic() < end:
            await asyncio.sleep(rng.expovariate(1 / pause))
            request, expected = rng.choice(made)
            headers = {"Prefer": "respond-async"} if rng.random() < 0.1 else {}
            began = time.perf_counter()
            try:
                answer = await client.post(f"/{request['task']}", json=request["body"], headers=headers)
            except DOWN:
                tally.down += 1
                await asyncio.sleep(1)
                continue
            tally.statuses[answer.status_code] += 1
            if answer.status_code == 200:
                tally.seconds.append(time.perf_counter() - began)
                tally.wrong += answer.content != expected
            elif answer.status_code == 202:
                jobs.append((answer.headers["location"], expected, server.kills))
            elif answer.status_code == 429:
                await asyncio.sleep(float(answer.headers["retry-after"]))
        for job, expected, kills in jobs:
            tally.jobs += 1
            tally.after_kill += kills != server.kills
            answer = await client.get(f"{job}/result")
            while answer.status_code == 202:
                await asyncio.sleep(0.5)
                answer = await client.get(f"{job}/result")
            tally.lost += answer.status_code != 200
            tally.wrong += answer.status_code == 200 and answer.content != expected


async def run(server: Server, made: list[tuple[dict[str, Any], bytes]], options: argparse.Namespace) -> Tally:
    tally, begin = Tally(), time.monotonic()
    end, url = begin + 60 * options.minutes, f"http://127.0.0.1:{server.port}"

    async def watch() -> None:
        while time.monotonic() < end:
            tally.memory.append((time.monotonic() - begin, *server.memory()))
            await asyncio.sleep(1)

    async def killer() -> None:
        for kill in range(options.kills):
            await asyncio.sleep(begin + (kill + 1) * (end - begin) / (options.kills + 1) - time.monotonic())
            server.kill()
            await asyncio.sleep(0.5)
            server.start()

    callers = [call(url, server, made, n, end, options.pause, tally) for n in range(options.callers)]
    await asyncio.gather(*callers, watch(), killer())
    return tally


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=5.0)
    parser.add_argument("--callers", type=int, default=50)
    parser.add_argument("--kills", type=int, default=0)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--queue", type=int, default=64)
    parser.add_argument("--metric", default="chrf")
    parser.add_argument("--pause", type=float, default=0.5, help="mean seconds between two requests of a caller")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        made = make_requests(Path(name), options.metric)
        server = Server(Path(name), options)
        server.start()
        server.wait()
        try:
            tally = asyncio.run(run(server, made, options))
        finally:
            server.kill(signal.SIGTERM)
        faults = [
            line for line in server.log.read_text().split("\n") if '"level": "error"' in line or "Traceback" in line
        ]
    return report(tally, options, faults)


def report(tally: Tally, options: argparse.Namespace, faults: list[str]) -> int:
    if not tally.seconds:
        print(f"No request was answered: {dict(tally.statuses)}, refused {tally.down}.")
        return 1
    p50, p95 = np.percentile(tally.seconds, [50, 95])
    print(
        f"{options.callers} callers, {options.minutes:g} minutes, {options.workers} workers, {options.metric}; ", end=""
    )
    print(f"{options.kills} kills")
    rate = len(tally.seconds) / 60 / options.minutes
    print(f"answers by status: {dict(sorted(tally.statuses.items()))}; {rate:.1f} per second")
    print(f"an answer takes (s): median {p50:.2f}, p95 {p95:.2f}, largest {max(tally.seconds):.2f}")
    print(f"other than the command's: {tally.wrong}; connections refused while the server was down: {tally.down}")
    print(f"jobs accepted: {tally.jobs}, of which {tally.after_kill} before a kill; lost: {tally.lost}")
    for place, who in ((1, "server"), (2, "workers")):
        by_minute: dict[int, list[float]] = {}
        for sizes in tally.memory:
            by_minute.setdefault(int(sizes[0] // 60) + 1, []).append(sizes[place] / 1e6)
        print(f"memory of the {who} by minute (mean MB):", *(f"{np.mean(each):.0f}" for each in by_minute.values()))
    for line in faults[:5]:
        print(f"log: {line}")
    errors = set(tally.statuses) - {200, 202, 429}
    return 1 if errors or tally.wrong or tally.lost or faults or (not options.kills and tally.down) else 0


if __name__ == "__main__":
    sys.exit(main())
