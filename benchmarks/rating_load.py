"""Load and faults of the rating server: many raters at once, and a server that is killed with -9 meanwhile.

    python -m benchmarks.rating_load --minutes 3 --raters 50 --kills 3 [--database postgresql://…]

Simulated raters do what the rating page does: they draw a random number for every answer, and send it again until they
hear that it is saved. Now and then one hangs up before the reply, and the server itself is killed without a warning and
started again. An organiser looks at the dashboard all the while. In the end every answer must be there exactly once.
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
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import numpy as np

from tercet.human.campaign import Campaign, Item, Output, Rater, Tokens
from tercet.human.storage import Store, default_database

SERVE = """
import sys
from tercet.human.server import serve
serve(sys.argv[1], port=int(sys.argv[2]), database=sys.argv[3] or None)
"""
LARGEST_P95 = 0.2  # seconds


@dataclass
class Tally:
    """What the raters know. intended: every request with its rater, item and value."""

    intended: dict[str, tuple[str, str, int]] = field(default_factory=dict)
    seconds: list[float] = field(default_factory=list)  # of every save that was answered
    dashboard: list[float] = field(default_factory=list)
    resent: int = 0
    hung_up: int = 0


def make_campaign(raters: int, items: int) -> tuple[Campaign, Tokens]:
    systems = [f"system{n}" for n in range(5)]
    made = [
        Item(f"i{n}", str(n // 5 + 1), (Output(systems[n % 5], f"output {n} " * 10),), source=f"source {n // 5} " * 10)
        for n in range(items)
    ]
    people = [Rater(f"rater{n}", tuple(item.id for item in made)) for n in range(raters)]
    return Campaign("load", "adequacy", made, people, id="load").with_tokens()


class Server:
    """The server as a process of its own."""

    def __init__(self, campaign: Path, database: str | None) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.words = [sys.executable, "-c", SERVE, str(campaign), str(self.port), database or ""]
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        self.process = subprocess.Popen(self.words)

    def kill(self) -> None:
        if self.process is not None:
            os.kill(self.process.pid, signal.SIGKILL)
            self.process.wait()


async def until(condition: float) -> None:
    await asyncio.sleep(max(0.0, condition - time.monotonic()))


async def page_key(client: httpx.AsyncClient, link: str) -> str:
    """Enter by the personal link, and read the key that the page sends with every answer."""
    while True:
        try:
            page = await client.get(link, follow_redirects=True)
            if page.status_code == 200:
                found = re.search(r'<script id="data" type="application/json">(.*)</script>', page.text)
                assert found is not None
                return str(json.loads(found[1])["key"])
        except httpx.HTTPError:
            pass
        await asyncio.sleep(0.3)


async def rate(url: str, name: str, token: str, items: int, end: float, pause: float, tally: Tally) -> None:
    """One rater until the time is over; what was begun is finished."""
    rng = random.Random(name)
    async with httpx.AsyncClient(base_url=url, timeout=20) as client:
        key = await page_key(client, f"/r/{token}")
        number = 0
        while time.monotonic() < end:
            await asyncio.sleep(rng.uniform(0.2, 1.8) * pause)
            request, item, value = f"{rng.getrandbits(128):032x}", f"i{number % items}", rng.randint(1, 5)
            number += 1
            tally.intended[request] = name, item, value
            body = {"request": request, "item": item, "answer": {"value": value}, "seconds": 1.0}
            await save(client, body, key, tally, rng)


async def save(client: httpx.AsyncClient, body: dict[str, object], key: str, tally: Tally, rng: random.Random) -> None:
    """Send an answer until it is saved, as the page does."""
    while True:
        began = time.perf_counter()
        try:
            hang_up = rng.random() < 0.02
            sending = client.post("/api/answer", json=body, headers={"X-Form-Key": key})
            reply = await asyncio.wait_for(sending, 0.005 if hang_up else None)
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


async def run(server: Server, campaign: Campaign, tokens: Tokens, options: argparse.Namespace) -> Tally:
    tally = Tally()
    url = f"http://127.0.0.1:{server.port}"
    begin = time.monotonic()
    end = begin + 60 * options.minutes
    work = [
        rate(url, name, token, len(campaign.items), end, options.pause, tally) for name, token in tokens.raters.items()
    ]

    async def killer() -> None:
        for kill in range(options.kills):
            await until(begin + (kill + 1) * (end - begin) / (options.kills + 1))
            server.kill()
            await asyncio.sleep(0.5)
            server.start()

    await asyncio.gather(*work, killer(), look(url, tokens.organiser, end, tally))
    return tally


def compare(tally: Tally, store: Store) -> tuple[int, int, int]:
    """Lost, doubled and changed answers."""
    records = list(store.records())
    kept = {record.request: (record.rater, record.item, record.answer["value"]) for record in records}
    doubled = sum(number - 1 for number in Counter(record.request for record in records).values())
    strange = sum(kept[request] != wanted for request, wanted in tally.intended.items() if request in kept)
    return len(tally.intended.keys() - kept.keys()), doubled, strange + len(kept.keys() - tally.intended.keys())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=3.0)
    parser.add_argument("--raters", type=int, default=50)
    parser.add_argument("--kills", type=int, default=3)
    parser.add_argument("--items", type=int, default=500)
    parser.add_argument("--pause", type=float, default=1.0, help="mean seconds between two answers of a rater")
    parser.add_argument("--database", help="by default SQLite, in a temporary folder")
    options = parser.parse_args()
    campaign, tokens = make_campaign(options.raters, options.items)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "campaign.json"
        campaign.write(path)
        server = Server(path, options.database)
        server.start()
        try:
            tally = asyncio.run(run(server, campaign, tokens, options))
        finally:
            server.kill()
        store = Store.open(options.database or default_database(path), campaign)
        lost, doubled, strange = compare(tally, store)
        store.close()
    if not tally.seconds:
        sys.exit("Not one answer was saved in this time: the machine is too busy, or the run too short.")
    p50, p95, p99 = np.percentile(tally.seconds, [50, 95, 99])
    print(f"{len(tally.intended)} answers by {options.raters} raters in {options.minutes:g} minutes; ", end="")
    print(f"{options.kills} kills; {tally.resent} sent again, of which {tally.hung_up} after hanging up")
    print(f"lost {lost}, doubled {doubled}, changed or unknown {strange}")
    print(f"a save takes (ms): median {1000 * p50:.1f}, p95 {1000 * p95:.1f}, p99 {1000 * p99:.1f}, ", end="")
    print(f"largest {1000 * max(tally.seconds):.0f}; the dashboard: {', '.join(f'{s:.1f} s' for s in tally.dashboard)}")
    return 0 if (lost, doubled, strange) == (0, 0, 0) and p95 < LARGEST_P95 else 1


if __name__ == "__main__":
    sys.exit(main())
