"""Options that several commands share, and options that take several values: -i A B C -m bleu chrf, as in sacreBLEU."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import click

from ..options.groups import KINDS_OF_JUDGEMENT
from .commands import ManyValues as ManyValues
from .console import SPREADSHEET
from .console import print_as as print_as
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


def run_options(*jobs: str) -> Callable[[F], F]:
    """Return the options of where work runs (see `where`), and -q. jobs: other names of -j."""
    return all_of(jobs_option(*jobs), CLUSTER, CACHE, QUIET)


def where(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options that say where work runs."""
    return {name: options[name] for name in ("jobs", "cluster", "cache")}
