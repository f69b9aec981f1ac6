"""`tercet paraphrase`: undo optional shifts of translators by rules, and write the results as further references."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import UsageError
from .console import Progress, rendered
from .options import JOBS, QUIET, ManyValues, format_option, several

if TYPE_CHECKING:
    from ..language.ngram_models import NgramModel
    from ..paraphrasing import Paraphrases
    from ..paraphrasing.rules import Rule, RuleSet

CHANGES = "changes.tsv"
COLUMNS = {"segment": "segment", "variant": "number", "rules": "rules", "text": "text"}


@click.command("paraphrase", cls=ManyValues)
@click.argument("reference", required=False)
@click.option("-l", "--language", required=True, metavar="CODE", help="The language of the references: es or en.")
@click.option("--rules", metavar="FILE", help="A file of rules (TOML). Default: Tercet's rules for the language.")
@several("--rule", "only", of="NAME", help="Apply only these rules, by name or number (4a).")
@click.option("--show", is_flag=True, help="Show the rules with their examples, and what they change in REFERENCE.")
@click.option("--parses", metavar="FILE", help="Read the parses of the references from a CoNLL-U file.")
@click.option("--backend", metavar="NAME", help="The parser, as in 'tercet parse'.")
@click.option(
    "--parse-back/--no-parse-back", default=None,
    help="Drop variants that do not parse to the structure that the rule intends. Default: only without --parses.",
)  # fmt: skip
@click.option("--lm", metavar="FILE", help="Drop variants that this language model (ARPA) finds much less probable.")
@several("--corpus", of="FILE", help="Estimate the language model from these texts.")
@click.option("--save-lm", metavar="FILE", help="Write the model of --corpus as an ARPA file, for --lm.")
@click.option(
    "--threshold", type=float, metavar="X",
    help="How much log10 probability per word may fall. [default: 0.25]",
)  # fmt: skip
@several(
    "--against", of="OUTPUT", help="Keep only variants that are nearer to one of these outputs than the reference."
)
@click.option("--max", "most", type=click.IntRange(1), metavar="N", help="Most variants of a segment. [default: 8]")
@click.option(
    "--by", type=click.Choice(["variant", "group", "rule"]), default="variant", show_default=True,
    help="With -o, write variant-1.txt and so on, or one file for each group of rules, or for each rule.",
)  # fmt: skip
@click.option("-o", "--output", metavar="DIR", help="Write the references and changes.tsv to this new folder.")
@click.option("--cache", metavar="DIR", help="Store parses in this folder and reuse those already there.")
@JOBS
@format_option()
@QUIET
def command(**options: Any) -> None:
    """Paraphrase REFERENCE, one segment per line, and print the variants or write them as further references.

    \b
    tercet paraphrase reference.es -l es -o closer
    tercet score reference.es closer/*.txt -i output.es
    tercet paraphrase -l es --rule active-to-passive --show
    """  # fmt: skip
    from ..paraphrasing.rules import open_rules

    rules = open_rules(options["rules"], options["language"], options["only"])
    if options["show"]:
        for rule in rules.rules:
            click.echo(_described(rule, rules))
    if options["reference"] is None:
        if not options["show"]:
            raise UsageError(
                "Give a file of references: tercet paraphrase REFERENCE -l es. With --show it is optional."
            )
        return
    if options["output"] is not None:
        _check_folder(Path(options["output"]))
    found = _made(rules, options)
    if options["output"] is not None:
        _write(found, Path(options["output"]), options["by"])
        click.echo(_summary(found), err=True)
    else:
        from ..rendering.document import listing

        click.echo(rendered(options["form"], [listing(found.rows(), COLUMNS)], found.to_dict))


def _made(rules: RuleSet, options: Mapping[str, Any]) -> Paraphrases:
    from ..data.lines import read_lines
    from ..data.stream import unique_names
    from ..engine import open_executor
    from ..paraphrasing import MOST, paraphrase
    from ..paraphrasing.control import THRESHOLD

    references = read_lines(options["reference"])
    outputs = {name: read_lines(path) for name, path in unique_names(options["against"]).items()}
    if len(outputs) == 1 and not options["quiet"]:
        click.echo(
            "Warning: the variants are chosen by one output. A score of this output against them is too high; say how "
            "they were chosen, or give the outputs of all systems.", err=True,
        )  # fmt: skip
    model = options["lm"] or _estimated(options["corpus"], options["save_lm"])
    with open_executor(options["jobs"]) as executor, Progress("paraphrasing", quiet=options["quiet"]) as progress:
        return paraphrase(
            references,
            options["language"],
            rules=rules,
            parses=options["parses"],
            backend=options["backend"],
            parse_back=options["parse_back"],
            model=model,
            threshold=THRESHOLD if options["threshold"] is None else options["threshold"],
            against=outputs or None,
            most=options["most"] or MOST,
            cache=options["cache"],
            executor=executor,
            progress=lambda done, total: progress.say(f"{done} of {total} segments parsed"),
        )


def _estimated(corpus: tuple[str, ...], save: str | None) -> NgramModel | None:
    """Return the language model of texts, and write it if a file is named."""
    if not corpus:
        if save is not None:
            raise UsageError("--save-lm needs the texts of --corpus.")
        return None
    from ..data.lines import read_lines
    from ..language.arpa import write_arpa
    from ..paraphrasing.control import estimate_model

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


def _check_folder(folder: Path) -> None:
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder} exists and is not an empty folder. Name a new one.")


def _write(found: Paraphrases, folder: Path, by: str) -> None:
    from ..data.files import make_folder, writing
    from ..data.lines import write_lines

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
    return (
        f"{len(found)} variants of {found.changed} of {len(found.references)} segments"
        + (f"; dropped: {dropped}" if dropped else "")
        + "."
    )
