"""The pipelines of docs/ci.md: valid YAML, whose commands run in a shell as they stand there."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import yaml

from tercet import examples

from .running import FENCE, ROOT

BLOCKS = [block for block in FENCE.finditer((ROOT / "docs" / "ci.md").read_text("utf-8")) if block[1] == "yaml"]


def commands(pipeline: dict[str, Any]) -> list[str]:
    if "jobs" in pipeline:
        return [step["run"] for step in pipeline["jobs"]["compare"]["steps"] if "run" in step]
    return list(pipeline["translation-quality"]["script"])


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: re.search('"(.*)"', block[2])[1])
@pytest.mark.parametrize(("new", "code"), [("Alder.txt", 0), ("Cedar.txt", 3)])
def test_the_commands_of_a_pipeline_run(block: re.Match[str], new: str, code: int, tmp_path: Path) -> None:
    examples.write("en-de", tmp_path)
    for name, path in (("ref.txt", "refA.txt"), ("old.txt", "Birch.txt"), ("new.txt", new)):
        (tmp_path / name).write_bytes((tmp_path / path).read_bytes())
    install, check, compare = commands(yaml.safe_load(block[3]))
    assert install == "pip install wheels/tercet-*.whl"
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = os.environ | {"PATH": path, "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md")}
    for command, expected in ((check, 0 if code == 0 else 1), (compare, code)):
        done = subprocess.run(["bash", "-ec", command], cwd=tmp_path, env=environment, check=False, capture_output=True)
        assert done.returncode == expected, done.stderr.decode()
    assert (tmp_path / "comparison.txt").stat().st_size > 1000
    failed = ElementTree.parse(tmp_path / "quality.xml").getroot().attrib["failures"]
    assert (failed == "0") == (code == 0)
    assert "conditions" in (tmp_path / "summary.md").read_text("utf-8")
