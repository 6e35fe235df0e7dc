"""What a test reads from the page."""

import math

PANELS = ["ROC", "Precision–recall", "Precision–recall gain", "Tradeoff"]


def svg(page, panel):
    return page.locator("figure.panel > svg").nth(PANELS.index(panel))


def place(page, panel):
    """Return the coordinates of the operating point in a panel."""
    point = svg(page, panel).locator("circle.point")
    return tuple(float(point.get_attribute(f"data-{axis}")) for axis in "xy")


def row(page):
    return int(svg(page, "ROC").get_attribute("aria-valuenow"))


def exact(page, name):
    """Return a number of the card with all its digits."""
    value = page.locator(f'.card [data-value="{name}"]').get_attribute("data-exact")
    return math.inf if value == "Infinity" else float(value)


def set_number(page, label, value):
    box = page.get_by_label(f"{label}, as a number", exact=True)
    box.fill(str(value))
    box.press("Enter")
