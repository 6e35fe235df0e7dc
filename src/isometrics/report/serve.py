"""A server of the page, for the browser on this machine."""

from __future__ import annotations

import secrets
import socket
import sys
import webbrowser
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, Unpack
from urllib.parse import parse_qs, urlsplit

from isometrics.errors import ParameterError, system_reason, warn
from isometrics.report.html import report_html

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from isometrics.points import OperatingPoints
    from isometrics.report.model import PageOptions

_LAST_PORT = 65535
_EVERY_ADDRESS = ("0.0.0.0", "")
"""Hosts that stand for all addresses of this machine."""


def serve(
    models: Mapping[str, OperatingPoints] | None = None,
    *,
    host: str = "127.0.0.1",
    port: int = 0,
    open_browser: bool = True,
    announce: Callable[[str], None] | None = None,
    **options: Unpack[PageOptions],
) -> None:
    """Open the page in the browser, and serve it until interrupted (Ctrl-C).

    Parameters
    ----------
    models
        Operating points by name. Without any, the page asks for a file and reads it in the
        browser.
    host
        The address to listen on. The default can only be reached from this machine; for
        ``"0.0.0.0"`` other machines reach the page, too.
    port
        The port, by default any free one.
    open_browser
        Whether to open the page in the browser.
    announce
        A function that is called with the address of the page, once it can be reached.
    options
        What the page shows, as for `report_html`.

    Notes
    -----
    The address contains a token of 128 random bits; without it the page is not shown, so that
    other users of this machine or of the network cannot read it.
    """
    with PageServer(report_html(models or {}, **options), host, port) as server:
        if server.address_for_others is not None:
            warn(
                f"other machines can reach the page, too: whoever has the address "
                f"{server.address_for_others} can read it",
                UserWarning,
            )
        if announce is not None:
            announce(server.address)
        if open_browser:
            webbrowser.open(server.address)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            return


class PageServer(ThreadingHTTPServer):
    """A server of one page under ``/``; it reads no files.

    The page is shown to those who know its token. No other site knows it, so none can read the page
    through a name of its own that resolves to this machine (DNS rebinding).
    """

    daemon_threads = True
    allow_reuse_address = False

    def __init__(self, page: str, host: str = "127.0.0.1", port: int = 0) -> None:
        if not 0 <= port <= _LAST_PORT:
            raise ParameterError(
                f"must be between 0, which is any free one, and {_LAST_PORT} but is {port}",
                parameter="port",
            )
        self.page = page.encode("utf-8")
        self.host = host
        self.token = secrets.token_urlsafe(16)
        try:
            super().__init__((host, port), _Handler)
        except (OSError, UnicodeError) as error:
            reason = system_reason(error) if isinstance(error, OSError) else str(error)
            raise ParameterError(
                f"cannot listen on host {host!r}, port {port}: {reason}; choose others, or port 0 "
                "for any that is free"
            ) from error

    @property
    def address(self) -> str:
        """The address of the page for a browser on this machine."""
        return self._address("127.0.0.1" if self.host in _EVERY_ADDRESS else self.host)

    @property
    def address_for_others(self) -> str | None:
        """The address for other machines; None if only this one can reach the page."""
        if self.socket.getsockname()[0] == "127.0.0.1":
            return None
        return self._address(socket.gethostname() if self.host in _EVERY_ADDRESS else self.host)

    def _address(self, host: str) -> str:
        return f"http://{host}:{self.server_port}/?token={self.token}"

    def admits(self, query: str) -> bool:
        """Return whether the query of a request has the token."""
        given = parse_qs(query).get("token", [""])[-1]
        return secrets.compare_digest(given.encode(), self.token.encode())

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore clients that disconnect; report other errors, which are defects."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    server: PageServer
    server_version = "isometrics"
    sys_version = ""

    def do_GET(self) -> None:
        """Answer with the page, to those who know its token."""
        target = urlsplit(self.path)
        if target.path != "/":
            self._send(HTTPStatus.NOT_FOUND, b"There is one page here, /.\n")
        elif not self.server.admits(target.query):
            self._send(HTTPStatus.FORBIDDEN, _WITHOUT_TOKEN)
        else:
            self._send(HTTPStatus.OK, self.server.page, kind="text/html")

    def _send(self, status: HTTPStatus, body: bytes, *, kind: str = "text/plain") -> None:
        self.send_response(status)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        for name, value in _HEADERS.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing: the terminal should show the address of the page, not its requests."""


_WITHOUT_TOKEN = (
    b"This page is shown to those who have its whole address, with the token that was printed "
    b"where it was started.\n"
)
_HEADERS = {
    "Cache-Control": "no-store",
    # The page's own policy, in its head, holds besides.
    "Content-Security-Policy": "frame-ancestors 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
