"""sacreBLEU's test sets: those that a user has in ~/.sacrebleu (or $SACREBLEU), or got by `tercet data get`.

Texts are taken from the files that sacreBLEU makes of a download, or else from the download in `raw/`. Nothing is
downloaded and nothing written. The list of test sets is that of sacreBLEU 2.6 (`scripts/build_sacrebleu_test_sets.py`).
"""

import gzip
import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from .arguments import Stop

Fields = Mapping[str, Sequence[str]]


@cache
def _data() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(files(__package__).joinpath("test_sets.json").read_text("utf-8"))
    return found


def known() -> dict[str, Any]:
    """Return all test sets by name, with kind, description ("about"), files of each language pair ("pairs")."""
    found: dict[str, Any] = _data()["test sets"]
    return found


def folder() -> Path:
    """Return the folder of sacreBLEU's test sets."""
    return Path(os.environ.get("SACREBLEU") or Path.home() / ".sacrebleu")


def lines_of(path: str | Path, encoding: str = "utf-8") -> Iterator[str]:
    """Yield the lines of a file as sacreBLEU reads them: only LF ends a line, and it stays."""
    try:
        opened = gzip.open if str(path).endswith(".gz") else open
        with opened(path, "rt", encoding=encoding, newline="\n") as stream:
            yield from stream
    except (OSError, EOFError) as error:
        raise Stop(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}.") from None
    except (UnicodeDecodeError, LookupError) as error:
        raise Stop(f"{path} is not text in {encoding}: {error}.") from None


def field_names(name: str, pair: str) -> list[str]:
    """Return the names of the fields of a test set; only those of XML depend on its files."""
    entry = known()[name]
    if entry["kind"] == "xml":
        return list(fields(name, pair))
    references = len(entry["pairs"][pair]) - 1
    found = ["src", *(["ref"] if references == 1 else [f"ref:{i}" for i in range(references)])]
    has_documents = entry["kind"] in ("sgm", "addition") and not name.startswith("wmt08")
    return found + ["docid", "genre", "origlang"] * has_documents


@cache
def fields(name: str, pair: str) -> Fields:
    """Return the texts of a test set by field."""
    entry = known()[name]
    place, stem = folder() / name, f"{name.replace('/', '_')}.{pair}."
    if entry["kind"] == "xml":
        made = sorted(place.glob(f"{stem}*"), key=lambda path: _order(path.name[len(stem) :]))
        ready = {re.sub("^ref-", "ref:", path.name[len(stem) :]): path for path in made}
    else:
        ready = {field: place / f"{stem}{field.replace(':', '-')}" for field in field_names(name, pair)}
    if ready and all(path.is_file() for path in ready.values()):
        return {field: [line.rstrip("\n") for line in lines_of(path)] for field, path in ready.items()}
    given = entry["pairs"][pair]
    paths = [given["path"]] if isinstance(given, dict) else given
    raw = _raw(name, [path.rpartition(":")[2] if entry["kind"] == "tsv" else path for path in paths])
    if entry["kind"] == "xml":
        return _from_xml(raw[0])
    found: dict[str, Sequence[str]] = {}
    names = field_names(name, pair)
    for field, path, given_as in zip(names, raw, paths, strict=False):
        found[field] = _converted(entry["kind"], path, given_as, field)
    return found | {field: _of_documents(raw[0], field) for field in names[len(raw) :]}


def references(name: str, pair: str) -> list[Sequence[str]]:
    """Return the references that sacreBLEU uses: all, or of XML those that it names for the pair."""
    entry = known()[name]
    found = fields(name, pair)
    if entry["kind"] != "xml":
        return [texts for field, texts in found.items() if field.startswith("ref")]
    given = entry["pairs"][pair]
    chosen = given.get("refs", entry["refs"]) if isinstance(given, dict) else entry["refs"]
    wanted = [f"ref:{each}" if each else "ref" for each in chosen]
    return [texts for field, texts in found.items() if field in wanted]


def subsets(name: str, pair: str) -> list[str]:
    """Return the domains and countries by which a test set can be divided."""
    if known()[name]["kind"] == "xml":
        return sorted(set(fields(name, pair).get("domain", ())))
    tags = [tag.split("-") for tag in _data()["documents"].get(name, {}).values()]
    return sorted({f"country:{tag[0]}" for tag in tags} | {tag[1] for tag in tags})


