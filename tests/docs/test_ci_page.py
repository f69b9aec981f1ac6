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

PAGES = [block for block in FENCE.finditer((ROOT / "docs" / "ci.md").read_text("utf-8")) if block[1] == "yaml"]
BLOCKS = [block for block in PAGES if "run:" in block[3] or "script:" in block[3]]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
GH = """#!/bin/sh
echo "$@" >> calls
case "$*" in *paginate*) cat known 2>/dev/null || true ;; esac
"""  # in place of GitHub's command


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


def run_script(script: str, folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    path = f"{folder}{os.pathsep}{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    words = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script]  # as GitHub runs it
    environment = {**os.environ, "PATH": path, **variables}
    return subprocess.run(words, cwd=folder, env=environment, check=False, capture_output=True, text=True)


def test_the_page_shows_the_actions_inputs() -> None:
    used = next(yaml.safe_load(block[3]) for block in PAGES if "OWNER/tercet" in block[3])
    given = next(step["with"] for step in used["jobs"]["quality"]["steps"] if "with" in step)
    assert given.keys() <= ACTION["inputs"].keys()
    assert {name for name, about in ACTION["inputs"].items() if about.get("required")} <= given.keys()
    parts = yaml.safe_load_all((ROOT / "templates" / "compare.yml").read_text("utf-8"))
    component = next(yaml.safe_load(block[3]) for block in PAGES if "component:" in block[3])["include"][0]["inputs"]
    assert component.keys() <= next(parts)["spec"]["inputs"].keys()


@pytest.mark.parametrize("new", ["Alder.txt", "Cedar.txt"])
def test_the_steps_of_the_action_run(new: str, tmp_path: Path) -> None:
    examples.write("en-de", tmp_path)
    (tmp_path / "new one.txt").write_bytes((tmp_path / new).read_bytes())
    (tmp_path / "gh").write_text(GH)
    (tmp_path / "gh").chmod(0o755)
    steps = {step["name"]: step for step in ACTION["runs"]["steps"] if "run" in step}
    assert not [name for name, step in steps.items() if "${{" in step["run"]]  # inputs would be run as code
    failing = new == "Cedar.txt"
    given = {
        name: ACTION["inputs"].get(name.lower().replace("_", "-"), {}).get("default", "")
        for name in ("METRICS", "FAIL_IF")
    }
    given |= {
        "REFERENCES": "refA.txt\nrefB.txt\n",
        "BASELINE": "Birch.txt",
        "OUTPUTS": "\nnew one.txt\n",
        "SOURCE": "",
        "PAIR": "en-de",
    }
    files = {"GITHUB_OUTPUT": "output", "GITHUB_STEP_SUMMARY": "summary.md", "RUNNER_TEMP": "."}
    done = run_script(steps["Compare"]["run"], tmp_path, **given, **files)
    assert done.returncode == 0, done.stderr
    assert f"failed={str(failing).lower()}\n" in (tmp_path / "output").read_text()
    report = (tmp_path / "tercet.md").read_text("utf-8")
    assert report.startswith("<!-- tercet compare -->") and "| chrF2 |" in report and "<details>" in report
    place = {"PLACE": "repos/a/b/issues/7/comments", "REPORT": "tercet.md", "GH_TOKEN": "x"}
    run_script(steps["Comment"]["run"], tmp_path, **place)
    (tmp_path / "known").write_text("41\n42\n")
    assert run_script(steps["Comment"]["run"], tmp_path, **place).returncode == 0
    calls = (tmp_path / "calls").read_text().splitlines()
    assert calls[1] == "api --method POST repos/a/b/issues/7/comments -F body=@tercet.md"
    assert calls[3] == "api --method PATCH repos/a/b/issues/comments/41 -F body=@tercet.md"
    assert run_script(steps["Verdict"]["run"], tmp_path, FAILED=str(failing).lower()).returncode == (
        3 if failing else 0
    )
    wrong = run_script(steps["Compare"]["run"], tmp_path, **given | {"BASELINE": "nowhere.txt"}, **files)
    assert wrong.returncode == 2 and "nowhere.txt" in wrong.stderr


@pytest.mark.parametrize("new", ["Alder.txt", "Cedar.txt"])
def test_the_component_for_gitlab_runs(new: str, tmp_path: Path) -> None:
    examples.write("en-de", tmp_path)
    spec, jobs = (ROOT / "templates" / "compare.yml").read_text("utf-8").split("\n---\n")
    inputs = {name: about.get("default", "") for name, about in yaml.safe_load(spec)["spec"]["inputs"].items()}
    inputs |= {"references": "refA.txt refB.txt", "baseline": "Birch.txt", "outputs": new}
    job = yaml.safe_load(re.sub(r"\$\[\[ inputs\.([\w-]+) \]\]", lambda found: inputs[found[1]], jobs))[
        "translation-quality"
    ]
    install, compare = job["script"]
    assert install == "pip install wheels/tercet-*.whl"
    done = run_script(compare, tmp_path, **job["variables"])
    assert done.returncode == (3 if new == "Cedar.txt" else 0), done.stderr
    assert b"</html>" in (tmp_path / job["artifacts"]["paths"][0]).read_bytes()
    assert ElementTree.parse(tmp_path / "quality.xml").getroot().attrib["failures"] == (
        "2" if new == "Cedar.txt" else "0"
    )
