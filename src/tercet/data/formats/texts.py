"""Formats of test sets: JSONL, TSV, SGM, WMT's XML."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from .. import jsonl, sgm, tsv, wmtxml
from ..lines import read_blocks
from ..names import bare_name
from ..testset import TestSet
from . import TEXTS
from .format import CERTAIN, LIKELY, Contents, Format, Guess, Head, Request, by_ending
from .names import all_pairs, pair_of_name


def _reads(reader: Callable[..., TestSet], ending: str) -> Callable[[Path, Request], Contents]:
    """Return a `read` for files of one language pair, which the name may say."""

    def read(path: Path, request: Request) -> Contents:
        pair = request.pair or pair_of_name(bare_name(path, ending))
        return Contents(testset=reader(path, pair=pair, systems=request.systems))

    return read


def _is_tsv(head: Head) -> Guess | None:
    if not head.ends(".tsv") or head.request.columns:  # with columns it is a table of a translation tool
        return None
    if tsv.knows(head.header if head.separator == "\t" else [head.first]):
        return Guess(LIKELY, "its header names texts: src, ref, sys:NAME and the like")
    return Guess(LIKELY / 2, "its name ends in .tsv")


def _read_pair(path: Path, request: Request) -> Contents:
    pair = bare_name(path, tsv.SEGMENTS, tsv.OUTPUTS)
    return Contents(testset=tsv.read_pair(path.parent, pair, systems=request.systems))


def sgm_pair(path: Path) -> tuple[str | None, str | None]:
    """Return the pair of an SGM file, from its tags or else its name, and the source language of a source text."""
    heads = sgm.head_tags("\n".join(next(read_blocks(path), [])))
    source, target = sgm.languages_of(heads)
    if source and target:
        return f"{source}-{target}", source
    fitting = [
        pair
        for pair in all_pairs(bare_name(path), path.parent.name)
        if source in (None, pair.split("-")[0]) and target in (None, pair.split("-")[-1])
    ]
    only_source = source if heads and all(head["tag"] == "srcset" for head in heads) else None
    return (fitting[0] if len(fitting) == 1 else None), only_source


def _is_xml(head: Head) -> Guess | None:
    if not head.ends(".xml"):
        return None
    return Guess(CERTAIN, "its root is dataset") if head.root == "dataset" else Guess(0.3, "its name ends in .xml")


def _read_xml(path: Path, request: Request) -> Contents:
    testset = wmtxml.read_wmtxml(path, systems=request.systems)
    if not testset.pair:
        testset = replace(testset, pair=request.pair or pair_of_name(bare_name(path)))
    return Contents(testset=testset)


def _beside(write: Callable[[TestSet, Path], object]) -> Callable[[TestSet, Path], None]:
    """Return a function that writes the files of a test set into the folder of a path; their names are fixed."""
    return lambda testset, path: (write(testset, path.parent), None)[1]


FORMATS = (
    Format(
        "jsonl", (TEXTS,), "JSONL, the interchange format: one object per segment", by_ending(".jsonl"),
        _reads(jsonl.read_jsonl, ".jsonl"),
        write=jsonl.write_jsonl,
    ),
    Format(
        "tsv-pair", (TEXTS,), "TSV in two files: PAIR.segments.tsv and PAIR.outputs.tsv",
        lambda head: None if head.request.columns else by_ending(tsv.SEGMENTS, tsv.OUTPUTS)(head), _read_pair,
        write=_beside(tsv.write_pair),
    ),
    Format(
        "tsv", (TEXTS,), "TSV with a header: src, ref or ref:NAME, sys:NAME, doc, domain", _is_tsv,
        _reads(tsv.read_tsv, ".tsv"),
        write=tsv.write_tsv,
    ),
    Format(
        "sgm", (TEXTS,), "SGM of WMT and NIST: srcset, refset, tstset", by_ending(".sgm", ".sgml"),
        lambda path, asked: Contents(
            testset=sgm.read_sgm(path, pair=sgm_pair(path)[0] or asked.pair, systems=asked.systems)
        ),
        write=_beside(sgm.write_sgm),
    ),
    Format(
        "wmt-xml", (TEXTS,), "XML of WMT since 2021: several references and systems, documents, domains",
        _is_xml, _read_xml, write=wmtxml.write_wmtxml,
    ),
)  # fmt: skip
