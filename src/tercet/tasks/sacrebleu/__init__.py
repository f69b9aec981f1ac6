"""`tercet sacrebleu`: sacreBLEU's command line as it is, with its output, its errors and its exit codes.

Post (2018), "A Call for Clarity in Reporting BLEU Scores", WMT. It equals sacreBLEU 2.6.0 (`tests/conformance/
test_sacrebleu_command.py` runs both); what it does not do is download test sets.
"""

import io
import sys
from argparse import Namespace
from collections.abc import Iterator
from typing import Any

import click

from ...cli.console import hush
from ...errors import TercetError
from . import test_sets, texts
from .arguments import Stop, parse, say


class _Verbatim(click.Command):
    """A command whose words are left to its own parser."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        try:
            ctx.params["args"] = parse(args)
        except SystemExit as leaving:  # argparse has printed help or an error
            ctx.exit(int(leaving.code or 0))
        return []


@click.command("sacrebleu", cls=_Verbatim, add_help_option=False)
def run(args: Namespace) -> None:
    """Score as sacreBLEU does: its flags, its output."""
    hush()  # the warnings are sacreBLEU's
    for stream in (sys.stdin, sys.stdout):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8")
    code = 0
    try:
        for text in answer(args):
            print(text)
    except (Stop, TercetError) as error:
        code = error.code if isinstance(error, Stop) else 1
        say(args, *str(error).split("\n"))
    if code:
        raise SystemExit(code)


def answer(args: Namespace) -> Iterator[str]:
    """Yield what is printed."""
    if args.download:
        for pair in _pairs(args.download, args.langpair):
            test_sets.fields(args.download, pair)
    elif args.list:
        yield from _listed(args.test_set, args.langpair)
    elif args.sentence_level and len(args.metrics) > 1:
        raise Stop("Only one metric can be used in sentence-level mode.")
    elif args.citation:
        yield from _citations(args)
    else:
        _check(args)
        if args.echo:
            yield from _echo(args)
        else:
            from .scores import scored

            yield from scored(args)


def _known(name: str) -> dict[str, Any]:
    if name not in test_sets.known():
        raise Stop(f"Unknown test set {name!r}", "Please run with --list to see the available test sets.")
    found: dict[str, Any] = test_sets.known()[name]
    return found


def _pairs(name: str, pair: str | None) -> Iterator[str]:
    """Yield the language pair that is asked for, or all of a test set."""
    for each in [pair] if pair else _known(name)["pairs"]:
        _check_pair(name, each)
        yield each


def _listed(name: str | None, pair: str | None) -> Iterator[str]:
    if name:
        yield from (f"{each}: {', '.join(test_sets.field_names(name, each))}" for each in _pairs(name, pair))
        return
    found = test_sets.known()
    if pair:
        yield f"The available test sets for {pair} are:"
        both = {pair, "-".join(reversed(pair.split("-")[:2]))}
        found = {each: entry for each, entry in found.items() if both & set(entry["pairs"])}
    else:
        yield "The available test sets are:"
    yield from (f"{each:<30}: {found[each]['about']}" for each in sorted(found))


def _citations(args: Namespace) -> Iterator[str]:
    from ...data.catalogue import entries

    if not args.test_set:
        raise Stop("I need a test set (-t).")
    cited = {entry.name: entry.citation for entry in entries()}
    for name in args.test_set.split(","):
        _known(name)
        if name in cited:
            yield cited[name]
        else:
            say(args, f"No citation found for {name}")


def _check_pair(name: str, pair: str) -> None:
    pairs = _known(name)["pairs"]
    if pair not in pairs:
        shown = [f" > {each}" for each in pairs]
        raise Stop(f"No such language pair {pair!r}", f"Available language pairs for {name!r} are:", *shown)


def _check(args: Namespace) -> None:
    """Refuse what sacreBLEU refuses, before anything is read."""
    names = args.test_set.split(",") if args.test_set is not None else []
    if args.num_refs != 1 and (names or len(args.refs) > 1):
        raise Stop(
            "The --num-refs argument allows you to provide any number of tab-delimited references in a single file.",
            "You can only use it with externally provided references, however (i.e., not with `-t`),",
            "and you cannot then provide multiple reference files.",
        )
    for name in names:
        _known(name)
    if not names and not args.refs:
        raise Stop(
            "If manual references given, make sure to provide them before the -i/--input argument to avoid confusion.",
            "Otherwise, I need a predefined test set (-t) from the following list:",
            str(sorted(test_sets.known(), reverse=True)),
        )
    if not names:
        if args.echo:
            raise Stop("--echo requires a test set (--t) and a language pair (-l)")
        if args.origlang or args.subset:
            raise Stop("Filtering for --origlang or --subset needs a test (-t) and a language pair (-l).")
    elif args.refs:
        raise Stop("I need exactly one of (a) a predefined test set (-t) or (b) a list of references")
    elif args.langpair is None:
        raise Stop("I need a language pair (-l). Use --list to see available language pairs for this test set.")
    for name in names:
        _check_pair(name, args.langpair)
    if args.langpair is not None and "-" not in args.langpair:
        raise Stop(f"A language pair is written as en-de, not {args.langpair!r}.")


def _echo(args: Namespace) -> Iterator[str]:
    for name in args.test_set.split(","):
        found = test_sets.fields(name, args.langpair)
        if "all" in args.echo and len(args.echo) > 1:
            raise Stop("Cannot use --echo all with other fields")
        first = min((field for field in found if field.startswith("ref")), default="ref")
        asked = list(found) if "all" in args.echo else args.echo
        asked = [first if field == "ref" and "ref" not in found else field for field in asked]
        for field in asked:
            if field not in found:
                raise Stop(
                    f"No such field {field} in test set {name} for language pair {args.langpair}.",
                    f"available fields for {name}/{args.langpair}: {', '.join(found)}",
                )
        for row in zip(*texts.kept(args, [name], [found[field] for field in asked]), strict=True):
            yield "\t".join(text.rstrip() for text in row)
