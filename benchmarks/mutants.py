"""Mutation testing of the statistics: python -m benchmarks.mutants --per-module 15

Changes one thing at a time in a module of tercet.stats (a comparison, an operator, a number, a truth value), and runs
the module's tests in a forked process that loads the changed module. A mutant that no test notices survives: a test is
missing, or the change makes no difference. Sites depend on the seed only; `--only MODULE:SITE` repeats one. Modules of
other packages are named with their package: `--modules metaeval.measures`.
"""

from __future__ import annotations

import argparse
import ast
import copy
import importlib
import os
import random
import resource
import sys
from collections.abc import Iterator, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import CodeType
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
STATS = ROOT / "src" / "tercet" / "stats"
TESTS = ROOT / "tests" / "unit" / "stats"
LIMIT = 30  # seconds of CPU for the tests of one mutant
ELSEWHERE = {  # tests of modules that have no file of their own
    "raters": ["tests/unit/stats/test_reliability.py"],
    "winners": ["tests/unit/stats/test_williams.py", "tests/unit/stats/test_permutation.py"],
    "metaeval.measures": [f"tests/unit/metaeval/test_{name}.py" for name in ("measures", "measurement", "judging")],
    "human.agreement_measures": ["tests/unit/human/test_agreement.py"],
    "options": ["tests/unit/test_tasks.py"],
    "data.formats": ["tests/unit/data"],
    "learning": ["tests/unit/learning", "tests/unit/data/test_model_file.py"],
    "tasks.serve": ["tests/unit/tasks/test_serve.py"],
    "tasks.track": ["tests/unit/tasks/test_track.py"],
    "tasks.review": ["tests/unit/tasks/test_review.py"],
}
# Of those, tests that start processes, wait, or take seconds.
SLOW = "not (postgres or killed or outlive or two_processes or 100_000 or queue or encoder or too_long or estimated)"
WIDER = ["tests/property/test_stats.py", "tests/property/test_significance.py"]  # for survivors
OTHER = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult,
    ast.Pow: ast.Mult, ast.And: ast.Or, ast.Or: ast.And, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.USub: ast.UAdd, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip


def mutants(source: str) -> Iterator[tuple[str, ast.Module]]:
    """Yield every mutant of a module: what was changed in which line, and the changed tree."""
    tree = ast.parse(source)
    nodes = list(_code(tree))
    for number, node in enumerate(nodes):
        for what, change in _changes(node):
            changed = copy.deepcopy(tree)
            change(list(_code(changed))[number])
            yield f"line {node.lineno}: {what} in {ast.unparse(node)[:70]}", ast.fix_missing_locations(changed)


def _code(tree: ast.AST) -> Iterator[Any]:
    """Yield the nodes of expressions, without annotations, docstrings, error messages and overloads."""
    for name, value in ast.iter_fields(tree):
        if name in ("annotation", "returns", "decorator_list", "exc"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and not isinstance(child, ast.JoinedStr | ast.Import | ast.ImportFrom):
                if hasattr(child, "lineno"):
                    yield child
                yield from _code(child)


def _changes(node: ast.AST) -> Iterator[tuple[str, Any]]:
    if isinstance(node, ast.Compare) and type(node.ops[0]) in OTHER:
        yield _named(node.ops[0]), lambda it: it.ops.__setitem__(0, OTHER[type(it.ops[0])]())
    elif isinstance(node, ast.BinOp | ast.BoolOp | ast.UnaryOp | ast.AugAssign) and type(node.op) in OTHER:
        yield _named(node.op), lambda it: setattr(it, "op", OTHER[type(it.op)]())
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.Invert):
        yield "negation left out", lambda it: setattr(it, "op", ast.UAdd())
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield f"{node.value} to {not node.value}", lambda it: setattr(it, "value", not it.value)
    elif isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        yield f"{node.value} to {node.value + 1}", lambda it: setattr(it, "value", it.value + 1)


def _named(op: ast.AST) -> str:
    return f"{type(op).__name__} to {OTHER[type(op)].__name__}"


