"""Scores in several columns of an array or frame: models, classes or outputs, and their rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from isometrics._core.arrays import (
    ALL_DROPPED,
    SEVERAL_CLASSES,
    Column,
    column,
    is_array,
    not_one_column,
    plain,
    to_host,
)
from isometrics._core.labels import check_pos_label, positive_by_convention, positive_rows
from isometrics._core.results import join_names
from isometrics._core.rows import Dropped, parse_sample, present_rows
from isometrics._core.sample import Groups, Sample
from isometrics.errors import (
    Advice,
    DimensionError,
    EmptyInputError,
    LabelError,
    LengthError,
    MissingValueError,
    ParameterError,
    ScoreError,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    Pattern = tuple[str, str]


class Matrix(NamedTuple):
    """Columns of equal length, of an array or a data frame; a flat array has one."""

    columns: list[Column]
    names: list[object] | None = None
    """The names of the columns; None for those of an array, which have none."""
    shape: tuple[int, ...] = ()
    """The numbers of rows and columns, where there may be several."""

    def titled(self) -> Iterator[tuple[str, Column]]:
        """Yield the columns with the names by which a user knows them."""
        names = self.names or [each.name for each in self.columns]
        return zip(map(class_name, names), self.columns, strict=True)

    def take(self, rows: NDArray[np.intp]) -> Matrix:
        """Return some rows."""
        return self._replace(columns=[each.take(rows) for each in self.columns])


def parse_matrix(values: Any, argument: str) -> Matrix:
    """Return the columns of an array, a data frame or a mapping; an array of one column is flat."""
    raw: dict[Any, Any] = {}
    array = None
    if isinstance(values, Mapping):
        raw = dict(values)
    else:
        array = _array_of(values, argument)
        if array is not None and array.ndim == 2 and array.shape[1] != 1:
            columns = [column(each, f"{argument}[:, {j}]") for j, each in enumerate(array.T)]
            return Matrix(columns, None, array.shape)
        if array is not None and array.ndim == 2:
            values = array[:, 0]
        elif array is None and not (isinstance(values, list | tuple) or is_array(values)):
            raw = columns_of_frame(values, argument)
    if not raw:
        return Matrix([column(values, argument, SEVERAL_CLASSES)])
    columns = [column(each, f"{argument}[{name!r}]") for name, each in raw.items()]
    return Matrix(columns, list(raw), (columns[0].values.size, len(columns)))


def _array_of(values: Any, argument: str) -> NDArray[Any] | None:
    """Return an array of any library, nested lists or a sparse matrix as NumPy's."""
    if isinstance(values, np.ndarray):
        return values
    if isinstance(values, list | tuple):
        # A list of numbers is a column, and most are long.
        if not values or np.ndim(values[0]) == 0 or isinstance(values[0], str | bytes):
            return None
        try:
            return np.asarray(values)
        except ValueError:
            raise DimensionError(
                f"{argument} has rows of different lengths; pass an array with a column for each "
                "class"
            ) from None
    if is_array(values):
        # One column may stay on its device.
        return to_host(values) if values.ndim > 1 else None
    return np.asarray(values.toarray()) if hasattr(values, "toarray") else None


def columns_of_frame(given: object, argument: str) -> dict[Any, Any]:
    """Return the columns of a data frame by name; of anything else, none."""
    import narwhals.stable.v2 as nw

    try:
        frame = nw.from_native(cast("Any", given), eager_only=True, pass_through=True)
        if not isinstance(frame, nw.DataFrame):
            return {}
        return {name: frame.get_column(name).to_native() for name in frame.columns}
    except nw.exceptions.DuplicateError:
        raise ParameterError(
            f"{argument} is a data frame with two columns of one name; rename one of them"
        ) from None


def _joined_outputs(scores: Any, argument: str, indicators: bool) -> Any:
    """Return the positive columns of several outputs, as ``MultiOutputClassifier`` gives them."""
    stacked = isinstance(scores, np.ndarray) and scores.ndim > 2
    listed = isinstance(scores, list | tuple) and len(scores) > 0 and np.ndim(scores[0]) == 2
    if not stacked and not listed:
        return scores
    if len(scores) == 1:
        return scores[0]
    if not indicators or {np.shape(each)[1:] for each in scores} != {(2,)}:
        raise DimensionError(
            f"{argument} has an array for each of {len(scores)} outputs; each needs two columns, "
            "and y_true a column of 0 and 1 for each output; else pass an array with a column of "
            "scores for each class"
        )
    return np.column_stack([np.asarray(each)[:, 1] for each in scores])


