"""The figures, tables and theorems of the papers: all are there, agree or say why not, and draw."""

import csv
import re
from fractions import Fraction
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import isometrics as iso
from isometrics.decisions.best import segment_precisions, segment_shares
from isometrics.errors import FileError, ParameterError
from isometrics.spaces import PRGSpace, ROCSpace
from isometrics.spaces.indices import index_named
from isometrics_studies.papers import (
    PAPERS,
    Item,
    Number,
    PaperNumbers,
    all_items,
    davis_goadrich,
    flach_kull,
    hanczar_nadif,
    hanczar_nadif_experiments,
    paper_numbers,
    tasks,
    theorems,
    write_papers,
)
from isometrics_studies.papers import davis_goadrich as domination
from isometrics_studies.papers import flach_kull as clover
from isometrics_studies.papers import flach_kull as flach_kull_models
from isometrics_studies.papers import flach_kull as running_example
from isometrics_studies.papers.collection import short
from isometrics_studies.papers.folder import index_page, save
from isometrics_studies.papers.item import BY_FORMULA
from isometrics_studies.ranking.ranks import disagreement

ITEMS = all_items()
DOCS = Path(__file__).parents[2] / "docs"
WHOLE = {
    "DG06": ["Table 1", *(f"Fig. {number}" for number in range(1, 8)), "text"],
    "FK15": [
        *(f"Fig. {number}" for number in range(1, 6)),
        *(f"Th. {number}" for number in range(5)),
        "text",
    ],
    "HN": ["Table 1", *(f"Fig. {number}" for number in range(1, 9)), "text"],
}


@pytest.fixture(scope="module")
def numbers():
    return paper_numbers(ITEMS)


def value(numbers, item, name):
    (result,) = (
        number
        for owner, number in zip(numbers.items, numbers.numbers, strict=True)
        if owner.id == item and number.name == name
    )
    return result


# ---------------------------------------------------------------------- what there is


def test_every_figure_table_and_theorem_is_there_once():
    expected = {f"{paper} {name}" for paper, names in WHOLE.items() for name in names}
    assert {item.id for item in ITEMS} == expected
    assert len(ITEMS) == len(expected) == len({item.file_name for item in ITEMS})
    assert list(PAPERS) == list(WHOLE)


def test_every_figure_and_table_is_drawn_and_whatever_is_not_says_why():
    for item in ITEMS:
        assert item.title
        assert item.shows.endswith(".")
        drawn = item.name.startswith(("Fig.", "Table"))
        assert (item.draw is not None) == drawn, item.id
        assert item.shows.startswith("There is nothing to draw") != drawn


@pytest.mark.parametrize("paper", PAPERS)
def test_one_paper_alone(paper):
    assert [item.id for item in all_items(paper)] == [
        item.id for item in ITEMS if item.paper == paper
    ]


def test_an_unknown_paper_is_refused():
    with pytest.raises(ParameterError, match="DG06"):
        all_items("DG07")


def test_data_that_are_not_public_are_said_to_be_replaced():
    replaced = {item.id for item in ITEMS if item.stand_in}
    assert replaced >= {"DG06 Fig. 1", "FK15 Fig. 4", "FK15 Fig. 5"}
    assert replaced >= {f"HN Fig. {number}" for number in (1, 5, 6, 7, 8)}


# ---------------------------------------------------------------------- numbers


def test_every_number_agrees_or_has_a_reason(numbers):
    for item, number in zip(numbers.items, numbers.numbers, strict=True):
        assert number.agrees is not False or number.reason, (item.id, number)
        # What was searched for must have been found.
        assert number.agrees or not number.fitted, (item.id, number)
    assert all(any(owner.id == item.id for owner in numbers.items) for item in ITEMS)


def test_names_are_short_enough_for_a_terminal_and_different(numbers):
    for item in ITEMS:
        names = [number.name for number in numbers.of(item).numbers]
        assert len(set(names)) == len(names), item.id
        assert max(map(len, names)) <= 36, names


