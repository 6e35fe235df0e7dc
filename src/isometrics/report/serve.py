"""A server of the page, for the browser on this machine."""

from __future__ import annotations

import errno
import re
import secrets
import socket
import sys
import webbrowser
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

from isometrics.errors import ParameterError, system_reason, warn
from isometrics.report.html import page_of
from isometrics.report.model import report_model, start_model

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from isometrics._core.sample import Sample
    from isometrics.points import OperatingPoints
    from isometrics.report.groups import Groups
    from isometrics.verdict.verdict import Verdict

_LAST_PORT = 65535
_HTTP_PORT = 80
_WITH_PORT = re.compile(r":[^:\]]*$")
_LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
_EVERY_ADDRESS = {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}
"""Hosts that stand for all addresses of this machine, and its own address for each."""
PATIENCE = 30.0
"""The seconds after which an idle connection is closed."""
_POLICY = re.compile(r'http-equiv="Content-Security-Policy" content="([^"]*)"')


def serve(
    models: Mapping[str, OperatingPoints] | None = None,
    *,
    host: str = "127.0.0.1",
    port: int = 0,
    open_browser: bool = True,
    title: str | None = None,
    description: str | None = None,
    verdict: Verdict | Mapping[str, Verdict] | None = None,
    one_vs_rest: bool = False,
    groups: Groups | None = None,
    rows: Sample | None = None,
    other_verdicts: Iterable[Verdict] = (),
    thresholds_from: Mapping[str, OperatingPoints] | None = None,
    announce: Callable[[str], None] | None = None,
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
    title, description
        The title of the page, and where the data come from.
    verdict
        The verdict with which the page begins; or one for each class, by name.
    one_vs_rest, groups
        Whether the models are classes, and what one rule does in each group, as for `report_html`.
    rows, other_verdicts
        From what the page finds verdicts for other settings, as for `report_html`.
    thresholds_from
        The same models on tuning data, as for `report_html`.
    announce
        A function that is called with the address of the page, once it can be reached.

    Notes
    -----
    The address contains a token of 128 random bits; without it the page is not shown, so that
    other users of this machine or of the network cannot read it.
    """
    with page_server(
        models,
        host=host,
        port=port,
        title=title,
        description=description,
        verdict=verdict,
        one_vs_rest=one_vs_rest,
        groups=groups,
        rows=rows,
        other_verdicts=other_verdicts,
        thresholds_from=thresholds_from,
    ) as server:
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


def page_server(
    models: Mapping[str, OperatingPoints] | None = None,
    *,
    host: str = "127.0.0.1",
    port: int = 0,
    title: str | None = None,
    description: str | None = None,
    verdict: Verdict | Mapping[str, Verdict] | None = None,
    one_vs_rest: bool = False,
    groups: Groups | None = None,
    rows: Sample | None = None,
    other_verdicts: Iterable[Verdict] = (),
    thresholds_from: Mapping[str, OperatingPoints] | None = None,
) -> PageServer:
    """Return the server of a page; `serve` runs it."""
    if models is None:
        return PageServer(page_of(start_model(title=title)), host, port)
    model = report_model(
        models,
        title=title,
        description=description,
        verdict=verdict,
        one_vs_rest=one_vs_rest,
        groups=groups,
        rows=rows,
        other_verdicts=other_verdicts,
        thresholds_from=thresholds_from,
    )
    return PageServer(page_of(model), host, port)


class PageServer(ThreadingHTTPServer):
    """A server of one page under ``/``; it reads no files.

    The page is shown to those who know its token. On a loopback address, requests whose Host
    header names another machine are refused as well, so that no other site can try to read the
    page through a name of its own that resolves to this machine (DNS rebinding).
    """

    daemon_threads = True
    allow_reuse_address = False

    def __init__(self, page: str, host: str, port: int) -> None:
        if not 0 <= port <= _LAST_PORT:
            raise ParameterError(
                f"must be between 0, which is any free one, and {_LAST_PORT} but is {port}",
                parameter="port",
            )
        self.page = page.encode("utf-8")
        policy = _POLICY.search(page)
        self.policy = f"{policy.group(1) if policy else ''}; frame-ancestors 'none'"
        self.host = host
        self.token = secrets.token_urlsafe(16)
        # A name may have several addresses; the system returns the preferred one first.
        try:
            addresses = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
            self.address_family = addresses[0][0]
            super().__init__((host, port), _Handler)
        except (OSError, UnicodeError) as error:
            if getattr(error, "errno", None) == errno.EADDRINUSE:
                raise ParameterError(
                    f"{port} is already in use on {host}; choose another one, or 0 for any that is "
                    "free",
                    parameter="port",
                ) from error
            raise ParameterError(
                f"cannot listen on host {host!r}, port {port}: {system_reason(error)}; choose "
                "others"
            ) from error

    @property
    def address(self) -> str:
        """The address of the page for a browser on this machine."""
        return self._address(_EVERY_ADDRESS.get(self.host, self.host))

    @property
    def address_for_others(self) -> str | None:
        """The address for other machines; None if only this one can reach the page."""
        if self.socket.getsockname()[0] in ("127.0.0.1", "::1"):
            return None
        return self._address(socket.gethostname() if self.host in _EVERY_ADDRESS else self.host)

    def _address(self, host: str) -> str:
        port = "" if self.server_port == _HTTP_PORT else f":{self.server_port}"
        return f"http://{_bracketed(host)}{port}/?token={self.token}"

    def knows(self, host: str | None) -> bool:
        """Return whether a Host header names this server."""
        if host is None:
            return False
        # Browsers leave out the default port.
        name, _, port = host.rpartition(":") if _WITH_PORT.search(host) else (host, "", "80")
        if port != str(self.server_port):
            return False
        # Other machines may know this one by any name.
        return self.address_for_others is not None or name.lower() in (
            *_LOOPBACK,
            _bracketed(self.host).lower(),
        )

    def admits(self, query: str) -> bool:
        """Return whether the query of a request has the token."""
        given = parse_qs(query).get("token", [""])[-1]
        return secrets.compare_digest(given.encode(), self.token.encode())

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore clients that disconnect; report other errors, which are defects."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host


class _Handler(BaseHTTPRequestHandler):
    server: PageServer
    server_version = "isometrics"
    sys_version = ""
    protocol_version = "HTTP/1.1"
    timeout = PATIENCE

    def do_GET(self) -> None:
        """Answer with the page."""
        self._answer(with_body=True)

    def do_HEAD(self) -> None:
        """Answer with the headers of the page."""
        self._answer(with_body=False)

    def _answer(self, *, with_body: bool) -> None:
        if not self.server.knows(self.headers.get("Host")):
            self._send(HTTPStatus.MISDIRECTED_REQUEST, b"This is not that host.\n", with_body)
            return
        path, query = _path_and_query(self.path)
        if path != "/":
            self._send(HTTPStatus.NOT_FOUND, b"There is one page here, /.\n", with_body)
        elif not self.server.admits(query):
            self._send(HTTPStatus.FORBIDDEN, _WITHOUT_TOKEN, with_body)
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
        """Log nothing: the terminal should show the address of the page, not its requests."""


def _path_and_query(target: str) -> tuple[str, str]:
    """Split the target of a request; one that is no path is returned as it is."""
    if not target.startswith("/") or target.startswith("//"):
        return target, ""
    parts = urlsplit(target)
    return parts.path, parts.query


_WITHOUT_TOKEN = (
    b"This page is shown to those who have its whole address, with the token that was printed "
    b"where it was started.\n"
)
_HEADERS = {
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
