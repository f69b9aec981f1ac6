"""`Cache`: finished counts in a folder, so that a run that was killed continues where it stopped."""

import json
import logging
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from unicodedata import unidata_version

import numpy as np

from .data.files import make_folder, writing_bytes
from .data.testset import TestSet, checksum
from .metrics import Ready
from .types import Floats

log = logging.getLogger(__name__)


class Cache:
    """Finished counts in a folder, one file each. Whatever does not fit is computed again, with a warning."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        make_folder(self.folder)
        if old := len(list(self.folder.glob("*.npy"))):
            log.warning("%s has %d files of Tercet 0.1, which are not read. Delete them: *.npy.", folder, old)

    def header(self, metric: Ready, shard: TestSet, outputs: Sequence[str]) -> dict[str, object]:
        """Return all that the counts of one system depend on, Python's Unicode data included."""
        code = metric.metric.code
        return {
            "format": 2,
            "metric": f"{code.__module__}.{code.__qualname__}",
            "signature": metric.signature,
            "fingerprint": metric.fingerprint,
            "unicode": unidata_version,
            "shared": shard.checksum(),
            "outputs": checksum(outputs),
            "segments": len(shard),
        }

    def path(self, header: Mapping[str, object]) -> Path:
        return self.folder / f"{sha256(json.dumps(header).encode()).hexdigest()}.counts"

    def load(self, header: Mapping[str, object]) -> Floats | None:
        """Return the counts; None, with a warning if the file is damaged, where they must be computed."""
        path = self.path(header)
        if not path.exists():
            return None
        try:
            line, _, data = path.read_bytes().partition(b"\n")
            found = json.loads(line)
            shape = tuple(found["shape"])
            fits = found == {**header, "shape": list(shape), "digest": sha256(data).hexdigest()}
            counts: Floats = np.frombuffer(data, dtype="<f8").reshape(shape).astype(np.float64)
            if fits and counts.ndim == 2 and len(counts) == header["segments"]:
                return counts
        except (OSError, ValueError, KeyError, TypeError):
            pass
        log.warning("The cache file %s is damaged; its counts are computed again.", path)
        return None

    def save(self, header: Mapping[str, object], counts: Floats) -> None:
        data = np.ascontiguousarray(counts, dtype="<f8").tobytes()
        line = json.dumps({**header, "shape": list(counts.shape), "digest": sha256(data).hexdigest()})
        with writing_bytes(self.path(header)) as stream:
            stream.write(line.encode() + b"\n" + data)
