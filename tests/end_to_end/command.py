"""Running the command as a user does: within the test process, which is fast, or in one of its own."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.docs.running import run

TERCET = Path(sys.executable).with_name("tercet")


@dataclass(frozen=True)
class Result:
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The JSON that was printed, without the options of the run."""
        found = json.loads(self.out)
        for each in found if isinstance(found, list) else [found]:
            if isinstance(each, dict):
                each.pop("options", None)
        return found


def tercet(*arguments: object, cwd: Path, stdin: bytes = b"", **environment: str) -> Result:
    """Run `tercet` in a folder, within this process; a traceback is never acceptable."""
    ran = run(list(map(str, arguments)), folder=cwd, stdin=stdin, environment=environment)
    assert "Traceback" not in ran.err, ran.err
    return Result(ran.code, ran.out, ran.err)


def tercet_process(*arguments: object, cwd: Path, stdin: bytes = b"", **environment: str) -> Result:
    """Run the installed command in a process of its own, for what only a process can show."""
    done = subprocess.run(
        [str(TERCET), *map(str, arguments)],
        cwd=cwd,
        input=stdin,
        capture_output=True,
        timeout=300,
        env={**os.environ, **environment},
        check=False,
    )
    result = Result(done.returncode, done.stdout.decode(), done.stderr.decode())
    assert "Traceback" not in result.err, result.err
    return result
