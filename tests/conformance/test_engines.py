"""However predictions arrive, the table is the same, or the error and its sentence are."""

import decimal

import numpy as np
import pyarrow as pa
import pytest

import isometrics as iso
from isometrics.errors import (
    EmptyInputError,
    FileError,
    LabelError,
    MissingValueError,
    OneClassError,
    ScoreError,
    WeightError,
)

from .engines import ENGINES, by_position, postgres_table
from .matrix import assert_same_points

INF = float("inf")
SCORES = [0.5, 0.25, 0.5, 0.75, 0.125, 0.5]
LABELS = [1, 0, 0, 1, 1, 0]


def table(label=LABELS, score=SCORES, weight=None, **types):
    columns = {"label": label, "score": score} | ({} if weight is None else {"weight": weight})
    return pa.table({name: pa.array(values, types.get(name)) for name, values in columns.items()})


def decimals(*texts):
    return pa.array([decimal.Decimal(text) for text in texts])


NAN = float("nan")
SPAM = ["spam", "ham", "ham", "spam", "spam", "ham"]
NOTHING = {"label": pa.array([], pa.int64()), "score": pa.array([], pa.float64())}
DECIMALS = {"label": [1, 0, 1, 0], "score": decimals("0.10", "0.20", "0.10", "0.30")}

CASES = {
    "ties": (table(), {}, None),
    "zeros of both signs": (table([1, 0, 1, 0], [0.0, -0.0, 0.5, -0.5]), {}, None),
    "infinities": (table([1, 0, 1, 0], [INF, 0.5, -INF, INF]), {}, None),
    "NaN": (table([1, 0, 1], [0.5, NAN, 0.25]), {}, MissingValueError),
    "null score": (table([1, 0, 1], [0.5, None, 0.25]), {}, MissingValueError),
    "null label": (table([1, None, 0, None], [0.5, 0.5, 0.25, 1.0]), {}, MissingValueError),
    "null text label": (
        table(["a", None, "b"], [0.5, 0.5, 0.25]),
        {"pos_label": "a"},
        MissingValueError,
    ),
    "null weight": (table([1, 0, 1], [0.5, 0.5, 0.25], [1.5, None, 2.5]), {}, MissingValueError),
    "booleans": (table([True, False, False, True, True, False]), {}, None),
    "signs": (table([1, -1, -1, 1, 1, -1]), {}, None),
    "texts": (table(SPAM), {"pos_label": "spam"}, None),
    "texts without a positive": (table(SPAM), {}, LabelError),
    "an absent positive": (table(SPAM), {"pos_label": "x"}, LabelError),
    "float labels": (table([1.0, 0.0, 0.0, 1.0, 1.0, 0.0]), {}, None),
    "other numbers": (table([2, 1, 1, 2, 2, 1]), {"pos_label": 2}, None),
    "other numbers without a positive": (table([2, 1, 1, 2, 2, 1]), {}, LabelError),
    "three labels": (table([1, 0, 2, 1, 2, 0]), {}, LabelError),
    "one class": (table([0] * 6), {}, OneClassError),
    "one row": (table([1], [0.5]), {}, OneClassError),
    "two rows": (table([1, 0], [0.5, 0.25]), {}, None),
    "empty": (pa.table(NOTHING), {}, EmptyInputError),
    "integer weights": (table(weight=[1, 2, 0, 3, 0, 5]), {}, None),
    "float weights": (table(weight=[0.1, 0.2, 0.0, 0.3, 0.0, 0.7]), {}, None),
    "zero weight of a class": (table([1, 0, 1], [0.5, 0.3, 0.2], [1, 0, 1]), {}, OneClassError),
    "zero weights": (table(weight=[0] * 6), {}, WeightError),
    "negative weights": (table(weight=[1.0, -2.0, 1.0, -1.0, 1.0, 1.0]), {}, WeightError),
    "infinite weights": (table(weight=[1.0, INF, 1.0, 1.0, 1.0, 1.0]), {}, WeightError),
    "float32": (table(score=pa.array(SCORES, pa.float32())), {}, None),
    "float16": (table(score=np.array(SCORES, np.float16)), {}, None),
    "integers": (table(score=[5, 2, 5, 9, -1, 5]), {}, None),
    "large integers": (table([1, 0, 1, 0], [2**60, 2**60 + 1, 2**60 + 2, -(2**62)]), {}, None),
    "decimals": (pa.table(DECIMALS), {}, None),
    "texts as scores": (table(score=["0.5", "high", "0.5", "low", "0.1", "0.5"]), {}, ScoreError),
    "far apart": (table([1, 0, 1, 0], [1e300, -1e300, 1e-300, -1e-300]), {}, None),
}
"""The table, the options, and the error if it is one."""

NOT_FINITE = {"infinities", "NaN", "infinite weights"}
WITHOUT_HALVES = (
    *("polars", "polars, lazy", "DuckDB relation", "DuckDB", "PostgreSQL", "Spark"),
    *("CSV", "CSV, semicolons", "CSV, gzip", "TSV, zstd"),
)
LEFT_OUT = {engine: {"float16"} for engine in WITHOUT_HALVES} | {
    "pandas": {"null label"},
    "Dask": {"decimals"},
    "JSON lines": {*NOT_FINITE, "float16", "empty"},
    "SQLite": {*NOT_FINITE, "float16"},
}
"""The cases that an engine has no values for."""


