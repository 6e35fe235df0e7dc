"""Rows that a sample did not show, for the spread of rules that make few errors or none.

A bootstrap draws the rows that are there. If a rule has no false positive among them, it has none
in any replicate, and its precision would seem to be certain.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from isometrics._counting.best_rules import Counts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from isometrics._core.arrays import Floats
    from isometrics.verdict.contest import Contest

FEW = 5
"""True or false positives or negatives that are as many spread in a bootstrap as they should."""
_STEPS = 1.0850702454914507 ** -np.arange(1.0, 9.0)
"""Powers of the root of x⁹ = x + 1, whose multiples fill a cube of eight dimensions evenly."""


class Unseen(NamedTuple):
    """Rows to add to those of each rule (first axis) in each replicate (second axis)."""

    tp: Floats
    fp: Floats
    fn: Floats
    tn: Floats

    def added_to(self, counts: Counts) -> Counts:
        """Return the counts of rules with these rows besides."""
        return Counts(
            counts.tp + self.tp,
            counts.fp + self.fp,
            counts.positives + self.tp + self.fn,
            counts.negatives + self.fp + self.tn,
        )


def unseen_rows(
    contest: Contest, rules: Sequence[tuple[int, int]], replicates: int
) -> Unseen | None:
    """Draw rows for those of tp, fp, fn and tn that are fewer than five; None if none is.

    Parameters
    ----------
    contest
        The rows.
    rules
        The model and the number of each rule. Flagging everything, or nothing, makes its errors by
        definition, and gets no rows.
    replicates
        How often to draw. The same rows are drawn for all rules, so that equal rules stay equal.

    Notes
    -----
    A count n is n ± √n in a bootstrap, which is about a gamma distribution with the shape n. With
    a gamma variate of the shape ½ besides, it is one with the shape n + ½: what Jeffreys' prior
    (1946) tells of the mean of a Poisson count of n. Where units are clusters or have weights, one
    row is worth Σw²/Σw.
    """
    positive_unit, negative_unit = ((column**2).sum() / column.sum() for column in contest.units.T)
    units = np.array([positive_unit, negative_unit, positive_unit, negative_unit])
    cells = np.array([_cells(contest, *rule) for rule in rules]).reshape(len(rules), 4)
    sizes = np.where(cells < FEW * units, units, 0.0)
    if not sizes.any():
        return None
    drawn = _half_gammas(replicates)
    return Unseen(*(size[:, None] * rows for size, rows in zip(sizes.T, drawn, strict=True)))


def _half_gammas(count: int) -> Floats:
    """Return variates of the gamma distribution of the shape ½, in four rows.

    Notes
    -----
    They are half the squares of normal variates, by the formula of Box and Muller (1958), at points
    that fill a cube evenly (Roberts 2018). So they are the same wherever they are computed, and
    `web/src/verdict/unseen.ts` has the same ones.
    """
    points = (np.arange(1.0, count + 1)[:, None] * _STEPS) % 1
    return np.asarray(-np.log(points[:, :4]) * np.cos(2 * np.pi * points[:, 4:]) ** 2).T


def _cells(contest: Contest, model: int, rule: int) -> tuple[float, float, float, float]:
    """Return tp, fp, fn and tn in the sample; infinitely many where the rule is a trivial one."""
    table = contest.tables[model]
    if not 0 < rule < table.size - 1:
        return (np.inf,) * 4
    tp, fp = float(table.tp[rule]), float(table.fp[rule])
    return tp, fp, float(table.positives) - tp, float(table.negatives) - fp
