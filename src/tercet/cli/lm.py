"""`tercet lm`: estimate language models of words and tags, for features of fluency."""

from __future__ import annotations

import click

from .console import Progress
from .options import JOBS, QUIET


@click.command("lm")
@click.argument("texts", nargs=-1, required=True, metavar="TEXTS...")
@click.option("-l", "--language", required=True, metavar="CODE", help="The language of the texts, e.g. en.")
@click.option(
    "--out", metavar="FILE", help="Write the models to FILE. [default: kept for the language, with 'tercet data']"
)
@click.option("--backend", metavar="NAME", help="The parser, as for tercet parse. [default: the installed one]")
@click.option("--cache", metavar="DIR", help="Store parses in this folder and reuse those already there.")
@JOBS
@QUIET
def command(
    texts: tuple[str, ...],
    language: str,
    out: str | None,
    backend: str | None,
    cache: str | None,
    jobs: int,
    quiet: bool,
) -> None:
    """Estimate language models from TEXTS, one sentence per line, for cobalt_f, features_f, metrics_f and party.

    There are four: of words and of tags, reading forwards and backwards. Take texts like those you evaluate, but not
    the same ones: a model that knows the references favours outputs that copy them.

    \b
    tercet lm news.2012.en news.2013.en -l en
    """  # fmt: skip
    from ..data.lines import read_lines
    from ..engine import open_executor
    from ..language.parsing import parse
    from ..quality.fluency_models import default_place, estimate_models, save_models
    from ..text.scripts import base_code

    lines = list(dict.fromkeys(line for file in texts for line in read_lines(file) if line.strip()))
    code = base_code(language)
    with open_executor(jobs) as executor, Progress("parsing", quiet=quiet) as progress:
        sentences = parse(
            lines, code, backend=backend, cache=cache, executor=executor,
            progress=lambda done, total: progress.say(f"{done} of {total} sentences"),
        )  # fmt: skip
    models = estimate_models(sentences, code)
    place = default_place(code) if out is None else out
    save_models(models, place)
    counts = ", ".join(f"{name} {model.counts[-1]:,}" for name, model in models.models.items())
    click.echo(f"{len(lines):,} sentences; trigrams: {counts}. The models are in {place}")
