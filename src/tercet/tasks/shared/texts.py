"""Read what is evaluated, as options name it: references, outputs, source, or a test set of a known layout."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ...data.formats import is_bilingual
from ...data.lines import read_lines
from ...data.names import unique_names, without_ending
from ...data.stream import TextFiles, chosen_texts
from ...data.testset import TestSet, one_hyphen
from ...errors import DataError, UsageError
from ...options.groups import Texts

ROLES = ("output", "reference", "source", "documents")


def read_testset(options: Texts, *, needs_reference: bool = True) -> TestSet:
    """Return the texts that the options name, all in memory."""
    texts = read_inputs(options, needs_reference=needs_reference)
    return texts.read() if isinstance(texts, TextFiles) else texts


def read_inputs(options: Texts, *, needs_reference: bool = True) -> TestSet | TextFiles:
    """Return the texts that the options name; streamed from plain files, in memory if they can be read only once."""
    if options.pair is not None:
        options = replace(options, pair=one_hyphen(options.pair))
    outputs, references = options.outputs, (*options.references, *options.more_references)
    if len(outputs) == 1 and not references and not options.test_set and is_bilingual(outputs[0]):
        options, outputs = replace(options, test_set=outputs[0], outputs=()), ()  # a whole test set
    source, docs, num_refs = options.source, options.docs, options.num_refs
    if source is not None and source in ("exp", "floor", "add-k", "none") and not Path(source).exists():
        raise UsageError(f"`source` is the source text here. For smoothing write `smooth_method` {source}.")
    if options.test_set is not None:
        if num_refs != 1:
            raise UsageError("`num_refs` splits a reference file; a `test_set` names its references.")
        return _known_layout(options, references)
    if getattr(options, "systems", ()):
        raise UsageError("`systems` chooses among the systems of a `test_set`; other outputs are given by `outputs`.")
    if not references and needs_reference:
        raise UsageError(
            "No reference is given: put reference files before `outputs`, or after it with `more_references`, or use "
            "`test_set`."
        )
    named = unique_names(references)
    files = TextFiles(unique_names(outputs), named, source, docs, options.pair, ", ".join(named) or "unnamed")
    columns = read_columns(options.columns)
    if any(map(is_bilingual, files.paths().values())):
        return _bilingual(files, columns)
    if columns:
        raise UsageError("`columns` is for .csv, .tsv and .xlsx files, and there is none.")
    if num_refs != 1:
        return _split_references(files, num_refs)
    if not outputs:
        return _from_stdin(files)
    if [*outputs, *references, source, docs].count("-") > 1:
        raise UsageError("Standard input (-) can be read only once.")
    return files if files.rereadable() else files.read()


def _known_layout(options: Texts, references: Sequence[str]) -> TestSet:
    """A test set with what else is given: -r and -i choose among its texts by name, or name files of one's own."""
    found = open_named(str(options.test_set), options.pair, read_columns(options.columns))
    if references:
        found = replace(found, references=chosen_texts("reference", references, found.references))
    if options.outputs:
        found = replace(found, outputs=chosen_texts("system", options.outputs, found.outputs))
    elif not found.outputs:
        found = replace(found, outputs=stdin_systems())
    if systems := getattr(options, "systems", ()):
        found = found.only(systems)
    if options.source is not None:
        found = replace(found, source=read_source(options.source))
    if options.docs is not None:
        found = replace(found, documents=read_lines(options.docs))
    return found


def open_named(test_set: str, pair: str | None, columns: Mapping[str, str] | None = None) -> TestSet:
    """Open a test set: a path that exists, or a name in the catalogue. columns: those of a table, by role."""
    from ...data.catalogue import locate
    from ...data.layouts import open_testset

    return open_testset(locate(test_set), pair, columns=columns)


def read_columns(columns: Sequence[str]) -> dict[str, str]:
    """Return the columns of a table by role, from ROLE=COLUMN."""
    if not columns:
        return {}
    from ...data.bilingual import parse_columns

    return parse_columns(columns)


def read_source(path: str) -> Sequence[Any]:
    """Return the source text of a file."""
    from ...data.stream import read_text

    return read_text(path, "source")


