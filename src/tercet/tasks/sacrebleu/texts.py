"""The texts of `tercet sacrebleu`: references and outputs as sacreBLEU reads them, and what it refuses of them."""

import io
import sys
from argparse import Namespace
from collections.abc import Sequence

from . import test_sets
from .arguments import Stop, say

SKIPPED = 17  # sacreBLEU's exit code for lines with another number of fields
TOKENISED = 100  # so many outputs that end in " ." look tokenised


def kept(args: Namespace, names: Sequence[str], texts: Sequence[Sequence[str]]) -> list[Sequence[str]]:
    """Return the texts, of the segments that --origlang and --subset choose."""
    if args.origlang is None and args.subset is None:
        return list(texts)
    return chosen(texts, test_sets.kept(names, args.langpair, args.origlang, args.subset))


def chosen(texts: Sequence[Sequence[str]], kept: Sequence[bool]) -> list[Sequence[str]]:
    """Return the texts, of the segments that are kept."""
    return [[text for text, stays in zip(column, kept, strict=False) if stays] for column in texts]


def references(args: Namespace) -> list[Sequence[str]]:
    """Return the references: of files, or of test sets one after the other."""
    if args.test_set is None:
        files = [[text.rstrip() for text in test_sets.lines_of(path, args.encoding)] for path in args.refs]
        return _split(files[0], args.num_refs) if args.num_refs != 1 else list(files)
    parts = [test_sets.references(name, args.langpair) for name in args.test_set.split(",")]
    for name, part in zip(args.test_set.split(","), parts, strict=True):
        if not part:
            say(args, f"No references found for test set {name}/{args.langpair}.")
        if len(part) > max(len(parts[0]), 1):
            raise Stop(f"{name} has {len(part)} references, and the first test set {len(parts[0])}.")
    count = max(len(parts[0]), 1)
    return [[text.rstrip() for part in parts for text in (part[i] if i < len(part) else ())] for i in range(count)]


def _split(lines: Sequence[str], count: int) -> list[Sequence[str]]:
    rows = []
    for number, text in enumerate(lines, 1):
        rows.append(text.split("\t", maxsplit=count - 1))
        if len(rows[-1]) != count:
            raise Stop(f"FATAL: line {number}: expected {count} fields, but found {len(rows[-1])}.", code=SKIPPED)
    return [list(column) for column in zip(*rows, strict=True)] or [[] for _ in range(count)]


def systems(args: Namespace) -> dict[str, Sequence[str]]:
    """Return the outputs by system, named as sacreBLEU does."""
    paired = args.paired_bs or args.paired_ar
    if args.input is None:
        columns = enumerate(_columns(args), 0 if paired else 1)
        return {f"System {i}" if i else "Baseline": column for i, column in columns}
    found: dict[str, Sequence[str]] = {}
    for path in args.input:
        if path in found:
            if paired and path == args.input[0]:
                say(args, f"Ignoring {path!r} as it was also given as the baseline.")
                continue
            message = f"{path!r} already used to name a system."
            raise Stop(message, "Make sure to have a different basename for each system.")
        found[path] = [text.rstrip() for text in test_sets.lines_of(path, args.encoding)]
    if not found:
        raise Stop("-i needs the name of a file.")
    return {f"Baseline: {name}" if paired and i == 0 else name: texts for i, (name, texts) in enumerate(found.items())}


def _columns(args: Namespace) -> list[list[str]]:
    """Return the systems on standard input, a column each. Here CR ends a line too, as in sacreBLEU."""
    try:
        stream = io.TextIOWrapper(sys.stdin.buffer, encoding=args.encoding)
        rows = [text.rstrip().split("\t") for text in stream] or [[""]]
        stream.detach()
    except (UnicodeDecodeError, LookupError) as error:
        raise Stop(f"Standard input is not text in {args.encoding}: {error}.") from None
    if any(len(row) != len(rows[0]) for row in rows):
        message = "FATAL: the number of tab-delimited fields in the input stream differ across lines."
        raise Stop(message, code=SKIPPED)
    return [[text.rstrip() for text in column] for column in zip(*rows, strict=True)]


def check_systems(args: Namespace, count: int) -> None:
    """Refuse flags that do not go with this number of systems."""
    paired = args.paired_bs or args.paired_ar
    if args.sentence_level and count > 1:
        raise Stop("Only one system can be evaluated in sentence-level mode.")
    if args.sentence_level and (args.confidence or paired):
        raise Stop("Statistical tests are unavailable in sentence-level mode.")
    if paired and count == 1:
        raise Stop("Paired tests require multiple input systems given to --input (-i).")
    if count > 1 and args.confidence:
        raise Stop("Use paired tests (--paired) for multiple systems.")


def check_lengths(args: Namespace, systems: Sequence[Sequence[str]], references: Sequence[Sequence[str]]) -> None:
    """Refuse texts without segments or of different lengths."""
    for texts in systems:
        if not texts:
            chosen = [f" {name}={getattr(args, name)}" for name in ("origlang", "subset") if getattr(args, name)]
            with_them = f" with{''.join(chosen)}" if chosen else ""
            raise Stop(f"Test set {args.test_set!r} contains no sentence{with_them}")
        if any(len(lines) != len(texts) for lines in references):
            raise Stop("System and reference streams have different lengths.")


def warn(args: Namespace, systems: Sequence[Sequence[str]]) -> None:
    """Say what sacreBLEU says of tokenised texts."""
    if args.test_set is not None and args.tokenize == "none":
        say(args, "You are turning off BLEU's internal tokenizer presumably to supply your own tokenized files.")
        say(args, "Published numbers will not be comparable to other papers.")
    for lines in systems if "bleu" in args.metrics and not args.force else ():
        if sum(text.endswith(" .") for text in lines) >= TOKENISED:
            say(args, "That's 100 lines that end in a tokenized period ('.')")
            say(args, "It looks like you forgot to detokenize your test data, which may hurt your score.")
