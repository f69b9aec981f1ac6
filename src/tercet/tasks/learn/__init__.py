"""`tercet learn`: make a metric of other metrics and people's judgements."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...data.display import json_able
from ...errors import UsageError
from ...options import REQUIRED, again, command, option, python_option, shell_option, takes
from ...options.groups import SEED, Cache, Form, Jobs, Quiet, Seed

if TYPE_CHECKING:
    from ...engine import Progress
    from ...metrics.bases.learned_model import LearnedModel
    from .judged import JudgedOutputs, Part
    from .training import Ablation, HeldOut, Weight

SHOWN = 20  # features of which single figures are computed
TITLE = "A metric learnt from people's judgements"


@dataclass(frozen=True, kw_only=True)
class LearnOptions(Quiet, Cache, Jobs, Form):
    """Options of `learn`."""

    judgements: Sequence[str | Path] = option(
        REQUIRED, metavar="JUDGEMENTS...", positional=True,
        help="Folders or data sets with texts and judgements; with --texts, files of judgements.",
        about="Folders or data sets with texts and judgements; with `texts`, files of judgements.",
    )  # fmt: skip
    features: Sequence[str] = option(
        REQUIRED, "-m", "--features", "--metrics", metavar="METRIC[@PART]", several=True, positional=True,
        help="Metrics, as chrf; parts of one, as meteor@recall; all its parts, as beer@*.",
    )  # fmt: skip
    texts: str | Path | None = option(
        None, "-t", "--texts", metavar="DIR|FILE", help="The texts, if JUDGEMENTS are files without them."
    )
    out: str | None = shell_option(
        None, "-o", "--out", "--output", metavar="FILE", recorded=False,
        help="Write the model to FILE, for -m learned:model=FILE.",
    )  # fmt: skip
    pairs: Sequence[str] = option(
        (), "-l", "--pair", "--language-pair", metavar="SRC-TGT", several=True,
        help="Language pairs to learn from. [default: all that have judgements]",
        about="Language pairs to learn from; all by default. Their outputs must be in one language.",
    )  # fmt: skip
    learner: str = option(
        "logistic", "--learner", choices=("logistic", "ridge", "lambdamart", "svr"),
        help="logistic and lambdamart learn from pairs, svr from scores, ridge from both.",
    )  # fmt: skip
    leave_out: Sequence[str] = option(
        (), "--leave-out", metavar="SRC-TGT", several=True,
        help="Language pairs to test on instead of training on them.",
    )  # fmt: skip
    test: Sequence[str | Path] = option(
        (), "--test", metavar="DIR", several=True,
        help="Judgements with texts to test on; segments that were trained on are refused.",
    )  # fmt: skip
    gold: str | None = option(
        None, "-g", "--gold", metavar="NAME", help="Which judgements, if there are several: da, mqm, darr, …"
    )
    margin: float | None = option(
        None, "--margin", help="Two scores that differ by more make a pair. [default: 25 for raw DA, else 0]"
    )
    across: int = option(
        0, "--across", low=0, high=1000,
        help="Where people gave scores: pairs per output with outputs of other segments.",
    )  # fmt: skip
    balance: bool = option(False, "--balance", help="Every language pair of every data set weighs the same.")
    ablation: bool = option(False, "--ablation", help="Also show figures without each metric, and with it alone.")
    label: str = option("Learned", "--label", help="The name of the metric in tables.")
    lm: str | None = option(None, "--lm", metavar="FILE", help="Language models for features of fluency (tercet lm).")
    parses: str | None = option(None, "--parses", metavar="DIR", help="A folder that keeps parses for later runs.")
    table: str | None = option(
        None, "--table", metavar="FILE", help="Numbers of your own for each output, for the feature numbers@*."
    )
    top: int = shell_option(20, "--top", low=1, help="How many weights to show.")
    seed: int = again(Seed, "seed", SEED, env=None, help="Of folds, drawn pairs and trees.", about="")
    progress: Callable[[str], AbstractContextManager[Progress]] | None = python_option(
        None, "As for `tercet.meta`: called with a language pair."
    )


@dataclass(frozen=True, eq=False)
class LearnedMetric:
    """A model, and what is known of it.

    held_out: figures of models that had not seen what they are judged by (each language pair left out in turn, or
    fifths of the segments); single: the same of each feature alone, by its name; tests: the model's on judgements that
    it was not trained on (`leave_out`, `test`).
    """

    model: LearnedModel
    learner: str
    setting: float
    seed: int
    held_out: tuple[HeldOut, ...]
    single: Mapping[str, float]
    tests: tuple[HeldOut, ...]
    weights: tuple[Weight, ...]
    ablation: tuple[Ablation, ...]

    def to_dict(self) -> dict[str, object]:
        model = self.model
        return {
            "learner": self.learner, "setting": self.setting, "seed": self.seed, "language": model.language,
            "checksum": model.checksum, "trained_on": [asdict(one) for one in model.trained_on],
            "held_out": [json_able(asdict(one)) for one in self.held_out], "single": dict(self.single),
            "tests": [json_able(asdict(one)) for one in self.tests],
            "weights": [asdict(one) for one in self.weights], "ablation": [asdict(one) for one in self.ablation],
        }  # fmt: skip


@takes(LearnOptions)
def learn(*, options: LearnOptions) -> LearnedMetric:
    """Learn weights of features from people's judgements, so that outputs they prefer score higher.

    Parameters
    ----------

    Returns
    -------
    LearnedMetric : `model.save(path)` writes the file for "learned:model=FILE".

    Examples
    --------
    >>> from tempfile import mkdtemp
    >>> import tercet
    >>> from tercet import examples
    >>> folder = mkdtemp()
    >>> files = examples.write("en-de", folder)
    >>> found = tercet.learn(folder, ["chrf", "ter"], learner="ridge")
    >>> sorted(row.feature for row in found.weights)
    ['chrf', 'ter']
    """
    from ...engine import open_executor
    from ...learning.examples import on_one_thread
    from ...learning.learners import LEARNERS
    from ...metrics._seen import seen_by
    from ...metrics.bases.learned_model import LearnedModel, join_hashes
    from ...metrics.bases.members import find_members, warn_of_trust
    from ...stats.resampling import check_draws
    from .judged import compute_features, gather, refuse_seen, target_language
    from .training import ablate, balanced, check_parts, choose, figure, fit, hold_out, join, measure, weigh

    seed, chosen = options.seed, LEARNERS[options.learner]
    check_draws(1, seed)
    if not options.features:
        raise UsageError("Name at least one feature: a metric, as chrf, or parts of one, as beer@*.")
    given = {name: getattr(options, name) for name in ("lm", "parses", "table")}
    members = find_members(list(options.features), {name: value for name, value in given.items() if value is not None})
    warn_of_trust(members)
    how: dict[str, Any] = {name: getattr(options, name) for name in ("gold", "margin", "across", "seed")}
    found = gather(options.judgements, options.texts, pairs=options.pairs, **how)
    training, held = _divide(found, options.leave_out)
    others = gather(options.test, **how) if options.test else []
    seen = join_hashes([*(one.hashes for one in training), *(seen_by(member.metric).hashes for member in members)])
    refuse_seen([*held, *others], seen)
    for one, member in product([*held, *others], members):
        if seen_by(member.metric).names(one.name, one.pair):
            raise UsageError(f"{one.name} {one.pair} cannot be a test set: {member.spec} was trained on it.")

    def compute(some: Sequence[JudgedOutputs]) -> list[Part]:
        where: dict[str, Any] = {"seed": seed, "cache": options.cache, "progress": options.progress}
        return [compute_features(one, members, executor=executor, **where) for one in some]

    with open_executor(options.jobs) as executor:
        parts, tested = compute(training), compute([*held, *others])
    names, needs = parts[0].names, parts[0].needs
    check_parts(chosen, parts, names)
    parts = balanced(parts) if options.balance else parts

    def train() -> LearnedMetric:
        setting, figures = choose(chosen, parts)
        predictor = fit(chosen, parts, setting)
        alone = {
            name: figure(hold_out(chosen, parts, setting, [column]), chosen) for column, name in enumerate(names)
        } if len(names) <= SHOWN else {}  # fmt: skip
        model = LearnedModel(
            names, predictor, target_language(training), options.label,
            (*(one.dataset for one in training), *(set_ for member in members for set_ in seen_by(member.metric).sets)),
            seen, {one.name: json_able({"tau": one.tau, "pearson": one.pearson}) for one in figures}, needs,
        )  # fmt: skip
        tests = tuple(
            measure(f"{one.name} {one.pair}", join([each]), model.predict)
            for one, each in zip([*held, *others], tested, strict=True)
        )
        lost = ablate(chosen, parts, setting, names) if options.ablation else []
        return LearnedMetric(
            model, options.learner, setting, seed, tuple(figures), alone, tests, tuple(weigh(predictor, parts, names)),
            tuple(lost),
        )  # fmt: skip

    return on_one_thread(train)


@command(LearnOptions)
def run(options: LearnOptions) -> None:
    """Learn weights of metrics from JUDGEMENTS, folders or data sets with texts and people's judgements.

    Figures are only of judgements that were held out: each language pair in turn, or fifths of the segments of one.

    \b
    tercet learn wmt12 -l cs-en de-en es-en fr-en --features chrf meteor ter beer@* --out my.metric
    tercet score ref.txt -i out.txt -m learned:model=my.metric
    """
    import click

    from ...cli.console import Progress, rendered
    from ...data.files import check_writable
    from .board import learned_parts

    if options.out is not None:
        check_writable(options.out)
    found = learn(**options.python(progress=lambda what: Progress(what, quiet=options.quiet)))
    if options.out is not None:
        found.model.save(options.out)
    click.echo(rendered(options.form, learned_parts(found, options.out, options.top), found.to_dict, TITLE))


def _divide(
    examples: Sequence[JudgedOutputs], leave_out: Sequence[str]
) -> tuple[list[JudgedOutputs], list[JudgedOutputs]]:
    known = list(dict.fromkeys(one.pair for one in examples))
    for pair in leave_out:
        if pair not in known:
            raise UsageError(
                f"There are no judgements of {pair} to leave out. There are: {', '.join(known) or 'none'}."
            )
    training = [one for one in examples if one.pair not in leave_out]
    if not training:
        raise UsageError(
            f"Nothing is left to train on: the judgements are of {', '.join(known)} only. Without `leave_out`, figures "
            "are computed on held-out segments."
        )
    return training, [one for one in examples if one.pair in leave_out]
