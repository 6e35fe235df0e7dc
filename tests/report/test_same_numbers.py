"""The page computes what Python computes: counts and rows to the bit, areas to 1e-12."""

import math
import warnings

import numpy as np
import pytest

import isometrics as iso
from isometrics import OperatingPoints
from isometrics._core.threshold_text import threshold_text
from isometrics._table.path import EVERYTHING, NOTHING
from isometrics.errors import UndefinedWarning
from isometrics.measures import area_brackets
from isometrics.report.model import histogram_of, report_model, unpacked
from isometrics.spaces.indices import INDICES

from .drawn import several_points, strange_sample

BETAS = [0.0, 0.1, 0.5, 1.0, 2.0, 7.5, math.inf]
COSTS = [0.0, 0.2, 0.5, 0.9, 1.0]
LAMBDAS = np.linspace(0, 1, 41).tolist()
EXACT_BY_COUNTS = ("f-measure", "jaccard", "f-gain", "cost")


def plain(value):
    """Write numbers as the page does where JSON has none."""
    if isinstance(value, float) and not math.isfinite(value):
        return {math.inf: "Infinity", -math.inf: "-Infinity"}.get(value, "NaN")
    return value


def numbers(values):
    return np.array([float(value) for value in values])


def close(found, right):
    found, right = numbers(np.atleast_1d(found)), numbers(np.atleast_1d(right))
    assert found.shape == right.shape
    same = (found == right) | (np.isnan(found) & np.isnan(right))
    with np.errstate(invalid="ignore"):
        same |= np.abs(found - right) <= 1e-12 * np.maximum(1, np.abs(right))
    assert same.all(), (found[~same][:3], right[~same][:3])


@pytest.fixture(scope="module")
def tables(drawn_seed):
    rng = np.random.default_rng(drawn_seed)
    points = several_points(rng)
    questions = []
    for drawn in points:
        data = report_model({"m": drawn})["models"][0]
        questions.append(question(rng, model=data))
    for weights in (None, "integer", "float") * 4:
        labels, scores = strange_sample(rng, int(rng.integers(2, 60)))
        given = {None: None, "integer": rng.integers(1, 4, labels.size)}.get(
            weights, rng.random(labels.size) + 0.1
        )
        points.append(OperatingPoints.from_scores(labels, scores, sample_weight=given))
        sample = {
            "labels": labels.astype(int).tolist(),
            "scores": [plain(score) for score in scores.tolist()],
            "weights": None if given is None else given.tolist(),
            "whole": weights != "float",
        }
        questions.append(question(rng, sample=sample))
    return points, questions


def question(rng, **given):
    return {
        **given,
        "prevalence": float(rng.uniform(0.001, 0.999)),
        "betas": [plain(beta) for beta in BETAS],
        "costs": COSTS,
        "lambdas": LAMBDAS,
    }


@pytest.fixture(scope="module")
def both(tables, ask):
    points, questions = tables
    answers = ask("answers", {"tables": questions, "pairs": []})["tables"]
    return list(zip(points, questions, answers, strict=True))


@pytest.fixture(scope="module")
def whole(both):
    """Return those of which the page was given every row."""
    return [each for each in both if each[0].table.size == len(each[2]["tp"])]


def brackets(points):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedWarning)
        return area_brackets(points)


def is_whole(points):
    return points.tp.dtype.kind == "i"


def test_counts_and_thresholds_are_the_same_to_the_bit(whole):
    for points, question, result in whole:
        assert np.array_equal(numbers(result["thresholds"]), points.thresholds, equal_nan=True)
        if is_whole(points) or "model" in question:
            assert result["tp"] == points.tp.tolist()
            assert result["fp"] == points.fp.tolist()
        else:
            close(result["tp"], points.tp)
            close(result["fp"], points.fp)


