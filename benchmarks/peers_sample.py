"""The samples of peers.py, in files that its processes load."""

from dataclasses import dataclass
from pathlib import Path
from typing import Self

import numpy as np

HEAD = 100_000
FILES = ("labels.npy", "scores.npy", "sample.parquet", "head.parquet")


@dataclass(frozen=True, slots=True)
class Sample:
    """Labels and scores in memory, and the same rows in a Parquet file for tools that read one."""

    labels: np.ndarray
    scores: np.ndarray
    parquet: Path

    @classmethod
    def load(cls, folder: Path) -> Self:
        """Read what `write_sample` wrote."""
        labels, scores = (np.load(folder / name) for name in FILES[:2])
        return cls(labels, scores, folder / FILES[2])

    def head(self) -> Self:
        """Return the first rows, to warm up with."""
        return type(self)(self.labels[:HEAD], self.scores[:HEAD], self.parquet.with_name(FILES[3]))


def write_sample(
    folder: Path, rows: int, prevalence: float, values: int | None, parquet: bool
) -> None:
    """Write scores of two normal distributions one apart, through the logistic function.

    With `values`, scores are rounded down to that many distinct ones.
    """
    rng = np.random.default_rng(1)
    labels = rng.random(rows) < prevalence
    labels[:2] = True, False
    scores = rng.normal(size=rows)
    scores += labels
    np.negative(scores, out=scores)
    np.exp(scores, out=scores)
    scores += 1
    np.reciprocal(scores, out=scores)
    if values:
        scores = np.floor(scores * values) / values
    np.save(folder / FILES[0], labels)
    np.save(folder / FILES[1], scores)
    if parquet:
        import pyarrow as pa
        import pyarrow.parquet as pq

        table = pa.table({"label": labels.astype(np.float64), "score": scores})
        # Spark reads row groups in parallel, so that even a small file has several.
        groups = min(max(rows // 8, 1), 1_000_000)
        pq.write_table(table, folder / FILES[2], row_group_size=groups)
        pq.write_table(table.slice(0, HEAD), folder / FILES[3])
