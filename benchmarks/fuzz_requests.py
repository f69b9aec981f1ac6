"""What `benchmarks.fuzz` asks the scoring service: odd and damaged requests, answered in this process."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from tercet.errors import UsageError
from tercet.options import declared
from tercet.tasks.serve.requests import TASKS, Allowed, accepted, build, command_of, read_form, read_json
from tercet.tasks.serve.working import Answer, Settings, answer

from .fuzz_hostile import FEATURES

TEXTS = {"outputs": {"a": ["the cat sat", "a dog"], "b": ["the cat", "dogs"]},
         "references": {"r": ["the cat sat down", "a dog"]}}  # fmt: skip
ORDINARY: dict[str, dict[str, Any]] = {  # by task
    "score": {**TEXTS, "metrics": ["chrf", "bleu"], "pair": "en-de"},
    "compare": {**TEXTS, "metrics": ["ter"], "resamples": 20},
    "qe": {"source": {"s": ["a b", "c"]}, "output": {"o": ["x y", "z"]}, "languages": "en-de"},
    "check": TEXTS,
    "explain": {**TEXTS, "metrics": ["chrf"], "segment": 2},
}
FORM = ('--x\r\nContent-Disposition: form-data; name="outputs"; filename="a"\r\n\r\nthe cat\na dog\n\r\n--x\r\n'
        'Content-Disposition: form-data; name="text.references"\r\n\r\nthe cat sat\r\na dog\r\n--x\r\n'
        'Content-Disposition: form-data; name="metrics"\r\n\r\nchrf ter\r\n--x--\r\n')  # fmt: skip
PLACES = ("/etc/hostname", "../secret.txt", "PLACE/refA.txt", "a:/etc/hostname", "a=../secret.txt", "terms:/etc/passwd")
Damage = Callable[[bytes, random.Random], bytes]


def ask_once(
    folder: Path, rng: random.Random, damage: Damage, values: Sequence[Any]
) -> tuple[list[str], str, int, bytes]:
    """Ask for something: return the request in words, the fault (or nothing), the status and body of the answer."""
    task = rng.choice(list(TASKS))
    if rng.random() < 0.25:
        kind, body = "multipart/form-data; boundary=x", FORM.encode()
    else:
        kind, given = "application/json", dict(ORDINARY[task])
        options = accepted(task)
        odd = [*values, *FEATURES, *PLACES, {"a": ["x"]}, {"/etc/x": ["a"]}, {"a": "x\ny\n"}, {"a": {"base64": "YQo="}}]
        for _ in range(rng.choice((0, 1, 1, 2))):
            option = rng.choice(options)
            value = rng.choice([*odd, *(option.choices or ()), 0.5, 2, 7, True, 1e-9, "chrf"])
            value = value.replace("PLACE", str(folder)) if isinstance(value, str) else value
            others = ["files", "token", "nothing", *declared(command_of(task).options)]
            given[option.name if rng.random() < 0.9 else rng.choice(others)] = rng.choice((value, [value]))
        body = json.dumps(given).encode()
    if rng.random() < 0.25:
        body = damage(body, rng)
    try:
        options, files = read_json(body) if kind == "application/json" else read_form(task, body, kind)
        options.pop("token", None)
        request = build(task, options, files, Allowed(), archive=task == "score" and rng.random() < 0.1)
    except UsageError as error:
        found = Answer.error(str(error), 400)
    else:
        found = answer(request, Settings(folder / "worker", None, 0, os.getpid()), lambda *_: None)
    fault = f"status {found.status}: {found.body[:500]!r}" if found.status >= 500 else ""
    return [f"serve {task}", kind, body[:2000].decode("utf-8", "replace")], fault, found.status, found.body
