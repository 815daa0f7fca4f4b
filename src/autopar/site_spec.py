"""What the rewritten code knows of each loop that it asks about.

All that a process needs to start with, where everything else is on disk.
"""

from __future__ import annotations

from autopar.records import dataclass


@dataclass(frozen=True, slots=True)
class SiteSpec:
    """One loop in rewritten code: plain data, stored beside the code in the cache.

    Attributes
    ----------
    file, line, function
        Place of the outermost ``for``.
    roots
        Names whose values the rewritten code hands over, in order.
    live_out
        Names that it assigns from the result, in order.
    nest
        Pickled `autopar.nest.ir.Nest`; unpickled at the first call only.  Empty for a loop that
        only a call can make a nest of, by writing out the methods that it calls.
    text
        The loop as source text, dedented, for the reference run of ``AUTOPAR_VERIFY``.
    parent
        Index (in the same module) of the site whose fallback contains this loop.
    weight
        Operations on what may be whole arrays, where it is no loop but a run of statements.
    paths
        Attributes that such a run reads, or calls.
    depths
        With how many numbers as subscripts roots and these attributes always stand in it.
    items
        Whether it goes through sequences item by item.
    lines
        Those of the parts of a loop that calls methods; see `nest.text.methods.line_numbers`.
    flat
        Whether the methods that it calls have been written out.
    loops, indexed, attributes, uses
        How much it is likely to do, as `nest.text.reach` has found.
    inner
        Whether it stands in another loop.
    watched
        Whether it is asked in its iterations just because nobody knows how long it takes.
    members
        First and last line of each loop, where these are several that stand next to one another.
    last
        The last line of all of it.
    entered
        Roots that it may assign before it reads them: they may have no value yet.
    ends
        Whether the interpreter says when it is over: nobody knows how often a ``while`` runs.
    """

    file: str
    line: int
    function: str
    roots: tuple[str, ...]
    live_out: tuple[str, ...]
    nest: bytes
    text: str
    parent: int | None
    weight: int = 0
    paths: tuple[str, ...] = ()
    depths: tuple[int, ...] = ()
    items: bool = False
    lines: tuple[int, ...] = ()
    flat: bool = False
    loops: tuple[tuple[int, int, int, tuple[tuple[int, int], ...], int, bool], ...] = ()
    indexed: tuple[int, ...] = ()
    attributes: tuple[tuple[int, tuple[str, ...], int], ...] = ()
    uses: tuple[tuple[tuple[int, ...], ...], ...] = ()
    inner: bool = False
    watched: bool = False
    members: tuple[tuple[int, int], ...] = ()
    last: int = 0
    entered: tuple[str, ...] = ()
    ends: bool = False
