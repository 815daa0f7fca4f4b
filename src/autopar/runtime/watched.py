"""A loop of which nobody knows how long it takes, and which the clock watches as it runs.

It is asked when it begins, and in each of its iterations as long as it may turn out to be long: one
that is called again and again tells more by how much time goes by from call to call.
"""

from __future__ import annotations

from autopar.runtime.patience import ALWAYS
from autopar.runtime.site import Site
from autopar.runtime.stretch import Stretch
from autopar.site_spec import SiteSpec

TYPE_CHECKING = False  # `typing` takes too long to import
if TYPE_CHECKING:
    from typing import Any


class Watched(Site):
    """A question at the beginning of a loop, and perhaps in its iterations.

    Attributes
    ----------
    now
        What the last run goes through; with several threads, perhaps that of another one, which is
        then watched no more.
    """

    __slots__ = ("now",)

    def __init__(self, spec: SiteSpec, parent: Site | None) -> None:
        super().__init__(spec, parent)
        self.now = Stretch(())

    def stretch(self, items: object) -> Stretch:
        """What the loop over `items` is gone through by."""
        made = self.now = Stretch(items)
        if self.watches():
            self.patience.left, self.turn = 0, ALWAYS  # what was left alone are iterations
        if not (made.plain and self.active and False not in self.turn):
            made.plain = False
        elif self.unknown is not None:
            self.unknown.begins()
        return made

    def run(self, values: tuple[Any, ...] | None) -> tuple[Any, ...] | None:
        """See `Site.run`."""
        result = super().run(values)
        if result is None and not self.watches():
            self.now.plain = False
        return result

    def watches(self) -> bool:
        """Whether to ask in further iterations of a loop that goes on in Python."""
        if self.trial is not None and self.trial.out:
            return False  # which is to tell how long a whole one takes
        return self.unknown is not None and self.unknown.watches()
