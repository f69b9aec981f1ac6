"""`report --baseline OLD.html`: the outputs of an earlier report beside those of today."""

import base64
import json
import re
import zlib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ...data.names import same_name
from ...data.testset import TestSet
from ...errors import DataError, UsageError

LARGEST = 1 << 30  # bytes of unpacked data
_DATA = re.compile(r'<script type="application/gzip" id="data">([A-Za-z0-9+/=\s]*)</script>')


def is_page(baseline: str | None) -> bool:
    """Return whether a baseline is the page of an earlier report, and not the name of a system."""
    return baseline is not None and baseline.lower().endswith((".html", ".htm")) and Path(baseline).is_file()


def with_earlier(testset: TestSet, path: str) -> tuple[TestSet, Mapping[str, str]]:
    """Return the test set with the outputs of an earlier report, and the names of these by those of today."""
    old = _read(path)
    mine: list[tuple[str, Any, Any]] = [("source", testset.source, old["source"])]
    mine += [(f"reference {name}", lines, old["references"].get(name)) for name, lines in testset.references.items()]
    for what, now, before in mine:
        if now is not None and before is not None and list(now) != list(before):
            raise DataError(f"{path} is about other texts: its {what} is not that of today.")
    if len(testset) != old["n"]:
        raise DataError(f"{path} has {old['n']} segments, and the texts of today have {len(testset)}.")
    outputs = dict(zip(old["systems"], old["outputs"], strict=True))
    common = {name: then for name in testset.systems if (then := same_name(name, outputs)) is not None}
    if not common:
        raise UsageError(
            f"{path} has none of the systems of today ({', '.join(testset.systems)}); it has {', '.join(outputs)}."
        )
    named = {name: f"{name} before" for name in common}
    taken = set(named.values()) & set(testset.systems)
    if taken:
        raise UsageError(f"A system must not be called {min(taken)!r}: the outputs of {path} get this name.")
    earlier = {named[name]: tuple(outputs[then]) for name, then in common.items()}
    return replace(testset, outputs={**testset.outputs, **earlier}), named


def _read(path: str) -> dict[str, Any]:
    found = _DATA.search(Path(path).read_text("utf-8", "replace"))
    try:
        if found is None:
            raise ValueError("no data")
        unpacker = zlib.decompressobj(wbits=31)
        text = unpacker.decompress(base64.b64decode(found[1]), LARGEST)
        data: dict[str, Any] = json.loads(text)
        sizes = {len(lines) for lines in (*data["outputs"], *data["references"].values())} | {data["n"]}
        if unpacker.unconsumed_tail or len(sizes) != 1 or len(data["systems"]) != len(data["outputs"]):
            raise ValueError("other data")
        if data["numbers"] != list(range(1, data["n"] + 1)):
            raise UsageError(f"{path} is a report on a part of the segments. Compare with one on all of them.")
        return {"source": data["source"], **data}
    except (ValueError, KeyError, TypeError, AttributeError, zlib.error):
        raise DataError(f"{path} is not a page of tercet report.") from None
