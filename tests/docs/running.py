"""Running the command line inside the test process, and the examples of the documentation.

The convention for examples is written down in CONTRIBUTING.md, section "Examples in the documentation".
"""

import contextlib
import io
import json
import logging
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest import mock

from tercet.cli import main

ROOT = Path(__file__).resolve().parents[2]
FENCE = re.compile(r"^```(\w*)([^\n]*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
SHELL = re.compile(r"[|<>&;`$]")
TIMEOUT = 60  # seconds that one example may take


@dataclass(frozen=True)
class Ran:
    """What a command printed and how it ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The JSON that was printed, without the options of the run."""
        return without_options(self.out)


def without_options(text: str) -> Any:
    """Return the JSON of a result, without the options of the run."""
    found = json.loads(text)
    for each in found if isinstance(found, list) else [found]:
        if isinstance(each, dict):
            each.pop("options", None)
    return found


def run(
    words: Sequence[str],
    *,
    folder: Path | None = None,
    stdin: str | bytes = "",
    environment: Mapping[str, str] | None = None,
) -> Ran:
    """Run `tercet` with these words as the installed command does, without starting a process."""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="\n") for _ in range(2))
    given = io.TextIOWrapper(
        io.BufferedReader(io.BytesIO(stdin.encode() if isinstance(stdin, str) else stdin)), encoding="utf-8"
    )
    code: Any = 0
    with (
        contextlib.chdir(folder or Path.cwd()),
        mock.patch.dict(os.environ, environment or {}),
        mock.patch.multiple(sys, argv=["tercet"], stdin=given, stdout=out, stderr=err),
        # click takes the program's name from here, and would say "python -m pytest".
        mock.patch.object(sys.modules["__main__"], "__package__", None),
        global_state(),
    ):
        try:
            main(list(words))
        except SystemExit as leaving:
            code = leaving.code or 0
    for stream in (out, err):
        stream.flush()
    return Ran(int(code), *(stream.buffer.getvalue().decode("utf-8") for stream in (out, err)))


@contextlib.contextmanager
def global_state() -> Iterator[None]:
    """What the command line changes for the whole process is put back."""
    logger, handler = logging.getLogger("tercet"), signal.getsignal(signal.SIGPIPE)
    kept = logger.handlers[:], logger.propagate, logger.level
    logger.handlers = []
    try:
        yield
    finally:
        logger.handlers, logger.propagate = kept[:2]
        logger.setLevel(kept[2])
        signal.signal(signal.SIGPIPE, handler)


@dataclass
class Page:
    """The examples of one page. Each runs alone, in a copy of the folder.

    What the page needs is in the folder before: the demo's texts, files that a block's title names, and what blocks
    whose title begins with "First" make, files as well as names of Python.
    """

    path: Path
    folder: Path
    module: ModuleType = field(default_factory=lambda: ModuleType("example"))
    code: int = 0

    def run(self) -> int:
        """Run all; returns how many examples there were."""
        text = self.path.read_text("utf-8")
        blocks = list(FENCE.finditer(text))
        done = 0
        for block, following in zip_longest(blocks, blocks[1:]):
            line = text.count("\n", 0, block.start()) + 1
            where = f"{self.path.relative_to(ROOT)}, line {line}"
            title = found[1] if (found := re.search(r'title="([^"]*)"', block[2])) else ""
            if re.fullmatch(r"[\w-]+\.(py|toml)", title):
                (self.folder / title).write_text(block[3], "utf-8")
                done += block[1] == "python"
                continue
            if block[1] not in ("console", "python"):
                continue
            with contextlib.nullcontext(self) if title.startswith("First") else self._copy() as place:
                if block[1] == "console":
                    place._console(block[3], where)
                else:
                    expected = following[3] if following and 'title="Output"' in following[2] else None
                    place._python(block[3], expected, where, line)
            done += 1
        return done

    @contextlib.contextmanager
    def _copy(self) -> Iterator["Page"]:
        """Yield a page in the same state, whose changes leave this one as it is."""
        module = ModuleType(self.module.__name__)
        vars(module).update(vars(self.module))
        with tempfile.TemporaryDirectory(dir=self.folder.parent) as scratch:
            yield Page(self.path, Path(shutil.copytree(self.folder, Path(scratch) / "work")), module)

    def _console(self, block: str, where: str) -> None:
        commands = re.split(r"^\$ ", block, flags=re.MULTILINE)
        assert not commands[0].strip(), f"{where}: a console block begins with '$ '"
        for command in commands[1:]:
            words, _, expected = command.partition("\n")
            check_output(self._execute(words), expected, f"{where}: {words}")

    def _execute(self, line: str) -> str:
        if line == "echo $?":
            return str(self.code)
        words = shlex.split(line)
        # Anything that needs a shell gets one; the rest is faster here.
        quoted = any(SHELL.search(word) for word in words) and not SHELL.search(re.sub(r"'[^']*'", "", line))
        if words[0] == "tercet" and (quoted or not SHELL.search(line)):
            ran = run(words[1:], folder=self.folder)
        else:
            path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
            done = subprocess.run(
                ["bash", "-c", line],
                cwd=self.folder,
                env={**os.environ, "PATH": path},
                capture_output=True,
                text=True,
                timeout=TIMEOUT,
                check=False,
            )
            ran = Ran(done.returncode, done.stdout, done.stderr)
        self.code = ran.code
        return ran.out + ran.err

    def _python(self, block: str, expected: str | None, where: str, line: int) -> None:
        printed = io.StringIO()
        with (
            contextlib.chdir(self.folder),
            contextlib.redirect_stdout(printed),
            self._importable(),
        ):
            # Lines of the page, so that a traceback points there.
            exec(compile("\n" * line + block, str(self.path), "exec"), vars(self.module))
        if expected is not None:
            check_output(printed.getvalue(), expected, where)

    @contextlib.contextmanager
    def _importable(self) -> Iterator[None]:
        """Classes of a page must be found by pickle."""
        sys.modules[self.module.__name__] = self.module
        try:
            yield
        finally:
            del sys.modules[self.module.__name__]


def check_output(actual: str, expected: str, where: str) -> None:
    """Compare outputs: `...` alone on a line is any number of lines, within a line any characters."""
    pattern = ""
    for line in expected.rstrip().split("\n"):
        if line.strip() == "...":
            pattern += r"(?:[^\n]*\n)*"
        else:
            pattern += ".*".join(map(re.escape, line.rstrip().split("..."))) + "\n"
    lines = "".join(f"{line.rstrip()}\n" for line in actual.rstrip().split("\n"))
    if not re.fullmatch(pattern, lines):
        raise AssertionError(f"{where}\n--- the page says\n{expected}\n--- it prints\n{actual}")
