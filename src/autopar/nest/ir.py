"""Loop nests as frozen data: what `lift` makes of the user's text, and all later rooms read.

Names
-----
A *path* is a dotted name as the user wrote it (``u``, ``self.u``, ``np.exp``).  A path whose root
is never assigned in the nest is a *live-in*: its value is looked up once, at the call.  A plain
name that the nest assigns is a *scalar* (loop variables included).  Only paths can be arrays.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Literal

from autopar.records import dataclass, field

# ---------------------------------------------------------------------------- expressions


@dataclass(frozen=True, slots=True)
class Const:
    """A literal number or bool; 2, 2.0, and True beside 1, are different ones."""

    value: bool | int | float | complex

    def __eq__(self, other: object) -> bool:
        return type(other) is Const and self._exactly == other._exactly

    def __hash__(self) -> int:
        return hash(self.value)

    @property
    def _exactly(self) -> tuple[type, str | int]:
        """What tells types, zeros and nans apart."""
        value = self.value
        return type(value), value if type(value) is int else repr(value)


@dataclass(frozen=True, slots=True)
class Name:
    """A scalar of the nest, or a live-in path that holds a number."""

    id: str


@dataclass(frozen=True, slots=True)
class Dim:
    """``array.shape[axis]``; ``len(array)`` is axis 0, ``array.size`` is axis None.

    As an `attribute` it was written so, which a list does not have.
    """

    array: str
    axis: int | None
    attribute: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True)
class Load:
    """A read of one element.  `id` is unique among the accesses (reads and writes) of the nest.

    It is `nested` where it was written ``array[i][j]``, which is ``array[i, j]`` for numbers only.
    It is `tupled` where a tuple is a subscript, ``a[i, j]``, which a list does not take: from the
    axis on, counted from 1, at which the first one begins.
    """

    array: str
    index: tuple[Expr, ...]
    id: int
    line: int
    tupled: int = field(default=0, compare=False)
    nested: bool = False


@dataclass(frozen=True, slots=True)
class Unary:
    op: Literal["-", "+", "~", "not"]
    operand: Expr
    line: int
    whole: bool = False


@dataclass(frozen=True, slots=True)
class Binary:
    """Arithmetic: one of ``+ - * / // % ** << >> & | ^``.

    A `whole` operation is one element of an operation on arrays: NumPy words its warnings in
    another way, and its integers wrap without one.  In a reduction, it is `reduced` as well.
    """

    op: str
    left: Expr
    right: Expr
    line: int
    whole: bool = False
    reduced: bool = False


Comparison = Literal["<", "<=", ">", ">=", "==", "!="]


@dataclass(frozen=True, slots=True)
class Compare:
    """One comparison; ``a < b < c`` arrives as ``Logic("and", (a < b, b < c), chain=True)``."""

    op: Comparison
    left: Expr
    right: Expr
    line: int


@dataclass(frozen=True, slots=True)
class Logic:
    """Short-circuit ``and`` / ``or``; in a `chain`, neighbours share an operand."""

    op: Literal["and", "or"]
    values: tuple[Expr, ...]
    line: int
    chain: bool = False


@dataclass(frozen=True, slots=True)
class Select:
    """``body if test else orelse``."""

    test: Expr
    body: Expr
    orelse: Expr
    line: int


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a function reached by a live-in path; typing decides whether it is known.

    A method of something that is no path is called ``<.name>``, and its owner comes first in
    `args`.  The last of `args` are given by the keywords `names`.  One that has been `moved` stands
    before what Python evaluates first, so it must do nothing but compute a value.
    """

    func: str
    args: tuple[Expr, ...]
    line: int
    names: tuple[str, ...] = ()
    whole: bool = False
    moved: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True)
class Slice:
    """``start:stop:step`` in a subscript; None: left out.

    What is `lent` is only gone through, at once: nobody can tell a list's slice, which is a copy,
    from a part of the list.  What a loop goes `through` is the same, unless the loop changes it.
    """

    start: Expr | None
    stop: Expr | None
    step: Expr | None
    lent: bool = field(default=False, compare=False)
    through: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True)
