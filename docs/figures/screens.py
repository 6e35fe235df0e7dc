"""Take the pictures of the page that the README and the docs show.

Needs playwright, Pillow and a chromium on the path: ``python docs/figures/screens.py``. The
pictures are committed, so that building the site needs no browser.
"""

import shutil
import subprocess
import sys
import tempfile
from io import BytesIO
from pathlib import Path

import numpy as np
from PIL import Image
from playwright.sync_api import Browser, sync_playwright

import isometrics as iso

PICTURES = Path(__file__).parent.parent / "pictures"
MOST_BYTES = 150 * 1024


def take(
    browser: Browser,
    report: Path,
    name: str,
    *,
    width: int,
    height: int,
    dark: bool = False,
    first: str | None = None,
) -> None:
    """Save what a window shows of a report, from the top or from the first such element on."""
    page = browser.new_page(
        viewport={"width": width, "height": height}, color_scheme="dark" if dark else "light"
    )
    page.goto(report.as_uri())
    page.locator("figure.panel circle.point").first.wait_for()
    if first is not None:
        page.locator(first).first.evaluate("(element) => element.scrollIntoView()")
    page.wait_for_timeout(1500)
    shot = Image.open(BytesIO(page.screenshot()))
    page.close()
    for colours in (256, 128, 64, 32):
        content = BytesIO()
        palette = shot.convert("RGB").quantize(colours, dither=Image.Dither.NONE)
        palette.save(content, "png", optimize=True)
        if content.tell() <= MOST_BYTES:
            break
    (PICTURES / f"{name}.png").write_bytes(content.getvalue())
    print(f"{name}.png: {content.tell() / 1024:.0f} KiB, {colours} colours")


def grouped(folder: Path) -> Path:
    """Write the report of two models whose scores mean other things in one of two regions."""
    rng = np.random.default_rng(2015)
    labels = rng.random(2000) < 0.2
    regions = np.where(rng.random(2000) < 0.4, "north", "south")
    shift = np.where(regions == "north", 0.8, 0.0)
    scores = {
        name: rng.normal(quality * labels + shift)
        for name, quality in (("forest", 2.0), ("logit", 1.5))
    }
    return iso.analyse(labels, scores, groups=regions).report(
        folder / "groups.html", title="Two regions"
    )


def main() -> None:
    PICTURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        folder = Path(name)
        subprocess.run(
            [sys.executable, "-m", "isometrics", "demo", "--quiet", "-o", "demo"],
            check=True,
            # The page says which file it is about.
            cwd=folder,
            stdout=subprocess.DEVNULL,
        )
        demo = folder / "demo" / "report.html"
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        take(browser, demo, "page", width=1300, height=1000)
        take(browser, demo, "panels", width=1300, height=1020, first=".workspace")
        take(browser, demo, "dark", width=1300, height=1020, dark=True, first=".workspace")
        take(browser, demo, "phone", width=390, height=844)
        take(browser, grouped(folder), "groups", width=1300, height=700, first=".groups")
        browser.close()


if __name__ == "__main__":
    main()
