"""Check what a release would upload: python scripts/check_dist.py dist

Fails if the source distribution lacks a file that building needs or has files of another place, and if a wheel
lacks data, licences or a compiled kernel (a kernel that does not compile is left out without an error), has data whose
licence is not in docs/licences.md, or is larger than LARGEST.
"""

from __future__ import annotations

import re
import sys
import tarfile
import zipfile
from fnmatch import fnmatch
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "tercet"
KERNELS = {path.stem for path in (PACKAGE / "kernels").glob("[!_]*.py")} - {"plain"} | {"_shared"}
MADE = (".so", ".pyd", ".c", ".pyc")  # by builds; not in a checkout
CODE = {".py", ".typed", *MADE}
LARGEST = 95_000_000  # bytes of a wheel: raise it knowingly (models: 21 MB for 28 languages, 34 MB for English)
TOP = {"LICENSE", "NOTICE", "README.md", "PKG-INFO", "pyproject.toml", "setup.cfg", "setup.py", "src"}


def package_files() -> set[str]:
    """Return the files of the package in the checkout, as paths from its folder's parent."""
    found = (path for path in PACKAGE.rglob("*") if path.is_file() and path.suffix not in MADE)
    return {path.relative_to(PACKAGE.parent).as_posix() for path in found}


def licensed() -> list[str]:
    """Return the names and patterns of data files whose licence docs/licences.md tells, from the package's folder."""
    rows = [line for line in (ROOT / "docs" / "licences.md").read_text("utf-8").splitlines() if line.startswith("| `")]
    return [name for line in rows for name in re.findall(r"`([^`]+)`", line.split("|")[1])]


def without_licence(names: set[str]) -> list[str]:
    """Return the data files among these of the package whose licence is not told."""
    known = licensed()
    data = [name.removeprefix("tercet/") for name in sorted(names) if Path(name).suffix not in CODE]
    return [name for name in data if not any(fnmatch(name, row) for row in known)]


def check_sdist(path: Path) -> list[str]:
    """Return what is wrong with a source distribution."""
    with tarfile.open(path) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()} - {""}
    wanted = {f"src/{name}" for name in package_files()} | {"LICENSE", "NOTICE", "README.md", "setup.py"}
    wrong = [f"{path.name} lacks {name}" for name in sorted(wanted - names)]
    odd = {name for name in names if name.split("/")[0] not in TOP or name.endswith(MADE)}
    return wrong + [f"{path.name} has {name}" for name in sorted(odd)]


def check_wheel(path: Path) -> list[str]:
    """Return what is wrong with a wheel."""
    with zipfile.ZipFile(path) as archive:
        names = set(archive.namelist())
    wrong = [f"{path.name} lacks {name}" for name in sorted(package_files() - names)]
    compiled = {
        name.split("/")[2].split(".")[0]
        for name in names
        if "/kernels/" in name and Path(name).suffix in (".so", ".pyd")
    }
    wrong += [f"{path.name} lacks a compiled {name}" for name in sorted(KERNELS - compiled)]
    wrong += [f"{path.name} has {name}" for name in sorted(names) if name.endswith(MADE[2:])]
    inside = {name for name in names if name.startswith("tercet/")}
    wrong += [f"{path.name}: the licence of {name} is not in docs/licences.md" for name in without_licence(inside)]
    if path.stat().st_size > LARGEST:
        wrong.append(f"{path.name} has {path.stat().st_size / 1e6:.0f} MB, more than {LARGEST / 1e6:.0f}")
    licences = {name.rpartition("/")[2] for name in names if ".dist-info/licenses/" in name}
    wrong += [f"{path.name} lacks {name}" for name in ("LICENSE", "NOTICE") if name not in licences]
    odd = [name for name in names if not name.startswith("tercet/") and ".dist-info/" not in name]
    return wrong + [f"{path.name} has {name}" for name in sorted(odd)]


def main() -> None:
    """Check the files of the folder; exit with 1 if something is wrong."""
    folder = Path(sys.argv[1])
    sdists, wheels = sorted(folder.glob("*.tar.gz")), sorted(folder.glob("*.whl"))
    wrong = [] if sdists or wheels else [f"{folder} has no source distribution and no wheel."]
    for path in (*sdists, *wheels):
        wrong += (check_wheel if path.suffix == ".whl" else check_sdist)(path)
        print(f"{path.name}: {path.stat().st_size / 1e6:.1f} MB")
    sys.exit("\n".join(wrong) if wrong else 0)


if __name__ == "__main__":
    main()
