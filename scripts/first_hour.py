"""Install a clone as a new user does, run the commands of the README, and time it.

    python scripts/first_hour.py [--pythons python3.11 python3.12] [--write]

For each Python: a fresh clone, an empty environment, `pip install .`, and every command of README.md, once as installed
and once without a compiler; both without a network, with PYTHONUTF8=0 and the locale C. --write puts the figures into
docs/install.md.
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "install.md"
MARKS = ("<!-- figures of scripts/first_hour: begin -->\n", "<!-- figures of scripts/first_hour: end -->\n")
POOR = {"PYTHONUTF8": "0", "LC_ALL": "C", "LANG": "C", "https_proxy": "http://127.0.0.1:9", "NO_COLOR": "1"}
FIRST = ["score", "refA.txt", "-i", "Alder.txt"]


class Took(NamedTuple):
    """Seconds on the clock, and of all processors."""

    wall: float
    cpu: float


def timed(words: Sequence[str], folder: Path, environment: Mapping[str, str] | None = None) -> Took:
    """Run a command; an error ends the script with what it printed."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    ran = subprocess.run(words, cwd=folder, env={**os.environ, **(environment or {})}, capture_output=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if ran.returncode:
        sys.exit(f"{shlex.join(words)}: exit code {ran.returncode}\n{ran.stderr.decode(errors='replace')}")
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Took(time.monotonic() - began, cpu)


def readme_commands() -> list[list[str]]:
    """Return the commands of the README that a reader can run in the folder of the demo."""
    text = (ROOT / "README.md").read_text("utf-8")
    blocks = re.findall(r"^```console\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    lines = [line[2:] for block in blocks for line in block.split("\n") if line.startswith("$ tercet ")]
    return [shlex.split(line)[1:] for line in lines]


def offline() -> list[str]:
    """Return the words before a command that take the network away, where the system allows it."""
    words = ["unshare", "--map-root-user", "--net"]
    works = (
        shutil.which("unshare") and not subprocess.run([*words, "true"], capture_output=True, check=False).returncode
    )
    return words if works else []


def try_out(python: str, work: Path, *, compiler: bool) -> dict[str, Took]:
    """Install and run everything with one Python. Returns what each step took."""
    clone, environment, demo = work / "clone", work / "venv", work / "demo"
    found = {"clone": timed(["git", "clone", "--quiet", "--no-local", str(ROOT), str(clone)], work)}
    found["environment"] = timed([python, "-m", "venv", str(environment)], work)
    without = {} if compiler else {"CC": "false", "CXX": "false"}
    pip = [str(environment / "bin" / "python"), "-m", "pip", "install", "--quiet", "."]
    found["pip install ."] = timed(pip, clone, without)
    tercet = [*offline(), str(environment / "bin" / "tercet")]
    timed([*tercet, "demo", "--write", str(demo)], work, POOR)
    found["the first score"] = timed([*tercet, *FIRST], demo, POOR)
    took = [timed([*tercet, *words], demo, POOR) for words in readme_commands() if not may_fail(words)]
    found[f"{len(took)} commands of the README"] = Took(sum(t.wall for t in took), sum(t.cpu for t in took))
    return found


def may_fail(words: Sequence[str]) -> bool:
    """Return whether a command ends with another exit code than 0 because of what it finds."""
    return words[0] == "check"


def table(results: Mapping[str, Mapping[str, Took]]) -> str:
    """Return the figures in Markdown."""
    steps = list(dict.fromkeys(step for took in results.values() for step in took))
    lines = [f"| CPU seconds (on the clock) | {' | '.join(results)} |", "|---|" + "---:|" * len(results)]
    for step in steps:
        cells = [f"{took[step].cpu:.1f} ({took[step].wall:.1f})" for took in results.values()]
        lines.append(f"| {step} | {' | '.join(cells)} |")
    totals = [[sum(took[step][kind] for step in steps[:4]) for kind in (1, 0)] for took in results.values()]
    lines.append(f"| to the first score | {' | '.join(f'**{cpu:.0f}** ({wall:.0f})' for cpu, wall in totals)} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Try all Pythons of this computer, or those that are named."""
    known = [name for minor in (11, 12, 13, 14) if shutil.which(name := f"python3.{minor}")]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pythons", nargs="+", default=known or [sys.executable])
    parser.add_argument("--write", action="store_true", help="put the figures into docs/install.md")
    options = parser.parse_args()
    results = {}
    for python in options.pythons:
        for compiler in (True, False):
            with tempfile.TemporaryDirectory() as work:
                name = Path(python).name + ("" if compiler else ", no compiler")
                results[name] = try_out(python, Path(work), compiler=compiler)
                print(name, results[name], file=sys.stderr, flush=True)
    shown = table(results)
    print(shown)
    if options.write:
        before, rest = PAGE.read_text("utf-8").split(MARKS[0])
        PAGE.write_text(before + MARKS[0] + "\n" + shown + "\n" + MARKS[1] + rest.split(MARKS[1])[1], "utf-8")


if __name__ == "__main__":
    main()