class View:
    """``array[index]`` with slices or new axes in it, or of something that is no live-in array.

    These, arrays that stand for all of their elements, and `Items` are gone once
    `nest.arrays.whole` has made loops of them.
    """

    array: Expr
    index: tuple[Part, ...]
    line: int
    tupled: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Items:
    """A tuple; as an argument, it may be `listed`, which is a list.

    Where it is no argument it is gone once `nest.values.tuples` has made scalars of it.
    """

    values: tuple[Expr, ...]
    line: int
    listed: bool = False


@dataclass(frozen=True, slots=True)
class Word:
    """A literal that is no number: text, or None."""

    value: str | None
    line: int


@dataclass(frozen=True, slots=True)
class Asked:
    """``mode == "open"``, ``mask is None``: a question that a call answers, before it starts.

    Its operands are words, literals and names of what no nest changes; nothing else looks into it.
    Like a `Word`, it is gone once `nest.text.asked` has put the answer in its place.
    """

    op: Literal["==", "is"]
    left: Expr
    right: Expr
    line: int


Expr = (
    Const | Name | Dim | Load | Unary | Binary | Compare | Logic | Select | Call | View | Items
    | Word | Asked
)  # fmt: skip
Part = Expr | Slice | Literal["None", "...", "append", "pop"]
"""An item of a subscript; ``append`` is the place behind the last item of a list, and to store
whatever to ``pop`` takes the last one away.
"""

UNPACK = "<unpack "
"""How the name of what is called begins for the items of something that has as many as it says."""
UNPACKED = "<unpacked "
"""How the scalars begin that hold what is about to be unpacked."""
OF = "<of "
"""The same for something that must have so many items, whatever they are."""
STAR = "<star>"
"""What is called for an argument that stands for several."""
LENT = "<lent>"
"""What is called for an item of a list that is only read, and nobody else knows."""
LIST = "<list>"
"""What is called for a new list."""
UP, DOWN = "<in order>", "<in reverse order>"
"""What is called for what a list, or an array, is after ``sort()``, ``sort(reverse=True)``."""
BACKWARDS = "<backwards>"
"""What is called for the items of a list from the last to the first: nothing but a list."""
PLACES = "<.places>"
"""What is called for a list in a subscript."""
NOTHING = "<nothing "
"""How the name of what is called begins for a value that nobody reads, of some scalar's type."""
START, BEGUN = "<start ", "<begun "
"""The same for the int 0 that a sum of other numbers starts from, and for giving up where such a
sum has no items, and so stays an int; its argument says whether there was an item."""
SUMMED = "<summed "
"""The same for an int that nobody reads, where a sum that starts from the user's number is done."""
LOST, WHOLE = "<lost ", "<whole "
"""The same for what a sum has lost to rounding, where Python adds that up beside it: of what it has
lost so far, the sum, and the item that comes next; and for the sum with all of it."""
COMPENSATED = frozenset(
    atom for atom, since in (("float", (3, 12)), ("complex", (3, 14))) if sys.version_info >= since
)
"""Atoms of which the builtin `sum` adds up the roundings as well: Neumaier's method."""
AMONG, ORD = "<among>", "<ord>"
"""Whether a character of a text is one of a word, and its number; see `nest.values.texts`."""
EITHER, TAG = "<either>", "<tag>"
"""What is called for an element and its type, and for the type of a value."""
LETTER = "<letter>"
"""What is called for a character as a key of a dictionary; its argument is its number."""
IN = "<in>"
"""What is called for whether the key of ``d[k]``, its argument, is in ``d``, which may be a set."""
IS_NONE = "<is none>"
"""What is called for whether something is None, before `nest.values.absent`."""
GIVEN = "<given>"
"""What is called for a value that is there only if the flag beside it is up, and else gives up."""

# ---------------------------------------------------------------------------- statements


@dataclass(frozen=True, slots=True)
class Element:
    """A write of one element, as the target of an assignment; `tupled`, `nested` as a `Load`."""

    array: str
    index: tuple[Expr, ...]
    id: int
    line: int
    tupled: int = field(default=0, compare=False)
    nested: bool = False


@dataclass(frozen=True, slots=True)
class Assign:
    """``target = value``; augmented assignments arrive expanded.

    An array is `augmented` in place.  A `whole` assignment is that of one element of an array to
    which another array is assigned.
    """

    target: Name | Element
    value: Expr
    id: int
    line: int
    augmented: bool = False
    whole: bool = False


