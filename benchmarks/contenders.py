"""The versions of one kernel of the suite, as functions that take its inputs."""

import hashlib
import importlib
import inspect
import os
import re
import shutil
import subprocess
import sys
import types
from pathlib import Path

import numpy as np

COLUMNS = (
    "cpython",
    "njit",
    "expert",
    "fastmath",
    "pythran",
    "pythran_plain",
    "numpy",
    "autopar",
    "relaxed",
)
FARTHEST = {"autopar": 0.0, "expert": 0.0}
"""How far results may be from CPython's, where that is not `suite.TOLERANCE`; autopar's must have
the same types as well, where Numba returns a float for a NumPy number."""
PYTHRAN = ("-O3", "-march=native", "-ffp-contract=off", "-fopenmp")
PYTHRAN_S = 300  # a compiler that takes longer is ended
HEAD = "import math\nimport numpy as np\n\n"


class Missing(Exception):
    """This version of this kernel does not exist, for the reason that is given."""


def function(column, place, data):
    """The kernel at `place`, ``(plain module, module by hand or None)``, as `column` runs it."""
    plain, by_hand = place
    if column in ("cpython", "autopar", "relaxed"):
        return importlib.import_module(plain).run
    if column == "njit":
        return compiled(importlib.import_module(plain).run)
    if column == "pythran_plain":
        return pythran(importlib.import_module(plain).run, data)
    if by_hand is None:
        raise Missing("not written")
    module = importlib.import_module(by_hand)
    if column == "expert":
        return compiled(module.run, parallel=True)
    if column == "fastmath":
        return compiled(getattr(module, "relaxed", module.run), parallel=True, fastmath=True)
    if column == "pythran":
        return pythran(module.run, data)
    if not hasattr(module, "whole"):
        raise Missing("no natural idiom")
    return module.whole


def called(run):
    """`run` and the functions of benchmarks that it calls, those first; names and modules."""
    found = []

    def visit(some):
        scope = vars(sys.modules[some.__module__])
        for name in some.__code__.co_names:
            inner = scope.get(name)
            if isinstance(inner, types.FunctionType) and not inner.__module__.startswith("numba"):
                visit(inner)
        if some not in found:
            found.append(some)

    visit(run)
    return found


def compiled(run, **flags):
    """`run` by Numba, with what it calls, kept on disk for the next process."""
    import warnings

    import numba
    from numba.core.errors import NumbaPerformanceWarning

    warnings.simplefilter("ignore", NumbaPerformanceWarning)  # "no transformation for parallel"
    ready = {some: numba.njit(some, cache=True, **flags) for some in called(run)}
    for some in ready:
        scope = vars(sys.modules[some.__module__])
        scope.update({k: ready[v] for k, v in scope.items() if _in(v, ready)})
    return ready[run]


def _in(value, ready):
    return isinstance(value, types.FunctionType) and value in ready


def pythran(run, data):
    """`run` by Pythran with OpenMP, kept on disk under what it was made of."""
    command = os.environ.get("PYTHRAN") or shutil.which("pythran")
    if not command:
        raise Missing("Pythran is not installed")
    text = HEAD + "\n\n".join(_with_openmp(inspect.getsource(some)) for some in called(run))
    kinds = ", ".join(_kind(data[name]) for name in inspect.signature(run).parameters)
    text += f"\n\n#pythran export run({kinds})\n"
    name = "p" + hashlib.sha256(f"{text} {PYTHRAN}".encode()).hexdigest()[:16]
    folder = Path(os.environ["PYTHRAN_KEPT"])
    target = folder / f"{name}.so"
    failed = folder / f"{name}.failed"
    if failed.exists():
        raise Missing(failed.read_text())
    if not target.exists():
        (folder / f"{name}.py").write_text(text)
        try:
            subprocess.run(
                [command, *PYTHRAN, "-o", str(target), f"{name}.py"],
                cwd=folder,
                check=True,
                capture_output=True,
                text=True,
                timeout=PYTHRAN_S,
            )
        except subprocess.CalledProcessError as error:
            why = [x.strip() for x in error.stderr.splitlines() if "rror" in x]
            failed.write_text("Pythran: " + (why[0][:150] if why else "does not compile"))
            raise Missing(failed.read_text()) from error
        except subprocess.TimeoutExpired as error:
            raise Missing(f"Pythran: more than {PYTHRAN_S} s of compiling") from error
    sys.path.insert(0, str(folder))
    ready, names = importlib.import_module(name).run, tuple(inspect.signature(run).parameters)
    # By position: an argument that is called `new` has another name in C++.
    return lambda **given: ready(*(given[name] for name in names))


def _with_openmp(text):
    """A function of Numba's as Pythran's: a pragma above each loop over `prange`."""
    loop = re.compile(r"^( *)(for \w+ in )prange\(", re.MULTILINE)
    return loop.sub(r"\1#omp parallel for schedule(static)\n\1\2range(", text)


def _kind(value):
    """The type of an argument in Pythran's words."""
    if isinstance(value, np.ndarray):
        return f"{value.dtype}[{','.join(':' * value.ndim)}]"
    if type(value) in (bool, int, float):
        return type(value).__name__
    raise Missing(f"Pythran: no type for a {type(value).__name__} argument")
