"""Tables in Markdown from the JSON of `run.py` and `startup.py`.

python benchmarks/tables.py        # writes results/README.md from results/*.json
"""

import json
import statistics
from pathlib import Path

RESULTS = Path(__file__).resolve().parent / "results"
TIMED = ("njit", "prange", "autopar")
ARRAYS = ("cpython", "prange", "autopar")
LISTS = ("cpython", "autopar")
INTRO = """\
# Last results

Written by `python benchmarks/tables.py` from the JSON files beside it, which come from

    python benchmarks/run.py alpyna --json benchmarks/results/alpyna.json
    python benchmarks/run.py array_style --json benchmarks/results/array_style.json
    python benchmarks/run.py copperhead --repetitions 3 --json benchmarks/results/copperhead.json
    python benchmarks/run.py suite --repetitions 5 --json benchmarks/results/suite.json
    python benchmarks/gpu.py --size large --json benchmarks/results/gpu.json
    python benchmarks/gpu.py --size large --fp ulp black_scholes \\
        --json benchmarks/results/gpu_ulp.json
    python benchmarks/startup.py --json benchmarks/results/startup.json
    python benchmarks/guards.py --json benchmarks/results/guards.json
    python benchmarks/memory.py --json benchmarks/results/memory.json
    python benchmarks/analysis.py --json benchmarks/results/analysis.json
    python benchmarks/wavefronts.py --json benchmarks/results/wavefronts.json
    python benchmarks/examples.py --json benchmarks/results/examples.json
    python benchmarks/lists.py --json benchmarks/results/lists.json
    python benchmarks/draws.py --json benchmarks/results/draws.json
    python benchmarks/idioms.py --threads 1 --json benchmarks/results/idioms.json
    python benchmarks/never_slower.py --json benchmarks/results/never_slower.json

What is compared, and how the ratios are formed: `docs/benchmarks.md`.
"""


def markdown(rows, right):
    """Rows of texts as a table, first row the head, columns from `right` on set to the right."""
    width = max(map(len, rows))
    rows = [row + [""] * (width - len(row)) for row in rows]
    rows.insert(1, ["---"] * right + ["---:"] * (width - right))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    texts = [[cell.ljust(w) for cell, w in zip(row, widths, strict=True)] for row in rows]
    return "\n".join("| " + " | ".join(row) + " |" for row in texts)


def loops(result, timed=TIMED):
    """One line per benchmark, the geometric means at the end."""
    rows = [["benchmark", "bytes", "loops", "size", *(f"{c} ms" for c in timed)]]
    rows[0] += [*(f"{c} / autopar" for c in timed[:-1]), "small: CPython / autopar"]
    for line in result["benchmarks"]:
        small, large = line["check"], line.get("steady", {})
        seconds, speedup = large.get("seconds", {}), large.get("speedup", {})
        row = [line["name"], "", ""]
        if "equal" in small:
            row[1:] = ["equal" if small["equal"] else "DIFFER"]
            row.append("; ".join(small["complaints"]) or _how(line))
        row += [str(large.get("size", ""))]
        row += [f"{seconds[c]['median'] * 1e3:.1f}" if c in seconds else "" for c in timed]
        row += [f"{speedup[c]:.2f}" if c in speedup else "" for c in timed[:-1]]
        if "equal" in small:
            row.append(f"{small['seconds']['cpython'] / small['seconds']['autopar']:.0f}")
        rows.append(row)
    means = result["geometric_means"]
    row = [f"{means[c]:.2f}" if means[c] else "" for c in timed[:-1]]
    return markdown([*rows, ["geometric mean", *[""] * (3 + len(timed)), *row]], right=3)


def _how(line):
    """Whether the loops of a benchmark ran in parallel, at the size that is timed if any is."""
    loops = line.get("steady", line["check"]).get("loops", line["check"]["loops"])
    ran = {loop["status"] for loop in loops if loop["runs"]}
    return "parallel" if "parallel" in ran else "in order"