def test_areas_coordinates_and_measures_here_and_elsewhere(whole):
    for points, question, result in whole:
        for name in ("thresholds", "tp", "fp", "positives", "whole", "kind"):
            packed_again = result["packed"][name] if "model" in question else None
            assert packed_again == question.get("model", {}).get(name)
        other = OperatingPoints.from_counts(
            points.tn[::-1], points.fn[::-1], positives=points.negatives, negatives=points.positives
        )
        close(result["other"]["tp"], points.tn[::-1])
        close(result["other"]["fp"], points.fn[::-1])
        assert list(result["areas"]) == list(brackets(points))
        for found, right in ((result, points), (result["other"], other)):
            for name, (value, _) in brackets(right).items():
                close(found["areas"][name], value)
        moved = points.at_prevalence(question["prevalence"])
        for found, right in ((result["here"], points), (result["moved"], moved)):
            close(found["fpr"], right.false_positive_rate)
            for name in ("recall", "precision", "recall_gain", "precision_gain"):
                close(found[name], getattr(right, name))
        close(result["moved_areas"]["AUPR"], moved.pr.area())
        close(result["moved_areas"]["AUPRG"], moved.prg.area())
        with np.errstate(invalid="ignore"):
            for beta, f, gain in zip(BETAS, result["f"], result["f_gain"], strict=True):
                close(f, points.f(beta))
                close(gain, points.f_gain(beta))
        for cost, accuracy in zip(COSTS, result["accuracy"], strict=True):
            close(accuracy, points.accuracy(cost))


def test_limits_of_thinned_tables_hold_the_areas_of_all_rows(both):
    for points, _, result in both:
        for index in INDICES:
            close(result["tradeoff"][index], points.tradeoff(index)(LAMBDAS))
        for name, (lo, hi) in result["limits"].items():
            value = brackets(points)[name].lo
            slack = 1e-9 * max(1, abs(value))
            assert float(lo) - slack <= value <= float(hi) + slack, name


def test_hull_rows(both):
    for points, question, result in both:
        hull = points.hull()
        if is_whole(points):
            assert result["hull"]["tp"] == hull.tp.tolist()
            assert result["hull"]["fp"] == hull.fp.tolist()
            assert np.array_equal(
                numbers(result["hull"]["thresholds"]), hull.thresholds, equal_nan=True
            )
        elif "model" in question:
            # Sums of weights may be collinear but for their last bits.
            close(result["areas"]["AUROC"], points.roc.area())


def test_best_thresholds(both):
    for points, _, result in both:
        if not is_whole(points):
            continue
        optimal = iso.optimal_thresholds(points)
        lo, hi = zip(*result["optima"], strict=True)
        close(lo, optimal.beta_squared_lo)
        close(hi, optimal.beta_squared_hi)
        for beta, (threshold, tp, fp) in zip(BETAS, result["best"], strict=True):
            best = iso.best_threshold(points, beta=beta)
            shown = best.threshold
            assert (float(threshold), tp, fp) == (shown, best.tp, best.fp) or math.isnan(shown)
        for cost, threshold in zip(COSTS, result["cost"], strict=True):
            best = iso.best_threshold(points, cost=cost).threshold
            assert float(threshold) == best or math.isnan(best)


def test_histograms(both):
    for points, _, result in both:
        right = histogram_of(points.table)
        if right is None:
            assert result["histogram"] is None
            continue
        if points.table.size != len(result["tp"]):
            continue
        assert (result["histogram"]["lo"], result["histogram"]["hi"]) == (right["lo"], right["hi"])
        for name in ("positives", "negatives"):
            close(result["histogram"][name], unpacked(right[name]))
        for name in ("below", "above"):
            close(result["histogram"][name], right[name])


