"""`tercet data`: list, get, add and remove test sets and tables of paraphrases.

They are kept in the folder TERCET_DATA, or else in the user's cache folder. 'tercet score -t NAME' scores one.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..cli.console import Progress, print_as
from ..options import REQUIRED, command, shell_option
from ..options.groups import Form

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, kw_only=True)
class DataOptions(Form):
    """Options of all commands of `data`."""

    folder: str | None = shell_option(None, "--folder", help="The folder of data sets, instead of TERCET_DATA.")

    @property
    def place(self) -> Path:
        from ..data.catalogue import data_folder

        return data_folder() if self.folder is None else Path(self.folder)


@dataclass(frozen=True, kw_only=True)
class NameOptions(DataOptions):
    """Options of `data where` and `data remove`."""

    name: str = shell_option(REQUIRED, metavar="NAME", help="A data set.")


@dataclass(frozen=True, kw_only=True)
class GetOptions(NameOptions):
    """Options of `data get`."""

    replace: bool = shell_option(False, "--replace", help="Download it again if it exists.")
    allow_download: bool = shell_option(
        False, "--allow-download", help="Download a model of the hub (hf:NAME) that is not here."
    )


@dataclass(frozen=True, kw_only=True)
class AddOptions(DataOptions):
    """Options of `data add`."""

    path: str = shell_option(REQUIRED, metavar="PATH", help="A folder, an archive or a file.")
    name: str | None = shell_option(
        None, metavar="[NAME]", help="Its name. [default: that of PATH, without its ending]"
    )
    replace: bool = shell_option(False, "--replace", help="Replace a data set of this name.")
    max_files: int | None = shell_option(
        None, "--max-files", low=1, help="Most members of an archive. [default: 50,000]"
    )
    max_bytes: int | None = shell_option(
        None, "--max-bytes", low=1,
        help="Most bytes that an archive may unpack to. [default: 8 GiB, and 200 times its size]",
    )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class PairsOptions(DataOptions):
    """Options of `data pairs`."""

    path: str = shell_option(REQUIRED, metavar="PATH", help="A data set, or a folder or file of a known layout.")


@command(DataOptions)
def run_list(options: DataOptions) -> None:
    """List the data sets of the catalogue and those you added.

    Downloads are checked against a checksum, 'published' with the data or 'recorded' from the first download.
    """
    from ..data.catalogue import as_json, checksum_of, entries, installed

    copies = {copy.name: copy for copy in installed(options.place)}
    rows = []
    for entry in entries():
        copy = copies.pop(entry.name, None)
        state = {"installed": copy is not None, "origin": copy.origin if copy else None}
        rows.append({**as_json(entry), **state, "checksum": checksum_of(entry.name, options.place)})
    rows += [{**as_json(copy), "installed": True} for copy in copies.values()]
    width = max(len(row["name"]) for row in rows)
    lines = [f"{'*' if row['installed'] else ' '} {row['name']:{width}}  {_described(row)}" for row in rows]
    lines.append(f"* is in {options.place}. Get another: tercet data get NAME, or tercet data add PATH NAME.")
    print_as(options.form, rows, "\n".join(lines))


def _described(row: dict[str, Any]) -> str:
    if "description" not in row:
        return f"added from {row['origin']}"
    if not (row["archive"] or "").startswith("https://"):
        how = "cannot be fetched: add a copy"
    else:
        how = f"checksum {row['checksum']}" if row["checksum"] else "no checksum"
    added = "" if not row["origin"] or row["origin"].startswith("https://") else f", added from {row['origin']}"
    return f"{row['description']} ({how}{added})"


@command(AddOptions)
def run_add(options: AddOptions) -> None:
    """Add a folder, an archive (.zip, .tar.gz) or a file of a known layout (.jsonl, .tsv, .sgm, .xml, also with .gz).

    A table of paraphrases for METEOR can be added too: 'tercet score -m meteor:paraphrases=NAME' uses it.

    The default NAME is that of the path, without its ending.
    """
    from ..data.archives import MAX_FILES
    from ..data.catalogue import add, as_json
    from ..data.layouts import ENDINGS

    path = Path(options.path)
    stem = path.absolute().name
    if not path.is_dir():
        for ending in (".zip", ".tar.gz", ".tgz", ".tar", ".gz", *ENDINGS):
            stem = stem.removesuffix(ending)
    limits: dict[str, Any] = {"max_files": options.max_files or MAX_FILES, "max_bytes": options.max_bytes}
    copy = add(path, options.name or stem, options.place, replace=options.replace, **limits)
    print_as(options.form, as_json(copy), f"Added {copy.name}: {_size(vars(copy))}")


def _size(copy: Mapping[str, Any]) -> str:
    return f"{copy['files']} file{'s' * (copy['files'] != 1)}, {copy['bytes']} bytes, in {copy['path']}"


@command(GetOptions)
def run_get(options: GetOptions) -> None:
    """Download a data set of the catalogue, check it and unpack it.

    A model of the Hugging Face hub can be downloaded too, into the hub's own folder: 'tercet data get hf:NAME
    --allow-download'. Metrics then find it as encoder=hf:NAME, without the network.
    """
    name = options.name
    if name.startswith("hf:"):
        from ..language.encoders.huggingface import find_folder

        folder = find_folder(name, name.removeprefix("hf:"), allow_download=options.allow_download)
        sizes = [each.stat().st_size for each in folder.rglob("*") if each.is_file()]
        model = {"name": name, "path": str(folder), "files": len(sizes), "bytes": sum(sizes)}
        print_as(options.form, model, f"{name}: {_size(model)}")
        return
    from urllib.request import getproxies

    from ..data.catalogue import as_json, find, get, https_opener, installed

    find(name)
    there = not options.replace and name in {copy.name for copy in installed(options.place)}
    with Progress(f"{name}, bytes") as progress:
        opener = https_opener(getproxies())
        copy = get(name, options.place, opener=opener, progress=progress, replace=options.replace)
    size = _size(vars(copy))
    if not there:
        text = f"{copy.name}: {size}"
    elif copy.origin.startswith("https://"):
        text = f"{copy.name} exists already, downloaded on {copy.added[:10]}: {size}"
    else:
        text = (
            f"{copy.name} was added by you from {copy.origin}, not downloaded: {size}\n"
            f"To replace it by the catalogue's: tercet data get {copy.name} --replace"
        )
    print_as(options.form, as_json(copy), text)


@command(NameOptions)
def run_remove(options: NameOptions) -> None:
    """Remove a data set from the folder, without asking. The files it was added from are kept."""
    from ..data.catalogue import remove

    path = remove(options.name, options.place)
    print_as(options.form, {"name": options.name, "path": str(path)}, f"Removed {path}")


@command(NameOptions)
def run_where(options: NameOptions) -> None:
    """Print the folder of a data set."""
    from ..data.catalogue import where

    path = where(options.name, options.place)
    print_as(options.form, {"name": options.name, "path": str(path)}, str(path))


@command(PairsOptions)
def run_pairs(options: PairsOptions) -> None:
    """Print the language pairs of a data set, or of a folder or file of a known layout."""
    from ..data.layouts import pairs

    found = pairs(options.path, cache=options.place)
    print_as(options.form, found, "\n".join(found) or "No language pair is named.")


COMMANDS = {
    "list": run_list, "add": run_add, "get": run_get, "remove": run_remove, "where": run_where, "pairs": run_pairs
}  # fmt: skip
