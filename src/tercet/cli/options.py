"""Options that take several values, as sacreBLEU's users write them: -i A B C -m bleu chrf, references anywhere."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

import click

# Flags of sacreBLEU with one dash and several letters, which a command may not have.
SACREBLEU = {"-sl", "-sh", "-lc", "-tok", "-nr", "-ci", "-cin", "-pbs", "-par", "-pbsn", "-parn", "-sv", "-cc", "-cw"}


class ManyValues(click.Command):
    """A command some of whose options take several values at once: -i A B C is -i A -i B -i C.

    These are the options whose metavar ends in "...". A list of values ends at the next option, at `--`, or, for -m,
    at a word that is an existing file and no metric: `-i out.txt -m bleu chrf ref.txt` scores against ref.txt.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        many = {
            name
            for parameter in self.params
            if isinstance(parameter, click.Option) and (parameter.metavar or "").endswith("...")
            for name in parameter.opts
        }
        taking = {
            name
            for parameter in self.params
            if isinstance(parameter, click.Option) and not parameter.is_flag and not parameter.count
            for name in parameter.opts
        }
        every = {name for parameter in self.params if isinstance(parameter, click.Option) for name in parameter.opts}
        for word in args:
            if word == "--":
                break
            # Click would read -sl as -s with the value "l".
            if word in SACREBLEU and word not in every:
                raise click.NoSuchOption(word, ctx=ctx)
        return super().parse_args(ctx, _expand(args, many, taking))


def _expand(args: list[str], many: set[str], taking: set[str]) -> list[str]:
    expanded: list[str] = []
    rest = list(args)
    while rest:
        word = rest.pop(0)
        if word == "--":
            return [*expanded, word, *rest]
        if word not in many:
            expanded.append(word)
            if word in taking and rest:
                expanded.append(rest.pop(0))
            continue
        first = True
        while rest and (not rest[0].startswith("-") or rest[0] == "-"):
            if not first and word in ("-m", "--metric", "--metrics") and _is_file_not_metric(rest[0]):
                break
            expanded += [word, rest.pop(0)]
            first = False
        if first:
            expanded.append(word)  # click says that a value is missing
    return expanded


def _is_file_not_metric(word: str) -> bool:
    from ..metrics import names

    if word.endswith(".py"):  # a metric of the user's own
        return False
    try:
        return word.partition(":")[0].lower() not in names() and Path(word).exists()
    except OSError:
        return False  # a name that no file can have


def with_output(command: click.Command) -> click.Command:
    """Return the command with `-o FILE`, which writes to a file what it would print; so do the commands of a group.

    A command that has -o already keeps its own. The file appears whole or not at all; a command that fails writes none.
    """
    if isinstance(command, click.Group):
        for name, each in command.commands.items():
            command.commands[name] = with_output(each)
        return command
    taken = {name for parameter in command.params for name in parameter.opts}
    if "-o" in taken or command.callback is None:
        return command
    names = ["-o", "output_file"] if "--output" in taken else ["-o", "--output", "output_file"]
    command.params.append(click.Option(names, metavar="FILE", help="Write here instead of to standard output."))
    command.callback = _writing_to_file(command.callback)
    return command


def _writing_to_file(callback: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(callback)
    def run(*arguments: Any, output_file: str | None = None, **options: Any) -> Any:
        if output_file is None:
            return callback(*arguments, **options)
        from contextlib import redirect_stdout

        from ..data.files import writing

        leaving = None
        with writing(output_file) as stream, redirect_stdout(stream):
            try:
                callback(*arguments, **options)
            except SystemExit as left:  # a gate that fails has printed its table
                leaving = left
        if leaving is not None:
            raise leaving

    return run
