"""The page from a server and in a notebook."""

import json
import threading
from contextlib import contextmanager
from pathlib import Path

from isometrics.report.html import report_html, template
from isometrics.report.model import report_model
from isometrics.report.serve import PageServer

from .reading import count, give
from .stage import Heard, settle

STATIC = Path(template.__wrapped__.__code__.co_filename).parent / "static"


@contextmanager
def served(browser, *models, **options):
    """Open a page from a server, and what it says and asks for."""
    with PageServer(report_html(*models, **options)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        context = browser.new_context()
        page = context.new_page()
        heard = Heard(page)
        page.goto(server.address)
        yield page, heard, server.address
        context.close()
        server.shutdown()


def test_a_served_page_works_and_asks_for_nothing_else(browser, two_models):
    with served(browser, two_models, title="Served") as (page, heard, address):
        page.locator("figure.panel").first.wait_for()
        assert page.title() == "Served"
        assert heard.said == []
        assert heard.requests == [address]
        # What is set stands behind the token in the address.
        page.get_by_label("Show hulls").uncheck()
        assert page.url == f"{address}#hulls=no"
        page.reload()
        page.locator("figure.panel").first.wait_for()
        assert page.locator("figure.panel .hull").count() == 0


def test_a_served_start_page_reads_files(browser, tmp_path):
    path = tmp_path / "small.csv"
    path.write_text("label,score\n1,0.5\n0,0.25\n")
    with served(browser, {}) as (page, heard, _):
        give(page, path)
        count(page)
        assert heard.said == []


def test_the_widget_draws_and_follows_its_data(browser, two_models):
    context = browser.new_context(offline=True, viewport={"width": 1200, "height": 900})
    page = context.new_page()
    heard = Heard(page)
    page.set_content("<!doctype html><title>notebook</title><div id=cell></div>")
    page.add_style_tag(content=(STATIC / "widget.css").read_text(encoding="utf-8"))
    data = [report_model(two_models), report_model({"forest": two_models["forest"]})]
    page.evaluate(
        """async ([source, first]) => {
            const address = URL.createObjectURL(new Blob([source], {type: "text/javascript"}));
            const {default: widget} = await import(address);
            const listeners = [];
            window.model = {
                traits: {data: JSON.parse(first), model: "linear", threshold: 0.5, beta: 2},
                get: (name) => window.model.traits[name],
                set: (name, value) => (window.model.traits[name] = value),
                save_changes: () => undefined,
                on: (event, act) => listeners.push([event, act]),
                off: (event, act) => {
                    const at = listeners.findIndex((one) => one[0] === event && one[1] === act);
                    listeners.splice(at, 1);
                },
                listeners,
                change: (name, value) => {
                    window.model.traits[name] = value;
                    for (const [event, act] of [...listeners])
                        if (event === `change:${name}`) act();
                },
            };
            window.stop = widget.render({model: window.model, el: document.getElementById("cell")});
        }""",
        [(STATIC / "widget.js").read_text(encoding="utf-8"), json.dumps(data[0])],
    )
    settle(page)
    assert page.locator("figure.panel").count() == 4
    assert page.locator(".summary tbody tr").count() == 2
    assert page.locator(".drop").count() == 0
    # Steps can be undone, and the address of the notebook is left alone.
    address = page.evaluate("[location.href, history.length]")
    page.get_by_label("Show hulls").uncheck()
    assert page.locator("figure.panel .hull").count() == 0
    page.keyboard.press("Control+z")
    settle(page)
    assert page.locator("figure.panel .hull").count() > 0
    assert page.evaluate("[location.href, history.length]") == address
    page.evaluate("(data) => window.model.change('data', JSON.parse(data))", json.dumps(data[1]))
    settle(page)
    assert page.locator(".summary tbody tr").count() == 1
    page.evaluate("() => window.stop()")
    assert page.evaluate("() => window.model.listeners.length") == 0
    page.evaluate("(data) => window.model.change('data', JSON.parse(data))", json.dumps(data[0]))
    settle(page)
    assert page.locator(".summary tbody tr").count() == 1
    assert heard.said == []
    context.close()