def test_every_reason_that_cites_the_errata_is_there(numbers):
    page = (DOCS / "errata.md").read_text(encoding="utf-8")
    sections = dict(re.findall(r"^## ([^\n(]+?)(?: \(\d+\))?\n(.*?)(?=^## |\Z)", page, re.M | re.S))
    cited = {number.reason for number in numbers.numbers if "errata" in number.reason}
    assert len(cited) > 10
    for reason in cited:
        authors, where = re.search(r"\(errata, (.+?), ([^)]+)\)\.$", reason).groups()
        assert f"| {where}" in sections[authors], reason


def test_a_number_that_differs_without_a_reason_would_be_noticed():
    item = Item("DG06", "Fig. 9", "A", "B.", lambda: [Number("area", 0.5, "0.6")])
    result = paper_numbers([item])
    with pytest.raises(AssertionError):
        test_every_number_agrees_or_has_a_reason(result)


@pytest.mark.parametrize(
    ("ours", "printed", "within", "agrees"),
    [
        (0.514, "0.51", None, True),
        (0.5151, "0.51", None, False),
        (0.515, "0.51", None, True),
        (26580.0, "25980", None, False),
        (1e-13, "0", 1e-12, True),
        (1e-11, "0", 1e-12, False),
        ("C1", "C1", None, True),
        ("C1", "C3", None, False),
        (0.5, None, None, None),
    ],
)
def test_agreement_is_to_the_digits_printed(ours, printed, within, agrees):
    assert Number("x", ours, printed, within=within).agrees is agrees


def test_all_is_as_it_was_read_from_the_papers(numbers):
    """The papers' numbers, typed a second time."""
    said = {
        ("DG06 Fig. 6", "AUPR, TP 9, exact"): "0.031",
        ("DG06 Fig. 7", "AUPR, Curve II"): "0.038",
        ("DG06 Table 1", "precision at TP 7"): "0.318",
        ("FK15 Fig. 3", "d, segment 3"): "0.76",
        ("FK15 Fig. 4", "% other top 3, AUPRG/AUROC"): "57",
        ("FK15 Fig. 5", "AUPRG, Logistic regression"): "0.687",
        ("HN Table 1", "Jaccard of C3, λ 0.2"): "0.60",
        ("HN Fig. 5", "intervals, kulczynski"): "8",
        ("HN Fig. 8", "share of λ, SVM, f-measure"): "0.77",
    }
    for (item, name), printed in said.items():
        assert value(numbers, item, name).printed == printed


def test_the_table_of_numbers(numbers):
    title = numbers._title()
    counts = [int(count) for count in re.findall(r"\d+ (?=numbers|of|the|with|that)", title)]
    total, said, same, reasons, fitted = counts
    assert total == len(numbers)
    assert said == same + reasons + fitted
    assert fitted == sum(number.fitted for number in numbers.numbers) == 24
    columns = numbers._columns()
    assert {len(column) for column in columns.values()} == {total}
    one = paper_numbers(all_items("HN")[:1])
    assert one._title().startswith("HN: 5 numbers, 1 of them in the paper too: 0 the same, 1 with")
    assert re.search(r"\+0\.0111 +1\n", repr(one))
    assert "chosen so" in repr(numbers)


def test_numbers_for_people():
    assert [short(value) for value in (2 / 3, 3.0, -1.0, None, "x")] == [
        *("0.6667", "3", "-1", "", "x")
    ]
    item = Item("HN", "text", "A", "B.", list)
    rows = (Number("a", "x", "y", "why"), Number("b", 0.25, "1", "why", source=BY_FORMULA))
    shown = PaperNumbers((item, item), rows)._shown()
    assert shown["difference"] == ["differs", "-0.7500"]
    assert shown["why"] == ["1", "1"]
    assert shown["source"] == ["printed", "by its formula"]


# ---------------------------------------------------------------------- Davis & Goadrich


def test_figure_6_is_explained(numbers):
    """Rounded ends and integer steps give 0.031, one straight line gives 0.50."""
    rounded = value(numbers, "DG06 Fig. 6", "AUPR, rounded ends, integer steps")
    assert rounded.ours == pytest.approx(0.03066, abs=5e-6)
    # A slow sum of DG06's own trapezoids.
    negatives = 53_692
    tp = np.arange(9, 434)
    fp = negatives * (tp - 9) / 424
    precision = tp / (tp + fp)
    slow = (9 + (precision[1:] + precision[:-1]).sum() / 2) / 433
    assert rounded.ours == pytest.approx(slow, rel=1e-12)
    assert value(numbers, "DG06 Fig. 6", "area, one line from (0, 1)").ours == 0.504


