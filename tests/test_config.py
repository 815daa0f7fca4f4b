"""Settings: which source wins, and what is refused."""

from __future__ import annotations

import os
import shutil
import sys
from dataclasses import fields, replace
from pathlib import Path

import pytest

from autopar import config, journal
from autopar.config import ConfigError, Settings, private_dir, read, write_whole


def write(directory, text):
    (directory / "pyproject.toml").write_text(text)


def test_defaults(tmp_path):
    write(tmp_path, "")
    got = read({}, {}, tmp_path)
    assert got.enabled
    assert (got.device, got.fp, got.packages, got.debug) == ("auto", "exact", (), 0)
    assert got.threads == len(os.sched_getaffinity(0))
    assert os.path.isabs(got.cache_dir)
    assert not any((got.verify, got.check, got.report, got.fail_on_fallback))


def test_every_field_has_a_source():
    assert {field.name for field in fields(Settings)} == set(config._OPTIONS)


def test_command_line_over_environment_over_file(tmp_path):
    write(tmp_path, '[tool.autopar]\nthreads = 3\nfp = "ulp"\npackages = ["a", "b.*"]\n')
    (tmp_path / "deep" / "er").mkdir(parents=True)
    environ = {"AUTOPAR_THREADS": "4", "AUTOPAR_FP": "relaxed", "AUTOPAR_VERIFY": "1"}
    got = read({"threads": "5", "fp": None}, environ, tmp_path / "deep" / "er")
    assert (got.threads, got.fp, got.packages, got.verify) == (5, "relaxed", ("a", "b.*"), True)


def test_sizes_have_units(tmp_path):
    write(tmp_path, '[tool.autopar]\ndevice_memory = "3K"\n')
    assert read({}, {}, tmp_path).device_memory == 3072
    for text, size in (("1000", 1000), ("512M", 512 << 20), ("2G", 2 << 30)):
        assert read({}, {"AUTOPAR_DEVICE_MEMORY": text}, tmp_path).device_memory == size
    assert read({"device_memory": 17}, {}, tmp_path).device_memory == 17


def test_only_the_nearest_file_counts(tmp_path):
    write(tmp_path, "[tool.autopar]\nthreads = 3\n")
    (tmp_path / "sub").mkdir()
    write(tmp_path / "sub", "[project]\nname = 'x'\n")
    assert read({}, {"AUTOPAR_THREADS": "9"}, tmp_path).threads == 9
    assert read({}, {}, tmp_path).threads == 3
    assert read({}, {}, tmp_path / "sub").threads == len(os.sched_getaffinity(0))


def test_paths_are_made_absolute(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "p").mkdir()
    write(tmp_path / "p", '[tool.autopar]\ncache_dir = "here"\n')
    assert Path(read({}, {}, tmp_path / "p").cache_dir) == tmp_path / "p" / "here"
    assert Path(read({"report_json": "r.json"}, {}, tmp_path).report_json) == tmp_path / "r.json"
    found = read({"cache_dir": "~/c"}, {"HOME": "/x"}, tmp_path).cache_dir
    assert Path(found) == Path.home() / "c"


