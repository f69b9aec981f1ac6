"""Benchmarks and training are run seldom: what they import is still there."""

from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MODULES = [
    ".".join(path.relative_to(ROOT).with_suffix("").parts)
    for folder in ("benchmarks", "training")
    for path in sorted((ROOT / folder).rglob("*.py"))
    if path.stem != "__init__"
]
WITH_TORCH = ("torch", "onnx", "tokenizers", "sentencepiece")


@pytest.mark.parametrize("name", MODULES)
def test_everything_that_is_imported_exists(name: str) -> None:
    try:
        module = import_module(name)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in WITH_TORCH:
            raise
        pytest.skip(f"{error.name} is not installed")
    assert module.__doc__, f"{name} says nothing of what it is for"