def slow_dominates(one, two):
    """Tell dominance from counts alone: no more false positives at any number of true ones."""
    places = np.arange(1, 2 * domination.POSITIVES + 1) / 2
    places = np.concatenate([places - 1e-7, places - 0.5 + 1e-7])

    def needed(points):
        rows = list(zip(points.tp.tolist(), points.fp.tolist(), strict=True))
        least = np.full(places.size, np.inf)
        for (tp, fp), (tp_next, fp_next) in pairwise(rows):
            if tp < tp_next:
                inside = (places >= tp) & (places <= tp_next)
                along = fp + (fp_next - fp) * (places[inside] - tp) / (tp_next - tp)
                least[inside] = np.minimum(least[inside], along)
        return least

    return bool((needed(one) <= needed(two) + 1e-9).all())


def test_dominance_is_that_of_the_counts():
    pairs = list(domination._pairs())
    result = [domination.dominates("roc", *pair) for pair in pairs]
    assert result == [slow_dominates(*pair) for pair in pairs]
    assert domination.claim("roc", "pr") == (sum(result), 0)
    assert 0 < sum(result) < len(result)


def test_a_false_claim_would_be_noticed(monkeypatch):
    real = domination.dominates
    monkeypatch.setattr(
        domination, "dominates", lambda space, *pair: real(space, *pair) != (space == "pr")
    )
    assert domination.claim.__wrapped__("roc", "pr").against > 0


def test_the_printed_rule_finds_thresholds_without_ties():
    assert davis_goadrich.printed_rule([0, 1, 0, 1], [0.1, 0.2, 0.3, 0.4]) == 3
    assert davis_goadrich.printed_rule([0, 0, 1, 1], [0.1, 0.5, 0.5, 0.9]) == 0


# ---------------------------------------------------------------------- Flach & Kull


def test_the_running_example_has_the_segments_it_was_made_of():
    points = running_example.running_example()
    hull = points.hull()
    segments = list(zip(np.diff(hull.tp).tolist(), np.diff(hull.fp).tolist(), strict=True))
    assert segments == list(running_example.SEGMENTS)
    assert (points.positives, points.negatives) == (50, 450)
    for found, printed in zip(
        segment_precisions(hull.table), running_example.FOR_ACCURACY, strict=True
    ):
        assert f"{found:.2g}" == printed
    for found, printed in zip(segment_shares(hull.table)[1:], running_example.FOR_F, strict=True):
        assert f"{float(found):.2g}" == printed


def test_undominated_points():
    x = np.array([0.0, 1.0, 1.0, 2.0, np.nan])
    y = np.array([3.0, 2.0, 2.0, 1.0, 5.0])
    assert flach_kull.undominated(x, y).tolist() == [True, True, True, True, False]
    assert flach_kull.undominated(x[:2], np.array([3.0, 4.0])).tolist() == [False, True]


@pytest.mark.parametrize(
    ("check", "owner", "name", "wrong"),
    [
        (theorems.theorem_0, ROCSpace, "expected_accuracy", lambda space: space.area()),
        (theorems.theorem_1, theorems.Counts, "odds", property(lambda row: Fraction(row.tp, 2))),
        (theorems.theorem_2, iso.OperatingPoints, "f_gain", iso.OperatingPoints.f),
        (theorems.theorem_3, PRGSpace, "expected_f_gain", lambda space: space.area()),
        (theorems.theorem_4, theorems.Counts, "f", lambda row, _: row.precision * row.recall),
    ],
    ids=range(5),
)
def test_a_wrong_formula_would_be_noticed(check, owner, name, wrong, monkeypatch):
    def failing():
        return [each for each in check() if each.agrees is False and not each.reason]

    assert failing() == []
    monkeypatch.setattr(owner, name, wrong)
    assert failing()


def test_theorem_3_is_undefined_exactly_where_all_negatives_come_first(numbers):
    first = 0
    for points, _ in theorems.tables():
        behind = points.tp <= points.positives * points.prevalence
        first += points.fp[behind].max() == points.negatives
    undefined = value(numbers, "FK15 Th. 3", "tables where it is undefined")
    assert undefined.ours == first == 1


