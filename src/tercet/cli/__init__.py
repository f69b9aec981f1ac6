"""The command line: every command is made from its task, whose module is imported when it is called, not before."""

import os
import sys
from collections.abc import Sequence
from io import StringIO

import click

from .. import __version__
from ..errors import TercetError, UnknownName, UsageError

# Every command with the line that `tercet --help` shows, so that help needs no command's imports.
COMMANDS = {
    "score": "Score outputs against references.",
    "sacrebleu": "Score with sacreBLEU's command line and output.",
    "compare": "Compare systems: differences, intervals, tests, clusters.",
    "report": "Write a page that compares systems, with all their segments.",
    "review": "Say which translations can pass, and which need a look.",
    "meta": "Judge metrics against people.",
    "learn": "Make a metric of others and people's judgements.",
    "rate": "Have people judge outputs: campaigns, a server, exports.",
    "agree": "Report how well raters agree.",
    "reproduce": "Recompute tables of papers and compare them with print.",
    "explain": "Show what metrics saw in one segment.",
    "alignments": "Count how words of outputs and references are aligned.",
    "qe": "Estimate quality without references: train, predict, evaluate, rank.",
    "entities": "Report which names and places systems keep, lose and invent.",
    "link": "Link the entities that texts mention to a knowledge base.",
    "kb": "Build a knowledge base, or show what one holds.",
    "paraphrase": "Paraphrase references by rules, for further references.",
    "parse": "Parse texts: words, tags, dependencies and entities as CoNLL-U.",
    "lm": "Estimate language models for metrics of fluency.",
    "check": "Examine text files for what spoils an evaluation.",
    "verify": "Recompute a published score from its signature.",
    "metrics": "List the metrics, or explain one.",
    "data": "List, get and add test sets.",
    "track": "Keep scores over time: compare runs, plot them, warn of drops.",
    "serve": "Serve score, compare, qe, check and explain over HTTP.",
    "demo": "Show score, compare, check and report on a small test set.",
}


INSTEAD = {  # what people try
    "help": "Help is an option: tercet --help, tercet score --help.",
    "version": "The version is an option: tercet --version.",
    **dict.fromkeys(
        ("bleu", "chrf", "ter", "comet", "rima", "meteor"),
        "Metrics are chosen by -m: tercet score REFERENCE -i OUTPUT -m bleu chrf.",
    ),
}


class LazyGroup(click.Group):
    """A group that knows its commands' names and imports only the one that is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            raise UsageError(INSTEAD[name]) if name in INSTEAD else UnknownName("command", name, COMMANDS)
        from .commands import from_task

        return from_task(name, f"tercet.tasks.{name}")

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


# color: click would remove escape sequences of texts from what goes to files and pipes; see `console`.
@click.command(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "color": True})
@click.version_option(__version__, "-V", "--version", prog_name="tercet", message="%(prog)s %(version)s")
@click.option("--max-line", type=click.IntRange(1), metavar="MB", help="Longest line of a file, in MiB. [default: 100]")
def group(max_line: int | None) -> None:
    """Tercet evaluates machine translation: source, output, reference.

    Start with: tercet score REFERENCE -i OUTPUT
    """
    if max_line is not None:
        from ..data import lines

        lines.MAX_LINE = max_line << 20


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command; what a user can mend ends in a message and an exit code, never in a traceback."""
    # One thread for linear algebra: work is spread by --jobs, and starting more threads takes longer than a small run.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from .console import guarded, warnings_shown

    try:
        # Without standalone mode click returns the code of ctx.exit() instead of raising it.
        with guarded(), warnings_shown():
            code = group.main(list(arguments) if arguments is not None else None, "tercet", standalone_mode=False)
        sys.stdout.flush()
    except TercetError as error:
        code = _say(f"Error: {error}", error.exit_code)
    except click.ClickException as error:
        shown = StringIO()
        error.show(file=shown)
        code = _say(shown.getvalue().rstrip("\n"), error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        code = _say("Stopped.", 130)
    except SystemExit as leaving:
        code = leaving.code
        if code in (0, None):  # our own code leaves with failures only
            code = _say("Error: A metric or plug-in ended the program (sys.exit).", 2)
    except BrokenPipeError:  # the reader has seen enough, as in `tercet … | head`
        code = 141
    except OSError as error:  # a full disk, most likely behind a redirected output
        where = "The output cannot be written" if error.filename is None else str(error.filename)[:200]
        code = _say(f"Error: {where}: {error.strerror or error}.", 1)
    except MemoryError:
        code = _say("Error: Not enough memory. Score fewer systems at once, or use --jobs 1.", 1)
    if isinstance(code, int) and code:
        sys.exit(code)


def _say(message: str, code: int) -> int:
    from .console import in_flags, visible

    click.echo(visible(in_flags(message)), err=True)
    return code
