"""Write tables in docs: options of commands, and formats of files. `python scripts/update_option_tables.py`.

They are made from the declarations and from the registry, and stand between two marks. tests/docs/test_coverage.py
fails if they are out of date.
"""

import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

from tercet.cli.commands import help_of, metavar_of
from tercet.data.formats import formats
from tercet.data.formats.columns import NAMES
from tercet.options import Command, Option, Options, declared, sections

COMMANDS = Path(__file__).resolve().parents[1] / "docs" / "commands"
FORMATS, BEGIN_FORMATS = COMMANDS.parent / "formats.md", "<!-- formats of the registry: begin -->\n"
BEGIN, END = "<!-- options of the declaration: begin -->\n", "<!-- end -->\n"


def tables(kind: type[Options]) -> str:
    """Return the options of a task as tables, one for each group."""
    groups = {title: [row for each in options for row in rows(each)] for title, options in sections(kind)}
    last = groups.setdefault("Run", [])
    last.append(("`--config FILE`", "Read options from this file: TOML, or the JSON of an earlier run."))
    if not any("-o" in each.flags for each in declared(kind).values()):
        last.append(("`-o`, `--output FILE`", "Write here instead of to standard output."))
    return "\n".join(
        "\n".join(
            [
                f"| {title} | |",
                "|---|---|",
                *(f"| {flags} | {escaped(help)} |".replace("|  |", "| |") for flags, help in found),
            ]
        )
        + "\n"
        for title, found in groups.items()
        if found
    )


def rows(option: Option) -> Iterator[tuple[str, str]]:
    """Yield flags and meaning of an option, and of the further flags that set it."""
    if not option.in_shell or option.hidden:
        return
    value = "" if option.is_flag or not option.flags else f" {metavar_of(option)}"
    flags = [*option.flags] or [option.metavar or option.name.upper()]
    yield ", ".join([*(f"`{flag}`" for flag in flags[:-1]), f"`{flags[-1]}{value}`"]), help_of(option)
    yield from ((f"`{flag}`", help) for flag, (_, help) in option.also.items())


def of_command(name: str) -> str:
    """Return the tables of a command, or of all commands of a group."""
    module = import_module(f"tercet.tasks.{name}")
    if not hasattr(module, "COMMANDS"):
        return tables(module.run.options)
    found = {
        each: one if isinstance(one, Command) else import_module(f"{module.__name__}.{each.replace('-', '_')}").run
        for each, one in module.COMMANDS.items()
    }
    return "\n".join(f"### {name} {each}\n\n{tables(one.options)}" for each, one in found.items())


def registry() -> str:
    """Return the formats of files, and the names of columns, as tables."""
    known = "\n".join(f"| {', '.join(each.holds)} | {escaped(each.about)} |" for each in formats())
    columns = "\n".join(f"| {role} | {', '.join(names)} |" for role, names in NAMES.items())
    return f"| holds | format |\n|---|---|\n{known}\n\n| column | names, in any case |\n|---|---|\n{columns}\n"


def escaped(text: str) -> str:
    """Return text for a cell of Markdown."""
    return re.sub(r"([|<*_\[\]])", r"\\\1", text)


def pages() -> list[tuple[Path, str, str]]:
    """Return pages that have the marks, with their text and what it should be."""
    found = []
    for page in sorted(COMMANDS.glob("*.md")):
        text = page.read_text("utf-8")
        if BEGIN in text:
            before, _, rest = text.partition(BEGIN)
            wanted = f"{before}{BEGIN}\n{of_command(page.stem)}\n{END}{rest.partition(END)[2]}"
            found.append((page, text, wanted))
    text = FORMATS.read_text("utf-8")
    before, _, rest = text.partition(BEGIN_FORMATS)
    found.append((FORMATS, text, f"{before}{BEGIN_FORMATS}\n{registry()}\n{END}{rest.partition(END)[2]}"))
    return found


if __name__ == "__main__":
    for page, text, wanted in pages():
        if text != wanted:
            page.write_text(wanted, "utf-8")
            print(f"updated: {page.name}")
