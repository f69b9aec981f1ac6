"""Write the tables of options in docs/commands from the declarations: `python scripts/update_option_tables.py`.

A page has them between two marks. tests/docs/test_coverage.py fails if they are out of date.
"""

import re
from importlib import import_module
from pathlib import Path

from tercet.cli.commands import help_of, metavar_of
from tercet.options import Options, sections

COMMANDS = Path(__file__).resolve().parents[1] / "docs" / "commands"
BEGIN, END = "<!-- options of the declaration: begin -->\n", "<!-- end -->\n"


def tables(kind: type[Options]) -> str:
    """Return the options of a task as tables, one for each group."""
    parts = []
    for title, options in sections(kind):
        rows = []
        for each in options:
            if not each.in_shell or each.hidden:
                continue
            value = "" if each.is_flag or not each.flags else f" {metavar_of(each)}"
            named = ", ".join(f"`{flag}`" for flag in each.flags[:-1]) if each.flags else ""
            last = f"`{each.flags[-1]}{value}`" if each.flags else f"`{each.metavar or each.name.upper()}`"
            rows.append((", ".join(filter(None, (named, last))), help_of(each)))
            rows += [(f"`{flag}`", help) for flag, (_, help) in each.also.items()]
        if title == "Run":
            rows.append(("`--config FILE`", "Read options from this file: TOML, or the JSON of an earlier run."))
        lines = [f"| {flags} | {escaped(help)} |".replace("|  |", "| |") for flags, help in rows]
        parts.append("\n".join([f"| {title} | |", "|---|---|", *lines]))
    return "\n\n".join(parts) + "\n"


def of_command(name: str) -> str:
    """Return the tables of a command, or of all commands of a group."""
    module = import_module(f"tercet.tasks.{name}")
    if not hasattr(module, "COMMANDS"):
        return tables(module.run.options)
    homes = {each: import_module(f"{module.__name__}.{each.replace('-', '_')}") for each in module.COMMANDS}
    return "\n".join(f"### {name} {each}\n\n{tables(home.run.options)}" for each, home in homes.items())


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
    return found


if __name__ == "__main__":
    for page, text, wanted in pages():
        if text != wanted:
            page.write_text(wanted, "utf-8")
            print(f"updated: {page.name}")
