"""Files of COMET's scores: what is damaged."""

from pathlib import Path

import pytest

from tercet.data.cometfiles import read_comet
from tercet.errors import DataError


@pytest.mark.parametrize("content", [b"", b"\xef\xbb\xbf"])
def test_a_file_that_was_emptied_after_it_was_recognised_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "comet.json"
    path.write_bytes(content)
    with pytest.raises(DataError, match=r"comet\.json is empty"):
        read_comet(path)
