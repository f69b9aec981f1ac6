"""`tercet parse`: parse a text and write words, tags, dependencies and entities as CoNLL-U."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..options import REQUIRED, Options, command, option, python_option, shell_option, takes
from ..options.groups import Jobs, Quiet

if TYPE_CHECKING:
    from ..language.backends import Backend
    from ..language.sentence import Sentence


@dataclass(frozen=True, kw_only=True)
class Parsing(Jobs, Options):
    """How texts are parsed, and where."""

    language: str = option(
        REQUIRED, "-l", "--language", metavar="CODE", positional=True, help="The language of the text, e.g. en."
    )
    backend: str | Backend | None = option(
        None, "--backend", metavar="NAME",
        help="The parser: spacy:MODEL, stanza:LANGUAGE, natasha, conllu:FILE (or a folder of such files) or "
        "corenlp:FILE. Default: the installed parser for the language.",
        about="A parser by name (`spacy:MODEL`, `stanza:LANGUAGE`, `natasha`, `conllu:FILE` or `conllu:FOLDER`, "
        "`corenlp:FILE`) or an object with the interface of `backends.Backend`; by default the installed parser for "
        "the language.",
    )  # fmt: skip
    cache: str | Path | None = option(
        None, "--cache", metavar="DIR", recorded=False,
        help="Store parses in this folder and reuse those already there.",
    )  # fmt: skip
    executor: Executor | None = python_option(None, "An executor that parses, instead of `jobs` processes.")
    progress: Callable[[int, int], None] | None = python_option(
        None, "Called with the numbers of distinct texts done and in total."
    )


@dataclass(frozen=True, kw_only=True)
class ParseOptions(Quiet, Parsing):
    """Options of `parse`."""

    file: str = shell_option("-", metavar="[FILE]", help="One segment per line; - is standard input.")
    output: str | None = shell_option(
        None, "-o", "--output", metavar="FILE", recorded=False,
        help="Write to FILE, gzipped if it ends in .gz; default: standard output.",
    )  # fmt: skip


@takes(ParseOptions)
def parse(texts: Sequence[str], *, options: ParseOptions) -> list[Sentence]:
    """Parse texts: words, tags, dependencies and entities. An empty text has no words.

    Parameters
    ----------
    texts : sequence of str
        The texts, in one language.

    Returns
    -------
    list of Sentence : the parse of each text, with its collapsed dependencies.

    Examples
    --------
    >>> import tercet
    >>> [token.form for token in tercet.parse(["Dogs bark."], "en")[0].tokens]
    ['Dogs', 'bark', '.']
    """
    from ..engine import open_executor
    from ..language import parsing

    how: dict[str, Any] = {"backend": options.backend, "cache": options.cache, "progress": options.progress}
    with open_executor(options.jobs, executor=options.executor) as executor:
        return parsing.parse(texts, options.language, executor=executor, **how)


@command(ParseOptions)
def run(options: ParseOptions) -> None:
    """Parse FILE, one segment per line. Without FILE, read standard input. Each distinct line is parsed once.

    \b
    tercet parse reference.txt -l en -o reference.conllu
    tercet parse output.txt -l en --cache parses --jobs 2 -o output.conllu.gz
    """
    import click

    from ..cli.console import Progress
    from ..data.lines import read_lines
    from ..language.conllu import format_sentence, write

    texts = read_lines(options.file)
    with Progress("parsing", quiet=options.quiet) as progress:
        say = lambda done, total: progress.say(f"{done} of {total} distinct segments")  # noqa: E731
        sentences = parse(texts, **options.python(progress=say))
    if options.output is not None:
        write(options.output, sentences)
        return
    for number, sentence in enumerate(sentences, 1):
        click.echo(format_sentence(sentence, number), nl=False)
