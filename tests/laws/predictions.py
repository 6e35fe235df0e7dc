"""Random tables of predictions, and what must be counted in them.

The counts come from NumPy alone, so that nothing of the package is both judge and judged.
"""

import math
from dataclasses import dataclass, field, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

EXACT = 2**53
"""Beyond it not every integer is a float."""


@dataclass(frozen=True)
class Predictions:
    """A table, which column is what, and how text spells it."""

    rows: pa.Table
    label: str
    scores: dict[str, str]
    weight: str | None = None
    group: str | None = None
    model: str | None = None
    pos_label: object = None
    classes: dict[str, object] = field(default_factory=dict)
    """The label of each class that has a score column."""
    named: bool = True
    """Whether the reader is told which column is what, or guesses."""
    texts: dict[str, pa.ChunkedArray] = field(default_factory=dict)
    """How text spells a column, where it is not the usual way."""
    kinds: tuple[str, ...] = ()
    """What was drawn, for messages."""

    def take(self, order):
        order = pa.array(order)
        texts = {name: column.take(order) for name, column in self.texts.items()}
        return replace(self, rows=self.rows.take(order), texts=texts)

    def slice(self, start, length):
        texts = {name: column.slice(start, length) for name, column in self.texts.items()}
        return replace(self, rows=self.rows.slice(start, length), texts=texts)

    def text(self, name):
        """Return a column as text has it; null is an empty cell."""
        column = self.rows[name]
        if name in self.texts:
            return self.texts[name]
        if pa.types.is_float32(column.type):
            # The shortest text of a float of 32 bits is another number of 64.
            column = column.cast(pa.float64())
        return column.cast(pa.string())

    def options(self):
        told = {} if self.pos_label is None else {"pos_label": self.pos_label}
        if not self.named:
            return told
        scores = list(self.scores.values())
        return told | {
            "label": self.label,
            "scores": dict(self.scores) if self.classes else scores,
            "weight": self.weight or False,
            "group": self.group or False,
            "model": self.model or False,
        }

    def words(self):
        told = [] if self.pos_label is None else ["--pos-label", str(self.pos_label)]
        if not self.named:
            return told
        told += ["--label", self.label, "--weight", self.weight or ""]
        told += ["--group", self.group or "", "--model", self.model or ""]
        for name, column in self.scores.items():
            told += ["--scores", f"{name}={column}" if self.classes else column]
        return told

    def describe(self):
        told = "named" if self.named else "guessed"
        return f"{self.rows.num_rows} rows, roles {told}, {', '.join(self.kinds)}"


# ---------------------------------------------------------------------- what must be counted


@dataclass(frozen=True)
class Counts:
    """The operating points of a model: thresholds from above, and the counts at each."""

    thresholds: np.ndarray
    tp: np.ndarray
    fp: np.ndarray

    def areas(self):
        tp, fp = np.append(0, self.tp), np.append(0, self.fp)
        roc = math.fsum(np.diff(fp) * (tp[1:] + tp[:-1]) / 2) / tp[-1] / fp[-1]
        steps = np.diff(tp)
        return roc, math.fsum(steps * tp[1:] / (tp[1:] + fp[1:])) / tp[-1]


def counts_of(positive, scores, weights):
    """Count the rows of a model; None if a class is missing."""
    kept = weights > 0
    positive, scores, weights = positive[kept], scores[kept], weights[kept]
    if positive.all() or not positive.any():
        return None
    values, codes = np.unique(scores, return_inverse=True)
    sums = [
        np.cumsum(np.bincount(codes, weights * which, values.size)[::-1])
        for which in (positive, ~positive)
    ]
    return Counts(values[::-1], *sums)


def expected(table):
    """Return the counts by model and group (None: all rows), and the groups left out."""
    rows = table.rows
    labels = rows[table.label].to_numpy()
    if table.weight is None:
        weights = np.ones(rows.num_rows)
    else:
        weights = rows[table.weight].to_numpy().astype(float)
    groups = None if table.group is None else texts_of(rows[table.group])
    models = None if table.model is None else texts_of(rows[table.model])
    if models is None:
        wanted = {name: (column, None) for name, column in table.scores.items()}
    else:
        (column,) = table.scores.values()
        wanted = {name: (column, models == name) for name in sorted(set(models))}
    found, skipped = {}, set()
    for name, (column, its) in wanted.items():
        scores = rows[column].to_numpy()
        scores = scores if scores.dtype.kind == "i" else scores.astype(float) + 0.0
        positive = labels == positive_of(table, name)
        chosen = np.ones(rows.num_rows, bool) if its is None else its
        found[name, None] = counts_of(positive[chosen], scores[chosen], weights[chosen])
        for group in () if groups is None else set(groups[chosen & (weights > 0)]):
            part = chosen & (groups == group)
            counts = counts_of(positive[part], scores[part], weights[part])
            if counts is None:
                skipped.add(group)
            else:
                found[name, group] = counts
    return found, skipped


def texts_of(column):
    return np.array(column.cast(pa.string()).to_pylist(), object)


