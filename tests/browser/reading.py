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


def figure(page, title):
    return page.locator("figure.panel", has=page.get_by_role("heading", name=title, exact=True))


def checkbox(page, label):
    return page.get_by_role("checkbox", name=label, exact=True)


def answer(page):
    """Return the lines of the answer, as soon as it is computed."""
    page.locator(".answer[aria-busy=false]").wait_for()
    return page.locator(".headline p").all_inner_texts()


def copied(page, name):
    """Return what a button copies."""
    page.get_by_role("button", name=name, exact=True).click()
    return page.evaluate("navigator.clipboard.readText()")


def saved(page, button, tmp_path):
    """Return the path of the file that a button saves."""
    with page.expect_download() as caught:
        page.get_by_role("button", name=button, exact=True).click()
    path = tmp_path / caught.value.suggested_filename
    caught.value.save_as(path)
    return path


def give(page, path):
    """Give a file to the page, which asks what its columns are."""
    page.locator("input[type=file]").set_input_files(str(path))
    page.locator("form.columns:visible").wait_for()


def count(page):
    """Let the page count the file that it was given."""
    page.get_by_role("button", name="Show", exact=True).click()
    page.locator("form.columns").wait_for(state="hidden")
    page.locator("figure.panel").first.wait_for()


def pixels(page, panel, what):
    """Return points every pixel along lines of a panel."""
    return svg(page, panel).evaluate(
        """(svg, what) => [...svg.querySelectorAll(what)].flatMap((line) => {
            const matrix = line.getScreenCTM();
            return Array.from({length: Math.ceil(line.getTotalLength())}, (_, at) => {
                const {x, y} = line.getPointAtLength(at).matrixTransform(matrix);
                return [x, y];
            });
        })""",
        what,
    )


def boxes(where, what):
    """Return where parts of the page or of an element lie: left, right, top, bottom."""
    return where.locator(what).evaluate_all(
        """(all) => all.map((one) => {
            const {left, right, top, bottom} = one.getBoundingClientRect();
            return [left, right, top, bottom];
        })"""
    )


def overlap(one, two):
    return one[0] < two[1] and two[0] < one[1] and one[2] < two[3] and two[2] < one[3]
