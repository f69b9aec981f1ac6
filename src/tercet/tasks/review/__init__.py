"""`tercet review`: what a person must look at in translations, without labels and without references."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ...errors import UsageError
from ...options import REQUIRED, Options, again, command, option, shell_option, takes
from ...options.groups import FORMS, Annotation, Form, Quiet, TestSetChoice

if TYPE_CHECKING:
    from .judging import Review

RED_KINDS = ("untranslated", "copied", "language", "tags", "placeholders")
NO_MODEL = "none"


@dataclass(frozen=True, kw_only=True)
class Reviewing(Options):
    """How translations are judged."""

    languages: str | None = option(
        None, "-l", "--languages", metavar="SRC-TGT", help="The language pair, as en-de. [default: that of the file]"
    )
    columns: Sequence[str] = again(TestSetChoice, "columns", (), scope="both")
    terms: str | None = option(
        None, "--terms", metavar="FILE", help="A glossary that translations must follow: TBX, CSV, TSV, XLSX."
    )
    model: str = option(
        "default", "--model", metavar="MODEL",
        help="A model of quality: default (the package's own, where there is one for the pair), a file, or none.",
    )  # fmt: skip
    entities: bool = option(
        False,
        "--entities",
        help="Look for names that are lost or invented too, as 'tercet entities' does (300 MB of memory).",
    )
    red: float = option(40.0, "--red", low=0, high=100, help="Predicted quality below this is red, of 0 to 100.")
    amber: float = option(65.0, "--amber", low=0, high=100, help="Predicted quality below this is amber.")
    red_for: Sequence[str] = option(
        RED_KINDS, "--red-for", metavar="KIND", several=True,
        help="Kinds of findings that are red; others are amber. [default: " + " ".join(RED_KINDS) + "]",
        about="Kinds of findings that are red; others are amber.",
    )  # fmt: skip
    ignore: Sequence[str] = option(
        (), "--ignore", metavar="KIND", several=True, help="Kinds of findings that do not matter, such as end-mark."
    )
    words_per_hour: float | None = option(
        None, "--words-per-hour", low=1, help="Words that a person reviews in an hour: adds the hours that are saved."
    )
    marks: str | None = option(
        None, "--marks", metavar="FILE", help="Segments that a person marked as done on the page, as it saves them."
    )

    def check(self) -> None:
        from ...checking.segment_findings import POINTS
        from ...errors import UnknownName

        super().check()
        if self.red > self.amber:
            raise UsageError(f"`red` ({self.red:g}) must not be above `amber` ({self.amber:g}).")
        for kind in (*self.red_for, *self.ignore):
            if kind not in POINTS:
                raise UnknownName("kind of finding", kind, POINTS)


@dataclass(frozen=True, kw_only=True)
class ReviewOptions(Quiet, Annotation, Form, Reviewing):
    """Options of `review`."""

    files: Sequence[str] = shell_option(
        REQUIRED, metavar="FILE...",
        help="Files with sources and translations (XLIFF, TMX, PO, XLSX, CSV, TSV), or a source and a translation.",
    )  # fmt: skip
    top: int = shell_option(5, "--top", low=0, help="Segments that the text shows, the worst first.")
    form: str = again(Form, "form", "text", choices=tuple(form for form in FORMS if form != "html"))
    path: str = shell_option("review.html", "-o", "--output", metavar="FILE", recorded=False, help="The page.")


@takes(Reviewing)
def review(files: Sequence[str | Path] | str | Path, *, options: Reviewing) -> Review:
    """Say for each translation whether it can pass (green), needs a look (amber) or must not ship (red), and why.

    Parameters
    ----------
    files : the path of a file with sources and translations, or several; or of two plain texts, source and translation.

    Returns
    -------
    Review : counts, `judged` with one judgement per segment, `segments()` with their texts, `write(path)` for the page.

    Examples
    --------
    >>> import tercet
    >>> found = tercet.review(["src.txt", "mt.txt"], languages="en-de")  # doctest: +SKIP
    >>> found.counts["red"]  # doctest: +SKIP
    3
    """
    from .judging import judge
    from .reading import open_files

    paths = [files] if isinstance(files, str | Path) else list(files)
    return judge(open_files(paths, options.columns, options.languages), options)


@command(ReviewOptions)
def run(options: ReviewOptions) -> None:
    """Say which translations can pass, which need a look and which must not ship, and write a page for reviewers.

    Each segment is green, amber or red, by what checks find (no translation, copied, another language, lost numbers,
    tags, names, terms, …) and by the model of quality, where there is one for the language pair: whichever is worse.

    \b
    tercet review app.xliff
    tercet review app.xliff --terms glossary.csv --words-per-hour 1500 --in-place
    tercet review src.txt mt.txt -l de-en -o review.html
    """
    import click

    from ...data.files import check_writable
    from ..shared.annotation import annotate, check_annotation
    from .board import shown

    path = Path(options.path)
    check_writable(path)
    if path.suffix.lower() not in (".html", ".htm"):
        raise UsageError(f"The review is a page of HTML: write {path.with_suffix('.html')}.")
    targets = [[each] for each in options.files] if options.in_place else [list(options.files)]
    checksums = [check_annotation(options, paths) for paths in targets]
    found = review(options.files, **options.python(Reviewing))
    found.write(path)
    click.echo(shown(found, options.form, options.top))
    if not options.quiet:
        click.echo(f"Wrote {path}", err=options.form != "text")
    for each, checksum in zip(options.files if options.annotating else (), checksums, strict=False):
        annotate(
            options, each, found.notes(each), checksum=checksum, pair=options.languages, columns=options.columns,
            quiet=options.quiet,
        )  # fmt: skip
