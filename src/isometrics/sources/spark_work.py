"""What a query of Spark has read and shuffled, from the metrics of the plan that ran."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa

_SENT = "BroadcastExchange"
"""Below it are small tables that come from here, and no rows of the user's."""


class Work(NamedTuple):
    """The work of one query; None is what the engine does not report."""

    rows: int | None = None
    bytes: int | None = None
    shuffled: int | None = None


class _Node(NamedTuple):
    """An operator of a plan that ran."""

    name: str
    metrics: dict[str, int]
    children: list[_Node]

    def walk(self) -> Iterator[_Node]:
        """Return this operator and all below, but for tables that are sent to the cluster."""
        yield self
        for child in self.children:
            if not child.name.startswith(_SENT):
                yield from child.walk()


def collect_measured(frame: Any) -> tuple[pa.Table, Work]:
    """Collect a frame of Spark, classic or Connect, and return what that took.

    Notes
    -----
    Rows read are those that scans give, and bytes read the sizes of the files that they open: of
    files by column, such as Parquet, only the columns in use are read. Both kinds of sessions have
    these metrics in the plan. A plan that was adapted while it ran, as is usual, is the final one.
    """
    table = frame.toArrow()
    if hasattr(frame, "_jdf"):
        return table, _work(_classic(frame._jdf.queryExecution().executedPlan()))
    metrics = frame.executionInfo.metrics
    return table, Work() if metrics is None else _work(_connect(metrics))


def _work(plan: _Node) -> Work:
    nodes = list(plan.walk())
    scans = [node.metrics for node in nodes if not node.children]
    rows = [metrics["numOutputRows"] for metrics in scans if "numOutputRows" in metrics]
    sizes = [metrics["filesSize"] for metrics in scans if "filesSize" in metrics]
    return Work(
        sum(rows) if rows else None,
        sum(sizes) if sizes else None,
        sum(node.metrics.get("shuffleRecordsWritten", 0) for node in nodes),
    )


def _classic(plan: Any) -> _Node:
    """Return a plan of Java's with its metrics."""
    name = plan.nodeName()
    metrics, values = {}, plan.metrics().iterator()
    while values.hasNext():
        pair = values.next()
        metrics[pair._1()] = int(pair._2().value())
    if name == "AdaptiveSparkPlan":
        below = [plan.executedPlan()]
    elif name.endswith(("QueryStage", "QueryStageExec")):
        below = [plan.plan()]
    else:
        children = plan.children()
        below = [children.apply(index) for index in range(children.size())]
    return _Node(name, metrics, [_classic(child) for child in below])


def _connect(metrics: Any) -> _Node:
    """Return the plan that a Connect server has reported, operator by operator."""
    root, graph = metrics.extract_graph()

    def node(number: int) -> _Node:
        operator = graph[number]
        values = {metric.name: int(metric.value) for metric in operator.metrics}
        return _Node(
            operator.name, values, [node(child) for child in operator.children if child != number]
        )

    return node(root)
