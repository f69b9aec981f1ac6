"""`tercet rate export`: write the judgements, or the campaign for another tool."""

from __future__ import annotations

from dataclasses import dataclass

from ...errors import UsageError
from ...options import command, shell_option
from . import CampaignFile, Out

FORMATS = ("tsv", "csv", "jsonl", "wmt", "mqm", "pearmut", "appraise", "json", "xlsx")


@dataclass(frozen=True, kw_only=True)
class ExportOptions(Out, CampaignFile):
    """Options of `rate export`."""

    form: str | None = shell_option(
        None, "-f", "--format", choices=FORMATS,
        help="Format of the ratings; pearmut, appraise: the campaign itself  [default: by FILE's ending, or tsv]",
    )  # fmt: skip
    texts: bool = shell_option(
        False, "--texts", help="One row per judgement with source, reference and output: tsv, json, xlsx."
    )
    revisions: str = shell_option(
        "last", "--revisions", choices=("last", "all"),
        help="Write only a rater's last answer to an item, or all answers.",
    )  # fmt: skip


@command(ExportOptions)
def run(options: ExportOptions) -> None:
    """Write the judgements, for 'tercet agree' and 'tercet meta'; or the campaign, for Pearmut or Appraise."""
    import click

    if options.form in ("pearmut", "appraise"):
        from ...human.campaign import Campaign
        from ...human.campaign_formats import write_campaign

        for path in write_campaign(Campaign.read(options.campaign), options.out, form=options.form):
            click.echo(f"Wrote {path}", err=True)
        return
    from ...human.export import export, export_texts

    if options.form in ("json", "xlsx") and not options.texts:
        raise UsageError(f"The format {options.form} goes with `texts`.")
    with options.opened() as (campaign, store):
        if options.texts:
            number = export_texts(campaign, store.rows(), options.out, form=options.form)
        else:
            number = export(
                campaign,
                store.rows(),
                options.out,
                form=options.form,
                revisions="all" if options.revisions == "all" else "last",
            )
    click.echo(f"Wrote {options.out}: {number} judgements.", err=True)