def parse_classes(classes: object) -> list[object] | None:
    """Return the classes of columns in their order; None where they are not given."""
    if classes is None:
        return None
    if isinstance(classes, str | bytes | Mapping | set | frozenset):
        raise ParameterError(f"must be a list of labels but is {classes!r}", parameter="classes")
    values = list(map(plain, column(classes, "classes").present()))
    if len(values) < 2:
        raise ParameterError(f"must have two labels or more but is {values!r}", parameter="classes")
    names = list(map(class_name, values))
    for name in names:
        if names.count(name) > 1:
            raise ParameterError(
                f"must have labels that differ as texts but has {name} twice", parameter="classes"
            )
    return values


def class_name(value: object) -> str:
    """Return the text of a label, as it stands in the names of columns."""
    whole = isinstance(value, float) and value.is_integer()
    return str(int(value)) if whole else str(value)  # type: ignore[call-overload]


def sorted_classes(labels: Column) -> list[object]:
    """Return the different labels in their order, which is that of ``predict_proba``."""
    try:
        return list(map(plain, np.unique(labels.present())))
    except TypeError:
        raise LabelError(
            f"{labels.name} has labels of several types, which have no order; name the classes of "
            "the columns with classes="
        ) from None


def check_classes(labels: Column, classes: list[object]) -> None:
    """Refuse labels that are not among the classes."""
    values = labels.present()
    unknown = np.ones(values.size, np.bool_)
    for label in classes:
        unknown &= np.asarray(values != label, np.bool_)
    if unknown.any():
        example = plain(values[np.argmax(unknown)])
        labels.refuse(
            unknown, LabelError, f"labels that are not among the classes, such as {example!r}"
        )


def listed(classes: Sequence[object]) -> str:
    """Return classes for a sentence."""
    return join_names([repr(label) for label in classes]) if classes else "none"


def is_named_after(matrix: Matrix, classes: list[object]) -> bool:
    """Tell whether each class has one column, which has its name."""
    names = matrix.names
    return names is not None and len(names) == len(classes) and all(c in names for c in classes)


def positive_column(
    matrix: Matrix, labels: Column, pos_label: object, classes: list[object] | None
) -> Column:
    """Return the scores of the positive class, one of two columns.

    Columns are in the order of `classes`, by default the sorted labels, unless they have the names
    of these.
    """
    positive = positive_rows(labels, pos_label)
    if classes is None:
        classes = sorted_classes(labels)
    else:
        check_classes(labels, classes)
    if not positive.any() or len(classes) < 2:
        return matrix.columns[-1]  # whoever counts these rows refuses them: they have one class
    if matrix.names is not None and is_named_after(matrix, classes):
        classes = matrix.names
    return matrix.columns[classes.index(plain(labels.values[np.argmax(positive)]))]


