"""One page, for this machine, under one address."""

import http.client
import signal
import socket
import struct
import threading
import urllib.request
import webbrowser
from contextlib import contextmanager

import pytest

from isometrics import OperatingPoints
from isometrics.errors import ParameterError
from isometrics.report import report_html, serve
from isometrics.report.serve import PageServer

SMALL = OperatingPoints.from_scores([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])


@contextmanager
def running(models, host="127.0.0.1", **options):
    with PageServer(report_html(models, **options), host) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


def ask(server, path=None, *, host=..., method="GET"):
    """Ask without a client that would tidy up the path; by default for the page."""
    path = f"/?token={server.token}" if path is None else path
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=10)
    connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
    if host is not None:
        connection.putheader("Host", f"127.0.0.1:{server.server_port}" if host is ... else host)
    connection.endheaders()
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    return answer, body


@pytest.fixture(scope="module")
def server():
    with running({"forest": SMALL}, title="Served") as server:
        yield server


def test_the_page_is_the_report_for_this_machine(server):
    answer, body = ask(server)
    assert answer.status == 200
    assert body.decode() == report_html({"forest": SMALL}, title="Served")
    assert server.server_address[0] == "127.0.0.1"
    assert server.address == f"http://127.0.0.1:{server.server_port}/?token={server.token}"
    assert server.address_for_others is None
    expected = {
        "Content-Type": "text/html; charset=utf-8",
        "Content-Security-Policy": "frame-ancestors 'none'",
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "no-referrer",
        "Cross-Origin-Resource-Policy": "same-origin",
        "Cache-Control": "no-store",
        "Access-Control-Allow-Origin": None,
    }
    assert {name: answer.getheader(name) for name in expected} == expected
    assert "Python" not in answer.getheader("Server")
    # Without anything the page asks for a file.
    with running({}) as other:
        assert b'"models":[]' in ask(other)[1]
        assert other.token != server.token
        assert len(other.token) >= 22  # 128 bits


@pytest.mark.parametrize(
    "query", ["", "?token=", "?token=guess", "?token={token}x", "?x={token}", "?token=%C3%A9"]
)
def test_without_its_token_the_page_is_not_shown(server, query):
    answer, body = ask(server, f"/{query.format(token=server.token)}")
    assert answer.status == 403
    assert b"forest" not in body
    assert b"with the token" in body


def test_no_other_path_leads_anywhere_and_nothing_can_be_sent(server):
    for path in ("/favicon.ico", "/../../etc/passwd", "/%2e%2e/etc/passwd", "/./", "/x?x=/", "*"):
        answer, body = ask(server, path)
        assert (answer.status, body) == (404, b"There is one page here, /.\n")
    for method in ("HEAD", "POST", "OPTIONS"):
        assert ask(server, method=method)[0].status == 501


def test_other_machines_are_answered_by_the_name_of_this_one():
    with running({"forest": SMALL}, host="0.0.0.0") as server:
        answer, body = ask(server, host=f"{socket.gethostname()}:{server.server_port}")
        assert answer.status == 200
        assert b"forest" in body
        refused, _ = ask(server, "/", host=f"{socket.gethostname()}:{server.server_port}")
        assert refused.status == 403


def test_what_cannot_be_listened_on_is_one_sentence():
    with PageServer("page", "127.0.0.1", 0) as server:
        taken = server.server_port
        with pytest.raises(ParameterError) as caught:
            PageServer("page", "127.0.0.1", taken)
        assert str(caught.value) == (
            f"cannot listen on host '127.0.0.1', port {taken}: address already in use; choose "
            "others, or port 0 for any that is free"
        )
    for host in ("nowhere.invalid", "a" * 70, "192.0.2.1"):
        with pytest.raises(ParameterError, match=f"cannot listen on host '{host}', port 0: "):
            PageServer("page", host, 0)
    with pytest.raises(ParameterError, match=r"^port must be between 0, .* 65535 but is 65536$"):
        PageServer("page", "127.0.0.1", 65536)


def test_a_client_that_goes_away_prints_nothing(capsys):
    with running({"forest": SMALL}) as server:
        # More than what the system takes off the server's hands.
        server.page = b"x" * 50_000_000
        client = socket.create_connection(("127.0.0.1", server.server_port))
        request = f"GET /?token={server.token} HTTP/1.1\r\nHost: 127.0.0.1:{server.server_port}"
        client.sendall(f"{request}\r\n\r\n".encode())
        client.recv(100)
        # The connection is reset instead of closed.
        client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        client.close()
        # The answer may have ended by now.
        for thread in threading.enumerate():
            if "process_request" in thread.name:
                thread.join(10)
                assert not thread.is_alive()
    assert capsys.readouterr().err == ""


@pytest.fixture
def interrupt():
    """Return a function that sends Ctrl-C; workers of the tests ignore it otherwise."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield lambda: signal.raise_signal(signal.SIGINT)
    signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("open_browser", [True, False])
def test_serve_runs_until_interrupted(monkeypatch, interrupt, open_browser):
    opened, announced, pages = [], [], []
    monkeypatch.setattr(webbrowser, "open", opened.append)

    def visit():
        pages.append(urllib.request.urlopen(announced[0], timeout=10).read().decode())
        interrupt()

    visitor = threading.Thread(target=visit)

    def announce(address):
        announced.append(address)
        visitor.start()

    serve({"forest": SMALL}, title="Served", open_browser=open_browser, announce=announce)
    visitor.join()
    assert opened == (announced if open_browser else [])
    assert announced[0].startswith("http://127.0.0.1:")
    assert pages == [report_html({"forest": SMALL}, title="Served")]


def test_serve_warns_where_other_machines_can_read_the_page(interrupt):
    with pytest.warns(UserWarning, match=r"whoever has the address http://.*/\?token=.* can read"):
        serve(
            {"forest": SMALL},
            host="0.0.0.0",
            open_browser=False,
            announce=lambda _: threading.Timer(0.2, interrupt).start(),
        )
