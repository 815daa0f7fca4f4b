"""Text that is being written out for the objects of a call: its data, and its names."""

from __future__ import annotations

import ast
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import FunctionType
from typing import Any, TypeAlias

from autopar.nest.marks import said, stands_for
from autopar.nest.trees import children
from autopar.records import dataclass, field
from autopar.runtime.flat.scene import Bound, Code, Crowd, Group, Said, Scene, Source, Thing
from autopar.verdict import DOT, Reason, Refusal, Refused, Span

_MOST = 1500  # statements
PLACE, COLUMN, CROWD = "autopar_place", "autopar_column_", "autopar_objects_"
"""Names of a loop over a part of a list."""
FORK = "a branch"
Value: TypeAlias = "Thing | Group | Crowd | Member | Said | Code | Bound | Part | ast.expr"
Key = tuple[int, str]
"""An object and an attribute of it."""


class Again(Exception):
    """An attribute needs a variable of its own, from the start."""

    def __init__(self, key: Key) -> None:
        super().__init__(key)
        self.key = key


@dataclass(frozen=True, slots=True)
class Final:
    """What a name or an attribute is in the end.

    Attributes
    ----------
    target
        The name, or the object and its attribute.
    value
        A name of the text, a literal, or an object.
    ran
        The variable that is assigned where `target` was; None: it always is.
    """

    target: str | Key
    value: Value
    ran: str | None


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a list of tuples, which is gone through or counted.

    Attributes
    ----------
    columns
        Names of lists for the items of the tuples.
    low, high, size
        Names for its ends, and for how many items it has.
    """

    columns: tuple[str, ...]
    low: str
    high: str
    size: str


@dataclass(frozen=True, slots=True)
class Member:
    """An object in a list of such.

    Attributes
    ----------
    crowd
        The list.
    index
        Where it is there.
    """

    crowd: Crowd
    index: ast.expr


@dataclass(slots=True)
class Frame:
    """One call that is being written out.

    Attributes
    ----------
    env
        What its names mean.
    homes
        Names that are variables of their own, since several statements assign them.
    text
        All of its statements.
    function
        None for the loop itself.
    live
        Names that may be read after the loop.
    own
        Names that it assigns somewhere.
    """

    env: dict[str, Value | None]
    homes: dict[str, str]
    text: Sequence[ast.stmt]
    function: FunctionType | None
    live: frozenset[str] = frozenset()
    own: frozenset[str] = frozenset()


@dataclass(slots=True)
class Round:
    """A loop around the statement at hand.

    Attributes
    ----------
    ran
        The variable that is assigned in it.
    reads
        Attributes read in it that were given their values outside.
    used
        Whether somebody needs to know that it was assigned.
    """

    ran: str
    reads: set[Key] = field(default_factory=set)
    used: bool = False


@dataclass(slots=True)
class Text:
    """What has been written out of one loop.

    Attributes
    ----------
    roots, live
        Names that the loop is handed, in order, and those that may be read after it.
    file, space
        Where the loop stands, and the names of its module.
    kept
        Attributes that are variables of their own.
    notes
        For those that are assigned: the variable that tells whether it was reached; None: their
        object has them in any case.
    sources
        Names of the text made so far, and where their values are found.
    named, names
        The name for each source, and all names that are in use.
    out
        Statements of the block at hand.
    attributes
        What attributes mean that have been assigned: the value, in how many loops, the variable
        that tells whether it was reached, and whether that loop is over.
    first
        Where attributes are assigned for the first time, in the order of the text: the variable of
        the loop around, or None. `FORK`: in a branch.
    rounds, stack
        Loops and calls around the statement at hand.
    unsteady
        Variables that several statements assign.
    places
        Variables of loops over parts of lists.
    crowd_names
        What the user calls lists of objects, by their number.
    natural
        Variables of loops that are never negative.
    members, plainly
        Variables that say which object of a list a name means, and those that mean something else.
    lists
        Variables that are lists made here.
    called
        Functions that stay calls.
    apart_from
        Lists of tuples for which other lists stand.
    items
        Names of items of a list from outside: the list, and the name that says which.
    forks
        How many branches are around.
    sheltered, read
        Whether what is at hand may not be evaluated, or comes after something has been read: then
        no statement can be put before it.
    site_names
        Names that the loop assigns.
    at
        The statement of the user's that is being written out.
    elsewhere
        Whether some of the text stands in another module.
    """

    scene: Scene
    roots: Sequence[str]
    file: str
    space: dict[str, Any]
    at: ast.stmt
    kept: frozenset[Key]
    live: tuple[str, ...]
    notes: dict[Key, str | None] = field(default_factory=dict)
    sources: dict[str, Source] = field(default_factory=dict)
    named: dict[object, str] = field(default_factory=dict)
    names: set[str] = field(default_factory=set)
    out: list[ast.stmt] = field(default_factory=list)
    attributes: dict[Key, tuple[Value, int, str | None, bool]] = field(default_factory=dict)
    first: dict[Key, str | None] = field(default_factory=dict)
    rounds: list[Round] = field(default_factory=list)
    stack: list[FunctionType] = field(default_factory=list)
    unsteady: set[str] = field(default_factory=set)
    places: set[str] = field(default_factory=set)
    crowd_names: dict[int, str] = field(default_factory=dict)
    natural: set[str] = field(default_factory=set)
    members: dict[str, Crowd] = field(default_factory=dict)
    plainly: set[str] = field(default_factory=set)
    lists: set[str] = field(default_factory=set)
    called: set[FunctionType] = field(default_factory=set)
    apart_from: set[str] = field(default_factory=set)
    items: dict[str, tuple[str, str]] = field(default_factory=dict)
    forks: int = 0
    sheltered: int = 0
    read: bool = False
    count: int = 0
    site_names: frozenset[str] = frozenset()
    elsewhere: bool = False

    # ------------------------------------------------------------------ what is written

    def refuse(self, node: ast.AST | str, why: str = "") -> Refused:
        detail = node if isinstance(node, str) else ast.unparse(said(node)).partition("\n")[0]
        line = getattr(node, "lineno", self.at.lineno)
        called = isinstance(node.value if isinstance(node, ast.Expr) else node, ast.Call)
        reason = Reason.CALL if called else Reason.SYNTAX
        return Refused(Refusal(reason, Span(self.file, line), why or detail))

    def fresh(self, base: str) -> str:
        """A name of ours; messages say it as `base`."""
        self.count += 1
        name = f"{base}{DOT}{self.count}"
        self.names.add(name)
        return name

    def given(self, base: str) -> str:
        """A name of ours, or `base` itself where that is free and a name."""
        if base in self.names or DOT in base:
            return self.fresh(base)
        self.names.add(base)
        return base

    def emit(self, stmt: ast.stmt) -> None:
        """Write `stmt`, which the user's statement at hand comes to."""
        self.count += 1
        if self.count > _MOST:
            raise self.refuse("methods that are too long")
        if stmt is not self.at:
            ast.copy_location(stands_for(stmt, self.at), self.at)
        _complete(stmt, stmt)
        self.out.append(stmt)

    def placed(self, value: Value, node: ast.expr) -> Value:
        """`value` as what stands for `node` of the user's text."""
        match value:
            case _ if value is node:
                return value
            case ast.Name(id=name):
                value = ast.Name(name, ast.Load())
            case ast.Constant(value=literal, kind=kind):
                value = ast.Constant(literal, kind)
            case ast.expr() if not hasattr(value, "lineno"):
                pass
            case _:
                return value
        return ast.copy_location(stands_for(value, node), node)

    def let(self, name: str, value: ast.expr) -> ast.Name:
        """Write that `name` is `value`; the name."""
        if isinstance(value, ast.ListComp) and name not in self.unsteady:
            self.lists.add(name)
        self.emit(ast.Assign([ast.Name(name, ast.Store())], value))
        return ast.Name(name, ast.Load())

    @contextmanager
    def apart(self) -> Iterator[list[ast.stmt]]:
        """Statements that become a block of their own."""
        outside, self.out = self.out, []
        inner = self.out
        yield inner
        self.out = outside

    def held(self, value: Value, base: str) -> Value:
        """`value` as something that stays what it is."""
        match value:
            case ast.Constant():
                return value
            case ast.Name(id=name) if name not in self.unsteady:
                return value
            case ast.Subscript(value=ast.Name(id=path), slice=ast.Name(id=place)):
                made = self.let(self.fresh(base), value)
                if path in self.sources and place in self.places:
                    self.items[made.id] = path, place
                return made
            case ast.expr():
                return self.let(self.fresh(base), value)
            case Member(crowd=crowd, index=index):
                where = self.held(index, base)
                assert isinstance(where, ast.expr)
                return Member(crowd, where)
        return value

    def plain(self, value: Value, node: ast.AST) -> ast.expr:
        """`value`, which `node` means, as an expression."""
        if isinstance(value, Said):
            return ast.Constant(value.value)
        if isinstance(value, Code):
            return ast.Name(self.named_source(value.function.__name__, value.source), ast.Load())
        if not isinstance(value, ast.expr):
            raise self.refuse(node)
        return value

    @abstractmethod
    def named_source(self, base: str, source: Source, value: object = None) -> str:
        """The name for what is at `source`; one for each function of Python's or module."""


def written_as(node: ast.AST) -> str:
    """What the user calls an attribute, as the base of a name of ours."""
    match node:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=value, attr=attr):
            owner = written_as(value)
            return f"{owner}{DOT}{attr}" if owner else attr
    return ""


def _complete(top: ast.AST, around: ast.AST) -> None:
    """Let all parts of `top` that have no place in the file have that of what they are parts of."""
    if isinstance(top, ast.stmt | ast.expr):
        if not hasattr(top, "lineno"):
            ast.copy_location(top, around)
        around = top
    for child in children(top):
        _complete(child, around)


def text_name(name: str) -> ast.Name:
    """`name` as it is read."""
    return ast.Name(name, ast.Load())
