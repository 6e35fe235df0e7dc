"""The widget in JupyterLab: its keys, its theme, its width, its traits, and what is left of it.

JupyterLab is started here, on this machine alone, with folders of its own.
"""

import json
import os
import secrets
import subprocess
import sys
import time
from pathlib import Path

import pytest

from .stage import Heard

pytest.importorskip("jupyterlab")
pytest.importorskip("nbconvert")
pytest.importorskip("anywidget")
nbformat = pytest.importorskip("nbformat")
# What Jupyter's own packages do is not ours.
pytestmark = pytest.mark.filterwarnings("ignore")

CELLS = [
    """
import numpy as np
import isometrics as iso
from isometrics.report.widget import ReportWidget
rng = np.random.default_rng(3)
labels = np.arange(400) < 80
scores = {name: rng.normal(shift * labels) for name, shift in [("forest", 2.0), ("linear", 1.2)]}
analysis = iso.analyse(labels, scores)
seen = []
widget = ReportWidget(analysis.models, title="In the notebook", verdict=analysis.verdict())
widget.observe(lambda change: seen.append(change.name), ["model", "threshold", "beta"])
widget
""",
    "print('now', repr(widget), sorted(set(seen)))",
    "widget.model = 'linear'; widget.threshold = 0.5; print('set', widget.threshold)",
]


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """Start JupyterLab in a folder with a notebook; return the folder and the address."""
    folder = tmp_path_factory.mktemp("lab")
    notebooks, own = folder / "notebooks", folder / "own"
    notebooks.mkdir()
    cells = [nbformat.v4.new_code_cell(source.strip()) for source in CELLS]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    notebook = nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": kernel})
    nbformat.write(notebook, notebooks / "report.ipynb")
    variables = {
        name: str(own / name.lower())
        for name in (
            "HOME",
            "IPYTHONDIR",
            "JUPYTERLAB_SETTINGS_DIR",
            "JUPYTERLAB_WORKSPACES_DIR",
            "JUPYTER_CONFIG_DIR",
            "JUPYTER_DATA_DIR",
            "JUPYTER_RUNTIME_DIR",
        )
    }
    for path in variables.values():
        Path(path).mkdir(parents=True)
    notices = Path(variables["JUPYTERLAB_SETTINGS_DIR"]) / "@jupyterlab" / "apputils-extension"
    notices.mkdir(parents=True)
    settings = {"fetchNews": "false", "checkForUpdates": False}
    (notices / "notification.jupyterlab-settings").write_text(json.dumps(settings))
    token = secrets.token_hex(16)
    options = [
        "--no-browser",
        "--allow-root",
        "--expose-app-in-browser",
        "--ServerApp.ip=127.0.0.1",
        "--ServerApp.port=0",
        f"--ServerApp.root_dir={notebooks}",
        f"--IdentityProvider.token={token}",
    ]
    with (folder / "log").open("w", encoding="utf-8") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "jupyterlab", *options],
            env=os.environ | variables | {"JUPYTER_PLATFORM_DIRS": "0"},
            stdout=log,
            stderr=log,
        )
        try:
            yield notebooks, f"{_address(process, variables)}doc/tree/report.ipynb?token={token}"
        finally:
            process.terminate()
            process.wait(30)


def _address(process, variables):
    """Wait until the server has written where it listens."""
    runtime = Path(variables["JUPYTER_RUNTIME_DIR"])
    until = time.monotonic() + 120
    while time.monotonic() < until and process.poll() is None:
        for path in runtime.glob("jpserver-*.json"):
            if text := path.read_text(encoding="utf-8"):
                return json.loads(text)["url"]
        time.sleep(0.1)
    raise AssertionError("JupyterLab did not start")


@pytest.fixture(scope="module")
def page(browser, lab):
    """Open the notebook and run its first cell."""
    context = browser.new_context(viewport={"width": 1400, "height": 900}, color_scheme="light")
    page = context.new_page()
    page.heard = Heard(page)
    page.set_default_timeout(60_000)
    page.goto(lab[1])
    page.locator(".jp-Notebook .jp-Cell").first.wait_for()
    # A cell that is run before the kernel is there is not run at all.
    page.evaluate(
        """async () => {
            await window.jupyterapp.restored;
            const { sessionContext } = window.jupyterapp.shell.currentWidget.context;
            await sessionContext.ready;
            await sessionContext.session.kernel.info;
        }"""
    )
    cell(page, 0).locator(".jp-InputArea-editor").click()
    command(page, "notebook:run-cell")
    page.locator(".isometrics figure.panel circle.point").first.wait_for()
    yield page
    context.close()


def command(page, name, **arguments):
    # What a command promises is not waited for: a dialog could keep it open for ever.
    page.evaluate(
        "([name, given]) => void window.jupyterapp.commands.execute(name, given)",
        [name, arguments],
    )


def cell(page, place):
    return page.locator(".jp-Notebook .jp-Cell").nth(place)


def printed(page, place):
    """Run a cell, and return what it prints."""
    cell(page, place).locator(".jp-InputArea-editor").click()
    command(page, "notebook:run-cell")
    page.wait_for_function(
        """(place) => {
            const cell = document.querySelectorAll(".jp-Notebook .jp-Cell")[place];
            return /\\[\\d+\\]/.test(cell.querySelector(".jp-InputPrompt").textContent);
        }""",
        arg=place,
    )
    return cell(page, place).locator(".jp-OutputArea-output pre").inner_text()


