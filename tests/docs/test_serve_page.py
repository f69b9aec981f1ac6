"""The examples of docs/commands/serve.md, against a server."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

pytest.importorskip("starlette", reason="the extra tercet[web] is not installed")

from tercet import examples
from tercet.cli import COMMANDS
from tests.unit.tasks.test_serve import Server

from .running import FENCE, ROOT

BLOCKS = list(FENCE.finditer((ROOT / "docs" / "commands" / "serve.md").read_text("utf-8")))
ADDRESS = "http://127.0.0.1:8080"


def test_requests_are_answered(tmp_path: Path) -> None:
    examples.write("en-de", tmp_path)
    server = Server(tmp_path).start()
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    shown = []
    try:
        for block in BLOCKS:
            if ADDRESS not in block[3]:
                continue
            words = [sys.executable, "-c"] if block[1] == "python" else ["bash", "-ec"]
            text = block[3].replace(ADDRESS, server.url).replace("curl ", "curl -sS --fail-with-body ")
            done = subprocess.run(
                [*words, text],
                cwd=tmp_path,
                capture_output=True,
                text=True,
                check=False,
                env=os.environ | {"PATH": path},
            )
            assert done.returncode == 0, done.stderr + done.stdout
            shown.append(done.stdout)
    finally:
        server.stop()
    assert len(shown) == 4 and '"name": "BLEU"' in shown[0] and shown[1] == "81.2\n" and '"pairs"' in shown[3]


def test_units_call_the_command_with_its_options(tmp_path: Path) -> None:
    unit = next(block[3] for block in BLOCKS if "ExecStart" in block[3])
    compose = yaml.safe_load(next(block[3] for block in BLOCKS if block[1] == "yaml"))
    started = re.search(r"ExecStart=\S+/tercet (.*)", unit)
    assert started is not None
    for line in (started[1], compose["services"]["tercet"]["command"]):
        words = line.split()
        assert words[0] in COMMANDS
        help = subprocess.run(
            [sys.executable, "-m", "tercet", "serve", "--help"], capture_output=True, text=True, check=True
        )
        assert all(word in help.stdout for word in words if word.startswith("--"))
