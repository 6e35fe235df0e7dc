"""What a query of Spark has read: the same numbers from the plans of both kinds of sessions."""

from types import SimpleNamespace

import pytest

from isometrics.sources.spark_work import Work, collect_measured

PLAN = (
    "AdaptiveSparkPlan",
    {},
    [
        (
            "ResultQueryStage",
            {},
            [
                (
                    "HashAggregate",
                    {"numOutputRows": 7},
                    [
                        (
                            "Exchange",
                            {"shuffleRecordsWritten": 14},
                            [
                                (
                                    "BroadcastHashJoin",
                                    {"numOutputRows": 90},
                                    [
                                        (
                                            "Scan parquet",
                                            {"numOutputRows": 100, "filesSize": 4000},
                                            [],
                                        ),
                                        (
                                            "BroadcastExchange",
                                            {"numOutputRows": 5},
                                            [("LocalTableScan", {"numOutputRows": 5}, [])],
                                        ),
                                    ],
                                )
                            ],
                        )
                    ],
                )
            ],
        )
    ],
)
IN_MEMORY = ("HashAggregate", {}, [("LocalTableScan", {"numOutputRows": 3}, [])])
UNTOLD = ("Scan elsewhere", {}, [])


class JavaPlan:
    """The methods of an operator in Java."""

    def __init__(self, name, metrics, children):
        self._name, self._metrics = name, metrics
        self._children = [JavaPlan(*child) for child in children]

    def nodeName(self):  # noqa: N802
        return self._name

    def metrics(self):
        pairs = iter(self._metrics.items())
        left = [len(self._metrics)]

        def pair():
            left[0] -= 1
            name, value = next(pairs)
            metric = SimpleNamespace(value=lambda: value)
            return SimpleNamespace(_1=lambda: name, _2=lambda: metric)

        iterator = SimpleNamespace(hasNext=lambda: left[0] > 0, next=pair)
        return SimpleNamespace(iterator=lambda: iterator)

    def children(self):
        below = [] if self._name.endswith(("SparkPlan", "QueryStage")) else self._children
        return SimpleNamespace(size=lambda: len(below), apply=below.__getitem__)

    def executedPlan(self):  # noqa: N802
        return self._children[0]

    plan = executedPlan


def classic(plan):
    execution = SimpleNamespace(executedPlan=lambda: JavaPlan(*plan))
    java = SimpleNamespace(queryExecution=lambda: execution)
    return SimpleNamespace(_jdf=java, toArrow=lambda: "rows")


def connect(plan):
    told = pytest.importorskip("pyspark.sql.metrics")
    nodes = []

    def add(name, metrics, children, parent=None):
        number = len(nodes)
        values = [told.MetricValue(metric, value, "sum") for metric, value in metrics.items()]
        # The first operator is its own parent, as a server says it.
        above = number if parent is None else parent
        nodes.append(told.PlanMetrics(name, number, above, values))
        for child in children:
            add(*child, number)

    add(*plan)
    return SimpleNamespace(
        toArrow=lambda: "rows", executionInfo=SimpleNamespace(metrics=told.CollectedMetrics(nodes))
    )


@pytest.mark.parametrize("session", [classic, connect])
@pytest.mark.parametrize(
    ("plan", "work"),
    [(PLAN, Work(100, 4000, 14)), (IN_MEMORY, Work(3, None, 0)), (UNTOLD, Work(None, None, 0))],
    ids=["files", "memory", "untold"],
)
def test_both_sessions_tell_the_same(session, plan, work):
    assert collect_measured(session(plan)) == ("rows", work)


def test_a_server_that_tells_nothing():
    frame = SimpleNamespace(toArrow=lambda: "rows", executionInfo=SimpleNamespace(metrics=None))
    assert collect_measured(frame) == ("rows", Work())
