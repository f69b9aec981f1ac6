"""Options that several commands share, and options that take several values: -i A B C -m bleu chrf, as in sacreBLEU."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

import click

from ..options.groups import KINDS_OF_JUDGEMENT
from .console import SPREADSHEET
from .console import save_figures as save_figures

F = TypeVar("F", bound=Callable[..., Any])


def all_of(*decorators: Callable[[F], F]) -> Callable[[F], F]:
    """Return one decorator that adds all these options and arguments, in this order."""

    def decorate(function: F) -> F:
        for each in reversed(decorators):
            function = each(function)
        return function

    return decorate


def _hushed(_: click.Context, __: click.Parameter, quiet: bool) -> bool:
    """Switch warnings off while options are parsed, because reading the first file may warn."""
    if quiet:
        from .console import hush

        hush()
    return quiet


def quiet_option(help: str = "No warnings, no progress.") -> Callable[[F], F]:
    """Return -q, which switches warnings off."""
    return click.option("-q", "--quiet", is_flag=True, callback=_hushed, help=help)


def format_option(*more: str, **settings: Any) -> Callable[[F], F]:
    """Return -f with every form of a document and `more` forms, and --spreadsheet, which `console.rendered` obeys."""
    from ..rendering.document import FORMS

    given: dict[str, Any] = {"default": "text", "show_default": True, "help": "Output format."} | settings
    return all_of(
        click.option("-f", "--format", "form", type=click.Choice(list(dict.fromkeys((*FORMS, *more)))), **given),
        click.option("--spreadsheet", is_flag=True, expose_value=False, callback=_for_spreadsheet,
                     help="In TSV and CSV, put a ' before text that a spreadsheet would take for a formula."),
    )  # fmt: skip


def _for_spreadsheet(context: click.Context, _: click.Parameter, wanted: bool) -> None:
    context.meta[SPREADSHEET] = wanted


STYLE = click.option(
    "--style",
    type=click.Choice(["plain", "paper"]),
    default="plain",
    show_default=True,
    help="paper: one table with systems as rows and metrics as columns, for -f latex and markdown.",
)


def check_style(options: Mapping[str, Any]) -> bool:
    """Return whether the table of a paper is asked for, which only LaTeX and Markdown have."""
    if options["style"] != "paper":
        return False
    from ..errors import UsageError

    if options["form"] not in ("latex", "markdown"):
        raise UsageError(f"--style paper goes with -f latex or -f markdown, not {options['form']}.")
    return True


def several(*names: str, of: str, help: str, **more: Any) -> Callable[[F], F]:
    """Return an option of a `ManyValues` command that takes several values at once. of: what they are, for the help."""
    return click.option(*names, multiple=True, metavar=f"{of}...", help=help, **more)


def metrics_option(help: str) -> Callable[[F], F]:
    """Return -m, which names metrics."""
    return several("-m", "--metrics", "--metric", "metrics", of="METRIC", help=help)


def width_option(help: str = "Decimals in tables.", **default: Any) -> Callable[[F], F]:
    """Return -w, the number of decimals."""
    return click.option("-w", "--width", type=click.IntRange(0, 15), help=help, **default)


def jobs_option(*more: str) -> Callable[[F], F]:
    """Return -j. more: other names of it."""
    return click.option(
        "-j", "--jobs", *more, default=1, show_default=True, help="Number of processes; 0 for all cores."
    )


QUIET = quiet_option()
TRUST_FEATURES = click.option(
    "--trust-features", is_flag=True, help="Run code in files that a model or signature names."
)
ALLOW_NETWORK = click.option(
    "--allow-network", is_flag=True, help="Send texts to services that a model or signature names; they get no key."
)
JOBS = jobs_option()
CACHE = click.option("--cache", metavar="DIR", help="Store finished counts here, so that a killed run can continue.")
CLUSTER = click.option("--cluster", metavar="ADDRESS", help="Count on a Dask cluster, such as tcp://scheduler:8786.")
SEED = click.option("--seed", type=int, default=12345, envvar="SACREBLEU_SEED",
                    help="Seed of all random choices. [default: $SACREBLEU_SEED or 12345]")  # fmt: skip
INTERVALS = all_of(
    click.option("-n", "--resamples", type=int, default=1000, show_default=True,
                 help="Number of resamples for the intervals."),
    click.option("--confidence", default=0.95, show_default=True, help="Confidence level of the intervals."),
    SEED,
)  # fmt: skip
EXPORTS = all_of(
    click.option("--kind", type=click.Choice(KINDS_OF_JUDGEMENT), metavar="da|esa|mqm|…",
                 help="The kind of judgement, where a table or an export of Appraise or Pearmut does not state it: "
                 f"{', '.join(KINDS_OF_JUDGEMENT)}."),
    several("--columns", "columns", of="ROLE=COLUMN",
            help="Columns of a table of judgements with unusual names, as system=Engine score=Punkte."),
    click.option("--system-prefix", default="",
                 help="Prefix to remove from system names in such exports, such as 'wmt23.'."),
)  # fmt: skip
RESULTS = all_of(
    click.option("--figures", metavar="DIR", help="Write plots to this folder."),
    click.option("--figure-format", "figure_form", type=click.Choice(["svg", "png", "html"]), default="svg",
                 show_default=True),
    format_option(),
    width_option(default=3, show_default=True),
)  # fmt: skip


def print_as(form: str, value: Any, text: str) -> None:
    """Print the text; in other forms than text the value, a record or a list of them, as a table or as JSON."""
    from ..rendering.document import records
    from .console import rendered

    click.echo(rendered(form, [text if form == "text" else records(value)], lambda: value))


def run_options(*jobs: str) -> Callable[[F], F]:
    """Return the options of where work runs (see `where`), and -q. jobs: other names of -j."""
    return all_of(jobs_option(*jobs), CLUSTER, CACHE, QUIET)


def where(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options that say where work runs."""
    return {name: options[name] for name in ("jobs", "cluster", "cache")}


# Flags of sacreBLEU with one dash and several letters, which a command may not have.
SACREBLEU = {"-sl", "-sh", "-lc", "-tok", "-nr", "-ci", "-cin", "-pbs", "-par", "-pbsn", "-parn", "-sv", "-cc", "-cw"}


class ManyValues(click.Command):
    """A command some of whose options take several values at once: -i A B C is -i A -i B -i C.

    These are the options whose metavar ends in "...". A list of values ends at the next option, at `--`, or, for -m,
    at a word that is an existing file and no metric: `-i out.txt -m bleu chrf ref.txt` scores against ref.txt.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        options = [parameter for parameter in self.params if isinstance(parameter, click.Option)]
        many = {name for option in options if (option.metavar or "").endswith("...") for name in option.opts}
        taking = {name for option in options if not option.is_flag and not option.count for name in option.opts}
        every = {name for option in options for name in option.opts}
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
        if output_file is None or output_file == "-":
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
