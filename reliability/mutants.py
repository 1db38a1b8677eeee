"""Small mistakes in a source, one at a time: each is a mutant, and some test should notice it.

A mutant is a change of one node of the syntax tree. Line numbers stay as they are, so the code of
one function can be put in the place of its original.
"""

from __future__ import annotations

import ast
import copy
import hashlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from types import CodeType
from typing import Any

_COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
_OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
    ast.Pow: ast.Mult,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.BitXor: ast.BitAnd,
}
_OPPOSITES = {"all": "any", "min": "max", "minimum": "maximum", "argmin": "argmax"}
_OPPOSITES |= {there: here for here, there in _OPPOSITES.items()}
# The order of their arguments does not matter, or is a question of types.
_SYMMETRIC = {"array_equal", "isinstance", "max", "maximum", "min", "minimum", "zip"}


@dataclass(frozen=True)
class Mutant:
    """One change: where it is, and what stands there before and after.

    `function` is the outermost one around it, empty where the code runs at import; `number` tells
    equal changes of a function apart; `line` and `last` are those of the statement.
    """

    file: str
    line: int
    last: int
    function: str
    before: str
    after: str
    number: int = 0

    @property
    def name(self) -> str:
        """What stays the same when other functions of the file change."""
        return "\n".join((self.file, self.function, self.before, self.after, str(self.number)))

    @property
    def short(self) -> str:
        """What stands for the name in result files."""
        return hashlib.sha256(self.name.encode()).hexdigest()[:12]

    def order(self, seed: int) -> str:
        """Return where this one stands in the random order of a seed."""
        return hashlib.sha256(f"{seed}\n{self.name}".encode()).hexdigest()


@dataclass(frozen=True)
class _Change:
    """A node, a field of it, perhaps a place in a list there, and what to put in place of what."""

    parent: ast.AST
    field: str
    at: int | None
    old: Any
    new: ast.AST
    function: str
    lines: tuple[int, int]

    def make(self) -> None:
        if self.at is None:
            setattr(self.parent, self.field, self.new)
        else:
            getattr(self.parent, self.field)[self.at] = self.new


def mutants(source: str, file: str) -> list[Mutant]:
    r"""Return all mutants of a source, in the order of the tree.

    Examples
    --------
    >>> from reliability.mutants import mutants
    >>> for one in mutants("def f(x):\n    return x > 3\n", "f.py"):
    ...     print(one.before, "->", one.after)
    return x > 3 -> return None
    x > 3 -> x >= 3
    3 -> 4
    3 -> 2
    """
    return [mutant for mutant, _ in _numbered(ast.parse(source), file)]


def mutated(source: str, wanted: Mutant) -> ast.Module:
    """Return the tree of a source with one mutant in it."""
    tree = ast.parse(source)
    for mutant, change in _numbered(tree, wanted.file):
        if mutant.name == wanted.name:
            change.make()
            return ast.fix_missing_locations(tree)
    raise ValueError(f"{wanted.file} has no place for the mutant {wanted.name!r}")


def codes_of(module: CodeType, function: str) -> dict[int, CodeType]:
    """Return the codes of a function from that of its module, by their first lines."""
    found, waiting = {}, [module]
    while waiting:
        code = waiting.pop()
        if code.co_qualname == function:
            found[code.co_firstlineno] = code
        waiting += [part for part in code.co_consts if isinstance(part, CodeType)]
    return found


def _numbered(tree: ast.Module, file: str) -> Iterator[tuple[Mutant, _Change]]:
    seen: Counter[tuple[str, str, str]] = Counter()
    for change in _changes(tree, "", "", (1, 1)):
        key = (change.function, _shown(change.old), _shown(change.new))
        if key[1] != key[2]:
            yield Mutant(file, *change.lines, *key, seen[key]), change
            seen[key] += 1


def _shown(node: ast.AST) -> str:
    """Return the text of a node; of what has a body, only the condition changes."""
    text = ast.unparse(node)
    return text.splitlines()[0] if isinstance(node, ast.If | ast.While) else text


def _lines(node: ast.AST, around: tuple[int, int]) -> tuple[int, int]:
    """Return the first and the last line of a statement, without its body."""
    if not isinstance(node, ast.stmt):
        return around
    body = getattr(node, "body", None)
    last = max(node.lineno, body[0].lineno - 1) if body else node.end_lineno or node.lineno
    return node.lineno, last


