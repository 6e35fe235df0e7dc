"""Debian's chromium through playwright, with the network off and everything it says heard."""

import json
import shutil
from functools import partial
from pathlib import Path

import pytest

from isometrics.report import write_report
from isometrics.report.html import page_of
from isometrics.report.model import report_model

from .stage import WEB, Heard, points, settle, settled

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-dev-shm-usage",
]


@pytest.fixture(scope="session")
def browser():
    sync_api = pytest.importorskip("playwright.sync_api")
    program = shutil.which("chromium")
    if program is None:
        pytest.skip("chromium is not installed")
    with sync_api.sync_playwright() as playwright, pytest.MonkeyPatch.context() as patched:
        for name in ("check", "click", "fill", "press", "select_option", "uncheck"):
            act = getattr(sync_api.Locator, name)
            patched.setattr(sync_api.Locator, name, _settled_locator(act))
        browser = playwright.chromium.launch(executable_path=program, args=ARGUMENTS)
        yield browser
        browser.close()


def _settled_locator(act):
    return lambda locator, *given, **options: settled(partial(act, locator), locator.page)(
        *given, **options
    )


@pytest.fixture(scope="session")
def context(browser):
    """Share one context: a new page in it costs a third of a new context."""
    context = browser.new_context(
        offline=True,
        accept_downloads=True,
        permissions=["clipboard-read", "clipboard-write"],
    )
    yield context
    context.close()


@pytest.fixture
def open_page(context):
    """Open a file; at the end, a page must have kept quiet and to itself."""
    opened = []

    def open_it(path, *, width=1400, scheme="light"):
        page = context.new_page()
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme=scheme)
        page.set_default_timeout(30_000)
        heard = Heard(page)
        address = Path(path).as_uri()
        opened.append((page, heard, address))
        page.goto(address)
        settle(page)
        for owner, names in (
            (page, ("emulate_media", "go_back", "go_forward", "reload", "set_viewport_size")),
            (page.keyboard, ("press",)),
            (page.mouse, ("click", "move", "up")),
        ):
            for name in names:
                setattr(owner, name, settled(getattr(owner, name), page))
        page.heard = heard
        return page

    yield open_it
    for page, heard, address in opened:
        page.close()
        assert heard.said == []
        assert heard.dialogs == []
        outside = [url for url in heard.requests if not url.startswith(("blob:", "data:"))]
        assert set(outside) <= {address}


@pytest.fixture(scope="session")
def two_models():
    return {"forest": points(1, shift=1.8), "linear": points(2, shift=1.2)}


@pytest.fixture(scope="session")
def report(two_models, tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "two models.html"
    return write_report(two_models, path, title="Two models", description="drawn at random")


@pytest.fixture(scope="session")
def start_page(tmp_path_factory):
    path = tmp_path_factory.mktemp("start") / "start.html"
    path.write_text(page_of(report_model({})), encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def violations():
    """Return a function that asks axe what is wrong with a page."""
    program = WEB / "node_modules" / "axe-core" / "axe.min.js"
    if not program.is_file():
        pytest.skip("axe-core is missing; `make web` installs it")
    axe = program.read_text(encoding="utf-8")

    def found(page):
        # On a busy machine a theme that was chosen last may still be drawn in part.
        settle(page)
        if not page.evaluate("() => 'axe' in window"):
            page.evaluate(axe)
        # Targets of 24 pixels are a rule that axe leaves out unless asked.
        rules = {"rules": {"target-size": {"enabled": True}}}
        found = page.evaluate("(rules) => axe.run(document, rules)", rules)["violations"]
        return [
            f"{one['id']}: {node['html'][:160]} {json.dumps(node['any'][:1])[:300]}"
            for one in found
            for node in one["nodes"]
        ]

    return found