def point(page):
    """Return the model and the rule of the card."""
    card = page.locator(".isometrics .card")
    return card.locator("h2").inner_text(), card.locator(".rule").inner_text()


def check_keys_stay_in_the_page(page):
    count = page.locator(".jp-Notebook .jp-Cell").count()
    before = point(page)
    page.locator(".isometrics figure.panel > svg").first.focus()
    for key in ("d", "d", "x", "a", "b", "Shift+M"):
        page.keyboard.press(key)
    assert page.locator(".jp-Notebook .jp-Cell").count() == count
    page.keyboard.press("ArrowRight")
    page.wait_for_function(
        "(rule) => document.querySelector('.isometrics .card .rule').textContent !== rule",
        arg=before[1],
    )


def check_the_notebook_still_takes_ctrl_s(page, lab):
    path = lab[0] / "report.ipynb"
    page.locator(".isometrics figure.panel > svg").first.focus()
    before = path.stat().st_mtime_ns
    page.keyboard.press("Control+s")
    until = time.monotonic() + 60
    while path.stat().st_mtime_ns == before and time.monotonic() < until:
        page.wait_for_timeout(100)
    assert path.stat().st_mtime_ns > before


def check_enter_in_a_number_box_sets_it_and_python_is_told(page):
    box = page.get_by_label("β, as a number", exact=True)
    box.fill("2")
    box.press("Enter")
    page.wait_for_function(
        """() => document.querySelector(".isometrics .summary table").textContent
            .includes("β = 2")"""
    )
    said = printed(page, 1)
    assert "beta=2)" in said
    assert "'threshold'" in said
    assert f"model={point(page)[0]!r}" in said
    shown = point(page)[1].removeprefix("score ≥ ")
    assert f"threshold={shown}," in said


def check_python_moves_the_page(page):
    said = printed(page, 2)
    threshold = said.removeprefix("set ").strip()
    page.wait_for_function(
        "(rule) => document.querySelector('.isometrics .card .rule').textContent === rule",
        arg=f"score ≥ {threshold}",
    )
    assert point(page)[0] == "linear"


def ground(page):
    return page.locator(".isometrics").evaluate("(root) => getComputedStyle(root).backgroundColor")


def check_the_theme_of_the_notebook_is_followed(page):
    assert ground(page) == "rgb(255, 255, 255)"
    command(page, "apputils:change-theme", theme="JupyterLab Dark")
    page.wait_for_function("() => document.body.dataset.jpThemeLight === 'false'")
    assert ground(page) == "rgb(18, 22, 28)"
    page.emulate_media(color_scheme="dark")
    command(page, "apputils:change-theme", theme="JupyterLab Light")
    page.wait_for_function("() => document.body.dataset.jpThemeLight === 'true'")
    assert ground(page) == "rgb(255, 255, 255)"
    page.emulate_media(color_scheme="light")


def check_a_narrow_cell_has_a_narrow_layout(page):
    def columns():
        boxes = [one.bounding_box() for one in page.locator(".isometrics figure.panel").all()[:4]]
        return len({round(box["x"]) for box in boxes})

    assert columns() == 2
    # The window stays wide.
    root = page.locator(".isometrics")
    root.evaluate("(root) => (root.style.width = '420px')")
    assert columns() == 1
    assert root.evaluate("(root) => root.scrollWidth") <= 420
    root.evaluate("(root) => (root.style.width = '')")


def check_the_saved_notebook_is_reloaded_and_converted(page, lab):
    path = lab[0] / "report.ipynb"
    command(page, "docmanager:save")
    page.wait_for_function("() => !document.querySelector('.jp-mod-dirty')")
    page.reload()
    page.locator(".isometrics figure.panel circle.point").first.wait_for()
    # The kernel still has the widget, and the page shows where it was.
    assert point(page)[0] == "linear"
    assert [text for text in page.heard.said if "isometrics" in text.lower()] == []
    converted = path.with_suffix(".html")
    done = subprocess.run(
        [sys.executable, "-m", "nbconvert", "--to", "html", str(path)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    text = converted.read_text(encoding="utf-8")
    assert "object at 0x" not in text
    still = page.context.browser.new_context(offline=True, java_script_enabled=False).new_page()
    still.goto(converted.as_uri())
    table = still.locator("table", has_text="AUPRG").inner_text()
    assert "forest" in table
    assert "linear" in table
    (output,) = nbformat.read(path, as_version=4).cells[0].outputs
    verdict = output.data["text/plain"].splitlines()[0]
    assert verdict in still.locator("body").inner_text()
    still.context.close()


def test_the_widget_works_in_jupyterlab(page, lab):
    """Check one thing after the other: JupyterLab takes half a minute to start."""
    check_keys_stay_in_the_page(page)
    check_the_notebook_still_takes_ctrl_s(page, lab)
    check_enter_in_a_number_box_sets_it_and_python_is_told(page)
    check_python_moves_the_page(page)
    check_the_theme_of_the_notebook_is_followed(page)
    check_a_narrow_cell_has_a_narrow_layout(page)
    check_the_saved_notebook_is_reloaded_and_converted(page, lab)
