"""The pictures of the documentation show what the commands write today. If not: make pictures."""

import importlib.util
import json
import sys
from types import ModuleType

import pytest

from tests.docs.running import ROOT, global_state


@pytest.fixture(scope="module")
def script() -> ModuleType:
    pytest.importorskip("altair", reason="the extra tercet[plots] is not installed")
    sys.path.insert(0, str(ROOT / "scripts"))
    try:
        spec = importlib.util.spec_from_file_location("make_pictures", ROOT / "scripts" / "make_pictures.py")
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    finally:
        sys.path.pop(0)
    return module


def test_pictures_are_fresh(script: ModuleType) -> None:
    with global_state(), script.written() as folder:
        today = script.fingerprints(folder)
    kept = json.loads(script.KEPT.read_text("utf-8"))
    assert [name for name in today if kept.get(name) != today[name]] == [], "make pictures"
    assert set(kept) == set(today)


def test_every_picture_is_there_and_on_a_page(script: ModuleType) -> None:
    pages = "".join(path.read_text("utf-8") for path in (ROOT / "docs").rglob("*.md"))
    for name in json.loads(script.KEPT.read_text("utf-8")):
        ending = "svg" if name in script.DRAWINGS else "png"
        assert (script.IMAGES / f"{name}.{ending}").is_file()
        assert f"images/{name}.{ending})" in pages, name
