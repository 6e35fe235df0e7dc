"""Turn the TeX formulas of the built site into MathML, which browsers draw without a script.

The builder leaves formulas as TeX for a script from the network; here they are converted once. The
index of the search loses them, because nobody looks for TeX.
"""

import html
import re
import sys
from pathlib import Path

from latex2mathml.converter import convert

SITE = Path("site")
FORMULA = re.compile(r'<div class="arithmatex">\\\[(.*?)\\\]</div>', re.DOTALL)
INDEXED = re.compile(r"\\\\\[.*?\\\\\]")
# What is left of a formula that the pattern above, or the converter, does not know.
LEFT = re.compile(r'class="arithmatex"|\$\$|<m[a-z]+>\\')


def render(page: str) -> tuple[str, int]:
    """Return the page with its formulas as MathML, and their number."""

    def mathml(match: re.Match[str]) -> str:
        formula = convert(html.unescape(match[1]).strip(), display="block")
        return f'<div class="formula">{formula}</div>'

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
    for name in ("search.json", "search.js"):
        path = SITE / name
        path.write_text(INDEXED.sub("", path.read_text(encoding="utf-8")), encoding="utf-8")
    print("\n".join(problems) or f"Converted {count} formulas to MathML")
    return int(bool(problems) or not count)


if __name__ == "__main__":
    sys.exit(main())
