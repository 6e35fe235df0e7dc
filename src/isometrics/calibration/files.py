"""Calibrators as a readable JSON file with the segments of each model, and no code."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from isometrics._core.json_files import is_count, json_number, parse_real, read_json, write_json
from isometrics.calibration.calibrators import (
    AccuracyCalibrator,
    CalibrationSegments,
    FCalibrator,
    HullCalibrator,
)
from isometrics.errors import FileError, NotAnswerableError

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping, Sequence

FORMAT, VERSION = "isometrics calibration map", 1
KINDS: dict[str, type[HullCalibrator]] = {"f": FCalibrator, "accuracy": AccuracyCalibrator}
_MAX_BYTES = 2**26
_COLUMNS = ("lower", "upper", "value", "tp", "fp")


def write_map(calibrators: Mapping[str, HullCalibrator], path: str | os.PathLike[str]) -> None:
    """Write the calibrators of models to a JSON file.

    Parameters
    ----------
    calibrators
        Fitted calibrators of one kind by the names of their models.
    path
        The file.
    """
    write_json(map_of(calibrators), path)


def read_map(path: str | os.PathLike[str]) -> dict[str, HullCalibrator]:
    """Read a file that `write_map` wrote; a file that deviates from the format is refused."""
    return read_json(path, calibrators_of, kind="calibration map", max_bytes=_MAX_BYTES)


# ---------------------------------------------------------------------- to JSON


def map_of(calibrators: Mapping[str, HullCalibrator]) -> dict[str, Any]:
    """Return calibrators as JSON data; floats are written so that they are read back exactly.

    Examples
    --------
    >>> import isometrics as iso
    >>> from isometrics.calibration.files import calibrators_of, map_of
    >>> fitted = iso.FCalibrator().fit([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    >>> data = map_of({"model": fitted})
    >>> data["models"]["model"]["segments"][0]
    {'lower': 0.9, 'upper': 'Infinity', 'value': 1.0, 'tp': 1, 'fp': 0}
    >>> calibrators_of(data)["model"].transform([0.75])
    array([0.66666667])
    """
    types = {type(calibrator) for calibrator in calibrators.values()}
    kinds = {kind for kind, calibrator_type in KINDS.items() if calibrator_type in types}
    if len(kinds) != 1:
        raise NotAnswerableError("a map holds calibrators of one kind, and one at least")
    models = {name: _model(calibrator.table(), name) for name, calibrator in calibrators.items()}
    return {"format": FORMAT, "version": VERSION, "kind": kinds.pop(), "models": models}


def _model(segments: CalibrationSegments, name: str) -> dict[str, Any]:
    if segments.lower.dtype.itemsize > 8:
        raise NotAnswerableError(
            f"the scores of {name!r} need more than 64 bits, which JSON readers would round; "
            "divide the scores by a power of two before you fit"
        )
    columns = [
        [json_number(value) for value in column.tolist()] for column in segments._columns().values()
    ]
    return {
        "positives": segments.tp.sum().item(),
        "negatives": segments.fp.sum().item(),
        "highest_score": json_number(segments.highest_score),
        "segments": [dict(zip(_COLUMNS, row, strict=True)) for row in zip(*columns, strict=True)],
    }


# ---------------------------------------------------------------------- from JSON


def calibrators_of(data: object) -> dict[str, HullCalibrator]:
    """Return the calibrators that JSON data describe; raise FileError if they are not valid."""
    top = _fields(data, ("format", "version", "kind", "models"), "the file")
    if top["format"] != FORMAT:
        raise FileError(f"its format is {top['format']!r:.60} instead of {FORMAT!r}")
    if top["version"] != VERSION:
        raise FileError(f"its version is {top['version']!r:.20}, but only {VERSION} is known")
    if not isinstance(top["kind"], str) or top["kind"] not in KINDS:
        raise FileError(f"its kind is {top['kind']!r:.60} instead of 'f' or 'accuracy'")
    if not isinstance(top["models"], dict) or not top["models"]:
        raise FileError("models should be an object with a model or more")
    return {name: _calibrator(top["kind"], name, model) for name, model in top["models"].items()}


def _calibrator(kind: str, name: str, data: object) -> HullCalibrator:
    where = f"model {name!r:.60}"
    model = _fields(data, ("positives", "negatives", "highest_score", "segments"), where)
    rows = model["segments"]
    if not isinstance(rows, list) or not rows:
        raise FileError(f"the segments of {where} should be a list of one or more")
    segments = [_fields(row, _COLUMNS, f"segment {k} of {where}") for k, row in enumerate(rows)]
    lower, upper, values = (
        [parse_real(row[key], f"{key} in segment {k} of {where}") for k, row in enumerate(segments)]
        for key in ("lower", "upper", "value")
    )
    tp, fp = (_counts([row[key] for row in segments], f"{key} of {where}") for key in ("tp", "fp"))
    highest = parse_real(model["highest_score"], f"highest_score of {where}")
    _check_order(lower, upper, values, highest=highest, where=where)
    for total, count in (("positives", tp), ("negatives", fp)):
        if model[total] != count.sum().item():
            raise FileError(f"the {total} of {where} are not the sum of its segments")
    calibrator = KINDS[kind]()
    columns = {
        "lower": np.array(lower, np.float64),
        "upper": np.array(upper, np.float64),
        "values": np.array(values, np.float64),
    }
    calibrator.segments_ = CalibrationSegments(**columns, tp=tp, fp=fp, highest_score=highest)
    return calibrator


def _check_order(
    lower: Sequence[float],
    upper: Sequence[float],
    values: Sequence[float],
    *,
    highest: float,
    where: str,
) -> None:
    if list(upper) != [math.inf, *lower[:-1]]:
        raise FileError(f"the segments of {where} leave gaps: each upper is the lower before it")
    if not all(low < high for low, high in zip(lower[1:], upper[1:], strict=True)):
        raise FileError(f"the segments of {where} are not in falling order of scores")
    if not lower[0] <= highest:
        raise FileError(f"highest_score of {where} lies below its first segment")
    falls = all(value >= following for value, following in pairwise(values))
    if not (falls and values[-1] >= 0 and values[0] <= 1):
        raise FileError(f"the values of {where} do not fall from at most 1 to at least 0")


def _fields(data: object, names: Sequence[str], where: str) -> dict[str, Any]:
    if not isinstance(data, dict) or set(data) != set(names):
        raise FileError(f"{where} should be an object with {', '.join(names)} and nothing else")
    return data


def _counts(values: list[Any], where: str) -> Any:
    types = set(map(type, values))
    if len(types) > 1 or not all(map(is_count, values)):
        raise FileError(f"{where} should be whole numbers, or sums of weights, of 0 or more")
    return np.array(values, np.int64 if types == {int} else np.float64)
