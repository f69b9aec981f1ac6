"""`tercet lm`: estimate language models of words and tags, for features of fluency."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import UsageError
from ..options import REQUIRED, again, command, option, python_option, takes
from ..options.groups import Cache, Jobs, Quiet

if TYPE_CHECKING:
    from ..quality.fluency_models import FluencyModels


@dataclass(frozen=True, kw_only=True)
class LmOptions(Quiet, Cache, Jobs):
    """Options of `lm`."""

    texts: Sequence[str | Path] = option(
        REQUIRED, metavar="TEXTS...", positional=True, help="Files with one sentence per line."
    )
    language: str = option(
        REQUIRED, "-l", "--language", metavar="CODE", positional=True, help="The language of the texts, e.g. en."
    )
    out: str | Path | None = option(
        None, "-o", "--out", "--output", metavar="FILE",
        help="Write the models to FILE. [default: kept for the language, with 'tercet data']",
        about="The file to write; by default the one in which metrics look for the models of the language.",
    )  # fmt: skip
    backend: str | None = option(
        None, "--backend", metavar="NAME", help="The parser, as for tercet parse. [default: the installed one]"
    )
    cache: str | Path | None = again(
        Cache, "cache", help="Store parses in this folder and reuse those already there.", about=""
    )
    progress: Callable[[int, int], None] | None = python_option(
        None, "Called with the number of parsed sentences and of all."
    )


@takes(LmOptions)
def lm(*, options: LmOptions) -> FluencyModels:
    """Estimate language models of words and tags, forwards and backwards, and write them to a file.

    Parameters
    ----------

    Returns
    -------
    FluencyModels : the four models.

    Examples
    --------
    >>> from tempfile import mkdtemp
    >>> from pathlib import Path
    >>> import tercet
    >>> folder = Path(mkdtemp())
    >>> size = (folder / "news.txt").write_text("Dogs bark .")
    >>> sorted(tercet.lm(folder / "news.txt", "en", out=folder / "en.lm").models)
    ['tags', 'tags_backward', 'words', 'words_backward']
    """
    from ..data.files import check_writable
    from ..data.lines import read_lines
    from ..engine import open_executor
    from ..language.parsing import parse
    from ..quality.fluency_models import default_place, estimate_models, save_models
    from ..text.scripts import base_code

    if not options.texts:
        raise UsageError("Name at least one file of texts.")
    if options.out is not None:
        check_writable(options.out)
    lines = list(dict.fromkeys(line for file in options.texts for line in read_lines(file) if line.strip()))
    code = base_code(options.language)
    with open_executor(options.jobs) as executor:
        sentences = parse(
            lines, code, backend=options.backend, cache=options.cache, executor=executor, progress=options.progress
        )
    models = estimate_models(sentences, code)
    save_models(models, default_place(code) if options.out is None else options.out)
    return models


@command(LmOptions)
def run(options: LmOptions) -> None:
    """Estimate language models from TEXTS, one sentence per line, for cobalt_f, features_f, metrics_f and party.

    There are four: of words and of tags, reading forwards and backwards. Take texts like those you evaluate, but not
    the same ones: a model that knows the references favours outputs that copy them.

    \b
    tercet lm news.2012.en news.2013.en -l en
    """
    import click

    from ..cli.console import Progress
    from ..quality.fluency_models import default_place

    with Progress("parsing", quiet=options.quiet) as progress:
        models = lm(**options.python(progress=lambda done, total: progress.say(f"{done} of {total} sentences")))
    counts = ", ".join(f"{name} {model.counts[-1]:,}" for name, model in models.models.items())
    place = default_place(models.language) if options.out is None else options.out
    click.echo(f"{models.trained_on[0].size:,} sentences; trigrams: {counts}. The models are in {place}")