@pytest.mark.parametrize(
    ("cli", "environ", "file", "said"),
    [
        ({}, {"AUTOPAR_DEVCE": "cpu"}, "", "AUTOPAR_DEVCE; did you mean AUTOPAR_DEVICE?"),
        ({}, {"AUTOPAR": "yes"}, "", "AUTOPAR: 'yes' is not possible: accepted are 0 and 1"),
        ({}, {"AUTOPAR_THREADS": "0"}, "", "AUTOPAR_THREADS: '0'"),
        ({}, {"AUTOPAR_DEBUG": "6"}, "", "from 0 to 5"),
        ({}, {"AUTOPAR_DEVICE_MEMORY": "2T"}, "", "such as 512M"),
        ({}, {"AUTOPAR_DEVICE_MEMORY": "0"}, "", "AUTOPAR_DEVICE_MEMORY: '0'"),
        ({}, {}, "[tool.autopar]\ndevice_memory = -3\n", "a number of bytes"),
        ({}, {"AUTOPAR_PACKAGES": "a-b"}, "", "module names such as"),
        ({"device": "cud"}, {}, "", "auto, cpu, cuda, opencl, off; did you mean cuda?"),
        ({"fp": "exat"}, {}, "", "accepted are exact, ulp, relaxed; did you mean exact?"),
        ({"treads": 3}, {}, "", "unknown setting 'treads'; did you mean threads?"),
        ({}, {}, "[tool.autopar]\nthreds = 3\n", "did you mean threads?"),
        ({}, {}, "[tool.autopar]\nthreads = true\n", "threads in [tool.autopar]: True"),
        ({}, {}, "[tool.autopar]\npackages = [3]\n", "not 3"),
        ({}, {}, "[tool.autopar]\nverify = true\n", "unknown key 'verify'"),
        ({}, {}, "[tool.autopar\n", "not valid TOML"),
        ({}, {}, "[tool]\nautopar = 3\n", "must be a table"),
    ],
)
def test_refused(cli, environ, file, said, tmp_path):
    write(tmp_path, file)
    with pytest.raises(ConfigError) as caught:
        read(cli, environ, tmp_path)
    assert said in str(caught.value)
    assert ("pyproject.toml" in str(caught.value)) is bool(file)


def test_files_that_do_not_speak_of_autopar_are_not_read_closely(tmp_path):
    write(tmp_path, "this is [not TOML\n")
    assert read({}, {"AUTOPAR_FP": ""}, tmp_path).fp == "exact"


def test_off_in_the_environment_is_off_everywhere(tmp_path):
    assert not read({"enabled": True}, {"AUTOPAR": "0"}, tmp_path).enabled


def test_private_dir(tmp_path):
    made = Path(private_dir(tmp_path / "a" / "b"))
    assert made.stat().st_mode & 0o777 == 0o700
    assert private_dir(made) == str(made)
    made.chmod(0o720)
    with pytest.raises(ConfigError, match="others can write") as caught:
        private_dir(made)
    assert f"chmod go-w {made}" in str(caught.value)
    assert "AUTOPAR_CACHE_DIR" in str(caught.value)
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError, match="file"):
        private_dir(tmp_path / "file" / "x")


def test_private_dir_of_another_user(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "getuid", lambda: tmp_path.stat().st_uid + 1)
    with pytest.raises(ConfigError, match="another user"):
        private_dir(tmp_path)


def test_write_whole(tmp_path):
    file = tmp_path / "entry"
    write_whole(file, b"one")
    write_whole(file, b"two")
    assert file.read_bytes() == b"two"
    assert file.stat().st_mode & 0o777 == 0o600
    assert list(tmp_path.iterdir()) == [file]


def test_write_whole_leaves_nothing_behind(tmp_path, monkeypatch):
    with pytest.raises(FileNotFoundError):
        write_whole(tmp_path / "absent" / "entry", b"")
    (tmp_path / "directory").mkdir()
    with pytest.raises(OSError, match="directory"):
        write_whole(tmp_path / "directory", b"")
    file = tmp_path / "entry"
    write_whole(file, b"old")

    def interrupted(source, target):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_whole(file, b"new")
    assert file.read_bytes() == b"old"
    assert sorted(tmp_path.iterdir()) == [tmp_path / "directory", file]


@pytest.mark.parametrize(
    ("verbose", "debug", "said"),
    [(0, 0, "0"), (1, 0, "01"), (2, 0, "012"), (0, 1, "01d"), (0, 3, "012d")],
)
def test_what_is_said(verbose, debug, said, tmp_path, monkeypatch, capsys):
    settings = read({"verbose": verbose}, {"AUTOPAR_DEBUG": str(debug)}, tmp_path)
    monkeypatch.setattr(config, "_current", settings)
    for level in (0, 1, 2):
        journal.say(level, str(level))
    journal.debug(1, "d")
    lines = capsys.readouterr().err.splitlines()
    assert lines == [f"[autopar] {word}" for word in said]


