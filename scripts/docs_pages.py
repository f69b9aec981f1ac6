"""A hook of MkDocs: the live pages of docs/gallery.md, made from the demo texts whenever the site is built."""

from __future__ import annotations

import contextlib
import re
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

GALLERY = Path(__file__).resolve().parents[1] / "docs" / "gallery.md"


def on_files(files: Files, *, config: Any) -> Files:
    """Add the pages to the site; they are files of it, so that links to them are checked."""
    for name, page in pages().items():
        files.append(File.generated(config, f"gallery/{name}", content=page))
    return files


@cache  # once while `mkdocs serve` runs
def pages() -> dict[str, bytes]:
    """Return the pages that the gallery links, by file name."""
    sys.path.insert(0, str(Path(__file__).parent))
    from make_pictures import written
    from rating_pictures import results_page

    wanted = re.findall(r"\(gallery/([\w-]+\.html)\)", GALLERY.read_text("utf-8"))
    with written() as folder, tempfile.TemporaryDirectory() as work, contextlib.redirect_stdout(sys.stderr):
        made = {"rating.html": lambda: results_page(Path(work), folder)}
        return {name: made[name]() if name in made else (folder / name).read_bytes() for name in wanted}