def columns(result):
    """One line per kernel of the suite, the geometric means, and what is missing."""
    timed = "njit", "expert", "fastmath", "pythran", "pythran_plain", "numpy", "autopar", "relaxed"
    over = "best", "njit", "pythran", "pythran_plain", "numpy", "cpython"
    rows = [["kernel", "results", "loops", "size", "cpython s", *(f"{c} ms" for c in timed)]]
    rows[0] += [f"{c} / autopar" for c in over] + ["fastmath / relaxed", "best / autopar in a row"]
    rows[0] += [f"{c} {how} s" for how in ("cold", "warm") for c in ("expert", "autopar")]
    for line in result["benchmarks"]:
        seconds, speedup = line["seconds"], line["speedup"]
        row = [line["name"], f"DIFFER: {', '.join(line['wrong'])}" if line["wrong"] else "good"]
        row += [_ran(line.get("loops", [])), str(line["size"])]
        row.append(f"{line['cold']['cpython']['call_s']:.2f}")
        row += [f"{seconds[c]['median'] * 1e3:.2f}" if c in seconds else "" for c in timed]
        row += [_ratio(speedup.get(c)) for c in (*over, "fastmath")]
        row.append(_ratio(line.get("row_speedup", {}).get("best")))
        for how in ("cold", "warm"):
            found = [line[how].get(c) for c in ("expert", "autopar")]
            row += [f"{call['first_s']:.2f}" if call else "" for call in found]
        rows.append(row)
    means = [_ratio(result["geometric_means"].get(c)) for c in (*over, "fastmath", "row best")]
    rows.append(["geometric mean", *[""] * (4 + len(timed)), *means])
    missing = [
        f"- {line['name']}, {column}: {why}"
        for line in result["benchmarks"]
        for column, why in line["missing"].items()
    ]
    declined = [
        f"- {line['name']}, line {loop['line']}: {loop['reason']}"
        for line in result["benchmarks"]
        for loop in line.get("loops", [])
        if loop["status"] == "interpreted"
    ]
    parts = [markdown(rows, right=3)]
    for head, found in (("Left to the interpreter", declined), ("No such version", missing)):
        parts += [f"{head}:", "\n".join(found)] if found else []
    return "\n\n".join(parts)


def _ratio(value):
    return "" if value is None else f"{value:.2f}"


def _ran(loops):
    """How the loops of one kernel ran, as a few words."""
    ran = [loop["status"] for loop in loops if loop["runs"]]
    ran += [loop["status"] for loop in loops if loop["status"] == "interpreted"]
    words = {"parallel": "parallel", "sequential": "in order", "interpreted": "in Python"}
    return ", ".join(word for status, word in words.items() if status in ran)


def startup(result):
    """One line per measurement."""
    rows = [["measurement", "python", "python -m autopar", "difference"]]
    for name, pair in result["no_loop"].items():
        cells = [f"{pair[k] * 1e3:.0f} ms" for k in ("python_s", "autopar_s", "difference_s")]
        rows.append([f"whole process, {name}", *cells])
    first = result["three_nests"]
    plain = first["python_s"]
    later = [["process after an empty cache", "to the first result", "beyond python", "compiling"]]
    later[0] += ["nests that ran as kernels"]
    for number, start in enumerate(first["starts"], 1):
        cells = [f"{t * 1e3:.0f} ms" for t in (start["first_s"], start["first_s"] - plain)]
        cells += [f"{start['compile_s'] * 1e3:.0f} ms", f"{start['kernels']:.0f}"]
        later.append([str(number), *cells])
    alone = (
        f"Three nests: python alone needs {plain * 1e3:.0f} ms to the first result. Once all nests"
        f" have kernels it takes {first['warm_s'] * 1e3:.0f} ms, which is"
        f" {first['beyond_numpy_s'] * 1e3:.0f} ms more than the first line of a process that"
        f" imports NumPy alone ({first['numpy_s'] * 1e3:.0f} ms)."
    )
    if "numba_s" in first:
        alone += f" `njit(parallel=True)` of these nests needs {first['numba_s'] * 1e3:.0f} ms."
    return f"{markdown(rows, right=1)}\n\n{alone}\n\n{markdown(later, right=1)}"