def test_what_nobody_hears_is_not_put_into_words(tmp_path, monkeypatch, capsys):
    asked = []
    for level in (2, 3):
        monkeypatch.setattr(config, "_current", read({}, {"AUTOPAR_DEBUG": "2"}, tmp_path))
        journal.debug(level, lambda level=level: asked.append(level) or f"at {level}")
    assert asked == [2]
    assert capsys.readouterr().err == "[autopar] at 2\n"


def test_saying_never_fails(monkeypatch, capsys):
    journal.write("one\ntwo")
    assert capsys.readouterr().err == "[autopar] one\n[autopar] two\n"
    monkeypatch.setattr("sys.stderr", None)
    journal.write("nobody hears")
    with open(os.devnull, "w") as closed:
        pass
    monkeypatch.setattr("sys.stderr", closed)
    journal.write("nobody hears")


def test_one_record_for_each_loop():
    journal.clear()
    first = journal.loop("b.py", 3, "f")
    assert journal.loop("b.py", 3, "f") is first
    other = journal.loop("a.py", 9, "g")
    assert journal.records() == [other, first]
    journal.clear()
    assert journal.records() == []


def test_files_of_rooms_within_rooms_are_own_files():
    names = {Path(path).name for path, _, _ in config.own_files("nest")}
    assert {"config.py", "ir.py", "whole.py", "find.py"} <= names
    assert "engine.py" not in names
    assert all(size >= 0 and time > 0 for _, size, time in config.own_files())


@pytest.mark.parametrize(
    ("device", "target"),
    [
        ("auto", None),
        ("cpu", None),
        ("opencl", ("opencl", 0)),
        ("opencl:1", ("opencl", 1)),
        ("cuda:12", ("cuda", 12)),
    ],
)
def test_devices_have_numbers(device, target):
    assert replace(config.current(), device=device).target == target


@pytest.mark.parametrize("device", ["cpu:1", "opencl:", "opencl:x", "cuda:-1", "auto:0", 3])
def test_other_devices_do_not(device):
    with pytest.raises(config.ConfigError, match="opencl"):
        config._OPTIONS["device"].parse(device)


def test_a_cache_that_has_been_removed_is_not_made_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(config, "_found_only", False)
    known = config.current()
    config.use(replace(known, cache_dir=tmp_path / "cache"))
    try:
        folder = Path(config.cache_folder("kernels"))
        config.found_only()
        assert Path(config.cache_folder("plans")).is_dir()
        shutil.rmtree(folder.parent)
        with pytest.raises(FileNotFoundError):
            config.cache_folder("kernels")
        assert not folder.parent.exists()
    finally:
        config.use(known)


@pytest.mark.parametrize(
    "text",
    [
        "[tool.autopar]\nthreads = 7",
        "[ 'tool' . \"autopar\" ]\nthreads = 7",
        "[tool]\nautopar = {threads = 7}",
        "[tool]\n  'autopar'.threads = 7",
        "tool.autopar.threads = 7",
        "tool = {x = 'autopar', autopar = {threads = 7}}",
        "tool = { autopar . threads = 7 }",
        "['\\u0074ool']\nx = '\\u'\n[tool.\"auto\\u0070ar\"]\nthreads = 7",
    ],
)
def test_any_way_to_write_the_table_is_read(text, tmp_path):
    write(tmp_path, text)
    assert config.read({}, {}, tmp_path).threads == 7


@pytest.mark.parametrize(
    "text",
    [
        '[project]\nname = "autopar"',
        '[project]\ndependencies = [\n  "numpy",\n  "autopar",\n  \'autopar[cuda]>=1\',\n]',
        "# autopar\n[tool.other]\npackages = ['autopar']",
        '[tool.other]\nplace = "C:\\users\\xml" # which is no TOML',
    ],
)
def test_the_name_alone_spares_the_parser(text, tmp_path, monkeypatch):
    """Which takes some milliseconds to import."""
    monkeypatch.setitem(sys.modules, "tomllib", None)
    write(tmp_path, text)
    assert config.read({}, {}, tmp_path) == config.read({}, {}, tmp_path.parent)
