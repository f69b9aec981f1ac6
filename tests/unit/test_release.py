"""The locked versions of CI fit what the package asks for, and the check of a release notices what is missing."""

import re
import tarfile
import tomllib
import zipfile
from pathlib import Path
from zlib import compress

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from scripts import check_dist

ROOT = Path(__file__).parents[2]


def locked() -> dict[str, str]:
    lines = (ROOT / ".ci" / "constraints.txt").read_text("utf-8").splitlines()
    found = [re.fullmatch(r"([A-Za-z0-9._-]+)==([A-Za-z0-9.+!]+)", line) for line in lines if not line.startswith("#")]
    assert all(found), "a line is not NAME==VERSION"
    return {canonicalize_name(match[1]): match[2] for match in found if match}


def test_every_requirement_of_developers_is_locked_at_a_version_that_it_allows() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras, versions = project["optional-dependencies"], locked()
    todo, seen = ["dev"], set()
    asked = [Requirement(text) for text in project["dependencies"]]
    while todo:
        name = todo.pop()
        seen.add(name)
        for requirement in map(Requirement, extras[name]):
            if requirement.name == "tercet":
                todo += sorted(requirement.extras - seen)
            elif requirement.name != "setuptools":  # a tool of installing, as pip is
                asked.append(requirement)
    assert len(asked) > 40
    for requirement in asked:
        assert requirement.specifier.contains(versions[canonicalize_name(requirement.name)]), requirement


@pytest.fixture
def built(tmp_path: Path) -> Path:
    """A source distribution and a wheel that have everything, without contents."""
    files = check_dist.package_files()
    (tmp_path / "empty").write_text("")
    with tarfile.open(tmp_path / "tercet-1.tar.gz", "w:gz") as archive:
        for name in (*(f"src/{name}" for name in files), *sorted(check_dist.TOP - {"src"})):
            archive.add(tmp_path / "empty", f"tercet-1/{name}")
    with zipfile.ZipFile(tmp_path / "tercet-1.whl", "w") as archive:
        names = {f"tercet/kernels/{name}.x.so" for name in check_dist.KERNELS}
        names |= {f"tercet-1.dist-info/licenses/{name}" for name in ("LICENSE", "NOTICE")}
        for name in names | files:
            archive.writestr(name, "")
    return tmp_path


def test_a_whole_release_is_right(built: Path) -> None:
    assert check_dist.check_sdist(built / "tercet-1.tar.gz") == []
    assert check_dist.check_wheel(built / "tercet-1.whl") == []


def test_files_that_are_missing_or_too_many_are_named(built: Path) -> None:
    with tarfile.open(built / "other.tar.gz", "w:gz") as archive:
        archive.add(built / "empty", "tercet-1/tests/data/x.txt")
    wrong = check_dist.check_sdist(built / "other.tar.gz")
    assert {"other.tar.gz lacks LICENSE", "other.tar.gz has tests/data/x.txt"} < set(wrong)
    with zipfile.ZipFile(built / "other.whl", "w") as archive:
        archive.writestr("benchmarks/fuzz.py", "")
        archive.writestr("tercet/kernels/ngrams.c", "")
        archive.writestr("tercet/metrics/data/found.bin", bytes(2))
    check_dist.LARGEST, usual = 10, check_dist.LARGEST
    wrong = check_dist.check_wheel(built / "other.whl")
    check_dist.LARGEST = usual
    assert "other.whl: the licence of metrics/data/found.bin is not in docs/licences.md" in wrong
    assert "other.whl has 0 MB, more than 0" in wrong
    lacking = {"other.whl lacks a compiled ngrams", "other.whl lacks NOTICE"}
    assert lacking | {"other.whl has benchmarks/fuzz.py", "other.whl has tercet/kernels/ngrams.c"} < set(wrong)


def test_the_package_fits_into_a_wheel() -> None:
    paths = [check_dist.PACKAGE.parent / name for name in check_dist.package_files()]
    packed = (".model", ".xz")  # compressed already
    sizes = [path.stat().st_size if path.suffix in packed else len(compress(path.read_bytes(), 1)) for path in paths]
    kernels = 4_000_000
    assert sum(sizes) + kernels < check_dist.LARGEST
