"""`tercet qe info`."""

from dataclasses import dataclass

from ...options import command, shell_option
from ...options.groups import Form
from .inputs import Model, check_files, report_written


@dataclass(frozen=True, kw_only=True)
class InfoOptions(Form, Model):
    """Options of `qe info`."""

    figure: str | None = shell_option(
        None, "--figure", metavar="FILE", recorded=False,
        help="Draw the importance of features: .svg, .png, .html or .json.",
    )  # fmt: skip


@command(InfoOptions)
def run(options: InfoOptions) -> None:
    """Describe a model: languages, training data, learner, figures, features by importance, checksums."""
    import click

    from ...quality.default import load_model
    from .board import show_model

    check_files(options)
    opened = load_model(options.model)
    click.echo(show_model(opened, options.form))
    if options.figure:
        from .figures import importance_figure

        importance_figure(opened).save(options.figure)
        report_written(options.figure)
