"""Workbooks of Excel, written without a library: a zip archive of a few XML files."""

import zipfile
from xml.sax.saxutils import escape

_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml"


def write_workbook(path, sheets):
    """Write sheets, each a list of rows of cells; None is an empty cell, "#N/A" an error."""
    numbers = range(1, len(sheets) + 1)
    parts = "".join(
        f'<Override PartName="/xl/worksheets/sheet{k}.xml" ContentType="{_TYPE}.worksheet+xml"/>'
        for k in numbers
    )
    names = "".join(
        f'<sheet name="{escape(name)}" sheetId="{k}" r:id="rId{k}"/>'
        for k, name in enumerate(sheets, 1)
    )
    links = "".join(
        f'<Relationship Id="rId{k}" Type="{_RELATIONS}/worksheet" '
        f'Target="worksheets/sheet{k}.xml"/>'
        for k in numbers
    )
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(
            "[Content_Types].xml",
            f'<Types xmlns="{_PACKAGE}/content-types"><Default Extension="rels" '
            'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
            f'<Override PartName="/xl/workbook.xml" ContentType="{_TYPE}.sheet.main+xml"/>'
            f"{parts}</Types>",
        )
        archive.writestr(
            "_rels/.rels",
            f'<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="rId1" '
            f'Type="{_RELATIONS}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        )
        archive.writestr(
            "xl/workbook.xml",
            f'<workbook xmlns="{_MAIN}" xmlns:r="{_RELATIONS}"><sheets>{names}</sheets></workbook>',
        )
        archive.writestr(
            "xl/_rels/workbook.xml.rels",
            f'<Relationships xmlns="{_PACKAGE}/relationships">{links}</Relationships>',
        )
        for k, rows in enumerate(sheets.values(), 1):
            body = "".join(
                f'<row r="{r}">{"".join(_cell(c, r, value) for c, value in enumerate(row))}</row>'
                for r, row in enumerate(rows, 1)
                if row
            )
            archive.writestr(
                f"xl/worksheets/sheet{k}.xml",
                f'<worksheet xmlns="{_MAIN}"><sheetData>{body}</sheetData></worksheet>',
            )
    return path


def _cell(column, row, value):
    where = f'r="{chr(65 + column)}{row}"'
    if value is None:
        return ""
    if isinstance(value, bool):
        return f'<c {where} t="b"><v>{int(value)}</v></c>'
    if isinstance(value, int | float):
        return f"<c {where}><v>{value!r}</v></c>"
    if value.startswith("#"):
        return f'<c {where} t="e"><v>{value}</v></c>'
    if value.startswith("2024-"):
        return f'<c {where} t="d"><v>{value}</v></c>'
    return f'<c {where} t="inlineStr"><is><t xml:space="preserve">{escape(value)}</t></is></c>'
