"""Rules of the house: where things are, and what they are called."""

import ast
import importlib.util
import re
from importlib import import_module
from pathlib import Path

import tercet
from tercet.cli import COMMANDS
from tercet.data.formats.columns import NAMES, plain
from tercet.options import Command

SOURCE = Path(tercet.__file__).parent
LINES, ANY = 85_400, 350  # in src/tercet
# Modules outside data/formats that look at the ending of a file, and why.
ENDINGS = {
    "cli/commands.py": "a file of options is TOML or JSON; a metric's own file is Python",
    "data/archives.py": "unpacks archives",
    "data/bilingual/__init__.py": "copies gzipped files as they are",
    "data/bilingual/table.py": "TSV is not quoted",
    "data/copying.py": "copies test sets",
    "data/files.py": "writes gzipped files",
    "data/layouts.py": "finds the files of a folder",
    "data/tsv.py": "finds the files of a folder",
    "data/paraphrase_files.py": "finds the files of a folder",
    "data/evidence.py": "finds the files of a folder",
    "data/terminology.py": "TBX or a table",
    "examples/__init__.py": "names of our own files",
    "human/export.py": "the form of a file that is written",
    "language/backends/conllu.py": "finds the files of a folder",
    "quality/resources.py": "members of our own archive",
    "rendering/figures.py": "the form of a file that is written",
    "tasks/report/__init__.py": "the form of a file that is written",
    "tasks/report/earlier.py": "pages and results of our own",
    "tasks/reproduce/sources.py": "reads gzipped data of papers",
    "tasks/review/__init__.py": "the form of a file that is written",
    "tasks/sacrebleu/test_sets.py": "sacreBLEU's own cache",
    "tasks/serve/requests.py": "refuses metrics in Python files",
    "tasks/shared/annotation.py": "the form of a file that is written",
    "tasks/track/add.py": "our own saved scores and results",
}


def test_every_task_is_called_after_its_command() -> None:
    folder = SOURCE / "tasks"
    names = {path.stem for path in folder.iterdir() if path.suffix == ".py" or (path / "__init__.py").is_file()}
    assert names - {"__init__", "shared"} == set(COMMANDS)
    for name in names - {"__init__", "shared"}:
        found = getattr(import_module(f"tercet.tasks.{name}"), "COMMANDS", {})
        for command, line in found.items():
            if not isinstance(line, Command):  # it has a module of its own
                assert (folder / name / f"{command.replace('-', '_')}.py").is_file(), f"tasks/{name}: no {command}"


def test_the_command_line_is_machinery_only() -> None:
    assert {path.name for path in (SOURCE / "cli").glob("*.py")} == {"__init__.py", "commands.py", "console.py"}


def test_options_are_objects_and_no_dictionaries() -> None:
    assert not [str(path) for path in SOURCE.rglob("*.py") if re.search(r"options\[[\"']", path.read_text("utf-8"))]


def test_files_are_recognised_in_the_registry() -> None:
    looks = re.compile(
        r"\.suffix\b|endswith\(\(?[\"']\.[a-z]+[\"']|endswith\((?:tuple\(set\()?(?:ENDINGS|SEGMENTS|TBX)\b"
    )
    found = {
        path.relative_to(SOURCE).as_posix() for path in SOURCE.rglob("*.py") if looks.search(path.read_text("utf-8"))
    }
    assert {name for name in found if not name.startswith("data/formats/")} == set(ENDINGS), "see tercet.data.formats"


def test_columns_are_recognised_by_one_table() -> None:
    """Three names of one role in a list are a second table of synonyms."""
    found = set()
    for path in sorted(SOURCE.rglob("*.py")):
        text, name = path.read_text("utf-8"), path.relative_to(SOURCE).as_posix()
        quoted = {plain(each) for each in re.findall(r"[\"']([\w -]+)[\"']", text)}
        roles = [known for known in NAMES.values() if len(quoted.intersection(known)) > 2]
        for node in ast.walk(ast.parse(text)) if roles and not name.startswith("data/formats/") else ():
            values = node.elts if isinstance(node, ast.Tuple | ast.List | ast.Set) else []
            values = [each for each in node.keys if each] if isinstance(node, ast.Dict) else values
            words = {plain(str(each.value)) for each in values if isinstance(each, ast.Constant)}
            if any(len(words.intersection(known)) > 2 for known in roles):
                found.add(name)
    assert not found


def test_the_picture_of_the_packages_is_up_to_date() -> None:
    root = Path(__file__).parents[2]
    spec = importlib.util.spec_from_file_location("draw_packages", root / "scripts" / "draw_packages.py")
    assert spec is not None and spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    assert script.PICTURE.read_text("utf-8") == script.drawn(), "run scripts/draw_packages.py"


def test_the_house_does_not_grow() -> None:
    """Lower the bound when code is removed; raise it only for what is worth the lines."""
    lines = sum(len(path.read_text("utf-8").splitlines()) for path in SOURCE.rglob("*.py"))
    assert lines < LINES


def test_few_signatures_say_any() -> None:
    """Parameters and returns whose annotation contains Any, outside kernels."""
    found = 0
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))) if path.parent.name != "kernels" else ():
            said = getattr(node, "annotation" if isinstance(node, ast.arg) else "returns", None)
            found += said is not None and "Any" in {getattr(part, "id", "") for part in ast.walk(said)}
    assert found < ANY