def guards(result):
    """One line per program, and one for the tiny nest."""
    rows = [["program", "whole ms", "kernels alone ms", "whole / alone"]]
    for line in result["programs"]:
        times = [f"{line[key] * 1e3:.2f}" for key in ("whole_s", "bare_s")]
        rows.append([line["name"], *times, f"{line['ratio']:.3f}"])
    rows.append(["geometric mean", "", "", f"{result['geometric_mean']:.3f}"])
    keys = ("call_us", "kernel_us", "beyond_us", "python_us")
    ways = [["calls of the tiny nest", "call µs", "kernel µs", "beyond it µs", "CPython µs"]]
    for way in result["tiny"]["ways"]:
        ways.append([way["name"], *(f"{way[key]:.1f}" for key in keys)])
    text = f"The tiny nest has {result['tiny']['iterations']} iterations over three arrays:"
    return f"{markdown(rows, right=1)}\n\n{text}\n\n{markdown(ways, right=1)}"


def gpu(result):
    """One line per kernel that runs on the device, and below them what it does not take."""
    keys = {"cores_s": "cores ms", "whole_s": "device ms", "kernels_s": "on the device ms"}
    head = ["kernel", "bytes", "size", *keys.values(), "cores / device", "MB moved", "of a copy"]
    held = any(line.get("by_hand") for line in result["kernels"])
    head += ["numba", "raw", "arrays", "each", "host"] * held
    rows, others = [head], []
    for line in result["kernels"]:
        left = [one for one in line["loops"] if one["device"] == "cpu" and one["reason"]]
        others += [f"- {line['name']}, line {one['line']}: {one['reason']}" for one in left]
        if not line["kernels_s"]:
            continue
        speed = line["bytes"] / line["kernels_s"] / result["copy_bytes_s"]
        rows.append(
            [
                line["name"],
                "equal" if line["equal"] else "near" if line.get("near") else "DIFFER",
                str(line["size"]),
                *(f"{line[key] * 1e3:.2f}" for key in keys),
                f"{line['cores_s'] / line['whole_s']:.2f}",
                f"{line['moved'] / 1e6:.1f}",
                f"{speed:.2f}",
                *(against(line, line["by_hand"]) if held else ()),
            ]
        )
    if held:
        rows.append(["geometric mean", *[""] * (len(rows[0]) - 6), *means(result)])
    copied = f"{result['copy_bytes_s'] / 1e9:.0f} GB/s"
    text = f"On {result['name']} ({result['device']}), where a copy reads and writes {copied}:"
    rest = ["", "On the cores:", "", *others] if others else []
    return "\n".join([text, "", markdown(rows, right=2), *rest])


def against(line, others):
    """How much longer versions by hand take; the best of them, from the host and back."""
    found = [
        f"{others[one]['kernels_s'] / line['kernels_s']:.2f}" if one in others else ""
        for one in ("numba", "raw", "arrays", "one_each")
    ]
    best = min((one["whole_s"] for one in others.values()), default=None)
    return [*found, "" if best is None else f"{best / line['whole_s']:.2f}"]


def means(result):
    """Of each column of `against`."""
    lines = [line for line in result["kernels"] if line["kernels_s"]]
    columns = zip(*(against(line, line["by_hand"]) for line in lines), strict=True)
    numbers = [[float(text) for text in column if text] for column in columns]
    return [f"{statistics.geometric_mean(one):.2f}" if one else "" for one in numbers]


