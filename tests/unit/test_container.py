"""The Dockerfile and the workflow of the wheels, which cannot run here: what must be true of their text."""

import json
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
Stage = list[tuple[str, str]]


def stages() -> list[Stage]:
    """The instructions of each stage of the Dockerfile, without comments, lines joined."""
    text = re.sub(r"^#.*\n", "", (ROOT / "Dockerfile").read_text("utf-8"), flags=re.MULTILINE).replace("\\\n", " ")
    found: list[Stage] = []
    for line in filter(None, text.splitlines()):
        name, _, rest = line.partition(" ")
        assert name in {"ARG", "FROM", "WORKDIR", "COPY", "RUN", "USER", "ENTRYPOINT", "CMD"}, line
        if name == "FROM":
            found.append([])
        if found:
            found[-1].append((name, rest))
    return found


def values(stage: Stage, name: str) -> list[str]:
    return [rest for instruction, rest in stage if instruction == name]


def test_the_container_is_slim_and_has_no_compiler() -> None:
    build, result = stages()
    assert values(build, "FROM")[0].endswith(" AS build")
    assert re.fullmatch(r"python:\S+-slim-\w+", values(result, "FROM")[0])  # no gcc in it
    assert not re.search(r"\b(gcc|clang|make|apt-get|pip)\b", " ".join(values(result, "RUN")))
    assert all(rest.startswith("--from=build ") for rest in values(result, "COPY"))
    assert values(result, "USER")[-1].isdigit()
    assert values(result, "USER")[-1] != "0"
    assert json.loads(values(result, "ENTRYPOINT")[0])[0].endswith("/bin/tercet")


def test_the_container_keeps_no_caches_and_names_its_base() -> None:
    for stage in stages():
        (base,) = values(stage, "FROM")
        assert ":" in base
        assert "latest" not in base
        assert all("--no-cache-dir" in run for run in values(stage, "RUN") if "pip install" in run)
        assert all(folder.startswith("/") for folder in values(stage, "WORKDIR"))


def test_the_context_of_the_container_has_what_the_package_is_built_from() -> None:
    kept = {line[1:] for line in (ROOT / ".dockerignore").read_text("utf-8").splitlines() if line.startswith("!")}
    assert kept == {"pyproject.toml", "setup.py", "README.md", "LICENSE", "NOTICE", "src"}


@pytest.mark.skipif(shutil.which("hadolint") is None, reason="hadolint is not installed")
def test_hadolint_finds_nothing() -> None:
    done = subprocess.run(["hadolint", "--no-color", ROOT / "Dockerfile"], check=False, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "")


def test_wheels_are_built_for_three_platforms_and_every_python_that_is_named() -> None:
    workflow = yaml.safe_load((ROOT / ".github/workflows/wheels.yml").read_text("utf-8"))
    systems = workflow["jobs"]["wheels"]["strategy"]["matrix"]["os"]
    assert [name.partition("-")[0] for name in systems] == ["ubuntu", "macos", "windows"]
    used = [step["uses"] for job in workflow["jobs"].values() for step in job["steps"] if "uses" in step]
    assert all(re.fullmatch(r"[\w/-]+@v[\d.]+", action) for action in used)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    built = project["tool"]["cibuildwheel"]["build"].split()
    named = [line.rpartition(" ")[2] for line in project["project"]["classifiers"] if "Python :: 3." in line]
    assert built == [f"cp{version.replace('.', '')}-*" for version in named]
