"""Load and faults of the rating server: many raters at once, and a server that is killed with -9 meanwhile.

    python -m benchmarks.rating_load --minutes 3 --raters 50 --kills 5 [--campaigns 2] [--database postgresql://…]

Simulated raters do what the rating page does: they draw a random number for every answer, and send it again until they
hear that it is saved. Now and then one hangs up before the reply, and the server itself is killed without a warning,
while at least one answer is on its way, and started again. An organiser looks at the dashboard meanwhile. In the end
every answer must be there exactly once. With several campaigns, raters and answers are spread over them.
Everything runs on this machine, through 127.0.0.1.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import numpy as np

from tercet.human.campaign import Campaign, Item, Output, Rater, Tokens
from tercet.human.storage import StoredRecord, open_store

SERVE = """
import sys
from tercet.rate import serve
serve(sys.argv[3:], port=int(sys.argv[1]), database=sys.argv[2] or None)
"""
LARGEST_P95 = 0.1  # seconds


@dataclass
class Tally:
    """What the raters know. intended: every request with its campaign, rater, item and value."""

    intended: dict[str, tuple[str, str, str, int]] = field(default_factory=dict)
    seconds: list[float] = field(default_factory=list)  # of every save that was answered
    dashboard: list[float] = field(default_factory=list)
    resent: int = 0
    hung_up: int = 0
    on_the_way: int = 0  # answers sent and not yet answered
    cut: list[int] = field(default_factory=list)  # how many there were at each kill


def make_campaign(name: str, raters: int, items: int) -> tuple[Campaign, Tokens]:
    systems = [f"system{n}" for n in range(5)]
    made = [
        Item(f"i{n}", str(n // 5 + 1), (Output(systems[n % 5], f"output {n} " * 10),), source=f"source {n // 5} " * 10)
        for n in range(items)
    ]
    people = [Rater(f"rater{n}", tuple(item.id for item in made)) for n in range(raters)]
    return Campaign(name, "adequacy", made, people, id=name).with_tokens()


class Server:
    """The server as a process of its own."""

    def __init__(self, campaigns: list[Path], database: str | None) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.words = [sys.executable, "-c", SERVE, str(self.port), database or "", *map(str, campaigns)]
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        self.process = subprocess.Popen(self.words)

    def kill(self) -> None:
        if self.process is not None:
            os.kill(self.process.pid, signal.SIGKILL)
            self.process.wait()


async def until(condition: float) -> None:
    await asyncio.sleep(max(0.0, condition - time.monotonic()))


async def page_key(client: httpx.AsyncClient, link: str) -> tuple[str, str]:
    """Enter by the personal link, and read what the page sends with every answer: where to, and a key."""
    while True:
        try:
            page = await client.get(link, follow_redirects=True)
            if page.status_code == 200:
                found = re.search(r'<script id="data" type="application/json">(.*)</script>', page.text)
                assert found is not None
                data = json.loads(found[1])
                return f"{data['base']}/api/answer", str(data["key"])
        except httpx.HTTPError:
            pass
        await asyncio.sleep(0.3)


async def rate(
    url: str, campaign: str, name: str, token: str, items: int, end: float, pause: float, tally: Tally
) -> None:
    """One rater until the time is over; what was begun is finished."""
    rng = random.Random(f"{campaign} {name}")
    async with httpx.AsyncClient(base_url=url, timeout=20) as client:
        target, key = await page_key(client, f"/r/{token}")
        number = 0
        while time.monotonic() < end:
            await asyncio.sleep(rng.uniform(0.2, 1.8) * pause)
            request, item, value = f"{rng.getrandbits(128):032x}", f"i{number % items}", rng.randint(1, 5)
            number += 1
            tally.intended[request] = campaign, name, item, value
            body = {"request": request, "item": item, "answer": {"value": value}, "seconds": 1.0}
            await save(client, target, body, key, tally, rng)


async def save(
    client: httpx.AsyncClient, target: str, body: dict[str, object], key: str, tally: Tally, rng: random.Random
) -> None:
    """Send an answer until it is saved, as the page does."""
    while True:
        began = time.perf_counter()
        try:
            hang_up = rng.random() < 0.02
            tally.on_the_way += 1
            sending = client.post(target, json=body, headers={"X-Form-Key": key})
            try:
                reply = await asyncio.wait_for(sending, 0.005 if hang_up else None)
            finally:
                tally.on_the_way -= 1
            tally.seconds.append(time.perf_counter() - began)
            if reply.status_code == 200:
                return
            raise RuntimeError(f"{reply.status_code}: {reply.text}")
        except TimeoutError:
            tally.hung_up += 1
        except httpx.HTTPError:
            await asyncio.sleep(rng.uniform(0.3, 1.0))
        tally.resent += 1


async def look(url: str, secret: str, end: float, tally: Tally) -> None:
    """The organiser, who refreshes the dashboard every ten seconds, or a few times in a short run."""
    pause = min(10.0, (end - time.monotonic()) / 4)
    async with httpx.AsyncClient(base_url=url, timeout=60) as client:
        while time.monotonic() < end:
            await asyncio.sleep(pause)
            began = time.perf_counter()
            try:
                page = await client.get(f"/o/{secret}", follow_redirects=True)
                if page.status_code == 200:
                    tally.dashboard.append(time.perf_counter() - began)
            except httpx.HTTPError:
                pass


async def run(server: Server, made: list[tuple[Campaign, Tokens]], options: argparse.Namespace) -> Tally:
    tally = Tally()
    url = f"http://127.0.0.1:{server.port}"
    begin = time.monotonic()
    end = begin + 60 * options.minutes
    work = [
        rate(url, campaign.id, name, token, len(campaign.items), end, options.pause, tally)
        for campaign, tokens in made
        for name, token in tokens.raters.items()
    ]

    async def killer() -> None:
        for kill in range(options.kills):
            await until(begin + (kill + 1) * (end - begin) / (options.kills + 1))
            while not tally.on_the_way:
                await asyncio.sleep(0.001)
            tally.cut.append(tally.on_the_way)
            server.kill()
            await asyncio.sleep(0.5)
            server.start()

    await asyncio.gather(*work, killer(), look(url, made[0][1].organiser, end, tally))
    return tally


def compare(tally: Tally, stored: list[tuple[str, StoredRecord]]) -> tuple[int, int, int]:
    """Lost, doubled and changed answers. stored: every row with its campaign."""
    kept = {row.request: (campaign, row.rater, row.item, row.answer["value"]) for campaign, row in stored}
    doubled = sum(number - 1 for number in Counter(row.request for _, row in stored).values())
    strange = sum(kept[request] != wanted for request, wanted in tally.intended.items() if request in kept)
    return len(tally.intended.keys() - kept.keys()), doubled, strange + len(kept.keys() - tally.intended.keys())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=3.0)
    parser.add_argument("--raters", type=int, default=50)
    parser.add_argument("--kills", type=int, default=5)
    parser.add_argument("--campaigns", type=int, default=1)
    parser.add_argument("--items", type=int, default=500)
    parser.add_argument("--pause", type=float, default=1.0, help="mean seconds between two answers of a rater")
    parser.add_argument("--database", help="by default SQLite, in a temporary folder")
    options = parser.parse_args()
    raters = options.raters // options.campaigns
    made = [make_campaign(f"load{n}", raters, options.items) for n in range(options.campaigns)]
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / f"{campaign.id}.json" for campaign, _ in made]
        for path, (campaign, _) in zip(paths, made, strict=True):
            campaign.write(path)
        server = Server(paths, options.database)
        server.start()
        try:
            tally = asyncio.run(run(server, made, options))
        finally:
            server.kill()
        stored: list[tuple[str, StoredRecord]] = []
        for path, (campaign, _) in zip(paths, made, strict=True):
            with closing(open_store(path, campaign, options.database, shared=len(paths) > 1)) as store:
                stored += [(campaign.id, row) for row in store.records()]
    lost, doubled, strange = compare(tally, stored)
    if not tally.seconds:
        sys.exit("Not one answer was saved in this time: the machine is too busy, or the run too short.")
    p50, p95, p99 = np.percentile(tally.seconds, [50, 95, 99])
    print(f"{len(tally.intended)} answers by {options.raters} raters in {options.minutes:g} minutes; ", end="")
    print(f"{options.kills} kills, with {tally.cut} answers on their way; ", end="")
    print(f"{tally.resent} sent again, of which {tally.hung_up} after hanging up")
    print(f"lost {lost}, doubled {doubled}, changed or unknown {strange}")
    print(f"a save takes (ms): median {1000 * p50:.1f}, p95 {1000 * p95:.1f}, p99 {1000 * p99:.1f}, ", end="")
    print(f"largest {1000 * max(tally.seconds):.0f}; the dashboard: {', '.join(f'{s:.1f} s' for s in tally.dashboard)}")
    return 0 if (lost, doubled, strange) == (0, 0, 0) and p95 < LARGEST_P95 else 1


if __name__ == "__main__":
    sys.exit(main())
