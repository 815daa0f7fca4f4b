"""Why not: stable reason codes, the place, and the text of every refusal."""

from __future__ import annotations

import enum
import functools

from autopar.records import BUILTINS, dataclass

__builtins__ = BUILTINS  # a program may replace Python's

TYPE_CHECKING = False  # `typing` takes too long to import
if TYPE_CHECKING:
    import re

_OURS = r"<([^\W\d][^<>]*?)((?<!line) \d+)?>"
_WHERE = r"[^\W\d][\w.]*\.<(?:globals|closure|defaults)>\."
"""In front of a name in another function: where that is looked up."""
_NUMBERED = r"\b([^\W\d]\w* of (?!line\b)[^\W\d]\w*) \d+\b"
"""A variable of a function, or a place in a list, which others have a number to be told from."""
_NUMBERED_OF = r"\b([^\W\d]\w*) \d+ of ([^\W\d]\w*)"
DOT = "\u00b7"
"""Stands for what no name has, in names of ours that must be names for Python as well: those of
methods that are written out. ``self.x`` is called `self·x·6`."""
_WORD = rf"([^\W\d][\w{DOT}]*?)"
_NUMBER = rf"\d+(?![\w{DOT}])"
_FORMS = (
    (rf"{_WORD}{DOT * 3}{_NUMBER}", "len({0})"),
    # What an object of a list has: of one that a loop goes to, of one at a place, of any.
    (rf"{_WORD}{DOT * 2}(\w+){DOT}\d+\[(\w+){DOT * 2}\d+\]", "{2}.{1}"),
    (rf"{_WORD}{DOT * 2}([^\W\d]\w*){DOT}\d+\[([^][]*)\]", "{0}[{2}].{1}"),
    (rf"{_WORD}{DOT * 2}([^\W\d]\w*){DOT}{_NUMBER}", ".{1} of {0}"),
    (rf"{_WORD}{DOT}+{_NUMBER}", "{0}"),
)


THROUGH = "autopar_items"
"""The name in a nest for what its loop goes through, where that is evaluated before."""


def spoken(text: str) -> str:
    """`text` as a user would write it: a name of ours, as ``<t 6>``, is said without its marks."""
    text = text.replace(THROUGH, "what the loop goes through")
    if "<" not in text and DOT not in text and " of " not in text:
        return text
    import re  # which no process needs that has nothing to say

    text = re.sub(_WHERE, "", text)
    text = re.sub(_NUMBERED, r"\1", text)
    text = re.sub(_NUMBERED_OF, r"\1 of \2", text).replace("numbers of ", "items of ")
    while (plain := re.sub(_OURS, r"\1", text)) != text:
        text = plain
    if DOT not in text:
        return text
    for pattern, form in _FORMS:
        text = re.sub(pattern, functools.partial(_in_form, form), text)
    return text


def _in_form(form: str, found: re.Match[str]) -> str:
    return form.format(found[1].replace(DOT, "."), *found.groups()[1:])


COPIES = "its lists would take as long to copy"
"""What there is to say of a loop that is too small for what it works on."""

_LONGEST = 200  # characters of what a reason is about


class Reason(enum.Enum):
    """Stable codes of the report; the value is the sentence that a user reads."""

    SYNTAX = "this construct is not taken"
    CALL = "this call is none of those that are taken, in this form"
    DRAW = "random numbers that are drawn in this way are not taken"
    NOT_RANGE = "only loops over ranges, items of arrays and lists, or a count are taken"
    TURNED_OFF = "switched off by a comment"
    UNBOUND = "a name has no value yet"
    SHADOWED = "a builtin name means something else here"
    NOT_ARRAY = "this is no array of NumPy's, and no list or dictionary of numbers"
    WRONG_TYPE = "values of this type are not taken"
    WRONG_RANK = "the number of subscripts differs from the array's dimensions"
    SIZES = "lengths or subscripts here are outside what is taken, or only Python can tell"
    MIXED_TYPE = "this variable changes its type in a way that changes the result"
    OVERLAP = "parts of an array overlap in a statement on whole arrays"
    READ_ONLY = "this array is read-only"
    BIG_INTEGER = "integers here may exceed 64 bits"
    STEP_ZERO = "the step of range() is zero"
    FAILED_INSIDE = "the nest raises an exception or needs exact integers on the way"
    WARNING = "NumPy warns in this nest, and the interpreter words the warning"
    ERROR_STATE = "floating-point errors or warnings act at once (np.errstate, np.seterr, -W error)"
    STACK = "the stack is nearly full here: see sys.getrecursionlimit()"
    TRACED = "a debugger or coverage tool is watching"
    TOO_SMALL = "too little work to be worth compiling"
    NOT_YET = "not enough work so far to be worth compiling"
    DEPENDENCE = "runs compiled, in order"
    PRODUCT = "runs compiled; products of matrices are left to BLAS, which has threads of its own"
    ONE_THREAD = "runs compiled, on one thread"
    NO_MEMORY = "there is not enough memory to make kernels, or to undo a failing run"
    DEVICE = "runs on the CPU, for the device does not take it"
    INTERNAL = "autopar could not finish its analysis"


@dataclass(frozen=True, slots=True)
class Span:
    """A place in the user's source; lines count from 1."""

    file: str
    line: int


@dataclass(frozen=True, slots=True)
class Refusal:
    """One reason to leave a loop to the interpreter."""

    reason: Reason
    span: Span
    detail: str

    @property
    def code(self) -> str:
        """Stable code for the JSON report, for example ``not-array``."""
        return self.reason.name.lower().replace("_", "-")

    def __str__(self) -> str:
        return f"{self.span.file}:{self.span.line}: {self.text}"

    @property
    def text(self) -> str:
        """The sentence without the place."""
        detail = spoken(self.detail)
        if len(detail) > _LONGEST:  # as the value of a text may be
            detail = f"{detail[: 2 * _LONGEST // 3]} … {detail[-_LONGEST // 4 :]}"
        return f"{self.reason.value}: {detail}" if detail else self.reason.value


class Refused(Exception):
    """Carries a `Refusal` up to the public function of a room."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(str(refusal))
        self.refusal = refusal
