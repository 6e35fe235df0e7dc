"""A server of one page, for the browser on this machine."""

from __future__ import annotations

import ipaddress
import re
import webbrowser
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

from isometrics.report.html import page_of
from isometrics.report.model import report_model, start_model

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from isometrics.points import OperatingPoints

_LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
_POLICY = re.compile(r'http-equiv="Content-Security-Policy" content="([^"]*)"')


def serve(
    models: Mapping[str, OperatingPoints] | None = None,
    *,
    host: str = "127.0.0.1",
    port: int = 0,
    open_browser: bool = True,
    title: str | None = None,
    description: str | None = None,
    announce: Callable[[str], None] | None = None,
) -> None:
    """Open the page in the browser, and serve it until interrupted (Ctrl-C).

    Parameters
    ----------
    models
        Operating points by name. Without any, the page asks for a file and reads it in the
        browser.
    host
        The address to listen on. The default can be reached from this machine alone.
    port
        The port, by default any free one.
    open_browser
        Whether to open the page in the browser.
    title, description
        What stands on top of the page, and where the data came from.
    announce
        Is called with the address of the page, once it can be reached.
    """
    with page_server(models, host=host, port=port, title=title, description=description) as server:
        if announce is not None:
            announce(server.address)
        if open_browser:
            webbrowser.open(server.address)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            return


def page_server(
    models: Mapping[str, OperatingPoints] | None = None,
    *,
    host: str = "127.0.0.1",
    port: int = 0,
    title: str | None = None,
    description: str | None = None,
) -> PageServer:
    """Return the server of a page; `serve` runs it."""
    if models is None:
        return PageServer(page_of(start_model(title=title)), host, port)
    model = report_model(models, title=title, description=description)
    return PageServer(page_of(model), host, port)


class PageServer(ThreadingHTTPServer):
    """Serves one page under ``/``, and nothing else: no file of this machine is ever looked up.

    Requests whose Host header names another machine are refused, so that no foreign site can
    read the page through a name that it lets point here (DNS rebinding).
    """

    daemon_threads = True
    allow_reuse_address = False

    def __init__(self, page: str, host: str, port: int) -> None:
        self.page = page.encode("utf-8")
        found = _POLICY.search(page)
        self.policy = f"{found.group(1) if found else ''}; frame-ancestors 'none'"
        self.host = host
        super().__init__((host, port), _Handler)

    @property
    def address(self) -> str:
        """The address of the page."""
        return f"http://{_bracketed(self.host)}:{self.server_port}/"

    def knows(self, host: str | None) -> bool:
        """Tell whether a Host header names this server."""
        if host is None:
            return False
        name, _, port = host.rpartition(":")
        if not port.isdigit() or int(port) != self.server_port:
            return False
        if name.lower() in (*_LOOPBACK, _bracketed(self.host).lower()):
            return True
        # A name must be the one given; a number cannot be made to point elsewhere.
        return self.host not in _LOOPBACK and _is_number(name)


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _is_number(name: str) -> bool:
    try:
        ipaddress.ip_address(name.strip("[]"))
    except ValueError:
        return False
    return True


class _Handler(BaseHTTPRequestHandler):
    server: PageServer
    server_version = "isometrics"
    sys_version = ""
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        """Answer with the page."""
        self._answer(with_body=True)

    def do_HEAD(self) -> None:
        """Answer with the headers of the page."""
        self._answer(with_body=False)

    def _answer(self, *, with_body: bool) -> None:
        if not self.server.knows(self.headers.get("Host")):
            self._send(HTTPStatus.MISDIRECTED_REQUEST, b"This is not that host.\n", with_body)
        elif self.path != "/":
            self._send(HTTPStatus.NOT_FOUND, b"There is one page here, /.\n", with_body)
        else:
            self._send(HTTPStatus.OK, self.server.page, with_body, kind="text/html")

    def _send(
        self, status: HTTPStatus, body: bytes, with_body: bool, kind: str = "text/plain"
    ) -> None:
        self.send_response(status)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Content-Security-Policy", self.server.policy)
        for name, value in _HEADERS.items():
            self.send_header(name, value)
        self.end_headers()
        if with_body:
            self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing: whoever runs the server wants to read its address, not its traffic."""


_HEADERS = {
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
