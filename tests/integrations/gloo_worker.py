"""One of two processes: metrics of torch see half of the rows each, and all of them together.

Run as ``gloo_worker.py RANK FOLDER``; the results go to ``FOLDER/RANK.json``.
"""

import json
import sys
from pathlib import Path

import torch
import torch.distributed as dist

from isometrics.integrations.torchmetrics import BinaryAUPR, BinaryAUPRG, PrecisionRecallGainCurve

SMALL = "4kB"
"""Room for a hundred bins."""


def rows(rank, part):
    """Return scores and labels; the processes have different numbers and types of them."""
    maker = torch.Generator().manual_seed(10 * part + rank)
    size = 300 + 200 * rank
    target = (torch.rand(size, generator=maker) < 0.3).long()
    scores = torch.randn(size, generator=maker, dtype=torch.float64) + target
    return (scores if rank else scores.float()), target


def metrics():
    return {
        "aupr": BinaryAUPR(),
        "linear": BinaryAUPR("linear"),
        "auprg": BinaryAUPRG(),
        "late": BinaryAUPRG(),
        "large stream": BinaryAUPRG(max_bytes="1MB"),
        "small stream": BinaryAUPRG(max_bytes=SMALL),
        "small stream, aupr": BinaryAUPR("average-precision", max_bytes=SMALL),
        "late stream": BinaryAUPRG(max_bytes="1MB"),
    }


def main(rank, folder):
    dist.init_process_group(
        "gloo", init_method=f"file://{folder / 'meeting'}", rank=rank, world_size=2
    )
    curve, single = PrecisionRecallGainCurve(), metrics()
    result = []
    # The second part shows that a result leaves each process with its own rows.
    for part in (0, 1):
        scores, target = rows(rank, part)
        curve.update(scores, target)
        for name, metric in single.items():
            # A process may have no rows at all when the others ask for a result.
            if rank == 0 or part == 1 or "late" not in name:
                metric.update(scores, target)
        result.append(
            {"curve": [each.tolist() for each in curve.compute()], "single": values(single)}
        )
    (folder / f"{rank}.json").write_text(json.dumps(result), encoding="utf-8")
    dist.destroy_process_group()


def values(found):
    return {
        name: [metric.compute().tolist(), *(end.tolist() for end in metric.brackets())]
        for name, metric in found.items()
    }


if __name__ == "__main__":
    main(int(sys.argv[1]), Path(sys.argv[2]))