@dataclass(frozen=True, slots=True)
class Put:
    """``target = value`` for a part of an array, before `nest.arrays.whole`.

    One after the `other` it is ``f.at(array, index, value)``, where `value` calls `f`.
    """

    target: View
    value: Expr
    id: int
    line: int
    augmented: bool = False
    other: bool = False


@dataclass(frozen=True, slots=True)
class If:
    test: Expr
    body: tuple[Stmt, ...]
    orelse: tuple[Stmt, ...]
    id: int
    line: int


@dataclass(frozen=True, slots=True)
class While:
    test: Expr
    body: tuple[Stmt, ...]
    id: int
    line: int


@dataclass(frozen=True, slots=True)
class Leave:
    """``break`` or ``continue`` of the innermost loop around it."""

    kind: Literal["break", "continue"]
    id: int
    line: int


@dataclass(frozen=True, slots=True)
class Partial:
    """What iterations know of an extreme before they begin; see `sched.partial`.

    Attributes
    ----------
    loop
        `For.id` of the inner loop that looks for it.
    scalar
        What it is kept in.
    op
        The comparison, ``<`` or ``>``, by which another number takes its place.
    """

    loop: int
    scalar: str
    op: str


@dataclass(frozen=True, slots=True)
class Lanes:
    """How iterations of a loop go on together, statement by statement; only schedules have them.

    Attributes
    ----------
    copies
        Iterations that are written out, one after the other.
    strip
        Iterations that a loop around each statement goes through; 0: none.
    last
        Whether somebody sees what the last iteration leaves behind.
    packs
        Arrays of which it is read once, for all of a strip or of a block of work items, what other
        loops read again.
    settled
        Ids of what it reads of arrays that it stores in as well, but of other cells.
    ordered
        Whether they need one another, in order: several terms of a sum at once, or rows of a sweep.
    behind
        Steps of the loop in it by which each row of a sweep follows the one before it.
    private
        Arrays that each iteration fills before it reads them: it needs one of its own.
    apart
        How many iterations lie between two of the copies, which go to work items beside this one.
    near
        Whether the copies lie side by side instead, and those of other work items beside them all.
    steps
        How many steps of a loop in order work items go on for, once they have met and have brought
        to the chip what they read of `packs`.
    rims
        Whether iterations go on together as well where not all of a block are there.
    partial
        An extreme of which a strip of iterations that need one another knows a part beforehand.
    """

    copies: int = 1
    strip: int = 0
    last: bool = False
    packs: tuple[str, ...] = ()
    settled: tuple[int, ...] = ()
    ordered: bool = False
    behind: int = 0
    private: tuple[str, ...] = ()
    apart: int = 1
    steps: int = 0
    rims: bool = False
    near: bool = False
    partial: Partial | None = None


@dataclass(frozen=True, slots=True)
class For:
    """``for var in range(start, stop, step)``; the three are evaluated once, on entry.

    One that is a `fold` is NumPy's own reduction of a row of elements, ``s = s + a[i]``, which adds
    in an order of its own: it stays in one piece.  `lanes` are what a schedule makes of it, and a
    `product` of matrices is one only there (`sched.products`).
    """

    var: str
    start: Expr
    stop: Expr
    step: Expr
    body: tuple[Stmt, ...]
    id: int
    line: int
    fold: bool = False
    lanes: Lanes | None = None
    product: bool = False


Stmt = Assign | Put | If | While | Leave | For

COUNTING = frozenset(
    (
        "range", "len", "reversed", "enumerate", "zip", "list", "tuple", "sorted",
        "arange", "ndindex", "product",
    )
)  # fmt: skip
"""Functions that are no calls in the IR, and yet must be what they seem."""

EXIT = "<exit>"
"""The scalar that says by which ``return``, ``raise`` or ``assert`` a nest was left, from 1 on.

The nest itself only breaks out of its loops; the statement is executed by the interpreter then.  In
a nest that was not left it is 0, or unassigned.
"""


DROPPED = "<dropped "
"""How the scalars begin that are given what a call returns that stands alone."""


HELD = "<held "
"""How the paths of arrays begin that hold what one statement computes on its way."""


