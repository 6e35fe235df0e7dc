"""The interactive page: a report in one file, and a server of it for this machine."""

from __future__ import annotations

from isometrics.report.html import report_html, write_report
from isometrics.report.serve import serve

__all__ = ["report_html", "serve", "write_report"]
