"""What `benchmarks.fuzz` adds to damage: forged models, a hostile service, files that change while read, long lines."""

from __future__ import annotations

import json
import random
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np

from tercet.learning.examples import standard_units
from tercet.learning.predictors import LinearPredictor
from tercet.metrics.bases.learned_model import LearnedModel

KEY = "canary-of-the-key"
CODE = """from pathlib import Path
Path(__file__).with_suffix(".ran").touch()
def f(output, references):
    return 1.0
"""
FEATURES = (  # what a forged model asks for; PLACE and SERVICE are replaced
    "chrf", "ter", "bleu@*", "length@nothing", "PLACE/own.py:f", "own.py:f@part", "mean:of=PLACE/own.py:f+chrf",
    "Mean|of:PLACE/own.py:f|scale:none|version:1", "judge:endpoint=SERVICE,model=m", "learned:model=forged.metric",
    "mean:of=judge:endpoint=SERVICE;model=m+chrf", "learned:model=forged.metric,trust_features=true",
    "cobalt:parser=spacy:PLACE", "bleurt:model=PLACE", "bertscore:encoder=hf:PLACE,trust_pickle=true", "no_metric",
    "chrf:word_order=-1", "bertscore:encoder=onnx:PLACE", "kobe:kb=PLACE", "x" * 300, "", "\u0000", "chrf|",
)  # fmt: skip
WEIGHTS = (1.0, 0.0, -1.0, 1e300, 1e-320)


def forge_model(place: Path, service: str, rng: random.Random) -> None:
    """Write a model whose manifest is whole, with features that somebody else would like to be used."""
    features = tuple(
        dict.fromkeys(
            rng.choice(FEATURES).replace("PLACE", str(place)).replace("SERVICE", service)
            for _ in range(rng.choice((1, 1, 2, 5)))
        )
    )
    inputs, _ = standard_units(np.random.default_rng(rng.randrange(99)).normal(size=(5, len(features))))
    weights = np.array([rng.choice(WEIGHTS) for _ in features])
    model = LearnedModel(features, LinearPredictor(inputs, weights, rng.choice(WEIGHTS)), "en", "Forged")
    model.save(place / "forged.metric")


def forge_config(place: Path, service: str, rng: random.Random) -> None:
    """Write options that somebody else would like to be used."""
    specs = [rng.choice(FEATURES).replace("PLACE", str(place)).replace("SERVICE", service) for _ in range(2)]
    options: dict[str, Any] = {"command": "score", "metrics": specs}
    more = {"trust_features": True, "allow_network": True, "cluster": service, "save": "/dev/full", "server": service,
            "pair": 7, "nothing": None, "jobs": 99, "form": ["json"]}  # fmt: skip
    for name, value in more.items():
        if rng.random() < 0.15:
            options[name] = value
    (place / "run.json").write_text(json.dumps({"options": options}))


def with_long_line(data: bytes, rng: random.Random) -> bytes:
    """Return a text of which one line is very long."""
    lines = data.split(b"\n")
    word = rng.choice((b"a ", b"w%d ", b"x", "ж ".encode(), "猫".encode()))
    many = rng.choice((5_001, 20_001))
    made = b"".join(word % (i % 977) for i in range(many)) if b"%d" in word else word * many
    lines[rng.randrange(len(lines))] = made
    return b"\n".join(lines)


class Changes:
    """Changes a file when it is opened for the n-th time, as somebody else could who writes while it is read."""

    def __init__(self) -> None:
        self.path, self.left, self.data = "", 0, b""
        sys.addaudithook(self._look)  # for good: there is no way to take a hook back

    def at(self, path: Path, opening: int, data: bytes) -> None:
        self.data, self.left, self.path = data, opening, str(path.resolve())

    def stop(self) -> None:
        self.path = ""

    def _look(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event != "open" or not self.path or not isinstance(arguments[0], str | Path):
            return
        if Path(arguments[0]).name != Path(self.path).name:
            return
        self.left -= 1
        if self.left == 0:
            path, self.path = self.path, ""
            Path(path).write_bytes(self.data)


OK = b"HTTP/1.1 200 OK\r\n"
ANSWERS = (  # of the hostile service, none of which is whole
    b"", b"\xff\xfe\0", OK + b"\r\n", b"HTTP/1.1 100 Continue\r\n\r\n" * 50, OK + b"X: y\r\n" * 200,
    b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:9/\r\n\r\n", OK + b"Content-Length: -1\r\n\r\n{}",
    OK + b"Content-Length: 99999999999\r\n\r\n{}", b"HTTP/1.1 500 " + b"x" * 9000 + b"\r\n\r\n",
    OK + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n", OK + b"Content-Encoding: gzip\r\n\r\n\x1f\x8b",
)  # fmt: skip


def _said(content: object, **more: object) -> str:
    return json.dumps({"choices": [{"message": {"content": content}}], **more})


BODIES = (
    "{}", "[]", "null", "NaN", "[" * 100_000, '{"choices": []}', _said(None), _said("1e400"), _said("50", usage=[]),
    _said("50", usage={"prompt_tokens": float("inf"), "completion_tokens": "x"}), _said(KEY), _said("9" * 9000),
    _said("100 or 0"), _said("NaN"), json.dumps({"error": {"message": f"{KEY} \x1b[2J"}}),
)  # fmt: skip


class Service:
    """A service that answers with anything. asked: how many connections it had."""

    def __init__(self) -> None:
        self.address, self.asked, self.rng = "", 0, random.Random(0)

    def answer(self, connection: socket.socket) -> None:
        with connection, suppress(OSError):
            connection.settimeout(1)
            connection.recv(1 << 20)
            if self.rng.random() < 0.4:
                connection.sendall(self.rng.choice(ANSWERS))
                return
            body = self.rng.choice(BODIES).encode()
            code = self.rng.choice((200, 200, 200, 401, 429, 500))
            connection.sendall(b"HTTP/1.1 %d X\r\nContent-Length: %d\r\n\r\n" % (code, len(body)) + body)


@contextmanager
def hostile_service() -> Iterator[Service]:
    """Serve on a free port until the block ends."""
    service, ended = Service(), threading.Event()
    listening = socket.create_server(("127.0.0.1", 0))
    service.address = f"http://127.0.0.1:{listening.getsockname()[1]}/v1"

    def accept() -> None:
        while not ended.is_set():
            with suppress(OSError):
                connection, _ = listening.accept()
                service.asked += 1
                service.answer(connection)

    threading.Thread(target=accept, daemon=True).start()
    try:
        yield service
    finally:
        ended.set()
        listening.shutdown(socket.SHUT_RDWR)
        listening.close()