def test_disagreement_of_simulated_tasks():
    """Against the result of the package, which counts tops as sets."""
    measured = [
        {
            str(model): dict(zip(tasks.MEASURES, row.tolist(), strict=True))
            for model, row in enumerate(task)
        }
        for task in tasks.areas()
    ]
    result = disagreement(measured)
    for place, (pair, found) in enumerate(tasks.agreements().items()):
        assert result.pairs[place] == pair
        assert found.other_first == pytest.approx(result.top_1[place])
        assert found.other_top_three >= result.top_3[place]
    low, high = (tasks.rank_correlations()[task] for task in tasks.at_quartiles())
    assert low < high


CLOVER = "% made up\n@relation clover\n@data\n" + "".join(
    f"{row % 7},{row * row % 11},{clover.MAJORITY if row % 5 < 3 else 'above' + str(row % 2)}\n"
    for row in range(60)
)


def test_models_are_fitted_to_data_that_are_given(tmp_path):
    folder = tmp_path / "arff"
    folder.mkdir()
    (folder / "agridata__white.clover.arff").write_text(CLOVER, encoding="utf-8")
    (figure_5,) = (item for item in all_items("FK15", data=folder) if item.name == "Fig. 5")
    assert "fitted anew" in figure_5.stand_in
    models = flach_kull_models.clover_models(folder)
    assert {points.positives for points in models.values()} == {24}
    rows = figure_5.numbers()
    assert [number.fitted for number in rows] == [False] * 6
    assert all(number.reason for number in rows if number.printed)
    assert len(figure_5.draw().axes) == 3


@pytest.mark.parametrize("name", ["empty", "missing"])
def test_a_folder_without_the_data_is_refused(tmp_path, name):
    (tmp_path / "empty").mkdir()
    with pytest.raises(FileError, match=r"there is no file \*white\*clover\*\.arff in"):
        all_items("FK15", data=tmp_path / name)


# ---------------------------------------------------------------------- Hanczar & Nadif


def test_the_map_from_f_to_jaccard():
    points = hanczar_nadif.one_algorithm()
    by_f, by_jaccard = (points.tradeoff(name).intervals for name in ("f-measure", "jaccard"))
    mapped = [hanczar_nadif_experiments.jaccard_weight(lam) for lam in by_f.lambda_lo]
    np.testing.assert_allclose(mapped, by_jaccard.lambda_lo, atol=1e-12)


def test_shares_of_the_weights():
    models = hanczar_nadif_experiments.biclusters()
    for index in hanczar_nadif_experiments.INDICES:
        shares = hanczar_nadif_experiments.lead_shares(models, index)
        grid = (np.arange(2000) + 0.5) / 2000
        curves = {name: points.tradeoff(index) for name, points in models.items()}
        ahead = {name: np.ones(grid.size, bool) for name in curves}
        everything = models["CC"].prevalence
        trivial = [index_named(index).value(everything, 1.0, grid)]
        if index == "kulczynski":
            trivial.append(index_named(index).value(1.0, 1 / 600, grid))
        for name, curve in curves.items():
            for other in [*(c(grid) for n, c in curves.items() if n != name), *trivial]:
                ahead[name] &= curve(grid) > other + 1e-12
            assert shares[name] == pytest.approx(ahead[name].mean(), abs=2e-3)


def test_only_dominant_clusters_are_dominant():
    points = hanczar_nadif.one_algorithm()
    best = hanczar_nadif.undominated(points.recall, points.precision)
    labels = zip(points.labels, best, strict=True)
    assert [label for label, is_best in labels if not is_best] == [120, 330]


# ---------------------------------------------------------------------- pictures


@pytest.mark.parametrize("item", [item for item in ITEMS if item.draw], ids=lambda item: item.id)
def test_pictures(item):
    figure = item.draw()
    figure.draw_without_rendering()
    inked = [ax for ax in figure.axes if ax.axison]
    assert inked or item.id == "DG06 Fig. 2"
    for ax in inked:
        assert ax.get_xlabel() or ax.get_ylabel(), item.id
    if item.id == "DG06 Fig. 5":
        # A hull is a line of its own, dashed, beside the curve.
        styles = {line.get_label().split(" (")[0]: line.get_linestyle() for line in inked[1].lines}
        assert (styles["curve"], styles["hull"]) == ("-", "--")