@dataclass(frozen=True, slots=True)
class Local:
    """An array that the nest makes.

    Attributes
    ----------
    path
        What it is called in the nest.
    extents
        Integers made of live-in numbers and extents.
    dtype
        None: that of the values that `made` assign.
    made
        Ids of the assignments that fill it for the first time.
    flag
        The scalar that is assigned when it is made.
    initial
        Path of the live-in array that it is a copy of from the start, if any.
    scope
        Loops in whose variables `extents` may be.
    private
        Ids of loops each iteration of which fills it before it reads it.
    listed
        Whether it stands for a list.
    length
        The scalar that says how many of its elements are meant, if not all.
    lowest
        The scalar that says how few of them there were at some time, where items are taken away of
        a list that was there before.
    extends
        Path of the live-in list to which its elements are appended when all is done.
    last_of
        Path of the array for a list of lists whose last item it is.
    lengths
        Path of the array that says how long each of its rows is, if that is not as `extents` say.
    mixed
        Whether each element is of one of two types; see `nest.typed.listed.noted`.
    room
        Whether nobody knows how many elements there will be: `extents` are for a start, and where
        they turn out to be too few, the nest gives up and runs again with more.
    rows
        Whether it stands for a list of arrays, each of which is one of its rows.
    """

    path: str
    extents: tuple[Expr, ...]
    dtype: str | None
    made: frozenset[int]
    flag: str
    initial: str | None = None
    scope: tuple[For, ...] = ()
    private: frozenset[int] = frozenset()
    listed: bool = False
    length: str | None = None
    extends: str | None = None
    last_of: str | None = None
    lengths: str | None = None
    mixed: bool = False
    room: bool = False
    lowest: str | None = None
    rows: bool = False


MORE = "<more "
"""How the paths of arrays begin that hold what is appended to a live-in list."""


FIRST_ROOM = 1 << 16
"""Items for which there is room at first in a list of which nobody knows how long it gets."""


ONCE = "<once>"
"""The variable of the loop around statements that stand in no loop; see `nest.text.runs`."""

ELEMENTS = ("<axis ", "<element ")
"""How the variables of loops begin that go through the elements of arrays, as NumPy does."""


TURN = "<turn>"
"""The scalar that says which copy of a loop came last; see `nest.arrays.turns`."""


@dataclass(frozen=True, slots=True)
class Turn:
    """What a variable means after a nest that hands arrays on from name to name.

    Attributes
    ----------
    position
        Of the variable, in `Nest.live_out`.
    after
        By the value of `TURN`, the path of the array.
    """

    position: int
    after: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Row:
    """A variable that means a row, or a column, of an array in the end.

    Attributes
    ----------
    position
        Of the variable, in `Nest.live_out`; a scalar stands there that says which row.
    path, axis
        The array, and its axis of which the row is one place.
    """

    position: int
    path: str
    axis: int


Places = int | tuple["Places", ...]


def each_of(places: Places) -> Iterator[int]:
    """All of `places`, one by one."""
    if isinstance(places, int):
        yield places
    else:
        for part in places:
            yield from each_of(part)


@dataclass(frozen=True, slots=True)
class Bundle:
    """A variable that is a tuple in the end.

    Attributes
    ----------
    position
        Of the variable, in `Nest.live_out`; its first number stands there.
    places
        Where its items stand there, and those of tuples among them.
    """

    position: int
    places: tuple[Places, ...]


@dataclass(frozen=True, slots=True)
class Holder:
    """A variable that is a set, a dictionary, a queue, or a list of tuples in the end.

    What it has is in lists of the nest's own; `nest.text` says how.

    Attributes
    ----------
    position
        Of the variable, in `Nest.live_out`; the first of the lists stands there.
    kind
        What it is: ``set``, ``dict``, ``list``, ``deque``, ``Counter``, ``defaultdict int``, ….
    items
        Where the lists of its items stand, or of its keys; of tuples, one for each number.
    values
        Where the list of the values of a dictionary stands, or the lists.
    first
        Where the number stands of the items that are gone by then.
    """

    position: int
    kind: str
    items: Places
    values: Places | None = None
    first: int | None = None

    @property
    def more(self) -> frozenset[int]:
        """All places of it but that of the variable."""
        parts = self.items, self.values, self.first
        places = (k for part in parts if part is not None for k in each_of(part))
        return frozenset(places) - {self.position}


Leaves = str | tuple["Leaves", ...]


