"""`tercet data`: which data sets there are, where they lie, and how to get more."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])


def data_folder() -> Path:
    """Where data sets are kept: TERCET_DATA, or the platform's folder for files that can be fetched again."""
    if chosen := os.environ.get("TERCET_DATA"):
        return Path(chosen)
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local"
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "tercet" / "data"


def _options(function: F) -> F:
    function = click.option(
        "-f", "--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True,
        help="How to print.",
    )(function)  # fmt: skip
    return click.option(
        "--folder", type=click.Path(path_type=Path), help="Where data sets are kept, instead of TERCET_DATA."
    )(function)


def _print(form: str, value: object, text: str) -> None:
    if form == "json":
        import json

        text = json.dumps(value, ensure_ascii=False, indent=1)
    click.echo(text)


@click.group("data", context_settings={"help_option_names": ["-h", "--help"]})
def command() -> None:
    """List, get and add test sets.

    They are kept in the folder TERCET_DATA, or else in the user's cache folder. 'tercet score -t NAME' scores one.
    """


@command.command("list")
@_options
def list_command(form: str, folder: Path | None) -> None:
    """List the data sets of the catalogue and those that were added."""
    from ..data.catalogue import as_json, entries, installed

    copies = {copy.name: copy for copy in installed(folder or data_folder())}
    rows = [{**as_json(entry), "installed": entry.name in copies} for entry in entries()]
    known = {entry.name for entry in entries()}
    rows += [{**as_json(copy), "installed": True} for name, copy in copies.items() if name not in known]
    width = max(len(row["name"]) for row in rows)
    lines = []
    for row in rows:
        mark = "*" if row["installed"] else " "
        lines.append(f"{mark} {row['name']:{width}}  {row.get('description') or 'added from ' + row['origin']}")
    lines.append(
        f"* is in {folder or data_folder()}. Get another: tercet data get NAME, or tercet data add FOLDER NAME."
    )
    _print(form, rows, "\n".join(lines))


@command.command("add")
@click.argument("path", type=click.Path(path_type=Path))
@click.argument("name", required=False)
@click.option("--replace", is_flag=True, help="Replace a data set of this name.")
@_options
def add_command(path: Path, name: str | None, replace: bool, form: str, folder: Path | None) -> None:
    """Add a folder or an archive (.zip, .tar.gz) under a NAME; by default the folder's or archive's own."""
    from ..data.catalogue import add, as_json

    stem = path.resolve().name
    for ending in (".zip", ".tar.gz", ".tgz", ".tar") if not path.is_dir() else ():
        stem = stem.removesuffix(ending)
    copy = add(path, name or stem, folder or data_folder(), replace=replace)
    _print(form, as_json(copy), f"Added {copy.name}: {copy.files} files, {copy.bytes} bytes, in {copy.path}")


@command.command("get")
@click.argument("name")
@click.option("--replace", is_flag=True, help="Fetch it again if it is there.")
@_options
def get_command(name: str, replace: bool, form: str, folder: Path | None) -> None:
    """Download a data set of the catalogue, check it and unpack it."""
    from urllib.request import getproxies

    from ..data.catalogue import as_json, get, https_opener
    from .console import Progress

    with Progress(f"{name}, bytes") as progress:
        copy = get(name, folder or data_folder(), opener=https_opener(getproxies()), progress=progress, replace=replace)
    _print(form, as_json(copy), f"{copy.name}: {copy.files} files, {copy.bytes} bytes, in {copy.path}")


@command.command("where")
@click.argument("name")
@_options
def where_command(name: str, form: str, folder: Path | None) -> None:
    """Print the folder of a data set."""
    from ..data.catalogue import where

    path = where(name, folder or data_folder())
    _print(form, {"name": name, "path": str(path)}, str(path))


@command.command("pairs")
@click.argument("path")
@_options
def pairs_command(path: str, form: str, folder: Path | None) -> None:
    """Print the language pairs of a data set, or of a folder or file of a known layout."""
    from ..data.layouts import pairs

    found = pairs(path, cache=folder or data_folder())
    _print(form, found, "\n".join(found) or "No language pair is named.")
