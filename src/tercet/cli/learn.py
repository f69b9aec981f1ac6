"""`tercet learn`: make a metric of other metrics and people's judgements."""

from __future__ import annotations

from typing import Any

import click

from .console import Progress
from .options import CACHE, JOBS, QUIET, ManyValues, format_option, several

TITLE = "A metric learnt from people's judgements"


@click.command("learn", cls=ManyValues)
@click.argument("judgements", nargs=-1, required=True, metavar="JUDGEMENTS...")
@several(
    "-m",
    "--features",
    "--metrics",
    "features",
    of="METRIC[@PART]",
    required=True,
    help="Metrics, as chrf; parts of one, as meteor@recall; all its parts, as beer@*.",
)
@click.option("-t", "--texts", metavar="DIR|FILE", help="The texts, if JUDGEMENTS are files without them.")
@click.option(
    "-o", "--out", "--output", "out", metavar="FILE", help="Write the model to FILE, for -m learned:model=FILE."
)
@several(
    "-l",
    "--pair",
    "--language-pair",
    "pairs",
    of="SRC-TGT",
    help="Language pairs to learn from. [default: all that have judgements]",
)
@click.option(
    "--learner",
    type=click.Choice(["logistic", "ridge", "lambdamart", "svr"]),
    default="logistic",
    show_default=True,
    help="logistic and lambdamart learn from pairs, svr from scores, ridge from both.",
)
@several("--leave-out", of="SRC-TGT", help="Language pairs to test on instead of training on them.")
@several("--test", of="DIR", help="Judgements with texts to test on; segments that were trained on are refused.")
@click.option("-g", "--gold", metavar="NAME", help="Which judgements, if there are several: da, mqm, darr, …")
@click.option(
    "--margin", type=float, help="Two scores that differ by more make a pair. [default: 25 for raw DA, else 0]"
)
@click.option(
    "--across",
    type=int,
    default=0,
    show_default=True,
    help="Where people gave scores: pairs per output with outputs of other segments.",
)
@click.option("--balance", is_flag=True, help="Every language pair of every data set weighs the same.")
@click.option("--ablation", is_flag=True, help="Also show figures without each metric, and with it alone.")
@click.option("--label", default="Learned", show_default=True, help="The name of the metric in tables.")
@click.option("--lm", metavar="FILE", help="Language models for features of fluency (tercet lm).")
@click.option("--parses", metavar="DIR", help="A folder that keeps parses for later runs.")
@click.option("--table", metavar="FILE", help="Numbers of your own for each output, for the feature numbers@*.")
@click.option("--top", type=click.IntRange(min=1), default=20, show_default=True, help="How many weights to show.")
@click.option("--seed", default=12345, show_default=True, help="Of folds, drawn pairs and trees.")
@format_option()
@JOBS
@CACHE
@QUIET
def command(form: str, out: str | None, quiet: bool, top: int, **options: Any) -> None:
    """Learn weights of metrics from JUDGEMENTS, folders or data sets with texts and people's judgements.

    Figures are only of judgements that were held out: each language pair in turn, or fifths of the segments of one.

    \b
    tercet learn wmt12 -l cs-en de-en es-en fr-en --features chrf meteor ter beer@* --out my.metric
    tercet score ref.txt -i out.txt -m learned:model=my.metric
    """  # fmt: skip
    from ..data.files import check_writable
    from ..learning import learn
    from .console import rendered
    from .learnboard import learned_parts

    def shown(what: str) -> Progress:
        return Progress(what, quiet=quiet)

    if out is not None:
        check_writable(out)
    found = learn(**options, progress=shown)
    if out is not None:
        found.model.save(out)
    click.echo(rendered(form, learned_parts(found, out, top), found.to_dict, TITLE))
