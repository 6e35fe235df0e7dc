"""What the tests share: samples, and ears for what a page says."""

from pathlib import Path

import numpy as np

from isometrics import OperatingPoints

WEB = Path(__file__).parent.parent.parent / "web"


def settle(page):
    """Wait until what was asked for has been drawn."""
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)))")


def settled(act, page):
    """Return an act of a reader that waits until what it does has been drawn."""

    def acted(*given, **options):
        done = act(*given, **options)
        settle(page)
        return done

    return acted


class Heard:
    """What a page said and asked for."""

    def __init__(self, page):
        self.said, self.requests, self.dialogs = [], [], []
        page.on("console", lambda message: self.said.append(message.text))
        page.on("pageerror", lambda error: self.said.append(str(error)))
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("dialog", self._dialog)

    def _dialog(self, dialog):
        self.dialogs.append(dialog.message)
        dialog.dismiss()


def sample(seed, rows=600, shift=1.5, prevalence=0.2):
    rng = np.random.default_rng(seed)
    labels = np.arange(rows) < rows * prevalence
    return labels, rng.normal(shift * labels)


def points(seed, rows=600, shift=1.5, prevalence=0.2):
    return OperatingPoints.from_scores(*sample(seed, rows, shift, prevalence))