def test_the_page_of_the_documentation_shows_every_picture():
    page = (DOCS / "papers.md").read_text(encoding="utf-8")
    shown = re.findall(r"^!\[(.+)\]\(images/papers-(.+)\.svg\)$", page, re.MULTILINE)
    assert [(alt, name) for alt, name in shown] == [
        (item.shows, item.file_name) for item in ITEMS if item.draw
    ]
    for item in ITEMS:
        assert not item.stand_in or not item.draw or f"Stand-in: {item.stand_in}\n" in page


def test_the_same_picture_gives_the_same_file(tmp_path):
    item = next(item for item in ITEMS if item.id == "DG06 Table 1")
    for name in ("one", "two"):
        save(item.draw(), tmp_path / name, dpi=30)
    for form in ("png", "svg"):
        first, second = ((tmp_path / f"{name}.{form}").read_bytes() for name in ("one", "two"))
        assert first == second


# ---------------------------------------------------------------------- the folder


class Seen(HTMLParser):
    """The links, pictures and words of a page."""

    def __init__(self, page):
        super().__init__()
        self.links, self.pictures, self.words = [], [], ""
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        if tag == "a":
            self.links.append(given["href"])
        elif tag == "img":
            self.pictures.append((given["src"], given["alt"]))
        assert "onerror" not in given
        assert tag != "script"

    def handle_data(self, data):
        self.words += data


def few(monkeypatch, *names):
    chosen = tuple(item for item in ITEMS if item.id in names)
    monkeypatch.setattr("isometrics_studies.papers.folder.all_items", lambda *_, **__: chosen)
    return chosen


def test_the_folder(tmp_path, monkeypatch):
    items = few(monkeypatch, "DG06 Fig. 7", "DG06 text", "FK15 Fig. 5")
    heard = []
    numbers = write_papers(tmp_path / "a" / "b", dpi=20, progress=lambda *at: heard.append(at))
    folder = tmp_path / "a" / "b"
    assert heard == [(0, 3), (1, 3), (2, 3)]
    assert sorted(path.name for path in folder.iterdir()) == [
        *("dg06-fig-7.png", "dg06-fig-7.svg", "fk15-fig-5.png", "fk15-fig-5.svg"),
        *("index.html", "numbers.csv"),
    ]
    seen = Seen((folder / "index.html").read_text(encoding="utf-8"))
    for link in [*seen.links, *(source for source, _ in seen.pictures)]:
        if link.startswith("#"):
            assert f'id="{link[1:]}"' in (folder / "index.html").read_text(encoding="utf-8")
        else:
            assert (folder / link).is_file(), link
    assert [alt for _, alt in seen.pictures] == [item.shows for item in items if item.draw]
    assert seen.words.count("Stand-in: ") == 2
    with (folder / "numbers.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(numbers)
    assert float(rows[0]["ours"]) == numbers.numbers[0].ours
    assert rows[0]["paper"] == "0.813"
    # Again, into the same folder.
    write_papers(folder, dpi=20)
    assert [path.name for path in (tmp_path / "a").iterdir()] == ["b"]


def test_a_folder_appears_whole_or_not_at_all(tmp_path, monkeypatch):
    def broken():
        raise RuntimeError("no ink")

    item = Item("DG06", "Fig. 1", "A", "B.", list, broken)
    monkeypatch.setattr("isometrics_studies.papers.folder.all_items", lambda *_, **__: (item,))
    with pytest.raises(RuntimeError, match="no ink"):
        write_papers(tmp_path / "papers")
    assert list(tmp_path.iterdir()) == []


def test_the_index_escapes_everything():
    nasty = "<img src=x onerror=alert(1)> & \"quoted\" 'too'"
    item = Item("DG06", "Fig. 1", nasty, nasty, list, lambda: None, nasty)
    numbers = PaperNumbers((item,), (Number(nasty, nasty, nasty + "!", nasty, source=nasty),))
    page = index_page([item], numbers)
    assert "<img src=x" not in page
    seen = Seen(page)
    assert [alt for _, alt in seen.pictures] == [nasty]
    assert seen.words.count(nasty) >= 6
    assert "http" not in page