class PredictionArrays(NamedTuple):
    """Labels and scores as columns, and what belongs to their rows."""

    truth: Matrix
    scores: Matrix
    argument: str
    """What errors call the scores."""
    indicators: bool
    """Whether labels are an array or a frame with a column for each class."""
    by_model: bool = False
    """Whether the scores of models were given by name, and not as one array or frame."""
    weight: Column | None = None
    groups: Column | None = None
    pos_label: object = None
    classes: list[object] | None = None
    """The classes in the order of the columns; None where they are not given."""
    dropped: Dropped | None = None
    """The rows that were left out because they miss a value, if such rows were to be."""

    @property
    def flat(self) -> bool:
        """Whether scores are a single column without a name."""
        return self.scores.names is None and len(self.scores.columns) == 1

    def present(self, *columns: Column) -> tuple[list[Column], Any, Groups | None]:
        """Return the columns without rows of zero weight, the weights and the groups."""
        groups = [] if self.groups is None else [self.groups]
        present, weights = present_rows(*columns, *groups, sample_weight=self.weight)
        if self.groups is None:
            return present, weights, None
        return present[:-1], weights, Groups.of_column(present[-1])

    def complete(self) -> PredictionArrays:
        """Leave out the rows that miss a value in any column, for all models and classes."""
        titled = [*self.truth.titled(), *self.scores.titled()]
        titled += [(each.name, each) for each in (self.weight, self.groups) if each is not None]
        for title, each in titled:
            each._replace(name=title).same_length(titled[0][1])
        dropped = Dropped()
        rows = dropped.complete_rows(dict(titled), self.weight)
        if rows is None:
            return self._replace(dropped=dropped)
        if rows.size == 0:
            raise MissingValueError(ALL_DROPPED)
        return self._replace(
            truth=self.truth.take(rows),
            scores=self.scores.take(rows),
            weight=self.weight and self.weight.take(rows),
            groups=self.groups and self.groups.take(rows),
            dropped=dropped,
        )

    def sample(self, unnamed: str) -> Sample:
        """Return the rows of one or more models; one without a name is called `unnamed`."""
        return parse_sample(
            self.truth.columns[0],
            self.scores_by_model(unnamed),
            sample_weight=self.weight,
            groups=self.groups,
            pos_label=self.pos_label,
        )

    def scores_by_model(self, unnamed: str) -> dict[str, Column]:
        """Return the scores of each model.

        Of scores with a column for each of two classes, those of the positive class are taken.
        """
        names, columns = self.scores.names, self.scores.columns
        if not self.by_model and len(columns) == 2 and self._has_columns_of_classes():
            labels = _labels_that_count(self.truth.columns[0], self.weight)
            return {unnamed: positive_column(self.scores, labels, self.pos_label, self.classes)}
        if names is None:
            if len(columns) != 1:
                raise not_one_column(self.argument, self.scores.shape, SEVERAL_CLASSES)
            names = [unnamed]
        for name in names:
            if not isinstance(name, str):
                raise ParameterError(f"the name of a model must be a text but is {name!r}")
        if self.classes is not None:
            raise ParameterError(
                f"names the classes of columns, and {self.argument} has no column for each class",
                parameter="classes",
            )
        return dict(zip(cast("list[str]", names), columns, strict=True))

    def _has_columns_of_classes(self) -> bool:
        """Tell whether the columns of a data frame are two classes, and not two models.

        Texts are never taken for the names of numbers: models may well be called 0 and 1.
        """
        if self.classes is not None or self.scores.names is None:
            return True
        values = self.truth.columns[0].values
        texts = all(isinstance(name, str) for name in self.scores.names or ())
        if texts and values.dtype.kind in "biuf":
            return False
        return is_named_after(self.scores, list(set(values.tolist())))


def _labels_that_count(
    labels: Column, weight: Column | None, *, drop_missing: bool = False
) -> Column:
    """Return the labels of rows that are not left out."""
    if drop_missing:
        given = {each.name: each for each in (labels, weight) if each is not None}
        rows = Dropped().complete_rows(given, weight)
        if rows is not None:
            labels, weight = labels.take(rows), weight and weight.take(rows)
    (counted,), _ = present_rows(labels, sample_weight=weight)
    return counted


def parse_predictions(
    y_true: Any,
    scores: Any,
    argument: str,
    *,
    sample_weight: Any = None,
    groups: Any = None,
    groups_argument: str = "groups",
    pos_label: object = None,
    classes: object = None,
    drop_missing: bool = False,
) -> PredictionArrays:
    """Return labels and scores as columns; what has one output is that output."""
    truth = parse_matrix(y_true, "y_true")
    if not isinstance(y_true, Mapping) and len(truth.columns) == 1:
        truth = Matrix([truth.columns[0]._replace(name="y_true")])
    indicators = truth.names is not None or len(truth.columns) != 1
    weight = None if sample_weight is None else column(sample_weight, "sample_weight")
    named_classes = parse_classes(classes)

    def scores_of(matrix: Matrix, title: str) -> Column:
        """Return the scores of one model, of two columns those of the positive class."""
        if len(matrix.columns) == 2 and not indicators:
            labels = _labels_that_count(truth.columns[0], weight, drop_missing=drop_missing)
            return positive_column(matrix, labels, pos_label, named_classes)
        if len(matrix.columns) != 1:
            raise not_one_column(title, matrix.shape, SEVERAL_CLASSES)
        return matrix.columns[0]

    if isinstance(scores, Mapping):
        if not scores:
            raise ParameterError(
                "is empty; give the scores of one model or more, by name", parameter=argument
            )
        titles = [f"{argument}[{name!r}]" if name else argument for name in scores]
        matrices = list(map(parse_matrix, scores.values(), titles))
        matrix = Matrix(list(map(scores_of, matrices, titles)), list(scores))
        if any(len(each.columns) == 2 for each in matrices):
            # They have told which columns are those of the positive class.
            named_classes = None
    else:
        outputs_fit = indicators and pos_label is None
        matrix = parse_matrix(_joined_outputs(scores, argument, outputs_fit), argument)
    given = PredictionArrays(
        truth,
        matrix,
        argument,
        indicators=indicators,
        by_model=isinstance(scores, Mapping),
        weight=weight,
        groups=None if groups is None else column(groups, groups_argument),
        pos_label=pos_label,
        classes=named_classes,
    )
    return given.complete() if drop_missing else given


