"""Write scores in the forms of WMT19 and WMT23."""

import math
from collections.abc import Iterable
from pathlib import Path

from tercet.data.field_checks import check_text
from tercet.data.files import writing
from tercet.data.wmtscores import FORMS, ScoreRecord, _misfit
from tercet.errors import DataError, UnknownName

WRITABLE = ("wmt19-sys", "wmt19-seg", "wmt23-sys", "wmt23-seg")


def write_wmt_scores(records: Iterable[ScoreRecord], path: str | Path, *, form: str = "wmt19-sys") -> None:
    """Write scores in the form of WMT19 or WMT23. NaN becomes None. Raises DataError if a record lacks a field."""
    if form not in WRITABLE:
        raise UnknownName("form to write", form, WRITABLE)
    columns = FORMS[form]
    rows = []
    for number, record in enumerate(records, 1):
        values = record._asdict()
        for name, value in values.items():
            if name in columns and value is None:
                raise DataError(
                    f"Record {number} ({record.metric}, {record.system}) has no {name}, which {form} needs."
                )
            if name not in columns and value is not None:
                raise DataError(f"Record {number} ({record.metric}, {record.system}): {form} has no column for {name}.")
        values["score"] = "None" if math.isnan(record.score) else repr(float(record.score))
        fields = [str(values[name]) for name in columns]
        for field in fields:
            check_text(field, f"Record {number}", forbidden="\t\n\r\0")
        rows.append(fields)
    if not rows:
        raise DataError(f"No scores to write into {path}.")
    problem = _misfit(rows, form)
    if problem or rows[0][0].startswith("\ufeff"):
        raise DataError(f"{path} cannot be written: {problem or 'the metric begins with U+FEFF.'}")
    with writing(path) as stream:
        stream.writelines("\t".join(row) + "\n" for row in rows)
