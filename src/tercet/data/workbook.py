"""Write a table as an XLSX workbook with one sheet."""

import zipfile
from collections.abc import Iterable, Sequence
from typing import BinaryIO

from .bilingual.xlsx import cell, letters
from .markup import escaped

_DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'
_PARTS = {
    "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Override PartName="/xl/workbook.xml" '
    'ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/>'
    '<Override PartName="/xl/worksheets/sheet1.xml" '
    'ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/></Types>',
    "_rels/.rels": '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
    '<Relationship Id="rId1" Target="xl/workbook.xml" '
    'Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"/></Relationships>',
    "xl/_rels/workbook.xml.rels": '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
    '<Relationship Id="rId1" Target="worksheets/sheet1.xml" '
    'Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet"/></Relationships>',
    "xl/workbook.xml": '<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" '
    'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships">'
    '<sheets><sheet name="{name}" sheetId="1" r:id="rId1"/></sheets></workbook>',
}

_SHEET = (
    f'{_DECLARATION}<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">'
    '<sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" '
    'state="frozen"/></sheetView></sheetViews><sheetData>'
)
LONGEST = 32767  # characters of a cell, a limit of Excel


def write_xlsx(
    stream: BinaryIO, header: Sequence[str], rows: Iterable[Sequence[str]], *, sheet: str = "Sheet1"
) -> None:
    """Write a workbook whose header stays in view; numbers are numbers, no cell is a formula, long texts are cut."""
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for part, content in _PARTS.items():
            archive.writestr(part, _DECLARATION + content.format(name=escaped(sheet[:31])))
        with archive.open("xl/worksheets/sheet1.xml", "w") as out:
            out.write(_SHEET.encode())
            for number, row in enumerate((header, *rows), 1):
                cells = "".join(cell(f"{letters(place)}{number}", text[:LONGEST]) for place, text in enumerate(row))
                out.write(f'<row r="{number}">{cells}</row>'.encode())
            out.write(b"</sheetData></worksheet>")
