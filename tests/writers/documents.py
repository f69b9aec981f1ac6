"""The documents of a test set, as SGM and XML files hold them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tercet.data.documents import ATTRIBUTES
from tercet.data.testset import TestSet
from tercet.errors import DataError

from .checks import further_labels


@dataclass(frozen=True)
class Document:
    """A document of a test set: its id, its attributes, its rows in the test set."""

    id: str
    attributes: Mapping[str, str]
    rows: range


def split(testset: TestSet, path: object) -> Iterator[Document]:
    """Yield the documents of a test set, for writing. A test set without documents is one, of the same name.

    Raises DataError for what such files cannot hold: labels of segments, and documents in several pieces.
    """
    further_labels(testset, ATTRIBUTES, str(path))
    ids = testset.documents if testset.documents is not None else [testset.name or "unnamed"] * len(testset)
    ends = [row for row in range(1, len(ids)) if ids[row] != ids[row - 1]]
    seen: set[str] = set()
    for start, stop in zip([0, *ends], [*ends, len(ids)], strict=True):
        document = ids[start]
        if not document:
            raise DataError(f"Test set {testset.name!r}, segment {start + 1}: {path} needs a document id.")
        if document in seen:
            raise DataError(
                f"Test set {testset.name!r}, segment {start + 1}: document {document!r} is in several pieces, "
                f"which {path} cannot hold."
            )
        seen.add(document)
        attributes = {name: testset.labels[name][start] for name in ATTRIBUTES if name in testset.labels}
        for name, value in attributes.items():
            if any(other != value for other in testset.labels[name][start:stop]):
                raise DataError(
                    f"Test set {testset.name!r}: the {name} changes within document {document!r}, "
                    f"which {path} cannot hold."
                )
        yield Document(document, attributes, range(start, stop))
