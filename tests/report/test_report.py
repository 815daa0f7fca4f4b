"""The journal as table and JSON."""

from __future__ import annotations

import json
import os
import sys

import pytest

from autopar import config, journal
from autopar.journal import LoopRecord
from autopar.records import replace
from autopar.report import _write, data, table
from autopar.runtime.site import Site
from autopar.site_spec import SiteSpec
from autopar.verdict import Reason, Refusal, Span, spoken

TAKEN = LoopRecord("app.py", 3, "f", "parallel", "cpu", ["i", "j"], ["k"], 2, 5, 1, 0.3, 0, 1.25)
LEFT = LoopRecord(
    "app.py", 31, "<module>", refusal=Refusal(Reason.READ_ONLY, Span("app.py", 32), "a and b")
)
KEYS = {
    "file": str,
    "line": int,
    "function": str,
    "status": str,
    "device": str | None,
    "parallel_loops": list,
    "sequential_loops": list,
    "products": list,
    "kernels": int,
    "runs": int,
    "fallbacks": int,
    "compile_s": float,
    "transfer_bytes": int,
    "run_s": float,
    "code": str | None,
    "reason": str | None,
}


def test_json_has_the_promised_shape():
    got = json.loads(json.dumps(data.report([TAKEN, LEFT])))
    assert set(got) == {"version", "loops"}
    assert got["version"] == 1
    for loop in got["loops"]:
        assert set(loop) == set(KEYS)
        assert all(isinstance(loop[key], kind) for key, kind in KEYS.items())
    taken, left = got["loops"]
    assert (taken["parallel_loops"], taken["code"], taken["reason"]) == (["i", "j"], None, None)
    assert left["code"] == "read-only"
    assert left["reason"] == "line 32: this array is read-only: a and b"


def test_a_reason_has_an_end():
    """What it is about may be the value of a text."""
    found = Refusal(Reason.SYNTAX, Span("app.py", 3), repr("a" * 9999 + "b")).text
    assert found.startswith("this construct is not taken: 'aaa")
    assert found.endswith("aab'")
    assert " … " in found
    assert len(found) < 250


def test_loops_that_ran_together_have_a_line_each(monkeypatch):
    whole = LoopRecord("app.py", 3, "f", "parallel", "opencl:0", runs=4, transfer_bytes=80, run_s=2)
    first = LoopRecord("app.py", 3, "f", "parallel", together=whole, leads=True, runs=1, run_s=0.5)
    other = LoopRecord("app.py", 7, "f", "sequential", together=whole)
    found = {(one.file, one.line, one.function): one for one in (other, first)}
    monkeypatch.setattr(journal, "_loops", found)
    one, two = journal.records()
    assert (one.line, one.runs, one.run_s, one.transfer_bytes) == (3, 5, 2.5, 80)
    assert (two.line, two.runs, two.run_s, two.transfer_bytes) == (7, 4, 0.0, 0)
    assert (first.runs, other.runs) == (1, 0)  # what is counted stays apart
    head, *rows = table.text().splitlines()
    assert [row[head.index("time") :].split("  ")[0] for row in rows] == ["2.50 s", "with line 3"]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("<t 6>", "t"),
        ("lengths[<j> + 1]", "lengths[j + 1]"),
        ("<best of nearest 62> and <<row 1> of find 9>", "best of nearest and row of find"),
        ("<item 58 of line 54>", "item of line 54"),
        ("a < b > c, x<3>y, x <3> y", "a < b > c, x<3>y, x <3> y"),
    ],
)
def test_names_of_ours_are_said_without_their_marks(name, said):
    assert spoken(name) == said
    refusal = Refusal(Reason.SYNTAX, Span("app.py", 3), name)
    assert refusal.text == f"this construct is not taken: {said}"


def test_json_is_written_in_one_step(tmp_path, capsys):
    data.write(tmp_path / "r.json")
    assert json.loads((tmp_path / "r.json").read_text())["version"] == 1
    assert [p.name for p in tmp_path.iterdir()] == ["r.json"]
    data.write(tmp_path / "no" / "r.json")
    assert "[autopar] the report was not written" in capsys.readouterr().err


@pytest.mark.parametrize("written", [False, True])
def test_kernels_for_readers_that_nobody_wrote_are_spoken_of(
    written, tmp_path, monkeypatch, capsys
):
    monkeypatch.delitem(sys.modules, "autopar.device.dump", raising=False)
    if written:
        monkeypatch.setitem(sys.modules, "autopar.device.dump", sys)
    monkeypatch.setattr(config, "_current", replace(config.current(), dump_kernels=tmp_path))
    _write(os.getpid())
    assert ("--device opencl or --device cuda" in capsys.readouterr().err) != written


def test_table():
    head, taken, left = table.text([TAKEN, LEFT]).splitlines()
    assert head.split()[:2] == ["loop", "function"]
    words = " ".join(taken.split())
    assert words == "app.py:3 f parallel i, j cpu 5 (+1 interpreted) 1.25 s"
    assert left.startswith("app.py:31  <module>")
    assert left.endswith("[read-only] line 32: this array is read-only: a and b")
    assert table.text([]) == "no loops were found"


@pytest.mark.parametrize(("seconds", "shown"), [(5e-6, "5 us"), (0.0123, "12.3 ms"), (2, "2.00 s")])
def test_times(seconds, shown):
    record = LoopRecord("a.py", 1, "f", "sequential", "cpu", runs=1, run_s=seconds)
    assert shown in table.text([record])


def test_each_reason_is_said_once(monkeypatch, capsys):
    """Of a loop that is declined for two in turn, and of one around it that shares the first."""
    monkeypatch.setattr(journal, "_loops", {})
    monkeypatch.setattr(journal, "_said", set())
    before = config.current()
    config.use(replace(before, verbose=1, fail_on_fallback=False))
    inner, outer = (
        Site(SiteSpec("app.py", line, "f", (), (), b"", "", None), None) for line in (3, 2)
    )
    rank = Refusal(Reason.WRONG_RANK, Span("app.py", 4), "a")
    kind = Refusal(Reason.NOT_ARRAY, Span("app.py", 4), "a is a dict")
    try:
        for _ in range(3):
            inner.decline(rank)
            inner.decline(kind)
        outer.decline(rank)
    finally:
        config.use(before)
    said = [line.rpartition(": ")[2] for line in capsys.readouterr().err.splitlines()]
    assert said == ["a", "a is a dict"]
    assert [(one.line, one.fallbacks) for one in journal.records()] == [(2, 1), (3, 6)]