def test_winners(ask, drawn_seed):
    rng = np.random.default_rng(drawn_seed + 1)
    models, questions, asked = [], [], []
    for _ in range(12):
        positives, negatives = (int(total) for total in rng.integers(1, 60, 2))
        group = []
        for _ in range(int(rng.integers(2, 4))):
            size = int(rng.integers(1, 8))
            tp = np.sort(rng.integers(0, positives + 1, size))
            fp = np.sort(rng.integers(0, negatives + 1, size))
            group.append(len(models))
            models.append(
                OperatingPoints.from_counts(tp, fp, positives=positives, negatives=negatives)
            )
            questions.append(question(rng, model=report_model({"m": models[-1]})["models"][0]))
        asked += [
            {"members": group, "prevalence": prevalence, "lambdas": LAMBDAS}
            for prevalence in (None, float(rng.uniform(0.05, 0.95)))
        ]
    result = ask("answers", {"tables": questions, "pairs": asked})["pairs"]
    for pair, answer in zip(asked, result, strict=True):
        chosen = [models[member] for member in pair["members"]]
        if pair["prevalence"] is not None:
            chosen = [points.at_prevalence(pair["prevalence"]) for points in chosen]
        for index in INDICES:
            right = iso.compare({f"m{k}": one for k, one in enumerate(chosen)}, index).winners
            page = answer[index]
            if pair["prevalence"] is None and index in EXACT_BY_COUNTS:
                assert [tuple(names) for names in page["names"]] == list(right.names)
                close(page["ends"], right.lambda_lo)
            for lam, names in zip(LAMBDAS, page["at"], strict=True):
                ends = np.append(right.lambda_lo, 1.0)
                if np.abs(ends[1:-1] - lam).min(initial=1) < 1e-9:
                    continue  # at a border rounding decides
                assert set(names) == set(right.at(lam)), (index, lam)
    assert {NOTHING, EVERYTHING} & {
        name for answer in result for index in answer.values() for at in index["at"] for name in at
    }


SPECIAL = [
    (0.41315287, 0.4087),
    (0.99999999998, 0.9999),
    (1357.25, 20.0),
    (-1357.25, -2e4),
    (-9.9961, -20.0),
    (123456789012345678.0, 3.0),
    (5e-324, 0.0),
    (-0.0, -1.0),
    (1e22, np.nan),
    (np.inf, 0.5),
    (-np.inf, -np.inf),
    (np.nan, np.nan),
    (0.3333333333333333,),
    (0.5000001, 0.4, 0.5),
    (65520.5, 65504.0),
    (-65520.5, -np.inf),
]


def neighbours(rng, kind):
    kind = np.dtype(kind)
    words = rng.integers(0, 256, 2 * kind.itemsize, np.uint8).view(kind)
    plain_scores = (rng.random(2) ** rng.integers(1, 30)).astype(kind)
    some = words if rng.random() < 0.5 else plain_scores
    with np.errstate(all="ignore"):
        threshold = some[0] + kind.type(0)
        close = threshold - abs(threshold) * kind.type(10 ** -rng.uniform(1, 16))
        below = (np.nextafter(threshold, kind.type(-np.inf)), close, some[1])[rng.integers(3)]
    return [float(threshold), float(below)]


@pytest.fixture(scope="module")
def cases(drawn_seed):
    rng = np.random.default_rng(drawn_seed)
    drawn = [neighbours(rng, kind) for kind in ("f2", "f4", "f8") for _ in range(3000)]
    several = [
        sorted(np.float32(rng.random(3)).astype(float) if row % 2 else rng.random(3))[::-1]
        for row in range(500)
    ]
    mixed = [[rng.random() / 100 + 0.9, *np.float32(rng.random(2)).tolist()] for _ in range(500)]
    whole = [[float(rng.integers(-(2**62), 2**62) >> rng.integers(62)), -1e19] for _ in range(500)]
    return [*SPECIAL, *drawn, *several, *mixed, *whole]


def test_the_page_prints_the_same_thresholds(cases, ask):
    texts = ask("texts", [[plain(float(number)) for number in case] for case in cases])
    for case, text in zip(cases, texts, strict=True):
        assert text == threshold_text(*case), case
