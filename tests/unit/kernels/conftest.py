"""Both forms of the kernels: compiled, and the same source as plain Python.

Plain Python refuses an index beyond an array's end, so the tests below also watch that the compiled loops stay within
their arrays (a negative one would wrap there).
"""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

from tercet import kernels
from tercet.language import paraphrases
from tercet.text import coding, moses, rules


def load_source(name: str) -> ModuleType:
    """The source of a kernel under another name, so that the compiled module beside it is not taken."""
    path = Path(kernels.__file__).with_name(f"{name}.py")
    spec = importlib.util.spec_from_file_location(f"tercet.kernels.uncompiled_{name}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


PLAIN = {name: load_source(name) for name in ("moses", "ngrams", "tokens", "vocabulary")}


@pytest.fixture(params=["installed", "plain"])
def form(request, monkeypatch) -> str:
    """Runs a test with the installed kernels, then with plain Python."""
    if request.param == "plain":
        monkeypatch.setattr(coding, "ngrams", PLAIN["ngrams"])
        monkeypatch.setattr(coding, "tokens", PLAIN["tokens"])
        monkeypatch.setattr(coding, "vocabulary", PLAIN["vocabulary"])
        monkeypatch.setattr(rules, "tokens", PLAIN["tokens"])
        monkeypatch.setattr(moses, "kernel", PLAIN["moses"])
        monkeypatch.setattr(paraphrases, "vocabulary", PLAIN["vocabulary"])
    return request.param