def _changes(
    node: ast.AST, function: str, scope: str, around: tuple[int, int]
) -> Iterator[_Change]:
    """Yield the changes of what is below a node; `function` is the outermost one around it."""
    for field, value in ast.iter_fields(node):
        if field in ("annotation", "returns", "decorator_list", "type_params"):
            continue
        inside, inner_scope = function, scope
        if isinstance(node, ast.FunctionDef) and field == "body" and not function:
            inside = scope
        for at, child in enumerate(value) if isinstance(value, list) else [(None, value)]:
            if not isinstance(child, ast.AST) or _unseen(child):
                continue
            if isinstance(child, ast.FunctionDef | ast.ClassDef) and not inside:
                inner_scope = f"{scope}.{child.name}" if scope else child.name
            lines = _lines(child, around)
            for new in _replacements(child, bool(inside)):
                yield _Change(node, field, at, child, _placed(new, child), inside, lines)
            yield from _changes(child, inside, inner_scope, lines)


def _placed(new: ast.AST, old: ast.AST) -> ast.AST:
    """Give what is new the place of what was there, unless it has one."""
    return new if hasattr(new, "lineno") else ast.copy_location(new, old)


def _unseen(node: ast.AST) -> bool:
    """Tell what nobody runs, or what is only a list of names."""
    if isinstance(node, ast.If):
        return isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
    if isinstance(node, ast.Assign):
        return ast.unparse(node.targets[0]) == "__all__"
    return isinstance(node, ast.Import | ast.ImportFrom)


def _replacements(node: ast.AST, in_function: bool) -> Iterator[ast.AST]:
    """Yield what may stand in the place of a node."""
    if isinstance(node, ast.stmt):
        yield from _statements(node, in_function)
    elif isinstance(node, ast.Compare):
        for i, op in enumerate(node.ops):
            yield _with(node, ops=[*node.ops[:i], _COMPARISONS[type(op)](), *node.ops[i + 1 :]])
    elif isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        yield _with(node, op=_OPERATORS[type(node.op)]())
    elif isinstance(node, ast.BoolOp):
        yield _with(node, op=ast.Or() if isinstance(node.op, ast.And) else ast.And())
    elif isinstance(node, ast.UnaryOp):
        yield node.operand
    elif isinstance(node, ast.Constant):
        yield from _constants(node)
    elif isinstance(node, ast.Slice):
        if node.lower:
            yield _with(node, lower=None)
        if node.upper:
            yield _with(node, upper=None)
    elif isinstance(node, ast.IfExp):
        yield from _negated(node)
    elif isinstance(node, ast.Call):
        yield from _calls(node)


def _statements(node: ast.stmt, in_function: bool) -> Iterator[ast.AST]:
    if isinstance(node, ast.If | ast.While):
        yield from _negated(node)
    if not in_function:
        return
    if _can_go(node):
        yield ast.Pass()
    elif isinstance(node, ast.Return) and node.value:
        yield _with(node, value=ast.Constant(None))
    elif isinstance(node, ast.Break):
        yield ast.Continue()
    elif isinstance(node, ast.Continue):
        yield ast.Break()
    if isinstance(node, ast.AugAssign) and type(node.op) in _OPERATORS:
        yield _with(node, op=_OPERATORS[type(node.op)]())


def _can_go(node: ast.stmt) -> bool:
    """Tell statements without which the code still runs: no name is left without a value."""
    if isinstance(node, ast.Assign):
        return not isinstance(node.targets[0], ast.Name | ast.Tuple)
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Call)
    return isinstance(node, ast.Raise | ast.AugAssign | ast.Delete)


def _negated(node: ast.If | ast.While | ast.IfExp) -> Iterator[ast.AST]:
    # A comparison or a "not" has changes of its own, and a loop for ever is none.
    if not isinstance(node.test, ast.Compare | ast.BoolOp | ast.UnaryOp | ast.Constant):
        yield _with(node, test=ast.UnaryOp(ast.Not(), node.test))


def _constants(node: ast.Constant) -> Iterator[ast.AST]:
    if isinstance(node.value, bool):
        yield ast.Constant(not node.value)
    elif isinstance(node.value, int):
        yield ast.Constant(node.value + 1)
        yield ast.Constant(node.value - 1)
    elif isinstance(node.value, float):
        yield ast.Constant(node.value + 1)


def _calls(node: ast.Call) -> Iterator[ast.AST]:
    function = node.func
    name = function.id if isinstance(function, ast.Name) else getattr(function, "attr", "")
    if name in _OPPOSITES:
        field = "id" if isinstance(function, ast.Name) else "attr"
        yield _with(node, func=_with(function, **{field: _OPPOSITES[name]}))
    plain = not any(isinstance(one, ast.Starred) for one in node.args[:2])
    if len(node.args) >= 2 and plain and name not in _SYMMETRIC:
        first, second, *others = node.args
        yield _with(node, args=[second, first, *others])


def _with(node: Any, **fields: Any) -> Any:
    new = copy.copy(node)
    for field, value in fields.items():
        setattr(new, field, value)
    return new