def memory(result):
    """One line per kernel, in megabytes."""
    keys = {"held": "arrays and lists MB", "python": "CPython MB", "cold": "empty cache MB"}
    keys |= {"autopar": "autopar MB", "more": "more than CPython MB", "written": "written MB"}
    keys["beyond"] = "more than may be MB"
    rows = [["kernel", "size", *keys.values()]]
    for line in result["kernels"]:
        rows.append([line["name"], str(line["size"]), *(f"{line[k] / 1e6:.1f}" for k in keys)])
    return markdown(rows, right=1)


def analysis(result):
    """One line per nest."""
    head = ["nest", "first analysis", "with its imports", "conditions", "later analysis"]
    rows = [[*head, "later decision", "later choice"]]
    for line in result["nests"]:
        once, again = line["first"], line["later"]
        row = [line["name"], f"{once['seconds'] * 1e3:.1f} ms"]
        row.append(
            f"{once['with_imports_s'] * 1e3:.0f} ms ({', '.join(once['imported']) or 'none'})"
        )
        steps = ("conditions_s", "analysis_s", "decision_s", "choice_s")
        rows.append([*row, *(f"{again[k] * 1e6:.1f} µs" for k in steps)])
    return markdown(rows, right=1)


def wavefronts(result):
    """One line per program."""
    rows = [["program", "bytes", "parallel loops", "size", "in order ms", "in tiles ms", "ratio"]]
    for line in result["programs"]:
        times = [f"{line[key] * 1e3:.1f}" for key in ("in_order_s", "in_tiles_s")]
        row = [line["name"], "equal" if line["equal"] else "DIFFER"]
        row += [", ".join(line["parallel_loops"]) or "none", str(line["size"])]
        rows.append([*row, *times, f"{line['ratio']:.2f}"])
    rows.append(["geometric mean", *[""] * 5, f"{result['geometric_mean']:.2f}"])
    return markdown(rows, right=3)


def examples(result):
    """One line per program."""
    head = ["program", "output", "loops that ran in parallel, in order, in Python", "python s"]
    rows = [[*head, "autopar, empty cache s", "autopar s", "ratio"]]
    for line in result["programs"]:
        ran = [line["loops"].get(how, 0) for how in ("parallel", "sequential", "interpreted")]
        row = [line["name"], "equal" if line["equal"] else "DIFFER", ", ".join(map(str, ran))]
        row += [f"{line[key]:.2f}" for key in ("python_s", "first_s", "autopar_s")]
        rows.append([*row, f"{line['ratio']:.2f}"])
    rows.append(["geometric mean", *[""] * 5, f"{result['geometric_mean']:.2f}"])
    return markdown(rows, right=3)


def never_slower(result):
    """One line per kernel, and one per script and size; ratios above 1 are slower."""
    tables = []
    if "calls" in result:
        rows = [["kernel", "size", "calls", "CPython ms", "autopar / CPython"]]
        rows[0] += ["lost at most ms", "with an empty cache", "lost then ms"]
        for line in result["calls"]:
            row = [line["name"], str(line["size"]), str(line["calls"])]
            row += [f"{line['python_s'] * 1e3:.1f}"]
            for which in ("warm", "cold"):
                row += [f"{line[which]:.2f}", f"{line[f'{which}_lost_s'] * 1e3:.1f}"]
            rows.append(row)
        tables.append(markdown(rows, right=1))
    if "scripts" in result:
        rows = [["script", "arguments", "output", "CPython s", "autopar / CPython"]]
        rows[0] += ["of medians", "with an empty cache", "slowest later run"]
        shown = ("warm", "usually", "cold", "slowest")
        for line in result["scripts"]:
            row = [line["name"], line["size"], "equal" if line["equal"] else "DIFFER"]
            row += [f"{line['python_s']:.3f}"]
            rows.append([*row, *(f"{line[which]:.2f}" for which in shown)])
        tables.append(markdown(rows, right=3))
    return "\n\n".join(tables)


