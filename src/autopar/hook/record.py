"""Rewritten code as data: how it is marked, stored, and given its sites."""

from __future__ import annotations

import marshal
from collections.abc import Collection, Iterator, Mapping
from types import CodeType

from autopar.records import dataclass, fields
from autopar.site_spec import SiteSpec
from autopar.verdict import Reason, Refusal, Span


@dataclass(frozen=True, slots=True)
class Loops:
    """One module: its code with markers, None where no loop was taken.

    Attributes
    ----------
    ahead
        What a script imports first; see `hook.ahead`.
    token
        Part of every marker; no constant of the user's contains it.
    sites
        In the order of the numbers in their markers.
    refusals
        The line of the ``for``, the function and the reason, for each loop that was not taken.
    """

    code: CodeType | None
    token: str
    sites: tuple[SiteSpec, ...]
    refusals: tuple[tuple[int, str, Refusal], ...]
    ahead: CodeType | None = None


def site_marker(token: str, number: int) -> str:
    """The constant that stands for a site until its object takes the place."""
    return f"<autopar site {token} {number}>"


def error_marker(token: str) -> str:
    """The constant that stands for the class `NameError`."""
    return f"<autopar unbound {token}>"


def bound(code: CodeType, objects: Mapping[str, object]) -> CodeType:
    """`code` and all code inside it, with objects in place of the markers that name them."""
    constants = tuple(_bound(constant, objects) for constant in code.co_consts)
    if all(new is old for new, old in zip(constants, code.co_consts, strict=True)):
        return code
    return code.replace(co_consts=constants)


def _bound(constant: object, objects: Mapping[str, object]) -> object:
    if isinstance(constant, CodeType):
        return bound(constant, objects)
    if isinstance(constant, str):
        return objects.get(constant, constant)
    return constant


def changed(code: CodeType, sites: Collection[object]) -> Iterator[CodeType]:
    """`code`, and code inside it, that has one of `sites` itself."""
    known = {id(site) for site in sites}
    if any(id(constant) in known for constant in code.co_consts):
        yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from changed(constant, sites)


# ---------------------------------------------------------------------------- as bytes


def dump(loops: Loops) -> bytes:
    """`loops` for the cache; plain marshal, so that reading it imports nothing."""
    refusals = [
        (line, function, why.reason.name, why.span.file, why.span.line, why.detail)
        for line, function, why in loops.refusals
    ]
    sites = [tuple(getattr(spec, one.name) for one in fields(spec)) for spec in loops.sites]
    return marshal.dumps((loops.code, loops.token, sites, refusals, loops.ahead))


def load(payload: bytes) -> Loops:
    """What `dump` made."""
    code, token, sites, refusals, ahead = marshal.loads(payload)
    return Loops(
        code,
        token,
        tuple(SiteSpec(*site) for site in sites),
        tuple(
            (line, function, Refusal(Reason[reason], Span(file, at), detail))
            for line, function, reason, file, at, detail in refusals
        ),
        ahead,
    )
