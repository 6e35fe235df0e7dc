"""The citation file is what the Citation File Format 1.2.0 asks for, and about this version."""

from pathlib import Path

import pytest

import isometrics

yaml = pytest.importorskip("yaml")

CITATION = yaml.safe_load(
    (Path(__file__).parent.parent / "CITATION.cff").read_text(encoding="utf-8")
)


def check_people(people):
    assert people
    for person in people:
        assert set(person) in ({"name"}, {"family-names", "given-names"})
        assert all(isinstance(part, str) for part in person.values())


def test_what_the_format_requires_is_there():
    assert CITATION["cff-version"] == "1.2.0"
    assert {"message", "title", "authors"} <= set(CITATION)
    assert CITATION["type"] == "software"
    check_people(CITATION["authors"])


def test_the_version_and_the_licence_are_those_of_the_package():
    assert CITATION["version"] == isometrics.__version__
    for folder in (".", "studies"):
        path = Path(__file__).parent.parent / folder / "pyproject.toml"
        project = path.read_text(encoding="utf-8")
        assert f'license = "{CITATION["license"]}"' in project
        assert f'version = "{CITATION["version"]}"' in project
    assert f'isometrics[cli,plot,sklearn]=={CITATION["version"]}"' in project
    page = (Path(__file__).parent.parent / "web" / "package.json").read_text(encoding="utf-8")
    assert f'"version": "{CITATION["version"]}"' in page


def test_the_papers_are_referred_to():
    authors = [
        [author["family-names"] for author in paper["authors"]] for paper in CITATION["references"]
    ]
    assert authors == [["Davis", "Goadrich"], ["Flach", "Kull"], ["Hanczar", "Nadif"]]
    for paper in CITATION["references"]:
        assert {"type", "title", "authors"} <= set(paper)
        assert paper["type"] == "conference-paper"
        check_people(paper["authors"])
        assert isinstance(paper["year"], int)
