"""`tercet paraphrase`: undo optional shifts of translators by rules, and write the results as further references."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ...errors import UsageError
from ...options import again, command, option, shell_option, takes
from ...options.groups import Form, Quiet
from ..parse import Parsing

if TYPE_CHECKING:
    from ...language.ngram_models import KenlmModel, NgramModel
    from ...paraphrasing.result import Paraphrases
    from ...paraphrasing.rules import Rule, RuleSet

CHANGES = "changes.tsv"
COLUMNS = {"segment": "segment", "variant": "number", "rules": "rules", "text": "text"}


@dataclass(frozen=True, kw_only=True)
class ParaphraseOptions(Quiet, Form, Parsing):
    """Options of `paraphrase`."""

    reference: str | None = shell_option(None, metavar="[REFERENCE]", help="References, one segment per line.")
    language: str = again(
        Parsing, "language", Parsing.__dataclass_fields__["language"].default,
        help="The language of the references: es or en.",
        about='The language of the references, "es" or "en"; others need rules of your own.',
    )  # fmt: skip
    rules: str | Path | RuleSet | None = option(
        None, "--rules", metavar="FILE", help="A file of rules (TOML). Default: Tercet's rules for the language."
    )
    only: Sequence[str] = option(
        (), "--rule", metavar="NAME", several=True, help="Apply only these rules, by name or number (4a)."
    )
    show: bool = shell_option(
        False, "--show", help="Show the rules with their examples, and what they change in REFERENCE."
    )
    parses: str | Path | None = option(
        None, "--parses", metavar="FILE", help="Read the parses of the references from a CoNLL-U file."
    )
    parse_back: bool | None = option(
        None, "--parse-back/--no-parse-back",
        help="Drop variants that do not parse to the structure that the rule intends. Default: only without --parses.",
        about="Drop variants that do not parse to the structure that the rule intends. Default: only without `parses`, "
        "since it needs a parser.",
    )  # fmt: skip
    model: str | Path | NgramModel | KenlmModel | None = option(
        None, "--lm", metavar="FILE", help="Drop variants that this language model (ARPA) finds much less probable.",
        about="A language model (ARPA or kenlm file). A variant whose log10 probability per word is more than "
        "`threshold` below that of the reference is dropped.",
    )  # fmt: skip
    corpus: Sequence[str] = shell_option(
        (), "--corpus", metavar="FILE", several=True, help="Estimate the language model from these texts."
    )
    save_lm: str | None = shell_option(
        None, "--save-lm", metavar="FILE", help="Write the model of --corpus as an ARPA file, for --lm."
    )
    threshold: float = option(0.25, "--threshold", metavar="X", help="How much log10 probability per word may fall.")
    against: Mapping[str, Sequence[str]] | Sequence[str | Path] = option(
        (), "--against", metavar="OUTPUT", several=True,
        help="Keep only variants that are nearer to one of these outputs than the reference.",
        about="Outputs by system, or files. Only variants that are nearer to one of them than the reference are kept. "
        "The variants then depend on these outputs: say so if you score the same outputs.",
    )  # fmt: skip
    most: int = option(
        8, "--max", metavar="N", low=1, help="Most variants of a segment.",
        about="The most variants of a segment: first those with one change, then combinations.",
    )  # fmt: skip
    by: str = shell_option(
        "variant", "--by", choices=("variant", "group", "rule"),
        help="With -o, write variant-1.txt and so on, or one file for each group of rules, or for each rule.",
    )  # fmt: skip
    output: str | None = shell_option(
        None, "-o", "--output", metavar="DIR", recorded=False,
        help="Write the references and changes.tsv to this new folder.",
    )  # fmt: skip


@takes(ParaphraseOptions)
def paraphrase(references: Sequence[str], *, options: ParaphraseOptions) -> Paraphrases:
    """Paraphrase references by rules, to be used as further references.

    Parameters
    ----------
    references : sequence of str
        The texts, in one language.

    Returns
    -------
    Paraphrases
        The variants with the rules that made them. `add_to(testset)` adds them to a test set.

    Examples
    --------
    >>> import tercet
    >>> found = tercet.paraphrase(["The committee approved the proposal."], "en", only=["active-to-passive"])
    >>> found.variants[0].text
    'The proposal was approved by the committee.'
    """
    from ...engine import open_executor
    from .making import make_paraphrases

    with open_executor(options.jobs, executor=options.executor) as executor:
        return make_paraphrases(references, _outputs(options), executor, options)


def _outputs(options: ParaphraseOptions) -> Mapping[str, Sequence[str]]:
    if isinstance(options.against, Mapping):
        return options.against
    from ...data.lines import read_lines
    from ...data.names import unique_names

    return {name: read_lines(path) for name, path in unique_names(list(map(str, options.against))).items()}


@command(ParaphraseOptions)
def run(options: ParaphraseOptions) -> None:
    """Paraphrase REFERENCE, one segment per line, and print the variants or write them as further references.

    \b
    tercet paraphrase reference.es -l es -o closer
    tercet score reference.es closer/*.txt -i output.es
    tercet paraphrase -l es --rule active-to-passive --show
    """
    import click

    from ...cli.console import Progress, rendered
    from ...data.lines import read_lines
    from ...paraphrasing.rules import open_rules
    from ...rendering.document import listing

    rules = open_rules(options.rules, options.language, options.only)
    if options.show:
        for rule in rules.rules:
            click.echo(_described(rule, rules))
    if options.reference is None:
        if not options.show:
            raise UsageError(
                "Give a file of references: tercet paraphrase REFERENCE -l es. With --show it is optional."
            )
        return
    folder = Path(options.output) if options.output is not None else None
    if folder is not None and folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder} exists and is not an empty folder. Name a new one.")
    references, outputs = read_lines(options.reference), _outputs(options)
    if len(outputs) == 1 and not options.quiet:
        click.echo(
            "Warning: the variants are chosen by one output. A score of this output against them is too high; say how "
            "they were chosen, or give the outputs of all systems.", err=True,
        )  # fmt: skip
    model = options.model or _estimated(options.corpus, options.save_lm)
    with Progress("paraphrasing", quiet=options.quiet) as progress:
        say = lambda done, total: progress.say(f"{done} of {total} segments parsed")  # noqa: E731
        found = paraphrase(references, **options.python(progress=say, rules=rules, against=outputs, model=model))
    if folder is not None:
        _write(found, folder, options.by)
        click.echo(_summary(found), err=True)
    else:
        click.echo(rendered(options.form, [listing(found.rows(), COLUMNS)], found.to_dict))


def _estimated(corpus: Sequence[str], save: str | None) -> NgramModel | None:
    """Return the language model of texts, and write it if a file is named."""
    if not corpus:
        if save is not None:
            raise UsageError("`save_lm` needs the texts of `corpus`.")
        return None
    from ...data.lines import read_lines
    from ...language.arpa import write_arpa
    from ...paraphrasing.control import estimate_model

    model = estimate_model([line for path in corpus for line in read_lines(path)])
    if save is not None:
        write_arpa(model, save)
    return model


def _described(rule: Rule, rules: RuleSet) -> str:
    """Return a rule as text: what it does, its examples, and where it is."""
    number = f" ({rule.number})" if rule.number else ""
    group = rules.groups.get(rule.group, rule.group)
    lines = [f"{rule.name}{number}, {group}", f"  {rule.about}"]
    lines += [f"  {before}\n  → {after}" for before, after in rule.examples]
    return "\n".join([*lines, f"  {rules.source}, line {rule.line}", ""])


def _write(found: Paraphrases, folder: Path, by: str) -> None:
    from ...data.files import make_folder, writing
    from ...data.lines import write_lines

    make_folder(folder)
    for name, lines in found.texts(by).items():
        write_lines(folder / f"{name}.txt", list(lines))
    with writing(folder / CHANGES) as stream:
        stream.write("segment\tvariant\trules\tnearer\ttext\n")
        for row in found.rows():
            cells = (str(row[name]) for name in ("segment", "number", "rules", "nearer", "text"))
            stream.write("\t".join(cell.replace("\t", " ") for cell in cells) + "\n")


def _summary(found: Paraphrases) -> str:
    dropped = ", ".join(f"{count} by {reason}" for reason, count in found.dropped.items() if count)
    told = f"; dropped: {dropped}" if dropped else ""
    return f"{len(found)} variants of {found.changed} of {len(found.references)} segments{told}."
