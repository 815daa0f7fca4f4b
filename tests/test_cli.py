"""The command line, and `autopar.install` and its companions."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from autopar import __version__
from autopar.hook.command import UsageError, parse
from autopar.hook.runner import Program

SOURCE = Path(__file__).parents[1] / "src"


@pytest.mark.parametrize(
    ("line", "settings", "program"),
    [
        ("s.py --device x", {}, Program("file", "s.py", ("--device", "x"))),
        ("--device cpu --fp=ulp s.py", {"device": "cpu", "fp": "ulp"}, Program("file", "s.py", ())),
        ("-v -m mod -v", {"verbose": 1}, Program("module", "mod", ("-v",))),
        ("-vv -mmod", {"verbose": 2}, Program("module", "mod", ())),
        ("-v -v -v -c code a", {"verbose": 2}, Program("command", "code", ("a",))),
        ("--report -", {"report": True}, Program("stdin", "-", ())),
        ("--report-json r -- -s.py a", {"report_json": "r"}, Program("file", "-s.py", ("a",))),
        ("--report-json=-r s.py", {"report_json": "-r"}, Program("file", "s.py", ())),
        # Everything after the program belongs to the program.
        ("-m pkg --report", {}, Program("module", "pkg", ("--report",))),
        ("-m pkg a --help", {}, Program("module", "pkg", ("a", "--help"))),
        ("-m pkg -v -- -v -- x", {}, Program("module", "pkg", ("-v", "--", "-v", "--", "x"))),
        ("-c code -v", {}, Program("command", "code", ("-v",))),
        ("-c code -m --fp=x", {}, Program("command", "code", ("-m", "--fp=x"))),
        ("-c -1 -2", {}, Program("command", "-1", ("-2",))),
        ("s.py -h --version --fp", {}, Program("file", "s.py", ("-h", "--version", "--fp"))),
        ("s.py -- x", {}, Program("file", "s.py", ("--", "x"))),
        ("s.py -v -- -v", {}, Program("file", "s.py", ("-v", "--", "-v"))),
        ("s.py -mpkg -q --devic", {}, Program("file", "s.py", ("-mpkg", "-q", "--devic"))),
        ("- -- -v", {}, Program("stdin", "-", ("--", "-v"))),
        # In one word.
        ("-mpkg --report x", {}, Program("module", "pkg", ("--report", "x"))),
        ("-mpkg -- -v", {}, Program("module", "pkg", ("--", "-v"))),
        ("-mm -cc", {}, Program("module", "m", ("-cc",))),
        ("--fp ulp -vmpkg -v", {"fp": "ulp", "verbose": 1}, Program("module", "pkg", ("-v",))),
        ("-vm pkg -mx", {"verbose": 1}, Program("module", "pkg", ("-mx",))),
        ("-vvcpass -v", {"verbose": 2}, Program("command", "pass", ("-v",))),
        # Not options of ours after "--".
        ("-v -- s.py -v", {"verbose": 1}, Program("file", "s.py", ("-v",))),
        ("-- -mpkg -v", {}, Program("file", "-mpkg", ("-v",))),
        ("-- -- x", {}, Program("file", "--", ("x",))),
        ("-- - x", {}, Program("stdin", "-", ("x",))),
        ("-- check", {}, Program("file", "check", ())),
    ],
)
def test_parse(line, settings, program):
    command = parse(line.split())
    assert (command.settings, command.program) == (settings, program)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("", "no program given"),
        ("-v", "no program given"),
        ("--devic cpu s.py", "unknown option --devic; did you mean --device?"),
        ("--devic=cpu s.py", "unknown option --devic; did you mean --device?"),
        ("-report s.py", "unknown option -report; did you mean --report?"),
        ("--rep s.py", "unknown option --rep"),  # no abbreviations: they would change with time
        ("-q s.py", "unknown option -q"),
        ("-1 s.py", "unknown option -1"),
        ("-q -mpkg", "unknown option -q"),
        ("--", "no program given"),
        ("--device", "--device needs a value"),
        ("--device --fp ulp s.py", "--device needs a value"),
        ("--report-json -mpkg", "--report-json needs a value"),
        ("-m", "-m needs a value"),
        ("-v -c", "-c needs a value"),
        ("--report=x s.py", "takes no value"),
        ("--report-html x s.py", "comes later"),
        ("check s.py", "`check` is not in this build yet"),
        ("site enable", "`site` is not in this build yet"),
    ],
)
def test_usage_errors(line, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError) as caught:
        parse(line.split())
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_words_may_hold_anything():
    code = "for i in range(2):\n    print(i)"
    assert parse(["-c", code, "a b"]).program == Program("command", code, ("a b",))
    assert parse([f"-c{code}", "-v"]).program == Program("command", code, ("-v",))
    assert parse(["-c", "", ""]).program == Program("command", "", ("",))
    assert parse(["my s.py", "", "-m x"]).program == Program("file", "my s.py", ("", "-m x"))
    with pytest.raises(UsageError, match="unknown option --fast mode"):
        parse(["--fast mode", "s.py"])


def test_check_and_site_can_be_programs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("check", "site"):
        (tmp_path / name).write_text("")
        assert parse([name, "x"]).program == Program("file", name, ("x",))


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("-h", "usage: python -m autopar [options] (script.py | -m module | -c code | -) [args"),
        ("-v --help x", "--report-json PATH"),
        ("--version", f"autopar {__version__}"),
    ],
)
def test_help_and_version(line, shown, capsys):
    with pytest.raises(SystemExit) as ended:
        parse(line.split())
    assert ended.value.code == 0
    out, err = capsys.readouterr()
    assert out.startswith(shown) or f"  {shown}  " in out
    assert err == ""
    assert max(map(len, out.splitlines())) < 100


def test_the_version_is_that_of_the_package():
    import tomllib

    text = (SOURCE.parent / "pyproject.toml").read_text()
    assert tomllib.loads(text)["project"]["version"] == __version__


def python(*arguments, cwd, **environ):
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("AUTOPAR", "PYTHON"))}
    env = {**kept, "PYTHONPATH": str(SOURCE), "AUTOPAR_CACHE_DIR": str(cwd / "cache"), **environ}
    done = subprocess.run(
        [sys.executable, *arguments], cwd=cwd, env=env, capture_output=True, timeout=60, text=True
    )
    return done.returncode, done.stdout, done.stderr


def test_a_wrong_setting_ends_with_one_line(tmp_path):
    (tmp_path / "s.py").write_text("print('ran')\n")
    for arguments in (("--threads", "x", "s.py"), ("--device", "openc", "s.py"), ("-q",)):
        code, out, err = python("-m", "autopar", *arguments, cwd=tmp_path)
        assert (code, out, err.count("\n")) == (2, "", 1)
        assert err.startswith("[autopar] ")


def test_a_cache_that_others_can_write_is_refused(tmp_path):
    (tmp_path / "s.py").write_text("print('ran')\n")
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache").chmod(0o777)
    code, out, err = python("-m", "autopar", "s.py", cwd=tmp_path)
    assert (code, out) == (2, "")
    assert "others can write to the cache directory" in err
    assert python("-m", "autopar", "s.py", cwd=tmp_path, AUTOPAR="0") == (0, "ran\n", "")


def test_a_cache_that_cannot_be_made_is_done_without(tmp_path):
    (tmp_path / "s.py").write_text("for i in range(2): print(i)\n")
    (tmp_path / "file").write_text("")
    unusable = str(tmp_path / "file" / "cache")
    got = python("-m", "autopar", "s.py", cwd=tmp_path, AUTOPAR_CACHE_DIR=unusable)
    assert got == (0, "0\n1\n", "")


@pytest.mark.parametrize(
    ("end", "code"), [("", 0), ("1/0\n", 1), ("import sys; sys.exit(3)\n", 3)], ids=repr
)
def test_reports_are_written_whatever_the_end(end, code, tmp_path):
    (tmp_path / "s.py").write_text(
        "import os, atexit\ndef f(n):\n    for i in range(n):\n        print(i, end=' ')\n"
        f"atexit.register(f, 2)\nos.mkdir('d'); os.chdir('d')\n{end}"
    )
    got = python("-m", "autopar", "--report", "--report-json", "r.json", "s.py", cwd=tmp_path)
    assert (got[0], got[1]) == (code, "0 1 ")
    report = json.loads((tmp_path / "r.json").read_text())
    (loop,) = report["loops"]
    assert (loop["line"], loop["function"], loop["status"]) == (3, "f", "interpreted")
    assert loop["code"] == "call"
    shown = [line for line in got[2].splitlines() if line.startswith("[autopar]")]
    assert any("s.py:3" in line and "[call]" in line for line in shown)


def test_no_report_from_forked_children(tmp_path):
    (tmp_path / "s.py").write_text("import os, sys\nif os.fork() == 0: sys.exit(0)\nos.wait()\n")
    _, _, err = python("-m", "autopar", "--report", "s.py", cwd=tmp_path)
    assert err == "[autopar] no loops were found\n"


def test_install_and_uninstall(tmp_path):
    (tmp_path / "s.py").write_text(
        "import early, sys, autopar\n"
        "def on(): return [f for f in sys.meta_path if 'autopar' in type(f).__module__] != []\n"
        "autopar.install(packages=['one', 'two.*'], verbose=1, threads=2)\n"
        "from autopar import config\n"
        "s = config.current(); print(on(), s.packages, s.threads, s.enabled)\n"
        "autopar.install('three'); print(config.current().packages)\n"
        "import autopar.report; print(callable(autopar.report), autopar.report())\n"
        "autopar.uninstall(); print(on(), config.current().enabled)\n"
        "try: autopar.install(divice='cpu')\n"
        "except ValueError as error: print(error)\n"
        "import one\n"
    )
    (tmp_path / "early.py").write_text("")
    (tmp_path / "one.py").write_text("")
    code, out, err = python("s.py", cwd=tmp_path)
    assert code == 0, err
    assert out.splitlines() == [
        "True ('one', 'two.*') 2 True",
        "('one', 'two.*', 'three')",
        "True no loops were found",
        "False False",
        "unknown setting 'divice'; did you mean device?",
    ]
    assert err.startswith("[autopar] early was imported before autopar and stays as it is\n")
