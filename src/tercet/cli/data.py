"""`tercet data`: list, get, add and remove data sets."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..data.catalogue import data_folder
from .console import Progress
from .options import all_of, format_option, print_as

if TYPE_CHECKING:
    from ..data.catalogue import Installed

_options = all_of(
    click.option("--folder", type=click.Path(path_type=Path), default=data_folder,
                 help="The folder of data sets, instead of TERCET_DATA."),
    format_option(),
)  # fmt: skip


@click.group("data", context_settings={"help_option_names": ["-h", "--help"]})
def command() -> None:
    """List, get, add and remove test sets and tables of paraphrases.

    They are kept in the folder TERCET_DATA, or else in the user's cache folder. 'tercet score -t NAME' scores one.
    """


@command.command("list")
@_options
def list_command(form: str, folder: Path) -> None:
    """List the data sets of the catalogue and those you added.

    Downloads are checked against a checksum, 'published' with the data or 'recorded' from the first download.
    """
    from ..data.catalogue import as_json, checksum_of, entries, installed

    copies = {copy.name: copy for copy in installed(folder)}
    rows = []
    for entry in entries():
        copy = copies.pop(entry.name, None)
        state = {"installed": copy is not None, "origin": copy.origin if copy else None}
        rows.append({**as_json(entry), **state, "checksum": checksum_of(entry.name, folder)})
    rows += [{**as_json(copy), "installed": True} for copy in copies.values()]
    width = max(len(row["name"]) for row in rows)
    lines = [f"{'*' if row['installed'] else ' '} {row['name']:{width}}  {_described(row)}" for row in rows]
    lines.append(f"* is in {folder}. Get another: tercet data get NAME, or tercet data add PATH NAME.")
    print_as(form, rows, "\n".join(lines))


def _described(row: dict[str, Any]) -> str:
    if "description" not in row:
        return f"added from {row['origin']}"
    if not (row["archive"] or "").startswith("https://"):
        how = "cannot be fetched: add a copy"
    else:
        how = f"checksum {row['checksum']}" if row["checksum"] else "no checksum"
    added = "" if not row["origin"] or row["origin"].startswith("https://") else f", added from {row['origin']}"
    return f"{row['description']} ({how}{added})"


@command.command("add", short_help="Add a folder, an archive or a file of your own.")
@click.argument("path", type=click.Path(path_type=Path))
@click.argument("name", required=False)
@click.option("--replace", is_flag=True, help="Replace a data set of this name.")
@click.option("--max-files", type=click.IntRange(1), help="Most members of an archive. [default: 50,000]")
@click.option("--max-bytes", type=click.IntRange(1),
              help="Most bytes that an archive may unpack to. [default: 8 GiB, and 200 times its size]")  # fmt: skip
@_options
def add_command(
    path: Path,
    name: str | None,
    replace: bool,
    max_files: int | None,
    max_bytes: int | None,
    form: str,
    folder: Path,
) -> None:
    """Add a folder, an archive (.zip, .tar.gz) or a file of a known layout (.jsonl, .tsv, .sgm, .xml, also with .gz).

    A table of paraphrases for METEOR can be added too: 'tercet score -m meteor:paraphrases=NAME' uses it.

    The default NAME is that of the path, without its ending.
    """
    from ..data.archives import MAX_FILES
    from ..data.catalogue import add, as_json
    from ..data.layouts import ENDINGS

    stem = path.absolute().name
    if not path.is_dir():
        for ending in (".zip", ".tar.gz", ".tgz", ".tar", ".gz", *ENDINGS):
            stem = stem.removesuffix(ending)
    copy = add(path, name or stem, folder, replace=replace, max_files=max_files or MAX_FILES, max_bytes=max_bytes)
    print_as(form, as_json(copy), f"Added {copy.name}: {_size(copy)}")


def _size(copy: Installed) -> str:
    return _sized(copy.files, copy.bytes, copy.path)


def _sized(files: int, size: int, path: Path) -> str:
    return f"{'1 file' if files == 1 else f'{files} files'}, {size} bytes, in {path}"


@command.command("get")
@click.argument("name")
@click.option("--replace", is_flag=True, help="Download it again if it exists.")
@click.option("--allow-download", is_flag=True, help="Download a model of the hub (hf:NAME) that is not here.")
@_options
def get_command(name: str, replace: bool, allow_download: bool, form: str, folder: Path) -> None:
    """Download a data set of the catalogue, check it and unpack it.

    A model of the Hugging Face hub can be downloaded too, into the hub's own folder: 'tercet data get hf:NAME
    --allow-download'. Metrics then find it as encoder=hf:NAME, without the network.
    """
    if name.startswith("hf:"):
        print_as(form, *_get_model(name, allow_download))
        return
    from urllib.request import getproxies

    from ..data.catalogue import as_json, find, get, https_opener, installed

    find(name)
    there = not replace and name in {copy.name for copy in installed(folder)}
    with Progress(f"{name}, bytes") as progress:
        copy = get(name, folder, opener=https_opener(getproxies()), progress=progress, replace=replace)
    if not there:
        text = f"{copy.name}: {_size(copy)}"
    elif copy.downloaded:
        text = f"{copy.name} exists already, downloaded on {copy.added[:10]}: {_size(copy)}"
    else:
        text = (
            f"{copy.name} was added by you from {copy.origin}, not downloaded: {_size(copy)}\n"
            f"To replace it by the catalogue's: tercet data get {copy.name} --replace"
        )
    print_as(form, as_json(copy), text)


def _get_model(name: str, allow_download: bool) -> tuple[dict[str, Any], str]:
    """Download a model of the hub, unless it is there; return what it is as a record and as text."""
    from ..language.encoders.huggingface import find_folder

    path = find_folder(name, name.removeprefix("hf:"), allow_download=allow_download)
    sizes = [each.stat().st_size for each in path.rglob("*") if each.is_file()]
    found = {"name": name, "path": str(path), "files": len(sizes), "bytes": sum(sizes)}
    return found, f"{name}: {_sized(len(sizes), sum(sizes), path)}"


@command.command("remove")
@click.argument("name")
@_options
def remove_command(name: str, form: str, folder: Path) -> None:
    """Remove a data set from the folder, without asking. The files it was added from are kept."""
    from ..data.catalogue import remove

    path = remove(name, folder)
    print_as(form, {"name": name, "path": str(path)}, f"Removed {path}")


@command.command("where")
@click.argument("name")
@_options
def where_command(name: str, form: str, folder: Path) -> None:
    """Print the folder of a data set."""
    from ..data.catalogue import where

    path = where(name, folder)
    print_as(form, {"name": name, "path": str(path)}, str(path))


@command.command("pairs", short_help="Print the language pairs of a data set.")
@click.argument("path")
@_options
def pairs_command(path: str, form: str, folder: Path) -> None:
    """Print the language pairs of a data set, or of a folder or file of a known layout."""
    from ..data.layouts import pairs

    found = pairs(path, cache=folder)
    print_as(form, found, "\n".join(found) or "No language pair is named.")
