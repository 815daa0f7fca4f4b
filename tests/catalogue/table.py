"""The catalogue as a table: what is legal, what is found, and what is missed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from .judge import Verdict
from .oracle import Pair

_KINDS = ("loops", "calls", "legal", "found", "share", "parts", "more", "waves")
HEAD = f"{'category':<14}" + "".join(f"{kind:>8}" for kind in _KINDS)


def share(verdicts: Iterable[Verdict]) -> float:
    """Part of the legal pairs that is found."""
    verdicts = list(verdicts)
    legal = sum(len(v.legal) for v in verdicts)
    return sum(len(v.found) for v in verdicts) / legal if legal else 1.0


def table(verdicts: Iterable[Verdict]) -> str:
    """One line per category."""
    groups: dict[str, list[Verdict]] = defaultdict(list)
    for verdict in verdicts:
        groups[verdict.case.loop.category].append(verdict)
    lines = [HEAD, *(_row(name, group) for name, group in groups.items())]
    everything = [v for group in groups.values() for v in group]
    return "\n".join([*lines, _row("all", everything)])


def _row(name: str, group: list[Verdict]) -> str:
    legal, found = (sum(len(getattr(v, kind)) for v in group) for kind in ("legal", "found"))
    loops = len({v.case.loop.name for v in group})
    more = sum(len(v.beyond) for v in group)
    stuck = [v for v in group if v.truth.stuck]
    waves = f"{sum(v.wave for v in stuck)}/{len(stuck)}" if stuck else ""
    cut = f"{sum(len(v.parts) for v in group)}/{sum(len(v.truth.parts) for v in group)}"
    numbers = (loops, len(group), legal, found, f"{share(group):.1%}", cut, more, waves)
    return f"{name:<14}" + "".join(f"{number:>8}" for number in numbers)


def misses(verdicts: Iterable[Verdict]) -> str:
    """What is legal and was not found, by category."""
    lines = []
    category = ""
    for verdict in verdicts:
        if not verdict.missed:
            continue
        if verdict.case.loop.category != category:
            category = verdict.case.loop.category
            lines.append(f"\n{category}")
        why = f"   [{'; '.join(verdict.refusals)}]" if verdict.refusals else ""
        lines.append(f"  {verdict.case.label}: {pairs(verdict, verdict.missed)}{why}")
    return "\n".join(lines)


def pairs(verdict: Verdict, chosen: set[Pair]) -> str:
    """Pairs as ``i: 14, 15``, lines being those of the file."""
    by_loop: dict[int, list[int]] = defaultdict(list)
    for loop, line in sorted(chosen):
        by_loop[loop].append(line)
    loops = verdict.truth.shape.loops
    return ", ".join(
        f"{loops[loop]}@{loop} for {' '.join(map(str, lines))}" for loop, lines in by_loop.items()
    )
