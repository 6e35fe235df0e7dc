"""Time the page in headless Chromium: first paint, a file of a million rows, moving a point.

Needs playwright and a chromium on the path: ``python benchmarks/page.py``.
"""

import shutil
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd
from playwright.sync_api import Browser, Page, sync_playwright

from isometrics import OperatingPoints
from isometrics.report import write_report
from isometrics.report.html import page_of
from isometrics.report.model import start_model

ROWS = 1_000_000


def sample(rows: int, seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    labels = rng.random(rows) < 0.2
    return labels, rng.normal(1.5 * labels)


def first_paint(browser: Browser, path: Path) -> float:
    """Return milliseconds from navigation to the first contentful paint, with the work done."""
    page = browser.new_page()
    page.goto(path.as_uri())
    page.locator("figure.panel circle.point").first.wait_for()
    found = page.evaluate(
        """() => new Promise((done) => new PerformanceObserver((list) => {
            for (const entry of list.getEntriesByName("first-contentful-paint"))
                done(entry.startTime);
        }).observe({type: "paint", buffered: true}))"""
    )
    page.close()
    return float(found)


def seconds_to_show(browser: Browser, start: Path, file: Path) -> tuple[float, float]:
    """Return seconds from the click to the drawn report, and the longest freeze of the page."""
    page = browser.new_page()
    page.set_default_timeout(60_000)
    page.goto(start.as_uri())
    page.locator("input[type=file]").set_input_files(str(file))
    page.locator("form.columns").wait_for()
    page.evaluate(
        """() => {
            window.longest = 0;
            let before = performance.now();
            const tick = () => {
                const now = performance.now();
                window.longest = Math.max(window.longest, now - before);
                before = now;
                setTimeout(tick, 0);
            };
            tick();
        }"""
    )
    begun = time.perf_counter()
    page.get_by_role("button", name="Show", exact=True).click()
    page.locator("figure.panel circle.point").first.wait_for()
    done = time.perf_counter() - begun
    longest = float(page.evaluate("window.longest"))
    page.close()
    return done, longest / 1000


def milliseconds_a_step(page: Page) -> float:
    """Return the time of one key press that moves the point in all panels."""
    page.locator("figure.panel > svg").first.focus()
    return float(
        page.evaluate(
            """async () => {
                const panel = document.querySelector("figure.panel > svg");
                const begun = performance.now();
                for (let step = 0; step < 50; step++) {
                    panel.dispatchEvent(new KeyboardEvent("keydown", {key: "ArrowRight"}));
                    await new Promise((done) => requestAnimationFrame(done));
                }
                return (performance.now() - begun) / 50;
            }"""
        )
    )


def main() -> None:
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        folder = Path(name)
        models = {f"model {k}": OperatingPoints.from_scores(*sample(1999, k)) for k in range(4)}
        report = write_report(models, folder / "report.html")
        start = folder / "start.html"
        start.write_text(page_of(start_model()), encoding="utf-8")
        labels, scores = sample(ROWS)
        frame = pd.DataFrame({"label": labels.astype(int), "score": scores})
        frame.to_csv(folder / "rows.csv", index=False)
        frame.to_parquet(folder / "rows.parquet")
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        print(f"report of 4 models, 2,000 rows each: {report.stat().st_size / 1024:.0f} KiB")
        paints = [first_paint(browser, report) for _ in range(5)]
        print(f"first contentful paint: {np.median(paints):.0f} ms")
        for kind in ("csv", "parquet"):
            found = [seconds_to_show(browser, start, folder / f"rows.{kind}") for _ in range(3)]
            done, freeze = (np.median(values) for values in zip(*found, strict=True))
            print(f"{kind}, {ROWS:,} rows: {done:.2f} s; longest freeze {freeze:.2f} s")
        page = browser.new_page()
        page.goto(report.as_uri())
        print(f"one step of the point: {milliseconds_a_step(page):.1f} ms")
        browser.close()


if __name__ == "__main__":
    main()