def _bilingual(files: TextFiles, columns: Mapping[str, str]) -> TestSet:
    """Return texts of which some are in bilingual files. The first such file gives ids, file names and source."""
    from ...data.bilingual import ID, Bitext, open_bitext

    opened: dict[str, Bitext] = {}
    texts: dict[str, dict[str, Any]] = {role: {} for role in ROLES}
    for (role, name), path in files.paths().items():
        if is_bilingual(path) and role != "documents":
            if str(path) not in opened:
                opened[str(path)] = open_bitext(path, columns=columns, pair=files.pair)
            texts[role][name] = opened[str(path)].side(role)
        else:
            texts[role][name] = read_lines(path)
    first, *others = opened.values()
    for other in others:
        # The test set reports another number of segments.
        for row, (one, two) in enumerate(zip(first.ids, other.ids, strict=False) if len(first) == len(other) else ()):
            if one != two:
                raise DataError(
                    f"{other.path}, line {other.segments[row].line}: the segment is {two!r}, but {one!r} in "
                    f"{first.path}. The files must have the same segments in the same order."
                )
    if not files.outputs:
        texts["output"] = stdin_systems()
    source = texts["source"].get("source")
    if source is None and all(segment.source is not None for segment in first.segments):
        source = first.source
    documents = texts["documents"].get("documents") or first.testset().documents
    pair = files.pair or first.pair
    return TestSet(texts["output"], texts["reference"], source, documents, {ID: first.ids}, pair, files.name)


def _split_references(files: TextFiles, count: int) -> TestSet:
    """One reference file whose lines hold `count` references separated by tabs."""
    if count < 1:
        raise UsageError(f"`num_refs` must be 1 or more, not {count}.")
    if len(files.references) != 1:
        raise UsageError(f"`num_refs` goes with one reference file, not {len(files.references)}.")
    path = next(iter(files.references.values()))
    rows = []
    for number, line in enumerate(read_lines(path), 1):
        fields = line.split("\t", min(count - 1, len(line)))
        if len(fields) != count:
            problem = f"{count} references separated by tabs are needed, not {len(fields)}."
            raise DataError(f"{path}, line {number}: {problem}")
        rows.append(fields)
    columns = map(list, zip(*rows, strict=True)) if rows else [[]]
    named = {f"{without_ending(Path(path).name)}:{i}": column for i, column in enumerate(columns, 1)}
    rest = replace(files, references={})
    plain = rest.read() if rest.outputs else _from_stdin(rest)
    return replace(plain, references=named)


def _from_stdin(files: TextFiles) -> TestSet:
    """The texts with outputs from standard input; `files` has none."""
    outputs = stdin_systems()
    if not files.paths():
        return TestSet(outputs, pair=files.pair, name=files.name)
    return replace(files.read(), outputs=outputs)


def stdin_systems() -> dict[str, list[str]]:
    """Outputs from standard input, one system per tab-separated column, as sacreBLEU reads them."""
    if sys.stdin.isatty():
        raise UsageError("No output is given: name output files with `outputs`, or pipe them in.")
    rows = [line.split("\t") for line in read_lines("-")]
    for number, row in enumerate(rows, 1):
        if len(row) != len(rows[0]):
            problem = f"{len(row)} systems separated by tabs, but {len(rows[0])} in line 1."
            raise DataError(f"Standard input, line {number}: {problem}")
    if not rows:
        raise DataError("Standard input is empty: no output to score. Name output files with `outputs`.")
    return {f"System {i}": list(column) for i, column in enumerate(zip(*rows, strict=True), 1)}


def selected_segments(conditions: Sequence[str], texts: TestSet) -> list[int] | None:
    """Return the numbers of the segments that fulfil all conditions of `only`; None without conditions."""
    if not conditions:
        return None
    from ...slicing import select_segments

    kept = set.intersection(*(set(select_segments(condition, texts)) for condition in conditions))
    if not kept:
        raise DataError(f"No segment fulfils `only` {' and `only` '.join(conditions)}.")
    return sorted(kept)
