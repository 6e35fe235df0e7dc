"""Turn the TeX formulas of the built site into MathML, which browsers draw without a script.

The builder leaves formulas as TeX for a script from the network; here they are converted once.
"""

import html
import re
import sys
from pathlib import Path

from latex2mathml.converter import convert

SITE = Path("site")
FORMULA = re.compile(r'<div class="arithmatex">\\\[(.*?)\\\]</div>', re.DOTALL)
# What is left of a formula that the pattern above does not know.
LEFT = re.compile(r'class="arithmatex"|\$\$')


def render(page: str) -> tuple[str, int]:
    """Return the page with its formulas as MathML, and their number."""

    def mathml(match: re.Match[str]) -> str:
        return f'<div class="formula">{convert(html.unescape(match[1]).strip(), display="block")}</div>'

    return FORMULA.subn(mathml, page)


def main() -> int:
    count, problems = 0, []
    for path in sorted(SITE.rglob("*.html")):
        page, found = render(path.read_text(encoding="utf-8"))
        if found:
            path.write_text(page, encoding="utf-8")
        if LEFT.search(page):
            problems.append(f"{path}: a formula was not converted")
        count += found
    print("\n".join(problems) or f"Converted {count} formulas to MathML")
    return int(bool(problems) or not count)


if __name__ == "__main__":
    sys.exit(main())