def positive_of(table, model):
    """Return the positive label, as the column holds it."""
    if table.classes:
        return table.classes[model]
    if table.pos_label is not None:
        return table.pos_label
    return "yes" if pa.types.is_string(table.rows[table.label].type) else 1


# ---------------------------------------------------------------------- labels and scores

LABELS = {
    "0/1": ((0, 1), None),
    "-1/1": ((-1, 1), None),
    "booleans": ((False, True), None),
    "yes/no": (("no", "yes"), None),
    "fraud/honest": (("honest", "fraud"), "fraud"),
    "3/7": ((3, 7), 7),
}
CLASSES = ("cat", "dog", "sea lion", "élan")


def hundredths(rng, positive):
    return np.round(rng.random(positive.size) * 0.8 + 0.2 * positive, 2)


def whole(rng, positive):
    return rng.integers(0, 900, positive.size) + 100 * positive


def late_fraction(rng, positive):
    values = whole(rng, positive).astype(float)
    values[-2:] += 0.5
    return values


SCORES = {
    "uniform": lambda rng, positive: rng.random(positive.size) * 0.8 + 0.2 * positive,
    "few values": lambda rng, positive: (rng.integers(0, 7, positive.size) + 2 * positive) / 8,
    "negative": lambda rng, positive: positive - rng.random(positive.size) * 5 - 2,
    "exponents": lambda rng, positive: (
        rng.normal(positive) * 10.0 ** rng.integers(-300, 300, positive.size)
    ),
    "float32": lambda rng, positive: rng.normal(positive).astype(np.float32),
    "two decimals": hundredths,
    "percent": hundredths,
    "late fraction": late_fraction,
    "0..1000": whole,
    # Integers that are next to each other, where floats have only every second one.
    "beyond floats": lambda rng, positive: (
        EXACT + rng.integers(0, 3 * positive.size, positive.size) + positive.size * positive
    ),
}
WHOLE = ("0..1000", "beyond floats")
"""Kinds of scores that are no models where columns are guessed, but by the name of the column."""


def spelled(kind, values):
    if kind == "two decimals":
        return fixed(values, 2)
    if kind == "percent":
        return pc.binary_join_element_wise(fixed(values * 100, 1), "%", "")
    if kind == "late fraction":
        return pa.array([f"{value:g}" for value in values.tolist()])
    return None


def fixed(values, decimals):
    """Write numbers from 0 to 100 with a number of decimals."""
    scaled = np.rint(values * 10**decimals).astype(int)
    before, after = np.divmod(scaled, 10**decimals)
    digits = np.array([f"{k:0{decimals}d}" for k in range(10**decimals)])
    return pc.binary_join_element_wise(
        pa.array(before).cast("string"), pa.array(digits[after]), "."
    )


# ---------------------------------------------------------------------- tables

USUAL = ("label", "y", "target", "class", "outcome")
MODELS = ("rf", "model 1", "s,core", 'quo"te', "naïve β", "p[0]", "a;b", "Logit (v2)", "it's")
ODD = (
    *("churned", "is it?", "wahr, oder", "ランク", "x y", '"', "select", "a.b", "%"),
    *("a=b", "LABEL", "'"),
)
NOTES = (
    *("plain", "a,b", 'say "no"', "two\nlines", "naïve 名前", "tab\there", "; # '", "007", "1e5"),
    *("NA", "", None, " padded ", "x" * 40, "=1+1", "no. #", "\\", "'", "null", "nan", "é\u0301"),
)
WORDS = ("north", "south", "Ost, West", "ü")
CODES = ("007", "010", "0012", "7")
"""Texts, because some have zeros in front."""


def drawn(rng, choices):
    return choices[int(rng.integers(len(choices)))]