@dataclass(frozen=True, slots=True)
class Columns:
    """A live-in list to which a nest appends tuples, or lists: as many lists of numbers.

    Attributes
    ----------
    path
        Of the list.
    items
        Names of the lists that stand for it, as their numbers are in the tuples.
    listed
        Whether it is lists that are appended.
    """

    path: str
    items: tuple[Leaves, ...]
    listed: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """The lists that stand for it."""
        return tuple(leaves_in(self.items))


def leaves_in(leaves: Leaves) -> Iterator[str]:
    """All of `leaves`, one by one."""
    if isinstance(leaves, str):
        yield leaves
    else:
        for part in leaves:
            yield from leaves_in(part)


@dataclass(frozen=True, slots=True)
class Absent:
    """A variable that may be None in the end.

    Attributes
    ----------
    position, place
        In `Nest.live_out`, of the variable, and of the flag that says whether it has a value.
    unset
        Whether it is never None, but may have no value, as before the nest.
    """

    position: int
    place: int
    unset: bool = False


@dataclass(frozen=True, slots=True)
class Condition:
    """``low <= expr <= high`` in the loops `scope`, or the nest is not what it was made for.

    `high` may be None: without bound.
    """

    expr: Expr
    low: int
    high: int | None
    scope: tuple[For, ...]
    line: int
    why: str


@dataclass(frozen=True, slots=True)
class Nest:
    """One loop nest of the user's.

    Attributes
    ----------
    file, function
        Where it stands; `function` is the qualified name, or ``<module>``.
    loop
        The outermost loop.
    roots
        Plain names whose values the site must be given, sorted; builtins included, since a user
        may have shadowed them.
    paths
        Live-in paths used anywhere, sorted: numbers, arrays and functions alike.
    scalars
        Plain names that the nest assigns, loop variables included, sorted.
    live_out
        The scalars whose final value may be read after the nest, in the order in which the text
        assigns them; for a local array its flag, in its place.
    locals
        Arrays that it makes.
    apart
        Pairs of arrays that must not share memory.
    conditions
        What must be true at the call.
    columns
        Lists that are extended by tuples, or by short lists.
    turns, rows, bundles, holders, absents
        Variables that mean one of several arrays in the end, or a part of one, or a tuple, or what
        several lists have, or that may be None.
    counting
        Paths of functions that are no calls here, and yet must be what they seem: see
        `functions.counting`.
    elsewhere
        Whether some of it stands in another module, which NumPy's warnings would name.
    names
        What the user calls the variables in `live_out`, where that is another name.
    spelled
        Arrays that stand for characters, which are said in numbers by now.
    letters
        Those in `live_out` that are the numbers of characters.
    idle
        Names that are not read where Python reads them once more, when a loop is over: they must
        have a value that may be compared.
    """

    file: str
    function: str
    loop: For
    roots: tuple[str, ...]
    paths: tuple[str, ...]
    scalars: tuple[str, ...]
    live_out: tuple[str, ...]
    locals: tuple[Local, ...] = ()
    apart: frozenset[tuple[str, str]] = frozenset()
    conditions: tuple[Condition, ...] = ()
    turns: tuple[Turn, ...] = ()
    rows: tuple[Row, ...] = ()
    bundles: tuple[Bundle, ...] = ()
    holders: tuple[Holder, ...] = ()
    absents: tuple[Absent, ...] = ()
    columns: tuple[Columns, ...] = ()
    counting: tuple[tuple[str, str], ...] = ()
    elsewhere: bool = False
    names: tuple[str, ...] = ()
    spelled: frozenset[str] = frozenset()
    letters: frozenset[str] = frozenset()
    idle: frozenset[str] = frozenset()

    @property
    def results(self) -> tuple[str, ...]:
        """The user's names for `live_out`."""
        return self.names or self.live_out

    @property
    def handed(self) -> tuple[str, ...]:
        """Those of them that the user has written: not the further lists of a variable."""
        more = frozenset[int]().union(*(holder.more for holder in self.holders))
        return tuple(name for k, name in enumerate(self.results) if k not in more)


def once(body: tuple[Stmt, ...], number: int, line: int) -> For:
    """`body` as what a nest goes through once: the loop that a nest must have, and no more."""
    return For(ONCE, Const(0), Const(1), Const(1), body, number, line)


def preceded(loop: For, first: tuple[Stmt, ...], number: int) -> For:
    """`first` and then `loop`, in one that is gone through once and never in another such loop."""
    return once((*first, *(loop.body if loop.var == ONCE else (loop,))), number, loop.line)
