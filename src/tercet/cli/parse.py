"""`tercet parse`: parse a text and write words, tags, dependencies and entities as CoNLL-U."""

from __future__ import annotations

import click

from .console import Progress
from .options import JOBS, QUIET


@click.command("parse")
@click.argument("file", default="-")
@click.option("-l", "--language", required=True, metavar="CODE", help="The language of the text, e.g. en.")
@click.option(
    "--backend", metavar="NAME",
    help="The parser: spacy:MODEL, stanza:LANGUAGE, natasha, conllu:FILE (or a folder of such files) or corenlp:FILE. "
    "Default: the installed parser for the language.",
)  # fmt: skip
@click.option(
    "-o", "--output", metavar="FILE", help="Write to FILE, gzipped if it ends in .gz; default: standard output."
)
@click.option("--cache", metavar="DIR", help="Store parses in this folder and reuse those already there.")
@JOBS
@QUIET
def command(
    file: str, language: str, backend: str | None, output: str | None, cache: str | None, jobs: int, quiet: bool
) -> None:
    """Parse FILE, one segment per line. Without FILE, read standard input. Each distinct line is parsed once.

    \b
    tercet parse reference.txt -l en -o reference.conllu
    tercet parse output.txt -l en --cache parses --jobs 2 -o output.conllu.gz
    """  # fmt: skip
    from ..data.lines import read_lines
    from ..engine import open_executor
    from ..language.conllu import format_sentence, write
    from ..language.parsing import parse

    texts = read_lines(file)
    with open_executor(jobs) as executor, Progress("parsing", quiet=quiet) as progress:
        sentences = parse(
            texts,
            language,
            backend=backend,
            cache=cache,
            executor=executor,
            progress=lambda done, total: progress.say(f"{done} of {total} distinct segments"),
        )
    if output is not None:
        write(output, sentences)
        return
    for number, sentence in enumerate(sentences, 1):
        click.echo(format_sentence(sentence, number), nl=False)
