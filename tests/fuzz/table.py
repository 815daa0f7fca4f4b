"""What became of the programs, as one line while it runs and as a table at the end."""

from __future__ import annotations

import sys
import time
from collections import Counter
from typing import Any, TextIO


class Table:
    """Counts; every program text counts once, however often it was generated."""

    def __init__(self, stream: TextIO = sys.stderr) -> None:
        self.stream = stream
        self.start = time.monotonic()
        self.texts: set[str] = set()
        self.seen: Counter[str] = Counter()
        self.statuses: Counter[str] = Counter()
        self.repeated = self.inside = 0
        self.wrong: list[str] = []

    @property
    def programs(self) -> int:
        return self.statuses.total()

    def share(self, *statuses: str) -> float:
        """Per cent of the programs with one of these statuses."""
        return 100 * sum(self.statuses[s] for s in statuses) / max(1, self.programs)

    def add(self, message: dict[str, Any]) -> None:
        """Count a program on which both agree."""
        if message["text"] in self.texts:
            self.repeated += 1
            return
        self.texts.add(message["text"])
        self.statuses[message["status"]] += 1
        self.seen[f"{message['status']} {message['code']}".strip()] += 1
        self.inside += message["inside"] and message["status"] == "interpreted"

    def line(self) -> str:
        seconds = time.monotonic() - self.start
        return (
            f"{self.programs} programs, {self.programs / seconds:.1f}/s, "
            f"{self.share('parallel', 'sequential'):.0f} % compiled, "
            f"{self.share('parallel'):.0f} % parallel, {len(self.wrong)} differences"
        )

    def progress(self, end: str = "\r") -> None:
        """On a terminal only."""
        if self.stream.isatty():
            self.stream.write(f"\r{self.line():<78}{end}")
            self.stream.flush()

    def __str__(self) -> str:
        rows = [f"{count:8d}  {100 * count / max(1, self.programs):5.1f} %  {name}"
                for name, count in self.seen.most_common()]  # fmt: skip
        seconds = time.monotonic() - self.start
        return "\n".join(
            (
                *rows,
                f"{self.programs:8d}  different programs in {seconds:.0f} s, "
                f"{self.programs / seconds:.1f} a second",
                f"{self.share('parallel', 'sequential'):8.1f} % compiled as a whole, "
                f"{100 * self.inside / max(1, self.programs):.1f} % more in part",
                f"{self.share('parallel'):8.1f} % parallel",
                f"{self.repeated:8d}  repeated texts, not counted",
                f"{len(self.wrong):8d}  differences",
            )
        )
