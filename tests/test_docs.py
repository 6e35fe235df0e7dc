"""The pages run: their code blocks, the output they print, and the names they list."""

import contextlib
import importlib
import io
import re
import warnings
from importlib.util import find_spec
from pathlib import Path

import pytest
from _pytest.mark import ParameterSet

import isometrics as iso
from isometrics.cli import main

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]

BLOCK = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
OPTIONAL = (
    *("anywidget", "arff", "dask", "isometrics_studies", "matplotlib", "pandas", "polars"),
    *("pyarrow", "pyspark", "sklearn"),
)
# These warn about their own doings.
NOISY = ("mlflow", "skore", "torch", "torchmetrics")
# These take seconds, or start what does.
SLOW = {
    *("README", "docs/papers", "docs/ranking", "docs/scikit-learn", "docs/uncertainty"),
    "docs/verdict",
}
LARGE = {"pyspark", *NOISY}


def examples(page: Path) -> list[tuple[str, str | None]]:
    """Return the Python blocks, each with the text block that follows it, if one does."""
    blocks = BLOCK.findall(page.read_text(encoding="utf-8"))
    following = [*blocks, ("", "")][1:]
    return [
        (source, output if kind == "text" else None)
        for (language, source), (kind, output) in zip(blocks, following, strict=True)
        if language == "python"
    ]


def lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.strip("\n").split("\n")]


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).with_suffix("").as_posix()


def parameter(page: Path) -> ParameterSet:
    large = any(name in source for name in LARGE for source, _ in examples(page))
    slow = large or name_of(page) in SLOW
    return pytest.param(page, id=name_of(page), marks=[pytest.mark.slow] if slow else [])


def links(page: Path) -> list[str]:
    """Return the targets of the links and images of a page that are files."""
    text = BLOCK.sub("", page.read_text(encoding="utf-8"))
    targets = re.findall(r"\]\(([^)\s]+)\)|(?:href|src)=\"([^\"]+)\"", text)
    targets = [markdown or html for markdown, html in targets]
    return [target for target in targets if "://" not in target and not target.startswith("#")]


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_the_links_of_a_page_lead_to_files_of_the_repository(page: Path) -> None:
    missing = [
        target for target in links(page) if not (page.parent / target.partition("#")[0]).is_file()
    ]
    assert missing == []


def test_every_picture_is_shown() -> None:
    shown = {(page.parent / target).resolve() for page in PAGES for target in links(page)}
    folders = [ROOT / "docs" / name for name in ("images", "pictures")]
    pictures = {path for folder in folders for path in folder.iterdir()}
    assert pictures - shown == set()
    assert sum(path.stat().st_size for path in pictures) < 4_000_000


def test_the_file_in_the_readme_can_be_read() -> None:
    [rows] = [body for kind, body in BLOCK.findall(PAGES[0].read_text("utf-8")) if kind == "csv"]
    Path("predictions.csv").write_text(rows, encoding="utf-8")
    analysis = iso.read_predictions("predictions.csv", pos_label="fraud")
    assert list(analysis.models) == rows.splitlines()[0].split(",")[1:]


def test_the_readme_begins_with_the_verdict_that_the_start_shows() -> None:
    [sentence] = re.findall(r"^> (.*)$", PAGES[0].read_text(encoding="utf-8"), re.MULTILINE)
    start = (ROOT / "docs" / "start.md").read_text(encoding="utf-8")
    [shown] = [body for _, body in BLOCK.findall(start) if body.startswith("$ isometrics verdict")]
    assert sentence == shown.splitlines()[1]


@pytest.fixture(autouse=True)
def folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas")
@pytest.mark.parametrize("page", [parameter(page) for page in PAGES])
def test_the_examples_of_a_page_print_what_it_shows(
    page: Path, request: pytest.FixtureRequest
) -> None:
    blocks = examples(page)
    used = {name for name in (*OPTIONAL, *NOISY) for source, _ in blocks if name in source}
    for package in sorted(used):
        if find_spec(package) is None:
            pytest.skip(f"{package} is not installed")
    if "pyspark" in used:
        request.getfixturevalue("spark")  # the session that the page finds
    text = page.read_text(encoding="utf-8")
    if any("docs/" in source for source, _ in blocks):
        assert "from the root of the repository" in text
        Path("docs").symlink_to(ROOT / "docs")
    if any("demo-report" in source for source, _ in blocks):
        assert "\n$ isometrics demo" in text.partition("demo-report/")[0]
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            assert main(["demo"]) == 0
    names: dict[str, object] = {"__name__": page.stem}
    with warnings.catch_warnings():
        if used & set(NOISY):
            warnings.simplefilter("ignore")
        for source, shown in blocks:
            with contextlib.redirect_stdout(io.StringIO()) as printed:
                exec(compile(source, page.name, "exec"), names)
            if shown is not None:
                assert lines(printed.getvalue()) == lines(shown), source


@pytest.mark.parametrize(
    "module",
    [
        "isometrics",
        "isometrics.formats",
        "isometrics.integrations.mlflow",
        "isometrics.integrations.skore",
        "isometrics.integrations.sklearn",
        "isometrics.integrations.torchmetrics",
        "isometrics.spaces.drawing",
        "isometrics.plot",
        "isometrics.report",
        "isometrics.testing",
    ],
)
def test_the_api_page_lists_every_public_name(module: str) -> None:
    if module.endswith("torchmetrics"):
        pytest.importorskip("torchmetrics")
    page = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"^::: isometrics\.(?:\w+\.)*(\w+)$", page, re.MULTILINE))
    assert set(importlib.import_module(module).__all__) <= listed


def test_the_page_of_verdicts_lists_every_field() -> None:
    page = (ROOT / "docs" / "verdict.md").read_text(encoding="utf-8")
    analysis = iso.analyse([1, 0] * 20, list(range(40)), groups=["a"] * 20 + ["b"] * 20)
    fields = analysis.verdict(n_resamples=20).to_dict()
    assert "groups" in fields
    assert [field for field in fields if f"`{field}`" not in page] == []


def test_the_cells_of_the_page_of_verdicts_are_those_of_the_benchmark() -> None:
    page, benchmark = (
        (ROOT / folder / "verdict.md").read_text(encoding="utf-8").splitlines()
        for folder in ("docs", "benchmarks")
    )
    cells = [line for line in page if line.startswith("| n ")]
    assert len(cells) > 3
    assert set(cells) <= set(benchmark)