def kept(names: Sequence[str], pair: str, origlang: str | None, subset: str | None) -> list[bool]:
    """Return which segments are of an original language and of documents whose annotation matches."""
    found: list[bool] = []
    for name in names:
        texts, is_xml = fields(name, pair), known()[name]["kind"] == "xml"
        if "origlang" not in texts:
            raise Stop(f"--origlang and --subset need a test set in SGM or XML, and {name} is none.")
        annotated = _data()["documents"].get(name, {})
        if subset is not None and not is_xml and not annotated:
            raise Stop(f"No subset annotation available for test set {name}")
        for i, language in enumerate(texts["origlang"]):
            stays = origlang is None or (
                language != origlang[4:] if origlang.startswith("non-") else language == origlang
            )
            if stays and subset is not None:
                tags = texts["domain"][i] if "domain" in texts else annotated.get(texts["docid"][i], "")
                stays = re.search(subset.removeprefix("country:"), tags) is not None
            found.append(stays)
    return found


def _raw(name: str, paths: Sequence[str]) -> list[Path]:
    from ...data.catalogue import data_folder

    for place in (folder() / name / "raw", data_folder() / name / "data"):
        found = [place / path for path in paths]
        if all(path.is_file() for path in found):
            return found
    addresses = "\n".join(f"  {address}" for address in known()[name]["address"])
    raise Stop(
        f"Test set {name} is not in {folder()}, and Tercet downloads nothing here. Unpack into "
        f"{folder() / name / 'raw'} what is at\n{addresses}\nor let sacreBLEU download it, "
        "or give your files: REFERENCE -i OUTPUT."
    )


def _clean(text: str) -> str:
    return re.sub(r"\s+", " ", text.strip())


def _converted(kind: str, path: Path, given_as: str, field: str) -> list[str]:
    """Return one text of a download, as sacreBLEU makes it."""
    if kind == "sgm" or (kind == "addition" and path.name.endswith(".sgm")):
        segments = (line for line in lines_of(path) if line.startswith("<seg "))
        return [_clean(re.sub(r"<seg.*?>(.*)</seg>.*?", r"\1", line)) for line in segments]
    if kind == "tsv":
        number, colon, _ = given_as.rpartition(":")
        column = int(number) if colon else 0 if field == "src" else 1
        return [line.rstrip("\n").split("\t")[column] for line in lines_of(path)]
    return [line.rstrip() for line in lines_of(path)]


def _of_documents(path: Path, field: str) -> list[str]:
    """Return an attribute of the document of each segment."""
    value, found = "", []
    for line in lines_of(path):
        if line.startswith("<doc "):
            attribute = re.search(rf'{field}="(.*?)"', line)
            value = attribute[1] if attribute else value
        elif line.startswith("<seg "):
            found.append(value)
    return found


def _from_xml(path: Path) -> Fields:
    """Return the fields of a WMT XML file. Segments without any reference and test suites are left out."""
    from defusedxml import DefusedXmlException
    from defusedxml.ElementTree import ParseError, parse

    def sentences(element: Any) -> dict[int, str]:
        return {int(segment.get("id")): segment.text or "" for segment in element.findall(".//seg")}

    try:
        root = parse(path).getroot()
    except (ParseError, DefusedXmlException, OSError) as error:
        raise Stop(f"{path} is not XML of WMT: {error}.") from None
    translators = sorted({each.get("translator") or "" for each in root.findall(".//ref")})
    rows: dict[str, list[str]] = {"src": [], **{f"ref:{each}" if each else "ref": [] for each in translators}}
    rows |= {"docid": [], "origlang": []} | {each.get("system"): [] for each in root.findall(".//hyp")} | {"domain": []}
    for document in root.findall(".//doc"):
        if "testsuite" in document.attrib:
            continue
        sources = {k: text for each in document.findall(".//src") for k, text in sentences(each).items()}
        targets = {each.get("translator") or "": sentences(each) for each in document.findall(".//ref")}
        outputs = {each.get("system"): sentences(each) for each in document.findall(".//hyp")}
        for k in sorted(sources):
            if not any(texts.get(k) for texts in targets.values()):
                continue
            row = {"src": sources[k], "docid": document.get("id"), "origlang": document.get("origlang")}
            row |= {f"ref:{each}" if each else "ref": targets.get(each, {}).get(k, "") for each in translators}
            row |= {system: texts.get(k, "") for system, texts in outputs.items()} | {"domain": document.get("domain")}
            for field, text in row.items():
                rows[field].append(_clean(text or ""))
    return {field: texts for field, texts in rows.items() if field != "domain" or any(texts)}


def _order(field: str) -> tuple[int, str]:
    """Return where a field of an XML file comes among others: source, references, documents, systems, domain."""
    first = {"src": 0, "docid": 2, "origlang": 3, "domain": 5}
    return first.get(field, 1 if field.startswith("ref") else 4), field