class _Changed(MetaPathFinder):
    """Loads one module from a tree."""

    def __init__(self, name: str, tree: ast.Module) -> None:
        self.name, self.tree = name, tree

    def find_spec(self, name: str, path: Sequence[str] | None, target: Any = None) -> ModuleSpec | None:
        spec = PathFinder.find_spec(name, path) if name == self.name else None
        if spec is not None and spec.origin is not None:
            spec.loader = _Loader(name, spec.origin, self.tree)
        return spec


class _Loader(SourceFileLoader):
    def __init__(self, name: str, path: str, tree: ast.Module) -> None:
        super().__init__(name, path)
        self.tree = tree

    def get_code(self, _: str) -> CodeType:
        return compile(self.tree, self.path, "exec")


def survives(module: str, tree: ast.Module, tests: Sequence[str]) -> bool:
    """Return whether all tests pass with the changed module. What hangs does not survive."""
    child = os.fork()
    if child == 0:
        import pytest

        os.setsid()
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, 1)
        os.dup2(nothing, 2)
        resource.setrlimit(resource.RLIMIT_CPU, (LIMIT, LIMIT))
        sys.meta_path.insert(0, _Changed(f"tercet.{_full(module)}", tree))
        os._exit(pytest.main(["-x", "-q", "-p", "no:cacheprovider", "--hypothesis-seed=0", "-k", SLOW, *tests]))
    _, status = os.waitpid(child, 0)
    return status == 0


def _full(module: str) -> str:
    return module if "." in module or (STATS.parent / module).is_dir() else f"stats.{module}"


def tests_of(module: str) -> list[str]:
    """Return the files that test a module by itself."""
    found = [folder / f"test_{module}.py" for folder in (TESTS, ROOT / "tests" / "property")]
    package = next((name for name in ELSEWHERE if module == name or module.startswith(f"{name}.")), module)
    return [str(path) for path in found if path.exists()] or ELSEWHERE[package]


def source_of(module: str) -> Path:
    """Return the file of a module, or of a package."""
    path = STATS.parent.joinpath(*_full(module).split("."))
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def load_others() -> None:
    """Import what the tests need and no mutant changes, once for all forked processes."""
    for name in (
        "numpy", "scipy.stats", "scipy.optimize", "pandas", "pytest", "statsmodels.api", "sqlalchemy", "sklearn",
        "openpyxl", "lxml.etree",
    ):  # fmt: skip
        importlib.import_module(name)
    for path in sorted((STATS.parent / "kernels").glob("[!_]*.py")):
        importlib.import_module(f"tercet.kernels.{path.stem}")
    if loaded := [name for name in sys.modules if name.startswith(("tercet.stats", "tercet.metaeval", "tercet.human"))]:
        raise SystemExit(f"{loaded[0]} is loaded already: mutants would not be.")


def main() -> None:
    parser = argparse.ArgumentParser(description="Mutation testing of tercet.stats.")
    parser.add_argument("--per-module", type=int, default=15)
    parser.add_argument("--modules", nargs="*", default=sorted(path.stem for path in STATS.glob("[!_]*.py")))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", metavar="MODULE:SITE", help="repeat one mutant")
    given = parser.parse_args()
    os.chdir(ROOT)
    load_others()
    made = survived = 0
    for module in [given.only.partition(":")[0]] if given.only else given.modules:
        source = source_of(module).read_text("utf-8")
        if not survives(module, ast.parse(source), tests_of(module)):
            raise SystemExit(f"{module}: its tests fail without a change.")
        found = list(mutants(source))
        sites = random.Random(f"{given.seed} {module}").sample(range(len(found)), min(given.per_module, len(found)))
        for site in [int(given.only.partition(":")[2])] if given.only else sorted(sites):
            what, tree = found[site]
            made += 1
            if survives(module, tree, tests_of(module)) and survives(module, tree, WIDER):
                survived += 1
                print(f"survived: {module}:{site} {what}", flush=True)
        print(f"{module}: {len(found)} sites; so far {made} mutants, {survived} survived", flush=True)


if __name__ == "__main__":
    main()
