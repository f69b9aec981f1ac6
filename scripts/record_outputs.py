"""Record what every command prints and writes, and compare two recordings: before and after a change of the code.

    python scripts/record_outputs.py RECORDING [--only compare meta]
    python scripts/record_outputs.py --compare BEFORE AFTER        list the differences; exit code 1 if there are any

Each section of `recorded_commands.txt` runs in an empty folder with an empty home. Every command runs in a fork of one
process, so that none sees what another left in memory. Times, folders, versions and random links are replaced by names;
pages are recorded without their scripts and with their data unpacked. To record another version: PYTHONPATH=ITS/src.
"""

import argparse
import base64
import difflib
import gzip
import importlib
import itertools
import json
import os
import pkgutil
import re
import shlex
import signal
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

COMMANDS = Path(__file__).resolve().with_name("recorded_commands.txt")
DATA = COMMANDS.parents[2] / "shared" / "data"
SECONDS = 600  # for one command
VOLATILE = [
    (r"\b1\d{18}\b", "NANOSECONDS"),
    (r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?", "TIME"),
    (r"\b(19|20)\d\d-\d\d-\d\d\b(?=[\"'])", "DATE"),
    (r"\b\d+(\.\d+)? ?(ms|seconds?|s|min)\b(?! *of)", "DURATION"),
    (r"(/join/|/organi[sz]er/|#|token=)[\w-]{16,}", r"\1LINK"),
    (r'("(?:hash|token_hash|links?|salt|key|created|organi[sz]er)": )"[\w$+/=:-]{16,}"', r'\1"SECRET"'),
]


def expand(line: str) -> list[str]:
    """Return the line once for each way of choosing from its {a|b|c}."""
    parts = re.split(r"\{([^{}]*\|[^{}]*)\}", line)
    choices = [part.split("|") if i % 2 else [part] for i, part in enumerate(parts)]
    return ["".join(chosen) for chosen in itertools.product(*choices)]


def sections(only: list[str]) -> dict[str, list[str]]:
    """Return the lines of each section, expanded; `only` are beginnings of names."""
    found: dict[str, list[str]] = {}
    for line in COMMANDS.read_text("utf-8").splitlines():
        if line.startswith("["):
            name = line.strip("[]")
            found[name] = []
        elif line and not line.startswith("#"):
            found[name] += expand(line)
    return {name: lines for name, lines in found.items() if not only or name.startswith(tuple(only))}


def prepare(line: str, folder: Path) -> None:
    """Carry out a line that begins with '+': write a file, or copy the first lines of one."""
    kind, _, rest = line[1:].partition(" ")
    if kind == "file":
        name, _, text = rest.partition(" ")
        (folder / name).write_text(json.loads('"' + text.replace('"', '\\"') + '"'), "utf-8", newline="")
    elif kind == "numbers":
        count, name = rest.split()
        (folder / name).write_text("".join(f"{i * 37 % 101 / 100}\n" for i in range(int(count))), "utf-8")
    elif kind == "head":
        count, source, target = rest.split()
        path = Path(source.replace("$DATA", str(DATA)))
        (folder / target).parent.mkdir(parents=True, exist_ok=True)
        with gzip.open(path, "rb") as lines:
            kept = b"".join(itertools.islice(lines, int(count)))
        (folder / target).write_bytes(gzip.compress(kept, mtime=0) if target.endswith(".gz") else kept)


def run(line: str, folder: Path, home: Path, streams: Path) -> int:
    """Run one command line in a fork; its exit code. `streams` gets the files out and err."""
    words, given, variables = shlex.split(line.replace("$DATA", str(DATA))), "/dev/null", {}
    if len(words) > 1 and words[-2] == "<":
        given, words = str(folder / words[-1]), words[:-2]
    while words and "=" in words[0] and words[0].split("=")[0].isupper():
        name, _, value = words.pop(0).partition("=")
        variables[name] = value
    child = os.fork()
    if child == 0:
        for number, path, flags in ((0, given, os.O_RDONLY), (1, streams / "out", 577), (2, streams / "err", 577)):
            os.dup2(os.open(path, flags, 0o600), number)
        os.chdir(folder)
        os.environ.update(variables, HOME=str(home))
        sys.argv, sys.stdin = ["tercet", *words], open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
        sys.stdout, sys.stderr = (open(n, "w", encoding="utf-8", closefd=False) for n in (1, 2))  # noqa: SIM115
        signal.alarm(SECONDS)
        try:
            importlib.import_module("tercet.__main__").run()
        except SystemExit as leaving:
            sys.stdout.flush()
            os._exit(int(leaving.code or 0))
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def record(lines: list[str]) -> Iterator[dict[str, object]]:
    """Run the commands of a section in order; yield what each printed, returned and wrote."""
    with tempfile.TemporaryDirectory() as scratch:
        folder, home, streams = (Path(scratch) / name for name in ("work", "home", "streams"))
        for path in (folder, home, streams):
            path.mkdir()
        seen: dict[Path, tuple[int, int]] = {}
        for line in lines:
            if "$DATA" in line and not DATA.is_dir():
                continue
            if line.startswith("+"):
                prepare(line, folder)
                seen = state(folder)
                continue
            code = run(line, folder, home, streams)
            now = state(folder)
            changed = sorted(path for path in now if seen.get(path) != now[path])
            files = {str(path.relative_to(folder)): readable(path.read_bytes(), scratch) for path in changed}
            out, err = (readable((streams / name).read_bytes(), scratch) for name in ("out", "err"))
            yield {"command": line, "code": code, "out": out, "err": err, "files": files}
            seen = now


def state(folder: Path) -> dict[Path, tuple[int, int]]:
    """Return size and time of change of every file below the folder."""
    return {p: (p.stat().st_size, p.stat().st_mtime_ns) for p in folder.rglob("*") if p.is_file()}


def readable(data: bytes, scratch: str) -> str:
    """Return the text without what changes from run to run; of what is no text the size."""
    try:
        text = (gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data).decode("utf-8")
    except UnicodeDecodeError:
        return f"(not text, {len(data) // 1000} kB)"
    if "<script" in text:
        unpacked = re.compile(r'<script type="application/gzip"[^>]*>([\w+/=\s]+)</script>').sub(
            lambda found: json.dumps(json.loads(gzip.decompress(base64.b64decode(found[1]))), indent=0), text
        )
        text = re.sub(r"(?s)<(script|style)[^>]*>.*?</\1>", r"<\1/>", unpacked)
        text = re.sub(r"'sha256-[^']*'", "'DIGEST'", text)
    version = importlib.import_module("tercet").__version__
    for pattern, name in [
        (re.escape(scratch), "$TMP"),
        (str(DATA), "$DATA"),
        (re.escape(version), "$VERSION"),
        *VOLATILE,
    ]:
        text = re.sub(pattern, name, text)
    return text


def compare(before: Path, after: Path) -> int:
    """Print the differences of two recordings, as far as both have a section; their number."""
    differences = 0
    for path in sorted(after.glob("*.jsonl")):
        if not (before / path.name).exists():
            print(f"{path.stem}: only in {after}")
            continue
        old, new = ({r["command"]: r for r in map(json.loads, p.open("rb"))} for p in (before / path.name, path))
        for command in [*old, *(c for c in new if c not in old)]:
            shown = [_lines(side[command]) if command in side else ["(not recorded)"] for side in (old, new)]
            if shown[0] != shown[1]:
                differences += 1
                print(f"\n=== [{path.stem}] tercet {command}")
                print("\n".join(itertools.islice(difflib.unified_diff(*shown, "before", "after", "", "", 1, ""), 40)))
    print(f"{differences} commands differ.")
    return differences


def _lines(made: dict[str, object]) -> list[str]:
    files = [part for name, text in dict(made["files"]).items() for part in (f"file {name}:", *str(text).split("\n"))]
    streams = [f"{name}: {part}" for name in ("out", "err") for part in str(made[name]).split("\n")]
    return [f"exit code {made['code']}", *streams, *files]


def main() -> None:
    """Record or compare."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("recording", type=Path, nargs="?")
    parser.add_argument("--only", nargs="+", default=[], metavar="SECTION")
    parser.add_argument("--compare", nargs=2, type=Path, metavar=("BEFORE", "AFTER"))
    given = parser.parse_args()
    if given.compare:
        sys.exit(bool(compare(*given.compare)))
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    for name in [n for n in os.environ if n.startswith(("XDG_", "TERCET_", "SACREBLEU", "HF_", "COLUMNS", "GITHUB_"))]:
        del os.environ[name]
    for package in map(importlib.import_module, ("tercet.cli", "tercet.tasks")):  # once, not in every fork
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            importlib.import_module(module.name)
    given.recording.mkdir(parents=True, exist_ok=True)
    for name, lines in sections(given.only).items():
        records = list(record(lines))
        text = "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in records)
        (given.recording / f"{name}.jsonl").write_text(text, "utf-8")
        seconds = os.times().children_user + os.times().children_system
        print(f"{name}: {len(records)} commands, {seconds:.0f} s of CPU so far", file=sys.stderr)


if __name__ == "__main__":
    main()
