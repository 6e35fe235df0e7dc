"""The mutants of a module: what the operators of mutmut change, one change at a time.

The runner of mutmut leaves out module-level code and decorated functions, so neither the registry
of measures nor a property would be mutated. Only its operators are used here.
"""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path

import libcst as cst
from libcst import matchers as m
from libcst.metadata import MetadataWrapper, PositionProvider
from mutmut.mutation.mutators import mutation_operators, operator_string

# Code without behaviour of its own: types, lists of names, and calls that only tell types.
IGNORED = (
    m.Annotation()
    | m.Decorator()
    | m.Import()
    | m.ImportFrom()
    | m.If(test=m.Name("TYPE_CHECKING"))
    | m.Assign(targets=[m.AssignTarget(m.Name("__all__") | m.Name("__slots__"))])
    | m.TypeAlias()
    | m.SimpleStatementLine([m.Expr(m.SimpleString())])
    | m.FunctionDef(decorators=[m.Decorator(m.Name("overload"))])
    | m.Arg(keyword=m.Name("strict"))  # of zip: an assertion
)
FLOAT64 = m.Attribute(m.Name("np"), m.Name("float64"))
STATEMENTS = (cst.SimpleStatementLine, cst.BaseCompoundStatement)


@dataclass(frozen=True)
class Mutant:
    """One change of one module; ``key`` stays the same when lines move or other code changes."""

    path: Path
    function: str
    line: int
    lines: frozenset[int]  # whose tests may notice it; any of the module's if there are none
    original: str
    changed: str
    key: str
    nodes: tuple[cst.Module, cst.CSTNode, cst.CSTNode] = field(repr=False, compare=False)

    @property
    def title(self) -> str:
        return f"{self.path.as_posix()}:{self.line} {self.function}"

    def source(self) -> str:
        module, original, changed = self.nodes
        return module.deep_replace(original, changed).code


def mutants_of(path: Path, root: Path) -> list[Mutant]:
    wrapper = MetadataWrapper(cst.parse_module((root / path).read_text("utf-8")))
    visitor = _Visitor(path, wrapper.module)
    wrapper.visit(visitor)
    return visitor.finished()


class _Visitor(cst.CSTVisitor):
    METADATA_DEPENDENCIES = (PositionProvider,)

    def __init__(self, path: Path, module: cst.Module) -> None:
        super().__init__()
        self.mutants: list[Mutant] = []
        self._path, self._module = path, module
        self._parents: list[cst.CSTNode] = []
        self._seen: Counter[tuple[str, ...]] = Counter()
        self._uses: defaultdict[str, set[int]] = defaultdict(set)
        self._constants: list[tuple[int, str]] = []  # mutants of what a name of the module is

    def finished(self) -> list[Mutant]:
        """Return the mutants; what is computed at import is noticed where its name is used."""
        used: defaultdict[int, set[int]] = defaultdict(set)
        for number, name in self._constants:
            used[number] |= self._uses[name]
        for number, lines in used.items():
            own = self.mutants[number].lines
            self.mutants[number] = replace(self.mutants[number], lines=frozenset(lines) - own)
        return self.mutants

    def on_visit(self, node: cst.CSTNode) -> bool:
        if m.matches(node, IGNORED):
            return False
        if isinstance(node, cst.Name):
            self._uses[node.value] |= self._span(node)
        for changed in self._changes(node):
            self._add(node, changed)
        self._parents.append(node)
        return True

    def on_leave(self, original_node: cst.CSTNode) -> None:
        if self._parents and self._parents[-1] is original_node:
            self._parents.pop()

    def _changes(self, node: cst.CSTNode) -> Iterator[cst.CSTNode]:
        # The wording of an error is no behaviour to compute.
        raising = any(isinstance(parent, cst.Raise) for parent in self._parents)
        for kind, operator in mutation_operators:
            if isinstance(node, kind) and not (raising and operator is operator_string):
                yield from (each for each in operator(node) if not _only_asserts(node, each))

    def _add(self, node: cst.CSTNode, changed: cst.CSTNode) -> None:
        names = [
            parent.name.value
            for parent in self._parents
            if isinstance(parent, cst.FunctionDef | cst.ClassDef)
        ]
        function = ".".join(names) or "(module)"
        before, after = (self._module.code_for_node(each).strip() for each in (node, changed))
        text = (self._path.as_posix(), function, before, after)
        self._seen[text] += 1
        key = hashlib.sha256("\0".join((*text, str(self._seen[text]))).encode()).hexdigest()
        self.mutants.append(
            Mutant(
                path=self._path,
                function=function,
                line=min(self._span(node)),
                lines=self._lines(node),
                original=before,
                changed=after,
                key=key[:10],
                nodes=(self._module, node, changed),
            )
        )

    def _lines(self, node: cst.CSTNode) -> frozenset[int]:
        """Return the lines of the statement, or, where import runs it, of what it is for."""
        parents = [*self._parents, node]
        for parent, child in reversed(list(pairwise(parents))):
            if isinstance(parent, cst.Lambda):
                return self._span(parent)
            if isinstance(parent, cst.FunctionDef) and child is not parent.body:
                return self._span(parent.body)  # a default
            if isinstance(parent, cst.FunctionDef):
                break
            if isinstance(parent, cst.ClassDef):
                return self._span(parent)
        else:
            self._note_constant(parents)
        statement = next(each for each in reversed(parents) if isinstance(each, STATEMENTS))
        compound = isinstance(statement, cst.BaseCompoundStatement)
        return self._span(node if compound else statement)

    def _note_constant(self, parents: list[cst.CSTNode]) -> None:
        for parent in parents:
            if m.matches(parent, m.Assign(targets=[m.AssignTarget(m.Name())])):
                self._constants.append((len(self.mutants), parent.targets[0].target.value))
            if m.matches(parent, m.Assign(value=m.Call(m.Name("register")))):
                # What is registered is used by whatever reads the registry, too.
                self._constants.append((len(self.mutants), "_REGISTRY"))
            if m.matches(parent, m.AnnAssign(target=m.Name())):
                self._constants.append((len(self.mutants), parent.target.value))

    def _span(self, node: cst.CSTNode) -> frozenset[int]:
        position = self.get_metadata(PositionProvider, node, None)
        if position is None:  # some operators have no position of their own
            return self._span(self._parents[-1])
        return frozenset(range(position.start.line, position.end.line + 1))


def _only_asserts(node: cst.CSTNode, changed: cst.CSTNode) -> bool:
    """Tell whether only an assertion changes: ``strict=`` of zip, the type given to cast.

    ``None`` is NumPy's other name of float64.
    """
    if m.matches(node, m.Call(func=m.Name("cast")) | m.Call(args=[m.Arg(FLOAT64)])):
        return True
    if not m.matches(node, m.Call(func=m.Name("zip"))):
        return False
    rest = [
        [arg.value for arg in each.args if not m.matches(arg, m.Arg(keyword=m.Name("strict")))]
        for each in (node, changed)
    ]
    return len(rest[0]) == len(rest[1]) and all(a is b for a, b in zip(*rest, strict=True))
