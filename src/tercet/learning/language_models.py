"""Estimate language models for features of fluency: `lm`, the function of `tercet lm`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ..data.files import check_writable
from ..data.lines import read_lines
from ..engine import open_executor
from ..errors import UsageError
from ..language.parsing import Progress, parse
from ..quality.fluency_models import FluencyModels, default_place, estimate_models, save_models
from ..text.scripts import base_code


def lm(
    texts: Sequence[str | Path] | str | Path,
    language: str,
    *,
    out: str | Path | None = None,
    backend: str | None = None,
    cache: str | Path | None = None,
    jobs: int = 1,
    progress: Progress | None = None,
) -> FluencyModels:
    """Estimate language models of words and tags, forwards and backwards, and write them to a file.

    Parameters
    ----------
    texts : files with one sentence per line.
    language : of the texts, such as "en".
    out : the file to write; by default the one in which metrics look for the models of the language.
    backend, cache, jobs, progress : as for `tercet.parse`; `jobs` is a number of processes.

    Returns
    -------
    FluencyModels : the four models.

    Examples
    --------
    >>> from tempfile import mkdtemp
    >>> from pathlib import Path
    >>> import tercet
    >>> folder = Path(mkdtemp())
    >>> size = (folder / "news.txt").write_text("Dogs bark .")
    >>> sorted(tercet.lm(folder / "news.txt", "en", out=folder / "en.lm").models)
    ['tags', 'tags_backward', 'words', 'words_backward']
    """
    files = [texts] if isinstance(texts, str | Path) else list(texts)
    if not files:
        raise UsageError("Name at least one file of texts.")
    if out is not None:
        check_writable(out)
    lines = list(dict.fromkeys(line for file in files for line in read_lines(file) if line.strip()))
    code = base_code(language)
    with open_executor(jobs) as executor:
        sentences = parse(lines, code, backend=backend, cache=cache, executor=executor, progress=progress)
    models = estimate_models(sentences, code)
    save_models(models, default_place(code) if out is None else out)
    return models
