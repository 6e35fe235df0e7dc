"""Cases that cover every pair of levels of two factors: pairwise, or all-pairs, testing.

Most defects of a product of many factors show in a pair of them, and all pairs need far fewer
cases than the product: about as many as the two longest factors have pairs.
"""

import random
from itertools import combinations


def pairs_of(case):
    """Return the pairs of levels in a case, each ((factor, level), (factor, level))."""
    return set(combinations(case.items(), 2))


def all_pairs(factors):
    """Return the pairs of levels of all factors."""
    return {
        ((first, level), (second, beside))
        for first, second in combinations(factors, 2)
        for level in factors[first]
        for beside in factors[second]
    }


def pairwise(factors, impossible=(), *, seed=0, tries=20):
    """Return cases that hold every pair but the impossible ones, and none of these.

    Each case starts from a pair that is not covered yet; the other factors take the level that
    adds most new pairs. The best of some tries is taken.

    Parameters
    ----------
    factors
        The levels of each factor.
    impossible
        Pairs that must not stand in a case, in the order of the factors.
    """
    draw, impossible = random.Random(seed), frozenset(impossible)
    left = all_pairs(factors) - impossible
    cases = []
    while left:
        ordered = sorted(left)
        grown = [
            _grown(draw.choice(ordered), factors, impossible, left, draw) for _ in range(tries)
        ]
        best = max((case for case in grown if case), key=lambda case: len(pairs_of(case) & left))
        cases.append(best)
        left -= pairs_of(best)
    return cases


def _grown(pair, factors, impossible, left, draw):
    """Return a case that holds a pair; None where no level of some factor goes with the others."""
    chosen, order = dict(pair), list(factors)
    for factor in draw.sample(list(factors), len(factors)):
        if factor in chosen:
            continue
        gains = {}
        for level in factors[factor]:
            result = {
                ((name, before), (factor, level))
                if order.index(name) < order.index(factor)
                else ((factor, level), (name, before))
                for name, before in chosen.items()
            }
            if result.isdisjoint(impossible):
                gains[level] = len(result & left)
        if not gains:
            return None
        most = max(gains.values())
        chosen[factor] = draw.choice([level for level, gain in gains.items() if gain == most])
    return {name: chosen[name] for name in factors}
