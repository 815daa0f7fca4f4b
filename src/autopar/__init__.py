"""autopar runs the loops of plain Python in parallel: no annotations, the same answer."""

from __future__ import annotations

import autopar.report as _report  # before the function of that name, which then keeps it

__version__ = "0.1.0"
__all__ = ["install", "report", "uninstall"]


# All else is imported when it is used: `python -m autopar` passes through this file first.


def install(packages: tuple[str, ...] | list[str] | str = (), **settings: object) -> None:
    """Take the loops of modules imported from now on.

    Parameters
    ----------
    packages
        Patterns of module names besides those in the script's own directory, which are always
        taken: ``"mypkg"``, ``"other.*"``.
    **settings
        Any of ``device``, ``fp``, ``threads``, ``exclude``, ``cache_dir``, ``verify``,
        ``fail_on_fallback``, ``verbose``, ``debug``, ``report``, ``report_json``.

    Raises
    ------
    ValueError
        For an unknown setting or a value that is not accepted.
    """
    from autopar.hook import switch

    switch.install(packages, settings)


def uninstall() -> None:
    """Leave modules imported from now on, and loops already taken, to the interpreter."""
    from autopar.hook import switch

    switch.uninstall()


def report() -> str:
    """What happened to each loop so far, as the table of ``--report``."""
    return _report.text()
