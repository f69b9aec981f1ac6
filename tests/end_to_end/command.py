"""Running the command as a user does: within the test process, which is fast, or in one of its own."""

import os
import subprocess
import sys
from pathlib import Path

from tests.docs.running import Ran, run

TERCET = Path(sys.executable).with_name("tercet")


def tercet(*arguments: object, cwd: Path, stdin: bytes = b"", **environment: str) -> Ran:
    """Run `tercet` in a folder, within this process; a traceback is never acceptable."""
    ran = run(list(map(str, arguments)), folder=cwd, stdin=stdin, environment=environment)
    assert "Traceback" not in ran.err, ran.err
    return ran


def tercet_process(*arguments: object, cwd: Path, stdin: bytes = b"", **environment: str) -> Ran:
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
    result = Ran(done.returncode, done.stdout.decode(), done.stderr.decode())
    assert "Traceback" not in result.err, result.err
    return result