def rows_by_class(given: PredictionArrays) -> dict[object, Sample] | None:
    """Return the rows of each class against all others; None where there are two classes.

    There are several where labels name more than two and scores have a column for each, or where
    the labels are an indicator array with a column for each class.
    """
    if given.indicators:
        return rows_of_indicators(given)
    if given.flat:
        return None
    may_be_binary = given.scores.names is not None or len(given.scores.columns) == 2
    labels = _labels_that_count(given.truth.columns[0], given.weight)
    classes = given.classes
    if may_be_binary and classes is None:
        values = labels.present()
        usual = values.dtype.kind in "biuf" and positive_by_convention(values, np) is not None
        if usual or len(set(values.tolist())) <= 2:
            return None
    elif may_be_binary and classes is not None and len(classes) <= 2:
        return None
    classes = sorted_classes(labels) if classes is None else classes
    check_classes(labels, classes)
    return rows_of_labels(given, _columns_of(classes, given))


def _columns_of(classes: list[object], given: PredictionArrays) -> dict[object, Column]:
    """Return the scores of each class, by the names of the columns or by their order."""
    matrix = given.scores
    n_columns = len(matrix.columns)
    if matrix.names is not None:
        names = [class_name(name) for name in matrix.names]
        named = columns_of_classes([class_name(label) for label in classes], names)
        if named and len(named) == n_columns:
            positions = [names.index(named[class_name(label)]) for label in classes]
            return {
                label: matrix.columns[position]
                for label, position in zip(classes, positions, strict=True)
            }
        if given.classes is None or given.by_model:
            raise LabelError(
                f"y_true has {len(classes)} classes ({listed(classes)}), but the columns of "
                f"{given.argument} are {listed(matrix.names)}; name them after the classes, or "
                "pass the array of one classifier, with a column for each class"
            )
    if n_columns != len(classes):
        raise LengthError(
            f"{given.argument} has {n_columns} columns but there are {len(classes)} classes "
            f"({listed(classes)}); "
            + (
                "pass a column for each class, and classes= where y_true does not have all of them"
                if len(classes) > 2
                else f"name models, as in {{'A': {given.argument}[:, 0]}}, or classes with "
                "classes= where y_true does not have all of them"
            )
        )
    return dict(zip(classes, matrix.columns, strict=True))


def rows_of_labels(given: PredictionArrays, scores: dict[object, Column]) -> dict[object, Sample]:
    """Return the rows of each class, where each row has one label.

    With a positive label, that class alone is returned.
    """
    check_pos_label(given.pos_label)
    if given.pos_label is not None:
        if given.pos_label not in scores:
            raise LabelError(
                f"is {given.pos_label!r}, which is not among the classes {listed(list(scores))}",
                parameter="pos_label",
            )
        scores = {given.pos_label: scores[given.pos_label]}
    (labels, *columns), weights, groups = given.present(given.truth.columns[0], *scores.values())
    labels.present()
    return {
        label: Sample(
            labels.equal(label), {class_name(label): each.numbers(ScoreError)}, weights, groups
        )
        for label, each in zip(scores, columns, strict=True)
    }


