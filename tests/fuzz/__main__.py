"""``python -m tests.fuzz``: programs for as long as you like, or the replay of what was found."""

from __future__ import annotations

import argparse
import queue
import sys
import time
from pathlib import Path

from .crew import BATCH, Crew
from .findings import keep, load
from .program import read
from .table import Table


def main() -> int:
    options = _options()
    if options.replay:
        return _replay(options.replay)
    if options.mutations is not None:
        from .mutations import search

        return search(options.seed, options.programs or 150, options.mutations)
    return 1 if run(options).wrong else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--minutes", type=float, help="default 5, or no limit with --programs")
    parser.add_argument("--programs", type=int, help="stop after so many")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0, help="number of the first program")
    parser.add_argument("--jobs", type=int, default=2, help="worker processes")
    parser.add_argument("--batch", type=int, default=BATCH, help="programs per worker process")
    parser.add_argument("--replay", type=Path, nargs="+", metavar="FILE")
    parser.add_argument("--mutations", nargs="*", metavar="NAME", help="which program finds which")
    return parser.parse_args()


def run(options: argparse.Namespace) -> Table:
    """Judge programs until the time or their number is used up, or Ctrl-C."""
    minutes = options.minutes or (5 if options.programs is None else 1e9)
    end = time.monotonic() + 60 * minutes
    table = Table()
    crew = Crew(options.seed, options.jobs, options.first, options.programs, options.batch)
    crew.start()
    idle = 0
    try:
        while idle < options.jobs and time.monotonic() < end:
            try:
                message = crew.events.get(timeout=1.0)
            except queue.Empty:
                continue
            idle += "idle" in message
            if "wrong" in message:
                _tell(table, message, options.seed)
            elif "status" in message:
                table.add(message)
            table.progress()
    except KeyboardInterrupt:
        pass
    finally:
        crew.stop()
    table.progress("\n")
    print(table, flush=True)
    return table


def _tell(table: Table, message: dict[str, str], seed: int) -> None:
    found = read(message["program"])
    path = keep(found, f"Seed {seed}, program {message['at']}. {message['wrong']}")
    if path.name not in table.wrong:
        table.wrong.append(path.name)
        table.progress("\n")
        print(f"--- {path}\n{path.read_text()}", flush=True)


def _replay(files: list[Path]) -> int:
    from .compare import Wrong, judge
    from .setting import eager

    bad = 0
    with eager():
        for file in files:
            try:
                print(f"{file}: {judge(load(file))}")
            except Wrong as wrong:
                bad += 1
                print(f"{file}: {wrong}")
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
