"""Peak memory and CPU time of commands on large inputs: python -m benchmarks.memory [--segments 1000000 3000000]

Texts are typed by a monkey: random letters and blanks. Frequencies of words then follow Zipf's law, and the
vocabulary grows as long as the text does, so that tables of words which never shrink show up as memory.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from tercet.rendering.tables import table

from .common import measured

LETTERS = np.frombuffer(b"     etaoinshrdlu", dtype=np.uint8)  # five blanks in seventeen: words of 2.4 letters
LENGTH = 60  # bytes of a segment
BLOCK = 100_000  # segments made at once
CHANGED = 0.1  # of the bytes of a reference, in an output


def write_texts(folder: Path, segments: int, names: Sequence[str], seed: int = 1) -> None:
    """Write a reference under the first of the names, and outputs in which some letters are others."""
    rng = np.random.default_rng(seed)
    files = [(folder / name).open("wb") for name in names]
    for start in range(0, segments, BLOCK):
        shape = (min(BLOCK, segments - start), LENGTH)
        reference = LETTERS[rng.integers(len(LETTERS), size=shape)]
        reference[:, -1] = ord("\n")
        files[0].write(reference.tobytes())
        for file in files[1:]:
            output = np.where(rng.random(shape) < CHANGED, LETTERS[rng.integers(len(LETTERS), size=shape)], reference)
            output[:, -1] = ord("\n")
            file.write(output.tobytes())
    for file in files:
        file.close()


def measure(arguments: Sequence[str], folder: Path) -> tuple[float, float, float]:
    """Run a command; return its CPU seconds, its peak memory in MB and what it printed in MB."""
    used = measured([sys.executable, "-m", "tercet", *arguments], folder)
    return used.seconds, used.megabytes, len(used.printed.encode()) / 1e6


def words_in(path: Path) -> int:
    """Return the number of distinct words of a text, by their hashes."""
    found: set[int] = set()
    with path.open("rb") as file:
        while piece := file.readlines(1 << 26):
            found.update(hash(word) for line in piece for word in line.split())
    return len(found)


def pack(folder: Path, names: Sequence[str]) -> None:
    """Write the texts gzipped too, and as columns of one Parquet file."""
    import gzip
    from itertools import islice

    import pyarrow
    from pyarrow.parquet import ParquetWriter

    schema = pyarrow.schema([(name, pyarrow.string()) for name in names])
    for name in names:
        with (folder / name).open("rb") as file, gzip.open(folder / f"{name}.gz", "wb", 1) as packed:
            while piece := file.read(1 << 24):
                packed.write(piece)
    files = [(folder / name).open(encoding="utf-8") for name in names]
    with ParquetWriter(folder / "texts.parquet", schema) as writer:
        while lines := [[line[:-1] for line in islice(file, BLOCK)] for file in files]:
            if not lines[0]:
                break
            writer.write_table(pyarrow.table(lines, schema=schema))
    for file in files:
        file.close()


def rows(segments: Sequence[int], systems: int, *, vocabulary: bool, packed: bool) -> list[list[str]]:
    """Return what was run, on how much, and what it needed."""
    made = []
    with tempfile.TemporaryDirectory(prefix="tercet-memory-") as name:
        folder = Path(name)
        for count in segments:
            write_texts(folder, count, ("ref", "out0", "out1"))
            if packed:
                pack(folder, ("ref", "out0"))
            distinct = f"{words_in(folder / 'ref'):,}" if vocabulary else ""
            lines = [f"score ref -i out0 -m {metric}" for metric in ("bleu", "chrf", "ter")]
            if packed:
                lines = [
                    f"score {ref} -i {out} -m {metric}"
                    for metric in ("bleu", "chrf")
                    for ref, out in (
                        ("ref", "out0"),
                        ("ref.gz", "out0.gz"),
                        ("texts.parquet:ref", "texts.parquet:out0"),
                    )
                ]
            elif count <= 1_000_000:
                lines += [f"compare ref -i out0 out1 -m bleu {more}" for more in ("", "-f json", "-f json --full")]
            for line in lines:
                made.append([line, f"{count:,}", distinct, *map("{:.1f}".format, measure(line.split(), folder))])
                print(*made[-1], sep="\t", file=sys.stderr)
        if systems:
            names = [f"out{i}" for i in range(systems)]
            write_texts(folder, 2000, ("ref", *names))
            outputs = " ".join(names)
            for more in ("", " -f json", " -f json --full"):
                used = measure(f"compare ref -m bleu -n 1000{more} -i {outputs}".split(), folder)
                made.append([f"compare, {systems} systems{more}", "2,000", "", *map("{:.1f}".format, used)])
                print(*made[-1], sep="\t", file=sys.stderr)
    return made


def main() -> None:
    parser = argparse.ArgumentParser(description="Peak memory of commands on large inputs.")
    parser.add_argument("--segments", type=int, nargs="*", default=[100_000, 1_000_000])
    parser.add_argument("--systems", type=int, default=200, help="of the comparison of many systems; 0: none")
    parser.add_argument("--packed", action="store_true", help="score plain, gzipped and Parquet files, and no more")
    parser.add_argument("--vocabulary", action="store_true", help="also count distinct words")
    given = parser.parse_args()
    header = ["command", "segments", "distinct words", "CPU seconds", "peak MB", "printed MB"]
    print(table(header, rows(given.segments, given.systems, vocabulary=given.vocabulary, packed=given.packed)))


if __name__ == "__main__":
    main()
