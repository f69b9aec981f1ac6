"""`tercet lm`: estimate language models of words and tags, for features of fluency."""

from __future__ import annotations

import click

from .console import Progress
from .options import JOBS, QUIET


@click.command("lm")
@click.argument("texts", nargs=-1, required=True, metavar="TEXTS...")
@click.option("-l", "--language", required=True, metavar="CODE", help="The language of the texts, e.g. en.")
@click.option(
    "-o",
    "--out",
    "--output",
    "out",
    metavar="FILE",
    help="Write the models to FILE. [default: kept for the language, with 'tercet data']",
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
    from ..learning.language_models import lm
    from ..quality.fluency_models import default_place

    with Progress("parsing", quiet=quiet) as progress:
        models = lm(
            texts, language, out=out, backend=backend, cache=cache, jobs=jobs,
            progress=lambda done, total: progress.say(f"{done} of {total} sentences"),
        )  # fmt: skip
    counts = ", ".join(f"{name} {model.counts[-1]:,}" for name, model in models.models.items())
    place = default_place(models.language) if out is None else out
    click.echo(f"{models.trained_on[0].size:,} sentences; trigrams: {counts}. The models are in {place}")