def random_table(rng, n, *, wide_text=False):
    """Return a random table of n rows; with `wide_text` most of it is a text that nobody reads."""
    multiclass = rng.random() < 0.2
    named = bool(rng.random() < 0.5)
    long = not multiclass and rng.random() < 0.1
    kind = "multiclass" if multiclass else drawn(rng, list(LABELS))
    codes, order = label_codes(rng, n, 4 if multiclass else 2)
    values, pos_label = (CLASSES, None) if multiclass else LABELS[kind]
    label = pa.array(np.array(values)[codes].tolist() if multiclass else list(values)).take(
        pa.array(codes if not multiclass else np.arange(n))
    )
    kinds = [f"labels {kind} {order}"]
    usual = multiclass or kind == "3/7" or rng.random() < 0.5
    name = drawn(rng, ODD if named else USUAL if usual else ("churned", "is it?", "x y"))
    columns, texts, scores = {name: label}, {}, {}
    count = 1 if long else 4 if multiclass else int(rng.integers(1, 5))
    models = [str(each) for each in rng.permutation(MODELS)[:count]]
    if multiclass:
        models = [f"p_{each}" for each in CLASSES]
    elif not named and count == 1:
        models = ["score"]
    allowed = [each for each in SCORES if named or models == ["score"] or each not in WHOLE]
    for place, model in enumerate(models):
        chosen = drawn(rng, allowed)
        kinds.append(f"scores {chosen}")
        column = SCORES[chosen](rng, codes == place if multiclass else codes == 1)
        columns[model] = pa.array(column)
        if (spelling := spelled(chosen, column)) is not None:
            texts[model] = spelling
        scores[CLASSES[place] if multiclass else model] = model
    shares = {
        each: column
        for each, column in scores.items()
        if pc.min(columns[column]).as_py() >= 0 and pc.max(columns[column]).as_py() <= 1
    }
    if not (named or multiclass) and shares:
        # Beside probabilities, other numbers are no scores but where they are named.
        scores = shares
    weight = group = model = None
    if long:
        model = "which one" if named else "model"
        columns[model] = pa.array(["A", "b b", "C"]).take(pa.array(rng.integers(0, 3, n)))
        kinds.append("long")
    if rng.random() < 0.5:
        weight = "w t" if named else "weight"
        columns[weight], said = weights_of(rng, n)
        kinds.append(f"weights {said}")
    if not multiclass and rng.random() < 0.5:
        group = "ou?" if named else "site"
        columns[group], said = groups_of(rng, n)
        kinds.append(f"groups {said}")
    columns |= unused(rng, n, wide_text=wide_text)
    if named and rng.random() < 0.5:
        # Where columns are guessed, these floats would be a model; pandas makes floats of both.
        columns["gaps"] = pa.array(np.arange(n), mask=rng.random(n) < 0.2)
        columns["half"] = pa.array(rng.normal(size=n), mask=rng.random(n) < 0.2)
    classes = dict(zip(CLASSES, CLASSES, strict=True)) if multiclass else {}
    names = [str(each) for each in rng.permutation(list(columns))]
    return Predictions(
        pa.table({each: pa.chunked_array([columns[each]]) for each in names}),
        name,
        {key: scores[key] for key in sorted(scores, key=lambda key: names.index(scores[key]))},
        weight,
        group,
        model,
        pos_label,
        classes,
        named,
        {each: pa.chunked_array([column]) for each, column in texts.items()},
        tuple(kinds),
    )


def label_codes(rng, n, classes):
    """Return the class of each row by number, and how they are ordered."""
    shares = rng.dirichlet(np.full(classes, 3.0))
    codes = rng.choice(classes, n, p=shares)
    codes[: 2 * classes] = np.tile(np.arange(classes), 2)
    order = drawn(rng, ("mixed", "mixed", "sorted", "one late"))
    if order == "mixed":
        return rng.permutation(codes), order
    if order == "sorted":
        return np.sort(codes), order
    # One class is rare, and comes behind all the rows that a reader looks at first.
    late = int(rng.integers(classes))
    others = np.array([code for code in range(classes) if code != late])
    codes = rng.choice(others, n)
    codes[: others.size] = others
    few = max(n // 50, 2)
    codes[-few:] = np.where(rng.random(few) < 0.7, late, codes[-few:])
    codes[-1] = late
    return codes, order


def weights_of(rng, n):
    if rng.random() < 0.5:
        # Rows without weight are absent; the first and the last ones have some.
        weights = rng.integers(0, 4, n)
        weights[:8] = weights[-8:] = 1
        return pa.array(weights), "whole"
    return pa.array(rng.random(n) * 3 + 0.01), "floats"


def groups_of(rng, n):
    pool, said = (
        (pa.array([-2, 3, 10]), "integers"),
        (pa.array(WORDS), "words"),
        (pa.array(CODES), "leading zeros"),
        (pa.array(["1", "2", "10"]), "late text"),
    )[int(rng.integers(4))]
    groups = pool.take(pa.array(rng.integers(0, len(pool), n)))
    if said == "leading zeros":
        return pa.concat_arrays([pool, groups.slice(len(pool))]), said
    if said == "late text":
        return pa.concat_arrays([groups.slice(1), pa.array(["x9"])]), said
    return groups, said


def unused(rng, n, *, wide_text):
    """Return columns that nobody reads, but that whoever copies rows must keep."""
    ids = np.arange(n)
    found = {}
    texts = pa.array(ids).cast("string")
    identities = (
        pa.array(ids),
        pa.array(ids * 3 + 2**60),
        pc.utf8_lpad(texts, 8, "0"),
        pa.concat_arrays([texts[1:], pa.array(["A17"])]),
    )
    if rng.random() < 0.8:
        found["id"] = drawn(rng, identities)
    if wide_text or rng.random() < 0.5:
        notes = pa.array(NOTES)
        if wide_text:
            notes = pa.array([f"{note}".replace("\n", " ") * 4 for note in NOTES])
        picked = rng.integers(0, len(notes), n)
        # The columns of labels are guessed by their two values: here are more from the start on.
        picked[:3] = (0, 1, 3)
        found["note"] = notes.take(pa.array(picked))
    if rng.random() < 0.3:
        days = pa.array(rng.integers(20_000, 20_400, n).astype(np.int32))
        found["day"] = days.cast(pa.date32())
    return found