def possible(engine):
    return [case for case in CASES if case not in LEFT_OUT.get(engine, ())]


def outcome(given, options):
    try:
        analysis = iso.read_predictions(given, label="label", scores="score", **options)
    except iso.IsometricsError as error:
        return type(error), by_position(str(error), given)
    return analysis.models["score"]


def assert_same(found, expected):
    if isinstance(expected, tuple):
        assert found == expected
    else:
        assert isinstance(found, iso.OperatingPoints), found
        assert_same_points(found, expected)


@pytest.mark.parametrize("case", [case for case, (*_, error) in CASES.items() if error])
def test_the_arrow_table_is_refused(case):
    given, options, error = CASES[case]
    assert outcome(given, options)[0] is error


@pytest.mark.parametrize("case", [case for case, (*_, error) in CASES.items() if not error])
def test_the_arrow_table_gives_what_the_arrays_give(case):
    """The engines are compared with this one below."""
    given, options, _ = CASES[case]
    result = outcome(given, options)
    weight = given.column("weight").to_numpy() if "weight" in given.column_names else None
    scores = given.column("score")
    if pa.types.is_decimal(scores.type):
        scores = scores.cast(pa.float64())
    labels = given.column("label").to_pylist()
    expected = iso.OperatingPoints.from_scores(
        labels, scores.to_numpy(), sample_weight=weight, pos_label=options.get("pos_label")
    )
    assert_same(result, expected)


@pytest.mark.parametrize(
    ("engine", "case"), [(engine, case) for engine in ENGINES for case in possible(engine)]
)
def test_engines_agree(engine, case, tmp_path):
    given, options, _ = CASES[case]
    expected = outcome(given, options)
    assert_same(outcome(ENGINES[engine](given, tmp_path), options), expected)


@pytest.mark.slow
@pytest.mark.parametrize("case", possible("PostgreSQL"))
def test_postgresql_agrees(server, case):
    given, options, _ = CASES[case]
    expected = outcome(given, options)
    assert_same(outcome(postgres_table(server, given, "predictions"), options), expected)


def stored(server, *commands):
    """Run commands on a server, and return what the last one gives, if anything."""
    import adbc_driver_postgresql.dbapi

    with adbc_driver_postgresql.dbapi.connect(server) as connection, connection.cursor() as cursor:
        for command in commands:
            cursor.execute(command)
        rows = cursor.fetchall() if cursor.description else None
        connection.commit()
    return rows


def stored_numbers(server, types, labels, scores):
    rows = ", ".join(f"({label}, {score})" for label, score in zip(labels, scores, strict=True))
    create = f"CREATE TABLE numbers ({types})"
    stored(server, "DROP TABLE IF EXISTS numbers", create, f"INSERT INTO numbers VALUES {rows}")


@pytest.mark.slow
def test_a_server_that_is_reached_by_a_socket(server):
    """The server of the tests has a socket, too, in the folder that its settings name."""
    setting = "SELECT setting FROM pg_settings WHERE name = 'unix_socket_directories'"
    ((folder,),) = stored(server, setting)
    postgres_table(server, table(), "predictions")
    port = server.rpartition(":")[2].partition("/")[0]
    url = f"postgresql:///postgres?host={folder}&port={port}&user=tester&table=predictions"
    assert_same(outcome(url, {}), outcome(table(), {}))


@pytest.mark.slow
@pytest.mark.parametrize("dtype", ["numeric", "numeric(20, 3)"])
def test_numeric_columns_of_postgresql(server, dtype):
    stored_numbers(server, f"label numeric, score {dtype}", LABELS, SCORES)
    assert_same(outcome(f"{server}?table=numbers", {}), outcome(table(), {}))


@pytest.mark.slow
def test_decimals_of_postgresql_are_the_nearest_doubles(server):
    given = [2**60, 2**60 + 1, 2**61, -(2**62)]
    stored_numbers(server, "label int, score numeric", [1, 0, 1, 0], given)
    result = outcome(f"{server}?table=numbers", {})
    assert_same(result, outcome(table([1, 0, 1, 0], list(map(float, given))), {}))
    stored(server, "INSERT INTO numbers VALUES (1, 'NaN')")
    assert outcome(f"{server}?table=numbers", {})[0] is MissingValueError


@pytest.mark.slow
def test_a_dot_ends_the_name_of_a_schema_of_postgresql(server):
    postgres_table(server, table(), "judged")
    stored(
        server,
        "DROP SCHEMA IF EXISTS scoring CASCADE",
        "CREATE SCHEMA scoring",
        "ALTER TABLE judged SET SCHEMA scoring",
    )
    assert_same(outcome(f"{server}?table=scoring.judged", {}), outcome(table(), {}))
    error, said = outcome(f"{server}?table=no.such", {})
    assert error is FileError
    assert "no.such" in said


@pytest.mark.xdist_group("spark")
@pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas")
@pytest.mark.parametrize("case", possible("Spark"))
def test_spark_agrees(spark, case):
    given, options, _ = CASES[case]
    assert_same(outcome(spark.createDataFrame(given), options), outcome(given, options))
