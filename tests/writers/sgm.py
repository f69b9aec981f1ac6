"""Write a test set as SGM files."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from tercet.data.field_checks import check_text
from tercet.data.files import writing
from tercet.data.sgm import _LABELS, _pair
from tercet.data.testset import TestSet
from tercet.errors import DataError

from .checks import file_in
from .documents import split


def encode(text: str) -> str:
    """Encode the characters with a meaning in SGM, and those that readers change, as references."""
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")
    return text.replace("\r", "&#13;").replace("\n", "&#10;")


def write_sgm(testset: TestSet, folder: str | Path) -> list[Path]:
    """Write source, references and outputs as WMT does, one file per text. Returns the paths.

    Missing references of a segment are left out. A test set without document ids becomes one document.
    """
    folder = Path(folder)
    stem = f"{testset.name}-{testset.pair.replace('-', '')}" if testset.pair else testset.name
    texts: list[tuple[str, str, Sequence[str | None], Path]] = []
    if testset.source is not None:
        texts.append(("srcset", "source", testset.source, file_in(folder, f"{stem}-src.sgm")))
    for name, lines in testset.references.items():
        texts.append(("refset", name, lines, file_in(folder, f"{stem}-ref.{name}.sgm")))
    for name, lines in testset.outputs.items():
        texts.append(("tstset", name, lines, file_in(folder, f"{stem}.{name}.sgm")))
    for tag, name, lines, path in texts:
        _write(testset, tag, name, lines, path)
    return [path for *_, path in texts]


def _write(testset: TestSet, tag: str, name: str, lines: Sequence[str | None], path: Path) -> None:
    languages = dict(zip(("srclang", "trglang"), (testset.pair or "any-any").split("-", 1), strict=False))
    if _pair([languages]) != testset.pair:
        raise DataError(f"{path} must name the language pair, but {testset.pair!r} is not a pair like 'ru-en'.")
    head = {"setid": testset.name, **languages}
    if tag != "srcset":
        head["refid" if tag == "refset" else "sysid"] = name
    with writing(path) as stream:
        stream.write(f"<{tag}{_written(head)}>\n")
        for document in split(testset, path):
            attributes = {"docid": document.id, **({} if tag == "srcset" else {"sysid": name})}
            attributes |= {
                key: document.attributes[label] for key, label in _LABELS.items() if label in document.attributes
            }
            stream.write(f"<doc{_written(attributes)}>\n")
            for number, row in enumerate(document.rows, 1):
                line = lines[row]
                if line is not None:
                    check_text(line, f"{name!r}, segment {row + 1}", forbidden="\0")
                    stream.write(f'<seg id="{number}">{encode(line)}</seg>\n')
            stream.write("</doc>\n")
        stream.write(f"</{tag}>\n")


def _written(attributes: Mapping[str, str]) -> str:
    for key, value in attributes.items():
        check_text(value, f"The attribute {key}", forbidden="\0")
    return "".join(f' {key}="{encode(value)}"' for key, value in attributes.items())
