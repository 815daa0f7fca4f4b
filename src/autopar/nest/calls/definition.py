"""A function of the user's as statements of the IR: plain data; see `helper` for how it is read."""

from __future__ import annotations

from autopar.nest import ir
from autopar.records import dataclass

RESULT = "<result>"


@dataclass(frozen=True, slots=True)
class Helper:
    """One function.

    Attributes
    ----------
    name
        As it was defined.
    params
        Parameters in order; the last of them may be those of `keywords`.
    defaults
        How many of those that take arguments by position, from the last on, have defaults.
    body
        Its statements; each way through them assigns `RESULT`, at its end, or none does.
    variables
        Scalars that it assigns, parameters among them.
    paths
        Live-in paths that begin with a parameter, with a name of its module, or of a function
        around it.
    free
        The names of functions around it.
    bound
        Whether it is called as a method: the first parameter is what it is a method of.
    nameless
        Parameters that take no argument by keyword.
    keywords
        Parameters that take arguments by keyword only, and whether they have defaults.
    counting
        As in `ir.Nest`.
    stores
        Whether it may do more than compute a value.
    elsewhere
        Whether it is defined in another module than the nest.
    """

    name: str
    params: tuple[str, ...]
    defaults: int
    body: tuple[ir.Stmt, ...]
    variables: frozenset[str]
    paths: frozenset[str]
    free: frozenset[str]
    bound: bool = False
    nameless: frozenset[str] = frozenset()
    keywords: tuple[tuple[str, bool], ...] = ()
    counting: tuple[tuple[str, str], ...] = ()
    stores: bool = False
    elsewhere: bool = False

    @property
    def placed(self) -> tuple[str, ...]:
        """Parameters that take arguments by position."""
        return self.params[: len(self.params) - len(self.keywords)]

    @property
    def returns(self) -> bool:
        """Whether it returns something other than None."""
        return RESULT in self.variables
