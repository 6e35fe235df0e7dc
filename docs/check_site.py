"""Check the built site for what the strict build lets through.

The builder checks links between Markdown pages. It does not notice a missing image, a page in the
navigation that does not exist, a page that nothing links to, a broken link written in HTML or in a
docstring, or something that is fetched from the network.
"""

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

SITE = Path("site")
ENTRANCES = {"index.html", "404.html"}


class Page(HTMLParser):
    """The anchors, links and embedded resources of one page."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.resources: list[str] = []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Collect what this tag defines and what it points to."""
        given = {name: value for name, value in attrs if value}
        self.anchors.update(given[name] for name in ("id", "name") if name in given)
        if "src" in given:
            self.resources.append(given["src"])
        if "href" in given:
            (self.links if tag == "a" else self.resources).append(given["href"])


def problems(site: Path) -> list[str]:
    """Return one line for each problem."""
    pages = {path.relative_to(site).as_posix(): Page(path) for path in site.rglob("*.html")}
    found = []
    linked = set(ENTRANCES)
    for name, page in pages.items():
        for url in page.links + page.resources:
            parts = urlsplit(url)
            if parts.scheme == "data":
                continue
            if parts.scheme or parts.netloc:
                if url in page.resources:
                    found.append(f"{name}: fetches {url} from the network")
                continue
            base = site if parts.path.startswith("/") else (site / name).parent
            path = base / unquote(parts.path).lstrip("/") if parts.path else site / name
            path = path / "index.html" if path.is_dir() else path
            if not path.is_file():
                found.append(f"{name}: {url} does not exist")
                continue
            target = path.resolve().relative_to(site.resolve()).as_posix()
            if target != name:
                linked.add(target)
            if parts.fragment and target in pages:
                anchor = unquote(parts.fragment)
                if anchor not in pages[target].anchors:
                    found.append(f"{name}: {url} names an anchor that does not exist")
    found += [f"{name}: no other page links to it" for name in sorted(pages.keys() - linked)]
    return list(dict.fromkeys(found))


if __name__ == "__main__":
    lines = problems(SITE)
    print("\n".join(lines) or "The site is complete and needs no network.")
    sys.exit(bool(lines))
