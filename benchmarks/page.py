"""Time the page in headless Chromium: first paint, steps of the controls, files, sizes.

Needs playwright and a chromium on the path: ``python benchmarks/page.py``. Times of steps are
those of the processor in the page's main thread, for scripts, styles and layout, so that other work
on the machine changes them less; all other times are those of the clock.
"""

import os
import shutil
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd
from playwright.sync_api import Browser, Page, sync_playwright

from isometrics import OperatingPoints, analyse
from isometrics.report import write_report
from isometrics.report.html import page_of
from isometrics.report.model import report_model

ROWS = 1_000_000
STEPS = 40
WORK = ("ScriptDuration", "LayoutDuration", "RecalcStyleDuration")


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


# Each step is drawn before the next one: two frames later it is.
MOVE_POINT = """async (steps) => {
    const panel = document.querySelector("figure.panel > svg");
    for (let step = 0; step < steps; step++) {
        panel.dispatchEvent(new KeyboardEvent("keydown", {key: "ArrowRight", bubbles: true}));
        for (const frame of [1, 2]) await new Promise((done) => requestAnimationFrame(done));
    }
}"""
MOVE_BETA = """async (steps) => {
    const slider = document.querySelector('input[type=range][aria-label^="β"]')
        ?? document.querySelector("input[type=range]");
    const [low, high] = [Number(slider.min), Number(slider.max)];
    for (let step = 0; step < steps; step++) {
        slider.value = String(low + (high - low) * (0.3 + (0.4 * step) / steps));
        slider.dispatchEvent(new Event("input", {bubbles: true}));
        for (const frame of [1, 2]) await new Promise((done) => requestAnimationFrame(done));
    }
}"""


def work_of_a_step(page: Page, move: str) -> float:
    """Return the milliseconds that the main thread works for one step."""
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})

    def seconds() -> float:
        metrics = session.send("Performance.getMetrics")["metrics"]
        return sum(each["value"] for each in metrics if each["name"] in WORK)

    page.evaluate(move, STEPS // 4)
    before = seconds()
    page.evaluate(move, STEPS)
    done = seconds() - before
    session.detach()
    return 1000 * done / STEPS


def bounded_table(rows: int, distinct: int = 200_000) -> OperatingPoints:
    """Return the table of very many rows whose scores have fewer values."""
    rng = np.random.default_rng(3)
    scores = np.sort(rng.normal(size=distinct))
    chance = 1 / (1 + np.exp(1.5 - 1.5 * scores))
    counts = np.full(distinct, rows // distinct)
    positives = rng.binomial(counts, 0.2 * chance / chance.mean())
    tp = np.cumsum(positives[::-1])
    fp = np.cumsum((counts - positives)[::-1])
    return OperatingPoints.from_counts(
        tp,
        fp,
        positives=int(tp[-1]),
        negatives=int(fp[-1]),
        thresholds=scores[::-1],
    )


def kibibytes(path: Path) -> float:
    return path.stat().st_size / 1024


def main() -> None:
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        folder = Path(name)
        print(f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
        reports = {}
        for count in (4, 8):
            models = {
                f"model {k}": OperatingPoints.from_scores(*sample(1999, k)) for k in range(count)
            }
            reports[count] = write_report(models, folder / f"{count}.html")
            print(f"report of {count} models, 2,000 rows each: {kibibytes(reports[count]):.0f} KiB")
        judging = {}
        labels, _ = sample(2000)
        rng = np.random.default_rng(4)
        scores = {f"model {k}": rng.normal((1 + k / 4) * labels) for k in range(8)}
        for count in (4, 8):
            some = dict(list(scores.items())[:count])
            judging[count] = analyse(labels, some).report(folder / f"judging {count}.html")
        print(f"4 models with rows and a verdict: {kibibytes(judging[4]):.0f} KiB")
        large = write_report(
            {f"model {k}": bounded_table(10**8) for k in range(4)}, folder / "large.html"
        )
        print(f"report of 4 models, 1e8 rows each: {kibibytes(large):.0f} KiB")
        start = folder / "start.html"
        start.write_text(page_of(report_model({})), encoding="utf-8")
        labels, column = sample(ROWS)
        frame = pd.DataFrame({"label": labels.astype(int), "score": column})
        frame.to_csv(folder / "rows.csv", index=False)
        frame.to_parquet(folder / "rows.parquet")
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        paints = [first_paint(browser, reports[4]) for _ in range(5)]
        print(f"first contentful paint: {np.median(paints):.0f} ms")
        for count, report in reports.items():
            page = browser.new_page(viewport={"width": 1400, "height": 900})
            page.goto(report.as_uri())
            page.locator("figure.panel circle.point").first.wait_for()
            print(f"a step of the point, {count} models: {work_of_a_step(page, MOVE_POINT):.1f} ms")
            print(f"a step of β, {count} models: {work_of_a_step(page, MOVE_BETA):.1f} ms")
            page.goto(judging[count].as_uri())
            page.locator("figure.panel circle.point").first.wait_for()
            print(f"the same with rows, {count} models: {work_of_a_step(page, MOVE_BETA):.1f} ms")
            page.close()
        for kind in ("csv", "parquet"):
            found = [seconds_to_show(browser, start, folder / f"rows.{kind}") for _ in range(3)]
            done, freeze = (np.median(values) for values in zip(*found, strict=True))
            print(f"{kind}, {ROWS:,} rows: {done:.2f} s; longest freeze {freeze:.2f} s")
        browser.close()


if __name__ == "__main__":
    main()