def lists(result):
    """One line per program, and what copies cost."""
    rows = [["program", "results", "parallel loops", "size", "CPython ms", "autopar ms", "ratio"]]
    for line in result["programs"]:
        row = [line["name"], "equal" if line["equal"] else "DIFFER"]
        row += [", ".join(line["parallel_loops"]) or "none", str(line["size"])]
        row += [f"{line[key] * 1e3:.2f}" for key in ("cpython_s", "autopar_s")]
        rows.append([*row, f"{line['ratio']:.1f}"])
    rows.append(["geometric mean", *[""] * 5, f"{result['geometric_mean']:.1f}"])
    costs = [
        f"{dtype}: {ns['read']:.1f} ns to read an element, {ns['changed']:.1f} to put back one "
        f"that has changed, {ns['same']:.1f} one that has not"
        for dtype, ns in result["copies_ns"].items()
    ]
    return markdown(rows, right=3) + f"\n\n{'; '.join(costs)}."


def draws(result):
    """One line per program."""
    rows = [["program", "results and states", "size", "cpython ms", "autopar ms", "ratio"]]
    for line in result["programs"]:
        times = [f"{line[key] * 1e3:.1f}" for key in ("cpython_s", "autopar_s")]
        row = [line["name"], "equal" if line["equal"] else "DIFFER", str(line["size"])]
        rows.append([*row, *times, f"{line['ratio']:.0f}"])
    rows.append(["geometric mean", *[""] * 4, f"{result['geometric_mean']:.0f}"])
    return markdown(rows, right=2)


def idioms(result):
    """One line per program; a ratio of times by Numba and by autopar."""
    rows = [["program", "bytes", "Numba has the same", "size", "cpython ms", "njit ms"]]
    rows[0] += ["autopar ms", "njit / autopar", "cpython / autopar"]
    for line in result["programs"]:
        times = [f"{line[f'{way}_s'] * 1e3:.2f}" for way in ("cpython", "numba", "autopar")]
        row = [line["name"], "equal" if line["equal"] else "DIFFER"]
        row += ["yes" if line["same_as_numba"] else "no", str(line["size"]), *times]
        by_python = line["cpython_s"] / line["autopar_s"]
        rows.append([*row, f"{line['ratio']:.2f}", f"{by_python:.0f}"])
    rows.append(["geometric mean", *[""] * 6, f"{result['geometric_mean']:.2f}", ""])
    return markdown(rows, right=3)


def where(result):
    """One paragraph: machine, versions, threads."""
    machine = result["machine"]
    versions = ", ".join(f"{name} {version}" for name, version in result["versions"].items())
    text = f"{machine['processor']}, {machine['cores']} cores, {machine['system']}; {versions}"
    if "threads" in result:
        text += f"; {result['threads']} threads, {result['repetitions']} repetitions"
    return f"{result['date']}: {text}."


TABLES = {
    "alpyna": loops,
    "array_style": lambda result: loops(result, ARRAYS),
    "copperhead": lambda result: loops(result, LISTS),
    "suite": columns,
    "startup": startup,
    "guards": guards,
    "memory": memory,
    "analysis": analysis,
    "wavefronts": wavefronts,
    "examples": examples,
    "lists": lists,
    "draws": draws,
    "idioms": idioms,
    "never_slower": never_slower,
    "gpu": gpu,
    "gpu_before": gpu,  # kernels that the last run had no time for
    "gpu_ulp": gpu,
}


def main():
    parts = [INTRO]
    for name, table in TABLES.items():
        path = RESULTS / f"{name}.json"
        if path.exists():
            result = json.loads(path.read_text())
            parts.append(f"## {name}\n\n{where(result)}\n\n{table(result)}\n")
    (RESULTS / "README.md").write_text("\n".join(parts))


if __name__ == "__main__":
    main()