def rows_of_indicators(given: PredictionArrays) -> dict[object, Sample]:
    """Return the rows of each class, where a row may belong to several."""
    truth, n_classes = given.truth, len(given.truth.columns)
    if n_classes == 0:
        raise EmptyInputError("y_true has no columns; it needs one for each class")
    scores = _scores_of_indicators(given)
    names = given.classes or truth.names or scores.names or list(range(n_classes))
    if len(names) != n_classes:
        raise LengthError(f"classes has {len(names)} labels but y_true has {n_classes} columns")
    columns, weights, groups = given.present(*truth.columns, *scores.columns)
    return {
        name: Sample(
            _members(columns[j], given.pos_label),
            {class_name(name): columns[n_classes + j].numbers(ScoreError)},
            weights,
            groups,
        )
        for j, name in enumerate(names)
    }


def _members(indicator: Column, pos_label: object) -> NDArray[np.bool_]:
    """Tell which rows belong to a class."""
    values = indicator.present()
    if pos_label is not None:
        return positive_rows(indicator, pos_label)
    if values.dtype.kind in "OUS" or not np.isin(values, (0, 1)).all():
        raise DimensionError(
            "y_true is a matrix, so it must be an indicator of 0 and 1 with a column for each "
            "class",
            Advice("name the positive label of other values with {pos_label}"),
        )
    return values.astype(np.bool_)


def _scores_of_indicators(given: PredictionArrays) -> Matrix:
    """Return the scores of each class, in the order of the labels' columns."""
    argument, truth, matrix = given.argument, given.truth, given.scores
    n_classes = len(truth.columns)
    if given.flat:
        raise DimensionError(
            f"y_true has {n_classes} columns, one for each class, but {argument} is "
            "one-dimensional; pass an array of scores with a column for each class"
        )
    n_columns = len(matrix.columns)
    if n_columns != n_classes:
        raise LengthError(
            f"{argument} has {n_columns} columns but y_true has {n_classes}; both need one for "
            "each class"
        )
    if matrix.names is None or truth.names is None or given.classes is not None:
        return matrix
    positions = {name: j for j, name in enumerate(matrix.names)}
    if set(positions) != set(truth.names):
        raise ParameterError(
            f"y_true has the columns {listed(truth.names)} but {argument} has "
            f"{listed(matrix.names)}; give them the same names"
        )
    return Matrix([matrix.columns[positions[name]] for name in truth.names], truth.names)


def columns_of_classes(classes: Sequence[str], columns: Sequence[str]) -> dict[str, str]:
    """Return the column of each class, where every class has one named after it.

    The names are those of the classes, or these between one beginning and one end, as in
    ``p_cat``, ``p_dog``. Without such columns the answer is empty.
    """
    present = set(columns)
    fitting = [
        {name: f"{before}{name}{after}" for name in classes}
        for before, after in _patterns(columns, classes[:1])
        if all(f"{before}{name}{after}" in present for name in classes)
    ]
    return _only_fitting(fitting)


def classes_of_columns(columns: Sequence[str], classes: Sequence[str]) -> dict[str, str]:
    """Return the column of each class, where every column is named after a class."""
    fitting = []
    for before, after in _patterns(columns[:1], classes):
        names = {f"{before}{name}{after}": name for name in classes}
        if all(column in names for column in columns):
            fitting.append({names[column]: column for column in columns})
    return _only_fitting(fitting)


def _patterns(columns: Sequence[str], classes: Sequence[str]) -> list[Pattern]:
    """Return what stands before and behind the name of a class in the name of a column."""

    def found() -> Iterator[Pattern]:
        for title in columns:
            for name in filter(None, classes):
                start = title.find(name)
                while start >= 0:
                    before, after = title[:start], title[start + len(name) :]
                    pairs = (before[-1:], name[0]), (name[-1], after[:1])
                    # A name is no part of a number: model 10 is not named after class 0.
                    if not any(one.isdecimal() and other.isdecimal() for one, other in pairs):
                        yield before, after
                    start = title.find(name, start + 1)

    return list(dict.fromkeys(found()))


def _only_fitting(fitting: list[dict[str, str]]) -> dict[str, str]:
    if len(fitting) > 1:
        shown = [repr(next(iter(columns.values()))) for columns in fitting]
        raise ParameterError(
            f"several families of columns are named after the labels, such as {join_names(shown)}",
            Advice("say which with {scores}"),
        )
    return fitting[0] if fitting else {}
