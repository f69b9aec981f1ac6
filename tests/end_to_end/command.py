"""Running the installed command as a user does."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

TERCET = Path(sys.executable).with_name("tercet")


@dataclass(frozen=True)
class Result:
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


def tercet(*arguments: object, cwd: Path, stdin: bytes = b"", **environment: str) -> Result:
    """Run `tercet` in a folder; a traceback is never acceptable."""
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
