"""What is scored, from the words of a command line: references, outputs, source, or a test set of a known layout."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from ..data.lines import read_lines
from ..data.stream import TextFiles, chosen_texts, unique_names
from ..data.testset import TestSet
from ..errors import DataError, UsageError
from .options import all_of, several

TEST_SET = click.option(
    "-t", "--test-set", help="A test set: a folder or file of a known layout, or a name from 'tercet data list'."
)
# The options by which every command takes its texts.
input_options = all_of(
    click.argument("references", nargs=-1, metavar="[REFERENCE]..."),
    several("-r", "--reference", "more_references", of="REFERENCE", help="A reference; the same as REFERENCE."),
    several(
        "-i",
        "--input",
        "outputs",
        of="OUTPUT",
        help="Outputs, one file a system. Without it: standard input, systems separated by tabs.",
    ),
    click.option("-s", "--source", help="The source text, for metrics that read it."),
    TEST_SET,
    click.option("-l", "--language-pair", "pair", metavar="SRC-TGT", help="The language pair, as en-de."),
    click.option(
        "-nr",
        "--num-refs",
        default=1,
        show_default=True,
        help="Split each line of the one reference file at tabs into this many references.",
    ),
    click.option("--docs", metavar="FILE", help="The document of each segment, one id per line."),
)


def read_testset(options: Mapping[str, Any], *, needs_reference: bool = True) -> TestSet:
    """Return the texts that the options name, all in memory."""
    texts = read_inputs(options, needs_reference=needs_reference)
    return texts.read() if isinstance(texts, TextFiles) else texts


def read_inputs(options: Mapping[str, Any], *, needs_reference: bool = True) -> TestSet | TextFiles:
    """Return the texts that the options name; streamed from plain files, in memory if they can be read only once."""
    source, test_set, pair, num_refs, docs = (
        options[name] for name in ("source", "test_set", "pair", "num_refs", "docs")
    )
    references, outputs = (*options["references"], *options["more_references"]), options["outputs"]
    if pair is not None and (len(pair.split("-")) != 2 or not all(pair.split("-"))):
        raise UsageError(f"-l {pair}: a language pair is SRC-TGT, as en-de.")
    if source is not None and source in ("exp", "floor", "add-k", "none") and not Path(source).exists():
        raise UsageError(f"-s is the source text here. For smoothing write --smooth-method {source}.")
    if test_set is not None:
        if num_refs != 1:
            raise UsageError("-nr splits a reference file; a test set (-t) names its references.")
        return _known_layout(options, references)
    if options.get("systems"):
        raise UsageError("--systems chooses among the systems of a test set (-t); outputs are given by -i.")
    if not references and needs_reference:
        raise UsageError("No reference is given: put reference files before -i, or after it with -r, or use -t.")
    files = TextFiles(
        outputs=unique_names(outputs),
        references=unique_names(references),
        source=source,
        documents=docs,
        pair=pair,
        name=", ".join(unique_names(references)) or "unnamed",
    )
    if num_refs != 1:
        return _split_references(files, num_refs)
    if not outputs:
        return _from_stdin(files)
    if [*outputs, *references, source, docs].count("-") > 1:
        raise UsageError("Standard input (-) can be read only once.")
    return files if files.rereadable() else files.read()


def _known_layout(options: Mapping[str, Any], references: Sequence[str]) -> TestSet:
    """A test set with what else is given: -r and -i choose among its texts by name, or name files of one's own."""
    found = open_named(options["test_set"], options["pair"])
    if references:
        found = replace(found, references=chosen_texts("reference", references, found.references))
    if options["outputs"]:
        found = replace(found, outputs=chosen_texts("system", options["outputs"], found.outputs))
    elif not found.outputs:
        found = replace(found, outputs=stdin_systems())
    if options.get("systems"):
        found = found.only(options["systems"])
    if options["source"] is not None:
        found = replace(found, source=read_lines(options["source"]))
    if options["docs"] is not None:
        found = replace(found, documents=read_lines(options["docs"]))
    return found


def open_named(test_set: str, pair: str | None) -> TestSet:
    """Open a test set: a path that exists, or a name in the catalogue."""
    from ..data.catalogue import locate
    from ..data.layouts import open_testset

    return open_testset(locate(test_set), pair)


def _split_references(files: TextFiles, count: int) -> TestSet:
    """One reference file whose lines hold `count` references separated by tabs."""
    if count < 1:
        raise UsageError(f"-nr must be 1 or more, not {count}.")
    if len(files.references) != 1:
        raise UsageError(f"-nr goes with one reference file, not {len(files.references)}.")
    path = next(iter(files.references.values()))
    columns: list[list[str]] = [[] for _ in range(count)]
    for number, line in enumerate(read_lines(path), 1):
        fields = line.split("\t", count - 1)
        if len(fields) != count:
            raise DataError(
                f"{path}, line {number}: {count} references separated by tabs are needed, not {len(fields)}."
            )
        for column, field in zip(columns, fields, strict=True):
            column.append(field)
    named = {f"{Path(path).name}:{i}": column for i, column in enumerate(columns, 1)}
    rest = replace(files, references={})
    plain = rest.read() if rest.outputs else _from_stdin(rest)
    return replace(plain, references=named)


def _from_stdin(files: TextFiles) -> TestSet:
    """The texts with outputs from standard input."""
    outputs = stdin_systems()
    given = replace(files, outputs={})
    if not given.paths():
        return TestSet(outputs, pair=files.pair, name=files.name)
    return replace(given.read(), outputs=outputs)


def stdin_systems() -> dict[str, list[str]]:
    """Outputs from standard input, one system per tab-separated column, as sacreBLEU reads them."""
    if sys.stdin.isatty():
        raise UsageError("No output is given: name output files with -i, or pipe them in.")
    rows = [line.split("\t") for line in read_lines("-")]
    for number, row in enumerate(rows, 1):
        if len(row) != len(rows[0]):
            raise DataError(
                f"Standard input, line {number}: {len(row)} systems separated by tabs, but {len(rows[0])} in line 1."
            )
    if not rows:
        raise DataError("Standard input is empty: no output to score. Name output files with -i.")
    return {f"System {i}": list(column) for i, column in enumerate(zip(*rows, strict=True), 1)}
